/* The Sharing Tracker: a directory beside L2 that sends what L2 would fetch from DRAM to an L1 that has it. [THESIS
 * §4.6.2, which argues about it and measures nothing]
 *
 *   miss of L1 --> L2 hits --------------------------------------------------> data
 *                  L2 misses, an SM read the line last --> that SM's L1 --> L2's line is filled from there
 *                                                             has lost it --> DRAM
 *
 * Each bank of L2 has a set-associative directory of lines, an SM with each: the one that read the line last. A load
 * at L2 writes its SM there, a store or an atomic clears the entry: L1s are not coherent, and what an older reader
 * holds may be stale. L1s drop lines without a word, so an SM that is asked may have none; that costs the way there
 * and back. Only loads of SMs that miss in L2 ask, and never the SM that misses.
 *
 * The ways between L2 and the SMs have a fixed latency; an SM sends one line after another, so many cycles each, and a
 * lookup takes a cycle of its L1's port. Neither the crossbars nor L2's ports are any busier for it, which flatters
 * the tracker. */
#include "poise/sys/hooks.h"

#include <string.h>
#include "poise/log2.h"

#define TRACKER_PARAMS(P) \
    P(U32, sets, 64, 1, 65536, "sets", "assumed", "of the directory of a bank of L2; a power of two") \
    P(U32, ways, 8, 1, 64, "ways", "assumed", "of it") \
    P(U32, ask_cycles, 50, 1, 1000, "core cycles", "assumed", "from a bank of L2 to an SM") \
    P(U32, answer_cycles, 50, 1, 1000, "core cycles", "assumed", "back to the bank") \
    P(U32, line_cycles, 5, 1, 64, "core cycles", "assumed", \
      "for which a line keeps the way from its SM busy: a header and 128 bytes, 32 a cycle") \
    P(U32, asked, 256, 1, TRACKER_ASKED_MAX, "requests", "assumed", "that can be on their way to SMs and back") \
    P(FLAG, steals, 1, 0, 1, "flag", "assumed", "a lookup takes a cycle of the SM's L1")
enum { TRACKER_ASKED_MAX = 1024 };
PARAM_STRUCT(tracker_params, TRACKER_PARAMS);
#define ROW(...) PARAM_ROW_OF(tracker_params, __VA_ARGS__)
static const struct param_row tracker_rows[] = {TRACKER_PARAMS(ROW)};
#undef ROW

#define TRACKER_STATS(S) \
    S(STAT_SUM, misses, "misses", "loads of SMs that missed in L2") \
    S(STAT_SUM, tracked, "misses", "of these, misses of lines that another SM has read last, as the directory knows") \
    S(STAT_SUM, full, "misses", "of these, sent to DRAM because too many were on their way to SMs") \
    S(STAT_SUM, asked, "misses", "of these, sent to that SM") \
    S(STAT_SUM, hits, "misses", "of these, answered by it") \
    S(STAT_SUM, gone, "misses", "of these, sent to DRAM after all: its L1 had lost the line") \
    S(STAT_SUM, hit_cycles, "core cycles", "miss in L2 to data, summed over hits") \
    S(STAT_SUM, gone_cycles, "core cycles", "miss in L2 to the way to DRAM, summed over those that were gone") \
    S(STAT_SUM, updates, "updates", "entries written by reads") \
    S(STAT_SUM, cleared, "updates", "entries cleared by stores and atomics") \
    S(STAT_SUM, replaced, "updates", "entries that another line's took")
STAT_STRUCT(tracker_stats, TRACKER_STATS);
#define ROW(...) STAT_ROW_OF(tracker_stats, __VA_ARGS__)
static const struct stat_row tracker_stat_rows[] = {TRACKER_STATS(ROW)};
#undef ROW
static const struct ratio_row tracker_ratios[] = {
    RATIO_ROW_OF(tracker_stats, saved, hits, misses, "share of L2's load misses that an L1 answered in DRAM's place"),
    RATIO_ROW_OF(tracker_stats, tracked_share, tracked, misses, "share of them whose line another SM has read last")};

struct tracker_entry {
    uint32_t line, used; /* used: when it was written last, counted in updates; 0: empty */
    uint16_t sm;
};
enum tracker_stage { ASKING, ANSWERED, GONE };
struct tracker_ask {
    struct l2_fetch fetch;
    uint64_t born, at;
    uint16_t sm;
    uint8_t stage;
};
enum { NOBODY = UINT16_MAX };
struct tracker {
    struct tracker_stats stats;
    struct tracker_params params;
    size_t entries_at;
    uint32_t clock, n_asked;
    uint16_t holder; /* of the load that has just missed: who has read its line before */
    struct tracker_ask asks[TRACKER_ASKED_MAX];
    uint64_t link_free[]; /* the way from each SM */
};

