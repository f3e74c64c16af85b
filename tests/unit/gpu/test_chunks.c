/* An L1 whose lines or chunks are not those of L2 and of messages: which requests leave, what each reply brings, and
 * that with L2's own sizes it is the ordinary L1, counter for counter. */
#include "units.h"

#include "../../../sim/gpu/cache/l1_chunked.h"

static struct l1_access load_of(uint32_t line, uint32_t mask, uint32_t load)
{
    return (struct l1_access){.line = line,
                              .sectors = (uint8_t)mask,
                              .chunks = mask,
                              .warp = load,
                              .load = (uint16_t)load,
                              .may_pollute = true};
}

static struct reply reply_to(const struct request *r)
{
    return (struct reply){.token = r->token, .kind = r->kind, .sectors = r->sectors};
}

static struct l1 l1_of(const char *const sets[], uint32_t n)
{
    struct l1 l1 = {0};
    params->l1.set_index = LINEAR_INDEX;
    for (uint32_t i = 0; i < n; i += 2) assert_ok(gpu_params_set(params, sets[i], sets[i + 1], &err), &err);
    assert_ok(gpu_params_check(params, &err), &err);
    l1_init(&l1, params, 0, 0, &arena);
    assert_non_null(l1.chunked);
    assert_ptr_equal(&l1_in_chunks, l1.type);
    return l1;
}
#define L1_OF(...) l1_of((const char *const[]){__VA_ARGS__}, COUNT_OF(((const char *const[]){__VA_ARGS__})))

static uint32_t random_state;
static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

/* ---- the ordinary L1 is one of these ---- */

struct twins {
    struct l1 ordinary, chunked;
    struct reply away[2][64];
    uint32_t n_away;
};

static void send_both(struct twins *t)
{
    struct request a = request_fifo_pop(&t->ordinary.to_xbar), b = request_fifo_pop(&t->chunked.to_xbar);
    t->away[0][t->n_away] = reply_to(&a);
    t->away[1][t->n_away] = reply_to(&b);
    t->n_away += a.kind == REQUEST_READ;
    if (a.kind == REQUEST_READ) a.token = b.token = 0; /* names the chunk as well */
    assert_memory_equal(&a, &b, sizeof a);
}

static void answer_both(struct twins *t, cycle_t now)
{
    const uint32_t k = any(t->n_away), *x, *y;
    const uint32_t n = l1_fill(&t->ordinary, &t->away[0][k], &x, now);
    assert_int_equal(n, l1_fill(&t->chunked, &t->away[1][k], &y, now));
    assert_memory_equal(x, y, n * sizeof *x);
    t->n_away--;
    for (int i = 0; i < 2; i++) t->away[i][k] = t->away[i][t->n_away];
}

static void with_the_sizes_of_l2_it_is_the_ordinary_one(bool is_sectored)
{
    struct twins t = {.n_away = 0};
    uint32_t seen[L1_FAIL_QUEUE + 1] = {0};
    random_state = 5;
    params->l1.organisation = is_sectored ? L1_SECTORED : L1_PLAIN;
    params->l1.sets = 4;
    params->l1.set_index = LINEAR_INDEX;
    params->l1.mshrs = 6;
    params->l1.mshr_merge = 3;
    params->l1.miss_queue = 6;
    l1_init(&t.ordinary, params, 0, 0, &arena);
    l1_init(&t.chunked, params, 0, 0, &arena);
    assert_ptr_equal(&l1_ordinary_lines, t.ordinary.type);
    l1_chunked_init(&t.chunked, params, &arena);
    for (cycle_t now = 1; now < 40000; now++) {
        struct l1_access a = load_of(any(32), 1 + any(15), any(512));
        a.may_pollute = any(8);
        a.warp = any(8);
        enum l1_outcome outcome;
        if (any(16) == 0) {
            outcome = l1_send(&t.ordinary, REQUEST_WRITE, &a, 3, false, now);
            assert_int_equal(outcome, l1_send(&t.chunked, REQUEST_WRITE, &a, 3, false, now));
        } else {
            assert_int_equal(l1_load_fails(&t.ordinary, &a), l1_load_fails(&t.chunked, &a));
            outcome = l1_load(&t.ordinary, &a, now);
            assert_int_equal(outcome, l1_load(&t.chunked, &a, now));
        }
        seen[outcome]++;
        if (any(4) == 0 && !request_fifo_empty(&t.ordinary.to_xbar) && t.n_away < 64) send_both(&t);
        if (any(8) == 0 && t.n_away) answer_both(&t, now);
    }
    for (int o = L1_HIT; o <= L1_FAIL_QUEUE; o++) assert_true(seen[o] > 0);
    assert_memory_equal(&t.ordinary.stats, &t.chunked.stats, sizeof t.ordinary.stats);
    assert_memory_equal(t.ordinary.progress, t.chunked.progress, sizeof t.ordinary.progress);
    assert_memory_equal(t.ordinary.tags.fours, t.chunked.tags.fours, 4 * sizeof *t.ordinary.tags.fours);
}

