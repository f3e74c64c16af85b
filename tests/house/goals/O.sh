# Studies of elastic caches (STUDIES, measure.sh).
beside O.nw elastic-11 "nw, L1 elastic over sector" "nw, gain of an elastic L1, %" 20
beside O.bfs elastic-11 "bfs, L1 elastic over sector" "bfs, gain of an elastic L1, %" 5
beside O.losers elastic-11 "mean of backprop, heartwall, kmeans, nn, streamcluster" "mean gain of five benchmarks that lose, %" -6.2
beside O.winners elastic-11 "mean of hotspot, lud, pathfinder, srad" "mean gain of four benchmarks that gain, %" 1
beside O.titanx_nw elastic-15 "nw, L1 elastic over sector" "nw on TITAN X, %" 10
beside O.titanx_bfs elastic-15 "bfs, L1 elastic over sector" "bfs on TITAN X, %" 5 \
    "four probes of an access walk two banks there: on launch 8, 4 % fewer instructions with two banks and 28 % more with four"
