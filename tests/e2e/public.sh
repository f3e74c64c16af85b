#!/bin/bash
# Builds and runs every CUDA program of a checkout that you have (PolyBench/GPU, Rodinia, NVIDIA's samples, Mars, graphBIG, or
# any other) and prints a table: compiled, ran, checked itself, and the first error. Nothing is written to the checkout.
#
#   tests/e2e/public.sh DIR [--only REGEX] [--with cc|nvcc] [--timeout SECONDS] [--build BUILD] [--keep]
#
# A program is a folder with a .cu file and a Makefile, or with a .cu file that has main(). A Makefile is run with a CUDA_PATH
# (CUDA_DIR, CUDA_HOME, NVCC, ...) whose nvcc is `poise cc`, or, by --with nvcc, the real one with -cudart shared and PTX; without
# one, or where it builds nothing, all the folder's sources are compiled together, with the checkout's folders named Common,
# common, inc, include and utilities as include paths. A program is run by the folder's `run` script, or by the makefile's target
# of that name, which knows its arguments, else without arguments. The exit status is 0 when every program that was built ran
# without an error.
set -u
usage() { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 1 ] && [ -d "$1" ] || usage
root=$(cd "$1" && pwd); shift
only=. how=cc limit=100 keep= build=$(cd "$(dirname "$0")/../.." && pwd)/build/release
while [ $# -gt 0 ]; do
    case $1 in
    --only) only=$2; shift 2 ;;
    --with) how=$2; shift 2 ;;
    --timeout) limit=$2; shift 2 ;;
    --build) build=$(cd "$2" && pwd); shift 2 ;;
    --keep) keep=1; shift ;;
    *) usage ;;
    esac
done
poise=$build/experiments/poise source=$(cd "$(dirname "$0")/../.." && pwd)
[ -x "$poise" ] || { echo "public.sh: $poise is not built" >&2; exit 2; }
work=$(mktemp -d)
[ -n "$keep" ] && echo "public.sh: everything is in $work" >&2
trap '[ -n "$keep" ] || rm -rf "$work"' EXIT

# A CUDA toolkit as makefiles expect one.
toolkit=$work/toolkit
mkdir -p "$toolkit/bin" "$toolkit/include"
cp -rs "$source/sim/cuda/include/." "$source/sim/cuda/toolkit/." "$toolkit/include/"
for lib in lib lib64; do ln -s "$build/sim/cuda/lib" "$toolkit/$lib"; done
case $how in
cc) printf '#!/bin/sh\nexec "%s" cc "$@"\n' "$poise" >"$toolkit/bin/nvcc" ;;
nvcc)
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || { echo "public.sh: there is no nvcc" >&2; exit 2; }
    cat >"$toolkit/bin/nvcc" <<'SCRIPT'
#!/bin/bash
# The real nvcc, for a shared runtime and with PTX: architectures that are asked for are left out.
words=()
while [ $# -gt 0 ]; do
    case $1 in
    -gencode | -arch | --generate-code | --gpu-architecture | -code | -cudart | --cudart) shift ;;
    -gencode=* | -arch=* | --generate-code=* | --gpu-architecture=* | -code=* | -cudart=* | --cudart=*) ;;
    *) words+=("$1") ;;
    esac
    shift
done
SCRIPT
    echo "exec \"$nvcc\" -cudart shared -gencode arch=compute_75,code=compute_75 \"\${words[@]}\"" >>"$toolkit/bin/nvcc"
    rm "$toolkit/lib" "$toolkit/lib64"
    real=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
    for lib in lib lib64; do ln -s "$real/lib64" "$toolkit/$lib"; done
    rm -r "$toolkit/include" && ln -s "$real/include" "$toolkit/include" ;;
*) usage ;;
esac
chmod +x "$toolkit/bin/nvcc"

cp -rs "$root" "$work/src"
includes=()
while IFS= read -r folder; do includes+=("-I$folder"); done < <(find "$work/src" -type d \( -iname common -o -name inc -o -name include -o -name utilities \) | sort)

