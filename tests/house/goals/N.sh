# Title: Tag-split caches (TSC)
# Studies of the tag-split cache, from experiments/results/studies.csv (measure.sh).
beside N.tsc tsc-10b "GM TSC" "gain of the tag-split cache, %" 15.6 "header in a separate flit, as before: 29.0; on larger inputs 6.1"
beside N.tsc_plus tsc-10b "GM TSC+" "gain of TSC+, %" 17.2
beside N.lamar tsc-10b "GM LAMAR" "gain of LAMAR, %" 7.4 "with its locality prediction 3.2; on larger inputs 6.2"
beside N.dsc_2 tsc-10b "GM DSC-2" "gain of decoupled sectors, two tags, %" 10.4
beside N.dsc_4 tsc-10b "GM DSC-4" "gain of decoupled sectors, four tags, %" 11.7
beside N.mrpb tsc-10b "GM MRPB, of 14" "gain of MRPB over 14 benchmarks, %" 7.0 "header in a separate flit 5.7"
beside N.five_bits tsc-9 "GM 5 bits" "gain with private tags of five bits, %" 13.6
duel=$(study tsc-learned "regret, TSC+")
handed N.learned "learned mode, families left out: regret below that of set duelling (${duel:-not stored}), %" "poise repro tsc-learned --mode quick --json" \
    "$(study tsc-learned "regret, learned, families left out")" "m < ${duel:-0}" ""
handed N.l2 "split tags in a quarter of L2 over sectors there, dirty sectors of a line together: a gain, %" "poise repro tsc-l2 --mode quick --json" \
    "$(study tsc-l2 "GM speed, quarter TSC lines over quarter sectored")" "m > 0" ""
handed N.l2_plus "TSC+ in L2 over fine mode there: a gain, %" "poise repro tsc-l2 --mode quick --json" \
    "$(study tsc-l2 "GM speed, TSC+ L2 over TSC L2 lines")" "m > 0" ""
handed N.classes "benchmarks of the class of Tab. 1, with inputs that have it, all 15" "poise repro tsc-tab-1 --mode quick --json" \
    "$(study tsc-tab-1 "with cfd-shuffled, gaussian-1024 and srad2-round")" "m >= 15" "b+tree has its class only if the reply's header is counted"
check N.cost "a tag-split L1 costs at most 1.5 times the instructions of a plain one a line request" "tests/bench/organisations.sh" \
    "$(tests/bench/organisations.sh | awk '$1 == "all" {print $2}')" "m <= 1.5" ""
