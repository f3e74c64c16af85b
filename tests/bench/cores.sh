#!/bin/bash
# How many times as fast one run is on several processors: `poise sim --threads 1` and `--threads N` in turn, the same bytes asked of both, and
# the median of the ratios of their seconds on the wall, with the range. For a machine on which nothing else runs.
#   cores.sh [--rounds R] [--threads N] TRACE CONFIG [POISE]     R: 7, N: 2
set -euo pipefail
rounds=7 threads=2
while [[ ${1:-} == --* ]]; do
    case $1 in
    --rounds) rounds=$2 ;;
    --threads) threads=$2 ;;
    *) sed -n '2,4p' "$0" >&2 && exit 2 ;;
    esac
    shift 2
done
trace=$1 config=$2 poise=${3:-build/release/experiments/poise}
one() { # threads: seconds and the figures' hash
    local began=$EPOCHREALTIME sum
    sum=$("$poise" sim --trace "$trace" --config "$config" --threads "$1" --json 2>/dev/null | sed -n '/^ "launches"/,$p' | sha256sum)
    awk -v a="$began" -v b="$EPOCHREALTIME" -v sum="${sum%% *}" 'BEGIN {print b - a, sum}'
}
for ((i = 0; i < rounds; i++)); do echo "$(one 1) $(one "$threads")"; done | awk '$2 != $4 {exit 1} {print $1 / $3}' | sort -n |
    awk -v n="$threads" '{r[NR] = $1} END {printf "%.2f times on %d, median of %d (%.2f to %.2f)\n", r[int((NR + 1) / 2)], n, NR, r[1], r[NR]}'
