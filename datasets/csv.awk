# A Markdown table as CSV: the rule under the head goes, cells lose blanks and backquotes, those with a comma get quotes.
/^\|[-| ]*$/ { next }
/^\|/ {
    gsub(/^\| *| *\|$/, "")
    n = split($0, cell, / *\| */)
    for (i = 1; i <= n; i++) {
        gsub(/`/, "", cell[i])
        if (cell[i] ~ /[",]/) { gsub(/"/, "\"\"", cell[i]); cell[i] = "\"" cell[i] "\"" }
        printf "%s%s", cell[i], i < n ? "," : "\n"
    }
}
