# Title: Bypassing of L1 (BUCL)
# BUCL's studies, from experiments/results/studies.csv (measure.sh).
difference() { awk -v a="$1" -v b="$2" 'BEGIN {if (a != "" && b != "") print a - b}'; }
borne_out() { # of these studies of BUCL those whose stored statements all hold under today's model
    awk -F, -v ids=" $1 " -v version="$version" '
        {id = $1; sub(/^bucl-/, "", id)}
        $2 == "statement" && index(ids, " " id " ") {n[id]++; bad[id] += $(NF - 3) != "yes" || $(NF - 1) != version}
        END {for (id in n) sum += !bad[id]; print sum + 0}' experiments/results/studies.csv
}
handed H.directions "BUCL: studies of figures and tables in which every statement of the paper holds, of 9" "poise repro --all 'bucl-*'" "$(borne_out "2 3 4 5 partitions 7 8 9 tab-3")" "m == 9" \
    "not 5, 7, 8 and Table III; quick mode: two of four statements on reuse (5); SWL-Best gains more than BUCL-Dyn, mostly on KMN, and BUCL costs the coherent group 1.3 % (7, 8); no rise for BFS and GAU (Tab. III)"
gain=$(study bucl-7 "GMUC BUCL-Dyn")
handed H.dyn "BUCL-Dyn gains on the un-coalesced group, percent (paper 36)" "poise repro bucl-7" "$gain" "m >= 36 / 1.5 && m <= 36 * 1.5" "quick mode: at most 100,000 cycles of each profiled launch"
handed H.dyn_mrpb "and more than MRPB: points between them (paper 14)" "poise repro bucl-7" "$(difference "$gain" "$(study bucl-7 "GMUC MRPB")")" "m >= 14 / 1.5 && m <= 14 * 1.5" "as above"
handed H.swbu "SWBU gains more than SWL-Best: points between them (paper 29)" "poise repro bucl-9" "$(difference "$(study bucl-9 "GMUC SWBU")" "$(study bucl-9 "GMUC SWL-Best")")" "m >= 29 / 1.5 && m <= 29 * 1.5" "the paper's sign; under BUCL hardly any limit beats all warps on KMN"
handed H.machines "BUCL-Dyn gains less on volta80 than on fermi15-hash, un-coalesced group: points between them" "poise repro bucl-machines" "$(difference "$(study bucl-machines "GMUC BUCL-Dyn, fermi15-hash")" "$(study bucl-machines "GMUC BUCL-Dyn, volta80")")" "m > 0" "as above; critics say that older models overstate bypassing"
