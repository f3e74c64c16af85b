#!/bin/bash
# What two shortcuts of sweeps save and what they cost: runs that end early (limits: early_end) against whole runs, launch by launch, and
# sweep --only-best against whole grids of tuples (profiled launches of size test).  shortcuts.sh [--size S] [--eps "0.02 0.05"] [DIR]
# Leaves DIR/early.csv (kernel, stack, share, cycles, estimate, error, what was claimed, share simulated) and prints the means.
# Default DIR: results/shortcuts; whole runs that it has are not simulated again.
set -euo pipefail
cd "$(dirname "$0")/../.."
poise=build/release/experiments/poise size=small eps="0.02 0.05" dir=results/shortcuts
while [ $# -gt 0 ]; do
    case $1 in
    --size) size=$2 && shift ;;
    --eps) eps=$2 && shift ;;
    *) dir=$1 ;;
    esac
    shift
done
mkdir -p "$dir"
evaluation="{name: mvt, launches: [0]}, {name: atax, launches: [0]}, {name: bicg, launches: [1]}, {name: gsmv, launches: [0]}, {name: syrk, launches: [0]},
  {name: syr2k, launches: [0]}, {name: mm, launches: [4]}, {name: ii, launches: [0]}, {name: ss, launches: [1]}, {name: bfs, launches: [12]}, {name: kmeans, launches: [0]}"
training="{name: gco, launches: [0]}, {name: pvr, launches: [0]}, {name: ccl, launches: [0]}"
spec() { # name, kernels, stacks, limits
    printf 'schema: 1\nkind: sweep\nname: %s\nsize: %s\nkernels: [%s]\nconfig: kepler32\nstacks:\n%s\n%s\n' "$1" "$size" "$2" "$3" "${4:+limits: $4}" >"$dir/$1.yaml"
}
two="  - gto
  - tuple,N=6,p=2"
sweep() { # name [options]: a store for each name
    "$poise" sweep "$dir/$1.yaml" --out "$dir/$1" --threads 1 "${@:2}" >/dev/null
}
seconds() { "$poise" store query "SELECT total(seconds), total(json_extract(stats, '\$.core_cycles')) FROM runs" --store "$dir/$1/store.sqlite" | tail -1; }

spec whole "$evaluation, $training" "$two" ""
sweep whole
cut() { "$poise" store query "SELECT traces.workload || '.' || traces.input || '/' || traces.launch || ' ' || json_extract(mechs, '\$[0].name') AS run,
    json_extract(stats, '\$.core_cycles') AS cycles, coalesce(json_extract(limits, '\$.estimated_cycles'), 0) AS estimate,
    coalesce(json_extract(limits, '\$.estimate_error'), 0) AS error, seconds FROM runs JOIN traces ON traces.hash = runs.trace ORDER BY run" --store "$dir/$1/store.sqlite"; }
cut whole >"$dir/whole.csv"
echo "run,eps,cycles,estimate,error,claimed,simulated" >"$dir/early.csv"
for e in $eps; do
    spec "early-$e" "$evaluation, $training" "$two" "{early_end: $e}"
    sweep "early-$e"
    cut "early-$e" >"$dir/early-$e.csv"
    awk -F, -v e="$e" 'FNR == 1 {next} NR == FNR {full[$1] = $2; next}
        {print $1 "," e "," full[$1] "," ($3 > 0 ? $3 : $2) "," ($3 > 0 ? $3 / full[$1] - 1 : 0) "," $4 "," $2 / full[$1]}' \
        "$dir/whole.csv" "$dir/early-$e.csv" >>"$dir/early.csv"
done
awk -F, 'NR > 1 {n[$2]++; s[$2] += $7; if ($7 < 1) {k[$2]++; a = $5 < 0 ? -$5 : $5; m[$2] += a; if (a > w[$2]) {w[$2] = a; at[$2] = $1}
        if (a <= $6) c[$2]++; t[$2] += $5}}
    END {for (e in n) printf "early_end %s: %d of %d runs end early; cycles simulated %.3f of all, mean error of those %.4f (bias %+.4f), worst %.4f (%s); inside their interval: %d\n",
        e, k[e], n[e], s[e] / n[e], k[e] ? m[e] / k[e] : 0, k[e] ? t[e] / k[e] : 0, w[e], at[e], c[e]}' "$dir/early.csv" | sort

# Every tuple, and the 21 of a coarse grid, at size test: the whole grids have to be simulated to compare.
size=test
profiled=$(sed -E 's/launches: \[[0-9]+\]/launches: profiled/g' <<<"$evaluation")
compare() { # name, values of N and p, words
    spec "$1" "$profiled" "  - mech: tuple
    axes: {N: $2, p: $2}
    where: p <= N" ""
    sed "s/name: $1/name: $1-best/" "$dir/$1.yaml" >"$dir/$1-best.yaml"
    sweep "$1"
    sweep "$1-best" --only-best
    cmp "$dir/$1/best.csv" "$dir/$1-best/best.csv"
    awk -v a="$(seconds "$1")" -v b="$(seconds "$1-best")" -v what="$3" 'BEGIN {split(a, x, ","); split(b, y, ",");
        printf "only-best, %s: the same best tuples; cycles simulated %.3f of all, seconds %.3f of all\n", what, y[2] / x[2], y[1] / x[1]}'
}
compare coarse "[1, 2, 4, 8, 16, 24]" "21 tuples"
compare all "{from: 1, to: 24}" "300 tuples"
