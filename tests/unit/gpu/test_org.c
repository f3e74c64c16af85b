/* Cache organisations and the paths beside L1D: sectors, streaming, the adaptive split, banks, local memory,
 * constants, textures, atomics on the same bytes; and the presets that are made of them. */
#include "units.h"
#include "where.h"

static enum l1_outcome load_sectors(struct l1 *l1, uint32_t line, uint32_t sectors, uint32_t load, bool may_pollute,
                                    cycle_t now)
{
    const struct l1_access access = {
        .line = line, .sectors = (uint8_t)sectors, .warp = load, .load = (uint16_t)load, .may_pollute = may_pollute};
    return l1_load(l1, &access, now);
}

static enum l1_outcome store_local(struct l1 *l1, uint32_t line, uint32_t sectors, cycle_t now)
{
    const struct l1_access access = {.line = line, .sectors = (uint8_t)sectors, .warp = 1};
    return l1_store_local(l1, &access, 0, now);
}

static struct reply reply_to(const struct request *r)
{
    return (struct reply){.token = r->token, .kind = r->kind, .sectors = r->sectors};
}

static void sectored_l1(struct l1 *l1, bool streaming)
{
    params->l1.organisation = L1_SECTORED;
    params->l1.streaming = streaming;
    params->l1.set_index = LINEAR_INDEX;
    *l1 = (struct l1){0};
    l1_init(l1, params, 0, 0, &arena);
}

/* ---- maps and lists of large sets ---- */

static void a_line_map_finds_what_was_added_and_not_removed(void **state)
{
    struct line_map map;
    uint32_t lines[200], n = 0, r = 3;
    (void)state;
    line_map_init(&map, &arena, 200);
    for (int i = 0; i < 20000; i++) {
        r = r * 1664525u + 1013904223u;
        if (n == 200 || (n && r >> 31)) {
            const uint32_t k = (r >> 8) % n;
            line_map_remove(&map, lines[k]);
            lines[k] = lines[--n];
        } else {
            const uint32_t line = (r >> 8) * 64 % 4099;
            if (line_map_find(&map, line) < 0) {
                line_map_add(&map, line, line ^ 77);
                lines[n++] = line;
            }
        }
        if (i % 64) continue;
        for (uint32_t line = 0; line < 4099; line++) {
            uint32_t k = 0;
            while (k < n && lines[k] != line) k++;
            assert_int_equal(k < n ? (int)(line ^ 77) : -1, line_map_find(&map, line));
        }
    }
}

/* An LRU stack beside a set; lines of which something is on its way are passed over. Stamps run out within the test. */
static void replaces_as_an_LRU_stack_does(uint32_t ways)
{
    struct tags t;
    uint32_t stack[128], depth = 0, r = 9;
    arena.used = 0;
    memset(arena.base, 0, arena.size);
    tags_init(&t, &arena, 1, ways, 128, &org_plain, NULL);
    assert_int_equal(ways >= TAGS_MAPPED, t.is_mapped);
    t.stamp = STAMP_LAST - 1000 * AGE_STAMP;
    for (int i = 0; i < 30000; i++) {
        r = r * 1664525u + 1013904223u;
        const uint32_t line = (r >> 10) % ((r >> 28) * 8 + ways * 2 / 3 + 1);
        uint32_t at = 0;
        while (at < depth && stack[at] != line) at++;
        struct tag_line *l = tags_find(&t, 0, line);
        assert_int_equal(at < depth, l != NULL);
        if (r % 7 == 0 && l) { /* sometimes a line is asked for, or comes */
            if (l->pending) org_fill(&t, l, l->pending);
            else org_await(&t, l, 1 + r % 15, 0);
            continue;
        }
        if (r % 97 == 0 && l && !l->pending) { /* sometimes one goes */
            tags_free(&t, l);
            memmove(stack + at, stack + at + 1, (depth - at - 1) * sizeof *stack);
            depth--;
            continue;
        }
        if (l) {
            tags_touch(&t, l, 0);
        } else {
            const uint32_t frame = tags_victim(&t, 0);
            at = depth;
            if (depth == ways) { /* the last of the stack that may go */
                while (at && tags_find(&t, 0, stack[at - 1])->pending) at--;
                if (!at) assert_int_equal(NO_FRAME, frame);
                if (!at) continue;
                assert_int_equal(stack[--at], *tags_key(tags_line(&t, frame)));
            } else {
                depth++;
            }
            l = tags_line(&t, frame);
            tags_reserve(&t, l, line, 0);
            l->valid = t.all;
        }
        memmove(stack + 1, stack, at * sizeof *stack);
        stack[0] = line;
    }
}

