# Learning, second part. Needs results/quickstart (experiments/quickstart.sh).
gain() { # a policy's share of Static-Best's gain over GTO, in logarithms of the harmonic means
    jq -r --arg policy "$1" '.hmean as $h | ($h[$policy] // (.contenders[] | select(.name == $policy) | .hmean)) as $s | ($s | log) / ($h.static_best | log)' "$summary"
}
check Z.nb2 "NB2 with a penalty chosen on training: share of Static-Best's gain on the eleven, in logarithms, at least 0.65" "experiments/quickstart.sh" \
    "$(gain poise)" "m >= 0.65" "model version 4; the eleven have been looked at before, so they are development"
check Z.nb2_maximum_likelihood "the same regression as published, by maximum likelihood" "experiments/quickstart.sh" "$(gain maximum_likelihood)" "m >= 0.65" \
    "eight features that depend on each other, 31 rows of three benchmarks: it predicts beyond what it was trained on"
