/* The tag-split cache: one set of it against a model that was written from the paper's text, access by access; the two
 * caches that it becomes with no private tag and with whole lines; its modes. And what organisations cost in bits. */
#include "units.h"
#include "tsc_reference.h"

#include "../../../sim/gpu/cache/l1_chunked.h"
#include "../../../sim/gpu/run/carry.h"

static uint32_t random_state;
static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

/* ---- the cache beside the model ---- */

struct beside {
    struct l1 l1;
    struct ref_set ref;
    struct {
        struct request request;
        uint32_t tag, chunks;
    } away[256];
    uint32_t n_away, seen[L1_FAIL_QUEUE + 1];
};

/* A tag of a pool: some share their higher bits, so that groups are shared and fought for. */
static uint32_t tag_of(uint32_t i) { return (i % 5) << 8 | (i / 5) * 29 % 256; }

static void begin(struct beside *b)
{
    *b = (struct beside){0};
    params->l1.organisation = L1_TSC;
    params->l1.sets = 1;
    params->l1.set_index = LINEAR_INDEX;
    params->l1.mshrs = 64;
    params->l1.mshr_merge = 64;
    params->l1.miss_queue = 256;
    assert_ok(gpu_params_check(params, &err), &err);
    l1_init(&b->l1, params, 0, 0, &arena);
    const struct tsc *t = b->l1.tags.own;
    b->ref = (struct ref_set){.n_groups = t->groups,
                              .n_chunks = t->group_chunks,
                              .private_bits = params->l1.tsc_private_bits,
                              .matching_first = params->l1.tsc_victims == TSC_MATCHING_FIRST,
                              .anywhere = params->l1.tsc_victims == TSC_ANYWHERE,
                              .keeps_nru = params->l1.tsc_nru_reset == TSC_RESET_OTHERS};
}

static void compare(const struct beside *b)
{
    for (uint32_t i = 0; i < LINES; i++) {
        const struct tag_line *l = tags_find(&b->l1.tags, 0, tag_of(i));
        assert_int_equal(find(&b->ref, tag_of(i), false), l ? l->valid : 0);
        assert_int_equal(find(&b->ref, tag_of(i), true), l ? l->pending : 0);
    }
}

static void access_both(struct beside *b, uint32_t tag, uint32_t mask, cycle_t now)
{
    enum l1_outcome expected;
    struct l1_access a = {.line = tag, .sectors = (uint8_t)mask, .chunks = mask, .may_pollute = true};
    const uint32_t fetch = ref_access(&b->ref, tag, mask, &expected);
    const enum l1_outcome seen = l1_load_fails(&b->l1, &a), outcome = l1_load(&b->l1, &a, now);
    assert_int_equal(expected, outcome);
    assert_int_equal(outcome >= L1_FAIL_LINE ? outcome : L1_HIT, seen);
    b->seen[outcome]++;
    if (outcome != L1_MISS) return;
    const struct request r = request_fifo_pop(&b->l1.to_xbar);
    assert_int_equal(fetch, b->l1.chunked->fetched[(r.token & 2047u) * b->l1.chunked->n_chunks + (r.token >> 11)]);
    b->away[b->n_away].request = r;
    b->away[b->n_away].tag = tag;
    b->away[b->n_away++].chunks = fetch;
}

static void answer_both(struct beside *b, cycle_t now)
{
    const uint32_t k = any(b->n_away), *targets;
    const struct reply reply = {.token = b->away[k].request.token, .kind = REQUEST_READ};
    l1_fill(&b->l1, &reply, &targets, now);
    ref_end(&b->ref, b->away[k].tag, b->away[k].chunks, true);
    b->away[k] = b->away[--b->n_away];
}

