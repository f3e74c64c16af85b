# Title: A learned choice of a policy
# Families left out of training: poise choice train, half a CPU minute. Sealed families: the committed models, evaluated.
table=datasets/features/choice/kepler32.csv fifth=datasets/features/choice/kepler32-fifth.csv
trained=$("$poise" choice train "$table" --json)
choice() { # learner, columns, key
    jq -r --arg learner "$1" --arg columns "$2" ".scores[] | select(.learner == \$learner and .columns == \$columns) | $3" <<<"$trained"
}
sealed() { "$poise" choice eval "models/$1.json" "$fifth" --json | jq -r ".scores[1] | $2"; }
train="poise choice train $table" eval="poise choice eval models/choice.json $fifth" window="poise choice eval models/choice-window.json $fifth"
check AA.choice_gap "gap between the best single policy and the best of each launch: part closed by one window of the baseline, 69 families each left out, at least 0.5" \
    "$train" "$(choice "mean of three" both .closed)" "m >= 0.5" "the best of 21 variants; the baseline's counters do not tell TSC+ from Elastic (models/choice.md)"
check AA.choice_gap_low "the same, lower end of its interval over families, above 0" "$train" "$(choice "mean of three" both ".interval[0]")" "m > 0" "69 families"
check AA.choice_trials "the same by 20,000 cycles of each of five policies, without their cost" "$train" "$(choice ridge "5 trials" .closed)" "m >= 0.5" "0.55 by trials of all 17"
check AA.choice_trials_low "the same, lower end of its interval, above 0" "$train" "$(choice ridge "5 trials" ".interval[0]")" "m > 0" ""
check AA.choice_cost "the same with their cost, kernels of 10 M cycles" "$train" "$(choice ridge "5 trials" ".with_cost[2].closed")" "m >= 0.5" "0.49 at 3 M; 0.35 by trials of all 17"
check AA.choice_cost_low "the same, lower end of its interval, above 0" "$train" "$(choice ridge "5 trials" ".with_cost[2].interval[0]")" "m > 0" ""
check AA.choice_sealed "11 families of the fifth sealed set, evaluated once: part closed by trials of five policies, without their cost" "$eval" "$(sealed choice .closed)" "m >= 0.5" "0.78 on 22 families that a model before it had seen"
check AA.choice_sealed_low "the same, lower end of its interval, above 0" "$eval" "$(sealed choice ".interval[0]")" "m > 0" ""
check AA.choice_sealed_cost "the same with their cost, kernels of 10 M cycles" "$eval" "$(sealed choice ".with_cost[2].closed")" "m >= 0.5" "0.73 on the 22 families"
check AA.choice_sealed_cost_low "the same, lower end of its interval, above 0" "$eval" "$(sealed choice ".with_cost[2].interval[0]")" "m > 0" ""
check AA.choice_sealed_window "the same 11 families by one window of the baseline" "$window" "$(sealed choice-window .closed)" "m >= 0.5" "its interval begins at -0.44; 0.18 on the 22 families"
check AA.choice_table "the committed table of launches, bytes, below 150,000" "stat -c %s $table" "$(stat -c %s "$table")" "m < 150000" ""
# A choice within the launch, simulated: what tests/bench/switch.sh | tee results/switch.txt leaves (five CPU minutes); without it the old values stay.
switch=results/switch.txt run=tests/bench/switch.sh
found() { [ ! -e "$switch" ] || awk -v key="$1" '$1 == key { print $2 }' "$switch"; }
handed AA.switch_choice "12 launches of sealed families: part of the gap closed by trials within the launch, at least 0.49" "$run" "$(found closed)" "m >= 0.49" \
    "launches change while they run; 0.20 as computed"
handed AA.switch_long "the same, seven launches of 0.8 to 2.4 M cycles" "$run" "$(found long_closed)" "m >= 0.49" "raymarch; 0.46 without it"
handed AA.switch_computed "these seven, computed from runs of one policy" "$run" "$(found long_computed)" "m >= 0.49" "each trial has the launch's beginning"
handed AA.switch_same "gto to gto, six kernels, two cycles: largest change of a launch's cycles, at most 0.02" "$run" "$(found most)" "m <= 0.02" ""
