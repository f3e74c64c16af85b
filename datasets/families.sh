#!/usr/bin/env bash
# Records the launches of datasets/FAMILIES.md at size eval and writes datasets/eval.csv:  datasets/families.sh [NAME...]
# Baseline cycles are GTO's on kepler32. Sealed programs are recorded and counted, but not simulated: their cycles are those that
# `poise repro learned-lengths` left last in datasets/sealed.csv. Names behind the command: only these, and only printed. Needs a release
# build, jq and a few minutes; nothing is kept but the table.
set -euo pipefail
cd "$(dirname "$0")/.."
poise=build/release/experiments/poise
only="$*"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The launches that the registry profiles at size eval; where there are inputs, those of the first.
launches_of() { sed -nE "s/^  - \{name: $(printf %s "$1" | sed 's/[+]/\\+/g'), .*[{ ]eval: \[+([0-9, ]+)\].*/\1/p" datasets/kernels/list.yaml | tr -d ,; }

thousands() { awk -v n="$1" 'BEGIN { if (n < 1e6) printf "%.0fk", n / 1e3; else printf "%.2f M", n / 1e6 }'; }

row() { # NAME FAMILY SPLIT PROGRAM INPUT LAUNCH; INPUT is empty where the program has one alone
    local dir="$work/$1" trace info cycles=
    rm -rf "$dir"
    mkdir "$dir"
    POISE_TRACE_DIR="$dir" POISE_TRACE_MAX_LAUNCHES=$(($6 + 1)) \
        "build/release/datasets/kernels/$4" --size eval ${5:+--input "$5"} >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
    trace=$(echo "$dir/$(printf %04d "$6")"-*.ptrace)
    info=$("$poise" trace info "$trace" --json)
    if [ "$3" != sealed ]; then
        cycles=$(thousands "$("$poise" sim --trace "$trace" --config kepler32 --mech gto --json | jq .stats.core_cycles)")
    fi
    if [ "$3" = sealed ]; then
        cycles=$(sed -nE "s|^.*,learned-lengths,.*,$1/$6 at size eval under GTO,([0-9]+),,,cycles$|\1|p" datasets/sealed.csv | tail -1)
        cycles=${cycles:+$(thousands "$cycles")}
    fi
    jq -r --arg head "| $1 | $2 | $3 | $6" --arg insts "$(thousands "$(jq .warp_insts <<<"$info")")" --arg cycles "$cycles" \
        '"\($head) `\(.kernel)` | \(.ctas) x \(.block | map(select(. > 1) | tostring) | join(" x ") | if test("x") then "(\(.))" else . end) | \($insts) | \($cycles) |"' <<<"$info"
    rm -rf "$dir"
}

{
    echo "| program | family | split | profiled launch | blocks x threads | warp insts | GTO cycles |"
    echo "|---|---|---|---|---|---|---|"
    for split in development training sealed; do
        "$poise" kernels --json | jq -r --arg split "$split" \
            '.kernels[] | select(.split == $split and .profiled_launches.eval > 0) | "\(.name) \(.family) \(.split) \(.program) \(.inputs[0] // "")"' |
            while read -r name family split program input; do
                if [ -n "$only" ] && [[ " $only " != *" $name "* ]]; then continue; fi
                for launch in $(launches_of "$name"); do row "$name" "$family" "$split" "$program" "$input" "$launch" </dev/null; done
            done
    done
} >"$work/table"
if [ -n "$only" ]; then
    cat "$work/table"
    exit
fi
awk -f datasets/csv.awk "$work/table" >datasets/eval.csv
