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
"$poise" cpu run --kernel mvt --size test --no-skip "$sample" "$sample" | cmp - "$dir/mix"
grep -q "weighted speedup" "$dir/mix"

# What a killed recording left goes with the next one: its process is gone, and nobody holds its lock.
mkdir -p "$dir/stale/old-1.4999999.tmp/" "$dir/stale/foreign.4999999.tmp" "$dir/stale/live-1.$$.tmp"
touch "$dir/stale/old-1.lock" "$dir/stale/held-1.lock" "$dir/stale/live-1.lock" "$dir/stale/old-1.4999999.tmp/0000-k.ptrace"
mkdir "$dir/stale/held-1.4999998.tmp"
exec 8<"$dir/stale/held-1.lock" && flock 8
POISE_TRACES=$dir/stale "$poise" sim --kernel mvt --size test --launch 0 >/dev/null
exec 8<&-
[ ! -e "$dir/stale/old-1.4999999.tmp" ] || { echo "what a killed recording left is still there" && exit 1; }
for kept in "foreign.4999999" "live-1.$$" held-1.4999998; do
    [ -d "$dir/stale/$kept.tmp" ] || { echo "$kept.tmp is gone: it is not ours, or somebody may use it" && exit 1; }
done

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
# From a program's first instruction on, the loader's included; in any folder.
for folder in x far/longer/name; do
    mkdir -p "$dir/$folder" && echo words >"$dir/$folder/words"
    (cd "$dir/$folder" && "$poise" cpu record -o cat.cpu -n 20000 -- cat words 2>/dev/null)
    cmp "$dir/$folder/cat.cpu" "$dir/x/cat.cpu"
done
fails "ended after [0-9]* instructions; 900000000 were to be skipped" "$poise" cpu record -o "$dir/c.cpu" --skip 900000000 -n 10 -- factor 15
[ ! -e "$dir/c.cpu" ]

# The same stream in any folder, and whoever asks for it.
for folder in x far/longer/name; do
    mkdir -p "$dir/$folder"
    (cd "$dir/$folder" && POISE_TRACES=$dir/$folder "$poise" cpu record -n 2000 factor collatz 2>"$dir/out")
    ! grep -q " 0 bytes" "$dir/out"
done
for name in factor collatz; do
    cmp "$dir"/x/cpu/$name-*.cpu "$dir"/far/longer/name/cpu/$name-*.cpu
    ! grep -aq "$dir\|$PWD" "$dir"/x/cpu/$name-*.cpu || { echo "$name: a path in its provenance" && exit 1; }
done

# An interrupt is an interrupt.
"$poise" cpu record -o "$dir/d.cpu" --skip 900000000 -n 10 -- mawk 'BEGIN { while (1) n++ }' >"$dir/out" 2>&1 &
sleep 1
kill -TERM $!
status=0 && wait $! || status=$?
[ $status -eq 130 ] && grep -q interrupted "$dir/out" && [ ! -e "$dir/d.cpu" ] || { echo "SIGTERM: status $status" && cat "$dir/out" && exit 1; }
echo "a command recorded, described and run"
