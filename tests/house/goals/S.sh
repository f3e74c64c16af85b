# Title: Public CUDA programs
# Any CUDA program, second part. EXECUTOR: the last figure of `tests/bench/executor.sh` (a minute); without it the old value stays.
handed S.executor "millions of warp instructions a second that the executor records, slowest program, at least 10" \
    "tests/bench/executor.sh" "${EXECUTOR:-}" "m >= 10" "worklist; median of five on a shared machine (7.5, 8.2, 9.9, 11.4, 12.3), a launch of 130,000 instructions; all others have 14 M or more"
# Of the public programs of the last draw that check themselves, the share that is right at the first try.
draw=tests/e2e/public_draw.csv
share() { awk -F, -v OFS=, "\$3 == \"yes\" { n++; r += $1 } END { printf \"%.4f\", r / n }" $draw; }
drawn="awk over $draw" few="22 programs, so that one more or less is 5 %"
check S.public_either "public programs not named in the issue that are right by either way, share at the first try, at least 105 of 114" "$drawn" \
    "$(share '($4 == "right" || $5 == "right")')" "m >= 105 / 114" "$few"
check S.public_cc "the same by poise cc, at least 95 of 114" "$drawn" "$(share '($4 == "right")')" "m >= 95 / 114" "$few"
check S.public_nvcc "the same by nvcc and poise cuda, at least 95 of 114" "$drawn" "$(share '($5 == "right")')" "m >= 95 / 114" "$few"
