#!/usr/bin/env bash
# Regenerates every kernel.ptx (or those of the workloads named) from its kernel.cu with clang alone; no CUDA toolkit.
# Where ptxas is installed the register lines are measured again, else those of the committed file are kept.
set -euo pipefail
cd "$(dirname "$0")"
clang=${CLANG:-clang}
flags=(-x cuda --cuda-device-only -S -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-gpu-arch=sm_75 -fdeclspec
       -O2 -fno-unroll-loops -ffp-contract=off)

register_lines() { # FILE.ptx OLD.ptx
    if command -v ptxas >/dev/null; then
        local version
        version=$(ptxas --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
        ptxas -arch=sm_75 -O1 -v "$1" -o /dev/null 2>&1 | awk -v version="$version" '
            /Compiling entry function/ { kernel = $7; gsub("\047", "", kernel) }
            /Used [0-9]+ registers/ { match($0, /Used [0-9]+/)
                printf "// ptxas: %s %d registers (ptxas %s sm_75 -O1)\n", kernel, substr($0, RSTART + 5, RLENGTH - 5), version }'
    elif [ -f "$2" ]; then
        grep '^// ptxas: ' "$2" || true
    fi
}

for source in */*/kernel.cu microbench/kernel.cu; do
    folder=$(dirname "$source")
    name=$(basename "$folder")
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    (
        cd "$folder"
        trap 'rm -f kernel.new kernel.out' EXIT
        common=$([ -d ../common ] && echo ../common || echo ../../common)
        flags+=(-I"$common")
        "$clang" "${flags[@]}" kernel.cu -o kernel.new
        {
            echo "// compiler: $("$clang" --version | head -n 1)"
            echo "// flags: ${flags[*]}"
            register_lines kernel.new kernel.ptx
            # No trailing blanks, so that the text is the same after any editor.
            sed 's/[[:space:]]*$//' kernel.new
        } >kernel.out
        mv kernel.out kernel.ptx
    )
    grep '^// ptxas: ' "$folder/kernel.ptx" | sed "s|^|$folder: |" || echo "$folder: no register lines"
done
