#!/bin/bash
# Is every C file of the project formatted as .clang-format says, and no line longer than it allows? Prints what is not.
# clang-format of other versions than 14 breaks lines elsewhere: without that one, only the lengths are checked.
#
# usage: tests/house/format.sh [--fix]
set -euo pipefail
cd "$(dirname "$0")/../.."
mapfile -t files < <(git ls-files -co --exclude-standard '*.c' '*.h' 2>/dev/null || find datasets experiments features learn models sim tests -name '*.[ch]')
formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -n "$formatter" ] && "$formatter" --version | grep -q 'version 14\.'; then
    if [ "${1:-}" = --fix ]; then printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 40 "$formatter" -i; fi
    # Checksums of files that were right once, under this .clang-format: those are not read again.
    known=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/poise/formatted-$(sha256sum <.clang-format | cut -c1-16)
    sums=$(sha256sum "${files[@]}")
    { printf '%s\n' "$sums" | grep -vFf "$([ -r "$known" ] && echo "$known" || echo /dev/null)" || true; } | cut -c67- |
        xargs -d '\n' -r -P "$(nproc)" -n 40 "$formatter" --dry-run -Werror ||
        { echo "not formatted as .clang-format says: tests/house/format.sh --fix"; exit 1; }
    mkdir -p "${known%/*}" 2>/dev/null && printf '%s\n' "$sums" | cut -c1-64 >"$known.$$" && mv "$known.$$" "$known" || true
else
    echo "no clang-format 14: only the lengths of lines are checked"
fi
export LC_ALL=C.UTF-8
if grep -nE '^.{121,}$' "${files[@]}"; then
    echo "longer than 120 columns"
    exit 1
fi
