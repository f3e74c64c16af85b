# Title: One path through the caches
# One path through the caches. PRICE: the last figure of `tests/bench/requests.sh` for all launches; SAME: runs that `tests/bench/same.sh --full`
# found equal. Both take minutes; without them the old values stay.
handed K.price "instructions a line request over the evaluation launches, of those before the caches' paths became one, at most 1.05" \
    "tests/bench/requests.sh" "${PRICE:-}" "m <= 1.05" \
    "one path cost 0.038, later seams 0.017, one way of a load in every L1 0.002; schedulers and run-ahead gave 0.021 back (tests/bench/HISTORY.md)"
handed K.same "compared runs whose full statistics are those of before, of 212" "tests/bench/same.sh --full" "${SAME:-}" "m == 212" ""
