#!/bin/bash
# What a choice by trials within the launch brings (models/choice.md), simulated and as computed from runs of one policy each, and what a change of policy
# costs.   switch.sh [STORE]   (default: results/switch.sqlite; runs that it has are not simulated again). Prints rows, and last those that
# tests/house/goals/AA.sh reads: switch.sh | tee results/switch.txt. Five CPU minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
store=${1:-results/switch.sqlite} model=models/choice.json
sim() { build/release/experiments/poise sim --launch 0 --threads 1 --json --store "$store" "$@" 2>/dev/null; }
cycles() { sim "$@" | jq .stats.core_cycles; }

mapfile -t policies < <(jq -r '.policies[] | sub("^[^:]*: "; "")' $model)
trial=$(jq .trial $model)
echo "choice, program; cycles of each policy alone: $(jq -r '[.policies[] | sub(":.*"; "")] | join(" ")' $model); under the model's choice by trials in the launch,"
echo "and as computed from runs of one policy; cycles of draining; what was chosen in the launch, and by trials that all begin with it"
choice() { # a program and a size: its first launch
    local alone=() insts=() options run total chosen
    for p in "${policies[@]}"; do
        read -ra options <<<"$p"
        run=$(sim --size "$2" --kernel "$1" "${options[@]}")
        alone+=("$(jq .stats.core_cycles <<<"$run")") total=$(jq .stats.warp_insts <<<"$run")
        insts+=("$(sim --size "$2" --kernel "$1" "${options[@]}" --max-cycles "$trial" | jq .stats.warp_insts)") || true
    done
    chosen=$(sim --size "$2" --kernel "$1" --choice $model)
    jq -r --argjson alone "[$(IFS=,; echo "${alone[*]}")]" --argjson insts "[$(IFS=,; echo "${insts[*]}")]" --argjson total "$total" --arg k "$1" \
        --argjson chosen "$(jq -c '[.stats.core_cycles, .launches[0].mech[-1].stats.drain_cycles, .launches[0].mech[-1].chosen]' <<<"$chosen")" '
        (.columns | map(sub("^trial_"; ""))) as $columns | [.policies[] | sub(":.*"; "")] as $names | .trial as $trial
        | ($columns | map(. as $c | $insts[$names | index($c)] / $insts[-1] | log)) as $x
        | (.weights | map(. as $w | [range($x | length) | $w[.] * $x[.]] | add + $w[-1])) as $gains
        | ($gains | index(max)) as $best
        | ([0, $total - ($insts | add)] | max) as $left
        | ($trial * ($insts | length) + $left * $alone[$best] / $total | floor) as $computed
        | "choice \($k) \($alone | join(" ")) \($chosen[0]) \($computed) \($chosen[1]) \($chosen[2]) \($names[$best])"' $model
}
rows=$(# of families that the model was not trained on
    for k in packmv permute louvain bootstrap shuffles; do choice $k small; done
    for k in raymarch mummer swalign bloom dfa md walks; do choice $k eval; done)
echo "$rows"

echo "same, kernel, at cycle: cycles of gto alone, of gto and then gto, and with an L1 that begins empty; cycles of draining"
for k in medstack md louvain mvt shuffles bootstrap; do
    alone=$(cycles --kernel $k)
    for at in 20000 60000; do # a parameter that the plain L1 does not read makes it another one
        kept=$(sim --kernel $k --phase "$at --mech gto" --phase "--mech gto")
        empty=$(cycles --kernel $k --phase "$at --mech gto" --phase "--mech gto --set l1.tsc_delay=7")
        echo "same $k $at $alone $(jq .stats.core_cycles <<<"$kept") $empty $(jq '.launches[0].mech[-1].stats.drain_cycles' <<<"$kept")"
    done
done | awk '{ print; d = $6 / $4 - 1; if (d < 0) d = -d; if (d > most) most = d } END { printf "most %.4f\n", most }'
awk '
    {
        least = $3 # the first is the best single policy
        for (i = 3; i <= 7; i++) if ($i < least) least = $i
        gap = log($3 / least)
        for (set = 1; set <= 2; set++) { # all, and the longer ones
            if (set == 2 && NR <= 5) continue
            n[set]++; gaps[set] += gap; simulated[set] += log($8 / least); computed[set] += log($9 / least)
        }
    }
    END {
        printf "gap %.3f\nclosed %.3f\ncomputed %.3f\nlong_gap %.3f\n", gaps[1] / n[1], 1 - simulated[1] / gaps[1], 1 - computed[1] / gaps[1], gaps[2] / n[2]
        printf "long_closed %.3f\nlong_computed %.3f\n", 1 - simulated[2] / gaps[2], 1 - computed[2] / gaps[2]
    }' <<<"$rows"
