#!/bin/bash
# What a line request costs where L1 is a tag-split cache, over a plain one: instructions within gpu_tick_at in the first cycles of launches with much
# and with little locality, divided by the line requests of the same runs; a row a launch, and the geometric mean of all. Counts, not seconds.
#   organisations.sh [POISE]                 fails (exit code 1) above MOST
#   ORGANISATION=tsc CYCLES=6000 MOST=1.5    which, of how many core cycles, and the most that it may cost
set -euo pipefail
cd "$(dirname "$0")/../.."
poise=${1:-build/release/experiments/poise} organisation=${ORGANISATION:-tsc} cycles=${CYCLES:-6000} most=${MOST:-1.5}
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cost() { # kernel, launch, organisation: instructions a line request
    local n requests
    n=$({ valgrind --tool=callgrind --toggle-collect=gpu_tick_at --callgrind-out-file=/dev/null "$poise" sim --kernel "$1" --launch "$2" \
        --config fermi15-tsc --set "l1.organisation=$3" --threads 1 --max-cycles "$cycles" --json 2>&1 >"$dir/$1.$3" || true; } |
        awk '/I +refs:/ {gsub(",", "", $NF); print $NF}')
    requests=$(awk '/"line_requests"/ {gsub(",", "", $NF); print $NF; exit}' "$dir/$1.$3")
    [ "${n:-0}" -gt 0 ] && [ "${requests:-0}" -gt 0 ] || { echo "$1 with l1.organisation=$3: no count" >&2; return 1; }
    awk -v n="$n" -v r="$requests" 'BEGIN {printf "%.1f\n", n / r}'
}

for launch in mvt-batched/0 bfs-words/8 kmeans-rows/0 spmv/0 stencil/0 streamcluster/0; do
    echo "$launch $(cost "${launch%/*}" "${launch#*/}" plain) $(cost "${launch%/*}" "${launch#*/}" "$organisation")"
done | awk -v name="$organisation" '
    {printf "%-16s plain %7.1f  %s %7.1f  ratio %.3f\n", $1, $2, name, $3, $3 / $2; s += log($3 / $2); n++}
    END {if (n) printf "%-16s %.3f\n", "all", exp(s / n)}' | tee "$dir/now"
awk -v most="$most" '$1 == "all" {got = $2} END {if (!got || got > most) {print "above " most; exit 1}}' "$dir/now"
