#!/bin/bash
# That a change of the timing model's code changes no result: the full statistics of 232 runs (launches, machines, stacks of mechanisms, parameters
# that few machines set, and every cycle ticked), as one hash a run, against those on record in same.txt. A change that is meant to change results
# raises SIM_MODEL_VERSION and writes them anew.
#   same.sh [--full] [POISE]    compares every fourth run, or with --full all of them; names those that differ. POISE: the program
#   same.sh --write [POISE]     writes same.txt anew, all runs
#   same.sh --list              prints the runs
set -euo pipefail
cd "$(dirname "$0")/../.."
record=tests/bench/same.txt mode=short poise=build/release/experiments/poise
while [ $# -gt 0 ]; do
    case $1 in
    --full) mode=full ;;
    --write) mode=write ;;
    --list) mode=list ;;
    -*) sed -n '2,7s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) poise=$1 ;;
    esac
    shift
done

engine=poise,model=models/poise-thesis.json,T_period=9000,T_warmup=300,T_feature=1500,T_correct=600
launches=(mvt-batched/0 atax-batched/0 bicg-batched/1 gsmv-batched/0 syrk-panel/0 syr2k-panel/0 mm/4 ii/0 ss/1 bfs-words/8 kmeans-rows/0)
presets=(kepler16 fermi15 fermi15-hash fermi15-tsc kepler32-linear kepler32-x4l1 accelsim32 volta80 titanv titanx thesis-ch3-l1-l2)
qv100=tests/reference/accelsim/volta/SM7_QV100.config # a request a sector
# What few presets set: each is a way through a cache, a queue or a clock that the others do not take.
sets=("l1.streaming=1" "l1.organisation=sectored" "l1.organisation=sectored l2.organisation=sectored" "l1.set_index=linear l1.sets=1 l1.ways=128" "l1.streaming=1 l1.set_index=linear l1.sets=1 l1.ways=128"
    "l1.local_stores=back" "l1.local_stores=back_allocate l1.organisation=sectored" "l1.write_hit=through" "l1.banks=4 l1.bank_bytes=32" "l1.late_lookup=1"
    "l1.mshr_merge=1" "l1.miss_queue=2" "l1.ways=1 l1.mshrs=64" "l1.ways=6" "l2.write_miss=through" "l2.write_miss=allocate" "lsu.pending_requests=10" "l2.merge_touches=1" "l2.fill_port=1" "l2.miss_queue=4 l2.access_queue=2"
    "l2.mshrs=4 l2.mshr_merge=1" "l2.ways=2" "l2.sets=1 l2.ways=64" "l2.organisation=sectored" "xbar.speedup=2" "lsu.const_sets=4" "ideal.memory=infinite" "ideal.memory=dram" "ideal.memory=fixed ideal.latency_cycles=200"
    "ideal.perfect_l1=1" "dram.outstanding=24" "core.schedulers=4" "core.sms=4" "fetch.ideal=1")

# launch, size, cycles, machine, stack, and what is set or asked besides
runs() {
    local l m p s
    for l in "${launches[@]}"; do
        for m in gto tuple,N=6,p=2 swl,N=2 ccws pcal,N=8 "$engine"; do echo "$l small 48000 kepler32 $m"; done
    done
    for p in "${presets[@]}"; do
        for l in mvt-batched/0 syr2k-panel/0 bfs-words/8; do echo "$l small 36000 $p gto"; done
        echo "kmeans-rows/0 small 36000 $p tuple,N=6,p=2"
    done
    for s in "${sets[@]}"; do
        set -- $s
        for l in "mm/4 small 32000 kepler32 gto" "bfs-words/8 small 32000 kepler32 tuple,N=8,p=3"; do echo "$l$(printf ' --set %s' "$@")"; done
    done
    for l in mvt-batched/0 bfs-words/8 ii/0 syrk-panel/0; do
        echo "$l small 12000 kepler32 gto --no-skip"
        echo "$l small 12000 kepler32 tuple,N=4,p=1 --no-skip"
        echo "$l small 12000 fermi15-hash bucl"
        echo "$l small 12000 volta80 mrpb --no-skip"
    done
    for m in bucl mrpb ladder,first=4,voters=1,price=0 locality divergence; do
        echo "syr2k-panel/0 small 32000 fermi15-hash $m"
        echo "bfs-words/8 small 32000 volta80 $m"
    done
    for l in stencil reduction histogram lock fft hotspot; do echo "$l/0 test 60000 kepler32 gto"; done
    for l in spmv nw-batched; do echo "$l/0 test 60000 volta80 gto"; done
    for l in stencil reduction; do echo "$l/0 test 200000 kepler32 gto --carry-l2"; done
    for s in "" " --no-skip" " --set l1.mshrs=20" " --set l1.mshr_merge=6 --set l1.miss_queue=7" " --set l1.ways=2"; do
        for l in mvt-batched/0 syr2k-panel/0 stencil/0; do echo "$l test 3000 $qv100 gto$s"; done
    done
    for m in bucl ccws tuple,N=4,p=1; do echo "syr2k-panel/0 test 3000 $qv100 $m"; done
}

# The hash of everything that a run prints but its configuration, which may gain parameters, what follows from other figures (a sum, time, energy), and
# instructions by class, which the trace has.
one() { # name, words of a run
    local launch=$1 size=$2 cycles=$3 config=$4 mech=$5 out result=0
    shift 5
    local which=(--launch "${launch#*/}")
    [[ " $* " != *" --carry-l2 "* ]] || which=()
    out=$("$poise" sim --kernel "${launch%/*}" "${which[@]}" --size "$size" --config "$config" --mech "$mech" --max-cycles "$cycles" --threads 1 --json "$@" 2>/dev/null) || result=$?
    [ $result = 0 ] || [ $result = 6 ] || { echo "failed-with-$result"; return; }
    sed -n '/^ "launches"/,$ { /"\(l1d_hits_and_merges\|insts_[a-z_]*\|time_us\|energy_[a-z_]*\|power_w\|edp\|ed2p\)"/d; p }' <<<"$out" | sha256sum | cut -c1-24
}
if [ $mode = list ]; then
    runs
    exit 0
fi
export -f one
export poise
runs | { [ $mode = short ] && awk 'NR % 4 == 1' || cat; } | xargs -P "${JOBS:-2}" -I{} bash -c 'echo "$(one {}) {}"' | sort -k2 >"$record.now"
trap 'rm -f "$record.now"' EXIT
if [ $mode = write ]; then
    ! grep '^failed' "$record.now" || { echo "these runs fail: nothing is written"; exit 1; }
    mv "$record.now" "$record"
    exit 0
fi
differ=$(grep -vxFf "$record" "$record.now" || true)
[ -z "$differ" ] || { echo "$differ" | sed 's/^[^ ]*/differs:/'; exit 1; }
echo "$(wc -l <"$record.now") runs: the statistics on record"
