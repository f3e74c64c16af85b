#!/bin/bash
# Submits a sweep as a job array of N shards and a job that merges them; prints the second job's number.
#   experiments/slurm/submit.sh SPEC DIR N [--sbatch OPTION]... [-- options of poise sweep]
# DIR and the traces (POISE_TRACES) lie on a file system that all nodes share. Where Slurm has PMIx, one job does the same with one
# store and runs given out one by one, so that nodes end together: srun --mpi=pmix -n 64 poise sweep SPEC --out DIR
set -euo pipefail
[ $# -ge 3 ] || { sed -n 's/^# \{0,1\}//p' "$0" | sed -n 1,2p >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd) spec=$1 dir=$2 n=$3 options=()
shift 3
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    [ "$1" = --sbatch ] && [ $# -ge 2 ] || { echo "submit.sh: --sbatch OPTION or -- is expected, not '$1'" >&2; exit 2; }
    options+=("$2")
    shift 2
done
[ $# -eq 0 ] || shift
[ -r "$spec" ] || { echo "submit.sh: $spec cannot be read" >&2; exit 2; }
mkdir -p "$dir"
array=$(sbatch --parsable --array="1-$n" "${options[@]}" "$here/sweep.sbatch" "$spec" "$dir" "$@")
sbatch --parsable --dependency="afterany:${array%%;*}" "${options[@]}" "$here/merge.sbatch" "$spec" "$dir" "$@"
