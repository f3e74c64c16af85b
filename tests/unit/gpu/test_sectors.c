/* Requests of an instruction for sectors of one line, looked up together, against the same one after another: what
 * leaves, what each reply completes, counters, lines and their order. */
#include "units.h"

enum { LOADS = 4096, AWAY = 64 };
struct twins {
    struct l1 apart, joined;
    uint32_t left[2][LOADS]; /* parts of each load that have not come, or hit */
    struct request away[AWAY];
    uint32_t n_away, lines;
    uint32_t hits, misses, stores, parted; /* of those that might join */
};

static uint32_t random_state;
static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

/* One after another, until one fails. Returns how many went. */
static uint32_t one_by_one(struct l1 *l1, struct l1_access a, bool is_store, uint32_t *left, cycle_t now)
{
    uint32_t n = 0;
    for (uint32_t sectors = a.sectors; sectors; sectors &= sectors - 1, n++) {
        a.sectors = (uint8_t)(sectors & -sectors);
        const enum l1_outcome outcome = is_store ? l1_send(l1, REQUEST_WRITE, &a, 3, false, now) : l1_load(l1, &a, now);
        if (outcome >= L1_FAIL_LINE) break;
        *left -= outcome == L1_HIT;
    }
    return n;
}

static uint32_t together(struct twins *t, const struct l1_access *a, bool is_store, uint32_t *left, cycle_t now)
{
    const uint32_t n = sector_count(a->sectors);
    const enum l1_outcome outcome = n == 1     ? L1_APART
                                    : is_store ? l1_store_apart(&t->joined, a, n, 3, now)
                                               : t->joined.type->load_apart(&t->joined, a, n, now);
    t->hits += outcome == L1_HIT;
    t->misses += outcome == L1_MISS;
    t->stores += outcome == L1_SENT;
    t->parted += n > 1 && outcome == L1_APART;
    if (outcome == L1_APART) return one_by_one(&t->joined, *a, is_store, left, now);
    if (!is_store) *left -= outcome == L1_HIT ? n : n - 1; /* an MSHR has them as one */
    return n;
}

static void request_both(struct twins *t, uint32_t load, cycle_t now)
{
    const struct l1_access a = {.line = any(t->lines),
                                .sectors = (uint8_t)(any(2) ? 15 : 1 + any(15)),
                                .warp = any(8),
                                .pc = any(3),
                                .load = (uint16_t)load,
                                .may_pollute = any(8) != 0};
    const bool is_store = any(8) == 0;
    uint32_t *x = &t->left[0][load], *y = &t->left[1][load];
    *x = *y = sector_count(a.sectors);
    const uint32_t n = one_by_one(&t->apart, a, is_store, x, now);
    assert_int_equal(n, together(t, &a, is_store, y, now));
    const uint32_t never = sector_count(a.sectors) - n;
    *x -= never, *y -= never;
}

static void send_both(struct twins *t)
{
    const struct request a = request_fifo_pop(&t->apart.to_xbar), b = request_fifo_pop(&t->joined.to_xbar);
    assert_memory_equal(&a, &b, sizeof a);
    if (a.kind == REQUEST_READ) t->away[t->n_away++] = a;
}

static void answer_both(struct twins *t, cycle_t now)
{
    const uint32_t k = any(t->n_away), *x, *y;
    const struct reply reply = {.token = t->away[k].token, .kind = REQUEST_READ, .sectors = t->away[k].sectors};
    const uint32_t n = l1_fill(&t->apart, &reply, &x, now);
    for (uint32_t i = 0; i < n; i++) t->left[0][x[i]]--;
    const uint32_t m = l1_fill(&t->joined, &reply, &y, now);
    for (uint32_t i = 0; i < m; i++) t->left[1][y[i]]--;
    for (uint32_t i = 0; i < n; i++) assert_int_equal(!t->left[0][x[i]], !t->left[1][x[i]]);
    for (uint32_t i = 0; i < m; i++) assert_int_equal(!t->left[0][y[i]], !t->left[1][y[i]]);
    t->away[k] = t->away[--t->n_away];
}

static void run(uint32_t sets, uint32_t ways, bool keeps_stores)
{
    static struct twins t;
    t = (struct twins){.lines = sets * ways * 3 / 2};
    random_state = 7;
    params->l1.organisation = L1_SECTORED;
    params->l1.set_index = LINEAR_INDEX;
    params->l1.sets = sets;
    params->l1.ways = ways;
    params->l1.mshrs = 6;
    params->l1.mshr_merge = 7;
    params->l1.miss_queue = 9;
    params->l1.write_hit = keeps_stores ? WRITE_THROUGH_L1 : WRITE_EVICT_L1;
    params->l1.write_miss = keeps_stores ? WRITE_ALLOCATE_L1 : WRITE_AROUND_L1;
    l1_init(&t.apart, params, 0, 0, &arena);
    l1_init(&t.joined, params, 0, 0, &arena);
    for (cycle_t now = 1; now < 30000; now++) {
        request_both(&t, now % LOADS, now);
        for (uint32_t n = any(4); n && !request_fifo_empty(&t.apart.to_xbar) && t.n_away < AWAY; n--) send_both(&t);
        for (uint32_t n = any(4); n && t.n_away; n--) answer_both(&t, now);
    }
    assert_int_equal(t.apart.to_xbar.count, t.joined.to_xbar.count);
    assert_memory_equal(&t.apart.stats, &t.joined.stats, sizeof t.apart.stats);
    assert_memory_equal(t.apart.tags.fours, t.joined.tags.fours,
                        sets * t.apart.tags.stride / 4 * sizeof(struct tag_four));
    assert_memory_equal(t.apart.tags.owners, t.joined.tags.owners,
                        sets * t.apart.tags.stride * sizeof(struct tag_owner));
    assert_true(t.hits > 100 && t.misses > 100 && t.stores > 100 && t.parted > 100);
}

static void sectors_of_a_line_fare_as_one_after_another(void **state)
{
    (void)state;
    run(4, 4, false);
}

static void so_they_do_where_stores_are_kept(void **state)
{
    (void)state;
    run(4, 4, true);
}

static void and_in_sets_of_many_ways(void **state)
{
    (void)state;
    run(1, 128, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {T(sectors_of_a_line_fare_as_one_after_another),
                                       T(so_they_do_where_stores_are_kept), T(and_in_sets_of_many_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
