/* Write-buffering and read-bypassing at L2.   [TECHNIQUES 4; Choi et al., 2012]
 *
 * A store with .cc that misses takes a line and sets its C bit; so does one that hits. A line with the bit is not
 * replaced for a store, and a store that finds the bit on every line of its set is written past L2. A read hit frees
 * such a line at once: it has been handed over. A load with .cp takes no line. A program carries the operators, or a
 * file marks the arrays (l2_marks.h).
 *
 * What the survey leaves open. Its lines have the 32 bytes of an access; of longer ones the line is freed when all
 * sectors that were written have been read (`free_at=first_read`: at once). Its text says that no allocation replaces
 * a C line, its Fig. 5 shows loads that do: `protect=writes` is the figure, `all` the text. What is freed is dirty and
 * lost; later reads of it get stale data from DRAM in a real machine, here they are counted (`c_lost_reads`), and
 * `freed=write_back` writes first. */
#include "l2_marks.h"
#include "line_table.h"

#define WRITE_BUFFER_PARAMS(P) \
    P(TEXT, marking, 0, 0, 0, "path", "TECHNIQUES 4.2", \
      "file of address ranges with .cc and .cp; without it the trace's operators count") \
    P(ENUM, protect, 0, 0, 1, "writes|all", "TECHNIQUES Fig. 5", "who may not replace a line with its C bit set") \
    P(ENUM, free_at, 0, 0, 1, "all_read|first_read", "MECHANISMS 'Write-buffering and read-bypassing'", \
      "which read hit frees it: that with which all written sectors have been read, or the first") \
    P(ENUM, freed, 0, 0, 1, "lost|write_back", "TECHNIQUES 4.1", "its dirty sectors") \
    P(U32, lost_lines, 65536, 16, 16777216, "lines", "assumed", \
      "freed lines that are remembered, to count reads of them")
PARAM_STRUCT(write_buffer_params, WRITE_BUFFER_PARAMS);
#define ROW(...) PARAM_ROW_OF(write_buffer_params, __VA_ARGS__)
static const struct param_row write_buffer_rows[] = {WRITE_BUFFER_PARAMS(ROW)};
#undef ROW
#define WRITE_BUFFER_STATS(S) \
    S(STAT_SUM, c_stores, "accesses", "stores with .cc") \
    S(STAT_SUM, c_set, "lines", "lines whose C bit was set") \
    S(STAT_SUM, c_freed, "lines", "of these, lines that a read freed") \
    S(STAT_SUM, c_lost_reads, "accesses", "reads from DRAM of a line that was freed without being written back") \
    S(STAT_SUM, written_around, "accesses", "stores that bypass L2: every line of the set had its C bit set") \
    S(STAT_SUM, read_around, "accesses", "loads that bypass L2") \
    S(STAT_SUM, forgotten, "lines", "freed lines for which `lost_lines` had no room")
STAT_STRUCT(write_buffer_stats, WRITE_BUFFER_STATS);
#define ROW(...) STAT_ROW_OF(write_buffer_stats, __VA_ARGS__)
static const struct stat_row write_buffer_stat_rows[] = {WRITE_BUFFER_STATS(ROW)};
#undef ROW

enum { FREE_ALL_READ, FREE_FIRST_READ };
enum { PROTECT_WRITES, PROTECT_ALL };
/* Of a frame. */
struct c_line {
    uint8_t is_set, written, read; /* sectors */
};
struct write_buffer {
    struct write_buffer_stats stats;
    struct write_buffer_params params;
    uint64_t first_line, line_bytes;
    size_t lines_at, lost_at;
    struct l2_marks marks;
};

static struct c_line *lines_of(void *self)
{
    return (struct c_line *)(void *)((char *)self + ((struct write_buffer *)self)->lines_at);
}
static struct line_table *lost_of(void *self)
{
    return (struct line_table *)(void *)((char *)self + ((struct write_buffer *)self)->lost_at);
}
static size_t lost_offset(const struct mech_env *env)
{
    return (env->l2_frames * sizeof(struct c_line) + 63) / 64 * 64;
}

static size_t write_buffer_carried(const void *params, const struct mech_env *env)
{
    return lost_offset(env) + line_table_bytes(((const struct write_buffer_params *)params)->lost_lines);
}

static int write_buffer_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct write_buffer *h = self;
    h->params = *(const struct write_buffer_params *)params;
    h->first_line = env->first_line;
    h->line_bytes = env->line_bytes;
    h->lines_at = env->carried_at;
    h->lost_at = env->carried_at + lost_offset(env);
    line_table_begin(lost_of(self), h->params.lost_lines);
    return *h->params.marking.s ? l2_marks_read(&h->marks, NULL, NULL, h->params.marking.s, err) : 0;
}

