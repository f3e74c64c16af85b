# Title: Poise on the thesis's own programs
# Poise on the thesis's own programs. CAUSES: what `poise repro thesis-5.9-causes --on polybench --json` printed (minutes; the suites are not in
# this repository). Without it the old values stay.
of_suite() { # file, label
    [ -s "${1:-}" ] && jq -r --arg name "$2" 'first(.rows[] | select(.label == $name)) | .suite' "$1" || true
}
originals=experiments/results/originals.csv
on59="poise repro thesis-5.9 --on polybench,rodinia,mars, stored in $originals"
share="of Static-Best's gain, in logarithms"
stored() { # label
    python3 -c 'import csv, sys
print(next(r["originals"] for r in csv.DictReader(open(sys.argv[1])) if (r["study"], r["what"]) == ("thesis-5.9", sys.argv[2])))' $originals "$1"
}
check U.share_published "eleven original programs, Poise with published weights: share $share, at least 0.7 (thesis 0.90)" "$on59" \
    "$(stored "Poise, published weights: $share")" "m >= 0.7" "sampling separates warps that ran in step (sim/mech/POISE.md)"
check U.share_nb2 "the same with our NB2 by maximum likelihood" "$on59" "$(stored "Poise: $share")" "m >= 0.7" "it predicts three warps too many"
check U.share_ridge "the same with NB2 and a ridge" "$on59" "$(stored "Poise, NB2 with a ridge: $share")" "m >= 0.7" "as with the published weights"
handed U.bfs_search "bfs of Rodinia, 1,000,000 vertices, published weights: what the search gains over none, times, above 1" \
    "poise sim --kernel rodinia/bfs --config kepler32 --mech poise,model=models/poise-thesis.json[,epsilon_N=0,epsilon_p=0]" "${BFS_SEARCH:-}" "m > 1" ""
handed U.search "four original programs, published weights: what the search gains over none, times (thesis 1.19)" "poise repro thesis-5.9-causes --on polybench" \
    "$([ -s "${CAUSES:-}" ] && jq -rn --argjson a "$(of_suite "$CAUSES" "published weights")" --argjson b "$(of_suite "$CAUSES" "no search")" '$a / $b' || true)" "m > 1" ""
