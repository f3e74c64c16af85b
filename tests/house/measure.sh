#!/bin/bash
# Measures goals and writes tests/goals.json, then the tables of tests/GOALS.md and the README:
#   measure.sh [ISSUE...]   (none: all of them)
# Each issue's rows are in goals/ISSUE.sh, in its letter's order; the rows of issues not named stay as they are. Needs a release
# build, and for A results/quickstart (experiments/quickstart.sh). What takes long is measured by its own command and handed
# in by a variable that the file names; without it the old value stays.
set -euo pipefail
cd "$(dirname "$0")/../.."
poise=build/release/experiments/poise profile=results/quickstart/profile.csv summary=results/quickstart/summary.json
old=tests/goals.json rows=() today=$(date +%F)

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
# Studies that stand beside a paper. STUDIES: a folder with ID.json for every study that `poise repro ID --mode quick --json` has printed (seconds to
# minutes of processor time each); without it the old values stay. The figure is met where the row's direction, order and magnitude are the paper's.
study() { # id, label: the row's own value
    [ -n "${STUDIES:-}" ] && [ -s "$STUDIES/$1.json" ] || return 0
    jq -r --arg name "$2" '.rows[] | select(.label == $name) | .ours' "$STUDIES/$1.json" | head -1
}
answers() { # study, label: 1 where the row is met, else 0, and which of the three it misses
    [ -n "${STUDIES:-}" ] && [ -s "$STUDIES/$1.json" ] || return 0
    jq -r --arg name "$2" 'first(.rows[] | select(.label == $name)) | "\(if .met then 1 else 0 end) \([("direction", "order", "magnitude") as $a
        | select(.[$a] | not) | $a] | join(", "))"' "$STUDIES/$1.json"
}
beside() { # row's id, study, label, what, the paper's figure, why not where it is not met
    local met misses
    read -r met misses <<<"$(answers "$2" "$3")"
    handed "$1" "$4 (paper: $5)" "poise repro $2 --mode quick --json" "$(study "$2" "$3")" "m == m && ${met:-0} == 1" "${misses:+not $misses.${6:+ }}${6:-}"
}
gains() { # row's id, study, label, what, why not: where the paper states a gain and no figure, the sign alone can be asked
    handed "$1" "$4 (the paper states a gain, no figure)" "poise repro $2 --mode quick --json" "$(study "$2" "$3")" "m > 0" "${5:-}"
}

for file in tests/house/goals/*.sh; do
    issue=$(basename "$file" .sh)
    if [ $# -eq 0 ] || [[ " $* " == *" $issue "* ]]; then . "$file"; else keep_issue "$issue"; fi
done

{
    printf '{\n "schema": 1,\n "goals": [\n'
    for i in "${!rows[@]}"; do printf '%s%s\n' "${rows[$i]}" "$([ "$i" -lt $((${#rows[@]} - 1)) ] && echo ,)"; done
    printf ' ]\n}\n'
} >"$old.tmp"
mv "$old.tmp" "$old"
tests/house/update.sh
