# VALIDATE: a folder of reference cases for `poise validate`.
if [ -n "${VALIDATE:-}" ]; then
    "$poise" validate --cases "$VALIDATE" --json >results/validate.json
    check B.mape "reference cases: mean absolute cycle error at most 15 %" "poise validate --cases DIR --json" "$(json results/validate.json mape)" "m <= 0.15" ""
    check B.pearson "reference cases: correlation of cycles at least 0.98" "poise validate --cases DIR --json" "$(json results/validate.json pearson)" "m >= 0.98" ""
    check B.kendall "reference cases: Kendall's tau of cycles" "poise validate --cases DIR --json" "$(json results/validate.json kendall)" "m >= 0.9" "informative"
    largest() { awk -F'[:,]' -v key="\"$1\"" '{gsub(/[ \t]/, "", $1)} $1 == key {v = $2 < 0 ? -$2 : $2 + 0; if (v > m) m = v} END {print m + 0}' results/validate.json; }
    check B.l1_hit_rate "reference cases: L1 hit rate within 2 points, largest difference" "poise validate --cases DIR --json" "$(largest l1d_hit_rate_delta)" "m <= 0.02" "stencil: within the band that small changes of latency move it by"
    check B.dram_reads "reference cases: DRAM reads within 5 %, largest error" "poise validate --cases DIR --json" "$(largest dram_reads_error)" "m <= 0.05" "mvt: as above"
    check B.max_swl_loss "reference cases: every warp-limit optimum within 5 %" "poise validate --cases DIR --json" "$(json results/validate.json max_swl_loss)" "m <= 0.05" ""
else
    for id in B.mape B.pearson B.kendall B.l1_hit_rate B.dram_reads B.max_swl_loss; do keep $id; done
fi
