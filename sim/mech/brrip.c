/* BRRIP: a new line of L2 is expected not to be used again, but for one insertion in 32, which keeps part of a working
 * set that does not fit. l2.replacement=brrip with a parameter and counters. [Jaleel et al., ISCA 2010; rrip.h] */
#include "rrip.h"
#include "poise/log2.h"

#define BRRIP_PARAMS(P) \
    P(U32, throttle, 32, 1, 65536, "insertions", "Jaleel et al., ISCA 2010", \
      "one insertion in so many has the value 2, the others 3", PUBLISHED("32"))
PARAM_STRUCT(brrip_params, BRRIP_PARAMS);
#define ROW(...) PARAM_ROW_OF(brrip_params, __VA_ARGS__)
static const struct param_row brrip_rows[] = {BRRIP_PARAMS(ROW)};
#undef ROW
STAT_STRUCT(brrip_stats, RRIP_STATS);
#define ROW(...) STAT_ROW_OF(brrip_stats, __VA_ARGS__)
static const struct stat_row brrip_stat_rows[] = {RRIP_STATS(ROW)};
#undef ROW
struct brrip {
    struct brrip_params params;
    struct brrip_stats stats;
    uint32_t count;
};

static int brrip_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct brrip *h = self;
    (void)env;
    (void)err;
    h->params = *(const struct brrip_params *)params;
    return 0;
}

static enum l2_insertion brrip_insert(void *self, const struct l2_request *r, const struct l2_set *set)
{
    struct brrip *h = self;
    const uint8_t value = rrip_bimodal(&h->count, h->params.throttle);
    (void)r;
    (void)set;
    ++*(value == RRIP_LONG ? &h->stats.inserted_long : &h->stats.inserted_distant);
    return rrip_insertion(value);
}

static const void *brrip_stats_of(const void *self) { return &((const struct brrip *)self)->stats; }

static size_t brrip_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct brrip_params *p = params;
    const uint32_t counter = log2_ceil(p->throttle);
    out[0] = rrip_cost(env);
    out[1] =
        (struct mech_cost){"insertions till the next long one, a bank", 0, counter * env->l2_banks, STORAGE_REGISTER};
    return 2;
}

const struct mech_type mech_brrip = {
    .name = "brrip",
    .title = "L2 replacement by bimodal re-reference interval prediction",
    .source = "Jaleel et al., ISCA 2010; TECHNIQUES 5.1.2",
    .cost = brrip_cost,
    .params = {"brrip", brrip_rows, COUNT_OF(brrip_rows), sizeof(struct brrip_params)},
    .stats = {"brrip", brrip_stat_rows, COUNT_OF(brrip_stat_rows), sizeof(struct brrip_stats)},
    .state_size = sizeof(struct brrip),
    .init = brrip_init,
    .stats_of = brrip_stats_of,
    .l2_replacement = "brrip",
    .l2_insert = brrip_insert,
};
