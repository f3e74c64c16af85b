#!/bin/bash
# How fast the simulator and the executor are: one table, kernel by kernel, then the reference's cases, the suite's traces and sweeps, then
# the ratios to the table of the last landing (last.json).  [--json] [--size test|small|full] [--reps N] [KERNEL...]
# With kernels named, those alone. --keep writes the table to last.json.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset release >/dev/null
cmake --build --preset release --target bench >/dev/null
args=() kernels=() keep=
while [ $# -gt 0 ]; do
    case $1 in
    --keep) keep=1 ;;
    --size | --reps) args+=("$1" "$2") && shift ;;
    --*) args+=("$1") ;;
    *) kernels+=("$1") ;;
    esac
    shift
done
[ ${#kernels[@]} -gt 0 ] || args+=(--all)
if [ -n "$keep" ]; then
    build/release/tests/bench/poise_bench --json "${args[@]}" ${kernels[@]+"${kernels[@]}"} >tests/bench/last.json.tmp
    mv tests/bench/last.json.tmp tests/bench/last.json
    exec cat tests/bench/last.json
fi
[ ! -e tests/bench/last.json ] || args+=(--last tests/bench/last.json)
exec build/release/tests/bench/poise_bench "${args[@]}" ${kernels[@]+"${kernels[@]}"}
