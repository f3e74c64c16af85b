/* Units of the timing model one at a time, through their queues: no mocks. DRAM: test_dram.c. */
#include "units.h"

#include <jansson.h>

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

/* ---- crossbar ---- */

static uint32_t pick_at(struct xbar *x, uint32_t out, cycle_t now)
{
    xbar_begin(x, now, now);
    return xbar_grantable(x, out / 64) >> out % 64 & 1 ? xbar_pick(x, out) : XBAR_NONE;
}

static void a_packet_holds_both_ports_for_its_flits_and_inputs_take_turns(void **state)
{
    struct xbar x;
    (void)state;
    xbar_init(&x, 80, 4, 1, 64, &arena);
    xbar_want(&x, 70, 2);
    xbar_want(&x, 3, 2);
    xbar_want(&x, 79, 2);
    assert_int_equal(3, pick_at(&x, 2, 0));
    xbar_grant(&x, 3, 2, 5, 0, 0);
    assert_int_equal(XBAR_NONE, pick_at(&x, 2, 4));
    xbar_want(&x, 3, 2);
    assert_int_equal(70, pick_at(&x, 2, 5)); /* not 3 again */
    xbar_grant(&x, 70, 2, 1, 5, 0);
    assert_int_equal(79, pick_at(&x, 2, 6));
    xbar_grant(&x, 79, 2, 1, 6, 0);
    xbar_set_room(&x, 2, false);
    assert_int_equal(XBAR_NONE, pick_at(&x, 2, 7)); /* nowhere to go */
    xbar_set_room(&x, 2, true);
    assert_int_equal(3, pick_at(&x, 2, 7)); /* around the end */
    xbar_grant(&x, 3, 2, 5, 7, 0);
    xbar_want(&x, 3, 1);
    assert_int_equal(XBAR_NONE, pick_at(&x, 1, 11)); /* its input port is busy */
    assert_int_equal(3, pick_at(&x, 1, 12));
}

static void a_long_packet_frees_its_ports_after_its_last_flit_even_beyond_the_wheel(void **state)
{
    struct xbar x;
    (void)state;
    xbar_init(&x, 2, 2, 1, 64, &arena);
    xbar_want(&x, 1, 0);
    assert_int_equal(1, pick_at(&x, 0, 0));
    xbar_grant(&x, 1, 0, 136, 0, 0);
    xbar_want(&x, 1, 0);
    for (cycle_t now = 1; now < 136; now += 5) assert_int_equal(XBAR_NONE, pick_at(&x, 0, now));
    assert_int_equal(1, pick_at(&x, 0, 136));
}

static void a_packet_that_is_still_to_come_is_not_granted_before_and_the_switch_says_when_to_look(void **state)
{
    struct xbar x;
    (void)state;
    xbar_init(&x, 2, 2, 1, 64, &arena);
    assert_int_equal(NEVER, xbar_next(&x, 0));
    xbar_hold(&x, 1, 7);
    xbar_want(&x, 1, 0);
    assert_int_equal(XBAR_NONE, pick_at(&x, 0, 0));
    assert_int_equal(7, xbar_next(&x, 1));
    assert_int_equal(XBAR_NONE, pick_at(&x, 0, 6));
    assert_int_equal(1, pick_at(&x, 0, 7));
    assert_int_equal(8, xbar_next(&x, 8));                /* it waits for its output alone */
    assert_int_equal(10, xbar_grant(&x, 1, 0, 3, 7, 20)); /* the next one comes in cycle 20 */
    xbar_want(&x, 1, 1);
    for (cycle_t now = 8; now < 20; now++) assert_int_equal(XBAR_NONE, pick_at(&x, 1, now));
    assert_int_equal(1, pick_at(&x, 1, 20));
    xbar_grant(&x, 1, 1, 2, 20, 0);
    xbar_hold(&x, 1, 90); /* while its last packet goes out */
    xbar_want(&x, 1, 0);
    for (cycle_t now = 21; now < 90; now++) {
        assert_true(xbar_next(&x, now) <= 90);
        assert_int_equal(XBAR_NONE, pick_at(&x, 0, now));
    }
    assert_int_equal(1, pick_at(&x, 0, 90));
}

