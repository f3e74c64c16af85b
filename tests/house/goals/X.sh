# Title: Suites of programs that the papers used
# MARS, P_BEST and P_BEST_RANK are measured by hand (sim/mech/POISE.md; the suites are not in this repository); without them the old values stay.
draw=tests/e2e/public_draw_114.csv
right() { awk -F, -v suite="$1" '$1 == suite && ($4 == "right" || $4 == "equal") { n++ } END { print n + 0 }' $draw; }
drawn="awk over $draw" tried="trials of 2026-11-27"
check X.polybench "PolyBench/GPU: programs right or equal by poise cc, of 21: at least 19" "$drawn" "$(right PolyBench)" "m >= 19" \
    "5584aaa; DOITGEN calls undeclared functions; $tried"
check X.rodinia "Rodinia: programs right or equal by poise cc, of 25 in 23 folders: at least 18 of 23" "$drawn" "$(right Rodinia)" "m >= 20" \
    "9c10d3e; mummergpu calls undeclared functions; $tried"
check X.parboil "Parboil: programs right or equal by poise cc, of 11: at least 8" "$drawn" "$(right Parboil)" "m >= 8" "$tried"
check X.samples "NVIDIA's samples: programs right or equal by poise cc, of 42: at least 36" "$drawn" "$(right samples)" "m >= 36" \
    "c94ff366; missing: MTGP32, sparse cuSOLVER, nvJPEG, callbacks of cuFFT, kernels that wait for the host (UnifiedMemoryPerf); cudaTensorCoreGemm takes more than 280 s; trials of 2026-11-28"
check X.hecbench "HeCBench: programs right or equal by poise cc, of 40 drawn: at least 30" "awk over tests/e2e/public_draw_hecbench.csv" \
    "$(awk -F, '$2 == "right" || $2 == "equal" { n++ } END { print n + 0 }' tests/e2e/public_draw_hecbench.csv)" "m >= 30" \
    "f27000a, seed 45, small sizes by hand, trial of 2026-11-28; of the ten others four lack data or references, four are too large, one is no CUDA program, one has no result to check"
handed X.mars "Mars: programs right or equal by two ways, of 8: at least 6" "poise suite check mars" "${MARS:-}" "m >= 6" \
    "f47db01, small sizes by hand: equal by clang and nvcc, whose builds may take 1200 s; Kmeans and SimilarityScore draw inputs by the clock and are equal with a stopped clock. StringMatch reads pairs of words at addresses that are not multiples of 8, which hardware refuses too"
handed X.p_best "P_best of original programs, THESIS Tab. 5.4: within a factor of 1.5, of 11: at least 8" \
    "poise sim --kernel SUITE/PROGRAM --config kepler32 [--set l1.ways=256], sim/mech/POISE.md" "${P_BEST:-}" "m >= 8" \
    "not gsmv, mvt, bicg and atax (7.8, 6.6, 5.1, 6.5): sim/mech/POISE.md has the causes that were tried"
handed X.p_best_rank "the same, rank correlation at least 0.7" \
    "Spearman's coefficient of the row above, eleven whole programs without a change, row scans of 1024 x 1024" "${P_BEST_RANK:-}" "m >= 0.7" \
    "0.309 before, when the longest launch stood for mvt, bicg and atax. With matrices of 4096 atax and gsmv have 10"
originals="poise repro --results experiments/results/originals.csv --count"
read -r asked held papers <<<"$("$poise" repro --results experiments/results/originals.csv --count --json | jq -r '.originals |
    "\(map(.statements) | add) \(map(.hold) | add) \(map("\(.hold)/\(.statements) in \(.paper | sub("THESIS"; "chapter"))") | join(", "))"')"
check X.originals_statements "the papers' statements that hold on original programs, of $asked measured there: at least 85 %" "$originals" "$held" \
    "m >= 0.85 * $asked" "$papers"
