#!/bin/bash
# CPU programs from end to end: a command is recorded, described and run beside a kernel; what is wrong is said.
#   record.sh POISE        exit code 77: no valgrind
set -euo pipefail
cd "$(dirname "$0")/../../.."
poise=$1 dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fails() { # text, command: it fails with exit status 2 and says the text
    local says=$1 status=0
    shift
    "$@" >"$dir/out" 2>&1 || status=$?
    [ $status -eq 2 ] && grep -q -- "$says" "$dir/out" || { echo "expected status 2 and '$says', got $status:" && cat "$dir/out" && exit 1; }
}
figure() { sed -n "s/.*\"$1\": *\([^,}]*\).*/\1/p" "$2" | head -1; } # file of JSON

# A stream that is here: the same figures and the same mix each time.
sample=datasets/cpu/samples/collatz.cpu
"$poise" cpu info --json "$sample" >"$dir/info"
[ "$(figure insts "$dir/info")" = 20000 ] && [ "$(figure accesses "$dir/info")" = 6129 ] || { cat "$dir/info" && exit 1; }
"$poise" cpu run --kernel mvt --size test "$sample" "$sample" >"$dir/mix"
"$poise" cpu run --kernel mvt --size test --threads 1 "$sample" "$sample" | cmp - "$dir/mix"
grep -q "weighted speedup" "$dir/mix"

fails "no CPU program 'collats'; did you mean 'collatz'?" "$poise" cpu info collats
fails "no access stream of a CPU program\|not a warp trace" "$poise" cpu info ./README.md
fails "1 to 8 programs" "$poise" cpu run --kernel mvt
fails "5 CPU programs on a machine with 4 CPU cores" "$poise" cpu run --kernel mvt --size test $sample $sample $sample $sample $sample
fails "needs names of programs" "$poise" cpu record
fails "no program 'no-such-program'" "$poise" cpu record -o "$dir/a.cpu" -- no-such-program

command -v valgrind >/dev/null || { echo "skipped: no valgrind" && exit 77; }
"$poise" cpu record -o "$dir/a.cpu" --skip 50000 -n 5000 -- factor 1234567 7654321 2>/dev/null
"$poise" cpu record -o "$dir/b.cpu" --skip 50000 -n 5000 -- factor 1234567 7654321 2>/dev/null
"$poise" cpu info --json "$dir/a.cpu" >"$dir/a"
"$poise" cpu info --json "$dir/b.cpu" >"$dir/b"
[ "$(figure insts "$dir/a")" = 5000 ] && [ "$(figure skipped "$dir/a")" = 50000 ] || { cat "$dir/a" && exit 1; }
[ "$(figure hash "$dir/a")" = "$(figure hash "$dir/b")" ] || { echo "two recordings of one command differ" && exit 1; }
fails "ended after [0-9]* instructions; 900000000 were to be skipped" "$poise" cpu record -o "$dir/c.cpu" --skip 900000000 -n 10 -- factor 15
[ ! -e "$dir/c.cpu" ]
echo "a command recorded, described and run"
