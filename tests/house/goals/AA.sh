# Title: A learned choice of a policy
# Families left out of training: poise choice train, half a CPU minute. Sealed families: the committed models, evaluated.
table=datasets/features/choice/kepler32.csv
trained=$("$poise" choice train "$table" --json)
choice() { # learner, columns, key
    jq -r --arg learner "$1" --arg columns "$2" ".scores[] | select(.learner == \$learner and .columns == \$columns) | $3" <<<"$trained"
}
sealed() { "$poise" choice eval "models/$1.json" "$table" --json | jq -r ".scores[1] | $2"; }
train="poise choice train $table" eval="poise choice eval models/choice.json $table" window="poise choice eval models/choice-window.json $table"
check AA.choice_gap "gap between the best single policy and the best of each launch: part closed by one window of the baseline, 69 families each left out, at least 0.5" \
    "$train" "$(choice "mean of three" both .closed)" "m >= 0.5" "the best of 21 variants; 0.26 with 46 families, so more of them do not help; the baseline's counters do not tell TSC+ from Elastic (models/choice.md)"
check AA.choice_gap_low "the same, lower end of its interval over families, above 0" "$train" "$(choice "mean of three" both ".interval[0]")" "m > 0" "69 families"
check AA.choice_trials "the same by 20,000 cycles of each policy" "$train" "$(choice ridge trials .closed)" "m >= 0.5" \
    "ridge, which ships; half of the launches end within a trial, 0.58 on those of 40,000 cycles and more"
check AA.choice_trials_low "the same, lower end of its interval, above 0" "$train" "$(choice ridge trials ".interval[0]")" "m > 0" ""
check AA.choice_sealed "the same on 22 sealed families, evaluated once" "$eval" "$(sealed choice .closed)" "m >= 0.5" "looks at each policy; 41 launches"
check AA.choice_sealed_low "the same, lower end of its interval, above 0" "$eval" "$(sealed choice ".interval[0]")" "m > 0" "-0.24 on the 21 launches of 40,000 cycles and more"
check AA.choice_sealed_window "the same on the sealed families by one window of the baseline" "$window" "$(sealed choice-window .closed)" "m >= 0.5" "its interval begins at 0.02"
check AA.choice_table "the committed table of launches, bytes, below 150,000" "stat -c %s $table" "$(stat -c %s "$table")" "m < 150000" ""