static void cycles_of_one_clock_are_those_of_another_whatever_their_ratio(void **state)
{
    static const struct clock_params all[] = {{.core_mhz = 1400, .xbar_mhz = 700, .l2_mhz = 700, .dram_mhz = 924},
                                              {.core_mhz = 1132, .xbar_mhz = 1131, .l2_mhz = 1417, .dram_mhz = 850}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct clocks c;
        clocks_init(&c, &all[i], 0);
        for (int from = 0; from < N_DOMAINS; from++)
            for (int to = 0; to < N_DOMAINS; to++)
                for (cycle_t at = 0; at < 3000; at++)
                    assert_int_equal(clocks_cycle_from(&c, (enum domain)to, at * c.period[from]),
                                     clocks_convert(&c, (enum domain)to, (enum domain)from, at));
    }
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

/* ---- addresses ---- */

static void power_of_two_strides_reach_every_bank_when_hashed(void **state)
{
    (void)state;
    for (uint32_t stride = 1; stride <= 1024; stride *= 2) {
        uint32_t seen = 0;
        for (uint32_t k = 0; k < 600; k++) seen |= 1u << place_of(k * stride).bank;
        assert_int_equal(24, __builtin_popcount(seen));
    }
    params->l2.bank_index = LINEAR_INDEX;
    uint32_t seen = 0;
    for (uint32_t k = 0; k < 600; k++) seen |= 1u << place_of(k * 32).bank;
    assert_int_equal(3, __builtin_popcount(seen));
}

static uint32_t draw(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*seed * n >> 32);
}

/* The maps as they are defined, by division; every machine has its own divisors. */
static struct place divided_place(uint32_t line)
{
    const uint32_t n = params->l2.banks, chunk = line / params->l2.interleave_lines;
    uint32_t sum = 0;
    for (uint32_t rest = chunk; rest; rest = n > 1 ? rest / n : 0) sum += rest % n;
    return (struct place){params->l2.bank_index == HASHED_BANKS ? sum % n : chunk % n,
                          (chunk / n * params->l2.interleave_lines + line % params->l2.interleave_lines) %
                              params->l2.sets};
}

static struct dram_place divided_dram_place(uint32_t line, uint32_t bank)
{
    const uint32_t banks = params->l2.banks / params->dram.channels, n = params->dram.banks;
    const uint32_t index =
        (line / params->l2.banks * banks + bank % banks) / (params->dram.row_bytes / params->l1.line_bytes);
    return (struct dram_place){(uint32_t)(((uint64_t)index + index / n) % n), index / n};
}

static void lines_lie_where_divisions_put_them_on_any_machine(void **state)
{
    uint32_t seed = 7;
    (void)state;
    for (uint32_t machine = 0; machine < 300; machine++) {
        params->dram.channels = 1 + draw(&seed, 16);
        params->l2.banks = params->dram.channels * (1 + draw(&seed, 16));
        params->l2.interleave_lines = 1 + draw(&seed, 64);
        params->l2.sets = 1 + draw(&seed, 65535);
        params->dram.banks = 1 + draw(&seed, 64);
        params->dram.row_bytes = params->l1.line_bytes << draw(&seed, 6);
        params->l2.bank_index = draw(&seed, 2) ? HASHED_BANKS : LINEAR_BANKS;
        const struct address_map map = address_map_of(params);
        for (uint32_t k = 0; k < 300; k++) {
            const uint32_t line = k ? draw(&seed, UINT32_MAX) >> draw(&seed, 32) : UINT32_MAX;
            const struct place want = divided_place(line), got = address_l2(&map, line);
            const struct dram_place want_row = divided_dram_place(line, want.bank),
                                    got_row = address_dram(&map, line, want.bank);
            assert_true(got.bank == want.bank && got.set == want.set && got_row.bank == want_row.bank &&
                        got_row.row == want_row.row);
        }
    }
}

/* Banks are those of the addresses themselves, though a plan counts lines from its own first one. */
static void addresses_choose_banks_whatever_a_plan_counts_from(void **state)
{
    struct plan *plan;
    uint32_t seen = 0;
    (void)state;
    params->l2.bank_index = ADDRESSED_BANKS;
    params->l2.interleave_lines = 2;
    struct trace *t = synth_rows(64, 8, 32, 1);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    const struct address_map map = address_map_of(params);
    assert_true(plan->first_line > 0 && plan->first_line % address_period(params) == 0);
    for (uint64_t i = 0; i < plan->n_requests; i++) {
        const uint32_t line = REQUEST_LINE(plan->requests[i]);
        const uint64_t chunk = (plan->first_line + line) / 2, rest = chunk / 6;
        const struct place place = address_l2(&map, line);
        assert_int_equal(chunk % 6 * 4 + (rest >> 5 & 1) * 2 + (rest & 1), place.bank);
        assert_int_equal((rest & 1) + (rest >> 5 & 7) * 2, address_dram(&map, line, place.bank).bank);
        seen |= 1u << place.bank;
    }
    assert_true(__builtin_popcount(seen) == 24);
    assert_true(plan_fits(plan, params));
    params->l2.bank_index = CHUNKED_BANKS;
    assert_false(plan_fits(plan, params));
    plan_free(plan);
    trace_close(t);
}