static void run_beside(uint32_t accesses, uint32_t chunk_mask)
{
    struct beside b;
    begin(&b);
    for (cycle_t now = 1; now <= accesses; now++) {
        const uint32_t tag = tag_of(any(2 + any(LINES - 1))), mask = 1 + any(chunk_mask);
        if (any(20) == 0) {
            l1_send(&b.l1, REQUEST_WRITE, &(struct l1_access){.line = tag, .sectors = 1}, 0, false, now);
            request_fifo_pop(&b.l1.to_xbar);
            ref_end(&b.ref, tag, chunk_mask, false);
        } else {
            access_both(&b, tag, any(4) ? mask & (mask - 1) ? mask & -mask : mask : mask, now);
        }
        while (b.n_away && (any(2) || b.n_away > 12)) answer_both(&b, now);
        if (now % 16 == 0) compare(&b);
    }
    for (int o = L1_HIT; o <= L1_FAIL_LINE; o++)
        if (o != L1_SENT) assert_true(b.seen[o] > 0);
}

static void a_set_does_what_the_paper_says_on_a_million_accesses(void **state)
{
    (void)state;
    random_state = 17;
    for (uint32_t i = 0; i < 9; i++) {
        static const uint32_t private_bits[] = {8, 8, 8, 4, 0, 12, 8, 8, 8};
        arena.used = 0;
        memset(arena.base, 0, arena.size);
        params->l1.tsc_private_bits = private_bits[i];
        params->l1.tsc_victims = i == 8 ? TSC_ANYWHERE : i == 1 || i == 5;
        params->l1.tsc_nru_reset = i == 2 || i == 5;
        params->l1.tsc_group_chunks = i == 6 ? 8 : 0;
        params->l1.chunk_bytes = i == 7 ? 8 : 32;
        params->l1.tsc_seed = i;
        run_beside((i == 7 ? 30000 : 140000) / (POISE_SANITIZED ? 10 : 1), i == 7 ? 0xffff : 15);
    }
}

/* ---- what it becomes ---- */

/* With one frame a set there is nothing to choose: whole machines say the same. */
static void same_machine(const char *const a[], const char *const b[])
{
    struct trace *t = synth_mixture(30, 4, 24, 3);
    char *x = synth_run_both(t, (struct synth_run){.preset = "fermi15-tsc", .set = a});
    char *y = synth_run_both(t, (struct synth_run){.preset = "fermi15-tsc", .set = b});
    assert_true(synth_value(x, "l1d_load_hits") > 0);
    assert_string_equal(x, y);
    free(x);
    free(y);
    trace_close(t);
}

static void without_a_private_tag_it_is_the_sectored_cache(void **state)
{
    (void)state;
    static const char *const sectored[] = {"l1.organisation=lamar_tsc", "l1.ways=1", NULL};
    static const char *const split[] = {"l1.organisation=tsc", "l1.ways=1", "l1.tsc_private_bits=0",
                                        "l1.tsc_lookup_cycles=0", NULL};
    same_machine(sectored, split);
}

static void with_a_line_a_group_and_whole_lines_it_is_the_plain_cache(void **state)
{
    (void)state;
    static const char *const plain[] = {"l1.ways=1", NULL};
    static const char *const split[] = {"l1.organisation=tsc",    "l1.ways=1",          "l1.tsc_private_bits=0",
                                        "l1.tsc_lookup_cycles=0", "l1.tsc_mode=coarse", NULL};
    same_machine(plain, split);
}

/* A sectored cache of several ways whose replacement is the same: NRU bits of chunks, and the same draws. */
static uint32_t nru_of[64], n_draws, is_drawn;
static void nru_note(struct tags *t, struct tag_line *l, uint32_t chunks)
{
    bool all = true;
    nru_of[tags_index(t, l)] |= chunks;
    for (uint32_t i = 0; i < t->ways; i++) {
        const struct tag_line *other = tags_line(t, i);
        all &= !((other->valid | other->pending) & ~nru_of[i]);
    }
    if (all) memset(nru_of, 0, sizeof nru_of);
}
static const struct tags *nru_tags;
static uint32_t nru_victim(const struct order *o, uint32_t set, order_may *may, const void *who)
{
    uint32_t most = 0, n = 0, found[64];
    const struct tags *t = nru_tags;
    (void)o, (void)set, (void)may, (void)who;
    is_drawn = 0;
    for (uint32_t i = 0; i < t->ways; i++)
        if (line_is_free(tags_line(t, i))) return i;
    for (uint32_t i = 0; i < t->ways; i++) {
        const struct tag_line *l = tags_line(t, i);
        const uint32_t old = 4 - (uint32_t)__builtin_popcount(l->valid & nru_of[i]);
        if (l->pending || old < most) continue;
        if (old > most) n = 0;
        most = old;
        found[n++] = i;
    }
    is_drawn = n > 1;
    return n ? found[n > 1 ? tsc_draw(params->l1.tsc_seed, 0, n_draws, n) : 0] : NO_FRAME;
}
static void nru_insert(struct order *o, uint32_t place, enum fill_as as)
{
    (void)o, (void)as;
    n_draws += is_drawn;
    nru_of[place] = 0;
}
static const struct org_type org_sectored_nru = {
    .name = "sectored_nru", .is_sectored = true, .chunk_bytes = 32, .use = nru_note};

