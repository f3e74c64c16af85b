# Title: A last-level cache shared with CPU cores
# A last-level cache shared with CPU cores, 8 mixes, from experiments/results/studies.csv (measure.sh).
short="5 million instructions are too short: vectoradd beside bzip2 with 50 million gains 19.0 % (DRRIP 2.7); kernels that use the cache lose by forced BRRIP"
beside R.tap_rrip tech-8 "weighted speedup of tap-rrip over LRU, all mixes" "TAP-RRIP over LRU, weighted speedup, %" 12 "$short"
beside R.tap_ucp tech-8 "weighted speedup of tap-ucp over LRU, all mixes" "TAP-UCP over LRU, weighted speedup, %" 11 \
    "5 million instructions are too short: vectoradd beside bzip2 with 50 million gains 58.0 %"
beside R.tap_ucp_ucp tech-8 "weighted speedup of tap-ucp over ucp, all mixes" "TAP-UCP over UCP, weighted speedup, %" 5 \
    "UCP has nearly all of it: 0.7 % also with 50 million instructions, vectoradd beside bzip2"
beside R.tap_rrip_rrip tech-8 "weighted speedup of tap-rrip over drrip, all mixes" "TAP-RRIP over DRRIP, weighted speedup, %" 10 "$short"
