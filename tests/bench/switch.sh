#!/bin/bash
# What a change of policy within a launch costs, and what a choice by trials within the launch brings (models/choice.md), simulated and as computed from runs
# of one policy each.   switch.sh [STORE]   (default: results/switch.sqlite; runs that it has are not simulated again). Prints rows and, last, sums for
# tests/house/goals/AA.sh: switch.sh | tee results/switch.txt. Two CPU hours less what the store has.
set -euo pipefail
cd "$(dirname "$0")/../.."
store=${1:-results/switch.sqlite} model=models/choice.json
# one launch of each: of families that the model was not trained on, of size eval, at least 0.8 million core cycles under gto
programs="raymarch mummer swalign bloom dfa md walks louvain permute gpeval shuffles bootstrap"
sim() { build/release/experiments/poise sim --launch 0 --threads 1 --json --store "$store" "$@" 2>/dev/null; }
cycles() { sim "$@" | jq .stats.core_cycles; }

echo "gto to gto, at cycle: cycles of gto alone, with the change, with an L1 that begins empty; cycles of draining"
for k in medstack md louvain mvt shuffles bootstrap; do
    alone=$(cycles --kernel $k)
    for at in 20000 60000; do # a parameter that the plain L1 does not read makes it another one
        kept=$(sim --kernel $k --phase "$at --mech gto" --phase "--mech gto")
        empty=$(cycles --kernel $k --phase "$at --mech gto" --phase "--mech gto --set l1.tsc_delay=7")
        echo "same $k $at $alone $(jq .stats.core_cycles <<<"$kept") $empty $(jq '.launches[0].mech[-1].stats.drain_cycles' <<<"$kept")"
    done
done

mapfile -t policies < <(jq -r '.policies[] | sub("^[^:]*: "; "")' $model)
names=$(jq -c '[.policies[] | sub(":.*"; "")]' $model) trial=$(jq .trial $model)
echo "program: cycles of each policy alone ($names); under the model's choice by trials in the launch, the same without the start before them,"
echo "and as computed from runs of one policy; of draining; what was chosen in the launch, and by trials from its start in runs of their own"
for k in $programs; do
    alone=() insts=()
    for p in "${policies[@]}"; do
        read -ra options <<<"$p"
        run=$(sim --size eval --kernel "$k" "${options[@]}")
        alone+=("$(jq .stats.core_cycles <<<"$run")") total=$(jq .stats.warp_insts <<<"$run")
        insts+=("$(sim --size eval --kernel "$k" "${options[@]}" --max-cycles "$trial" | jq .stats.warp_insts)") || true
    done
    chosen=$(sim --size eval --kernel "$k" --choice $model)
    at_once=$(sim --size eval --kernel "$k" --phase "1 ${policies[0]}" --choice $model)
    jq -r --argjson alone "[$(IFS=,; echo "${alone[*]}")]" --argjson insts "[$(IFS=,; echo "${insts[*]}")]" --argjson total "$total" --arg k "$k" \
        --argjson chosen "$(jq -c '[.stats.core_cycles, .launches[0].mech[-1].stats.drain_cycles, .launches[0].mech[-1].chosen]' <<<"$chosen")" \
        --argjson at_once "$(jq .stats.core_cycles <<<"$at_once")" '
        (.columns | map(sub("^trial_"; ""))) as $columns | [.policies[] | sub(":.*"; "")] as $names | .trial as $trial
        | ($columns | map(. as $c | $insts[$names | index($c)] / $insts[-1] | log)) as $x
        | (.weights | map(. as $w | [range($x | length) | $w[.] * $x[.]] | add + $w[-1])) as $gains
        | ($gains | index(max)) as $best
        | ([0, $total - ($insts | add)] | max) as $left
        | ($trial * ($insts | length) + $left * $alone[$best] / $total | floor) as $computed
        | "choice \($k) \($alone | join(" ")) \($chosen[0]) \($at_once) \($computed) \($chosen[1]) \($chosen[2]) \($names[$best])"' $model
done | tee /dev/stderr | awk '
    $1 == "choice" {
        least = $3
        for (i = 3; i <= 7; i++) if ($i < least) least = $i
        gap += log($3 / least); for (i = 8; i <= 10; i++) lost[i] += log($i / least)
        n++
    }
    END { printf "sum %d programs: gap %.3f in ln, closed in the launch %.3f, without a start %.3f, computed %.3f\n", n, gap / n, 1 - lost[8] / gap, 1 - lost[9] / gap, 1 - lost[10] / gap }'
