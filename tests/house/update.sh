#!/bin/bash
# Puts the table of tests/goals.json into the README.
set -euo pipefail
cd "$(dirname "$0")/../.."
table=$(build/release/tests/house/goals_table)
awk -v table="$table" '/^<!-- goals:/ { print; print table; skipping = 1; next } /^<!-- \/goals -->/ { skipping = 0 } !skipping' README.md >README.md.tmp
mv README.md.tmp README.md
