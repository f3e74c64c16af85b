/* SRRIP: a new line of L2 is expected to be used again only after a long interval, until a hit proves otherwise.
 *                                                                                 [Jaleel et al., ISCA 2010; rrip.h] */
#include "rrip.h"

STAT_STRUCT(srrip_stats, RRIP_STATS);
#define ROW(...) STAT_ROW_OF(srrip_stats, __VA_ARGS__)
static const struct stat_row srrip_stat_rows[] = {RRIP_STATS(ROW)};
#undef ROW
struct srrip {
    struct srrip_stats stats;
    size_t values_at;
};

static uint8_t *values_of(void *self) { return (uint8_t *)self + ((struct srrip *)self)->values_at; }

static size_t srrip_carried(const void *params, const struct mech_env *env)
{
    (void)params;
    return env->l2_frames;
}

static int srrip_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    (void)params;
    (void)err;
    ((struct srrip *)self)->values_at = env->carried_at;
    return 0;
}

static uint32_t srrip_victim(void *self, const struct l2_request *r, const struct l2_set *set)
{
    (void)r;
    return rrip_victim(values_of(self), set);
}

static enum l2_insertion srrip_insert(void *self, const struct l2_request *r, const struct l2_set *set)
{
    (void)r;
    rrip_insert(values_of(self), set, RRIP_LONG);
    ((struct srrip *)self)->stats.inserted_long++;
    return L2_INSERT_NEWEST;
}

static void srrip_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    (void)r;
    if (access->outcome == L2_HIT) values_of(self)[access->frame] = RRIP_SOON;
}

static const void *srrip_stats_of(const void *self) { return &((const struct srrip *)self)->stats; }

const struct mech_type mech_srrip = {
    .name = "srrip",
    .title = "L2 replacement by static re-reference interval prediction",
    .source = "Jaleel et al., ISCA 2010; TECHNIQUES 5.1.2",
    .params = {.owner = "srrip"},
    .stats = {"srrip", srrip_stat_rows, COUNT_OF(srrip_stat_rows), sizeof(struct srrip_stats)},
    .state_size = sizeof(struct srrip),
    .carried = srrip_carried,
    .init = srrip_init,
    .stats_of = srrip_stats_of,
    .l2_victim = srrip_victim,
    .l2_insert = srrip_insert,
    .l2_on_access = srrip_on_access,
};
