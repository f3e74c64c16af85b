#!/usr/bin/env bash
# The training benchmark of models/ladder.md: eight launches of gco, pvr, ccl and twelve synthetic ones with optima from (1,1) to all
# warps. For each, the cycles of GTO, of its best static tuple (found on the grid's diagonal and around its best), and of the stacks given.
# The static tuples below are the best of model version 2; under another version the last column is against these, not against the best.
# usage: experiments/best-training.sh [--only REGEX] MECH...      e.g. experiments/best-training.sh ladder 'ladder,price=0'
set -euo pipefail
cd "$(dirname "$0")/.."
poise=${POISE:-build/release/experiments/poise}
only=.
if [ "${1:-}" = --only ]; then only=$2; shift 2; fi
[ $# -gt 0 ] || { sed -n '2,5p' "$0"; exit 2; }
traces=results/best-training

# name, best static tuple N p (0: all warps), then the workload with size, input and launch, or the knobs of `poise trace synth`
launches() { cat <<'LIST'
gco-0-0 4 4 gco 0 0
gco-2-2 4 4 gco 2 2
gco-5-0 2 2 gco 5 0
pvr-0-0 3 3 pvr 0 0
pvr-3-0 4 4 pvr 3 0
pvr-8-0 1 1 pvr 8 0
ccl-0-0 4 4 ccl 0 0
ccl-5-0 3 3 ccl 5 0
synth-01 2 2 blocks=272 divergence=8 distance=32 working_set=64 reuse=8 in=19 seed=3 shared=0
synth-02 1 1 blocks=256 divergence=16 distance=64 working_set=64 reuse=8 in=19 seed=4 shared=0
synth-04 5 3 blocks=272 divergence=4 distance=16 working_set=64 reuse=8 in=20 seed=6 shared=0
synth-05 3 3 blocks=300 divergence=8 distance=16 working_set=64 reuse=8 in=26 seed=7 shared=0
synth-06 6 5 blocks=272 divergence=4 distance=8 working_set=64 reuse=8 in=26 seed=8 shared=0
synth-08 0 0 blocks=320 divergence=2 distance=4 working_set=64 reuse=6 in=40 seed=10 shared=0
synth-09 2 1 blocks=272 phases=2 divergence=16,4 distance=64,8 working_set=64,32 reuse=6,6 in=24,24 seed=11 shared=0
synth-10 4 2 blocks=272 phases=2 divergence=4,8 distance=8,32 working_set=64,32 reuse=4,8 in=24,20 seed=12 shared=0
synth-12 2 1 blocks=272 divergence=8 distance=32 working_set=64 reuse=8 in=19 seed=14 shared=2 sharers=8
synth-13 2 1 blocks=544 warps=4 divergence=8 distance=48 working_set=48 reuse=10 in=18 seed=15 shared=0
synth-14 1 1 blocks=288 warps=6 divergence=32 distance=32 working_set=64 reuse=8 in=36 seed=16 shared=0
synth-16 2 1 blocks=256 divergence=16 distance=96 working_set=96 reuse=6 in=17 seed=18 shared=0
LIST
}

cycles() { "$poise" sim "${from[@]}" --mech "$1" --threads 1 --json | grep -o '"core_cycles": *[0-9]*' | head -1 | grep -o '[0-9]*$'; }

printf '%-9s %8s %8s' launch gto best
printf ' %s' "$@"
echo "   (cycles; then best / policy)"
launches | while read -r name N p what; do
    [[ $name =~ $only ]] || continue
    if [[ $name == synth-* ]]; then
        mkdir -p "$traces"
        # shellcheck disable=SC2086
        [ -f "$traces/$name.ptrace" ] || "$poise" trace synth $what -o "$traces/$name.ptrace" >/dev/null
        from=(--trace "$traces/$name.ptrace")
    else
        read -r kernel input launch <<<"$what"
        from=(--kernel "$kernel" --size small --input "$input" --launch "$launch")
    fi
    best=$(cycles "tuple,N=$N,p=$p")
    row=$(printf '%-9s %8s %8s' "$name" "$(cycles gto)" "$best")
    for mech in "$@"; do
        c=$(cycles "$mech")
        row+=" $c $(awk "BEGIN { printf \"%.3f\", $best / $c }")"
    done
    echo "$row"
done