/* ---- ranks, parameters, snapshots ---- */

static void waiting_warps_rank_last_unless_taken_literally(void **state)
{
    (void)state;
    const struct warp_set set = {.n = 6, .waiting = 0x05};
    assert_int_equal(0x0a, warp_rank_mask(&set, 2, false));
    assert_int_equal(0x03, warp_rank_mask(&set, 2, true));
    assert_int_equal(0x3b, warp_rank_mask(&set, 5, false)); /* the four that do not wait, then the oldest that does */
    assert_int_equal(0x3f, warp_rank_mask(&set, 24, false));
}

static void a_configuration_names_its_mistakes(void **state)
{
    (void)state;
    assert_int_equal(-1, gpu_params_set(params, "l1.way", "8", &err));
    assert_string_equal(err.text, "l1: no parameter 'way'; did you mean 'ways'?");
    assert_int_equal(-1, gpu_params_set(params, "ways", "8", &err));
    assert_ok(gpu_params_set(params, "l2.banks", "25", &err), &err);
    assert_int_equal(-1, gpu_params_check(params, &err));
    assert_string_equal(err.text, "l2.banks = 25 is not a multiple of dram.channels = 6");
    assert_ok(gpu_params_set(params, "l2.banks", "24", &err), &err);
    /* A miss whose victim is dirty sends two packets: it would wait for room for ever. */
    assert_ok(gpu_params_set(params, "l1.miss_queue", "1", &err), &err);
    assert_ok(gpu_params_check(params, &err), &err);
    assert_ok(gpu_params_set(params, "l1.local_stores", "back", &err), &err);
    assert_int_equal(-1, gpu_params_check(params, &err));
    assert_string_equal(err.text, "l1.miss_queue = 1: with l1.local_stores = back or back_allocate a miss may write a "
                                  "dirty line back as well, so 2 are needed");
    assert_ok(gpu_params_set(params, "l1.streaming", "true", &err), &err); /* takes no line then */
    assert_ok(gpu_params_check(params, &err), &err);
    assert_ok(gpu_params_set(params, "l1.streaming", "false", &err), &err);
    assert_ok(gpu_params_set(params, "l1.local_stores", "through", &err), &err);
    assert_ok(gpu_params_set(params, "l1.miss_queue", "8", &err), &err);
    assert_int_equal(-1, gpu_params_load(params, "nonesuch", POISE_SOURCE_DIR "/experiments/configs", &err));
    assert_ok(gpu_params_load(params, "kepler32", POISE_SOURCE_DIR "/experiments/configs", &err) < 0
                  ? gpu_params_set(params, "l2.banks", "24", &err)
                  : 0,
              &err);
}

/* Runs keep their keys when a parameter is added: it is part of a configuration only where it is set. */
static void an_added_parameter_is_told_only_where_it_is_set(void **state)
{
    (void)state;
    json_t *plain = gpu_params_json(params);
    assert_null(json_object_get(json_object_get(plain, "dram"), "tRTW"));
    assert_non_null(json_object_get(json_object_get(plain, "dram"), "tRTPL"));
    assert_ok(gpu_params_set(params, "dram.tRTW", "12", &err), &err);
    json_t *set = gpu_params_json(params);
    assert_int_equal(12, json_integer_value(json_object_get(json_object_get(set, "dram"), "tRTW")));
    json_decref(plain);
    json_decref(set);
}

