#!/bin/bash
# Installs a build, moves it, and uses it from outside:  install.sh BUILD SOURCE LIBRARY...
set -euo pipefail
build=$1 source=$2
shift 2
export ASAN_OPTIONS=detect_leaks=0
dir=$(mktemp -d /tmp/poise-install-XXXXXX)
trap 'rm -rf "$dir"' EXIT
say() { printf '%s (%s s)\n' "$*" "$SECONDS"; }
cmake --install "$build" --prefix "$dir/first" >/dev/null
mv "$dir/first" "$dir/prefix"
prefix=$dir/prefix
cd "$dir" # nothing of the source tree is near
export XDG_CACHE_HOME=$dir/cache
unset POISE_TRACES POISE_KERNELS POISE_PROGRAMS POISE_CONFIGS POISE_CUDA_LIB POISE_CUDA_INCLUDE
say "installed: $(du -sh prefix | cut -f1)"

! grep -rlI "$source" prefix/lib/*/pkgconfig prefix/lib/pkgconfig prefix/lib/cmake prefix/lib/*/cmake prefix/share 2>/dev/null | grep . || { echo "these name the source tree"; exit 1; }
prefix/bin/poise --version
[ "$(prefix/bin/poise configs)" = "$("$build/experiments/poise" configs)" ]
prefix/bin/poise sim --kernel mvt --launch 0 --size test --mech swl,N=1 --json >sim.json
ls "$XDG_CACHE_HOME"/poise/traces/mvt-test-*/index.json >/dev/null
cycles=$(sed -n 's/.*"core_cycles": \([0-9]*\).*/\1/p' sim.json | head -1)
POISE_KERNELS=/nonexistent.yaml prefix/bin/poise kernels >/dev/null 2>&1 && { echo "POISE_KERNELS was not heeded"; exit 1; }
[ -s prefix/share/man/man1/poise.1 ] && [ -s prefix/share/bash-completion/completions/poise ] && [ -s prefix/share/zsh/site-functions/_poise ]
module=$(find prefix/lib -name poise.py)
if [ -n "$module" ] && command -v python3 >/dev/null; then
    [ "$(PATH=/usr/bin:/bin PYTHONPATH=$(dirname "$module") PYTHONDONTWRITEBYTECODE=1 "$(command -v python3)" -c 'import poise; print(poise.program())')" = "$dir/prefix/bin/poise" ]
fi
say "the program runs from a prefix that was moved: $cycles cycles"

pc=$(dirname "$(find prefix/lib -name poise.pc)")
export PKG_CONFIG_PATH=$dir/$pc
trace=$(ls "$XDG_CACHE_HOME"/poise/traces/mvt-test-*/0000-*.ptrace)
flags=${POISE_TEST_CFLAGS:-}
gcc $flags "$source/tests/e2e/install/consumer/fit.c" -o fit $(pkg-config --cflags --libs poise_learn) -lm
gcc $flags "$source/tests/e2e/install/consumer/simulate.c" -o simulate $(pkg-config --cflags --libs poise_gpu)
[ "$(./fit)" = "0.693147 1.098612" ]
[ "$(./simulate "$trace")" = "$cycles" ]
echo 'int main(void) { return 0; }' >main.c
for library in "$@"; do
    gcc $flags main.c -o whole -L"$(pkg-config --variable=libdir "$library")" -Wl,--whole-archive "-l$library" -Wl,--no-whole-archive $(pkg-config --libs "$library") || { echo "$library.pc lacks something"; exit 1; }
    ./whole
done
gcc $flags main.c -o whole $(pkg-config --cflags --libs poise)
[ ! -e prefix/include/cuda.h ] || { echo "cuda.h shadows a toolkit's"; exit 1; }
printf '#include <cuda.h>\nint main(void) { return cuInit(0) != CUDA_SUCCESS; }\n' >driver.c
gcc $flags driver.c -o driver $(pkg-config --cflags --libs poise_cuda)
./driver
say "pkg-config: $# libraries and poise.pc"
mkdir plugins
(cd plugins && "$source/tests/e2e/install/plugin.sh" "$dir/prefix/bin/poise" "$source" "$flags $(pkg-config --cflags poise_gpu)")
say "plug-ins"

cmake -S "$source/tests/e2e/install/consumer" -B consumer -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$flags" -DLIBRARIES="$(IFS=';'; echo "$*")" >cmake.log 2>&1 || { cat cmake.log; exit 1; }
cmake --build consumer -j2 >cmake.log 2>&1 || { cat cmake.log; exit 1; }
[ "$(consumer/fit)" = "0.693147 1.098612" ]
[ "$(consumer/simulate "$trace")" = "$cycles" ]
[ "$(consumer/mechanism "$trace")" = "$cycles" ] # a mechanism of its own that does what swl,N=1 does
say "find_package(poise): $# libraries"
