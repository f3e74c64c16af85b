#!/bin/bash
# What a newcomer does in the first hour: runs each command of README's section of that name in an empty folder, with no
# trace recorded before, and prints the processor seconds of each. Needs a whole build (cmake --build --preset release).
# Exit status 1 where a command fails, or where all of them take more than the limit.
#   tests/first-hour.sh [--limit SECONDS] [--list]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
limit=60
while [ $# -gt 0 ]; do
    case $1 in
    --limit) limit=${2:?--limit needs seconds}; shift 2 ;;
    --list) list=yes; shift ;;
    *) echo "tests/first-hour.sh: unknown argument '$1'; --limit SECONDS and --list are known" >&2; exit 2 ;;
    esac
done

# The lines of the code block behind the heading, each "command  # what it is".
mapfile -t steps < <(awk '/^## / {in_section = $0 == "## The first hour"}
                          in_section && /^```/ {in_block = !in_block; next}
                          in_section && in_block && NF' "$root/README.md")
[ ${#steps[@]} -ge 10 ] || { echo "README.md has no section 'The first hour' with its commands" >&2; exit 1; }
if [ -n "${list:-}" ]; then printf '%s\n' "${steps[@]}"; exit 0; fi

program=$root/build/release/experiments/poise
if [ ! -x "$program" ]; then
    echo "$program is not built: cmake --preset release && cmake --build --preset release" >&2
    exit 1
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/poise-first-hour-XXXXXX")
trap 'rm -rf "$dir"' EXIT
for path in "$root"/*; do [ "${path##*/}" = results ] || ln -s "$path" "$dir/"; done
mkdir "$dir/results"
cd "$dir"
export XDG_CACHE_HOME=$dir/cache PATH=$root/build/release/experiments:$PATH
unset POISE_TRACES POISE_KERNELS POISE_PROGRAMS POISE_CONFIGS POISE_CUDA_LIB POISE_CUDA_INCLUDE

total=0 failed=0
printf '%8s  %s\n' "CPU s" "step"
for step in "${steps[@]}"; do
    command=${step%%  #*}
    TIMEFORMAT='%U %S'
    { time bash -c "set -eo pipefail; $command" >out.txt 2>err.txt; } 2>time.txt || failed=1
    seconds=$(awk '{printf "%.2f", $1 + $2}' time.txt)
    printf '%8s  %s\n' "$seconds" "$step"
    if [ $failed -ne 0 ]; then
        tail -n 5 out.txt err.txt >&2
        echo "this command of README.md failed" >&2
        exit 1
    fi
    total=$(awk -v a="$total" -v b="$seconds" 'BEGIN {printf "%.2f", a + b}')
done
printf '%8s  all of them, %d steps; the limit is %s s\n' "$total" ${#steps[@]} "$limit"
awk -v a="$total" -v b="$limit" 'BEGIN {exit !(a <= b)}' || { echo "that is more than the limit" >&2; exit 1; }
