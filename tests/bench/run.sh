#!/bin/bash
# How fast the simulator and the executor are, kernel by kernel. [--json] [--size test|small|full] [--reps N] [KERNEL...]
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset release >/dev/null
cmake --build --preset release >/dev/null
exec build/release/tests/bench/poise_bench "$@"
