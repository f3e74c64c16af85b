# Title: Crashes, several processes, tuning
# The lab. Needs the tests of a release build; rows of ranks need mpirun and stay as they are without it.
lab=build/release/tests
kills=$($lab/e2e/lab/e2e_lab_kill 2>/dev/null | sed -n 's/^\([0-9]*\) kills.*/\1/p')
check G.kills "a sweep killed at random moments ends with exactly the full set of runs: kills" "build/release/tests/e2e/lab/e2e_lab_kill" "${kills:-0}" "m >= 50" ""
opened=0
$lab/unit/lab/test_lab_contention >/dev/null 2>&1 && opened=320
check G.new_stores "16 processes open a new store at once, 20 times: openings that succeed and keep their run" "build/release/tests/unit/lab/test_lab_contention" "$opened" "m == 320" ""
"$poise" tune experiments/specs/ci-tune.yaml --out results/goal-tune --json >results/goal-tune.json 2>/dev/null
check G.tune_regret "poise tune, Gaussian process: regret with 16 of 136 points at most 5 %" "poise tune experiments/specs/ci-tune.yaml --json" "$(json results/goal-tune.json regret)" "m <= 0.05" ""
if command -v mpirun >/dev/null; then
    rm -rf results/goal-ranks-*
    same=0
    "$poise" sweep experiments/specs/ci-sweep.yaml --out results/goal-ranks-0 >/dev/null 2>&1
    for n in 1 2 4; do
        mpirun --allow-run-as-root --oversubscribe --bind-to none -n $n "$poise" sweep experiments/specs/ci-sweep.yaml --out results/goal-ranks-$n >/dev/null 2>&1
        cmp -s <("$poise" store export csv --store results/goal-ranks-0/store.sqlite) <("$poise" store export csv --store results/goal-ranks-$n/store.sqlite) && same=$((same + 1))
    done
    check G.same_bytes_ranks "a sweep at 1, 2 and 4 MPI ranks exports the bytes of a plain run: variants that agree" "mpirun -n N poise sweep experiments/specs/ci-sweep.yaml" "$same" "m == 3" ""
else
    keep G.same_bytes_ranks
fi
# From experiments/SCALING.md, as experiments/scaling.sh left it: the second row of its first table, runs of about ten seconds.
efficiency=$(awk -F'|' '/^## 1000 nodes/ {on = 1} on && /^\| [0-9]/ {if (++row == 2) {gsub(/[ %]/, "", $5); print $5 / 100; exit}}' experiments/SCALING.md)
check G.scaling_efficiency "10^6 runs of ten seconds on 1,000 nodes of 16 threads, on paper: efficiency at least 95 %" "experiments/scaling.sh" "${efficiency:-0}" "m >= 0.95" "a simulation from measured run times and the measured work of rank 0"
