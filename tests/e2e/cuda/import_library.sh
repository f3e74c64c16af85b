#!/bin/bash
# A library to link with that has the names of another and nothing behind them; which one runs, the library path says.
# Usage: import_library.sh LIBRARY OUT
code=$(mktemp --suffix=.c)
trap 'rm "$code"' EXIT
nm -D "$1" | awk '$2 == "T" && $3 ~ /^cu[A-Z]/ {print "void " $3 "(void); void " $3 "(void) {}"}' >"$code"
cc -shared -fPIC -Wl,-soname,"$(basename "$1")" "$code" -o "$2"
