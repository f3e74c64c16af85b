/* Units of the timing model one at a time, through their queues: no mocks. DRAM: test_dram.c; the network:
 * test_network.c. */
#include "units.h"

/* ---- tags ---- */

static void fully_associative_LRU_never_loses_hits_with_more_ways(void **state)
{
    (void)state;
    uint32_t r = 5;
    uint64_t last = 0;
    for (uint32_t ways = 1; ways <= 128; ways *= 2) {
        struct tags t;
        uint64_t hits = 0;
        arena.used = 0;
        memset(arena.base, 0, arena.size);
        tags_init(&t, &arena, 1, ways, 128, &org_plain, NULL);
        r = 5;
        for (int i = 0; i < 20000; i++) {
            r = r * 1664525u + 1013904223u;
            const uint32_t line = (r >> 10) % ((r >> 28) + 40);
            struct tag_line *l = tags_find(&t, 0, line);
            if (l) {
                hits++;
                tags_touch(&t, l, 0);
            } else {
                l = tags_line(&t, tags_victim(&t, 0));
                tags_reserve(&t, l, line, 0);
                l->valid = t.all;
            }
        }
        assert_true(hits >= last);
        last = hits;
    }
}

/* ---- L1 ---- */

static struct reply reply_to(struct l1 *l1)
{
    const struct request r = request_fifo_pop(&l1->to_xbar);
    return (struct reply){.token = r.token, .kind = r.kind, .sectors = r.sectors};
}

static enum l1_outcome load_line(struct l1 *l1, uint32_t line, uint32_t sectors, uint32_t warp, uint32_t load,
                                 bool may_pollute, cycle_t now)
{
    const struct l1_access access = {
        .line = line, .sectors = (uint8_t)sectors, .warp = warp, .load = (uint16_t)load, .may_pollute = may_pollute};
    return l1_load(l1, &access, now);
}
static enum l1_outcome store_line(struct l1 *l1, uint32_t line, uint32_t token, cycle_t now)
{
    const struct l1_access access = {.line = line, .sectors = 15};
    return l1_send(l1, REQUEST_WRITE, &access, token, false, now);
}

static void l1_merges_a_second_miss_and_answers_both_after_one_fill(void **state)
{
    struct l1 l1 = {0};
    const uint32_t *targets;
    (void)state;
    l1_init(&l1, params, 0, 0, &arena);
    assert_int_equal(L1_MISS, load_line(&l1, 7, 15, 1, 10, true, 100));
    assert_int_equal(L1_MERGED, load_line(&l1, 7, 15, 2, 11, true, 105));
    assert_int_equal(1, l1.to_xbar.count);
    const struct reply reply = reply_to(&l1);
    assert_int_equal(2, l1_fill(&l1, &reply, &targets, 220));
    assert_int_equal(10, targets[0]);
    assert_int_equal(11, targets[1]);
    assert_int_equal(120, l1.stats.miss_latency_sum);
    assert_int_equal(L1_HIT, load_line(&l1, 7, 15, 2, 12, true, 230));
    assert_int_equal(1, l1.stats.l1d_intra_warp_hits); /* warp 2 touched it last, by its merge */
    assert_int_equal(0, l1.stats.l1d_own_fill_hits);
    assert_int_equal(L1_HIT, load_line(&l1, 7, 15, 1, 13, true, 231));
    assert_int_equal(1, l1.stats.l1d_intra_warp_hits);
    assert_int_equal(1, l1.stats.l1d_own_fill_hits);
}

/* An L1 whose misses without a line fetch this. */
static void l1_fetching(struct l1 *l1, struct hooks *hooks, enum load_fetch fetch)
{
    *hooks = (struct hooks){.fetch = fetch};
    l1_init(l1, params, 0, 0, &arena);
    l1->hooks = hooks;
}

/* Few sets, MSHRs and queue entries, of which random accesses run out in every way. */
static void make_l1_scarce(void)
{
    params->l1.sets = 4;
    params->l1.set_index = HASH_INDEX; /* Fermi's needs 32 or 64 sets */
    params->l1.mshrs = 10;
    params->l1.mshr_merge = 2;
    params->l1.miss_queue = 5;
}

