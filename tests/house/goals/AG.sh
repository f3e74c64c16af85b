# Title: One run on many processors, and its memory
# One run on many cores, and its memory. THREADS: the geometric mean that tests/bench/cores.sh gives; THREADS_COST: instructions of one thread over those
# before (tests/bench/HISTORY.md). SPEED_QV100, SPEED_FERMI: seconds of whole commands at commit 7580ca28 over those of today, in turn on one machine.
# Without them the old values stay.
handed AG.threads "one run on two threads: speed over one thread, four cases on the QV100, geometric mean, at least 1.5" \
    "tests/bench/cores.sh TRACE SM7_QV100.config (by hand, two cores under load, 2026-11)" "${THREADS:-}" "m >= 1.5" \
    "the network runs on one thread, and packets move between processors' caches; with less load stencil once had 1.9"
handed AG.threads_cost "host instructions of one thread over those before a run could have several, worst of five runs, at most 1.01" \
    "callgrind, whole commands, before and after (tests/bench/HISTORY.md)" "${THREADS_COST:-}" "m <= 1.01" ""
check AG.start "host instructions in which the program starts: at most 10 million" "valgrind --tool=callgrind build/release/experiments/poise --version" \
    "$(awk '$2 == "start" {print $5; exit}' tests/bench/counts.txt)" "m <= 10000000" ""
memory=build/release/tests/unit/gpu/test_memory
[ -n "${MEMORY:-}" ] || ! [ -x $memory ] || MEMORY=$($memory 2>&1)
memory_said() { sed -n "s/.*$1.*/\\1/p" <<<"${MEMORY:-}" | sort -n | tail -1; }
handed AG.memory_presets "memory of a run beyond the trace on every preset: at most 64 MB, most" "$memory" "$(memory_said 'largest run: \([0-9.]*\) MB')" "m <= 64" ""
handed AG.memory_cards "the same on the reference's cards and at the size of an A100" "$memory" "$(memory_said 'SM[^:]*: \([0-9.]*\) MB')" "m <= 64" ""
handed AG.memory_growth "bytes more in use after 100 runs in a process than after one of each mechanism: none" "$memory" \
    "$(memory_said 'more in use after 100 runs.*: \(-*[0-9]*\) bytes')" "m == 0" ""
speed="whole commands of both commits in turn, user and system seconds, medians of 15 (by hand, two cores under load)"
handed AG.speed_qv100 "speed over commit 7580ca28, the reference's compute, vecadd, stencil and mvt on the QV100, geometric mean, at least 1.5" "$speed" \
    "${SPEED_QV100:-}" "m >= 1.5" "another session of eleven had 1.51. The gain is mostly fewer page faults and waits for memory; compute has 7.5 % fewer instructions, the others within 1 %"
handed AG.speed_fermi "speed over that commit on the Fermi class" "$speed" "${SPEED_FERMI:-}" "m >= 1.5" \
    "no unit has over 13 % of the instructions; tests/bench/HISTORY.md has what was tried"
keep AG.sectors # by hand, as its command says
