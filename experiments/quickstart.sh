#!/bin/bash
# Installs what is missing (Debian 12, root or sudo), builds a release and runs the main job. Arguments go to `poise run`.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(build-essential cmake ninja-build pkg-config libgsl-dev liblapacke-dev libopenblas-dev libsvm-dev libcmocka-dev
          libjansson-dev libyaml-dev libzstd-dev liblzma-dev libxxhash-dev libsqlite3-dev libnlopt-dev libjs-vega)
. experiments/install.sh
install_missing "${packages[@]}"
cmake --preset release >/dev/null
cmake --build --preset release --target quickstart
exec build/release/experiments/poise run experiments/specs/quickstart.yaml "$@"
