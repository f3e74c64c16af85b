#!/bin/bash
# The picture of the machine, sim/gpu/machine.svg, from its map: the table of stages in sim/gpu/READ_ME_FIRST.md, and the kinds of unit in
# sim/gpu/machine/unit_list.def. A stage stands in the row of the unit that its files belong to.
#   machine_picture.sh           draws it anew
#   machine_picture.sh --check   fails if the picture is not that of the map
set -euo pipefail
cd "$(dirname "$0")/../../sim/gpu"

draw() {
    awk -F '|' '
    BEGIN { BOX = 132; GAP = 14; LEFT = 120; HIGH = 82; LINES = 4; CHARS = 24 }
    function plain(s) { gsub(/`|\*\*/, "", s); gsub(/\[|\]\([^)]*\)/, "", s); gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
    function trim(s) { gsub(/^ +| +$/, "", s); return s }
    # The unit whose files these are.
    function unit_of(files) {
        if (files ~ /machine\/network|net\//) return "network"
        if (files ~ /cache\/l2/) return "banks"
        if (files ~ /memory\/|machine\/channel/) return "channels"
        return files ~ /^plan\// ? "plan" : "sms"
    }
    function box_y(i) { return row_y[unit[i]] + (branch[i] ? HIGH + 12 : 0) }
    function text(x, y, size, weight, s) {
        printf "<text x=\"%d\" y=\"%d\" font-size=\"%d\" font-weight=\"%s\">%s</text>\n", x, y, size, weight, s
    }
    # The begin of what happens, in lines; all of it is the tooltip of the box.
    function wrapped(x, y, s,   words, k, n_words, line, lines) {
        n_words = split(s, words, " ")
        for (k = 1; k <= n_words; k++) {
            if (line != "" && length(line) + 1 + length(words[k]) > CHARS) {
                if (++lines == LINES) { text(x, y, 9, "normal", line " .."); return }
                text(x, y, 9, "normal", line); y += 11; line = ""
            }
            line = line (line == "" ? "" : " ") words[k]
        }
        text(x, y, 9, "normal", line)
    }
    FNR == 1 { file++ }
    file == 1 && /^UNITS\(/ {
        split($0, f, /[(,]/); id = trim(f[2]); name = trim(f[3]); gsub(/"/, "", name)
        units[++n_units] = id; names[id] = name; clocks[id] = trim(f[4])
    }
    file == 2 && /^\| [0-9]+b? \|/ {
        stage[++n] = trim($2); where = trim($3); what[n] = plain(trim($4)); waits[n] = plain(trim($5))
        branch[n] = stage[n] ~ /b$/
        first = where; sub(/,.*/, "", first); split(plain(first), f, " ")
        files = plain(where); unit[n] = unit_of(files); base = f[1]; sub(/.*\//, "", base)
        source[n] = base; calls[n] = f[2]; column[n] = branch[n] ? column[n - 1] : ++columns
        used[unit[n]] = 1
        if (branch[n]) branches[unit[n]] = 1
    }
    END {
        names["plan"] = "before the run"; order[1] = "plan"; rows = 1
        for (i = 1; i <= n_units; i++) if (used[units[i]]) order[++rows] = units[i]
        width = LEFT + columns * (BOX + GAP) + 10; height = 40
        for (r = 1; r <= rows; r++) {
            row_y[order[r]] = height; row_high[r] = (branches[order[r]] ? 2 * HIGH + 12 : HIGH) + 16; height += row_high[r] + 6
        }
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" fill=\"#222\">\n", width, height
        print "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">" \
              "<path d=\"M0 0 8 4 0 8z\" fill=\"#456\"/></marker></defs>"
        printf "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height
        text(10, 18, 13, "bold", "A global load through the machine: stages of READ_ME_FIRST.md, in the rows of their units")
        for (r = 1; r <= rows; r++) {
            id = order[r]
            printf "<rect x=\"4\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\"/>\n", row_y[id] - 8, width - 8, row_high[r], r % 2 ? "#eef3f7" : "#f7f3ec"
            text(12, row_y[id] + 14, 12, "bold", names[id])
            if (clocks[id] != "") text(12, row_y[id] + 30, 10, "normal", clocks[id] " clock")
        }
        last = 0
        for (i = 1; i <= n; i++) {
            x = LEFT + (column[i] - 1) * (BOX + GAP); y = box_y(i)
            if (branch[i]) {
                printf "<path d=\"M%d %dV%d\" stroke=\"#456\" stroke-dasharray=\"3 2\" fill=\"none\" marker-end=\"url(#end)\"/>\n", x + BOX / 2, box_y(last) + HIGH, y
            } else if (last) {
                from = LEFT + (column[last] - 1) * (BOX + GAP) + BOX; at = box_y(last) + HIGH / 2; to = y + HIGH / 2
                printf "<path d=\"M%d %dH%dV%dH%d\" stroke=\"#456\" stroke-width=\"1.5\" fill=\"none\" marker-end=\"url(#end)\"/>\n", from, at, from + GAP / 2 - 1, to, x
            }
            if (!branch[i]) last = i
        }
        for (i = 1; i <= n; i++) {
            x = LEFT + (column[i] - 1) * (BOX + GAP); y = box_y(i)
            printf "<g><title>%s: %s. Waits for: %s</title>\n", stage[i], what[i], waits[i]
            printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" fill=\"#fff\" stroke=\"#456\"/>\n", x, y, BOX, HIGH
            text(x + 5, y + 13, 10, "bold", stage[i] "  " calls[i])
            text(x + 5, y + 25, 9, "bold", source[i])
            wrapped(x + 5, y + 38, what[i])
            print "</g>"
        }
        print "</svg>"
    }' machine/unit_list.def READ_ME_FIRST.md
}

if [ "${1:-}" = --check ]; then
    draw | cmp - machine.svg || { echo "sim/gpu/machine.svg is not that of the map: tests/house/machine_picture.sh" >&2; exit 1; }
else
    draw >machine.svg.tmp && mv machine.svg.tmp machine.svg
fi
