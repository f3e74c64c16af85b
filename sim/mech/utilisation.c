/* How much of a line is of use while L1 has it: an observer that changes nothing of a run. [TSC Fig. 1]
 *
 * A line is in 32-byte quarters (of 128 bytes). A quarter is reused if an access after the one that brought the line
 * finds it there, or on its way. When the line goes, replaced or because of a store, it is counted by its reused
 * quarters; lines that are still there when the run ends are not. Fig. 4 counts memory instructions: a load with a miss
 * is one of whose requests some did not find its data. */
#include <string.h>
#include "poise/sys/hooks.h"

#define UTILISATION_STATS(S) \
    S(STAT_SUM, lines_0, "lines", "lines that went without any reuse") \
    S(STAT_SUM, lines_1, "lines", "lines of which one quarter was reused") \
    S(STAT_SUM, lines_2, "lines", "lines of which two were") \
    S(STAT_SUM, lines_3, "lines", "lines of which three were") \
    S(STAT_SUM, lines_4, "lines", "lines of which four were, or more of a line of more") \
    S(STAT_SUM, loads, "loads", "loads that looked L1 up") \
    S(STAT_SUM, loads_missed, "loads", \
      "of these, loads of which some request found its data neither there nor on its way") \
    S(STAT_SUM, untracked, "lines", "lines for which the observer's own table had no room")
STAT_STRUCT(utilisation_stats, UTILISATION_STATS);
#define ROW(...) STAT_ROW_OF(utilisation_stats, __VA_ARGS__)
static const struct stat_row utilisation_stat_rows[] = {UTILISATION_STATS(ROW)};
#undef ROW

enum { LOADS = 4096, LINES = 1 << 15, LINES_MAX = LINES / 4 * 3, QUARTERS = 5 };
struct line {
    uint32_t key;
    uint8_t reused;
}; /* key: line number + 1, 0 = free */
struct flight {
    bool has_looked, has_missed;
};
struct unit {
    struct flight flights[LOADS];
    struct line lines[LINES]; /* those in L1 or on their way to it, by hash, linear probing */
    uint32_t n_lines;
};
struct utilisation {
    struct utilisation_stats stats;
    struct unit sms[];
};

static uint32_t home(uint32_t line) { return line * 2654435761u >> 17; }

/* The line's place, or the free one where it belongs. */
static struct line *find(struct unit *u, uint32_t line)
{
    uint32_t i = home(line);
    while (u->lines[i].key && u->lines[i].key != line + 1) i = (i + 1) % LINES;
    return &u->lines[i];
}

/* Closes the gap, so that no chain is broken. */
static void forget(struct unit *u, const struct line *gone)
{
    uint32_t gap = (uint32_t)(gone - u->lines);
    for (uint32_t i = (gap + 1) % LINES; u->lines[i].key; i = (i + 1) % LINES) {
        const uint32_t at = home(u->lines[i].key - 1);
        if ((i - at) % LINES < (i - gap) % LINES) continue;
        u->lines[gap] = u->lines[i];
        gap = i;
    }
    u->lines[gap] = (struct line){0};
    u->n_lines--;
}

static void utilisation_on_load(void *self, const struct load_event *event)
{
    struct utilisation *h = self;
    h->sms[event->sm].flights[event->load] = (struct flight){false, false};
}

static void note_load(struct utilisation *h, struct flight *f, bool is_miss)
{
    h->stats.loads += !f->has_looked;
    h->stats.loads_missed += is_miss && !f->has_missed;
    f->has_looked = true;
    f->has_missed |= is_miss;
}

static void utilisation_on_access(void *self, const struct access_event *event)
{
    struct utilisation *h = self;
    struct unit *u = &h->sms[event->sm];
    note_load(h, &u->flights[event->load], event->outcome == ACCESS_MISS);
    struct line *l = find(u, event->line);
    if (event->outcome != ACCESS_MISS) {
        if (l->key) l->reused |= event->sectors;
        return;
    }
    if (l->key || !event->may_pollute) return;
    if (u->n_lines == LINES_MAX) {
        h->stats.untracked++;
        return;
    }
    *l = (struct line){event->line + 1, 0};
    u->n_lines++;
}

static void utilisation_on_evict(void *self, const struct line_event *event)
{
    struct utilisation *h = self;
    struct unit *u = &h->sms[event->sm];
    const struct line *l = find(u, event->line);
    if (!l->key) return;
    const uint32_t quarters = (uint32_t)__builtin_popcount(l->reused);
    uint64_t *const counters[QUARTERS] = {&h->stats.lines_0, &h->stats.lines_1, &h->stats.lines_2, &h->stats.lines_3,
                                          &h->stats.lines_4};
    ++*counters[quarters < QUARTERS ? quarters : QUARTERS - 1];
    forget(u, l);
}

static const void *utilisation_stats_of(const void *self) { return &((const struct utilisation *)self)->stats; }

const struct mech_type mech_utilisation = {
    .name = "utilisation",
    .title = "observes how much of a line is reused before it goes",
    .source = "TSC Fig. 1",
    .params = {.owner = "utilisation"},
    .stats = {"utilisation", utilisation_stat_rows, COUNT_OF(utilisation_stat_rows), sizeof(struct utilisation_stats)},
    .state_size = sizeof(struct utilisation),
    .per_sm_size = sizeof(struct unit),
    .stats_of = utilisation_stats_of,
    .on_access = utilisation_on_access,
    .on_evict = utilisation_on_evict,
    .on_load = utilisation_on_load,
};
