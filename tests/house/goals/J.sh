# Title: The papers' statements
# How much of each paper holds, from experiments/results/studies.csv: statements in words, and values by direction, order and magnitude. What an older
# model version measured does not count.
# FAULTS: $(tests/faults.sh | grep -c ' holds '), with all tests built.
handed J.faults "faults of model version 2 whose named test holds, of $(grep -cE '^[0-9]+[a-z]? +[a-z]' tests/faults.sh)" "tests/faults.sh" "${FAULTS:-}" \
    "m == $(grep -cE '^[0-9]+[a-z]? +[a-z]' tests/faults.sh)" ""
count="poise repro --results experiments/results/studies.csv --count"
counts=$("$poise" repro --results experiments/results/studies.csv --count --json)
holds() { # row's id, paper, what, the share of its statements that is asked for
    local of held values direction order magnitude
    read -r of held values direction order magnitude <<<"$(jq -r --arg p "$2" \
        '.papers[] | select(.paper == $p) | "\(.statements) \(.hold) \(.values) \(.direction) \(.order) \(.magnitude)"' <<<"$counts")"
    check "J.$1" "$3, statements that hold, of $of" "$count" "$held" "m >= $4 * $of" \
        "$values values: direction $direction, order $order, magnitude $magnitude"
}
holds chapter3 "THESIS 3" "THESIS chapter 3" 34/37
holds chapter4 "THESIS 4" "THESIS chapter 4" 0.85
holds chapter5 "THESIS 5" "THESIS chapter 5" 0.85
holds techniques TECHNIQUES TECHNIQUES 0.85
holds tsc TSC TSC 32/36
holds elastic ELASTIC ELASTIC 20/26
holds bucl BUCL BUCL 22/26
check J.magnitude "the papers' values that are within 1.5 times, %" "$count" \
    "$(jq '[.papers[] | select(.paper != "ours")] | 1000 * (map(.magnitude) | add) / (map(.values) | add) | round / 10' <<<"$counts")" "m >= 50" ""
check J.older "studies with figures of an older model version" "$count" \
    "$(jq '[.papers[].older_version] | add' <<<"$counts")" "m == 0" "learned-1, -gate, -lengths, -programs, -sealed"
