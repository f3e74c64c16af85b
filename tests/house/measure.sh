#!/bin/bash
# Measures goals and writes tests/goals.json, then the tables of tests/GOALS.md and the README:
#   measure.sh [ISSUE...]   (none: all of them)
# Each issue's rows are in goals/ISSUE.sh, whose first line has the title of the group; the rows of issues not named stay as they are. Needs a release
# build, and for A results/quickstart (experiments/quickstart.sh). What takes long is measured by its own command and handed
# in by a variable that the file names; without it the old value stays.
set -euo pipefail
cd "$(dirname "$0")/../.."
poise=build/release/experiments/poise profile=results/quickstart/profile.csv summary=results/quickstart/summary.json
old=tests/goals.json rows=() titles=() today=$(date +%F)
version=$(awk '$2 == "SIM_MODEL_VERSION" {print $3}' sim/gpu/include/poise/gpu.h)

json() { # one number out of a JSON file: json FILE key
    tr ',{}' '\n\n\n' <"$1" | awk -F: -v key="\"$2\"" '{gsub(/^[ \t]+/, "", $1)} $1 == key {gsub(/[ \t]/, "", $2); print $2; exit}'
}
row() { # id, goal, command, measured, met, reason
    rows+=("  {\"id\": \"$1\", \"goal\": \"$2\", \"command\": \"$3\", \"measured\": $4, \"met\": $5, \"reason\": \"$6\", \"date\": \"$today\"}")
}
check() { # id, goal, command, measured, comparison with the measured value as m, reason
    local met=false
    if awk -v m="$4" "BEGIN { exit !($5) }"; then met=true; fi
    row "$1" "$2" "$3" "$4" "$met" "$6"
}
keep() { # the old row of this id, whole, if there is one
    local line
    line=$(grep -F "\"id\": \"$1\"" "$old" | sed 's/,$//') || return 0
    rows+=("$line")
}
keep_issue() { # all old rows of an issue
    local line
    while read -r line; do rows+=("  ${line%,}"); done < <(grep -F "\"id\": \"$1." "$old" || true)
}
handed() { # id, goal, command, value handed in or empty, comparison, reason
    if [ -n "$4" ]; then check "$@"; else keep "$1"; fi
}
# Studies that stand beside a paper: their figures are those of experiments/results/studies.csv, of today's model version; without such a row the old
# value stays. A figure is met where the row's direction, order and magnitude are the paper's.
stored() { # study, label: the value, yes or no for direction, order, magnitude and all three, and the date; nothing if it is not stored
    awk -v study="$1" -v label="$2" -v version="$version" '
        function cells(line, out,   n, i, c, quoted) {
            for (i = n = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (c == "\"") quoted = !quoted
                else if (c == "," && !quoted) out[++n] = ""
                else out[n] = out[n] c
            }
        }
        { split("", f); cells($0, f) }
        f[1] == study && f[3] == label && f[4] == "" && f[13] == version { print f[7], f[8], f[9], f[10], f[11], f[14]; exit }' experiments/results/studies.csv
}
study() { stored "$1" "$2" | cut -d' ' -f1; }
beside() { # row's id, study, label, what, the paper's figure, why not where it is not met
    local value direction order magnitude met today=$today misses=
    read -r value direction order magnitude met today <<<"$(stored "$2" "$3")" || true
    for answer in direction order magnitude; do [ "${!answer:-}" != no ] || misses+="${misses:+, }$answer"; done
    handed "$1" "$4 (paper: $5)" "poise repro $2 --mode quick --json" "${value:-}" "\"${met:-}\" == \"yes\"" "${misses:+not $misses.${6:+ }}${6:-}"
}
gains() { # row's id, study, label, what, why not: where the paper states a gain and no figure, one percent is asked
    handed "$1" "$4 (at least 1; the paper has no figure)" "poise repro $2 --mode quick --json" "$(study "$2" "$3")" "m >= 1" "${5:-}"
}

for file in tests/house/goals/*.sh; do
    issue=$(basename "$file" .sh)
    titles+=("  \"$issue\": \"$(sed -n '1s/^# Title: //p' "$file")\"")
    if [ $# -eq 0 ] || [[ " $* " == *" $issue "* ]]; then . "$file"; else keep_issue "$issue"; fi
done

{
    printf '{\n "schema": 1,\n "groups": {\n'
    for i in "${!titles[@]}"; do printf '%s%s\n' "${titles[$i]}" "$([ "$i" -lt $((${#titles[@]} - 1)) ] && echo ,)"; done
    printf ' },\n "goals": [\n'
    for i in "${!rows[@]}"; do printf '%s%s\n' "${rows[$i]}" "$([ "$i" -lt $((${#rows[@]} - 1)) ] && echo ,)"; done
    printf ' ]\n}\n'
} >"$old.tmp"
mv "$old.tmp" "$old"
tests/house/update.sh
