# Title: Cooperative caching (THESIS chapter 4)
# Studies of the Cooperative Caching Network, from experiments/results/studies.csv (measure.sh).
beside P.ccn_b ccn-4.6 "mean gain, CCN-B" "gain of CCN-B where L1s share, %" 14.5
beside P.ccn_rt ccn-4.6 "mean gain, CCN-RT" "gain of CCN-RT where L1s share, %" 14.7
beside P.ideal ccn-4.6 "mean gain, ideal" "gain of ideal cooperation, %" 21.5 "ss alone gains 701 %"
beside P.little ccn-4.7 "mean gain, CCN-B" "change of CCN-B where L1s share little, %" -1.7
beside P.traffic ccn-4.8 "mean change of load misses sent to L2, CCN-RT" "change of requests from L1 to L2, %" -29 \
    "with stores -12.6, as it was counted before"
beside P.traffic_ideal ccn-4.8 "mean change of load misses sent to L2, ideal" "change of requests from L1 to L2, ideal, %" -33
# CCN_PRICE: the last figure of `tests/bench/ccn.sh`; it takes two minutes, without it the old value stays.
handed P.price "a line request with CCN-RT over one without, instructions over eight launches, at most 1.3" \
    "tests/bench/ccn.sh" "${CCN_PRICE:-}" "m <= 1.3" ""
