#!/bin/bash
# Instructions that small fixed runs execute, against those on record: above 5 % more is a regression. Counts, not seconds, so that a busy
# machine says the same as an idle one; they belong to a compiler, so each has its rows in counts.txt. Every class of machine has a row (Fermi, Kepler,
# Volta, and the reference's QV100, which asks for sectors), every organisation of L1 one, opening and planning a trace, and the start of the program. Of each run also: instructions a line request and a warp instruction.
#   counts.sh POISE COMPILER TRACE...     compares; exit code 77 (skipped) without valgrind or without rows for this compiler
#   POISE_COUNTS_ACCEPT=1 counts.sh ...   writes this compiler's rows anew, after a change of the model or of what is measured
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) record=$(dirname "$0")/counts.txt
poise=$1 compiler=$2
shift 2
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

count() { # trace, configuration or l1.organisation=NAME (of kepler32), mechanism, cycles, functions: instructions, line requests, warp instructions
    local run=(--config "$2") out="$dir/$(basename "$1").${2##*=}.$3"
    [[ $2 != *=* ]] || run=(--config kepler32 --set "$2")
    [ "$2" != qv100 ] || run=(--config "$here/../reference/accelsim/volta/SM7_QV100.config")
    valgrind --tool=callgrind $(printf -- '--toggle-collect=%s ' ${5//,/ }) --callgrind-out-file=/dev/null "$poise" sim --trace "$1" "${run[@]}" --mech "$3" \
        --max-cycles "$4" --json 2>&1 >"$out" | awk '/I +refs:/ {gsub(",", "", $NF); printf "%s ", $NF}'
    awk '/"line_requests"/ && !l {l = $NF + 0} /"warp_insts"/ && !w {w = $NF + 0} END {print l + 0, w + 0}' "$out"
}
one() { # trace, configuration, mechanism, cycles, functions: its row
    local n requests insts name
    name=$(basename "$1" .ptrace)
    if [ "$1" = start ]; then
        n=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$poise" --version 2>&1 | awk '/I +refs:/ {gsub(",", "", $NF); print $NF}')
        echo "$compiler start none none $n 0 0"
        return
    fi
    read -r n requests insts <<<"$(count "$1" "$2" "${3/open/gto}" "$4" "$5" || true)"
    [ "${n:-0}" -gt 0 ] || { echo "$name on $2: valgrind gave no count" >&2; return 1; }
    echo "$compiler $name $2 $3 $n $requests $insts"
}
export -f count one
export poise compiler dir here
for trace in "$@"; do # tar.xz of an Accel-Sim trace
    name=$(basename "$trace" .tar.xz)
    tar -xJf "$trace" -C "$dir"
    "$poise" trace import "$dir/$name/kernelslist.g" -o "$dir/$name.ptrace" >/dev/null 2>&1
    # runs, and opening and planning the trace
    echo "$dir/$name.ptrace kepler32 gto 2500 gpu_run_carry"
    echo "$dir/$name.ptrace volta80 gto 400 gpu_run_carry"
    echo "$dir/$name.ptrace qv100 gto 500 gpu_run_carry"
    [ "$name" = mvt ] || continue # the shorter one
    echo "$dir/$name.ptrace kepler32 open 1 trace_open,plan_new_from"
    echo "$dir/$name.ptrace fermi15 tuple,N=6,p=2 2500 gpu_run_carry"
    for organisation in sectored lamar_tsc tsc dsc elastic; do echo "$dir/$name.ptrace l1.organisation=$organisation gto 600 gpu_run_carry"; done
done >"$dir/runs"
echo start >>"$dir/runs"
xargs -P "${JOBS:-2}" -L1 bash -c 'set -euo pipefail; one "$@"' one <"$dir/runs" >"$dir/now" || exit 1
sort -o "$dir/now" "$dir/now"
if [ -n "${POISE_COUNTS_ACCEPT:-}" ]; then
    { grep -v "^$compiler " "$record" || true; } >"$dir/record"
    sort "$dir/record" "$dir/now" >"$record"
    exit 0
fi
grep -q "^$compiler " "$record" || { echo "skipped: no counts on record for $compiler"; exit 77; }
failed=0
while read -r _ name config mech n requests insts; do
    old=$(awk -v c="$compiler" -v n="$name" -v g="$config" -v m="$mech" '$1 == c && $2 == n && $3 == g && $4 == m {print $5}' "$record")
    [ -n "$old" ] || { echo "$name $config $mech: not on record"; failed=1; continue; }
    awk -v a="$n" -v b="$old" -v r="$requests" -v w="$insts" -v what="$name $config $mech" 'BEGIN {
        each = what ~ / open$/ || !r ? "" : sprintf(", %.0f a line request, %.0f a warp instruction", a / r, a / w)
        printf "%-42s %12d instructions, %.3f of those on record%s\n", what, a, a / b, each; exit a > 1.05 * b }' || failed=1
done <"$dir/now"
[ $failed = 0 ] || echo "more than 5 % above the record: find out why; what is meant is accepted with POISE_COUNTS_ACCEPT=1"
exit $failed
