#!/bin/bash
# Puts the table of all studies into experiments/STUDIES.md:  studies.sh DIR, as 'poise repro --all --out DIR' left it.
set -euo pipefail
dir=$(realpath "$1")
cd "$(dirname "$0")/../.."
page=experiments/STUDIES.md
table=$(for file in $(ls "$dir"/*.json | sort -V); do
    # Statements are either one object a line or one key a line, the text before the verdict.
    sed -nE 's/^ *"(id|title)": "(.*)",?$/\1\t\2/p; s/^ *\{?"text": "(.*)", "holds": (true|false)\}?,?$/\2\t\1/p; s/^ *"text": "(.*)",$/text\t\1/p; s/^ *"holds": (true|false),?$/holds\t\1/p' "$file" |
        awk -F'\t' '
            $1 == "id" && !id { id = $2 }
            $1 == "title" && !title { title = $2 }
            $1 == "text" { text = $2 }
            $1 == "holds" { all++; if ($2 == "true") held++; else no = no (no ? "; " : "") text }
            $1 == "true" { all++; held++ }
            $1 == "false" { all++; no = no (no ? "; " : "") $2 }
            END { printf "| `%s` | %s | %d of %d | %s |\n", id, title, held, all, no }'
done)
awk -v table="$table" '
    /^<!-- studies: begin -->/ { print; print "| study | figure | statements that hold | those that do not |"; print "| --- | --- | --- | --- |"; print table; skipping = 1; next }
    /^<!-- studies: end -->/ { skipping = 0 }
    !skipping' "$page" >"$page.tmp"
mv "$page.tmp" "$page"
