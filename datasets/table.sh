#!/usr/bin/env bash
# Measures every workload and rewrites the table in datasets/README.md, between its two markers:  datasets/table.sh
# Needs a release build. What results/kernels.sqlite already has is not simulated again, so an interrupted run goes on.
set -euo pipefail
cd "$(dirname "$0")/.."
readme=datasets/README.md table=$(mktemp) new=$(mktemp)
trap 'rm -f "$table" "$new"' EXIT
build/release/experiments/poise kernels --table "$@" >"$table"
awk -v table="$table" '
    /^<!-- table: end -->/ { inside = 0 }
    !inside
    /^<!-- table: begin -->/ { inside = 1; while ((getline line <table) > 0) print line }
' "$readme" >"$new"
cat "$new" >"$readme"
