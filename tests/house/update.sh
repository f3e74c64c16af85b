#!/bin/bash
# Puts the table of tests/goals.json into tests/GOALS.md, and its rows on accuracy and speed into the README; draws the machine's picture anew.
set -euo pipefail
cd "$(dirname "$0")/../.."
put() { # what goals_table prints, between a page's two markers: put PAGE [--brief]
    local page=$1 table
    table=$(build/release/tests/house/goals_table "${@:2}")
    awk -v table="$table" '
        /^<!-- goals/ { print; print table; skipping = 1; next }
        /^<!-- \/goals -->/ { skipping = 0 }
        !skipping' "$page" >"$page.tmp"
    mv "$page.tmp" "$page"
}
put tests/GOALS.md
put README.md --brief
tests/house/machine_picture.sh
