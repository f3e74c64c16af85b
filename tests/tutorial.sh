#!/bin/bash
# Runs every command of experiments/TUTORIAL.md in an empty folder and compares what it prints with what the page shows. Needs a whole build.
#   tests/tutorial.sh [--list]
# In blocks ```console a line '$ ...' is a command, other lines are its standard output; '...' stands for any lines, and a number with a decimal
# point may differ by one in its last digit. A block ```yaml or ```c becomes the file that its first line names. Exit status 1 where anything differs.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
page=$root/experiments/TUTORIAL.md
case ${1:-} in
--list) sed -n '/^```console/,/^```$/s/^\$ //p' "$page"; exit 0 ;;
'') ;;
*) echo "tests/tutorial.sh: unknown argument '$1'; --list is known" >&2; exit 2 ;;
esac
program=$root/build/release/experiments/poise
[ -x "$program" ] || { echo "$program is not built: cmake --preset release && cmake --build --preset release" >&2; exit 1; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/poise-tutorial-XXXXXX")
trap 'rm -rf "$dir"' EXIT
for path in "$root"/*; do [ "${path##*/}" = results ] || ln -s "$path" "$dir/"; done
cd "$dir"
export XDG_CACHE_HOME=$dir/cache
unset POISE_TRACES POISE_KERNELS POISE_PROGRAMS POISE_CONFIGS POISE_CUDA_LIB POISE_CUDA_INCLUDE

# matches WANT GOT: line by line; prints the first line of WANT that is not there.
matches() {
    awk '
    function same(a, b,   n, m) { # equal but for the last digit of numbers with a point
        while (a != b) {
            if (!match(a, /[0-9]+\.[0-9]+/)) return 0
            n = substr(a, RSTART, RLENGTH)
            if (substr(a, 1, RSTART - 1) != substr(b, 1, RSTART - 1)) return 0
            a = substr(a, RSTART + RLENGTH)
            b = substr(b, RSTART)
            if (!match(b, /^[0-9]+\.[0-9]+/)) return 0
            m = substr(b, 1, RLENGTH)
            b = substr(b, RLENGTH + 1)
            if (length(m) != length(n) || (n - m) ^ 2 > 1.21 * 10 ^ (-2 * (length(n) - index(n, ".")))) return 0
        }
        return 1
    }
    { sub(/[ \t\r]+$/, "") }
    NR == FNR { want[++n_want] = $0; next }
    { got[++n_got] = $0 }
    END {
        at = 1
        for (i = 1; i <= n_want; i++) {
            if (want[i] == "...") { skip = 1; continue }
            while (skip && at <= n_got && !same(want[i], got[at])) at++
            if (at > n_got || !same(want[i], got[at])) { print "expected: " want[i]; print "     got: " got[at]; exit 1 }
            at++
            skip = 0
        }
        if (!skip && at <= n_got) { print "unexpected: " got[at]; exit 1 }
    }' "$1" "$2"
}

n=0 command= state=text file=
: >"$dir/want.txt"
run() { # the command that was read, if any; exports live on, as in a shell
    [ -n "$command" ] || return 0
    n=$((n + 1))
    if ! eval "$command" </dev/null >got.txt 2>err.txt; then
        printf 'this command of TUTORIAL.md failed: %s\n' "$command" >&2
        tail -n 5 got.txt err.txt >&2
        exit 1
    fi
    if ! matches want.txt got.txt >differs.txt; then
        printf 'TUTORIAL.md shows another output of: %s\n%s\n' "$command" "$(cat differs.txt)" >&2
        exit 1
    fi
    command=
    : >want.txt
}
while IFS= read -r line; do
    case $state:$line in
    'text:```console') state=console ;;
    'text:```yaml' | 'text:```c') state=file file= ;;
    console:'```') run; state=text ;;
    file:'```') state=text ;;
    'console:$ '*) run; command=${line#'$ '} ;;
    console:*) printf '%s\n' "$line" >>want.txt ;;
    file:*)
        if [ -z "$file" ]; then
            file=$(grep -oE 'results/[a-z.]+' <<<"$line")
            : >"$file"
        fi
        printf '%s\n' "$line" >>"$file"
        ;;
    esac
done <"$page"
[ $n -ge 15 ] || { echo "TUTORIAL.md has only $n commands" >&2; exit 1; }
echo "$n commands of TUTORIAL.md print what it shows"
