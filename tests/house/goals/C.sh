# Title: Speed of one run
# Speed: one table of tests/bench/run.sh (also A's), taken anew when the program is newer. Where processors are shared, take several,
# results/bench-1.json and so on: the one with the middle speed of the timing model counts, and what the others said stands beside it.
# Ratios to the reference are handed in, measured side by side in one session (tests/README.md, Speed): REFERENCE_FERMI, the geometric mean of
# compute, ws, stencil and vecadd; REFERENCE_LEAST, of all but compute and ws; REFERENCE_COMPUTE; REFERENCE_WHEN, the machine and the date.
bench=results/bench.json
of_tables() { # two figures of each table, by the first: key, key
    for table in $(ls results/bench-[0-9].json 2>/dev/null); do echo "$(json "$table" "$1") $(json "$table" "$2") $table"; done | sort -n
}
n_tables=$(of_tables geomean_sim_winst_s turns_s | wc -l)
[ "$n_tables" -eq 0 ] || cp "$(of_tables geomean_sim_winst_s turns_s | awk -v n="$n_tables" 'NR == int((n + 1) / 2) {print $3}')" "$bench"
[ "$bench" -nt "$poise" ] || tests/bench/run.sh --json >"$bench" 2>/dev/null
said() { # what all tables said of a key, scaled, as a format has it, with the speed of the machine
    [ "$n_tables" -lt 2 ] || of_tables "$1" turns_s | awk -v by="$2" -v format="%s$3 (%.2f)" '{printf format, (NR > 1 ? ", " : ""), by * $1, 1e-9 * $2} END {print "; "}'
}
least() { # the least value of a key over the rows of the evaluation kernels, or over the kernels named
    awk -F': *' -v key="\"$1\"" -v only="${2:-}" '{gsub(/[ ",]+$/, "", $2); gsub(/^"/, "", $2)} $1 ~ /"kernel"/ {kernel = $2} $1 ~ /"set"/ {set = $2}
        index($1, key) && (only ? index(" " only " ", " " kernel " ") : set == "evaluation") && (m == "" || $2 + 0 < m + 0) {m = $2 + 0} END {print m}' "$bench"
}
per_work() { # CPU seconds a line request or a cycle of an SM, over three kernels: configuration, statistic, how many of it at once
    local config=$1 work=$2 units=$3 kernel seconds total=0 done=0 TIMEFORMAT=%U
    for kernel in syrk kmeans bfs; do
        "$poise" sim --kernel $kernel --size small --config "$config" --mech gto --json >results/goal-c.json 2>/dev/null # recorded, if it was not
        seconds=$({ time "$poise" sim --kernel $kernel --size small --config "$config" --mech gto --json >results/goal-c.json 2>/dev/null; } 2>&1)
        total=$(awk "BEGIN {print $total + $seconds}")
        done=$(awk "BEGIN {print $done + $units * $(tac results/goal-c.json | tr ',{}' '\n\n\n' | awk -F: -v key="\"$work\"" 'index($1, key) {print $2; exit}')}")
    done
    awk "BEGIN {print $total / $done}"
}
run="tests/bench/run.sh --json"
beside="by hand: tests/README.md, Speed"
flat="tests/bench/HISTORY.md has what was tried"
turns() { awk "BEGIN {printf \"%.2f\", 1e-9 * $(json "$bench" "$1")}"; }
slow="processors are shared ($(turns turns_s_least) to $(turns turns_s_most) G additions a second, middle $(turns turns_s))"
all="all tables (speed of the shared machine, G additions a second): "
handed C.reference_geomean "side by side with the reference, Fermi class: at least 450 times as fast, geometric mean of compute, ws, stencil, vecadd" "$beside" "${REFERENCE_FERMI:-}" "m >= 450" "${REFERENCE_WHEN:-}"
handed C.reference_least "side by side with the reference, Fermi class: stencil, vecadd, mvt: none below 100 times" "$beside" "${REFERENCE_LEAST:-}" "m >= 100" "${REFERENCE_WHEN:-}"
handed C.reference_compute "side by side with the reference, Fermi class: compute at least 30 times" "$beside" "${REFERENCE_COMPUTE:-}" "m >= 30" "${REFERENCE_WHEN:-}"
check C.sim_winst_s "timing model: 1 M warp instructions a second, geometric mean over the evaluation kernels at (24,24), 32 SMs" "$run" \
    "$(json "$bench" geomean_sim_winst_s | cut -d. -f1)" "m >= 1e6" "2 to 8 line requests an instruction, each of some 2000 host instructions; $all$(said geomean_sim_winst_s 1e-6 "%.2f M")by the shortest times $(json "$bench" geomean_sim_winst_s_least_times | cut -d. -f1); $slow; $flat"
check C.line_req_s "timing model: 2 M line requests a second on every evaluation kernel, least" "$run" "$(least line_req_s | cut -d. -f1)" "m >= 2e6" "by the shortest times $(least line_req_s_least_time | cut -d. -f1); $slow; $flat"
check C.limit_ratio "time over the limit (decode, coalesce, probe L1 tags), geometric mean" "$run" "$(json "$bench" geomean_limit_ratio)" "m <= 5" "the limit has no queues, crossbars, L2 or DRAM"
check C.exec_off "executor: 10 M warp instructions a second on syrk, kmeans, bfs, not recording, least" "$run" "$(least exec_off_winst_s "syrk kmeans bfs")" "m >= 1e7" ""
check C.exec_on "executor: 5 M recording, least" "$run" "$(least exec_winst_s "syrk kmeans bfs")" "m >= 5e6" ""
check C.trace_bytes "traces at rest: at most 3 bytes a warp instruction over the suite" "$run" "$(json "$bench" bytes_per_winst)" "m <= 3" ""
check C.trace_bytes_graphs "the graph kernels' traces apart" "$run" "$(json "$bench" bytes_per_winst_graphs)" "m <= 3" ""
check C.open_us "opening the largest trace when decoded: microseconds" "$run" "$(awk "BEGIN {print 1e6 * $(json "$bench" open_decoded_s)}")" "m <= 1000" ""
check C.memory "memory of a run beyond the trace, evaluation kernels: at most 64 MB, most" "$run" "$(awk -F': *' '/"run_bytes"/ {v = $2 / 1e6; if (v > m) m = v} END {print m}' "$bench")" "m <= 64" ""
check C.volta80 "volta80: CPU time a line request of the same launches, over kepler32's" "poise sim --kernel NAME --config volta80 --json" \
    "$(awk "BEGIN {print $(per_work volta80 line_requests 1) / $(per_work kepler32 line_requests 1)}")" "m <= 1" "the same instructions and line requests; syrk, kmeans, bfs"
check C.volta80_cycle "volta80: CPU time a cycle of an SM, over kepler32's" "poise sim --kernel NAME --config volta80 --json" \
    "$(awk "BEGIN {print $(per_work volta80 core_cycles 80) / $(per_work kepler32 core_cycles 32)}")" "m <= 1" "a cycle of its SMs has 2 to 20 times the line requests"