static void every_row_has_a_unit_a_source_and_a_doc(void **state)
{
    size_t n;
    (void)state;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    for (size_t g = 0; g < n; g++)
        for (size_t i = 0; i < groups[g].table.n_rows; i++) {
            const struct param_row *row = &groups[g].table.rows[i];
            assert_true(*row->unit && *row->source && *row->doc);
            assert_true(row->type == VALUE_TEXT || (row->def >= row->min && row->def <= row->max));
        }
    for (size_t m = 0; m < mech_count(); m++)
        for (size_t i = 0; i < mech_params(mech_at(m))->n_rows; i++) {
            const struct param_row *row = &mech_params(mech_at(m))->rows[i];
            assert_true(*row->unit && *row->source && *row->doc);
        }
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        assert_true(*gpu_stat_table.rows[i].unit && *gpu_stat_table.rows[i].doc);
}

/* ---- clocks ---- */

/* Cycles have 32 bits: at the last of a run's core cycles, those of all domains and of a fast switch still lie below
 * NEVER. */
static void no_domain_runs_out_of_cycles_before_the_cores_reach_their_limit(void **state)
{
    (void)state;
    static const struct clock_params clocks[] = {{.core_mhz = 1400, .xbar_mhz = 700, .l2_mhz = 700, .dram_mhz = 924},
                                                 {.core_mhz = 1132, .xbar_mhz = 1132, .l2_mhz = 1132, .dram_mhz = 850},
                                                 {.core_mhz = 1, .xbar_mhz = 1, .l2_mhz = 7, .dram_mhz = 1000},
                                                 {.core_mhz = 100000, .xbar_mhz = 1, .l2_mhz = 1, .dram_mhz = 1}};
    for (size_t i = 0; i < COUNT_OF(clocks); i++)
        for (uint32_t speedup = 1; speedup <= 8; speedup *= 2) {
            struct clocks c;
            clocks_init(&c, &clocks[i], 0);
            const uint64_t limit = clocks_limit(&c, speedup), end = limit * c.period[DOMAIN_CORE];
            assert_true(limit > 100000);
            for (int d = 0; d < N_DOMAINS; d++) {
                assert_true(end / c.period[d] * speedup + 500000 < NEVER);
                assert_int_equal(clocks_cycle(&c, (enum domain)d, end), end / c.period[d]);
            }
        }
    struct clocks c;
    clocks_init(&c, &clocks[0], 0);
    assert_true(clocks_limit(&c, 1) > MAX_CYCLE); /* there it is the scoreboard's 31 bits that end a run */
}

/* A copy's place may overlap with that of the machine, which is gone by then: no pointer may be moved twice. */
static void a_machine_copied_to_where_it_overlaps_points_into_itself(void **state)
{
    enum { DISTANCE = 1 << 12 };
    struct arena at = {0}, block, to;
    struct moves fixed;
    struct plan *plan;
    (void)state;
    struct trace *t = synth_rows(64, 8, 32, 1);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    gpu_layout(&at, plan, params, NULL, 0, false);
    assert_ok(arena_new(&block, at.used + DISTANCE, &err), &err);
    at = block;
    assert_non_null(gpu_layout(&at, plan, params, NULL, 0, false));
    to = at;
    to.base = at.base + DISTANCE;
    assert_ok(moves_new(&fixed, plan, params, &err), &err);
    memmove(to.base, at.base, at.used);
    gpu_move(&to, at.base, &fixed);
    const struct gpu *g = (const struct gpu *)(void *)to.base;
    for (uint32_t i = 0; i < params->core.sms; i++) { assert_ptr_equal(&g->map, g->sms[i].map); }
    moves_free(&fixed);
    arena_free(&block);
    plan_free(plan);
    trace_close(t);
}

/* What a run finds it keeps as an index: the only pointers into its memory are those that the layout has set. */
static void a_run_sets_no_pointer_into_its_own_memory(void **state)
{
    struct arena at = {0};
    struct moves fixed;
    struct plan *plan;
    (void)state;
    struct trace *t = synth_mixture(64, 8, 32, 1);
    params->l1.local_stores = LOCAL_ALLOCATE;
    params->l1.organisation = L1_SECTORED;
    assert_ok(plan_new(&plan, t, params, &err), &err);
    gpu_layout(&at, plan, params, NULL, 0, false);
    assert_ok(arena_new(&at, at.used, &err), &err);
    struct gpu *g = gpu_layout(&at, plan, params, NULL, 0, false);
    assert_ok(moves_new(&fixed, plan, params, &err), &err);
    assert_ok(gpu_start(g, NULL, &err), &err);
    for (uint32_t tick = 0, next = 0; tick < 3000 && gpu_tick(g); tick++) {
        if (tick % 100) continue;
        next = 0;
        for (size_t i = 0; i < at.used / sizeof(uintptr_t); i++) {
            uintptr_t word;
            memcpy(&word, at.base + i * sizeof word, sizeof word);
            if (next < fixed.n && fixed.words[next] == i) next++;
            else if (word - (uintptr_t)at.base < at.used)
                fail_msg("offset %zu points into the run's memory", i * sizeof word);
        }
        assert_int_equal(fixed.n, next);
    }
    assert_true(g->banks[0].stats.l2_accesses > 0);
    moves_free(&fixed);
    arena_free(&at);
    plan_free(plan);
    trace_close(t);
}

