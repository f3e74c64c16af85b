# Title: Accuracy against arithmetic and the reference, Fermi class
"$poise" validate --closed-form --json >results/closed.json
form() { awk -F'[:,]' -v name="\"$1\"" '{gsub(/[ \t]/, "")} $1 == "\"name\"" {on = $2 == name} on && $1 == "\"expected\"" {e = $2} on && $1 == "\"measured\"" {print $2 / e; exit}' results/closed.json; }
closed="poise validate --closed-form --json"
check B.closed_forms "closed forms that fail" "$closed" "$(grep -c '"pass": false' results/closed.json || true)" "m == 0" ""
check B.l2_ladder "latency ladder, a chain of L2 hits: cycles over the published 120" "$closed" "$(form l2_hit_chain_cycles)" "m >= 0.95 && m <= 1.05" ""
check B.dram_ladder "latency ladder, a chain of row misses: cycles over 120 + 100 + tRP" "$closed" "$(form dram_chain_cycles)" "m >= 0.95 && m <= 1.05" ""
check B.row_misses "row-miss stream of one bank: cycles over tRC" "$closed" "$(form dram_row_miss_cycles)" "m >= 0.97 && m <= 1.03" ""
check B.stack_distance "fully associative LRU: hits over those that stack distances give" "$closed" "$(form lru_stack_hits)" "m == 1" ""
check B.dram_stream "streaming from DRAM, of its arithmetic limit, at least 80 %" "$closed" "$(form dram_stream_gb_s)" "m >= 0.8" ""
check B.l2_stream "streaming from L2 by all SMs, of the crossbar's arithmetic limit, at least 90 %" "$closed" "$(form l2_stream_all_gb_s)" "m >= 0.9" ""
check B.row_hits "row-hit stream of one DRAM channel, of one line in two bursts" "$closed" "$(form dram_row_hit_lines_a_cycle)" "m >= 0.9" ""
check B.little "Little's law on the L1 MSHRs, over the latency that L1 counts" "$closed" "$(form little_l1_mshrs)" "m >= 0.999 && m <= 1.001" ""
check B.little_queues "Little's law on each of the eight kinds of queue: largest difference" "$closed" "$(for q in l1_mshrs l1_miss_queue l2_access_queue l2_mshrs l2_miss_queue dram l2_response_queue sm_replies; do form little_$q; done | awk '{d = $1 < 1 ? 1 - $1 : $1 - 1; if (d > m) m = d} END {printf "%.2g\n", m}')" "m <= 0.001" ""
check B.stages "stays in the queues of an L2 hit, over the latency that L1 counts" "$closed" "$(form stages_of_an_l2_hit)" "m >= 0.98 && m <= 1.02" ""
check B.hazard "THESIS Fig. 3.5: cycles that two MSHRs cost, of the published 4" "$closed" "$(form structural_hazard_cycles)" "m == 1" ""
# VALIDATE: a folder of reference cases for `poise validate`.
if [ -n "${VALIDATE:-}" ]; then
    "$poise" validate --cases "$VALIDATE" --json >results/validate.json
    check B.mape "reference cases: mean absolute cycle error at most 15 %" "poise validate --cases DIR --json" "$(json results/validate.json mape)" "m <= 0.15" ""
    check B.pearson "reference cases: correlation of cycles at least 0.98" "poise validate --cases DIR --json" "$(json results/validate.json pearson)" "m >= 0.98" ""
    check B.kendall "reference cases: Kendall's tau of cycles" "poise validate --cases DIR --json" "$(json results/validate.json kendall)" "m >= 0.9" "informative"
    largest() { awk -F'[:,]' -v key="\"$1\"" '{gsub(/[ \t]/, "", $1)} $1 == key {v = $2 < 0 ? -$2 : $2 + 0; if (v > m) m = v} END {print m + 0}' results/validate.json; }
    check B.l1_hit_rate "reference cases: L1 hit rate within 2 points, largest difference" "poise validate --cases DIR --json" "$(largest l1d_hit_rate_delta)" "m <= 0.02" ""
    check B.dram_reads "reference cases: DRAM reads within 5 %, largest error" "poise validate --cases DIR --json" "$(largest dram_reads_error)" "m <= 0.05" ""
    check B.max_swl_loss "reference cases: every warp-limit optimum within 5 %" "poise validate --cases DIR --json" "$(json results/validate.json max_swl_loss)" "m <= 0.05" ""
else
    for id in B.mape B.pearson B.kendall B.l1_hit_rate B.dram_reads B.max_swl_loss; do keep $id; done
fi
# From the stored results of quick mode.
chapter3=$(awk -F, '/^thesis-3\./ && $2 == "statement" && $(NF - 2) == "quick" { seen[$1] = 1; if ($(NF - 3) != "yes") fails[$1] = 1 }
    END { for (id in seen) { n++; ok += !(id in fails) } print ok + 0, n + 0 }' experiments/results/studies.csv)
check B.chapter3 "THESIS chapter 3: studies of figures and tables in which every statement holds, of ${chapter3#* }" "grep '^thesis-3' experiments/results/studies.csv" \
    "${chapter3% *}" "m == ${chapter3#* }" "not 3.2, 3.6, 3.7, 3.10 and 3.12, which experiments/DEVIATIONS.md explains"
