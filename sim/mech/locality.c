/* Observes L1 locality and changes nothing: hit rates of the warps that may pollute and of the others, and how far
 * apart a warp's accesses to a line are. [THESIS Fig. 5.6]
 *
 * Reuse distance: load accesses of the SM between two accesses to a line, the later of which is by the warp that
 * made the earlier (intra-warp) or by another. The table that remembers the last access to a line is finite: lines
 * that fall on one entry displace each other, and a reuse over such a gap is not counted. */
#include "poise/sys/hooks.h"

#define LOCALITY_STATS(S) \
    S(STAT_SUM, p_accesses, "accesses", "load accesses of warps that may pollute") \
    S(STAT_SUM, p_hits, "accesses", "of these, hits") \
    S(STAT_SUM, np_accesses, "accesses", "load accesses of warps that may not pollute") \
    S(STAT_SUM, np_hits, "accesses", "of these, hits") \
    S(STAT_SUM, intra_reuses, "accesses", "accesses to a line that the same warp accessed last") \
    S(STAT_SUM, intra_distance, "accesses", "their reuse distances, summed") \
    S(STAT_SUM, inter_reuses, "accesses", "accesses to a line that another warp accessed last") \
    S(STAT_SUM, inter_distance, "accesses", "their reuse distances, summed")
STAT_STRUCT(locality_stats, LOCALITY_STATS);
#define ROW(...) STAT_ROW_OF(locality_stats, __VA_ARGS__)
static const struct stat_row locality_stat_rows[] = {LOCALITY_STATS(ROW)};
#undef ROW
static const struct ratio_row locality_ratios[] = {
    RATIO_ROW_OF(locality_stats, h_p, p_hits, p_accesses, "L1 hit rate of warps that may pollute"),
    RATIO_ROW_OF(locality_stats, h_np, np_hits, np_accesses, "L1 hit rate of the others"),
    RATIO_ROW_OF(locality_stats, mean_intra_distance, intra_distance, intra_reuses, "intra-warp reuse distance, mean"),
    RATIO_ROW_OF(locality_stats, mean_inter_distance, inter_distance, inter_reuses, "inter-warp reuse distance, mean")};

enum { TABLE_BITS = 14 };
struct last_access {
    uint32_t line, uid;
    uint64_t index;
}; /* index 0: none */
struct sm_accesses {
    uint64_t index;
    struct last_access table[1 << TABLE_BITS];
};
struct locality {
    struct locality_stats stats;
    struct sm_accesses sms[];
};

static void locality_on_access(void *self, const struct access_event *event)
{
    struct locality *h = self;
    struct sm_accesses *sm = &h->sms[event->sm];
    struct last_access *last = &sm->table[event->line * 2654435769u >> (32 - TABLE_BITS)];
    const bool is_hit = event->outcome == ACCESS_HIT;
    sm->index++;
    if (event->may_pollute) h->stats.p_accesses++, h->stats.p_hits += is_hit;
    else h->stats.np_accesses++, h->stats.np_hits += is_hit;
    if (last->index && last->line == event->line) {
        const uint64_t distance = sm->index - last->index - 1;
        if (last->uid == event->uid) h->stats.intra_reuses++, h->stats.intra_distance += distance;
        else h->stats.inter_reuses++, h->stats.inter_distance += distance;
    }
    *last = (struct last_access){event->line, event->uid, sm->index};
}

static const void *locality_stats_of(const void *self) { return &((const struct locality *)self)->stats; }

const struct mech_type mech_locality = {
    .name = "locality",
    .title = "observes hit rates by the pollute bit and reuse distances",
    .source = "THESIS Fig. 5.6",
    .params = {.owner = "locality"},
    .stats = {"locality", locality_stat_rows, COUNT_OF(locality_stat_rows), sizeof(struct locality_stats)},
    .ratios = locality_ratios,
    .n_ratios = COUNT_OF(locality_ratios),
    .state_size = sizeof(struct locality),
    .per_sm_size = sizeof(struct sm_accesses),
    .stats_of = locality_stats_of,
    .on_access = locality_on_access,
};
