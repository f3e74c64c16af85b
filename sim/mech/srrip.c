/* SRRIP: a new line of L2 is expected to be used again only after a long interval, until a hit proves otherwise. This
 * is l2.replacement=srrip (cache/replacement_rrip.h) under a name, with counters. [Jaleel et al., ISCA 2010; rrip.h] */
#include "rrip.h"

STAT_STRUCT(srrip_stats, RRIP_STATS);
#define ROW(...) STAT_ROW_OF(srrip_stats, __VA_ARGS__)
static const struct stat_row srrip_stat_rows[] = {RRIP_STATS(ROW)};
#undef ROW

static enum l2_insertion srrip_insert(void *self, const struct l2_request *r, const struct l2_set *set)
{
    struct srrip_stats *s = self;
    (void)r;
    (void)set;
    s->inserted_long++;
    return L2_INSERT_LONG;
}

static const void *srrip_stats_of(const void *self) { return self; }

static size_t srrip_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    (void)params;
    out[0] = rrip_cost(env);
    return 1;
}

const struct mech_type mech_srrip = {
    .name = "srrip",
    .title = "L2 replacement by static re-reference interval prediction",
    .source = "Jaleel et al., ISCA 2010; TECHNIQUES 5.1.2",
    .cost = srrip_cost,
    .params = {.owner = "srrip"},
    .stats = {"srrip", srrip_stat_rows, COUNT_OF(srrip_stat_rows), sizeof(struct srrip_stats)},
    .state_size = sizeof(struct srrip_stats),
    .stats_of = srrip_stats_of,
    .l2_replacement = "srrip",
    .l2_insert = srrip_insert,
};
