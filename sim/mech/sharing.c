/* Observes which other L1s hold what an L1 misses, and changes nothing. [THESIS §4.3.1, Tab. 4.2, Fig. 4.2]
 *
 * The reuse coefficient mu_RC is the share of the load misses whose data is in another L1 at the time of the miss. The
 * heat map counts, for each pair of SMs, the misses of the one that the other holds: `detail` of the run's JSON. With
 * window=N the detail also has `windows`, a row for every N warp instructions of an SM: SM, window, the cycles until
 * the first load access of the next, load accesses, misses, those reused and those pending. */
#include <jansson.h>

#include "plan/plan.h"
#include "poise/sys/hooks.h"

#define SHARING_PARAMS(P) \
    P(U32, window, 0, 0, 1000000000, "warp instructions", "assumed", \
      "of an SM, that are counted together; the first 64 such windows are kept; 0: none")
PARAM_STRUCT(sharing_params, SHARING_PARAMS);
#define ROW(...) PARAM_ROW_OF(sharing_params, __VA_ARGS__)
static const struct param_row sharing_rows[] = {SHARING_PARAMS(ROW)};
#undef ROW

#define SHARING_STATS(S) \
    S(STAT_SUM, misses, "misses", "load misses of global memory") \
    S(STAT_SUM, reused, "misses", "of these, misses of data that another L1 holds") \
    S(STAT_SUM, pending, "misses", "of the others, misses of data that is on its way to another L1") \
    S(STAT_SUM, copies, "copies", "copies in other L1s, summed over misses") \
    S(STAT_SUM, distance_1, "copies", \
      "of the copies, those in an SM next to the one that missed, in a ring of all SMs") \
    S(STAT_SUM, distance_2, "copies", "two SMs away") \
    S(STAT_SUM, distance_3, "copies", "three SMs away") \
    S(STAT_SUM, distance_4, "copies", "four SMs away") \
    S(STAT_SUM, distance_5, "copies", "five SMs away") \
    S(STAT_SUM, distance_6, "copies", "six SMs away") \
    S(STAT_SUM, distance_7, "copies", "seven SMs away") \
    S(STAT_SUM, distance_8, "copies", "eight SMs away or more")
STAT_STRUCT(sharing_stats, SHARING_STATS);
#define ROW(...) STAT_ROW_OF(sharing_stats, __VA_ARGS__)
static const struct stat_row sharing_stat_rows[] = {SHARING_STATS(ROW)};
#undef ROW
static const struct ratio_row sharing_ratios[] = {
    RATIO_ROW_OF(sharing_stats, mu_rc, reused, misses,
                 "reuse coefficient: share of the load misses that another L1 holds"),
    RATIO_ROW_OF(sharing_stats, copies_a_hit, copies, reused, "copies of what another L1 holds")};

_Static_assert(offsetof(struct sharing_stats, distance_8) ==
                   offsetof(struct sharing_stats, distance_1) + 7 * sizeof(uint64_t),
               "distances are a row");
enum { SHARING_SMS = 256, SHARING_WINDOWS = 64 };
struct sharing_window {
    uint64_t begin, accesses, misses, reused, pending;
};
struct sharing_row {
    uint64_t held_by[SHARING_SMS];
    struct sharing_window windows[SHARING_WINDOWS + 1]; /* the last: all that comes later */
    uint32_t at;                                        /* the window of its last access */
};
struct sharing {
    struct sharing_stats stats;
    uint32_t n, window;
    struct sharing_row sms[];
};

/* The window that an access falls into; those that it is the first to come after end where it begins. */
static struct sharing_window *window_of(const struct sharing *s, struct sharing_row *row, const struct access_event *a)
{
    const uint64_t number = a->insts / s->window, at = number < SHARING_WINDOWS ? number : SHARING_WINDOWS;
    while (row->at < at) row->windows[++row->at].begin = a->now;
    return &row->windows[at];
}

static void sharing_on_access(void *self, const struct access_event *what)
{
    struct sharing *s = self;
    const struct machine_ports *m = what->machine;
    uint64_t copies = 0, pending = 0, *at_distance = &s->stats.distance_1;
    struct sharing_window unused = {0}, *w = s->window ? window_of(s, &s->sms[what->sm], what) : &unused;
    w->accesses++;
    if (what->outcome != ACCESS_MISS || line_is_local(what->line)) return;
    for (uint32_t i = 0; i < s->n; i++) {
        if (i == what->sm) continue;
        const enum snoop found = m->snoop(m->machine, i, what->line, what->chunks);
        pending += found == SNOOP_PENDING;
        if (found != SNOOP_PRESENT) continue;
        copies++;
        s->sms[what->sm].held_by[i]++;
        const uint32_t up = (i + s->n - what->sm) % s->n, apart = up < s->n - up ? up : s->n - up;
        at_distance[apart < 8 ? apart - 1 : 7]++;
    }
    w->misses++;
    w->reused += copies != 0;
    w->pending += !copies && pending;
    s->stats.misses++;
    s->stats.reused += copies != 0;
    s->stats.pending += !copies && pending;
    s->stats.copies += copies;
}

/* Windows that have ended. */
static json_t *windows_of(const struct sharing *s)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < s->sms[i].at; k++) {
            const struct sharing_window *w = &s->sms[i].windows[k];
            json_array_append_new(rows, json_pack("[iiIIIII]", (int)i, (int)k, (json_int_t)(w[1].begin - w[0].begin),
                                                  (json_int_t)w->accesses, (json_int_t)w->misses, (json_int_t)w->reused,
                                                  (json_int_t)w->pending));
        }
    return rows;
}

static json_t *sharing_detail(const void *self)
{
    const struct sharing *s = self;
    json_t *map = json_array(), *object = json_object();
    for (uint32_t i = 0; i < s->n; i++) {
        json_t *row = json_array();
        for (uint32_t k = 0; k < s->n; k++) json_array_append_new(row, json_integer((json_int_t)s->sms[i].held_by[k]));
        json_array_append_new(map, row);
    }
    json_object_set_new(object, "heat_map", map);
    if (s->window) json_object_set_new(object, "windows", windows_of(s));
    return object;
}

static int sharing_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    (void)err;
    ((struct sharing *)self)->n = env->sms;
    ((struct sharing *)self)->window = ((const struct sharing_params *)params)->window;
    return 0;
}

static const void *sharing_stats_of(const void *self) { return &((const struct sharing *)self)->stats; }

const struct mech_type mech_sharing = {
    .name = "sharing",
    .title = "observes what other L1s hold of an L1's misses (mu_RC, heat maps)",
    .source = "THESIS 4.3.1",
    .params = {"sharing", sharing_rows, COUNT_OF(sharing_rows), sizeof(struct sharing_params)},
    .stats = {"sharing", sharing_stat_rows, COUNT_OF(sharing_stat_rows), sizeof(struct sharing_stats)},
    .ratios = sharing_ratios,
    .n_ratios = COUNT_OF(sharing_ratios),
    .state_size = sizeof(struct sharing),
    .per_sm_size = sizeof(struct sharing_row),
    .init = sharing_init,
    .stats_of = sharing_stats_of,
    .detail = sharing_detail,
    .on_access = sharing_on_access,
};
