/* L2 lockdown: lines that are accessed often are not replaced.                                           [ELASTIC 4]
 *
 * A line with more accesses than the threshold is locked. If every line of a set is, a request to it goes to DRAM and
 * the answer straight to the crossbar (l2_hooks.h); `relaxed`: the line goes whose count is least above the threshold.
 *   profile    counts are those of a profiling run (§4A): a file by l2_profile
 *   in_flight  counts rise with each load and store of the run itself (§4B)
 *   decay      the same, and each access to the bank first takes one from all counts that are above the threshold
 *              (§4C); at most one line can rise meanwhile, so a lock is short: `decay_accesses` is the other reading
 * Counts are of 128-byte lines (`l1.line_bytes`), a bank each, and live on through a program's launches. The paper's
 * table has no limit; this one has `lines` places. */
#include <stdlib.h>
#include "l2_marks.h"
#include "line_table.h"

#define LOCKDOWN_PARAMS(P) \
    P(ENUM, counts, 1, 0, 2, "profile|in_flight|decay", "ELASTIC 4A, 4B, 4C", "where the counts come from") \
    P(FLAG, relaxed, 0, 0, 1, "flag", "ELASTIC 4D", \
      "of a set that is locked altogether the line least above the threshold goes") \
    P(U32, threshold, 100, 0, 1000000000, "accesses", "ELASTIC 4D", "a line with more is locked", PUBLISHED("100")) \
    P(U32, percentile, 0, 0, 100, "%", "assumed", \
      "the threshold is what so many percent of the profile's lines do not exceed; 0: `threshold`") \
    P(TEXT, profile, 0, 0, 0, "path", "ELASTIC 4A", \
      "file with counts, of `poise sim --mech l2_profile --carry-l2 --json`") \
    P(U32, decay_accesses, 1, 1, 1000000, "accesses", "ELASTIC 4C", \
      "decay: after so many accesses to the bank counts above the threshold lose one", PUBLISHED("1")) \
    P(U32, lines, 262144, 16, 134217728, "lines", "assumed", "lines that are counted")
PARAM_STRUCT(lockdown_params, LOCKDOWN_PARAMS);
#define ROW(...) PARAM_ROW_OF(lockdown_params, __VA_ARGS__)
static const struct param_row lockdown_rows[] = {LOCKDOWN_PARAMS(ROW)};
#undef ROW
#define LOCKDOWN_STATS(S) \
    S(STAT_SUM, locked, "lines", "lines whose count rose above the threshold") \
    S(STAT_PEAK, threshold, "accesses", "a line with more was locked") \
    S(STAT_SUM, bypassed, "accesses", "accesses to sets whose lines were all locked") \
    S(STAT_SUM, uncounted, "accesses", "accesses to lines for which `lines` had no room")
STAT_STRUCT(lockdown_stats, LOCKDOWN_STATS);
#define ROW(...) STAT_ROW_OF(lockdown_stats, __VA_ARGS__)
static const struct stat_row lockdown_stat_rows[] = {LOCKDOWN_STATS(ROW)};
#undef ROW

enum { COUNTS_PROFILE, COUNTS_IN_FLIGHT, COUNTS_DECAY };
struct lockdown {
    struct lockdown_stats stats;
    struct lockdown_params params;
    uint64_t first_line, line_bytes;
    size_t clocks_at, table_at; /* accesses to each bank; counts */
};

static uint64_t *clocks_of(void *self)
{
    return (uint64_t *)(void *)((char *)self + ((struct lockdown *)self)->clocks_at);
}
static struct line_table *table_of(void *self)
{
    return (struct line_table *)(void *)((char *)self + ((struct lockdown *)self)->table_at);
}
static size_t table_offset(const struct mech_env *env) { return (env->l2_banks * sizeof(uint64_t) + 63) / 64 * 64; }

static int lockdown_check(const void *params, struct error *err)
{
    const struct lockdown_params *p = params;
    if (*p->profile.s || (p->counts != COUNTS_PROFILE && !p->percentile)) return 0;
    return error_set(err, ERR_USAGE,
                     "lockdown,%s needs profile=FILE; `poise sim --mech l2_profile --carry-l2 --json` writes one",
                     p->counts == COUNTS_PROFILE ? "counts=profile" : "percentile");
}

static size_t lockdown_carried(const void *params, const struct mech_env *env)
{
    return table_offset(env) + line_table_bytes(((const struct lockdown_params *)params)->lines);
}

/* A line of the profile. Lines outside of the launch's memory are not accessed. */
static int take_line(void *self, uint64_t address, uint64_t accesses, struct error *err)
{
    struct lockdown *h = self;
    const uint64_t line = address / h->line_bytes;
    if (line < h->first_line || line - h->first_line >= UINT32_MAX) return 0;
    struct line_entry *e = line_table_take(table_of(self), (uint32_t)(line - h->first_line));
    if (!e)
        return error_set(err, ERR_INPUT, "%s: more lines than lockdown,lines=%u holds", h->params.profile.s,
                         h->params.lines);
    e->count = accesses < UINT32_MAX ? (uint32_t)accesses : UINT32_MAX;
    h->stats.locked += e->count > h->params.threshold;
    return 0;
}

/* ---- a threshold of the profile's own ---- */

struct counts {
    uint64_t *accesses;
    size_t n, room;
};

