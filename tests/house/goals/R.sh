# A last-level cache shared with CPU cores, 16 mixes (STUDIES, measure.sh).
crowded="the kernels keep the cache's banks and the crossbar busy, so that a program waits in queues and a hit saves it little"
beside R.tap_rrip tech-8 "weighted speedup of tap-rrip over LRU, all mixes" "TAP-RRIP over LRU, weighted speedup, %" 12 "$crowded"
beside R.tap_ucp tech-8 "weighted speedup of tap-ucp over LRU, all mixes" "TAP-UCP over LRU, weighted speedup, %" 11 "$crowded"
beside R.tap_ucp_ucp tech-8 "weighted speedup of tap-ucp over ucp, all mixes" "TAP-UCP over UCP, weighted speedup, %" 5 "$crowded"
beside R.tap_rrip_rrip tech-8 "weighted speedup of tap-rrip over drrip, all mixes" "TAP-RRIP over DRRIP, weighted speedup, %" 10 "$crowded"
