# Title: Programs estimated from a sample of their launches
# Samples of launches against every launch simulated: 300 samples a program, half a minute after the runs are in results/sampling.sqlite. A row has
# name, launches, clusters, launches drawn, share of instructions, mean and worst error of cycles and worst regret (%), late, then for cycles and each of
# five speedups the intervals that hold and the mean error (%).
cmake --build --preset release --target sampling >/dev/null
build/release/tests/bench/sampling 0.02 300 gaussian nw lud >results/sampling.txt 2>/dev/null
sampled="build/release/tests/bench/sampling 0.02 300 gaussian nw lud"
many='$1 == "gaussian" || $1 == "nw"'
check AE.cycles_error "sampled programs, cold launches: mean error of cycles at most 1 %" "$sampled" \
    "$(awk "$many"' { if ($11 > m) m = $11 } END { print m / 100 }' results/sampling.txt)" "m <= 0.01" "the largest of gaussian and nw, 300 samples each"
check AE.speedup_error "sampled programs: mean error of the speedups of five policies at most 1 %" "$sampled" \
    "$(awk "$many"' { for (f = 13; f <= NF; f += 2) if ($f > m) m = $f } END { print m / 100 }' results/sampling.txt)" "m <= 0.01" "the largest of gaussian and nw, 300 samples each"
check AE.coverage_cycles "sampled programs: least share of 300 intervals of cycles that hold, 0.90 at least" "$sampled" \
    "$(awk 'NR > 1 { if (NR == 2 || $10 < m) m = $10 } END { print m / 100 }' results/sampling.txt)" "m >= 0.9" "of gaussian, nw and lud; lud is simulated whole"
check AE.coverage_speedups "sampled programs: least share of 300 intervals of a speedup that hold, 0.90 at least" "$sampled" \
    "$(awk 'BEGIN { m = 100 } NR > 1 { for (f = 12; f <= NF; f += 2) if ($f < m) m = $f } END { print m / 100 }' results/sampling.txt)" "m >= 0.9" "nw's speedup of poise; 0.99 at least on gaussian; lud is simulated whole"
check AE.share "sampled programs: share of the warp instructions simulated, at most 0.10" "$sampled" \
    "$(awk "$many"' { if ($5 > m) m = $5 } END { print m }' results/sampling.txt)" "m <= 0.1" "the larger of gaussian and nw at an error of 2 %; fewer launches a cluster need fewer, but then too few intervals of hard cases contain the true value (tests/unit/lab/test_sample.c)"
check AE.regret "sampled programs: cycles of the policy chosen over those of the best, at most 1 % more, worst of 300 samples" "$sampled" \
    "$(awk 'NR > 1 { if ($8 > m) m = $8 } END { print m / 100 }' results/sampling.txt)" "m <= 0.01" "nw; of gaussian 0, lud is simulated whole"
# Measured by hand with the command of the row.
for row in tune_coverage run_coverage run_error run_share run_cpu programs_share programs_coverage full_share full_coverage race_work race_regret; do keep "AE.$row"; done
