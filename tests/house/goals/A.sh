# Title: Quickstart and what its training and evaluation use
# WALL_S: seconds of experiments/quickstart.sh after the build, results removed before. CI_S: seconds of .ci/run.
# SAME_BYTES: runs of the full quickstart with the same summary.json, among them 1 and 2 threads, gcc and clang, with and without --no-skip.
base='NR > 1 && $8 == 1' # the point (W, W)
training='$1 ~ /^(gco|pvr|ccl)$/'

handed A.quickstart_wall_s "quickstart: at most 300 s after the build on 2 cores" "experiments/quickstart.sh" "${WALL_S:-}" "m <= 300" ""
check A.quickstart_warp_insts "quickstart: at most 100 M warp instructions" "experiments/quickstart.sh" "$(json $summary sim_warp_insts)" "m <= 100e6" "mvt, atax, bicg and gsmv are the suites' programs since model version 4, with longer launches"
check A.quickstart_line_requests "quickstart: at most 400 M line requests" "experiments/quickstart.sh" "$(json $summary sim_line_requests)" "m <= 400e6" ""
"$poise" run experiments/specs/quickstart.yaml >/dev/null 2>&1
check A.second_run_simulates "a second invocation simulates 0 runs" "experiments/quickstart.sh" "$(json results/quickstart/run_info.json runs_simulated)" "m == 0" ""
check A.training_kernels "at least 30 training kernels pass Tab. 5.5" "experiments/quickstart.sh" "$(json $summary used)" "m >= 30" ""
check A.training_warp_insts "training launches: mean at most 60 k warp instructions" "awk over $profile" \
    "$(awk -F, "$base && $training {n++; s += \$7} END {printf \"%.0f\", s / n}" $profile)" "m <= 60000" ""
# Rows whose seven features of Tab. 5.3 all lie within 1 % of another row's.
check A.training_distinct "training kernels with all features within 1 % of another's: none" "awk over results/quickstart/dataset.csv" \
    "$(awk -F, 'NR > 1 {for (k = 0; k < n; k++) {near = 1; for (f = 11; f <= 17; f++) {d = $f - x[k, f]; m = $f < 0 ? -$f : $f; if (d < 0) d = -d; if (d > 0.01 * m) near = 0}; twins += near}; for (f = 11; f <= 17; f++) x[n, f] = $f; n++} END {print twins + 0}' results/quickstart/dataset.csv)" "m == 0" ""
check A.training_cycles_min "training launches: at least 10 k baseline cycles" "awk over $profile" \
    "$(awk -F, "$base && $training && (!m || \$6 < m) {m = \$6} END {print m}" $profile)" "m >= 10000" ""
check A.training_cycles_max "training launches: at most 100 k baseline cycles" "awk over $profile" \
    "$(awk -F, "$base && $training && \$6 > m {m = \$6} END {print m}" $profile)" "m <= 100000" "pvr.1/4; the next has 75,427"
check A.evaluation_warp_insts "profiled evaluation launches: together at most 3 M warp instructions" "awk over $profile" \
    "$(awk -F, "$base && !($training) {s += \$7} END {print s}" $profile)" "m <= 3e6" "mvt, atax, bicg and gsmv are the suites' programs since model version 4, with longer launches"
check A.evaluation_long "evaluation benchmarks with a launch of at least 400 k baseline cycles: all 11" "awk over $profile" \
    "$(awk -F, "$base && !($training) && \$6 >= 400000 {n++} END {print n + 0}" $profile)" "m == 11" "since model version 4 bfs is Rodinia's program; its longest profiled launch has 226,753"
check A.kernels_that_thrash "the best tuple beats (24, 24) by more than 10 % on at least 5 evaluation kernels" "awk over $profile" \
    "$(awk -F, "NR > 1 && !($training) && \$8 > 1.1 {k[\$2] = 1} END {for (i in k) n++; print n + 0}" $profile)" "m >= 5" ""
