#!/bin/bash
# Installs what is missing (Debian 12, root or sudo), builds a release and runs all tests. Arguments go to ctest.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(build-essential cmake ninja-build pkg-config libgsl-dev liblapacke-dev libopenblas-dev libsvm-dev libcmocka-dev
          libjansson-dev libyaml-dev libzstd-dev libffi-dev liblzma-dev libxxhash-dev libsqlite3-dev libnlopt-dev libjs-vega librsvg2-dev libopenmpi-dev openmpi-bin lld clang-tidy libclang-rt-dev libomp-dev valgrind faketime)
. experiments/install.sh
install_missing "${packages[@]}" "${own_kernels_packages[@]}"
cmake --preset release >/dev/null
cmake --build --preset release
ctest --preset release -j "$(($(nproc) + 2))" "$@" # more than there are processors, as some tests wait