static void without_a_private_tag_four_ways_are_a_sectored_cache_of_the_same_replacement(void **state)
{
    (void)state;
    struct beside b;
    struct l1 sectored = {0};
    struct {
        struct request a, b;
    } away[64];
    uint32_t n_away = 0, n_full = 0;
    random_state = 4;
    params->l1.tsc_private_bits = 0;
    begin(&b);
    l1_init(&sectored, params, 0, 0, &arena);
    struct replacement_type nru_of_chunks = replacement_fifo; /* hits say nothing */
    nru_of_chunks.on_fill = nru_insert;
    nru_of_chunks.find = nru_victim;
    tags_init(&sectored.tags, &arena, 1, 4, 128, &org_sectored_nru, &nru_of_chunks);
    nru_tags = &sectored.tags;
    sectored.tags.is_special = true;
    sectored.chunked->at_miss = &l1_room_in_frame;
    for (cycle_t now = 1; now < 200000; now++) {
        const struct l1_access a = {.line = any(9), .sectors = (uint8_t)(1 + any(15)), .may_pollute = true};
        const enum l1_outcome outcome = l1_load(&b.l1, &a, now);
        assert_int_equal(outcome, l1_load(&sectored, &a, now));
        n_full += outcome == L1_FAIL_LINE;
        if (outcome == L1_MISS) {
            away[n_away].a = request_fifo_pop(&b.l1.to_xbar);
            away[n_away].b = request_fifo_pop(&sectored.to_xbar);
            assert_int_equal(away[n_away].a.sectors, away[n_away].b.sectors);
            struct tag_line *l = tags_find(&sectored.tags, 0, a.line);
            nru_note(&sectored.tags, l, away[n_away++].a.sectors);
        }
        while (n_away && (any(3) == 0 || n_away > 10)) {
            const uint32_t k = any(n_away), *targets;
            const struct reply x = {.token = away[k].a.token}, y = {.token = away[k].b.token};
            l1_fill(&b.l1, &x, &targets, now);
            l1_fill(&sectored, &y, &targets, now);
            away[k] = away[--n_away];
        }
    }
    assert_true(n_full > 0);
    assert_true(sectored.stats.l1d_load_hits > 10000 && sectored.stats.l1d_evictions > 10000);
    assert_memory_equal(&sectored.stats, &b.l1.stats, sizeof sectored.stats);
}

/* ---- modes ---- */

static void coarse_mode_fetches_the_line_and_waits_for_all_or_for_what_was_asked(void **state)
{
    (void)state;
    const uint32_t *targets;
    for (uint32_t waits = TSC_WAITS_LINE; waits <= TSC_WAITS_ASKED; waits++) {
        struct beside b;
        params->l1.tsc_mode = TSC_FINE;
        params->l1.tsc_coarse_waits = waits;
        begin(&b);
        struct tsc *t = b.l1.tags.own;
        const struct l1_access a = {.line = 7, .sectors = 2, .may_pollute = true};
        assert_int_equal(L1_MISS, l1_load(&b.l1, &a, 1));
        struct request r = request_fifo_pop(&b.l1.to_xbar);
        assert_int_equal(2, r.sectors);
        l1_fill(&b.l1, &(struct reply){.token = r.token}, &targets, 2);
        t->is_coarse = true; /* the line misses three chunks now */
        assert_int_equal(waits == TSC_WAITS_LINE ? L1_MISS : L1_HIT, l1_load(&b.l1, &a, 3));
        const struct l1_access other = {.line = 8, .sectors = 2, .may_pollute = true};
        if (waits == TSC_WAITS_LINE) assert_int_equal(13, request_fifo_pop(&b.l1.to_xbar).sectors);
        assert_int_equal(L1_MISS, l1_load(&b.l1, &other, 4));
        assert_int_equal(15, request_fifo_peek(&b.l1.to_xbar)->sectors);
    }
}

