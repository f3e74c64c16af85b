#!/bin/bash
# Inside with_slurm.sh:  sweeps.sh POISE SOURCE. A job array of three shards with its merge, and srun --mpi=pmix where Slurm
# and the build have it, both against a plain run: the same exports.
set -euo pipefail
export POISE=$1 POISE_TRACES=$POISE_SLURM_DIR/traces ASAN_OPTIONS=detect_leaks=0
source=$2
spec=$source/experiments/specs/ci-sweep.yaml
cd "$POISE_SLURM_DIR"
"$POISE" sweep "$spec" --out plain >/dev/null 2>&1
"$POISE" store export csv --store plain/store.sqlite >plain.csv
"$source/experiments/slurm/submit.sh" "$spec" array 3 --sbatch --cpus-per-task=1 >job
for ((i = 0; i < 300; i++)); do # sbatch --wait asks only every ten seconds
    state=$(scontrol show job "$(cat job)" -o | grep -o 'JobState=[A-Z]*')
    case $state in JobState=COMPLETED) break ;; JobState=PENDING | JobState=RUNNING | JobState=COMPLETING) sleep 0.1 ;; *) break ;; esac
done
[ "$state" = JobState=COMPLETED ] || { echo "the merging job: $state"; cat poise-*.log; exit 1; }
grep -q ' 0 simulated now' poise-merge-*.log || { cat poise-*.log; exit 1; }
"$POISE" store export csv --store array/store.sqlite | cmp - plain.csv
cmp array/sweep.csv plain/sweep.csv
echo "job array of 3 shards: same export"
timeout 60 srun --mpi=none --overcommit -n 3 "$POISE" sweep "$spec" --out tasks >tasks.out 2>tasks.err || { cat tasks.err; exit 1; }
grep -q '3 tasks of srun without MPI' tasks.err || { cat tasks.err; exit 1; }
runs=$(grep -o '[0-9]* runs,' tasks.out | head -1 | grep -o '[0-9]*')
simulated=$(grep -o '[0-9]* simulated now' tasks.out | awk '{ n += $1 } END { print n }')
[ "$runs" = "$simulated" ] || { echo "$simulated runs were simulated for $runs"; cat tasks.out; exit 1; }
"$POISE" store export csv --store tasks/store.sqlite | cmp - plain.csv
echo "srun -n 3 without MPI: each run once, same export"
if srun --mpi=list 2>&1 | grep -q pmix && grep -q libmpi "$POISE"; then
    timeout 300 srun --mpi=pmix --overcommit -n 3 "$POISE" sweep "$spec" --out ranks --json >ranks.json 2>ranks.err || { cat ranks.err; exit 1; }
    grep -q '"n": 3' ranks.json || { cat ranks.json; exit 1; }
    "$POISE" store export csv --store ranks/store.sqlite | cmp - plain.csv
    echo "srun --mpi=pmix -n 3: same export"
else
    echo "no PMIx in this Slurm, or no MPI in this build: srun was not tried"
fi
