# Title: Newer GPUs against the reference
# Newer GPUs against the reference simulator's figures for them; a card's cases are one table of `validate --cases`.
# Speed on the QV100 is handed in, measured side by side with the reference in one session (tests/README.md, Speed): REFERENCE_QV100, and
# REFERENCE_WHEN, the machine and the date.
cases="poise validate --cases tests/reference/accelsim/volta --json"
volta=$(mktemp)
"$poise" validate --cases tests/reference/accelsim/volta --json >"$volta" 2>/dev/null
worst() { # card, difference of a case: the largest of its cases
    jq "[.cases[] | select(.run == \"$1\") | .$2 | select(. != null) | fabs] | max" "$volta"
}
for card in qv100 titanv titanx; do
    check "M.$card" "mean absolute error of cycles on $card, four cases, at most 0.05" "$cases" "$(jq ".by_config.$card.mape" "$volta")" "m <= 0.05" ""
    check "M.${card}_r" "correlation of cycles on $card, at least 0.98" "$cases" "$(jq ".by_config.$card.pearson" "$volta")" "m >= 0.98" ""
    [ "$card" = titanx ] || check "M.${card}_l1" "L1 hit rate on $card, largest difference of four cases, at most 0.02" "$cases" \
        "$(worst "$card" l1d_hit_rate_delta)" "m <= 0.02" "mvt: the order of arrival at full sets decides which lines stay (DEVIATIONS.md)"
    check "M.${card}_dram" "DRAM reads on $card, largest error of four cases, at most 0.05" "$cases" \
        "$(worst "$card" dram_reads_error)" "m <= 0.05" "mvt: L2 misses depend on the slices in which lines lie (DEVIATIONS.md)"
    [ "$card" != qv100 ] || handed "M.${card}_speed" "side by side with the reference on qv100: at least 350 times as fast, geometric mean of four cases" \
        "by hand: tests/README.md, Speed" "${REFERENCE_QV100:-}" "m >= 350" "${REFERENCE_WHEN:-}"
done
rm -f "$volta"
