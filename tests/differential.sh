#!/bin/bash
# Random machines, launches, stacks of mechanisms, warm-ups and carried caches, each run with and without skipping cycles
# and in every other way that must not matter: all give the same bytes.  differential.sh [--minutes N] [--seed S]
# First the cases that ever failed (differential/cases.txt), then random ones for N minutes (default 1) from a seed of
# the moment, which is printed: half of the time pairs of mechanisms, by contract (differential/trial.h). What fails is
# made smaller, printed as a line that runs it again and added to the cases.
# One run alone: build/release/tests/differential/differential --case 'LINE'
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=1 seed=$(date +%s)
while [ $# -gt 0 ]; do
    case $1 in
    --minutes) minutes=$2 ;;
    --seed) seed=$2 ;;
    *) sed -n 2,7p "$0" >&2 && exit 2 ;;
    esac
    shift 2
done
cases=tests/differential/cases.txt
cmake --preset release >/dev/null
cmake --build --preset release --target differential >/dev/null
half=$(awk -v m="$minutes" 'BEGIN {printf "%d", 30 * m + 0.5}') status=0
build/release/tests/differential/differential --cases $cases --add $cases --seed "$seed" --seconds "$half" || status=$?
build/release/tests/differential/differential --pairs --add $cases --seed "$seed" --seconds "$half" || status=$?
exit $status
