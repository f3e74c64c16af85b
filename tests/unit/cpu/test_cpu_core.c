/* A CPU core in front of a memory of fixed latency: what limits it is known by arithmetic. [sim/cpu/core.h]
 *
 * A stream has one load every `distance` instructions, all lines different (or all the same), n loads in all. L: cycles
 * from asking to the reply. Edges (the first and the last window) are below one part in a hundred of each run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/core.h"
#include "poise/gpu.h"

struct rig {
    struct gpu_params *params;
    struct cpu_stream *stream;
    struct arena arena;
    struct cpu_core core;
    cycle_t latency;
    uint64_t sent[3];           /* reads, write-backs, others */
    uint64_t outstanding, area; /* reads on their way, summed over cycles */
};

static struct cpu_stream *stream_of(uint64_t n, uint32_t distance, uint64_t step, uint64_t span, bool stores)
{
    struct error err;
    struct cpu_stream *s;
    struct cpu_access *a = calloc(n, sizeof *a);
    for (uint64_t i = 0; i < n; i++) a[i] = (struct cpu_access){i * step % span, distance, stores, 8, 0};
    assert_int_equal(
        cpu_stream_new(&s, &(struct cpu_stream_counts){n * distance, n, span / CPU_PAGE_BYTES + 1, 0}, a, "{}", &err),
        0);
    return s;
}

static void rig_init(struct rig *r, struct cpu_stream *stream, cycle_t latency)
{
    struct error err;
    memset(r, 0, sizeof *r);
    r->params = gpu_params_new();
    r->params->cpu.cores = 1;
    r->params->cpu.chain = 0;
    r->params->cpu.miss_queue = 64;
    r->params->cpu.reply_queue = 64;
    r->stream = stream;
    r->latency = latency;
    assert_int_equal(arena_new(&r->arena, 32 << 20, &err), 0);
}

static void rig_start(struct rig *r)
{
    cpu_core_init(&r->core, r->params, 0, 4096, &r->arena);
    cpu_core_start(&r->core, r->stream);
    r->core.once = true;
}

static bool has_ended(const struct cpu_core *c)
{
    return c->runs && !c->mshrs_used && request_fifo_empty(&c->to_llc) && request_fifo_empty(&c->victims);
}

/* The memory takes all there is in every cycle. With `skips`, cycles before the core's wake are left out. Returns the
 * cycles of the run. */
static uint64_t rig_run(struct rig *r, bool skips)
{
    cycle_t now = 0;
    for (; !has_ended(&r->core); now++) {
        if (now == 100000000) {
            char text[200];
            cpu_core_dump(&r->core, text, sizeof text);
            fail_msg("no end: %s", text);
        }
        if (skips && r->core.wake > now && request_fifo_empty(&r->core.to_llc)) {
            r->area += r->outstanding;
            continue;
        }
        cpu_core_tick(&r->core, now);
        r->outstanding = r->core.mshrs_used;
        r->area += r->outstanding;
        while (!request_fifo_empty(&r->core.to_llc)) {
            const struct request q = request_fifo_pop(&r->core.to_llc);
            r->sent[q.kind == REQUEST_READ ? 0 : q.kind == REQUEST_WRITEBACK ? 1 : 2]++;
            assert_int_equal(q.requester, requester_of(FROM_CPU, r->params->core.sms)); /* the port behind the SMs */
            assert_true(q.sectors == 3 || q.sectors == 12);
            const struct reply reply = {
                .token = q.token, .requester = q.requester, .kind = q.kind, .sectors = q.sectors};
            reply_fifo_push(&r->core.from_llc, reply, now + r->latency);
            if (r->core.wake > now + 1) r->core.wake = now + 1;
        }
    }
    return r->core.first_end + 1;
}

static void rig_fini(struct rig *r)
{
    cpu_stream_free(r->stream);
    gpu_params_free(r->params);
    arena_free(&r->arena);
}

static double ipc(const struct rig *r, uint64_t cycles) { return (double)r->stream->counts.insts / (double)cycles; }

static void assert_near(double got, double expected, double part)
{
    if (fabs(got - expected) > part * expected) fail_msg("%g, expected %g within %g %%", got, expected, 100 * part);
}

