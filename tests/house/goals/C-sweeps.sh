# Title: Speed of sweeps
# Sweeps: threads, store and scheduling, shortcuts. The shortcuts' table is that of tests/bench/shortcuts.sh | tee results/shortcuts.txt (minutes);
# without it the old values stay.
table=results/shortcuts.txt sweeps=results/bench-sweeps.json
"${poise%/experiments/poise}"/tests/bench/poise_bench --sweep --reps 9 --json none >"$sweeps"
said() { [ ! -e "$table" ] || sed -nE "s/^$1.* $2 ([0-9.]+).*/\1/p" "$table"; }
run="poise_bench --sweep --reps 9 --json none" cuts="tests/bench/shortcuts.sh"
check C-sweeps.threads "sweeps: two threads do at least 0.95 of the work of two processes" "$run" "$(json "$sweeps" two_threads_over_two_processes)" "m >= 0.95" "wall clock, on shared processors"
check C-sweeps.store_overhead "sweeps: store and scheduling under 1 % of CPU time" "$run" "$(json "$sweeps" store_overhead)" "m < 0.01" "making the store alone takes 1 % of so short a sweep; 255 runs of 8 ms each"
handed C-sweeps.best_all "sweep --only-best, all 300 tuples of 11 launches: the best ones of the whole grid; share of its cycles that are simulated" "$cuts" "$(said "only-best, 300" "cycles simulated")" "m < 1" "size test"
handed C-sweeps.best_coarse "the same with 21 tuples" "$cuts" "$(said "only-best, 21" "cycles simulated")" "m < 1" "size test"
handed C-sweeps.early_share "early ends at 2 %, 35 launches under two policies: share of the cycles that are simulated" "$cuts" "$(said "early_end 0.02" "cycles simulated")" "m < 1" "no goal: off by default; the launches are at most two waves of CTAs"
handed C-sweeps.early_error "mean error of the cycles of those that end early: at most 2 %" "$cuts" "$(said "early_end 0.02" "error of those")" "m <= 0.02" "intervals cover the noise seen so far, not later phases and not the end, where warps run out"