/* Where L1 is scarce every way to fail comes up; what is predicted changes nothing. */
static void an_access_is_predicted_to_fail_just_when_it_does_and_for_the_same_reason(void **state)
{
    struct l1 l1 = {0};
    struct reply away[64];
    uint32_t seen[L1_FAIL_QUEUE + 1] = {0}, random = 1, n_away = 0;
    struct hooks hooks;
    (void)state;
    make_l1_scarce();
    l1_fetching(&l1, &hooks, FETCH_SECTORS);
    for (cycle_t now = 1; now < 20000; now++) {
        random = random * 1664525u + 1013904223u;
        const struct l1_access access = {.line = random >> 20 & 63,
                                         .sectors = (uint8_t)(1 + (random >> 6 & 63) % 15),
                                         .warp = random >> 10 & 7,
                                         .load = (uint16_t)now & 511,
                                         .may_pollute = random >> 27 & 3};
        const struct l1_stats before = l1.stats;
        const enum l1_outcome predicted = l1_load_fails(&l1, &access);
        assert_memory_equal(&before, &l1.stats, sizeof before);
        const enum l1_outcome outcome = l1_load(&l1, &access, now);
        assert_int_equal(outcome < L1_FAIL_LINE ? L1_HIT : outcome, predicted);
        seen[outcome]++;
        if ((random >> 15 & 3) == 0 && !request_fifo_empty(&l1.to_xbar)) away[n_away++] = reply_to(&l1);
        for (const uint32_t *targets; (random >> 5 & 31) == 0 && n_away;) l1_fill(&l1, &away[--n_away], &targets, now);
    }
    for (int o = L1_HIT; o <= L1_FAIL_QUEUE; o++) assert_true(o == L1_SENT || seen[o] > 0);
}

static void l1_fails_on_line_then_mshr_then_merge_then_queue(void **state)
{
    struct l1 l1 = {0};
    (void)state;
    params->l1.mshrs = 6;
    params->l1.mshr_merge = 2;
    params->l1.set_index = LINEAR_INDEX;
    params->l1.miss_queue = 7;
    l1_init(&l1, params, 0, 0, &arena);
    for (uint32_t k = 0; k < 4; k++) assert_int_equal(L1_MISS, load_line(&l1, 32 * k, 15, 0, k, true, 0));
    assert_int_equal(L1_FAIL_LINE, load_line(&l1, 32 * 9, 15, 0, 9, true, 0));
    assert_int_equal(L1_MISS, load_line(&l1, 32 * 9, 15, 0, 9, false, 0)); /* without a line it may go on */
    assert_int_equal(L1_MISS, load_line(&l1, 1, 15, 0, 9, true, 0));
    assert_int_equal(L1_FAIL_MSHR, load_line(&l1, 2, 15, 0, 9, true, 0));
    assert_int_equal(L1_MERGED, load_line(&l1, 0, 15, 0, 9, true, 0));
    assert_int_equal(L1_FAIL_MERGE, load_line(&l1, 0, 15, 0, 9, true, 0));
    assert_int_equal(L1_SENT, store_line(&l1, 99, 0, 0));
    assert_int_equal(L1_FAIL_QUEUE, store_line(&l1, 99, 0, 0));
    assert_int_equal(7, l1_load_accesses(&l1.stats));
}

static void a_miss_without_the_pollute_bit_takes_no_line_and_is_not_upgraded(void **state)
{
    struct l1 l1 = {0};
    const uint32_t *targets;
    (void)state;
    l1_init(&l1, params, 0, 0, &arena);
    assert_int_equal(L1_MISS, load_line(&l1, 7, 15, 1, 10, false, 0));
    assert_int_equal(L1_MERGED, load_line(&l1, 7, 15, 2, 11, true, 1)); /* merges without upgrading it */
    const struct reply reply = reply_to(&l1);
    assert_int_equal(2, l1_fill(&l1, &reply, &targets, 50));
    assert_int_equal(L1_MISS, load_line(&l1, 7, 15, 1, 12, true, 60));
    assert_int_equal(1, l1.stats.l1d_no_allocate);
}

static void a_miss_that_fills_no_line_asks_for_the_sectors_it_touches_or_for_the_line(void **state)
{
    struct l1 l1 = {0};
    struct hooks hooks;
    (void)state;
    l1_fetching(&l1, &hooks, FETCH_SECTORS);
    assert_int_equal(L1_MISS, load_line(&l1, 7, 4, 1, 10, false, 0));
    assert_int_equal(4, request_fifo_pop(&l1.to_xbar).sectors);
    assert_int_equal(L1_MISS, load_line(&l1, 8, 4, 1, 11, true, 1)); /* what fills a line brings all of it */
    assert_int_equal(15, request_fifo_pop(&l1.to_xbar).sectors);
    assert_int_equal(L1_MERGED, load_line(&l1, 8, 1, 2, 12, false, 2));
    hooks.fetch = FETCH_LINE;
    assert_int_equal(L1_MISS, load_line(&l1, 9, 4, 1, 13, false, 3));
    assert_int_equal(15, request_fifo_pop(&l1.to_xbar).sectors);
    assert_int_equal(2, l1.stats.l1d_no_allocate);
}