static void without_misses_it_retires_its_width_a_cycle(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 8; width *= 2) {
        struct rig r;
        rig_init(&r, stream_of(20000, 5, 0, 4096, false), 200); /* one line */
        r.params->cpu.width = width;
        rig_start(&r);
        assert_near(ipc(&r, rig_run(&r, false)), width, 0.02);
        assert_int_equal(r.core.stats.cpu_insts, 100000);
        assert_int_equal(r.sent[0], 1);
        rig_fini(&r);
    }
}

/* Independent misses, MSHRs enough: a window of R instructions goes by in L cycles, and R / distance misses overlap. */
static void the_window_limits_what_overlaps(void **state)
{
    (void)state;
    for (uint32_t window = 32; window <= 256; window *= 2) {
        struct rig r;
        rig_init(&r, stream_of(20000, 8, 64, 1 << 30, false), 400);
        r.params->cpu.window = window;
        r.params->cpu.mshrs = 64;
        rig_start(&r);
        const uint64_t cycles = rig_run(&r, false);
        assert_near(ipc(&r, cycles), window / 400.0, 0.03);
        assert_near((double)r.area / (double)cycles, window / 8.0, 0.05); /* memory-level parallelism */
        /* it retires a window in R / width of the L cycles, and waits in the others */
        assert_near((double)r.core.stats.cpu_stall_load_cycles, (double)cycles * (1 - window / 1600.0), 0.01);
        rig_fini(&r);
    }
}

/* Misses that depend on each other: one at a time, distance instructions a latency. */
static void dependent_misses_cost_a_latency_each(void **state)
{
    (void)state;
    for (cycle_t latency = 100; latency <= 400; latency *= 2) {
        struct rig r;
        rig_init(&r, stream_of(5000, 4, 64, 1 << 30, false), latency);
        r.params->cpu.chain = 1;
        rig_start(&r);
        const uint64_t cycles = rig_run(&r, false);
        assert_near(ipc(&r, cycles), 4.0 / latency, 0.02);
        assert_near((double)r.area / (double)cycles, 1, 0.02);
        rig_fini(&r);
    }
}

/* Every second load waits for the one before it. In two latencies the window goes by, and two distances besides: when
 * the first of its loads is there, the one that waited is not, and those two that follow the window have gone
 * meanwhile. */
static void pairs_of_dependent_misses_cost_two_latencies_a_window(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, stream_of(20000, 8, 64, 1 << 30, false), 400);
    r.params->cpu.chain = 2;
    r.params->cpu.mshrs = 64;
    rig_start(&r);
    assert_near(ipc(&r, rig_run(&r, false)), (128 + 2 * 8) / 800.0, 0.01);
    rig_fini(&r);
}

/* M lines a latency: IPC = M * distance / L, and M misses overlap. */
static void mshrs_limit_what_overlaps(void **state)
{
    (void)state;
    for (uint32_t mshrs = 1; mshrs <= 16; mshrs *= 4) {
        struct rig r;
        rig_init(&r, stream_of(20000, 2, 64, 1 << 30, false), 300);
        r.params->cpu.mshrs = mshrs;
        rig_start(&r);
        const uint64_t cycles = rig_run(&r, false);
        assert_near(ipc(&r, cycles), mshrs * 2 / 300.0, 0.03);
        assert_near((double)r.area / (double)cycles, mshrs, 0.03);
        rig_fini(&r);
    }
}

/* Loads of one line in a row: the first asks, those in the same window wait for the same reply, the rest hit. */
static void loads_of_a_line_on_its_way_share_the_reply(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, stream_of(64000, 4, 8, 1 << 20, false), 200); /* 8 of 8 bytes a line */
    rig_start(&r);
    rig_run(&r, false);
    const struct cpu_stats *s = &r.core.stats;
    assert_int_equal(s->cpu_llc_reads, 8000);
    assert_int_equal(s->cpu_loads, 64000);
    assert_int_equal(s->cpu_l1_hits + s->cpu_merges + s->cpu_l2_hits + s->cpu_llc_reads, 64000);
    assert_int_equal(s->cpu_fills, 8000);
    assert_int_equal(s->cpu_latency_sum, 8000 * 200);
    rig_fini(&r);
}

