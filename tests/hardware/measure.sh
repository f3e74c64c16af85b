#!/bin/bash
# Measures our workloads and microbenchmarks on this machine's NVIDIA GPU, and compares a simulated machine with them:
#   measure.sh [--machine M] [--size SIZE] [-o DIR] [WORKLOAD...]
# Defaults: volta80, small, results/hardware, `microbench` and the workloads below. Needs a GPU, Nsight Compute (ncu, with the right to
# read counters) and a CUDA toolkit, for the workloads are built against the real libcuda (POISE_WORKLOADS_CUDA). Writes
# DIR/hardware.yaml, hardware.csv and hardware-cycles.svg, and the microbenchmarks' DIR/microbench/hardware.yaml. Without a GPU or ncu it
# says what it would do, and ends with status 77.
# POISE_HARDWARE_PROGRAMS=DIR: programs that are built already; POISE_HARDWARE_ONLY=1: measure, and compare nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
machine=volta80 size=small out=results/hardware
workloads=()
while [ $# -gt 0 ]; do
    case $1 in
    --machine) machine=$2 && shift 2 ;;
    --size) size=$2 && shift 2 ;;
    -o) out=$2 && shift 2 ;;
    -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0" && exit 0 ;;
    -*) echo "measure.sh: no option $1; --help lists them" >&2 && exit 2 ;;
    *) workloads+=("$1") && shift ;;
    esac
