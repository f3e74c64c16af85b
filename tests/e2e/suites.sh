#!/bin/bash
# Builds, runs and checks all suites that POISE_SUITES names, and prints a row for each: suites.sh [--build BUILD] [OPTIONS OF poise suite check]
# POISE_SUITES has them one behind another with ':' between: NAME.suite.yaml files, NAME=DIR or DIR (checkouts, of which a draft is made).
# Without it: skipped. Exit status 1: a program of a suite was wrong; programs that fail are counted, not held against it.
set -u
source=$(cd "$(dirname "$0")/../.." && pwd) build=
[ "${1-}" = --build ] && { build=$(cd "$2" && pwd); shift 2; }
poise=${build:-$source/build/release}/experiments/poise
[ -n "${POISE_SUITES-}" ] || { echo "suites.sh: skipped: POISE_SUITES names no suite"; exit 77; }
[ -x "$poise" ] || { echo "suites.sh: $poise is not built" >&2; exit 2; }
IFS=: read -ra entries <<<"$POISE_SUITES"
unset POISE_SUITES
here=$PWD work=$(mktemp -d) wrong=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
absolute() { case $1 in /*) echo "$1" ;; *) echo "$here/$1" ;; esac; }
echo "| suite | programs | built | ran | right | nothing to check | wrong | failed |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
for entry in "${entries[@]}"; do
    case $entry in
    *.suite.yaml) suite=$(absolute "$entry") name=$(basename "$entry" .suite.yaml) ;;
    *=*) name=${entry%%=*} suite=$name; "$poise" suite add "$name" "$(absolute "${entry#*=}")" >&2 || exit 2 ;;
    *) name=$(basename "$entry" | tr -c 'A-Za-z0-9_\n-' _) suite=$name; "$poise" suite add "$name" "$(absolute "$entry")" >&2 || exit 2 ;;
    esac
    "$poise" suite check "$suite" --json "$@" >"$name.json"
    [ $? -le 1 ] || exit 2
    jq -r '.suite as $s | .totals | "| \($s) | \(.programs) | \(.built) | \(.ran) | \(.right) | \(.nothing_to_check) | \(.wrong) | \(.failed) |"' "$name.json"
    jq -r '.programs[] | select(.built == "no" or .ran == "no" or .check == "wrong") | "\(.kernel): \(if .check == "wrong" then "wrong" else .kind end): \(.why)"' "$name.json" >&2
    [ "$(jq .totals.wrong "$name.json")" = 0 ] || wrong=1
done
exit $wrong