static void sets_searched_and_mapped_replace_as_an_LRU_stack_does(void **state)
{
    static const uint32_t ways[] = {1, 2, 3, 4, 7, 8, 13, 24, 64, 65, 100};
    (void)state;
    for (uint32_t i = 0; i < sizeof ways / sizeof *ways; i++) replaces_as_an_LRU_stack_does(ways[i]);
}

/* ---- L1 in sectors ---- */

static void a_sectored_L1_fetches_what_is_asked_for_and_answers_each_load_when_it_has_all(void **state)
{
    struct l1 l1;
    const uint32_t *targets;
    (void)state;
    sectored_l1(&l1, false);
    assert_int_equal(L1_MISS, load_sectors(&l1, 7, 1, 10, true, 100));
    assert_int_equal(L1_MERGED, load_sectors(&l1, 7, 1, 11, true, 101));
    assert_int_equal(L1_MISS, load_sectors(&l1, 7, 3, 12, true, 102)); /* sector 1 is not on its way */
    assert_int_equal(1, l1.stats.l1d_sector_misses);
    assert_int_equal(1, l1.mshrs.used);
    const struct request first = request_fifo_pop(&l1.to_xbar), second = request_fifo_pop(&l1.to_xbar);
    assert_int_equal(1, first.sectors);
    assert_int_equal(2, second.sectors);
    struct reply reply = reply_to(&first);
    assert_int_equal(2, l1_fill(&l1, &reply, &targets, 200));
    assert_int_equal(10, targets[0]);
    assert_int_equal(11, targets[1]);
    assert_int_equal(1, l1.mshrs.used); /* load 12 waits for sector 1 */
    assert_int_equal(L1_HIT, load_sectors(&l1, 7, 1, 13, true, 201));
    assert_int_equal(L1_MERGED, load_sectors(&l1, 7, 2, 14, true, 202));
    reply = reply_to(&second);
    assert_int_equal(2, l1_fill(&l1, &reply, &targets, 230));
    assert_int_equal(12, targets[0]);
    assert_int_equal(14, targets[1]);
    assert_int_equal(0, l1.mshrs.used);
    assert_int_equal(100 + 128, l1.stats.miss_latency_sum); /* each request from its own start */
    assert_int_equal(L1_HIT, load_sectors(&l1, 7, 3, 15, true, 231));
    assert_int_equal(L1_MISS, load_sectors(&l1, 7, 12, 16, true, 232));
    assert_int_equal(12, request_fifo_peek(&l1.to_xbar)->sectors);
    assert_int_equal(2, l1.stats.l1d_sector_misses);
    assert_int_equal(7, l1_load_accesses(&l1.stats));
}

/* [ELASTIC §2]: another tag replaces the whole line. */
static void replies_may_come_in_any_order_and_another_line_replaces_all_sectors(void **state)
{
    struct l1 l1;
    const uint32_t *targets;
    (void)state;
    params->l1.sets = params->l1.ways = 1;
    sectored_l1(&l1, false);
    assert_int_equal(L1_MISS, load_sectors(&l1, 7, 1, 10, true, 0));
    assert_int_equal(L1_MISS, load_sectors(&l1, 7, 6, 11, true, 1));
    assert_int_equal(L1_FAIL_LINE, load_sectors(&l1, 8, 1, 12, true, 2));
    const struct request first = request_fifo_pop(&l1.to_xbar), second = request_fifo_pop(&l1.to_xbar);
    struct reply reply = reply_to(&second);
    assert_int_equal(1, l1_fill(&l1, &reply, &targets, 50));
    assert_int_equal(11, targets[0]);
    assert_int_equal(L1_FAIL_LINE, load_sectors(&l1, 8, 1, 12, true, 51)); /* sector 0 is still on its way */
    reply = reply_to(&first);
    assert_int_equal(1, l1_fill(&l1, &reply, &targets, 60));
    assert_int_equal(10, targets[0]);
    assert_int_equal(L1_MISS, load_sectors(&l1, 8, 1, 12, true, 61));
    assert_int_equal(1, l1.stats.l1d_evictions);
    assert_int_equal(L1_FAIL_LINE, load_sectors(&l1, 7, 4, 13, true, 62));
}

