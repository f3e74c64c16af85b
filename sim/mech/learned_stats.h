/* What the mechanism `learned` counts. */
#ifndef MECH_LEARNED_STATS_H
#define MECH_LEARNED_STATS_H
#include "current_tuple.h"

#define GROUP_STATS(S, g) \
    S(STAT_SUM, g##_cycles, "SM cycles", "sampled by this group") \
    S(STAT_SUM, g##_insts, "warp instructions", "issued in this group's window") \
    S(STAT_SUM, g##_loads, "warp instructions", "global loads in this group's window") \
    S(STAT_SUM, g##_l1_accesses, "accesses", "L1 load accesses in this group's window") \
    S(STAT_SUM, g##_l1_hits, "accesses", "L1 load hits in this group's window") \
    S(STAT_SUM, g##_l1_intra_hits, "accesses", "intra-warp hits in this group's window") \
    S(STAT_SUM, g##_miss_latency_sum, "cycles", "latency of misses in this group's window") \
    S(STAT_SUM, g##_miss_count, "misses", "misses in this group's window")
#define LEARNED_STATS(S) \
    TUPLE_STATS(S) \
    S(STAT_SUM, explore_cycles, "SM cycles", "cycles spent sampling and trying") \
    S(STAT_SUM, hinted, "launches", "for which a hint was found") \
    S(STAT_SUM, hinted_by_kernel, "launches", "of these, a hint of another launch of the kernel") \
    S(STAT_SUM, all_faster, "launches", "that went on at all warps because these were faster at the start") \
    S(STAT_SUM, all_wanted, "launches", "in whose start warps were not in each other's way: a sampling must pay more") \
    S(STAT_SUM, samplings, "steps", "samplings of the whole GPU") \
    S(STAT_SUM, recorded, "steps", "samplings whose counters stand below") \
    S(STAT_SUM, predictions, "predictions", "tuples predicted") \
    S(STAT_SUM, predicted_N, "warps", "N predicted, summed") \
    S(STAT_SUM, predicted_p, "warps", "p predicted, summed") \
    S(STAT_SUM, baselines, "predictions", "of these, predictions of (W,W)") \
    S(STAT_SUM, tries, "steps", "tuples that were tried by all SMs") \
    S(STAT_SUM, refuted, "steps", "predicted tuples that were not the best of those tried first") \
    S(STAT_SUM, moves, "moves", "changes of the tuple believed to be best") \
    S(STAT_SUM, searches, "searches", "searches that came to an end") \
    S(STAT_SUM, corrected_N, "warps", "N after the search, summed") \
    S(STAT_SUM, corrected_p, "warps", "p after the search, summed") \
    S(STAT_SUM, drops, "drops", "drops of IPC that made all rates shown old") \
    S(STAT_SUM, resumed, "launches", "that went on where a launch before had left the kernel") \
    S(STAT_SUM, early_outs, "searches", "searches left at (W,W) because I_n exceeded I_max") \
    GROUP_STATS(S, g0) \
    GROUP_STATS(S, g1) \
    GROUP_STATS(S, g2) GROUP_STATS(S, g3) GROUP_STATS(S, g4) GROUP_STATS(S, g5) GROUP_STATS(S, g6) GROUP_STATS(S, g7)
#endif
