# A last-level cache shared with CPU cores, 16 mixes, from experiments/results/studies.csv (measure.sh).
alone="TAP's decisions add nothing to DRRIP's and UCP's on our mixes; in 5 of 16 no policy changes anything"
beside R.tap_rrip tech-8 "weighted speedup of tap-rrip over LRU, all mixes" "TAP-RRIP over LRU, weighted speedup, %" 12 "$alone"
beside R.tap_ucp tech-8 "weighted speedup of tap-ucp over LRU, all mixes" "TAP-UCP over LRU, weighted speedup, %" 11 "$alone"
beside R.tap_ucp_ucp tech-8 "weighted speedup of tap-ucp over ucp, all mixes" "TAP-UCP over UCP, weighted speedup, %" 5 "$alone"
beside R.tap_rrip_rrip tech-8 "weighted speedup of tap-rrip over drrip, all mixes" "TAP-RRIP over DRRIP, weighted speedup, %" 10 "$alone"
