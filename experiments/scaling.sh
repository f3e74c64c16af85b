#!/bin/bash
# Measures run times, and the work of rank 0 under mpirun; simulates 10^6 runs on 1,000 nodes from them; writes experiments/SCALING.md.
set -euo pipefail
cd "$(dirname "$0")/.."
poise=build/release/experiments/poise out=results/scaling file=experiments/SCALING.md
rm -rf "$out"
"$poise" sweep experiments/specs/scaling.yaml --threads 1 --out "$out"
mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 "$poise" sweep experiments/specs/scaling-messages.yaml --out "$out/ranks"
cost=$("$poise" store query "SELECT value FROM provenance WHERE name = 'coordinator_us_per_run'" --store "$out/ranks/store.sqlite" | tail -1)
{
    sed '/^<!-- figures -->$/q' "$file"
    printf '\nMeasured %s on %s, poise %s.\n' "$(date +%F)" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$("$poise" --version | cut -d' ' -f2-)"
    printf '\n## 1000 nodes\n'
    "$poise" store scaling --store "$out/store.sqlite" --nodes 1000 --threads 16 --cost "$cost"
} >"$file.tmp"
mv "$file.tmp" "$file"
