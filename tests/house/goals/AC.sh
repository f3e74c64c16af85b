# Bought parts. THRUST: the last line of `tests/bench/thrust.sh` (minutes; it needs nvcc); without it the old value stays.
handed AC.thrust "programs with Thrust and CUB whose kernels, launches and, within 10 %, warp instructions by poise cc are nvcc's, of five" \
    "tests/bench/thrust.sh" "$(sed -n 's/^.*order, \([0-9]*\) have warp.*$/\1/p' <<<"${THRUST:-}")" "m >= 5" \
    "kernels and launches are the same in all five"
