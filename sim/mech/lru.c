/* LRU: the line of L2 that was used longest ago goes (cache/replacement_lru.c). This mechanism names it, for tables of
 * policies, and counts what SMs and CPU cores do there. [TECHNIQUES 5] */
#include "poise/sys/hooks.h"

#define LRU_STATS(S) \
    S(STAT_SUM, gpu_accesses, "accesses", "accesses of SMs to L2") \
    S(STAT_SUM, gpu_hits, "accesses", "of these, hits") \
    S(STAT_SUM, cpu_accesses, "accesses", "accesses of CPU cores to L2") \
    S(STAT_SUM, cpu_hits, "accesses", "of these, hits")
STAT_STRUCT(lru_stats, LRU_STATS);
#define ROW(...) STAT_ROW_OF(lru_stats, __VA_ARGS__)
static const struct stat_row lru_stat_rows[] = {LRU_STATS(ROW)};
#undef ROW
static const struct ratio_row lru_ratios[] = {
    RATIO_ROW_OF(lru_stats, gpu_hit_rate, gpu_hits, gpu_accesses, "L2 hit rate of SMs"),
    RATIO_ROW_OF(lru_stats, cpu_hit_rate, cpu_hits, cpu_accesses, "L2 hit rate of CPU cores")};

static void lru_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    struct lru_stats *s = self;
    const bool is_cpu = r->from == L2_FROM_CPU;
    ++*(is_cpu ? &s->cpu_accesses : &s->gpu_accesses);
    *(is_cpu ? &s->cpu_hits : &s->gpu_hits) += access->outcome == L2_HIT;
}

static const void *lru_stats_of(const void *self) { return self; }

const struct mech_type mech_lru = {
    .name = "lru",
    .title = "L2 replaces the least recently used line",
    .source = "TECHNIQUES 5",
    .params = {.owner = "lru"},
    .stats = {"lru", lru_stat_rows, COUNT_OF(lru_stat_rows), sizeof(struct lru_stats)},
    .ratios = lru_ratios,
    .n_ratios = COUNT_OF(lru_ratios),
    .state_size = sizeof(struct lru_stats),
    .stats_of = lru_stats_of,
    .l2_replacement = "lru",
    .l2_on_access = lru_on_access,
};
