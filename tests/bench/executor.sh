#!/bin/bash
# How fast the executor records, program by program, the slowest first: warp instructions, then millions of them for each second of CPU time in
# ptx_run, and the same with trace_writer_finish (compressing and writing the trace); page faults in ptx_run. The most of several runs counts, since other
# processes only take away. With several threads it is the time that passes (--clock wall), which says little where other processes use the processors;
# --clock cpu is then the CPU time of the thread that launches: what is left of a launch where all others keep up. The last line is the slowest
# program alone.
#   executor.sh [--size test|small|full] [--reps N] [--threads N] [--clock cpu|wall] [PROGRAM...]     size small, 3 runs, 1 thread, all programs
set -euo pipefail
cd "$(dirname "$0")/../.."
size=small reps=3 threads=1 clock= programs=()
while [ $# -gt 0 ]; do
    case $1 in
    --size) size=${2:?} && shift ;;
    --reps) reps=${2:?} && shift ;;
    --threads) threads=${2:?} && shift ;;
    --clock) clock=${2:?} && shift ;;
    -*) sed -n '2,7s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) programs+=("$1") ;;
    esac
    shift
done
bin=build/release/tests/bench
cmake --preset release >/dev/null
cmake --build --preset release --target bench >/dev/null
if [ ${#programs[@]} -eq 0 ]; then mapfile -t programs < <(find "$bin" -maxdepth 1 -name 'clocked_*' -type f -printf '%f\n' | sed 's/^clocked_//' | sort); fi
if [ "$threads" -eq 1 ]; then clock=${clock:-cpu}; else clock=${clock:-wall}; fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for program in "${programs[@]}"; do
    for ((r = 0; r < reps; r++)); do
        rm -rf "$dir/traces" "$dir/clock"
        mkdir "$dir/traces"
        POISE_THREADS=$threads POISE_CLOCK=$clock POISE_TRACE_DIR=$dir/traces POISE_CLOCK_FILE=$dir/clock "$bin/clocked_$program" --size "$size" >"$dir/log" 2>&1 ||
            { echo "$program failed:" && cat "$dir/log"; } >&2
        [ -s "$dir/clock" ] || { echo "$program left no times" >&2 && exit 1; }
        cat "$dir/clock"
    done | awk -v name="$program" '
        NR == 1 || $2 < run { run = $2 }
        NR == 1 || $2 + $3 < whole { whole = $2 + $3 }
        NR == 1 || $4 < faults { faults = $4 }
        { n = $1 }
        END { printf "%-16s %10d warp instructions  %6.1f M/s recording  %6.1f M/s to disk  %8d page faults\n", name, n, n / run / 1e6, n / whole / 1e6, faults }'
done | sort -k5,5n >"$dir/table"
cat "$dir/table"
awk 'NR == 1 {print "slowest", $1, $5}' "$dir/table"
