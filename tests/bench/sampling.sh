#!/bin/sh
# Whole programs of ours, exactly and from samples under six policies: errors, intervals that hold, share of the work,
# regret. Some 15 minutes of processor time without results/sampling.sqlite, which keeps the exact runs.
#   sampling.sh [ERROR [SEEDS]]        from the checkout's folder, release preset built
#
# Cases that samplers get wrong, by name: bfs and bfs-words (a frontier that grows and shrinks), gaussian, lud and
# dwt2d (one kernel, many sizes), gco, ccl and listrank (loops as long as the data say), kmeans, pagerank and myocyte
# (phases), pvr, ii and hashjoin (atomics).
set -e
programs="gaussian nw lud nw-batched bfs bfs:eval bfs-words:eval gco:eval:0 gco:eval:1 gco:eval:3 gco:eval:4 gco:eval:5
ccl:eval:1 ccl:eval:2 ccl:eval:3 ccl:eval:5 pvr:eval:0 pvr:eval:1 pvr:eval:2 ii:eval kmeans:eval hotspot:small:1
fdtd2d:eval fft:eval mvt:eval dwt2d pagerank:eval listrank:eval 2dconv:eval km particlefilter myocyte forest:eval
hashjoin:eval"
exec build/release/tests/bench/sampling "${1:-0.02}" "${2:-20}" $programs