programs() {
    find "$work/src" -name '*.cu' -printf '%h\n' | sort -u | while IFS= read -r folder; do
        if ls "$folder"/[Mm]akefile >/dev/null 2>&1 || grep -qlE '\bmain *\(' "$folder"/*.cu "$folder"/*.cpp "$folder"/*.c 2>/dev/null; then
            echo "${folder#"$work/src/"}"
        fi
    done | grep -E "$only"
}
executables() { find "$1" -maxdepth 2 -type f -perm -u+x -newer "$work/start" ! -name '*.so*' ! -name '*.o' -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print | sort; }
make_with=(env -u MAKEFLAGS "PATH=$toolkit/bin:$PATH" make "CUDA_PATH=$toolkit" "CUDA_DIR=$toolkit" "CUDA_HOME=$toolkit"
    "CUDA_INSTALL_PATH=$toolkit" "CUDA_SDK_PATH=$toolkit" "NVCC=$toolkit/bin/nvcc")
by_makefile() {
    local folder=$1
    ls "$folder"/[Mm]akefile >/dev/null 2>&1 || return 1
    (cd "$folder" && timeout 600 "${make_with[@]}") >"$work/build.log" 2>&1
    [ -n "$(executables "$folder")" ]
}
by_hand() {
    local folder=$1 sources=()
    for f in "$folder"/*.cu "$folder"/*.cpp "$folder"/*.c; do [ -e "$f" ] && sources+=("$f"); done
    (cd "$folder" && "$toolkit/bin/nvcc" -O2 -std=c++17 -I. "${includes[@]}" "${sources[@]}" -o public_program) >"$work/hand.log" 2>&1 && return 0
    [ -s "$work/build.log" ] || cp "$work/hand.log" "$work/build.log"
    return 1
}
first_error() { grep -m1 -hiE 'error|undefined reference|cannot find|not found|no such|fail|mismatch|not offered' "$@" | head -1 | sed "s|$work/src/||g; s/|/ /g; s/^[[:space:]]*//" | cut -c1-110; }

compiled=0 ran=0 checked=0 total=0 broken=0
echo "| program | compiled | ran | checked | first error |"
echo "| --- | --- | --- | --- | --- |"
while IFS= read -r name; do
    folder=$work/src/$name is_compiled=no is_run=- is_checked=- error=
    total=$((total + 1))
    : >"$work/build.log"
    touch "$work/start"; sleep 0.01
    if by_makefile "$folder" || by_hand "$folder"; then
        is_compiled=yes compiled=$((compiled + 1)) is_run=yes
        program=$(executables "$folder" | head -1)
        if [ -f "$folder/run" ]; then command=(sh ./run)
        elif grep -qsE '^run *:' "$folder"/[Mm]akefile; then command=("${make_with[@]}" -s run)
        else command=("$program"); fi
        (cd "$folder" && LD_LIBRARY_PATH="$build/sim/cuda/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" timeout "$limit" "${command[@]}") >"$work/run.log" 2>&1 </dev/null
        status=$?
        if [ $status = 124 ]; then is_run="over $limit s" broken=$((broken + 1))
        elif [ $status != 0 ]; then is_run="status $status" broken=$((broken + 1)) error=$(first_error "$work/run.log")
        else
            ran=$((ran + 1))
            if grep -qiE 'fail|mismatch|incorrect|\bwrong|percent): *[1-9]|not equal' "$work/run.log"; then is_checked=no error=$(first_error "$work/run.log")
            elif grep -qiE 'pass|success|correct|verified|matche?s|\bOK\b|percent): *0' "$work/run.log"; then is_checked=yes checked=$((checked + 1)); fi
        fi
    else
        error=$(first_error "$work/build.log" "$work/hand.log" 2>/dev/null)
    fi
    echo "| $name | $is_compiled | $is_run | $is_checked | $error |"
done < <(programs)
echo
echo "$total programs: $compiled compiled, $ran ran, $checked say that their results are right."
[ $total -gt 0 ] && [ $broken = 0 ]
