# Title: Elastic caches (ELASTIC)
# Studies of elastic caches, from experiments/results/studies.csv (measure.sh).
beside O.nw elastic-11 "nw, L1 elastic over sector" "nw, gain of an elastic L1, %" 20 "with an L1 of any size 1.5 % of accesses hit"
beside O.bfs elastic-11 "bfs, L1 elastic over sector" "bfs, gain of an elastic L1, %" 5 "our bfs fits into L1"
beside O.losers elastic-11 "mean of backprop, heartwall, kmeans, nn, streamcluster" "mean gain of five benchmarks that lose, %" -6.2
beside O.winners elastic-11 "mean of hotspot, lud, pathfinder, srad" "mean gain of four benchmarks that gain, %" 1
beside O.titanx_nw elastic-15 "nw, L1 elastic over sector" "nw on TITAN X, %" 10
beside O.titanx_bfs elastic-15 "bfs, L1 elastic over sector" "bfs on TITAN X, %" 5 \
    "with as many arrays of chunk tags as L1 has banks, two, -7.6 %"
beside O.nw_both elastic-11 "nw, L1 and L2 elastic over sector" "nw, gain with L1 and L2 elastic, %" 15
handed O.nw_clusters "nw, clusters with which an elastic L1 gains most, as in the paper: 40" "poise repro elastic-13 --mode quick --json" \
    "$(study elastic-13 "nw, clusters with which an elastic L1 gains most")" "m == 40" "numbers of clusters differ by less than 0.4 %"
handed O.bfs_clusters "bfs, clusters with which an elastic L1 gains most, as in the paper: 20" "poise repro elastic-13 --mode quick --json" \
    "$(study elastic-13 "bfs, clusters with which an elastic L1 gains most")" "m == 20" "the cause is not known"
beside O.nw_locked elastic-17 "nw, locked in flight at a low threshold (p50), over sector" "nw, gain of L2 lockdown at a low threshold, %" 2