/* What the request says of L2: by itself, or by its address. */
static uint8_t operator_of(const struct write_buffer *h, const struct l2_request *r)
{
    if (r->cache_op == TRACE_CACHE_CC || r->cache_op == TRACE_CACHE_CP || !h->marks.n) return r->cache_op;
    return l2_marks_find(&h->marks, (h->first_line + r->line) * h->line_bytes);
}

static bool write_buffer_bypass(void *self, const struct l2_request *r, const struct l2_set *set)
{
    (void)set;
    return r->kind == L2_LOAD && operator_of(self, r) == TRACE_CACHE_CP;
}

static bool write_buffer_may_evict(void *self, const struct l2_request *r, const struct l2_set *set)
{
    const struct write_buffer *h = self;
    return !lines_of(self)[set->ways[set->at].frame].is_set ||
           (r->kind != L2_STORE && h->params.protect == PROTECT_WRITES);
}

static enum l2_hit write_buffer_on_hit(void *self, const struct l2_request *r, const struct l2_hit_line *line)
{
    struct write_buffer *h = self;
    struct c_line *c = &lines_of(self)[line->way.frame];
    if (!c->is_set || (r->kind != L2_LOAD && r->kind != L2_READ_ONLY)) return L2_KEEP;
    c->read |= r->sectors;
    if (h->params.free_at == FREE_ALL_READ && (c->written & ~c->read)) return L2_KEEP;
    if (h->params.freed && !line->has_room) return L2_KEEP; /* the next read frees it */
    *c = (struct c_line){0};
    h->stats.c_freed++;
    if (h->params.freed) return L2_WRITE_BACK_AND_FREE;
    struct line_entry *lost = line_table_take(lost_of(self), r->line);
    if (lost) lost->count = line->way.is_dirty;
    else h->stats.forgotten++;
    return L2_FREE;
}

/* A store makes the line good again; a read that does not find it in L2 gets what DRAM had before. */
static void account_lost(struct write_buffer *h, const struct l2_request *r, enum l2_outcome outcome)
{
    struct line_table *lost = lost_of(h);
    struct line_entry *e = lost->used ? &lost->entries[line_table_place(lost, r->line)] : NULL;
    if (!e || !e->key || !e->count) return;
    if (r->kind == L2_STORE) e->count = 0;
    else if (outcome == L2_MISSED || outcome == L2_BYPASSED) h->stats.c_lost_reads++;
}

static void write_buffer_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    struct write_buffer *h = self;
    account_lost(h, r, access->outcome);
    if (access->outcome == L2_BYPASSED) {
        ++*(r->kind == L2_STORE ? &h->stats.written_around : &h->stats.read_around);
        if (r->kind == L2_STORE) h->stats.c_stores += operator_of(h, r) == TRACE_CACHE_CC;
        return;
    }
    struct c_line *c = &lines_of(self)[access->frame];
    if (access->outcome == L2_MISSED) *c = (struct c_line){0};
    if (r->kind != L2_STORE) return;
    if (operator_of(h, r) == TRACE_CACHE_CC) {
        h->stats.c_stores++;
        h->stats.c_set += !c->is_set;
        c->is_set = 1;
    }
    c->written |= r->sectors;
    c->read &= (uint8_t)~r->sectors;
}

static const void *write_buffer_stats_of(const void *self) { return &((const struct write_buffer *)self)->stats; }

/* What marks an instruction is in its encoding. */
static size_t write_buffer_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    (void)params;
    out[0] = (struct mech_cost){"a C bit for each line of L2", 0, (uint64_t)env->l2_banks * env->l2_sets * env->l2_ways,
                                STORAGE_ARRAY};
    return 1;
}

static size_t write_buffer_acts(const void *params, struct mech_act *out)
{
    (void)params;
    out[0] = (struct mech_act){"write-buffering", {"c_set"}};
    out[1] = (struct mech_act){"read-bypassing", {"read_around"}};
    return 2;
}

const struct mech_type mech_write_buffer = {
    .name = "write_buffer",
    .title = "stores for the next launch stay in L2, private loads bypass it",
    .source = "TECHNIQUES 4",
    .cost = write_buffer_cost,
    .params = {"write_buffer", write_buffer_rows, COUNT_OF(write_buffer_rows), sizeof(struct write_buffer_params)},
    .stats = {"write_buffer", write_buffer_stat_rows, COUNT_OF(write_buffer_stat_rows),
              sizeof(struct write_buffer_stats)},
    .state_size = sizeof(struct write_buffer),
    .carried = write_buffer_carried,
    .acts = write_buffer_acts,
    .init = write_buffer_init,
    .stats_of = write_buffer_stats_of,
    .l2_bypass = write_buffer_bypass,
    .l2_may_evict = write_buffer_may_evict,
    .l2_on_hit = write_buffer_on_hit,
    .l2_on_access = write_buffer_on_access,
};
