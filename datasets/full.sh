#!/usr/bin/env bash
# Runs every workload once at size full, without recording, and compares its results with the CPU reference:  datasets/full.sh [SECONDS] [NAME...]
# Each may take SECONDS of processor time (default 600). A line a workload; the last one: how many agree, of how many. Needs a release build.
set -uo pipefail
cd "$(dirname "$0")/.."
limit=${1:-600} agree=0 all=0
shift || true
[ $# -gt 0 ] || set -- $(sed -n 's/^  - {name: [^,]*-many,.*//; /set: variant/d; s/^  - {name: .* program: \([^,]*\),.*/\1/p' datasets/kernels/list.yaml)
out=$(mktemp) used=$(mktemp)
trap 'rm -f "$out" "$used"' EXIT
TIMEFORMAT=%U
for name; do
    { time { (ulimit -t "$limit"; "build/release/datasets/kernels/$name" --size full) >"$out" 2>&1; }; } 2>"$used"
    all=$((all + 1))
    if grep -q "agree with the CPU reference" "$out"; then
        agree=$((agree + 1))
        printf '%-16s %6.1f s  %s\n' "$name" "$(tail -1 "$used")" "$(sed -n 's/.*: size full[^:]*: //p' "$out")"
    else
        printf '%-16s not finished, or wrong: %s\n' "$name" "$(tail -1 "$out")"
    fi
done
echo "$agree of $all"
