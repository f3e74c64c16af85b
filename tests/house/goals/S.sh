# Any CUDA program, second part. EXECUTOR: the last figure of `tests/bench/executor.sh` (a minute); without it the old value stays.
handed S.executor "warp instructions a second that the executor records, slowest program at size small, millions, at least 10" \
    "tests/bench/executor.sh" "${EXECUTOR:-}" "m >= 10" "worklist: 130,000 instructions, whose time goes into first touches of memory and page faults"