static bool all_are_idle(const struct gpu *g)
{
    for (uint32_t k = 0; k < n_gpu_units; k++)
        for (uint32_t i = 0; i < gpu_units[k].count(g); i++)
            if (!gpu_units[k].idle(g, i)) return false;
    return true;
}

/* Whoever is busy has a line in the dump; once nobody has anything to do, nothing is on its way anywhere. */
static void a_machine_is_asleep_once_none_of_its_units_has_anything_to_do(void **state)
{
    struct arena at = {0};
    struct plan *plan;
    char text[1 << 14];
    bool has_network = false;
    (void)state;
    struct trace *t = synth_mixture(64, 8, 32, 1);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    gpu_layout(&at, plan, params, NULL, 0, false);
    assert_ok(arena_new(&at, at.used, &err), &err);
    struct gpu *g = gpu_layout(&at, plan, params, NULL, 0, false);
    assert_ok(gpu_start(g, NULL, &err), &err);
    for (int tick = 0; tick < 400; tick++) {
        assert_true(gpu_tick(g));
        gpu_dump(g, text, sizeof text);
        assert_int_equal(text[0] == '\0', all_are_idle(g));
        assert_false(gpu_is_asleep(g));
        has_network |= strstr(text, "network: ") != NULL;
    }
    assert_true(has_network);
    while (gpu_tick(g)) continue;
    gpu_dump(g, text, sizeof text);
    assert_string_equal("", text);
    assert_true(gpu_is_asleep(g) && all_are_idle(g) && gpu_done(g));
    arena_free(&at);
    plan_free(plan);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_run_sets_no_pointer_into_its_own_memory),
        T(a_machine_is_asleep_once_none_of_its_units_has_anything_to_do),
        T(no_domain_runs_out_of_cycles_before_the_cores_reach_their_limit),
        T(fully_associative_LRU_never_loses_hits_with_more_ways),
        T(l1_merges_a_second_miss_and_answers_both_after_one_fill),
        T(an_access_is_predicted_to_fail_just_when_it_does_and_for_the_same_reason),
        T(l1_fails_on_line_then_mshr_then_merge_then_queue),
        T(a_miss_without_the_pollute_bit_takes_no_line_and_is_not_upgraded),
        T(a_miss_that_fills_no_line_asks_for_the_sectors_it_touches_or_for_the_line),
        T(a_load_that_joins_a_miss_of_other_sectors_asks_for_the_rest_and_waits_for_it),
        T(a_load_is_answered_once_all_it_needs_has_come_and_not_before),
        T(a_store_evicts_its_line_and_allocates_none),
        T(a_packet_holds_both_ports_for_its_flits_and_inputs_take_turns),
        T(a_packet_that_is_still_to_come_is_not_granted_before_and_the_switch_says_when_to_look),
        T(cycles_of_one_clock_are_those_of_another_whatever_their_ratio),
        T(a_long_packet_frees_its_ports_after_its_last_flit_even_beyond_the_wheel),
        T(a_request_that_comes_while_an_mshr_is_emptied_hits_and_nothing_stays_reserved),
        T(a_dirty_victim_is_written_back_and_a_whole_line_store_fetches_nothing),
        T(l2_waits_for_a_line_then_an_mshr_then_its_miss_queue),
        T(power_of_two_strides_reach_every_bank_when_hashed),
        T(lines_lie_where_divisions_put_them_on_any_machine),
        T(addresses_choose_banks_whatever_a_plan_counts_from),
        T(waiting_warps_rank_last_unless_taken_literally),
        T(a_configuration_names_its_mistakes),
        T(an_added_parameter_is_told_only_where_it_is_set),
        T(every_row_has_a_unit_a_source_and_a_doc),
        T(a_machine_copied_to_where_it_overlaps_points_into_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
