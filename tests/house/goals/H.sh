# Title: Bypassing of L1 (BUCL)
# BUCL's studies, quick mode: the store makes a second measurement cheap.
for id in 2 3 4 5 partitions 7 8 9 tab-3 machines; do "$poise" repro bucl-$id --json >results/bucl-$id.json; done
ours() { awk -v label="\"label\": \"$2\"" 'index($0, label) {found = 1} found && /"ours"/ {gsub(/[^-0-9.e]/, "", $2); print $2; exit}' "results/bucl-$1.json"; }
difference() { awk -v a="$1" -v b="$2" 'BEGIN {print a - b}'; }
published=0
for id in 2 3 4 5 partitions 7 8 9 tab-3; do grep -q '"direction_ok": true' results/bucl-$id.json && published=$((published + 1)); done
check H.directions "BUCL: studies of figures and tables in which every statement of the paper holds, of 9" "poise repro bucl-2 ... bucl-tab-3" "$published" "m == 9" "not 5, 7, 8 and Table III; quick mode: one of five statements on reuse (5); SWL-Best gains more than BUCL-Dyn, mostly on KMN, and BUCL costs the coherent group 3 % (7, 8); no limit on KMN under BUCL (9); no rise for BFS and GAU (Tab. III)"
check H.dyn "BUCL-Dyn gains on the un-coalesced group, percent (paper 36)" "poise repro bucl-7" "$(ours 7 'GMUC BUCL-Dyn')" "m >= 36 / 1.5 && m <= 36 * 1.5" "quick mode: at most 100,000 cycles of each profiled launch"
check H.dyn_mrpb "and more than MRPB: points between them (paper 14)" "poise repro bucl-7" "$(difference "$(ours 7 'GMUC BUCL-Dyn')" "$(ours 7 'GMUC MRPB')")" "m >= 14 / 1.5 && m <= 14 * 1.5" "as above"
check H.swbu "SWBU gains more than SWL-Best: points between them (paper 29)" "poise repro bucl-9" "$(difference "$(ours 9 'GMUC SWBU')" "$(ours 9 'GMUC SWL-Best')")" "m >= 29 / 1.5 && m <= 29 * 1.5" "the paper's sign; under BUCL hardly any limit beats all warps on KMN"
check H.machines "BUCL-Dyn gains less on volta80 than on fermi15-hash, un-coalesced group: points between them" "poise repro bucl-machines" "$(difference "$(ours machines 'GMUC BUCL-Dyn, fermi15-hash')" "$(ours machines 'GMUC BUCL-Dyn, volta80')")" "m > 0" "as above; critics say that older models overstate bypassing"