static void with_the_lines_of_l2_it_is_the_ordinary_one(void **state)
{
    (void)state;
    with_the_sizes_of_l2_it_is_the_ordinary_one(false);
}

static void with_the_sectors_of_messages_it_is_the_ordinary_sectored_one(void **state)
{
    (void)state;
    with_the_sizes_of_l2_it_is_the_ordinary_one(true);
}

/* ---- lines ---- */

static void a_line_of_32_bytes_asks_for_its_sector_of_a_line_of_l2(void **state)
{
    (void)state;
    struct l1 l1 = L1_OF("l1.line_bytes", "32", "l2.line_bytes", "128");
    const uint32_t *targets;
    struct l1_access a = load_of(4 * 7 + 2, 1, 9);
    assert_int_equal(L1_MISS, l1_load(&l1, &a, 1));
    assert_int_equal(1, l1.to_xbar.count);
    const struct request r = request_fifo_pop(&l1.to_xbar);
    assert_int_equal(7, r.line);
    assert_int_equal(4, r.sectors);
    const struct reply reply = reply_to(&r);
    assert_int_equal(1, l1_fill(&l1, &reply, &targets, 50));
    assert_int_equal(9, *targets);
    assert_int_equal(L1_HIT, l1_load(&l1, &a, 60));
    a.line++; /* its neighbour in L2 is another line */
    assert_int_equal(L1_MISS, l1_load(&l1, &a, 61));
    /* A store names its sector of the same line of L2. */
    assert_int_equal(L1_SENT,
                     l1_send(&l1, REQUEST_WRITE, &(struct l1_access){.line = 4 * 7 + 2, .sectors = 1}, 0, false, 62));
    request_fifo_pop(&l1.to_xbar);
    assert_int_equal(7, request_fifo_peek(&l1.to_xbar)->line);
    assert_int_equal(4, request_fifo_peek(&l1.to_xbar)->sectors);
    assert_int_equal(1, l1.stats.l1d_store_evicts);
}

static void a_line_of_256_bytes_asks_for_two_lines_of_l2_and_waits_for_both(void **state)
{
    (void)state;
    struct l1 l1 = L1_OF("l1.line_bytes", "256", "l2.line_bytes", "128", "l1.sets", "16");
    const uint32_t *targets;
    const struct l1_access a = load_of(5, 0x10, 3);
    params->l1.miss_queue = 8;
    assert_int_equal(L1_MISS, l1_load(&l1, &a, 1));
    assert_int_equal(2, l1.to_xbar.count);
    struct request r[2] = {request_fifo_pop(&l1.to_xbar), request_fifo_pop(&l1.to_xbar)};
    assert_int_equal(10, r[0].line);
    assert_int_equal(11, r[1].line);
    assert_int_equal(15, r[0].sectors);
    assert_int_equal(15, r[1].sectors);
    struct reply reply = reply_to(&r[1]);
    assert_int_equal(0, l1_fill(&l1, &reply, &targets, 50));
    assert_int_equal(L1_MERGED, l1_load(&l1, &a, 51));
    reply = reply_to(&r[0]);
    assert_int_equal(2, l1_fill(&l1, &reply, &targets, 70));
    assert_int_equal(49 + 69, l1.stats.miss_latency_sum);
    assert_int_equal(0, l1.mshrs.used);
    assert_int_equal(L1_HIT, l1_load(&l1, &a, 71));
    assert_int_equal(1, l1.stats.l1d_misses);
    /* One place in the miss queue is too few for a miss. */
    for (uint32_t i = 1; i < params->l1.miss_queue; i++) request_fifo_push(&l1.to_xbar, r[0], 0);
    assert_int_equal(L1_FAIL_QUEUE,
                     l1_load(&l1, &(struct l1_access){.line = 21, .chunks = 1, .may_pollute = true}, 72));
}

