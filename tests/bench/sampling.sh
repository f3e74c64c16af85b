#!/bin/sh
# Whole programs of ours, exactly and from samples under six policies: errors, intervals that hold, share of the work,
# regret. Some five minutes of processor time where results/sampling.sqlite does not have the exact runs yet.
#   sampling.sh [ERROR [SEEDS [full]]]        from the checkout's folder, release preset built
# full: programs at size full, half an hour of processor time.
#
# Cases that samplers get wrong, by name: bfs and bfs-words (a frontier that grows and shrinks), gaussian, lud and
# dwt2d (one kernel, many sizes), gco and listrank (loops as long as the data say), pagerank, km and myocyte
# (phases), pvr, ii and hashjoin (atomics); hotspot, fft, 2dconv, mvt and covariance have few, long launches.
set -e
programs="gaussian nw lud nw-batched bfs gco:small:1 gco:small:3 km dwt2d particlefilter myocyte fdtd2d leukocyte
bfs-words hashjoin:eval forest:eval covariance:eval mvt-batched:eval fft pagerank:eval listrank:eval mvt:eval
ii:eval hotspot-large pvr:eval:1 pvr:eval:0 bfs-words:eval 2dconv:eval fft:eval"
[ "${3:-}" = full ] && programs="srad2:full vectoradd:full b+tree:full 2dconv:full hotspot:full backprop:full histo:full
reduction:full sad:full pathfinder:full"
exec build/release/tests/bench/sampling "${1:-0.02}" "${2:-20}" $programs