/* Products of misses and packets decide; the other mode is in effect a delay later, and both counters are halved when
 * one is full. */
static void the_mode_with_fewer_misses_times_packets_is_that_of_all_sms_a_delay_later(void **state)
{
    (void)state;
    struct l1 l1[2] = {{0}};
    params->l1.organisation = L1_TSC;
    params->l1.tsc_mode = TSC_DUEL;
    params->l1.tsc_delay = 20;
    params->l1.tsc_age_at = 8;
    for (uint32_t i = 0; i < 2; i++) l1_init(&l1[i], params, 0, i, &arena);
    l1_follow(&l1[1], &l1[0]);
    const struct tsc *first = l1[0].tags.own, *second = l1[1].tags.own;
    uint32_t fine = 0, coarse = 0, follower = 0, n[3] = {0};
    for (uint32_t set = 0; set < 32; set++) {
        n[first->roles[set]]++;
        if (first->roles[set] == TSC_SAMPLES_FINE) fine = set;
        else if (first->roles[set] == TSC_SAMPLES_COARSE) coarse = set;
        else follower = set;
        assert_int_equal(TSC_FOLLOWS, second->roles[set]);
    }
    assert_int_equal(4, n[TSC_SAMPLES_FINE]);
    assert_int_equal(4, n[TSC_SAMPLES_COARSE]);
    assert_false(org_tsc.is_coarse(&l1[0].tags, fine));
    assert_true(org_tsc.is_coarse(&l1[0].tags, coarse));
    assert_false(org_tsc.is_coarse(&l1[0].tags, follower));
    org_tsc.on_miss(&l1[0].tags, follower, 5, 90); /* counts for nobody */
    org_tsc.on_miss(&l1[0].tags, coarse, 5, 100);  /* 1 x 5 */
    org_tsc.on_miss(&l1[0].tags, fine, 2, 101);    /* 1 x 2 */
    assert_int_equal(0, first->duel->n_changes);
    org_tsc.on_miss(&l1[0].tags, fine, 2, 102); /* 2 x 4 against 5: coarse is cheaper */
    l1_note(&l1[1], 121);
    assert_false(org_tsc.is_coarse(&l1[1].tags, fine));
    const uint32_t progress = l1[1].progress[L1_A_FILL_OF_THE_SET];
    l1_note(&l1[1], 122);
    assert_true(org_tsc.is_coarse(&l1[1].tags, fine));
    assert_int_equal(progress + 1, l1[1].progress[L1_A_FILL_OF_THE_SET]); /* what is stuck asks again */
    for (cycle_t now = 130; now < 137; now++) org_tsc.on_miss(&l1[0].tags, coarse, 5, now);
    assert_int_equal(4, first->duel->misses[1]); /* eight, halved */
    assert_int_equal(20, first->duel->packets[1]);
    assert_int_equal(1, first->duel->misses[0]);
    assert_int_equal(2, first->duel->packets[0]);
    assert_int_equal(2, first->duel->n_changes); /* 3 x 15 against 8: fine again */
    l1_note(&l1[1], 200);
    assert_false(org_tsc.is_coarse(&l1[1].tags, fine));
}

