#!/bin/bash
# What NVIDIA's assembler says about registers, a line for each kernel: FILE KERNEL REGISTERS. Of the workloads' PTX, which is
# committed: register_counts.sh >data/register_counts.txt. With a folder, what nvcc makes of the workloads and of the CUDA
# programs is put there as PTX and counted (half an hour): register_counts.sh FOLDER >FOLDER/counts.txt; test_ptx_registers FOLDER
# then compares. Needs ptxas, and nvcc for the latter.
root=$(cd "$(dirname "$0")/../../.." && pwd)
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    for source in "$root"/tests/e2e/cuda/programs/*.cu; do
        name=$(basename "$source" .cu)
        [ "$name" = suite ] || nvcc -ptx -O3 -arch=compute_75 "$source" -o "$1/program-$name.ptx" 2>/dev/null
    done
    for source in "$root"/datasets/kernels/*/*/kernel.cu; do
        name=$(basename "$(dirname "$source")")
        (cd "$(dirname "$source")" && nvcc -ptx -O3 -arch=compute_75 -I../../common kernel.cu -o - 2>/dev/null) >"$1/workload-$name.ptx"
    done
    cd "$1" && files=(*.ptx)
else
    cd "$root" && files=(datasets/kernels/*/*/kernel.ptx)
fi
echo "# $(ptxas --version | sed -n 's/.*release \([0-9.]*\),.*/ptxas \1/p') -arch=sm_75 -O3"
for file in "${files[@]}"; do
    ptxas -arch=sm_75 -O3 -v "$file" -o /dev/null 2>&1 | awk -v file="$file" '
        /Compiling entry function/ { kernel = $7; gsub("\047", "", kernel) }
        /Used [0-9]+ registers/ { match($0, /Used [0-9]+/); print file, kernel, substr($0, RSTART + 5, RLENGTH - 5) }'
done | sort -u -k2
