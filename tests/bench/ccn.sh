#!/bin/bash
# What the Cooperative Caching Network costs a run: instructions within gpu_tick_at a line request, with it over without it, in the first cycles of
# eight launches on fermi15 (size small), over all of them together as in requests.sh. The goal is at most 1.3.
#   ccn.sh [POISE]    a row a launch (instructions a line request under gto, ccn,throttle=0 and ccn), and the two ratios over all
#   CYCLES=12000: how many core cycles of each launch; JOBS=2: at a time
set -euo pipefail
cd "$(dirname "$0")/../.."
poise=${1:-build/release/experiments/poise} cycles=${CYCLES:-12000}
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

one() { # launch, stack: its row
    local json=$dir/${1/\//.}.${2//[,=]/.} n requests
    n=$({ valgrind --tool=callgrind --toggle-collect=gpu_tick_at --callgrind-out-file=/dev/null "$poise" sim --kernel "${1%/*}" --launch "${1#*/}" \
        --config fermi15 --mech "$2" --size small --threads 1 --max-cycles "$cycles" --json 2>&1 >"$json" || true; } |
        awk '/I +refs:/ {gsub(",", "", $NF); print $NF}')
    requests=$(awk '/"line_requests"/ {gsub(",", "", $NF); print $NF; exit}' "$json")
    [ "${n:-0}" -gt 0 ] && [ "${requests:-0}" -gt 0 ] || { echo "$1 $2: no count" >&2; return 1; }
    echo "$1 $2 $n $requests"
}
export -f one
export poise cycles dir
for launch in cfd/1 cutcp/0 hotspot/0 b+tree/0 srad2/0 lud/1 mvt-batched/0 syr2k-panel/0; do
    printf '%s %s\n' "$launch" gto "$launch" ccn,throttle=0 "$launch" ccn
done | xargs -P "${JOBS:-2}" -L1 bash -c 'set -euo pipefail; one "$0" "$1"' | sort |
    awk '{n[$2] += $3; r[$2] += $4; each[$1] = each[$1] sprintf("  %s %.0f", $2, $3 / $4); rows++}
    END {if (rows != 24) exit 1
         for (l in each) printf "%-10s%s\n", l, each[l] | "sort"
         close("sort"); base = n["gto"] / r["gto"]
         printf "all: ccn,throttle=0 %.3f, ccn %.3f times a line request without it\n", n["ccn,throttle=0"] / r["ccn,throttle=0"] / base, n["ccn"] / r["ccn"] / base}'