ladder=$(build/release/tests/unit/gpu/test_gpu 2>/dev/null | grep "^L1 hit")
check A.latency_l2 "uncongested L1 miss to L2 hit: 120 core cycles within 2" "build/release/tests/unit/gpu/test_gpu" \
    "$(awk '{gsub(",", ""); print $6}' <<<"$ladder")" "m >= 118 && m <= 122" ""
check A.latency_dram "uncongested L1 miss to DRAM, closed row: 220 core cycles within 2" "build/release/tests/unit/gpu/test_gpu" \
    "$(awk '{gsub(",", ""); print $8}' <<<"$ladder")" "m >= 218 && m <= 222" ""
worst=0 held=1
for kernel in mvt-batched:0 atax-batched:0 bicg-batched:1 gsmv-batched:0 syrk-panel:0 syr2k-panel:0 mm:4 ii:0 ss:1 bfs-words:8 kmeans-rows:0; do
    for ways in 4 256; do
        "$poise" sim --kernel "${kernel%:*}" --launch "${kernel#*:}" --set l1.ways=$ways --json 2>/dev/null >"results/l1-$ways.json"
    done
    held=$(awk -v w="$held" -v r="$(json results/l1-4.json slots_held)" 'BEGIN {print (r < w ? r : w)}')
    worst=$(awk -v w="$worst" -v a="$(json results/l1-256.json core_cycles)" -v b="$(json results/l1-4.json core_cycles)" 'BEGIN {r = a / b; print (r > w ? r : w)}')
done
check A.l1_64x "a 64x L1 costs at most 2 % more cycles on any evaluation kernel: worst ratio" "poise sim --set l1.ways=256" "$worst" "m <= 1.02" ""
check A.slots_held "90 % of the warp slots that occupancy allows held by resident CTAs for half of each profiled evaluation launch: least share" \
    "poise sim --kernel NAME --launch I --json" "$held" "m >= 0.5" "slots with an unfinished warp are fewer: warps of a CTA end at different times"
handed A.same_bytes "full quickstart: byte-identical summary.json at 1 and 2 threads, gcc and clang, --no-skip: runs that agree" \
    "poise run experiments/specs/quickstart.yaml --threads 1, preset release; --threads 2 --no-skip, preset clang" "${SAME_BYTES:-}" "m >= 2" "model version 2, kept; two runs that differ in all three, at least; with ASan too, ci-quickstart on every change, by .ci/run"
cp tests/bench/last.json results/bench.json # tests/bench/run.sh --keep wrote it
check A.sim_winst_s "timing model: geometric mean above 300,000 warp instructions a second at 32 SMs, one thread" "tests/bench/run.sh --json" \
    "$(json results/bench.json geomean_sim_winst_s | cut -d. -f1)" "m > 300000" ""
check A.exec_winst_s "executor: at least 3 M warp instructions a second on syrk, recording on" "tests/bench/run.sh --json" \
    "$(awk -F'[:,]' '/"kernel": "syrk"/ {in_syrk = 1} in_syrk && /exec_winst_s/ {printf "%.0f", $2; exit}' results/bench.json)" "m >= 3e6" "the whole launch, the trace in memory"
check A.ci_quickstart_warp_insts "ci-quickstart: at most 2 M warp instructions" "poise run experiments/specs/ci-quickstart.yaml" \
    "$("$poise" run experiments/specs/ci-quickstart.yaml --out results/ci-goal >/dev/null 2>&1; json results/ci-goal/summary.json sim_warp_insts)" "m <= 2e6" ""
handed A.ci_wall_s ".ci/run: under 15 minutes on 2 cores" ".ci/run" "${CI_S:-}" "m < 900" "two copies of it at other times had 857 and 944 s: the machine differs by a tenth; test_cuda_nvcc, two minutes of one core, is left to tests/run.sh"