done
[ ${#workloads[@]} -gt 0 ] || workloads=(microbench vectoradd mvt atax bicg gsmv syrk kmeans bfs stencil spmv lbm sad reduction histogram)

# Our counter, and the profiler's that it is the sum of (compute capability 7.0 and later).
counters='cycles=sm__cycles_elapsed.max
warp_insts=smsp__inst_executed.sum
l1d_load_accesses=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1d_hits_and_merges=l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
l1d_misses=l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum
l1d_stores=l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
l2_read_accesses=lts__t_sectors_srcunit_tex_op_read.sum
l2_write_accesses=lts__t_sectors_srcunit_tex_op_write.sum
dram_read_sectors=dram__sectors_read.sum
dram_write_sectors=dram__sectors_write.sum
shared_requests=smsp__inst_executed_op_shared_ld.sum
shared_requests=smsp__inst_executed_op_shared_st.sum'
metrics=$(cut -d= -f2 <<<"$counters" | paste -sd,)
programs=${POISE_HARDWARE_PROGRAMS:-build/hardware/datasets/kernels}
profiler=(ncu --csv --page raw --print-units base --print-kernel-base function --clock-control base --cache-control all --metrics "$metrics")

missing=
command -v nvidia-smi >/dev/null && gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1) && [ -n "$gpu" ] ||
    missing="an NVIDIA GPU (nvidia-smi lists none)"
command -v ncu >/dev/null || missing="${missing:+$missing and }Nsight Compute (ncu)"
if [ -n "$missing" ]; then
    echo "measure.sh: this machine lacks $missing. With both it would:"
    echo "  cmake -S . -B build/hardware -G Ninja -DCMAKE_BUILD_TYPE=Release -DPOISE_WORKLOADS_CUDA=ON"
    echo "  cmake --build build/hardware --target$(printf ' wl_%s' "${workloads[@]}")"
    for name in "${workloads[@]}"; do echo "  ncu .. $programs/$name --size $size"; done
    echo "  write $out/hardware.yaml with these counters of each kernel: $(cut -d= -f1 <<<"$counters" | uniq | paste -sd' ')"
    echo "  poise validate --hardware $out --machine $machine; poise validate --microbench --hardware $out/microbench --machine $machine"
    exit 77
fi

if [ -z "${POISE_HARDWARE_PROGRAMS:-}" ]; then
    cmake -S . -B build/hardware -G Ninja -DCMAKE_BUILD_TYPE=Release -DPOISE_WORKLOADS_CUDA=ON >/dev/null
    cmake --build build/hardware --target "${workloads[@]/#/wl_}"
fi
# One program's CSV -> rows. Of microbench every launch is a row, of others every kernel, with means over its launches.
rows() { # PROGRAM < CSV
    awk -v program="$1" -v size="$size" -v counters="$counters" '
        function cells(line, into,    n, c, i, quoted, text) {
            n = 0; text = ""; quoted = 0
            for (i = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (c == "\"") quoted = !quoted
                else if (c == "," && !quoted) { into[++n] = text; text = "" }
                else text = text c
            }
            into[++n] = text
            return n
        }
        BEGIN {
            pairs = split(counters, pair, "\n")
            for (i = 1; i <= pairs; i++) { split(pair[i], half, "="); ours[i] = half[1]; theirs[i] = half[2] }
        }
        { sub(/\r$/, "") }
        /^==/ || !/^"/ { next }
        !head { n = cells($0, name); for (i = 1; i <= n; i++) column[name[i]] = i; head = 1; next }
        { n = cells($0, cell) }
        cell[column["ID"]] == "" { next } # the row of units
        {
            kernel = cell[column["Kernel Name"]]; sub(/\(.*/, "", kernel)
            launch = seen[kernel]++
            key = program == "microbench" ? kernel " " launch : kernel
            if (!(key in launches)) { order[++rows] = key; of[key] = kernel; at[key] = launch }
            launches[key]++
            for (i = 1; i <= pairs; i++) {
                value = cell[column[theirs[i]]]; gsub(/,/, "", value)
                if (value ~ /^[0-9.eE+]+$/) { sum[key, ours[i]] += value; has[key, ours[i]] = 1 }
            }
        }
        END {
            for (r = 1; r <= rows; r++) {
                key = order[r]
                if (!has[key, "cycles"]) continue
                printf "  - name: %s %s\n    program: %s\n    kernel: %s\n", program, key, program, of[key]
                printf "    size: %s\n", size
                if (program == "microbench") printf "    launches: [%d]\n", at[key]
                text = ""
                for (i = 1; i <= pairs; i++)
                    if (has[key, ours[i]] && ours[i] != ours[i - 1])
                        text = text (text == "" ? "" : ", ") ours[i] ": " sprintf("%.3f", sum[key, ours[i]] / launches[key])
                printf "    measured: {%s}\n", text
            }
        }'
}
write() { # FOLDER PROGRAM...
    local to=$1 name
    shift
    mkdir -p "$to"
    {
        printf 'kind: hardware\nschema: 1\ngpu: "%s"\nmachine: %s\n' "$gpu" "$machine"
        printf 'source: "tests/hardware/measure.sh on %s, %s"\nrows:\n' "$(date +%F)" "$(ncu --version | tail -n 1 | tr -d '"')"
        for name in "$@"; do
            echo "measure.sh: $name" >&2
            "${profiler[@]}" "$programs/$name" --size "$size" >"$to/$name.csv" || { echo "measure.sh: $name failed: $to/$name.csv" >&2 && continue; }
            rows "$name" <"$to/$name.csv"
        done
    } >"$to/hardware.yaml.tmp"
    mv "$to/hardware.yaml.tmp" "$to/hardware.yaml"
}
kernels=() micro=
for name in "${workloads[@]}"; do
    if [ "$name" = microbench ]; then micro=1; else kernels+=("$name"); fi
done
[ ${#kernels[@]} -eq 0 ] || write "$out" "${kernels[@]}"
[ -z "$micro" ] || write "$out/microbench" microbench
[ -z "${POISE_HARDWARE_ONLY:-}" ] || exit 0
poise=build/release/experiments/poise
[ ${#kernels[@]} -eq 0 ] || "$poise" validate --hardware "$out" --out "$out" --machine "$machine"
[ -z "$micro" ] || "$poise" validate --microbench --hardware "$out/microbench" --machine "$machine"