static struct tracker_entry *set_of(struct tracker *t, uint32_t bank, uint32_t line)
{
    struct tracker_entry *all = (struct tracker_entry *)(void *)((char *)t + t->entries_at);
    const uint32_t set = (line * 2654435761u >> 8) & (t->params.sets - 1);
    return all + ((size_t)bank * t->params.sets + set) * t->params.ways;
}

static struct tracker_entry *find(struct tracker *t, uint32_t bank, uint32_t line)
{
    struct tracker_entry *set = set_of(t, bank, line);
    for (uint32_t way = 0; way < t->params.ways; way++)
        if (set[way].used && set[way].line == line) return &set[way];
    return NULL;
}

/* An empty entry of the line's set, or the one written longest ago. */
static struct tracker_entry *replace(struct tracker *t, uint32_t bank, uint32_t line)
{
    struct tracker_entry *set = set_of(t, bank, line), *least = set;
    for (uint32_t way = 1; way < t->params.ways; way++)
        if (set[way].used < least->used) least = &set[way];
    t->stats.replaced += least->used != 0;
    return least;
}

static void tracker_on_access(void *self, const struct l2_request *r, const struct l2_access *access)
{
    struct tracker *t = self;
    struct tracker_entry *e = find(t, r->bank, r->line);
    t->holder = NOBODY;
    if (r->kind == L2_STORE || r->kind == L2_ATOMIC) {
        t->stats.cleared += e != NULL;
        if (e) e->used = 0;
        return;
    }
    if (r->kind != L2_LOAD || r->from != L2_FROM_SM) return;
    if (access->outcome == L2_MISSED || access->outcome == L2_SECTOR_MISSED) {
        t->stats.misses++;
        if (e && e->sm != r->requester) t->holder = e->sm;
        t->stats.tracked += t->holder != NOBODY;
    }
    if (!e) e = replace(t, r->bank, r->line);
    *e = (struct tracker_entry){.line = r->line, .used = ++t->clock, .sm = (uint16_t)r->requester};
    t->stats.updates++;
}

static bool tracker_take(void *self, const struct l2_fetch *fetch, uint64_t now)
{
    struct tracker *t = self;
    const uint16_t sm = t->holder;
    t->holder = NOBODY;
    if (sm == NOBODY) return false;
    t->stats.full += t->n_asked == t->params.asked;
    if (t->n_asked == t->params.asked) return false;
    t->asks[t->n_asked++] =
        (struct tracker_ask){.fetch = *fetch, .born = now, .at = now + t->params.ask_cycles, .sm = sm, .stage = ASKING};
    t->stats.asked++;
    return true;
}

/* The SM looks its L1 up, and sends the line or a word that there is none. */
static void look_up(struct tracker *t, struct tracker_ask *a, const struct machine_ports *m, uint64_t now)
{
    const bool is_there = m->snoop(m->machine, a->sm, a->fetch.line, a->fetch.sectors) == SNOOP_PRESENT;
    uint64_t *free = &t->link_free[a->sm];
    if (t->params.steals) m->steal_port(m->machine, a->sm, now);
    if (*free < now) *free = now;
    *free += is_there ? t->params.line_cycles : 1;
    a->at = *free + t->params.answer_cycles;
    a->stage = is_there ? ANSWERED : GONE;
}

/* Whether the answer that has come to L2 is dealt with. */
static bool hand_over(struct tracker *t, const struct tracker_ask *a, const struct machine_ports *m, uint64_t now)
{
    if (a->stage == ANSWERED) {
        m->answer_l2(m->machine, &a->fetch, now);
        t->stats.hits++;
        t->stats.hit_cycles += now - a->born;
        return true;
    }
    if (!m->fetch_from_dram(m->machine, &a->fetch, now)) return false;
    t->stats.gone++;
    t->stats.gone_cycles += now - a->born;
    return true;
}

static void tracker_tick(void *self, const struct machine_ports *m, uint64_t now)
{
    struct tracker *t = self;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->n_asked; i++) {
        struct tracker_ask *a = &t->asks[i];
        bool is_over = false;
        if (a->at <= now && a->stage == ASKING) look_up(t, a, m, now);
        else if (a->at <= now) is_over = hand_over(t, a, m, now);
        if (!is_over) t->asks[kept++] = *a;
    }
    t->n_asked = kept;
}

static uint64_t tracker_next_event(const void *self, uint64_t now)
{
    const struct tracker *t = self;
    uint64_t first = UNIT_NEVER;
    for (uint32_t i = 0; i < t->n_asked; i++) {
        const uint64_t at = t->asks[i].at > now ? t->asks[i].at : now + 1;
        if (at < first) first = at;
    }
    return first;
}

