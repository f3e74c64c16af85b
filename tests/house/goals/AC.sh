# Title: Libraries in place of own code, and the files that a change takes
# Bought parts. THRUST: the last line of `tests/bench/thrust.sh` (minutes; it needs nvcc); without it the old value stays.
handed AC.thrust "programs with Thrust and CUB whose kernels, launches and, within 10 %, warp instructions by poise cc are nvcc's, of five" \
    "tests/bench/thrust.sh" "$(sed -n 's/^.*order, \([0-9]*\) have warp.*$/\1/p' <<<"${THRUST:-}")" "m >= 5" \
    "kernels and launches are the same in all five"
# REQUESTS: the number in the line `all` of `tests/bench/requests.sh`. FILES: the most files of the three changes that
# sim/gpu/READ_ME_FIRST.md counts ('What a change takes').
handed AC.requests "instructions a line request over those before caches, queues, L1 and DRAM were rebuilt (4,256.4): at most 1.03" \
    "tests/bench/requests.sh" "$(awk -v now="${REQUESTS:-}" 'BEGIN {if (now) printf "%.3f", now / 4256.4}')" "m <= 1.03" "eleven evaluation launches, kepler32, GTO"
handed AC.files "files that SRRIP in L1, HBM3 with pseudo-channels or a prefetcher of L1 takes: at most 4" \
    "sed -n '/What a change takes/,/Hooks that exist/p' sim/gpu/READ_ME_FIRST.md" "${FILES:-}" "m <= 4" "each was written on a branch of its own; the seams are there"
