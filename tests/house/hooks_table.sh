#!/bin/bash
# The last column of the table of hooks in sim/gpu/READ_ME_FIRST.md names the mechanisms that set one of the row's hooks, and no other.
# What stands in brackets there says which of them a mechanism sets, and is not looked at.
set -euo pipefail
cd "$(dirname "$0")/../.."

users() { # of a hook; atom_unit.h has what its mechanisms share
    { grep -lE "\.$1 = " sim/mech/*.c sim/mech/atom_unit.h || true; } | sed 's#.*/##; s#\.[ch]$##; s#^atom_unit$#atomnaive\natomdir#'
}
wrong=0
while IFS='|' read -r _ hooks _ _ by _; do
    said=$(sed 's/([^)]*)//g' <<<"$by" | grep -o '`[^`]*`' | tr -d '`' | sort -u)
    is=$(for hook in $(grep -o '`[^`]*`' <<<"$hooks" | tr -d '`'); do users "$hook"; done | sort -u)
    [ "$said" = "$is" ] && continue
    wrong=1
    echo "sim/gpu/READ_ME_FIRST.md:$hooks: used by $(tr '\n' ' ' <<<"$is")" >&2
done < <(grep -E '^\| `(warp|load|on|request|atomic|epoch|miss|l2)_?[a-z_0-9]*`' sim/gpu/READ_ME_FIRST.md)
exit $wrong
