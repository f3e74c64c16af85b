#!/bin/bash
# Warp instructions of our workloads as `poise cc` and as nvcc compile them, both with -fmad=false, which their results need: program, those of poise cc, of nvcc, and
# the first by the second. The last line is the median of that ratio, by how much of nvcc's count all programs together differ, and how many
# programs differ by more than 10 %. With no names: all workloads whose kernels have __syncthreads(). Needs nvcc.
#   compilers.sh [--size test|small] [PROGRAM...]
set -euo pipefail
cd "$(dirname "$0")/../.."
size=test programs=()
while [ $# -gt 0 ]; do
    case $1 in
    --size) size=${2:?} && shift ;;
    -*) sed -n '2,5s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) programs+=("$1") ;;
    esac
    shift
done
root=$PWD bin=$PWD/build/release nvcc=${NVCC:-nvcc}
if [ ${#programs[@]} -eq 0 ]; then
    mapfile -t programs < <(grep -l '__syncthreads' datasets/kernels/*/*/kernel.cu | xargs -n 1 dirname | xargs -n 1 basename | sort)
fi
cmake --preset release >/dev/null
cmake --build --preset release --target poise "${programs[@]/#/wl_}" >/dev/null
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The workload with other PTX in the place of its own.
relink() { # PROGRAM PTX TO
    local step
    cc -DWL_PTX_FILE="\"$2\"" -c datasets/kernels/common/ptx_blob.c -o "$dir/blob.o"
    step=$(ninja -C "$bin" -t commands "wl_$1" | tail -n 1)
    step=${step//datasets\/kernels\/CMakeFiles\/wl_$1.dir\/common\/ptx_blob.c.o/$dir/blob.o}
    (cd "$bin" && eval "${step/-o datasets\/kernels\/$1/-o $3}")
}
count() { # PROGRAM COMPILER SOURCE'S FOLDER
    local ptx=$dir/$1.$2.ptx
    case $2 in
    cc) "$bin/experiments/poise" cc -ptx -arch=sm_80 -fmad=false -I datasets/kernels/common "$3/kernel.cu" -o "$ptx" ;;
    nvcc) "$nvcc" -ptx -arch=sm_80 -fmad=false -D__CUDA__ -I datasets/kernels/common "$3/kernel.cu" -o "$ptx" ;;
    esac >"$dir/log" 2>&1 || return
    relink "$1" "$ptx" "$dir/$1.$2"
    POISE_TRACE_DIR=$dir/trace "$dir/$1.$2" --size "$size" >/dev/null
    jq -s 'map(.warp_insts) | add' "$dir/trace/launches.jsonl"
    rm -r "$dir/trace"
}
for program in "${programs[@]}"; do
    source=$(dirname "$(ls "$root"/datasets/kernels/*/"$program"/kernel.cu)")
    if ! ours=$(count "$program" cc "$source") || ! theirs=$(count "$program" nvcc "$source"); then
        echo "$program: left out, one of the compilers refuses it: $(grep -m 1 error "$dir/log")" >&2
        continue
    fi
    awk -v p="$program" -v a="$ours" -v b="$theirs" 'BEGIN { printf "%-16s %12d %12d %6.3f\n", p, a, b, a / b }' | tee -a "$dir/all"
done
sort -k 4n "$dir/all" | awk '
    { r[NR] = $4; a += $2; b += $3; far += $4 > 1.1 || $4 < 0.9 }
    END { printf "median %.3f; together %+.1f %%; %d of %d programs differ by more than 10 %%\n", NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2,
          100 * (a - b) / b, far, NR }'
