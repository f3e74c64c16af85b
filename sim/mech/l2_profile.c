/* Observes L2 and changes nothing: how often each line is accessed, and a marking for write-buffering and
 * read-bypassing. The run's JSON has both as `detail`, which the mechanisms `lockdown` and `write_buffer` read
 * (l2_marks.h). With --carry-l2 it knows a program's launches apart.   [ELASTIC 4A; TECHNIQUES 4.2]
 *
 * The marking: .cc for lines that one launch writes and the next reads, once and for the last time, since the read
 * frees the line and what it held is lost (`cc=handed_over`: all that one writes and the next reads); .cp for lines
 * that are read once in each launch that reads them and that no launch before wrote. Reads are those that L1 leaves to
 * L2. The survey's programmer marks instructions by hand; neighbouring lines of one mark become one range, over `gap`
 * unmarked ones. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "l2_marks.h"
#include "line_table.h"

#define L2_PROFILE_PARAMS(P) \
    P(U32, threshold, 0, 0, 1000000000, "accesses", "ELASTIC 4A", "lines with more accesses are listed") \
    P(ENUM, cc, 0, 0, 1, "read_once|handed_over", "TECHNIQUES 4.1", "which lines are marked with .cc") \
    P(U32, gap, 0, 0, 1000000, "lines", "assumed", "lines without a mark that a range may hold in a row") \
    P(U32, lines, 262144, 16, 134217728, "lines", "assumed", "lines that are counted")
PARAM_STRUCT(l2_profile_params, L2_PROFILE_PARAMS);
#define ROW(...) PARAM_ROW_OF(l2_profile_params, __VA_ARGS__)
static const struct param_row l2_profile_rows[] = {L2_PROFILE_PARAMS(ROW)};
#undef ROW
#define L2_PROFILE_STATS(S) \
    S(STAT_SUM, reads, "accesses", "reads of L2") \
    S(STAT_SUM, writes, "accesses", "stores and atomics to L2") \
    S(STAT_PEAK, lines_seen, "lines", "lines accessed so far") \
    S(STAT_SUM, uncounted, "accesses", "accesses to lines for which `lines` had no room")
STAT_STRUCT(l2_profile_stats, L2_PROFILE_STATS);
#define ROW(...) STAT_ROW_OF(l2_profile_stats, __VA_ARGS__)
static const struct stat_row l2_profile_stat_rows[] = {L2_PROFILE_STATS(ROW)};
#undef ROW

/* What is known of a line, in the 64 bits of its entry. */
struct known {
    uint16_t wrote, read; /* the last launch that did, counted from 1 */
    bool is_handed_over;  /* one launch wrote it, the next read it */
    bool is_reused;       /* read twice in one launch */
    bool is_shared;       /* read after another launch wrote it, */
    bool is_late;         /* and not only in the next one */
};
_Static_assert(sizeof(struct known) <= sizeof(uint64_t), "it lies in the value of a line's entry");
struct l2_profile {
    struct l2_profile_stats stats;
    struct l2_profile_params params;
    uint64_t first_line, line_bytes;
    size_t launches_at, table_at;
};
static uint32_t *launches_of(const struct l2_profile *h)
{
    return (uint32_t *)(uintptr_t)((const char *)h + h->launches_at);
}
static struct line_table *table_of(const struct l2_profile *h)
{
    return (struct line_table *)(uintptr_t)((const char *)h + h->table_at);
}

static size_t l2_profile_carried(const void *params, const struct mech_env *env)
{
    (void)env;
    return 64 + line_table_bytes(((const struct l2_profile_params *)params)->lines);
}

static int l2_profile_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct l2_profile *h = self;
    (void)err;
    h->params = *(const struct l2_profile_params *)params;
    h->first_line = env->first_line;
    h->line_bytes = env->line_bytes;
    h->launches_at = env->carried_at;
    h->table_at = env->carried_at + 64;
    line_table_begin(table_of(h), h->params.lines);
    return 0;
}

static void learn(struct known *k, const struct l2_request *r, uint16_t launch)
{
    if (r->kind == L2_STORE || r->kind == L2_ATOMIC) k->wrote = launch;
    if (r->kind == L2_STORE) return;
    k->is_handed_over |= k->wrote && k->wrote + 1 == launch;
    k->is_shared |= k->wrote && k->wrote != launch;
    k->is_late |= k->wrote && k->wrote + 1 < launch;
    k->is_reused |= k->read == launch;
    k->read = launch;
}

