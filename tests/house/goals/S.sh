# Any CUDA program, second part. EXECUTOR: the last figure of `tests/bench/executor.sh` (a minute); without it the old value stays.
handed S.executor "warp instructions a second that the executor records, slowest program at size small, millions, at least 10" \
    "tests/bench/executor.sh" "${EXECUTOR:-}" "m >= 10" "worklist: 130,000 instructions, whose time goes into page faults, register files that are not in the cache and atomics lane by lane; 5.2 to 9.2 from one run of the bench to the next, where mvt has 9.0 to 12.4"