static bool tracker_idle(const void *self) { return ((const struct tracker *)self)->n_asked == 0; }

static void tracker_dump(const void *self, char *text, size_t size)
{
    snprintf(text, size, "sharing_tracker: %u requests at SMs", ((const struct tracker *)self)->n_asked);
}

static size_t tracker_carried(const void *params, const struct mech_env *env)
{
    const struct tracker_params *p = params;
    return (size_t)env->l2_banks * p->sets * p->ways * sizeof(struct tracker_entry);
}

/* L1s are empty when a launch begins, and so is the directory. */
static int tracker_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct tracker *t = self;
    if (env->l1_chunk_bytes && env->l1_chunk_bytes != 32)
        return error_set(err, ERR_USAGE,
                         "sharing_tracker: L1 stores chunks of %u bytes and L2 fetches sectors of 32; "
                         "set l1.organisation=plain or sectored",
                         env->l1_chunk_bytes);
    t->params = *(const struct tracker_params *)params;
    t->entries_at = env->carried_at;
    t->holder = NOBODY;
    memset((char *)t + t->entries_at, 0, tracker_carried(params, env));
    return 0;
}

static int tracker_check(const void *params, struct error *err)
{
    const struct tracker_params *p = params;
    if (!(p->sets & (p->sets - 1))) return 0;
    return error_set(err, ERR_USAGE, "sharing_tracker: sets=%u is not a power of two", p->sets);
}

/* An entry: the tag of a 40-bit address of a line that the set leaves, an SM and a valid bit; its age in the set. */
static uint64_t entry_bits(const struct tracker_params *p, const struct mech_env *env)
{
    return 33 - log2_ceil(p->sets) + log2_ceil(env->sms) + 1 + log2_ceil(p->ways);
}

static size_t tracker_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct tracker_params *p = params;
    out[0] = (struct mech_cost){"directory: tag, SM, valid and age of each entry, in each bank of L2", 0,
                                (uint64_t)env->l2_banks * p->sets * p->ways * entry_bits(p, env), STORAGE_ARRAY};
    out[1] = (struct mech_cost){"requests at SMs: MSHR, bank and SM of each", 0,
                                (uint64_t)p->asked * (16 + log2_ceil(env->sms)), STORAGE_QUEUE};
    return 2;
}

/* A request and a line of 128 bytes travel from L2 to an SM and back; wires are those to a neighbour. */
static size_t tracker_events(const void *params, const struct mech_env *env, struct mech_event *out)
{
    enum { REQUEST = 32, LINE = 128 * 8 };
    const struct tracker_params *p = params;
    const uint64_t entry = entry_bits(p, env), bank = (uint64_t)p->sets * p->ways * entry;
    out[0] = (struct mech_event){"a set of the directory is looked up", "misses", (double)(p->ways * entry), bank};
    out[1] = (struct mech_event){"an entry is written", "updates", (double)entry, bank};
    out[2] = (struct mech_event){"an entry is cleared", "cleared", (double)entry, bank};
    out[3] = (struct mech_event){"requests to SMs", "asked", REQUEST, 0};
    out[4] = (struct mech_event){"lines from SMs", "hits", LINE, 0};
    return 5;
}

static const void *tracker_stats_of(const void *self) { return &((const struct tracker *)self)->stats; }

static const struct l2_fetch_ops tracker_fetches = {tracker_take};
static const struct unit_ops tracker_unit = {tracker_tick, tracker_next_event, tracker_idle, tracker_dump, NULL};
static size_t sharing_tracker_acts(const void *params, struct mech_act *out)
{
    (void)params;
    out[0] = (struct mech_act){"fetching from L1s", {"hits"}};
    return 1;
}

const struct mech_type mech_sharing_tracker = {
    .name = "sharing_tracker",
    .title = "directory at L2 that fetches from L1s what it would fetch from DRAM",
    .source = "THESIS 4.6.2",
    .params = {"sharing_tracker", tracker_rows, COUNT_OF(tracker_rows), sizeof(struct tracker_params)},
    .stats = {"sharing_tracker", tracker_stat_rows, COUNT_OF(tracker_stat_rows), sizeof(struct tracker_stats)},
    .ratios = tracker_ratios,
    .n_ratios = COUNT_OF(tracker_ratios),
    .state_size = sizeof(struct tracker),
    .per_sm_size = sizeof(uint64_t),
    .carried = tracker_carried,
    .acts = sharing_tracker_acts,
    .init = tracker_init,
    .check = tracker_check,
    .cost = tracker_cost,
    .events = tracker_events,
    .stats_of = tracker_stats_of,
    .unit = &tracker_unit,
    .l2_miss_route = &tracker_fetches,
    .l2_on_access = tracker_on_access,
};
