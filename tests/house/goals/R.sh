# Title: A last-level cache shared with CPU cores
# A last-level cache shared with CPU cores, 8 mixes, from experiments/results/studies.csv (measure.sh).
forced="kernels that use the cache lose by forced BRRIP: pvr beside two programs 26 %; of seven other mixes three gain, and longer programs (50 million instructions in place of 5) change the mean by 1 point"
beside R.tap_rrip tech-8 "weighted speedup of tap-rrip over LRU, all mixes" "TAP-RRIP over LRU, weighted speedup, %" 12 "$forced"
beside R.tap_ucp tech-8 "weighted speedup of tap-ucp over LRU, all mixes" "TAP-UCP over LRU, weighted speedup, %" 11 \
    "stencil beside bzip2 gains 54 %, the seven other mixes -6 to 6 %: most programs do not use the cache again"
beside R.tap_ucp_ucp tech-8 "weighted speedup of tap-ucp over ucp, all mixes" "TAP-UCP over UCP, weighted speedup, %" 5 \
    "UCP has most of it; 17 % in one mix (stencil beside bzip2), -7 to 4 % in the others"
beside R.tap_rrip_rrip tech-8 "weighted speedup of tap-rrip over drrip, all mixes" "TAP-RRIP over DRRIP, weighted speedup, %" 10 "$forced"
