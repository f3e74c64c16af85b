#!/bin/bash
# Plug-ins that are built against installed headers:  plugin.sh POISE SOURCE 'COMPILER FLAGS'
# In the current folder: a sweep, a tuning, a report and other ranks with the mechanism of consumer/mechanism.c; caches of
# consumer/caches.c; what is refused, and with which words.
set -euo pipefail
poise=$1 source=$2 flags=$3
build() { cc -O2 -shared -fPIC $flags "${@:2}" -o "$1"; }
fail() { echo "plugin.sh: $*"; exit 1; }
refused() { # WORDS COMMAND...: one line with these words, and exit status 2
    local words=$1 status=0
    shift
    "$@" >out.txt 2>err.txt || status=$?
    [ $status = 2 ] && [ "$(wc -l <err.txt)" = 1 ] && grep -q "$words" err.txt || fail "not refused by '$words' ($status): $(cat err.txt)"
}
cycles() { "$poise" sim "$@" --kernel mvt --launch 0 --size test --json | sed -n 's/.*"core_cycles": \([0-9]*\).*/\1/p' | head -1; }
build limit.so "$source/tests/e2e/install/consumer/mechanism.c"
build caches.so "$source/tests/e2e/install/consumer/caches.c"

# Before the command and after it; in the lists.
[ "$(cycles --plugin ./limit.so --mech limit)" = "$(cycles --mech swl,N=1)" ]
"$poise" --plugin ./limit.so --plugin=./caches.so mechs limit | grep 'the N oldest warps' >/dev/null
"$poise" --plugin ./caches.so params | grep 'l2.organisation.*elastic|pairs|placed' >/dev/null
"$poise" --plugin ./limit.so policies --kernel mvt --launch 0 --size test --mech limit,N=1 2>/dev/null | grep '^limit' >/dev/null
[ "$(cycles --plugin ./caches.so --set l1.replacement=lip)" != "$(cycles)" ]
for cache in l1.organisation=pairs l1.organisation=placed l2.organisation=placed l2.replacement=lip; do
    [ "$(cycles --plugin ./caches.so --set $cache)" = "$(cycles --plugin ./caches.so --set $cache --no-skip)" ] || fail "$cache: skipping changes the run"
done

# A sweep, which finds its results again, but not with another file; without a plug-in keys are what they were.
kernel='{name: mvt, launches: [0]}'
printf 'schema: 1\nkind: sweep\nname: s\nsize: test\nplugins: limit.so\nkernels: [%s]\nstacks: [gto, "swl,N=1", {mech: limit, axes: {N: [1, 2]}}]\n' "$kernel" >spec.yaml
sweep() { "$poise" sweep spec.yaml --out "$1" 2>/dev/null; }
sweep sweep >log.txt
# of gto, swl,N=1, limit,N=1, limit,N=2
sed 's/"[^"]*"//g' sweep/sweep.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "core_cycles") at = i } { c[NR] = $at } END { exit !(c[3] > 0 && c[3] == c[4] && c[5] != c[4]) }' || fail "$(cat sweep/sweep.csv)"
"$poise" report sweep -o report.html >/dev/null 2>&1 && grep -q limit report.html
"$poise" --plugin ./limit.so report sweep -o report.html >/dev/null 2>&1 && grep -q limit report.html
cp sweep/sweep.csv first.csv
sweep sweep | grep ' 0 simulated now, 4 from the store' >/dev/null
build limit.so -O0 "$source/tests/e2e/install/consumer/mechanism.c"
sweep sweep | grep ' 2 simulated now, 2 from the store' >/dev/null # those under limit, and no others
cmp first.csv sweep/sweep.csv
if command -v mpirun >/dev/null && [ -z "${POISE_TEST_CFLAGS:-}" ]; then
    mpirun --allow-run-as-root --oversubscribe -n 2 "$poise" sweep spec.yaml --out ranks 2>log.txt || fail "$(cat log.txt)"
    cmp first.csv ranks/sweep.csv
fi

# A tuning.
printf 'schema: 1\nkind: tune\nname: t\nsize: test\nplugins: [./limit.so]\nkernels: [%s]\nmech: limit\nparameters: {N: {from: 1, to: 4}}\nmethod: {name: grid}\n' "$kernel" >tune.yaml
"$poise" tune tune.yaml --out tune --json 2>/dev/null | grep -A3 '"best"' | grep '"N": 2' >/dev/null

# A crash is that run's result: the others are there.
sed 's/return warp_rank_mask/if (set->now > 500) __builtin_trap();\n    &/' "$source/tests/e2e/install/consumer/mechanism.c" >crash.c
build crash.so crash.c
sed 's/limit.so/crash.so/' spec.yaml >crash.yaml
"$poise" sweep crash.yaml --out crash >log.txt 2>&1 && fail "a crash went unseen"
grep -q ' 2 failed' log.txt || fail "$(cat log.txt)"
[ "$(grep -c 'ended by signal' crash/sweep.csv)" = 2 ] && [ "$(grep -c ',gto,\|,swl,' crash/sweep.csv)" = 2 ] || fail "$(cat crash/sweep.csv)"

# What is refused.
refused 'No such file' "$poise" --plugin ./none.so mechs
printf 'text\n' >text.so
refused 'cannot be loaded as a plug-in' "$poise" --plugin ./text.so mechs
echo 'int x;' >empty.c && build empty.so empty.c
refused "no symbol 'poise_plugin'" "$poise" mechs --plugin ./empty.so
build old.so -DPOISE_ABI_H '-DPOISE_ABI="0"' "$source/tests/e2e/install/consumer/mechanism.c"
refused 'headers of another version' "$poise" --plugin ./old.so mechs
build taken.so "-DLIMIT_NAME=\"swl\"" "$source/tests/e2e/install/consumer/mechanism.c"
refused "there is a mechanism 'swl' already" "$poise" --plugin ./taken.so mechs
sed 's/limit.so/text.so/' spec.yaml >text.yaml
refused 'text.yaml:5:.*cannot be loaded' "$poise" sweep text.yaml --out text
refused "no mechanism 'limit'" "$poise" sim --kernel mvt --size test --mech limit
refused 'l1: replacement = lip' "$poise" sim --kernel mvt --size test --set l1.replacement=lip