static void l2_profile_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    struct l2_profile *h = self;
    struct line_entry *e = line_table_take(table_of(h), r->line);
    const bool is_first = h->stats.reads + h->stats.writes == 0;
    struct known known;
    (void)access;
    if (is_first && *launches_of(h) < UINT16_MAX - 1) ++*launches_of(h);
    ++*(r->kind == L2_STORE || r->kind == L2_ATOMIC ? &h->stats.writes : &h->stats.reads);
    if (!e) {
        h->stats.uncounted++;
        return;
    }
    e->count += e->count < UINT32_MAX;
    memcpy(&known, &e->value, sizeof known);
    learn(&known, r, (uint16_t)*launches_of(h));
    memcpy(&e->value, &known, sizeof known);
}

static void l2_profile_end(void *self, uint64_t now)
{
    struct l2_profile *h = self;
    (void)now;
    h->stats.lines_seen = table_of(h)->used;
}

static int by_line(const void *a, const void *b)
{
    const struct line_entry *x = *(const struct line_entry *const *)a, *y = *(const struct line_entry *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

static uint8_t mark_of(const struct l2_profile *h, const struct line_entry *e)
{
    struct known known;
    memcpy(&known, &e->value, sizeof known);
    if (known.is_handed_over && (h->params.cc || !(known.is_reused || known.is_late))) return TRACE_CACHE_CC;
    return known.read && !known.is_reused && !known.is_shared && known.wrote != known.read ? TRACE_CACHE_CP
                                                                                           : TRACE_CACHE_DEFAULT;
}

static void add_mark(json_t *list, const struct l2_profile *h, uint8_t mark, uint32_t from, uint32_t to)
{
    if (mark == TRACE_CACHE_DEFAULT) return;
    json_array_append_new(list, json_pack("{s:s,s:I,s:I}", "operator", mark == TRACE_CACHE_CC ? "cc" : "cp", "from",
                                          (json_int_t)((h->first_line + from) * h->line_bytes), "to",
                                          (json_int_t)((h->first_line + to) * h->line_bytes)));
}

/* n lines in order. */
static json_t *marking(const struct l2_profile *h, const struct line_entry *const *lines, size_t n)
{
    json_t *list = json_array();
    uint8_t mark = TRACE_CACHE_DEFAULT;
    uint32_t from = 0, to = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t line = lines[i]->key - 1;
        const uint8_t this = mark_of(h, lines[i]);
        if (this == mark && line - to <= h->params.gap) {
            to = line + 1;
            continue;
        }
        if (this == TRACE_CACHE_DEFAULT && line - to <= h->params.gap) continue; /* perhaps inside of a range */
        add_mark(list, h, mark, from, to);
        mark = this;
        from = line;
        to = line + 1;
    }
    add_mark(list, h, mark, from, to);
    return list;
}

static json_t *l2_profile_detail(const void *self)
{
    const struct l2_profile *h = self;
    const struct line_table *t = table_of(h);
    const struct line_entry **lines = calloc(t->used + 1, sizeof *lines);
    json_t *counts = json_array();
    size_t n = 0;
    for (uint32_t i = 0; lines && i < 1u << t->bits; i++)
        if (t->entries[i].key) lines[n++] = &t->entries[i];
    if (lines) qsort(lines, n, sizeof *lines, by_line);
    for (size_t i = 0; i < n; i++)
        if (lines[i]->count > h->params.threshold)
            json_array_append_new(counts,
                                  json_pack("[I,I]", (json_int_t)((h->first_line + lines[i]->key - 1) * h->line_bytes),
                                            (json_int_t)lines[i]->count));
    json_t *out = json_pack("{s:I,s:o,s:o}", "line_bytes", (json_int_t)h->line_bytes, "marking", marking(h, lines, n),
                            "lines", counts);
    free(lines);
    return out;
}

static const void *l2_profile_stats_of(const void *self) { return &((const struct l2_profile *)self)->stats; }

const struct mech_type mech_l2_profile = {
    .name = "l2_profile",
    .title = "observes how lines of L2 are used, and proposes a marking",
    .source = "ELASTIC 4A; TECHNIQUES 4.2",
    .params = {"l2_profile", l2_profile_rows, COUNT_OF(l2_profile_rows), sizeof(struct l2_profile_params)},
    .stats = {"l2_profile", l2_profile_stat_rows, COUNT_OF(l2_profile_stat_rows), sizeof(struct l2_profile_stats)},
    .state_size = sizeof(struct l2_profile),
    .carried = l2_profile_carried,
    .init = l2_profile_init,
    .end = l2_profile_end,
    .stats_of = l2_profile_stats_of,
    .detail = l2_profile_detail,
    .l2_on_access = l2_profile_on_access,
};
