# Newer GPUs against the reference simulator's figures for them; a card's cases are one table of `validate --cases`.
cases="poise validate --cases tests/reference/accelsim/volta --json"
volta=$(mktemp)
"$poise" validate --cases tests/reference/accelsim/volta --json >"$volta" 2>/dev/null
for card in qv100 titanv titanx; do
    check "M.$card" "mean absolute error of cycles on $card, four cases, at most 0.05" "$cases" "$(jq ".by_config.$card.mape" "$volta")" "m <= 0.05" ""
    check "M.${card}_r" "correlation of cycles on $card, at least 0.98" "$cases" "$(jq ".by_config.$card.pearson" "$volta")" "m >= 0.98" ""
done
rm -f "$volta"
