# Which files of a library may be one translation unit: those whose names at file scope differ, and differ from those of the headers that the others
# include. A line a file: "group<TAB>path"; a file that includes with a macro set, undefines one, or includes <complex.h> (which defines I)
# has no line and is compiled alone. It relies on our format: what is declared at file scope begins in the first column.
#   awk -f unity.awk -v most=8 FILES HEADERS
function declares(name) {
    if (name != "" && !((FILENAME, name) in has)) {
        has[FILENAME, name] = 1
        names[FILENAME] = names[FILENAME] " " name
    }
}
function last_word(text) { return match(text, /[A-Za-z_][A-Za-z_0-9]*[ ]*$/) ? substr(text, RSTART, RLENGTH) : "" }
function trimmed(text) { gsub(/[ *]/, "", text); return text }
function enumerators(text,    i, count, parts) {
    sub(/\/\*.*/, "", text)
    count = split(text, parts, ",")
    for (i = 1; i <= count; i++) {
        sub(/[=}].*/, "", parts[i])
        declares(trimmed(parts[i]))
    }
}
# Names of the headers that `file` includes, and of those that they include, in headers_names.
function gather(file,    i, count, parts) {
    count = split(includes[file], parts, " ")
    for (i = 1; i <= count; i++)
        if ((parts[i] in path_of) && !(path_of[parts[i]] in seen)) {
            seen[path_of[parts[i]]] = 1
            headers_names = headers_names names[path_of[parts[i]]]
            gather(path_of[parts[i]])
        }
}
FNR == 1 {
    defined = inside = 0
    if (FILENAME ~ /\.c$/) files[++n] = FILENAME
    else for (rest = FILENAME; sub(/^[^\/]*\//, "", rest);) path_of[rest] = FILENAME # by every ending of its path
}
/^#include "/ { name = $2; gsub(/"/, "", name); includes[FILENAME] = includes[FILENAME] " " name }
/^#undef|complex\.h|lapacke\.h/ { alone[FILENAME] = 1 }
/^#define/ { name = $2; sub(/\(.*/, "", name); declares(name); defined = 1 }
/^#include/ { if (defined) alone[FILENAME] = 1 }
inside {
    enumerators($0)
    if (/}/) inside = 0
}
/^}/ { text = $0; sub(/^} */, "", text); sub(/[[=;,].*/, "", text); declares(trimmed(text)) } # static struct { .. } name
/^ +[A-Za-z_0-9]+ = \{/ { declares($1) } # static const struct row a = {..},\n b = {..}
/^[A-Za-z_]/ {
    if (match($0, /^(static |const |typedef )*(struct|enum|union) [A-Za-z_0-9]+ \{/))
        declares(trimmed(last_word(substr($0, RSTART, RLENGTH - 2))))
    if (/^(typedef )?enum [A-Za-z_0-9]* *\{/) {
        text = $0
        sub(/^[^{]*\{/, "", text)
        enumerators(text)
        inside = !/}/
        next
    }
    if (FILENAME ~ /\.c$/ && !/^static/) next # what it defines for others has one name in the library
    text = $0
    sub(/[([={;].*/, "", text)
    count = split(text, parts, ",")
    for (i = 1; i <= count; i++) declares(trimmed(last_word(parts[i])))
}
END {
    for (f = 1; f <= n; f++) {
        file = files[f]
        if (file in alone) continue
        split("", seen)
        headers_names = ""
        gather(file)
        count = split(names[file], mine, " ")
        count_theirs = split(headers_names, theirs, " ")
        for (g = 1;; g++) {
            fits = size[g] < most
            for (i = 1; fits && i <= count; i++) fits = !((g, mine[i]) in own) && !((g, mine[i]) in included)
            for (i = 1; fits && i <= count_theirs; i++) fits = !((g, theirs[i]) in own)
            if (fits) break
        }
        size[g]++
        for (i = 1; i <= count; i++) own[g, mine[i]] = 1
        for (i = 1; i <= count_theirs; i++) included[g, theirs[i]] = 1
        print g "\t" file
    }
}