static void a_line_of_128_bytes_asks_for_four_lines_of_l2_or_those_of_its_sectors(void **state)
{
    (void)state;
    struct l1 l1 = L1_OF("l1.line_bytes", "128", "l2.line_bytes", "32", "l1.sets", "16");
    const uint32_t *targets;
    const struct l1_access a = load_of(5, 0x10, 3);
    assert_int_equal(L1_MISS, l1_load(&l1, &a, 1));
    assert_int_equal(4, l1.to_xbar.count);
    for (uint32_t i = 0; i < 4; i++) {
        const struct request r = request_fifo_pop(&l1.to_xbar);
        assert_int_equal(20 + i, r.line);
        assert_int_equal(1, r.sectors);
        const struct reply reply = reply_to(&r);
        assert_int_equal(i == 3, l1_fill(&l1, &reply, &targets, 50 + i)); /* it waits for all of them */
    }
    assert_int_equal(L1_HIT, l1_load(&l1, &a, 71));
    uint32_t line = 7, sectors = 4;
    l1_place(&l1, &line, &sectors);
    assert_true(line == 30 && sectors == 1);
}

/* ---- chunks ---- */

static void chunks_on_their_way_are_not_asked_for_again_and_each_reply_brings_its_own(void **state)
{
    (void)state;
    struct l1 l1 = L1_OF("l1.organisation", "sectored", "l1.chunk_bytes", "16");
    const uint32_t *targets;
    struct l1_access a = load_of(3, 0x06, 1), b = load_of(3, 0x0c, 2), c = load_of(3, 0x02, 3);
    assert_int_equal(L1_MISS, l1_load(&l1, &a, 1));
    assert_int_equal(L1_MISS, l1_load(&l1, &b, 2)); /* chunk 2 is on its way, 3 is not */
    assert_int_equal(L1_MERGED, l1_load(&l1, &c, 3));
    struct request first = request_fifo_pop(&l1.to_xbar), second = request_fifo_pop(&l1.to_xbar);
    assert_int_equal(1, sector_count(first.sectors)); /* two chunks of two sectors are 32 bytes */
    assert_int_equal(2, second.sectors);
    struct reply reply = reply_to(&second);
    assert_int_equal(0, l1_fill(&l1, &reply, &targets, 40));
    reply = reply_to(&first);
    assert_int_equal(3, l1_fill(&l1, &reply, &targets, 41));
    assert_int_equal(1, targets[0]);
    assert_int_equal(2, targets[1]);
    assert_int_equal(3, targets[2]);
    assert_int_equal(0x0e, tags_find(&l1.tags, 3, 3)->valid);
    assert_int_equal(L1_HIT, l1_load(&l1, &b, 42));
}

static void l2_of_sectors_is_told_every_sector_that_small_chunks_lie_in(void **state)
{
    (void)state;
    struct l1 l1 = L1_OF("l1.organisation", "sectored", "l1.chunk_bytes", "8", "l2.organisation", "sectored");
    const struct l1_access a = load_of(3, 0x1011, 1);
    assert_int_equal(L1_MISS, l1_load(&l1, &a, 1));
    assert_int_equal(1 | 2 | 8, request_fifo_peek(&l1.to_xbar)->sectors);
}

