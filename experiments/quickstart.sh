#!/bin/bash
# Installs what is missing (Debian 12, root or sudo), builds a release and runs the main job; first it says what it will
# do and how long that takes. --plan says this and does nothing. --own-kernels: makes what CUDA programs of one's own
# need besides, which is clang, Thrust, CUB and libcu++, and our CUDA library, and runs nothing. Other arguments go to
# `poise run`.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(build-essential cmake ninja-build pkg-config libgsl-dev liblapacke-dev libopenblas-dev libsvm-dev libcmocka-dev
          libjansson-dev libyaml-dev libzstd-dev libffi-dev liblzma-dev libxxhash-dev libsqlite3-dev libnlopt-dev libjs-vega)
. experiments/install.sh
if [ "${1:-}" = --own-kernels ]; then
    install_missing "${packages[@]}" "${own_kernels_packages[@]}"
    cmake --preset release >/dev/null
    cmake --build --preset release --target own_kernels
    echo "poise cc FILE.cu -o PROGRAM, poise policies --program ./PROGRAM (build/release/experiments/poise)"
    exit 0
fi

# Processor seconds measured on one 2.9 GHz core; packages by what an archive near by needs for one.
INSTALL_S=4 BUILD_STEPS=600 BUILD_STEP_MS=300 RECORD_S=7 SIMULATE_S=88 TRAIN_S=1 EVALUATE_S=25
total=0
stage() { # name, what, seconds
    printf '  %-9s %-62s %4d s\n' "$1" "$2" "$3" >&2
    total=$((total + $3))
}
plan() {
    local cores missing steps=$BUILD_STEPS kept=1
    cores=$(nproc)
    missing=$(missing_packages "${packages[@]}" | wc -l)
    if [ -f build/release/build.ninja ] && command -v ninja >/dev/null; then
        steps=$(ninja -C build/release -n quickstart | grep -c '^\[' || true)
    fi
    [ ! -f results/quickstart/summary.json ] || kept=0
    echo "The quickstart will, on $cores processors:" >&2
    stage install "$missing of ${#packages[@]} packages, which are missing" $((missing * INSTALL_S))
    stage build "the program and its workloads, $steps steps" $((steps * BUILD_STEP_MS / 1000 / cores))
    stage record "what the warps of 35 kernel launches do" $((kept * RECORD_S / cores))
    stage simulate "31 training and 11 evaluation launches, 17 policies (N, p) each" $((kept * SIMULATE_S / cores))
    stage train "a regression of the best N and p on what counters say" $((kept * TRAIN_S))
    stage evaluate "it beside GTO, SWL, Static-Best and five more on 11 benchmarks" $((kept * EVALUATE_S / cores))
    if [ $kept -eq 0 ]; then echo "  (results/quickstart is there: what it holds is not simulated again)" >&2; fi
    echo "about $(((total + 59) / 60)) min in all; an interrupted quickstart goes on where it was." >&2
}
plan
if [ "${1:-}" = --plan ]; then exit 0; fi
install_missing "${packages[@]}"
cmake --preset release >/dev/null
cmake --build --preset release --target quickstart
exec build/release/experiments/poise run experiments/specs/quickstart.yaml "$@"