static int take_count(void *self, uint64_t address, uint64_t accesses, struct error *err)
{
    struct counts *c = self;
    (void)address;
    if (c->n == c->room) {
        const size_t room = c->room ? 2 * c->room : 1024;
        uint64_t *more = realloc(c->accesses, room * sizeof *more);
        if (!more) return error_set(err, ERR_MEMORY, "out of memory for %zu lines of a profile", room);
        c->accesses = more;
        c->room = room;
    }
    c->accesses[c->n++] = accesses;
    return 0;
}

static int by_accesses(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A profile without lines locks nothing. */
static int set_threshold(struct lockdown *h, struct error *err)
{
    struct counts c = {0};
    const int result = l2_marks_read(NULL, take_count, &c, h->params.profile.s, err);
    if (result == 0 && c.n) {
        qsort(c.accesses, c.n, sizeof *c.accesses, by_accesses);
        const uint64_t at = c.accesses[(c.n * h->params.percentile + 99) / 100 - 1];
        h->params.threshold = at < UINT32_MAX ? (uint32_t)at : UINT32_MAX;
    }
    free(c.accesses);
    return result;
}

static int lockdown_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct lockdown *h = self;
    if (lockdown_check(params, err) < 0) return -1;
    h->params = *(const struct lockdown_params *)params;
    h->first_line = env->first_line;
    h->line_bytes = env->line_bytes ? env->line_bytes : 128;
    h->clocks_at = env->carried_at;
    h->table_at = env->carried_at + table_offset(env);
    line_table_begin(table_of(self), h->params.lines);
    if (h->params.percentile && set_threshold(h, err) < 0) return -1;
    return h->params.counts == COUNTS_PROFILE ? l2_marks_read(NULL, take_line, self, h->params.profile.s, err) : 0;
}

/* By how much the line's count is above the threshold; 0: not locked. Under decay `value` is the bank's clock at which
 * it will have come down, if nobody accesses it again. */
static uint64_t excess(void *self, uint32_t bank, uint32_t line)
{
    struct lockdown *h = self;
    const struct line_entry *e = line_table_find(table_of(self), line);
    if (!e) return 0;
    if (h->params.counts != COUNTS_DECAY) return e->count > h->params.threshold ? e->count - h->params.threshold : 0;
    const uint64_t clock = clocks_of(self)[bank] / h->params.decay_accesses;
    return e->value > clock ? e->value - clock : 0;
}

/* Of a set whose lines are all locked: the one least above the threshold, of those that can go. */
static uint32_t least_locked(void *self, uint32_t bank, const struct l2_set *set)
{
    uint32_t best = set->n;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < set->n; i++) {
        const uint64_t above = excess(self, bank, set->ways[i].line);
        if (!above) return set->n;
        if (set->ways[i].is_pending || above >= least) continue;
        least = above;
        best = i;
    }
    return best;
}

static bool lockdown_may_evict(void *self, const struct l2_request *r, const struct l2_set *set)
{
    const struct lockdown *h = self;
    if (!excess(self, r->bank, set->ways[set->at].line)) return true;
    return h->params.relaxed && least_locked(self, r->bank, set) == set->at;
}

static void count_access(struct lockdown *h, const struct l2_request *r)
{
    const uint64_t clock = ++clocks_of(h)[r->bank] / h->params.decay_accesses;
    struct line_entry *e = line_table_take(table_of(h), r->line);
    const uint32_t threshold = h->params.threshold;
    if (!e) {
        h->stats.uncounted++;
    } else if (h->params.counts == COUNTS_IN_FLIGHT) {
        h->stats.locked += e->count == threshold;
        e->count += e->count < UINT32_MAX;
    } else if (e->value > clock) {
        e->value++;
    } else if (e->count < threshold) {
        e->count++;
    } else { /* one above the threshold */
        h->stats.locked++;
        e->value = clock + 1;
    }
}

static void lockdown_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    struct lockdown *h = self;
    h->stats.bypassed += access->outcome == L2_BYPASSED;
    if (h->params.counts != COUNTS_PROFILE) count_access(h, r);
}

static void lockdown_end(void *self, uint64_t now)
{
    struct lockdown *h = self;
    (void)now;
    h->stats.threshold = h->params.threshold;
}

static const void *lockdown_stats_of(const void *self) { return &((const struct lockdown *)self)->stats; }

static size_t lockdown_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct lockdown_params *p = params;
    out[0] = (struct mech_cost){"table of counts: line 25 bits, count 32", 0, 57ull * p->lines, STORAGE_ARRAY};
    out[1] = (struct mech_cost){"accesses to each bank, of 32 bits", 0,
                                p->counts == COUNTS_DECAY ? 32ull * env->l2_banks : 0, STORAGE_REGISTER};
    return 2;
}

static size_t lockdown_acts(const void *params, struct mech_act *out)
{
    (void)params;
    out[0] = (struct mech_act){"locking", {"locked"}};
    return 1;
}

const struct mech_type mech_lockdown = {
    .name = "lockdown",
    .title = "lines of L2 that are accessed often are not replaced",
    .source = "ELASTIC 4",
    .cost = lockdown_cost,
    .params = {"lockdown", lockdown_rows, COUNT_OF(lockdown_rows), sizeof(struct lockdown_params)},
    .stats = {"lockdown", lockdown_stat_rows, COUNT_OF(lockdown_stat_rows), sizeof(struct lockdown_stats)},
    .state_size = sizeof(struct lockdown),
    .carried = lockdown_carried,
    .acts = lockdown_acts,
    .init = lockdown_init,
    .check = lockdown_check,
    .end = lockdown_end,
    .stats_of = lockdown_stats_of,
    .l2_may_evict = lockdown_may_evict,
    .l2_on_access = lockdown_on_access,
};