static void a_load_around_it_and_a_fetch_name_lines_of_l2(void **state)
{
    (void)state;
    struct l1 l1 = L1_OF("l1.line_bytes", "64", "l2.line_bytes", "128");
    bypasses_place(&l1.bypasses, &arena, true);
    bypasses_init(&l1.bypasses);
    const struct l1_access a = load_of(9, 2, 1);
    assert_int_equal(L1_SENT, l1_bypass(&l1, &a, 2, false, 1));
    assert_true(l1_send_fetch(&l1, REQUEST_FETCH, CODE_LINES + 5, 0));
    assert_true(l1_send_fetch(&l1, REQUEST_CONST, 2 * 50 + 1, 0));
    struct request r = request_fifo_pop(&l1.to_xbar);
    assert_int_equal(4, r.line);
    assert_int_equal(8, r.sectors);
    r = request_fifo_pop(&l1.to_xbar);
    assert_int_equal(CODE_LINES + 5, r.line);
    assert_int_equal(15, r.sectors);
    r = request_fifo_pop(&l1.to_xbar);
    assert_int_equal(50, r.line);
    assert_int_equal(12, r.sectors);
}

/* ---- the plan ---- */

static void a_plan_names_chunks_where_four_sectors_do_not_say_it(void **state)
{
    (void)state;
    struct plan *plan;
    struct trace *t = synth_rows(1, 1, 1, 32); /* a warp that loads a whole line of 128 bytes */
    params->l1.line_bytes = 256;
    params->l2.line_bytes = 128;
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_non_null(plan->chunks);
    for (uint64_t i = 0; i < plan->n_requests; i++) assert_true(plan->chunks[i] == 0x0f || plan->chunks[i] == 0xf0);
    params->l1.line_bytes = 128;
    assert_false(plan_fits(plan, params));
    plan_free(plan);
    params->l2.line_bytes = 0;
    params->l1.chunk_bytes = 8;
    params->l1.organisation = L1_SECTORED;
    assert_ok(plan_new(&plan, t, params, &err), &err);
    for (uint64_t i = 0; i < plan->n_requests; i++) assert_int_equal(0xffff, plan->chunks[i]);
    params->l1.chunk_bytes = 64; /* L1 makes them of sectors */
    assert_false(plan_fits(plan, params));
    plan_free(plan);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_null(plan->chunks);
    plan_free(plan);
    trace_close(t);
}

static void refused(const char *dotted, const char *value, const char *says)
{
    struct gpu_params *changed = gpu_params_copy(params);
    assert_ok(gpu_params_set(changed, dotted, value, &err), &err);
    assert_int_equal(-1, gpu_params_check(changed, &err));
    if (strstr(err.text, says) == NULL) fail_msg("'%s' does not say '%s'", err.text, says);
    gpu_params_free(changed);
}

static void sizes_that_do_not_fit_together_are_refused(void **state)
{
    (void)state;
    refused("l1.line_bytes", "256", "set l2.line_bytes=128 as well");
    refused("l1.chunk_bytes", "12", "a power of two is needed");
    refused("l1.chunk_bytes", "16", "choose sectored");
    refused("l2.line_bytes", "48", "a power of two is needed");
    params->l2.line_bytes = 32;
    refused("l1.miss_queue", "3", "may send 4 requests");
    refused("l1.line_bytes", "256", "at most four of L2");
    params->l2.line_bytes = 64;
    refused("l1.miss_queue", "1", "may send 2 requests");
    refused("l1.streaming", "1", "l1.streaming = 1");
    refused("l1.local_stores", "back", "only 'through'");
    refused("l1.mshrs", "4096", "at most 2048");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(with_the_lines_of_l2_it_is_the_ordinary_one),
        T(with_the_sectors_of_messages_it_is_the_ordinary_sectored_one),
        T(a_line_of_32_bytes_asks_for_its_sector_of_a_line_of_l2),
        T(a_line_of_256_bytes_asks_for_two_lines_of_l2_and_waits_for_both),
        T(a_line_of_128_bytes_asks_for_four_lines_of_l2_or_those_of_its_sectors),
        T(chunks_on_their_way_are_not_asked_for_again_and_each_reply_brings_its_own),
        T(l2_of_sectors_is_told_every_sector_that_small_chunks_lie_in),
        T(a_load_around_it_and_a_fetch_name_lines_of_l2),
        T(a_plan_names_chunks_where_four_sectors_do_not_say_it),
        T(sizes_that_do_not_fit_together_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