static void a_streaming_L1_has_an_MSHR_for_every_line_and_takes_lines_when_data_comes(void **state)
{
    struct l1 l1;
    const uint32_t *targets;
    (void)state;
    params->l1.sets = 1;
    params->l1.ways = 4;
    params->l1.mshrs = 1;
    sectored_l1(&l1, true);
    for (uint32_t k = 0; k < 4; k++) assert_int_equal(L1_MISS, load_sectors(&l1, k, 1, k, k != 3, 0));
    assert_int_equal(L1_FAIL_MSHR, load_sectors(&l1, 4, 1, 4, true, 1)); /* never for a line */
    for (uint32_t k = 0; k < 4; k++) assert_true(line_is_free(tags_line(&l1.tags, k)));
    for (uint32_t k = 0; k < 4; k++) {
        const struct request r = request_fifo_pop(&l1.to_xbar);
        const struct reply reply = reply_to(&r);
        assert_int_equal(1, l1_fill(&l1, &reply, &targets, 50 + k));
    }
    for (uint32_t k = 0; k < 3; k++) assert_int_equal(L1_HIT, load_sectors(&l1, k, 1, k, true, 60));
    assert_int_equal(L1_MISS, load_sectors(&l1, 3, 1, 3, true, 61)); /* came without the pollute bit */
    assert_int_equal(0, l1.stats.l1d_fail_line_cycles);
}

