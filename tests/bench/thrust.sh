#!/bin/bash
# Launches of programs with Thrust and CUB as `poise cc` and as nvcc compile them, both with Debian's headers: program, launches, warp
# instructions of poise cc's build, of nvcc's, and the first by the second. The last line says in how many the kernels are the same, in the same
# order, and in how many the warp instructions are within 10 %. Needs nvcc (NVCC) and jq; takes minutes.
#   thrust.sh [--build DIR] [PROGRAM.cu...]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build/release
if [ "${1:-}" = --build ]; then build=${2:?} && shift 2; fi
[ $# -gt 0 ] || set -- tests/e2e/cuda/cccl/*.cu
nvcc=${NVCC:-nvcc} dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/debian"
ln -s /usr/include/thrust /usr/include/cub "$dir/debian"
for source in "$@"; do
    program=$(basename "$source" .cu)
    "$build/experiments/poise" cc "$source" -o "$dir/ours"
    "$nvcc" -w -std=c++17 -cudart shared -gencode arch=compute_75,code=compute_75 -I "$dir/debian" "$source" -o "$dir/theirs"
    for which in ours theirs; do
        "$build/experiments/poise" cuda --trace-dir "$dir/traces" "$dir/$which" >"$dir/$which.said"
        jq -r '"\(.kernel) \(.warp_insts)"' "$dir/traces/launches.jsonl" >"$dir/$which.launches"
        rm -r "$dir/traces"
    done
    cmp "$dir/ours.said" "$dir/theirs.said"
    same=$(cmp -s <(cut -d' ' -f1 "$dir/ours.launches") <(cut -d' ' -f1 "$dir/theirs.launches") && echo 1 || echo 0)
    count() { awk '{s += $2} END {print s + 0}' "$dir/$1.launches"; }
    awk -v p="$program" -v n="$(wc -l <"$dir/ours.launches")" -v a="$(count ours)" -v b="$(count theirs)" -v same="$same" \
        'BEGIN {printf "%-10s %4d %12d %12d %6.3f%s\n", p, n, a, b, a / b, same ? "" : "  other kernels"}' | tee -a "$dir/all"
done
awk '{same += NF == 5; near += $5 >= 0.9 && $5 <= 1.1}
    END {printf "%d of %d programs have the same kernels in the same order, %d have warp instructions within 10 %%\n", same, NR, near}' "$dir/all"
