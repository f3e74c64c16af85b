#!/bin/bash
# What a line request costs: instructions within gpu_tick_at in the first cycles of the eleven evaluation launches (kepler32, GTO, size small), divided by the
# line requests of the same runs; one row a launch, one for all of them together. Counts, not seconds, so that a busy machine says the same as an idle
# one; they belong to a compiler, so each has its rows in requests.txt.
#   requests.sh [POISE]            measures and compares with the rows on record; above 5 % more over all launches is a regression (exit code 1)
#   requests.sh --write [POISE]    writes this compiler's rows anew
#   COMPILER=GNU-12                whose rows; CYCLES=12000: how many core cycles of each launch
set -euo pipefail
cd "$(dirname "$0")/../.."
record=tests/bench/requests.txt poise=build/release/experiments/poise compiler=${COMPILER:-GNU-$(gcc -dumpversion)} cycles=${CYCLES:-12000} write=
while [ $# -gt 0 ]; do
    case $1 in
    --write) write=1 ;;
    -*) sed -n '2,7s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) poise=$1 ;;
    esac
    shift
done
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

one() { # launch: its row
    local launch=$1 n requests
    n=$({ valgrind --tool=callgrind --toggle-collect=gpu_tick_at --callgrind-out-file=/dev/null "$poise" sim \
        --kernel "${launch%/*}" --launch "${launch#*/}" \
        --size small --threads 1 --max-cycles "$cycles" --json 2>&1 >"$dir/${launch/\//.}" || true; } | awk '/I +refs:/ {gsub(",", "", $NF); print $NF}')
    requests=$(awk '/"line_requests"/ {gsub(",", "", $NF); print $NF; exit}' "$dir/${launch/\//.}")
    [ "${n:-0}" -gt 0 ] && [ "${requests:-0}" -gt 0 ] || { echo "$launch: no count" >&2; return 1; }
    echo "$compiler $launch $cycles $n $requests"
}
export -f one
export poise compiler cycles dir
printf '%s\n' mvt-batched/0 atax-batched/0 bicg-batched/1 gsmv-batched/0 syrk-panel/0 syr2k-panel/0 mm/4 ii/0 ss/1 bfs-words/8 kmeans-rows/0 | xargs -P "${JOBS:-2}" -I{} bash -c 'set -euo pipefail; one {}' | sort |
    awk '{n += $4; r += $5; printf "%s %s %s %.0f %.0f %.1f\n", $1, $2, $3, $4, $5, $4 / $5; c = $1; y = $3} END {printf "%s all %s %.0f %.0f %.1f\n", c, y, n, r, n / r}' >"$dir/now"
[ "$(wc -l <"$dir/now")" = 12 ] || { echo "some launch gave no count"; exit 1; }
if [ -n "$write" ]; then
    { echo "# compiler, launch, core cycles, instructions, line requests, instructions a line request (requests.sh)"
      { grep -v "^#\|^$compiler " "$record" 2>/dev/null || true; cat "$dir/now"; } | sort; } >"$dir/record"
    mv "$dir/record" "$record"
    exit 0
fi
awk -v c="$compiler" 'NR == FNR {if ($1 == c) {was[$2] = $6; cycles[$2] = $3}; next}
    !($2 in was) || cycles[$2] != $3 {print $2 ": not on record"; next}
    {printf "%-10s %8.1f instructions a line request, %.3f of those on record\n", $2, $6, $6 / was[$2]; if ($2 == "all") failed = $6 > 1.05 * was[$2]}
    END {exit failed}' "$record" "$dir/now"
