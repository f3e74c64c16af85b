#!/bin/bash
# Instructions that small fixed runs execute, against those on record: above 5 % more is a regression. Counts, not seconds, so that a busy
# machine says the same as an idle one; they belong to a compiler, so each has its rows in counts.txt.
#   counts.sh POISE COMPILER TRACE...     compares; exit code 77 (skipped) without valgrind or without rows for this compiler
#   POISE_COUNTS_ACCEPT=1 counts.sh ...   writes this compiler's rows anew, after a change of the model or of what is measured
set -euo pipefail
record=$(dirname "$0")/counts.txt
poise=$1 compiler=$2
shift 2
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

count() { # trace, configuration, mechanism, cycles, functions
    valgrind --tool=callgrind $(printf -- '--toggle-collect=%s ' ${5//,/ }) --callgrind-out-file=/dev/null "$poise" sim --trace "$1" --config "$2" --mech "$3" \
        --max-cycles "$4" --json 2>&1 >/dev/null | awk '/I +refs:/ {gsub(",", "", $NF); print $NF}'
}
for trace in "$@"; do # tar.xz of an Accel-Sim trace
    name=$(basename "$trace" .tar.xz)
    tar -xJf "$trace" -C "$dir"
    "$poise" trace import "$dir/$name/kernelslist.g" -o "$dir/$name.ptrace" >/dev/null 2>&1
    # two runs, and opening and planning the trace
    for run in "kepler32 gto 2500 gpu_run_carry" "fermi15 tuple,N=6,p=2 2500 gpu_run_carry" "kepler32 open 1 trace_open,plan_new"; do
        read -r config mech cycles functions <<<"$run"
        n=$(count "$dir/$name.ptrace" "$config" "${mech/open/gto}" "$cycles" "$functions" || true)
        [ "${n:-0}" -gt 0 ] || { echo "$name on $config: valgrind gave no count"; exit 1; }
        echo "$compiler $name $config $mech $n" >>"$dir/now"
    done
done
if [ -n "${POISE_COUNTS_ACCEPT:-}" ]; then
    { grep -v "^$compiler " "$record" || true; } >"$dir/record"
    sort "$dir/record" "$dir/now" >"$record"
    exit 0
fi
grep -q "^$compiler " "$record" || { echo "skipped: no counts on record for $compiler"; exit 77; }
failed=0
while read -r _ name config mech n; do
    old=$(awk -v c="$compiler" -v n="$name" -v g="$config" -v m="$mech" '$1 == c && $2 == n && $3 == g && $4 == m {print $5}' "$record")
    [ -n "$old" ] || { echo "$name $config $mech: not on record"; failed=1; continue; }
    awk -v a="$n" -v b="$old" -v what="$name $config $mech" 'BEGIN { printf "%-34s %12d instructions, %.3f of those on record\n", what, a, a / b; exit a > 1.05 * b }' || failed=1
done <"$dir/now"
[ $failed = 0 ] || echo "more than 5 % above the record: find out why; what is meant is accepted with POISE_COUNTS_ACCEPT=1"
exit $failed
