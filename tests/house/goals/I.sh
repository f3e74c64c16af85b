# Title: Reports
# REPORT: what tests/e2e/report's e2e_report_browser printed (its line "report-bytes B report-open-seconds S"); needs chromium.
report_word() { printf '%s\n' "${REPORT:-}" | tr ' ' '\n' | grep -x -A1 "$1" | tail -1 || true; }
handed I.report_bytes "report of 100 kernels x 300 points: under 5 MB" "build/release/tests/e2e/report/e2e_report_browser" "$(report_word report-bytes)" "m < 5000000" ""
handed I.report_open_s "report of 100 kernels x 300 points: opens in under 2 seconds, until what is in the window is drawn" "build/release/tests/e2e/report/e2e_report_browser" "$(report_word report-open-seconds)" "m < 2" "headless Chromium, 1280 pixels, from disk"
