# Title: A last-level cache shared with CPU cores
# A last-level cache shared with CPU cores, 16 mixes, from experiments/results/studies.csv (measure.sh).
alone="on our mixes TAP adds nothing to DRRIP and UCP; in 5 of 16 no policy changes anything"
beside R.tap_rrip tech-8 "weighted speedup of tap-rrip over LRU, all mixes" "TAP-RRIP over LRU, weighted speedup, %" 12 "$alone"
beside R.tap_ucp tech-8 "weighted speedup of tap-ucp over LRU, all mixes" "TAP-UCP over LRU, weighted speedup, %" 11 "$alone"
beside R.tap_ucp_ucp tech-8 "weighted speedup of tap-ucp over ucp, all mixes" "TAP-UCP over UCP, weighted speedup, %" 5 "$alone"
beside R.tap_rrip_rrip tech-8 "weighted speedup of tap-rrip over drrip, all mixes" "TAP-RRIP over DRRIP, weighted speedup, %" 10 "$alone"