static void a_load_that_joins_a_miss_of_other_sectors_asks_for_the_rest_and_waits_for_it(void **state)
{
    struct l1 l1 = {0};
    struct hooks hooks;
    const uint32_t *targets;
    (void)state;
    l1_fetching(&l1, &hooks, FETCH_SECTORS);
    assert_int_equal(L1_MISS, load_line(&l1, 7, 1, 1, 10, false, 100));
    assert_int_equal(L1_MERGED, load_line(&l1, 7, 1, 2, 11, false, 101));
    assert_int_equal(L1_MISS, load_line(&l1, 7, 3, 3, 12, false, 110)); /* sector 1 is not on its way */
    assert_int_equal(L1_MISS, load_line(&l1, 7, 8, 4, 13, true, 120));  /* joins, no more: what it touches */
    assert_int_equal(1, l1.mshrs.used);
    const struct reply first = reply_to(&l1), second = reply_to(&l1), third = reply_to(&l1);
    assert_int_equal(1, first.sectors);
    assert_int_equal(2, second.sectors);
    assert_int_equal(8, third.sectors);
    assert_int_equal(0, l1_fill(&l1, &second, &targets, 200)); /* load 12 waits for sector 0 too */
    assert_int_equal(3, l1_fill(&l1, &first, &targets, 210));
    assert_int_equal(10, targets[0]);
    assert_int_equal(11, targets[1]);
    assert_int_equal(12, targets[2]);
    assert_int_equal(1, l1_fill(&l1, &third, &targets, 250));
    assert_int_equal(13, targets[0]);
    assert_int_equal(0, l1.mshrs.used);
    assert_int_equal(110 + 90 + 130, l1.stats.miss_latency_sum); /* each request from its own start */
    assert_int_equal(3, l1.stats.l1d_no_allocate);
    assert_int_equal(L1_MISS, load_line(&l1, 7, 1, 1, 14, true, 300)); /* nothing was kept */
}

/* Beside L1 stand the loads that wait, with the sectors each still needs. Whatever comes in whatever order, and
 * whatever the stack says of misses without a line meanwhile, L1 answers each load once, when all it touches has
 * come. */
static void a_load_is_answered_once_all_it_needs_has_come_and_not_before(void **state)
{
    enum { LOADS = 512 };
    struct l1 l1 = {0};
    struct hooks hooks;
    struct {
        uint32_t line;
        uint8_t needs;
    } waiting[LOADS] = {0};
    struct {
        uint32_t line;
        struct reply reply;
    } away[64];
    uint32_t random = 3, n_away = 0, answered = 0, entered = 0, partial = 0;
    (void)state;
    make_l1_scarce();
    params->l1.mshr_merge = 4;
    l1_fetching(&l1, &hooks, FETCH_SECTORS);
    for (cycle_t now = 1; now < 60000; now++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t line = random >> 20 & 31, sectors = 1 + (random >> 10 & 31) % 15, load = entered % LOADS;
        if ((random >> 25 & 63) == 0) hooks.fetch = hooks.fetch == FETCH_LINE ? FETCH_SECTORS : FETCH_LINE;
        const bool may_pollute = (random >> 8 & 3) == 0;
        const enum l1_outcome outcome =
            now < 50000 ? load_line(&l1, line, sectors, random >> 28, load, may_pollute, now) : L1_HIT;
        if (outcome == L1_MERGED || outcome == L1_MISS) {
            assert_int_equal(0, waiting[load].needs);
            waiting[load].line = line;
            waiting[load].needs = (uint8_t)sectors;
            entered++;
        }
        if ((random >> 15 & 1) == 0 && !request_fifo_empty(&l1.to_xbar)) {
            away[n_away].line = request_fifo_peek(&l1.to_xbar)->line;
            away[n_away++].reply = reply_to(&l1);
        }
        if ((random >> 5 & 7) != 0 || !n_away) continue;
        const uint32_t at = (random >> 16) % n_away;
        const uint32_t *targets, n = l1_fill(&l1, &away[at].reply, &targets, now);
        for (uint32_t k = 0; k < LOADS; k++)
            if (waiting[k].line == away[at].line) waiting[k].needs &= (uint8_t)~away[at].reply.sectors;
        for (uint32_t k = 0; k < n; k++) assert_int_equal(0, waiting[targets[k]].needs);
        partial += n == 0;
        answered += n;
        away[at] = away[--n_away];
    }
    assert_int_equal(entered, answered);
    assert_int_equal(0, l1.mshrs.used);
    assert_true(partial > 100 && l1.stats.l1d_sector_misses > 100);
}

