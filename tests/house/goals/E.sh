# Title: Speed of fits
# LEARN_MS: milliseconds of a 277 x 8 NB2 fit; LEARN_RATIO: CPU seconds of statsmodels' NB2 newton over ours, 1,000,000 x 8;
# both from one run of tests/bench/learn.sh.
handed E.nb2_small_ms "NB2, 277 x 8: under 1 ms" "tests/bench/learn.sh BUILD 277 1000000" "${LEARN_MS:-}" "m < 1" "one thread"
handed E.nb2_large_ratio "NB2, 1,000,000 x 8: at least 5 times faster in CPU time than statsmodels' newton" "tests/bench/learn.sh BUILD 277 1000000" "${LEARN_RATIO:-}" "m >= 5" "one thread, one run"
