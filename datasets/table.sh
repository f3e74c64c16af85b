#!/usr/bin/env bash
# Measures every workload and writes datasets/workloads.csv:  datasets/table.sh
# Needs a release build. What results/kernels.sqlite already has is not simulated again, so an interrupted run goes on.
set -euo pipefail
cd "$(dirname "$0")/.."
new=$(mktemp)
trap 'rm -f "$new"' EXIT
build/release/experiments/poise kernels --table "$@" | awk -f datasets/csv.awk >"$new"
cat "$new" >datasets/workloads.csv