static void counters_and_decision_live_on_in_the_next_launch(void **state)
{
    (void)state;
    struct tsc_duel next = {0};
    const struct tsc_duel left = {.misses = {30, 4}, .packets = {60, 20}, .n_changes = 7, .at = {[6] = 9000}};
    struct l1 l1 = {0};
    params->l1.organisation = L1_TSC;
    params->l1.tsc_mode = TSC_DUEL;
    l1_init(&l1, params, 0, 1, &arena);
    struct tsc *t = l1.tags.own;
    tsc_resume(t->duel, &left);
    assert_memory_equal(left.misses, t->duel->misses, sizeof left.misses);
    assert_memory_equal(left.packets, t->duel->packets, sizeof left.packets);
    l1_note(&l1, 0); /* the seventh change made it coarse, from the first cycle on */
    assert_true(org_tsc.is_coarse(&l1.tags, 0));
    tsc_resume(&next, &(struct tsc_duel){.n_changes = 8});
    assert_int_equal(0, next.n_changes);
}

static void a_program_carries_what_samplers_found(void **state)
{
    (void)state;
    struct trace *t = synth_rows(4, 1, 8, 1);
    struct plan *plan;
    params->core.sms = 2;
    params->l1.organisation = L1_TSC;
    params->l1.tsc_mode = TSC_DUEL;
    params->l1.sets = 8;
    params->l1.tsc_sampler_sets = 1;
    params->l2.organisation = L2_TSC;
    params->l2.tsc_mode = TSC_DUEL;
    params->l2.sets = 8;
    params->l2.tsc_sampler_sets = 1;
    assert_ok(plan_new(&plan, t, params, &err), &err);
    struct gpu *first = gpu_layout(&arena, plan, params, NULL, 0, false),
               *second = gpu_layout(&arena, plan, params, NULL, 0, false);
    assert_non_null(second);
    struct tsc_duel *left = ((struct tsc *)first->sms[0].l1.tags.own)->duel;
    const struct tsc_duel *found = ((struct tsc *)second->sms[1].l1.tags.own)->duel; /* SM 1 sees that of SM 0 */
    left->misses[0] = 30;
    left->packets[1] = 20;
    left->n_changes = 1;
    left->at[0] = 9000;
    ((struct tsc *)first->banks[0].tags.own)->duel->misses[1] = 7; /* and L2 those of its bank 0 */
    struct gpu_carry *carry = gpu_carry_new(params);
    assert_ok(carry_save(carry, first, &err), &err);
    assert_ok(carry_load(carry, second, &err), &err);
    assert_int_equal(30, found->misses[0]);
    assert_int_equal(20, found->packets[1]);
    assert_int_equal(7, ((struct tsc *)second->banks[1].tags.own)->duel->misses[1]);
    l1_note(&second->sms[1].l1, 0);
    assert_true(org_tsc.is_coarse(&second->sms[1].l1.tags, 0));
    gpu_carry_free(carry);
    plan_free(plan);
    trace_close(t);
}

/* ---- bits ---- */

static void storage_is_that_of_the_papers_table_3(void **state)
{
    (void)state;
    static const struct {
        uint32_t organisation, private_bits, tags;
        uint64_t bytes;
    } rows[] = {{L1_PLAIN, 8, 2, 0},  {L1_LAMAR, 8, 2, 64}, {L1_DSC, 8, 2, 464},
                {L1_DSC, 8, 4, 1360}, {L1_TSC, 8, 2, 592},  {L1_TSC, 5, 2, 448}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        params->l1.organisation = rows[i].organisation;
        params->l1.tsc_private_bits = rows[i].private_bits;
        params->l1.dsc_tags = rows[i].tags;
        assert_int_equal(8 * rows[i].bytes, gpu_l1_extra_bits(params, 20));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_set_does_what_the_paper_says_on_a_million_accesses),
        T(without_a_private_tag_it_is_the_sectored_cache),
        T(with_a_line_a_group_and_whole_lines_it_is_the_plain_cache),
        T(without_a_private_tag_four_ways_are_a_sectored_cache_of_the_same_replacement),
        T(coarse_mode_fetches_the_line_and_waits_for_all_or_for_what_was_asked),
        T(the_mode_with_fewer_misses_times_packets_is_that_of_all_sms_a_delay_later),
        T(counters_and_decision_live_on_in_the_next_launch),
        T(a_program_carries_what_samplers_found),
        T(storage_is_that_of_the_papers_table_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