/* A chain of loads in a working set of the private L2 pays its latency; one of L1 that of L1. */
static void private_hits_take_their_latencies(void **state)
{
    (void)state;
    const struct {
        uint64_t span;
        double latency;
    } cases[] = {{16 << 10, 4}, {128 << 10, 12}};
    for (int i = 0; i < 2; i++) {
        struct rig r;
        rig_init(&r, stream_of(200000, 1, 64, cases[i].span, false), 30);
        r.params->cpu.chain = 1;
        rig_start(&r);
        assert_near(ipc(&r, rig_run(&r, false)), 1 / cases[i].latency, 0.05);
        rig_fini(&r);
    }
}

/* Stores to a working set twice as large as the private L2: each line is fetched and written back once a round. */
static void stores_fetch_their_line_and_write_it_back(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, stream_of(5 * 8192, 10, 64, 512 << 10, true), 50);
    rig_start(&r);
    const uint64_t cycles = rig_run(&r, false);
    assert_int_equal(r.sent[0], 5 * 8192);
    assert_int_equal(r.sent[1], r.core.stats.cpu_writebacks);
    assert_true(r.sent[1] >= 4 * 8192 && r.sent[1] <= 5 * 8192);
    assert_near(ipc(&r, cycles), 16 * 10 / 50.0, 0.05); /* nothing waits for a store but MSHRs: 16 lines in 50 cycles */
    assert_int_equal(r.core.stats.cpu_stall_load_cycles, 0);
    rig_fini(&r);
}

/* A cycle that is left out changes nothing but the time that it takes us. */
static void skipping_cycles_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t chain = 0; chain < 4; chain++) {
        struct cpu_stats stats[2];
        uint64_t cycles[2];
        for (int skips = 0; skips < 2; skips++) {
            struct rig r;
            rig_init(&r, stream_of(30000, 3, 4160, 3 << 20, false), 170);
            for (uint64_t i = 0; i < 30000; i += 7) r.stream->accesses[i].is_store = 1;
            r.params->cpu.chain = chain;
            r.params->cpu.mshrs = 5;
            rig_start(&r);
            cycles[skips] = rig_run(&r, skips);
            cpu_core_finish(&r.core, (cycle_t)cycles[skips] + 1000);
            stats[skips] = r.core.stats;
            rig_fini(&r);
        }
        assert_int_equal(cycles[0], cycles[1]);
        assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
    }
}

static void a_program_that_ended_early_starts_again(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, stream_of(1000, 4, 64, 64000, false), 100);
    rig_start(&r);
    r.core.once = false;
    for (cycle_t now = 0; now < 20000; now++) {
        cpu_core_tick(&r.core, now);
        while (!request_fifo_empty(&r.core.to_llc)) {
            const struct request q = request_fifo_pop(&r.core.to_llc);
            reply_fifo_push(&r.core.from_llc, (struct reply){.token = q.token, .kind = q.kind}, now + 100);
        }
    }
    assert_true(r.core.runs > 3);
    assert_true(r.core.first_end > 5000 && r.core.first_end < 9000); /* 1000 misses, 16 at a time, 100 cycles each */
    assert_int_equal(r.core.stats.cpu_llc_reads, 1000);              /* later runs hit in the private L2 */
    assert_true(r.core.stats.cpu_insts > 3 * 4000);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_misses_it_retires_its_width_a_cycle),
        cmocka_unit_test(the_window_limits_what_overlaps),
        cmocka_unit_test(dependent_misses_cost_a_latency_each),
        cmocka_unit_test(pairs_of_dependent_misses_cost_two_latencies_a_window),
        cmocka_unit_test(mshrs_limit_what_overlaps),
        cmocka_unit_test(loads_of_a_line_on_its_way_share_the_reply),
        cmocka_unit_test(private_hits_take_their_latencies),
        cmocka_unit_test(stores_fetch_their_line_and_write_it_back),
        cmocka_unit_test(skipping_cycles_changes_nothing),
        cmocka_unit_test(a_program_that_ended_early_starts_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
