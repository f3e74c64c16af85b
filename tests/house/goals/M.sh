# Newer GPUs against the reference simulator's figures for them; a card's cases are one table of `validate --cases`.
# Speed: results/bench-cards-1.json to -5.json, if they are there (poise_bench --cards --json none >FILE, on an idle machine), else one table made
# now. The table with the middle geometric mean of the card counts.
cases="poise validate --cases tests/reference/accelsim/volta --json"
speed="poise_bench --cards --json none"
volta=$(mktemp)
"$poise" validate --cases tests/reference/accelsim/volta --json >"$volta" 2>/dev/null
ls results/bench-cards-[1-5].json >/dev/null 2>&1 ||
    "${poise%/experiments/poise}"/tests/bench/poise_bench --cards --json none >results/bench-cards-1.json
ratios() { for t in results/bench-cards-[1-5].json; do jq ".cards.by_card.$1.geomean_ratio" "$t"; done | sort -n; }
worst() { # card, difference of a case: the largest of its cases
    jq "[.cases[] | select(.run == \"$1\") | .$2 | select(. != null) | fabs] | max" "$volta"
}
for card in qv100 titanv titanx; do
    check "M.$card" "mean absolute error of cycles on $card, four cases, at most 0.05" "$cases" "$(jq ".by_config.$card.mape" "$volta")" "m <= 0.05" ""
    check "M.${card}_r" "correlation of cycles on $card, at least 0.98" "$cases" "$(jq ".by_config.$card.pearson" "$volta")" "m >= 0.98" ""
    [ "$card" = titanx ] || check "M.${card}_l1" "L1 hit rate on $card, largest difference of four cases, at most 0.02" "$cases" \
        "$(worst "$card" l1d_hit_rate_delta)" "m <= 0.02" "mvt: who comes first to full sets decides who stays (the ledger)"
    check "M.${card}_dram" "DRAM reads on $card, largest error of four cases, at most 0.05" "$cases" \
        "$(worst "$card" dram_reads_error)" "m <= 0.05" "mvt: L2 misses follow the slices that lines lie in (the ledger)"
    check "M.${card}_speed" "speed on $card: the reference's CPU seconds over ours, geometric mean of four cases, middle table, at least 300" "$speed" \
        "$(ratios "$card" | awk '{r[NR] = $1} END {print r[int((NR + 1) / 2)]}')" "m >= 300" "$(ratios "$card" | wc -l) tables: $(ratios "$card" | awk '{printf "%s%.0f", (NR > 1 ? ", " : ""), $1}')"
done
rm -f "$volta"