/* [ELASTIC §2]: 8 KB of shared memory leave 120 KB. */
static void an_adaptive_L1_has_what_shared_memory_leaves(void **state)
{
    static const struct {
        uint32_t shared, kilobytes;
    } cases[] = {{0, 128}, {1, 120}, {8192, 120}, {8193, 112}, {20000, 96}, {33000, 64}, {98304, 32}};
    (void)state;
    assert_ok(gpu_params_load(params, "volta80", POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct l1 l1 = {0};
        arena.used = 0;
        l1_init(&l1, params, cases[i].shared, 0, &arena);
        assert_int_equal(cases[i].kilobytes * 1024, l1.tags.ways * 128);
        assert_int_equal(l1.tags.ways, l1.mshrs.n);
    }
}

static void local_stores_stay_in_L1_until_their_line_is_replaced(void **state)
{
    struct l1 l1;
    (void)state;
    params->l1.sets = params->l1.ways = 1;
    params->l1.local_stores = LOCAL_ALLOCATE;
    sectored_l1(&l1, false);
    assert_int_equal(L1_HIT, store_local(&l1, LOCAL_LINES + 5, 3, 0));
    assert_int_equal(0, l1.to_xbar.count);
    assert_int_equal(L1_HIT, load_sectors(&l1, LOCAL_LINES + 5, 1, 1, true, 1));
    assert_int_equal(L1_MISS, load_sectors(&l1, LOCAL_LINES + 6, 1, 1, true, 2));
    assert_int_equal(2, l1.to_xbar.count); /* what was written goes first */
    assert_int_equal(REQUEST_WRITEBACK, request_fifo_peek(&l1.to_xbar)->kind);
    assert_int_equal(3, request_fifo_peek(&l1.to_xbar)->sectors);
    assert_int_equal(LOCAL_LINES + 5, request_fifo_peek(&l1.to_xbar)->line);
    assert_int_equal(1, l1.stats.l1d_writebacks);
    /* Kept only where the line is: the reference's policy. */
    params->l1.local_stores = LOCAL_BACK;
    assert_int_equal(L1_SENT, store_local(&l1, LOCAL_LINES + 7, 15, 3));
}

/* ---- L2 in sectors ---- */

static struct request l2_request(enum request_kind kind, uint32_t line, uint32_t sectors, uint32_t token)
{
    const struct address_map map = address_map_of(params);
    return (struct request){.line = line,
                            .set = (uint16_t)address_l2(&map, line).set,
                            .kind = (uint8_t)kind,
                            .sectors = (uint8_t)sectors,
                            .token = (uint16_t)token,
                            .wants_data = 1};
}

static void a_sectored_L2_reads_single_sectors_and_writes_dirty_ones_back(void **state)
{
    struct l2 l2;
    cycle_t now = 0;
    (void)state;
    params->l2.organisation = L2_SECTORED;
    params->l2.write_miss = WRITE_ALLOCATE;
    params->l2.sets = params->l2.ways = 1;
    l2_init(&l2, params, 0, 0, &arena);
    request_fifo_push(&l2.from_xbar, l2_request(REQUEST_READ, 24, 1, 0), 0);
    request_fifo_push(&l2.from_xbar, l2_request(REQUEST_READ, 24, 2, 1), 0);
    request_fifo_push(&l2.from_xbar, l2_request(REQUEST_READ, 24, 3, 2), 0);
    request_fifo_push(&l2.from_xbar, l2_request(REQUEST_WRITE, 24, 8, 3), 0);
    for (; now < 10; now++) l2_tick(&l2, now);
    assert_int_equal(2, l2.to_dram.count); /* two sectors; the third request merges, the store fetches nothing */
    assert_int_equal(1, l2.stats.l2_mshr_merges);
    assert_int_equal(2, l2.stats.l2_sector_misses);
    assert_int_equal(1, l2.mshrs.used);
    const struct request first = request_fifo_pop(&l2.to_dram), second = request_fifo_pop(&l2.to_dram);
    assert_int_equal(1, first.sectors);
    assert_int_equal(2, second.sectors);
    assert_int_equal(1, l2.to_xbar.count); /* the store's acknowledgement */
    request_fifo_push(&l2.from_dram, first, now);
    for (; now < 20; now++) l2_tick(&l2, now);
    assert_int_equal(2, l2.to_xbar.count); /* request 0 alone has all it asked for */
    request_fifo_push(&l2.from_dram, second, now);
    for (; now < 30; now++) l2_tick(&l2, now);
    assert_int_equal(4, l2.to_xbar.count);
    assert_int_equal(0, l2.mshrs.used);
    reply_fifo_pop(&l2.to_xbar);
    assert_int_equal(2, reply_fifo_pop(&l2.to_xbar).flits); /* 8 + 32 bytes */
    request_fifo_push(&l2.from_xbar, l2_request(REQUEST_READ, 48, 4, 4), now);
    for (; now < 40; now++) l2_tick(&l2, now);
    assert_int_equal(REQUEST_WRITE, request_fifo_peek(&l2.to_dram)->kind);
    assert_int_equal(8, request_fifo_pop(&l2.to_dram).sectors);
    assert_int_equal(4, request_fifo_pop(&l2.to_dram).sectors);
}

/* ---- what goes beside L1D, in whole runs ---- */

static double run_value(const struct trace *t, const char *name, const char *const *set)
{
    char *text = synth_run_json(t, &(struct synth_run){.set = set});
    const double v = synth_value(text, name);
    free(text);
    return v;
}

/* One warp; `n` accesses of one kind, 128 bytes apart after each `repeat`. */
static struct trace *one_kind(enum synth_inst inst, uint32_t n, uint32_t repeat, int64_t lane_stride)
{
    struct synth s;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    for (uint32_t i = 0; i < n; i++) synth_access(&s, 0, inst, ~0u, 128ull * (i / repeat), lane_stride);
    synth_cta_end(&s);
    return synth_end(&s);
}

static void constants_and_textures_have_caches_of_their_own(void **state)
{
    (void)state;
    static const char *const cached[] = {"lsu.const_sets=32", NULL};
    struct trace *constants = one_kind(SYNTH_CONST, 40, 4, 0), *textures = one_kind(SYNTH_TEXTURE, 40, 4, 4);
    assert_true(run_value(constants, "const_accesses", NULL) == 0);
    assert_true(run_value(constants, "const_accesses", cached) == 40);
    assert_true(run_value(constants, "const_misses", cached) == 10);
    assert_true(run_value(constants, "core_cycles", cached) > run_value(constants, "core_cycles", NULL) + 120);
    assert_true(run_value(textures, "tex_accesses", NULL) == 40);
    assert_true(run_value(textures, "tex_misses", NULL) == 10);
    assert_true(run_value(textures, "l1d_load_accesses", NULL) == 0);
    static const char *const unified[] = {"lsu.tex_sets=0", NULL};
    assert_true(run_value(textures, "l1d_load_accesses", unified) == 40);
    trace_close(constants);
    trace_close(textures);
}

/* A sector of each of ten lines, four times: Volta's L1 fetches it alone, the texture cache of the imported file the
 * line. DRAM's bursts have 64 bytes. */
static void textures_of_volta80_are_sectors_in_l1(void **state)
{
    (void)state;
    struct trace *t = one_kind(SYNTH_TEXTURE, 40, 4, 0);
    char *unified = synth_run_json(t, &(struct synth_run){.preset = "volta80"});
    char *lines = synth_run_json(t, &(struct synth_run){.preset = "volta80-ptx"});
    assert_true(synth_value(unified, "tex_accesses") == 0);
    assert_true(synth_value(unified, "l1d_load_accesses") == 40);
    assert_true(synth_value(unified, "l1d_misses") == 10);
    assert_true(synth_value(unified, "dram_reads") == 5);
    assert_true(synth_value(lines, "l1d_load_accesses") == 0);
    assert_true(synth_value(lines, "tex_misses") == 10);
    assert_true(synth_value(lines, "dram_reads") == 20);
    free(unified);
    free(lines);
    trace_close(t);
}

/* 32 addresses of one line: 64 cycles; of 32 lines the same, though each is a request of its own; one address: one. */
static void addresses_of_a_constant_access_are_served_one_after_another(void **state)
{
    (void)state;
    static const char *const cached[] = {"lsu.const_sets=32", NULL}, *const at_once[] = {"lsu.const_address_cycles=0",
                                                                                         NULL};
    static const struct {
        int64_t stride;
        double cycles, cached, at_once;
    } rows[] = {{0, 40, 40, 40}, {4, 40 * 64, 40 * 64, 40}, {128, 40 * 64, 40 * 64, 40}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct trace *t = one_kind(SYNTH_CONST, 40, 4, rows[i].stride);
        assert_true(run_value(t, "lsu_busy_cycles", NULL) == rows[i].cycles);
        assert_true(run_value(t, "lsu_busy_cycles", cached) == rows[i].cached);
        assert_true(run_value(t, "lsu_busy_cycles", at_once) == rows[i].at_once);
        free(synth_run_both(t, (struct synth_run){.set = cached}));
        trace_close(t);
    }
}

static void lanes_of_an_atomic_on_the_same_bytes_go_one_by_one(void **state)
{
    (void)state;
    static const char *const conflicts[] = {"lsu.atomic_conflicts=1", NULL};
    struct trace *same = one_kind(SYNTH_ATOMIC, 4, 4, 0), *apart = one_kind(SYNTH_ATOMIC, 4, 4, 4);
    assert_true(run_value(same, "l1d_atomics", NULL) == 4);
    assert_true(run_value(same, "l1d_atomics", conflicts) == 4 * 32);
    assert_true(run_value(apart, "l1d_atomics", conflicts) == 4);
    assert_true(run_value(same, "core_cycles", conflicts) > run_value(apart, "core_cycles", conflicts));
    trace_close(same);
    trace_close(apart);
}

static void double_precision_waits_for_its_own_units(void **state)
{
    struct synth s;
    (void)state;
    synth_begin(&s, 1, 8);
    synth_cta(&s);
    for (uint32_t i = 0; i < 100; i++)
        for (uint32_t w = 0; w < 8; w++) synth_op(&s, w, SYNTH_DP, ~0u);
    synth_cta_end(&s);
    struct trace *t = synth_end(&s);
    /* 800 instructions through one special-function unit every 8 cycles, or through 4 units with a latency of 8. */
    static const char *const units[] = {"core.dp_units=4", NULL}, *const none[] = {"core.dp_units=0", NULL};
    const double sfu = run_value(t, "core_cycles", none), dp = run_value(t, "core_cycles", units);
    assert_true(sfu > 800 * 8 && sfu < 800 * 8 + 400);
    assert_true(dp > 800 * 8 / 4 && dp < 800 * 8 / 4 + 400);
    trace_close(t);
}

static void banks_serve_sectors_of_several_lines_in_one_cycle(void **state)
{
    struct synth s;
    (void)state;
    static const char *const one[] = {"l1.organisation=sectored", NULL};
    static const char *const four[] = {"l1.organisation=sectored", "l1.banks=4", "l1.bank_bytes=32", "l1.miss_queue=64",
                                       NULL};
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    synth_access(&s, 0, SYNTH_LOAD_2, ~0u, 0, 160); /* lane l: sector l % 4 of a line of its own */
    synth_cta_end(&s);
    struct trace *diagonal = synth_end(&s), *column = one_kind(SYNTH_LOAD_2, 1, 1, 128); /* sector 0 of 32 lines */
    assert_true(run_value(diagonal, "line_requests", four) == run_value(column, "line_requests", four));
    assert_true(run_value(diagonal, "lsu_busy_cycles", one) == 32);
    assert_true(run_value(diagonal, "lsu_busy_cycles", four) == 8);
    assert_true(run_value(column, "lsu_busy_cycles", four) == 32);
    trace_close(diagonal);
    trace_close(column);
}

/* Everything at once: global, local, constant, texture and shared accesses, atomics on the same word. */
static struct trace *spaces(uint32_t n_ctas, uint32_t rounds, uint32_t seed)
{
    struct synth s;
    uint32_t r = seed;
    synth_begin(&s, n_ctas, 6);
    for (uint32_t c = 0; c < n_ctas; c++) {
        synth_cta(&s);
        for (uint32_t k = 0; k < rounds; k++)
            for (uint32_t w = 0; w < 6; w++) {
                static const enum synth_inst kinds[] = {SYNTH_LOAD_2, SYNTH_LOAD_2,     SYNTH_STORE,
                                                        SYNTH_ATOMIC, SYNTH_LOCAL_LOAD, SYNTH_LOCAL_STORE,
                                                        SYNTH_CONST,  SYNTH_TEXTURE,    SYNTH_SHARED};
                r = r * 1664525u + 1013904223u;
                const enum synth_inst inst = kinds[(r >> 8) % COUNT_OF(kinds)];
                static const int64_t strides[] = {0, 4, 4, 128, 36};
                const uint64_t base = inst == SYNTH_LOCAL_LOAD || inst == SYNTH_LOCAL_STORE
                                          ? (1ull << 40) + 128 * ((c * 6 + w) * 8 + (r >> 20) % 8)
                                          : 32 * ((r >> 12) % 600);
                synth_access(&s, w, inst, r >> 28 ? ~0u : r | 1, base,
                             inst == SYNTH_CONST ? 0 : strides[(r >> 16) % COUNT_OF(strides)]);
                if (r >> 31) synth_op(&s, w, SYNTH_USE_2, ~0u);
                if (r % 5 == 0) synth_op(&s, w, SYNTH_DP, ~0u);
            }
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

/* Conservation is checked in every run. */
static void every_preset_runs_every_space_and_skipping_changes_no_byte(void **state)
{
    (void)state;
    static const char *const presets[] = {"volta80", "titanv", "titanx", "accelsim32", "fermi15", "kepler32"};
    static const char *const mechs[] = {NULL, "tuple,N=2,p=1"};
    const uint32_t n_ctas = POISE_SANITIZED ? 15 : 60;
    struct trace *t = spaces(n_ctas, 30, 5);
    for (size_t i = 0; i < COUNT_OF(presets); i++)
        for (size_t m = 0; m < COUNT_OF(mechs); m++) {
            char *a = synth_run_both(t, (struct synth_run){.preset = presets[i], .mech = mechs[m]});
            assert_true(synth_value(a, "warps") == 6 * n_ctas);
            free(a);
        }
    trace_close(t);
}

static void odd_sectored_machines_keep_conservation_and_skip_alike(void **state)
{
    (void)state;
    static const char *const machines[][10] = {
        {"l1.organisation=sectored", "l1.local_stores=back", NULL},
        {"l1.organisation=sectored", "l2.organisation=sectored", "l2.sets=1", "l2.ways=2", "l2.mshrs=2",
         "l2.mshr_merge=2", "l1.mshrs=3", "l1.mshr_merge=2", NULL},
        {"l2.organisation=sectored", "l1.write_hit=through", "l2.write_miss=through", "lsu.const_sets=1",
         "lsu.const_ways=1", "lsu.tex_sets=1", "lsu.tex_ways=1", NULL},
        {"l1.organisation=sectored", "l1.streaming=1", "l1.sets=1", "l1.set_index=linear", "l1.ways=70",
         "l1.local_stores=back_allocate", "l1.banks=8", "l1.bank_bytes=32", "l1.late_lookup=1", NULL},
        {"l1.streaming=1", "l1.ways=2", "l2.write_miss=fetch", "l2.organisation=sectored", "lsu.atomic_conflicts=1",
         "core.int_units=1", "core.dp_units=1", NULL},
        {"l1.organisation=sectored", "l2.organisation=sectored", "l1.line_bytes=64", "l1.banks=2", "l1.bank_bytes=64",
         "l1.miss_queue=1", "ideal.memory=infinite", NULL},
        {"l1.line_bytes=32", "l2.line_bytes=128", "l1.sets=128", "l1.set_index=fermi_any", "l1.mshrs=5",
         "l2.organisation=sectored", NULL},
        {"l1.line_bytes=256", "l2.line_bytes=128", "l1.sets=16", "l1.set_index=fermi_any", "l1.miss_queue=3",
         "lsu.const_sets=2", "lsu.const_ways=1", "lsu.tex_sets=2", NULL},
        {"l1.organisation=sectored", "l1.chunk_bytes=8", "l1.mshr_merge=2", "l1.late_lookup=1",
         "l2.bank_index=addresses", NULL},
        {"l1.organisation=sectored", "l1.line_bytes=256", "l2.line_bytes=128", "l1.chunk_bytes=64", "l1.sets=16",
         "l1.set_index=linear", "l1.banks=4", "lsu.atomic_conflicts=1", NULL},
        {"l1.organisation=tsc", "l1.tsc_mode=duel", "l1.tsc_delay=3", "l1.mshrs=6", "l1.ways=1", "core.sms=3", NULL},
        {"l1.organisation=tsc", "l1.chunk_bytes=8", "l1.late_lookup=1", "l1.tsc_mode=coarse",
         "l1.tsc_coarse_waits=asked", "l1.miss_queue=3", NULL},
        {"l1.organisation=dsc", "l1.dsc_tags=4", "l1.ways=2", "l1.mshr_merge=2", NULL},
        {"l1.local_stores=back_allocate", "l1.ways=1", "l1.miss_queue=2", "ideal.memory=dram",
         "l2.organisation=sectored", NULL},
    };
    const uint32_t n_ctas = POISE_SANITIZED ? 12 : 40;
    struct trace *t = spaces(n_ctas, 24, 11);
    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        char *a = synth_run_both(t, (struct synth_run){.set = machines[i]});
        assert_true(synth_value(a, "warps") == 6 * n_ctas);
        free(a);
    }
    trace_close(t);
}

static void L1_lives_on_between_launches_unless_it_is_flushed(void **state)
{
    (void)state;
    static const char *const presets[] = {"kepler32", "volta80"};
    struct trace *t = synth_rows(4, 2, 8, 1);
    for (size_t i = 0; i < COUNT_OF(presets); i++) {
        double hits[2];
        for (uint32_t flush = 0; flush < 2; flush++) {
            struct plan *plan;
            struct gpu_result first, second;
            assert_ok(gpu_params_load(params, presets[i], POISE_SOURCE_DIR "/experiments/configs", &err), &err);
            params->l1.flush_between = flush;
            assert_ok(plan_new(&plan, t, params, &err), &err);
            struct gpu_carry *carry = gpu_carry_new(params);
            assert_ok(gpu_run_carry(&first, plan, params, NULL, 0, NULL, carry, &err), &err);
            assert_ok(gpu_run_carry(&second, plan, params, NULL, 0, NULL, carry, &err), &err);
            hits[flush] = gpu_stats_value(second.stats, "l1d_hit_rate");
            gpu_result_free(&first);
            gpu_result_free(&second);
            gpu_carry_free(carry);
            plan_free(plan);
        }
        assert_true(hits[0] > hits[1]);
    }
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_line_map_finds_what_was_added_and_not_removed),
        T(sets_searched_and_mapped_replace_as_an_LRU_stack_does),
        T(a_sectored_L1_fetches_what_is_asked_for_and_answers_each_load_when_it_has_all),
        T(replies_may_come_in_any_order_and_another_line_replaces_all_sectors),
        T(a_streaming_L1_has_an_MSHR_for_every_line_and_takes_lines_when_data_comes),
        T(an_adaptive_L1_has_what_shared_memory_leaves),
        T(local_stores_stay_in_L1_until_their_line_is_replaced),
        T(a_sectored_L2_reads_single_sectors_and_writes_dirty_ones_back),
        T(constants_and_textures_have_caches_of_their_own),
        T(textures_of_volta80_are_sectors_in_l1),
        T(addresses_of_a_constant_access_are_served_one_after_another),
        T(lanes_of_an_atomic_on_the_same_bytes_go_one_by_one),
        T(double_precision_waits_for_its_own_units),
        T(banks_serve_sectors_of_several_lines_in_one_cycle),
        T(every_preset_runs_every_space_and_skipping_changes_no_byte),
        T(odd_sectored_machines_keep_conservation_and_skip_alike),
        T(L1_lives_on_between_launches_unless_it_is_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
