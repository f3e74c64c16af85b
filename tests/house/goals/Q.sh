# Title: Atomics and write-buffering (TECHNIQUES)
# Fast atomics, write-buffering and read-bypassing, from experiments/results/studies.csv (measure.sh). The survey prints directions, no figures.
gains Q.atomdir tech-2 "AtomDir over atomics at L2" "gain of AtomDir over atomics at L2, %"
evicts="loads replace C lines, as in Fig. 5, and each pass reads more than the cache holds"
gains Q.write_buffer tech-7 "off-chip traffic saved, mean, L2 of 2 MB" "off-chip traffic saved with 2 MB of L2, %" "$evicts"
gains Q.write_buffer_768 tech-7 "off-chip traffic saved, mean, L2 of 768 KB" "off-chip traffic saved with 768 KB of L2, %" "$evicts"
gains Q.write_buffer_all tech-7 "off-chip traffic saved, mean, L2 of 2 MB, protected from loads too" \
    "off-chip traffic saved with 2 MB of L2 where loads do not replace C lines, %"
gains Q.write_buffer_all_768 tech-7 "off-chip traffic saved, mean, L2 of 768 KB, protected from loads too" \
    "off-chip traffic saved with 768 KB of L2 where loads do not replace C lines, %" \
    "fft's first pass stores lines in four parts; those that find no room in L2 are written to DRAM four times"
handed Q.atomdir_through "AtomDir that writes to L2 before it releases a mutex over atomics at L2: a gain, %" "poise repro tech-2 --mode quick --json" \
    "$(study tech-2 "AtomDir, written before the release over atomics at L2")" "m > 0" \
    "L2 performs all contending lanes in one use of its data port; passing a mutex on costs two round trips"
handed Q.order "functional results hold in the order in which each machine performs atomics, % of programs and machines" "poise repro tech-2 --mode quick --json" \
    "$(study tech-2 "functional result holds in the machine's order, test size")" "m >= 100" ""
# Where words are each SM's own and threads wait for results, the survey's expectation holds: AtomDir gains, and more with a farther L2.
own_words() { # L2's round trip in core cycles: gain of AtomDir over atomics at L2, %
    local trace machine ipc=()
    trace=$(mktemp -d)
    "$poise" trace synth atomics atomics=256 repeats=64 words=32 read=1 work=0 blocks=15 warps=1 own=100 -o "$trace/own.ptrace" > "$trace/said" 2>&1
    for machine in gto atomdir; do
        ipc+=("$("$poise" sim --trace "$trace/own.ptrace" --config fermi15 --set "l2.round_trip_cycles=$1" --mech "$machine" --json | jq .stats.ipc)")
    done
    rm -r "$trace"
    awk -v a="${ipc[1]}" -v b="${ipc[0]}" 'BEGIN { printf "%.1f", 100 * (a / b - 1) }'
}
check Q.atomdir_own_words "AtomDir over atomics at L2 where each SM has words of its own, L2 120 cycles away: a gain, %" "poise trace synth atomics own=100 ..." "$(own_words 120)" "m > 0" ""
check Q.atomdir_own_words_480 "the same, 480 cycles away: a larger gain, %" "poise trace synth atomics own=100 ..." "$(own_words 480)" "m > 20" ""
