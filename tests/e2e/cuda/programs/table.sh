#!/bin/bash
# Builds each program three ways and runs it; prints README.md's table, with the features of PTX that each uses (in clang's
# or nvcc's PTX). Usage: tests/e2e/cuda/programs/table.sh [BUILD [PROGRAM...]]; without nvcc that column is '-'.
cd "$(dirname "$0")/../../../.." || exit 1
build=${1:-build/release} poise=$build/experiments/poise here=tests/e2e/cuda/programs work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
tests/e2e/cuda/import_library.sh "$build/sim/cuda/lib/libcuda.so.1" "$work/libcuda.so"
says() { if "$@" >/dev/null 2>&1; then echo yes; else echo no; fi; }
# One mark for each feature of the coverage table that a text of PTX shows.
features() {
    awk '
        /(^|[ \t])tex\.|tld4/ {f["tex"]} /suld|sust/ {f["surface"]} /(ld|st)\.local|\.local / {f["local"]} /\.f64/ {f["f64"]} /\.f16/ {f["f16"]}
        /ld\.const|\.const / {f["const"]} /^\.(visible )?\.?global|^\.visible \.global|^\.global/ {f["gsym"]}
        /[ \t](ld|st)\.(volatile\.)?(v[24]\.)?[usbf][0-9]/ {f["generic"]} /[ \t]atom\.|[ \t]red\./ {f["atom"]} /shfl/ {f["shfl"]} /vote/ {f["vote"]} /match/ {f["match"]}
        /bar\.warp/ {f["barwarp"]} /[ \t]bar\.|barrier\./ {f["bar"]} /membar|fence/ {f["fence"]} /volatile\./ {f["volatile"]}
        /(ld|st)\.global\.(ca|cg|cs|cv|wb|wt)/ {f["cachop"]} /(ld|st)\.[a-z.]*v[24]\./ {f["vec"]} /\.nc\./ {f["nc"]} /addc|subc|madc|\.cc\./ {f["carry"]}
        /\.extern \.shared/ {f["dynshared"]} /^[ \t]*\.shared|^\.shared/ {f["static_shared"]} /(ex2|lg2|sin|cos|rsqrt|rcp|sqrt|tanh)\./ {f["sfu"]}
        /[ \t](div|rem)\./ {f["divrem"]} /[ \t]call/ {f["calls"]} /brx/ {f["brx"]} /mma/ {f["mma"]} /[ \t]v(add|sub|abs|max|min|set|mad|avrg)/ {f["video"]} /dp[24]a/ {f["dp4a"]}
        END {n = asorti_(f); }
        function asorti_(f,  k, s) {for (k in f) s = s " " k; printf "%s", s; return 1}' "$@" | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/^ //; s/ $//'
}
passed=0 total=0 used=
echo "| program | \`poise cc\` | nvcc, \`poise cuda\` | driver API by library path | PTX features |"
echo "| --- | --- | --- | --- | --- |"
all=$(grep -o 'X([a-z_0-9]*)' $here/programs.def | grep -v 'X(name)' | sed 's/X(\(.*\))/\1/')
[ $# -lt 2 ] || all=${*:2}
for name in $all; do
    a=no b=- c=no list=()
    if "$poise" cc "$here/$name.cu" -o "$work/a" 2>/dev/null; then a=$(says "$work/a"); fi
    if "$poise" cc -ptx "$here/$name.cu" -o "$work/$name.ptx" 2>/dev/null; then list+=("$work/$name.ptx"); fi
    if [ -n "$nvcc" ]; then
        b=no
        if "$nvcc" -cudart shared -gencode arch=compute_75,code=compute_75 "$here/$name.cu" -o "$work/b" 2>/dev/null; then b=$(says "$poise" cuda "$work/b"); fi
        "$nvcc" -ptx -arch=compute_75 "$here/$name.cu" -o "$work/$name.nvcc.ptx" 2>/dev/null && list+=("$work/$name.nvcc.ptx")
    fi
    if clang++ -x c++ -std=c++14 -DPROGRAM_DRIVER -DPROGRAM_PTX="\"$work/$name.ptx\"" -Isim/cuda/include "$here/$name.cu" -x none -L"$work" -lcuda -o "$work/c" 2>/dev/null; then
        c=$(LD_LIBRARY_PATH=$build/sim/cuda/lib says "$work/c")
    fi
    shown=$(features "${list[@]}")
    used="$used $shown"
    total=$((total + 1))
    if [ "$a$c" = yesyes ] && [ "$b" != no ]; then passed=$((passed + 1)); fi
    echo "| [$name]($name.cu) | $a | $b | $c | $shown |"
done
echo
wanted="tex local f64 const gsym generic atom shfl vote barwarp bar fence volatile cachop vec nc carry dynshared static_shared sfu divrem calls"
missing=$(for f in $wanted; do [[ " $used " == *" $f "* ]] || echo "$f"; done | tr '\n' ' ')
echo "$passed of $total programs pass in every way that could be tried; of the $(wc -w <<<"$wanted") features of public programs, not used by any: ${missing:-none}."
