# Title: Corrections of model version 2
# Model version 3. STUDIES_BEFORE, STUDIES_AFTER: folders of `poise repro --all --out DIR` by the version before it and by this one;
# without them the old values stay.
faults=$(tests/faults.sh | grep -c ' holds ' || true)
check J.faults "faults of model version 2 whose named test holds, of $(grep -cE '^[0-9]+[a-z]? +[a-z]' tests/faults.sh)" "tests/faults.sh" "$faults" \
    "m == $(grep -cE '^[0-9]+[a-z]? +[a-z]' tests/faults.sh)" ""
statements() { # folder, pattern of studies: statements that hold, of all
    [ -n "$1" ] || return 0
    (shopt -s nullglob extglob; cd "$1" && cat $2 | grep -oE '"holds": (true|false)' | awk '{n++; h += $2 == "true"} END {print h + 0, n + 0}')
}
chapter() { # id, what, pattern
    local before after
    before=$(statements "${STUDIES_BEFORE:-}" "$3") after=$(statements "${STUDIES_AFTER:-}" "$3")
    handed "J.$1_before" "$2, statements that hold by model version 2, of ${before#* }" "poise repro --all --mode quick, version 2" "${before% *}" "m == ${before#* }" "corrected in version 3"
    handed "J.$1" "$2, statements that hold by model version 3, of ${after#* }" "poise repro --all --mode quick" "${after% *}" "m == ${after#* }" \
        "experiments/DEVIATIONS.md has the reasons"
}
chapter chapter3 "THESIS chapter 3" "thesis-3*.json thesis-tab-3*.json"
chapter chapter5 "THESIS chapter 5" "thesis-5!(.9-causes).json thesis-tab-5*.json"
chapter bucl "BUCL" "bucl*.json"