static void a_store_evicts_its_line_and_allocates_none(void **state)
{
    struct l1 l1 = {0};
    const uint32_t *targets;
    (void)state;
    l1_init(&l1, params, 0, 3, &arena);
    assert_int_equal(L1_MISS, load_line(&l1, 7, 15, 1, 10, true, 0));
    const struct reply reply = reply_to(&l1);
    l1_fill(&l1, &reply, &targets, 50);
    assert_int_equal(L1_SENT, store_line(&l1, 7, 5, 0));
    const struct request store = request_fifo_pop(&l1.to_xbar);
    assert_int_equal(5, store.flits); /* 8 + 128 bytes in 32-byte flits */
    assert_int_equal(3, store.requester);
    assert_int_equal(L1_MISS, load_line(&l1, 7, 15, 1, 11, true, 60));
}

/* ---- L2 ---- */

static struct place place_of(uint32_t line)
{
    const struct address_map map = address_map_of(params);
    return address_l2(&map, line);
}

static struct request l2_request(enum request_kind kind, uint32_t line, uint32_t sectors, uint32_t token)
{
    return (struct request){.line = line,
                            .set = (uint16_t)place_of(line).set,
                            .kind = (uint8_t)kind,
                            .sectors = (uint8_t)sectors,
                            .token = (uint16_t)token,
                            .wants_data = 1};
}

/* FlashGPU-Sim PR#17: a late miss merged into an MSHR that was being emptied, and its line stayed reserved for ever. */
static void a_request_that_comes_while_an_mshr_is_emptied_hits_and_nothing_stays_reserved(void **state)
{
    struct l2 l2;
    (void)state;
    l2_init(&l2, params, 0, 0, &arena);
    for (uint32_t i = 0; i < 3; i++) request_fifo_push(&l2.from_xbar, l2_request(REQUEST_READ, 24, 15, i), 0);
    cycle_t now = 0;
    for (; now < 4; now++) l2_tick(&l2, now);
    assert_int_equal(1, l2.to_dram.count);
    assert_int_equal(2, l2.stats.l2_mshr_merges);
    request_fifo_push(&l2.from_dram, request_fifo_pop(&l2.to_dram), now);
    l2_tick(&l2, now++); /* takes the fill, answers the first */
    request_fifo_push(&l2.from_xbar, l2_request(REQUEST_READ, 24, 15, 9), now);
    for (; now < 40; now++) l2_tick(&l2, now);
    assert_int_equal(4, l2.to_xbar.count);
    assert_int_equal(1, l2.stats.l2_hits);
    assert_int_equal(0, l2.mshrs.used);
    for (uint32_t i = 0; i < l2.tags.sets * l2.tags.stride; i++) assert_int_equal(0, tags_line(&l2.tags, i)->pending);
}

static void a_dirty_victim_is_written_back_and_a_whole_line_store_fetches_nothing(void **state)
{
    struct l2 l2;
    (void)state;
    params->l2.sets = 1;
    params->l2.ways = 1;
    params->l2.write_miss = WRITE_ALLOCATE;
    l2_init(&l2, params, 0, 0, &arena);
    request_fifo_push(&l2.from_xbar, l2_request(REQUEST_WRITE, 24, 15, 0), 0);
    cycle_t now = 0;
    for (; now < 20; now++) l2_tick(&l2, now);
    assert_int_equal(0, l2.to_dram.count);
    request_fifo_push(&l2.from_xbar, l2_request(REQUEST_WRITE, 48, 1, 0), now);
    for (; now < 40; now++) l2_tick(&l2, now);
    assert_int_equal(2, l2.to_dram.count); /* the victim out, the partly written line in */
    assert_int_equal(REQUEST_WRITE, request_fifo_peek(&l2.to_dram)->kind);
    assert_int_equal(24, request_fifo_peek(&l2.to_dram)->line);
    assert_int_equal(1, l2.stats.l2_writebacks);
}

static void a_store_that_covers_a_line_of_any_size_fetches_nothing(void **state)
{
    (void)state;
    params->l2.write_miss = WRITE_ALLOCATE;
    for (uint32_t sectors = 1; sectors <= 4; sectors *= 2) {
        struct l2 l2;
        cycle_t now = 0;
        params->l2.line_bytes = 32 * sectors;
        l2_init(&l2, params, 0, 0, &arena);
        request_fifo_push(&l2.from_xbar, l2_request(REQUEST_WRITE, 24, (1u << sectors) - 1, 0), 0);
        for (; now < 20; now++) l2_tick(&l2, now);
        assert_int_equal(0, l2.to_dram.count);
    }
}

