# Fast atomics, write-buffering and read-bypassing (STUDIES, measure.sh). The survey prints directions, no figures: 1 stands for a gain.
beside Q.atomdir tech-2 "AtomDir over atomics at L2" "gain of AtomDir over atomics at L2, %" 1 \
    "L2 performs a contended atomic in one use of its data port, however many lanes meet; handing a mutex over costs two round trips"
beside Q.write_buffer tech-7 "off-chip traffic saved, mean, L2 of 2 MB" "off-chip traffic saved with 2 MB of L2, %" 1
beside Q.write_buffer_768 tech-7 "off-chip traffic saved, mean, L2 of 768 KB" "off-chip traffic saved with 768 KB of L2, %" 1 \
    "what the marking protects is larger than the cache"
handed Q.atomdir_travels "AtomDir whose data travels with its mutex over atomics at L2: a gain, as the survey expects, %" "poise repro tech-2 --mode quick --json" \
    "$(study tech-2 "AtomDir, data travels with the mutex over atomics at L2")" "m > 0" "the survey gives no figure; whether data travels is a reading of its words"
handed Q.order "functional results hold in the order in which each machine performs atomics, % of programs and machines" "poise repro tech-2 --mode quick --json" \
    "$(study tech-2 "functional result holds in the machine's order, test size")" "m >= 100"