/* A store of one sector, then of another one of the line while the first is on its way: each goes to DRAM, and what it
 * misses is asked for; the line stays clean. */
static void a_store_that_misses_is_written_through_and_fetched_in_every_organisation(void **state)
{
    (void)state;
    params->l2.write_miss = WRITE_FETCH;
    for (uint32_t organisation = L2_PLAIN; organisation <= L2_ELASTIC; organisation++) {
        struct l2 l2;
        cycle_t now = 0;
        const bool is_plain = organisation == L2_PLAIN;
        params->l2.organisation = organisation;
        l2_init(&l2, params, 0, 0, &arena);
        for (uint32_t sector = 1; sector <= 2; sector *= 2)
            request_fifo_push(&l2.from_xbar, l2_request(REQUEST_WRITE, 24, sector, sector), 0);
        for (; now < 20; now++) l2_tick(&l2, now);
        for (uint32_t sector = 1; sector <= (is_plain ? 1 : 2); sector *= 2) {
            const struct request write = request_fifo_pop(&l2.to_dram), read = request_fifo_pop(&l2.to_dram);
            assert_int_equal(REQUEST_WRITE, write.kind);
            assert_int_equal(REQUEST_READ, read.kind);
            assert_int_equal(is_plain ? 15 : sector, write.sectors);
            assert_int_equal(is_plain ? 15 : sector, read.sectors);
            request_fifo_push(&l2.from_dram, read, now);
        }
        assert_int_equal(0, l2.to_dram.count);
        for (cycle_t end = now + 60; now < end; now++) {
            l2_tick(&l2, now);
            if (!reply_fifo_empty(&l2.to_xbar)) reply_fifo_pop(&l2.to_xbar);
        }
        l2_finish(&l2, now);
        assert_true(l2_idle(&l2));
        assert_int_equal(is_plain, l2.stats.l2_dirty_lines_left); /* there the second store only merges */
        assert_int_equal(is_plain ? 1 : 2, l2.stats.l2_allocate_reads);
    }
    params->l2.organisation = L2_PLAIN;
}

/* What the third of three misses to one set waits for, if two are on their way, in so many cycles each. */
static void stalls_of_a_third_miss(uint32_t ways, uint32_t mshrs, uint64_t line, uint64_t mshr, uint64_t dram)
{
    struct l2 l2;
    params->l2.sets = 1;
    params->l2.ways = ways;
    params->l2.mshrs = mshrs;
    params->l2.miss_queue = 2;
    l2_init(&l2, params, 0, 0, &arena);
    for (uint32_t i = 1; i <= 3; i++) request_fifo_push(&l2.from_xbar, l2_request(REQUEST_READ, 24 * i, 15, i), 0);
    for (cycle_t now = 0; now < 12; now++) l2_tick(&l2, now);
    l2_finish(&l2, 12);
    assert_int_equal(line, l2.stats.l2_stall_line_cycles);
    assert_int_equal(mshr, l2.stats.l2_stall_mshr_cycles);
    assert_int_equal(dram, l2.stats.l2_stall_dram_cycles);
}

static void l2_waits_for_a_line_then_an_mshr_then_its_miss_queue(void **state)
{
    (void)state;
    stalls_of_a_third_miss(2, 2, 10, 0, 0);
    stalls_of_a_third_miss(3, 2, 0, 10, 0);
    stalls_of_a_third_miss(3, 3, 0, 0, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(fully_associative_LRU_never_loses_hits_with_more_ways),
        T(l1_merges_a_second_miss_and_answers_both_after_one_fill),
        T(an_access_is_predicted_to_fail_just_when_it_does_and_for_the_same_reason),
        T(l1_fails_on_line_then_mshr_then_merge_then_queue),
        T(a_miss_without_the_pollute_bit_takes_no_line_and_is_not_upgraded),
        T(a_miss_that_fills_no_line_asks_for_the_sectors_it_touches_or_for_the_line),
        T(a_load_that_joins_a_miss_of_other_sectors_asks_for_the_rest_and_waits_for_it),
        T(a_load_is_answered_once_all_it_needs_has_come_and_not_before),
        T(a_store_evicts_its_line_and_allocates_none),
        T(a_request_that_comes_while_an_mshr_is_emptied_hits_and_nothing_stays_reserved),
        T(a_dirty_victim_is_written_back_and_a_whole_line_store_fetches_nothing),
        T(a_store_that_covers_a_line_of_any_size_fetches_nothing),
        T(a_store_that_misses_is_written_through_and_fetched_in_every_organisation),
        T(l2_waits_for_a_line_then_an_mshr_then_its_miss_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
