/* AtomNaive and AtomDir on the simulated machine: nothing is lost, nobody starves, and what programs compute in the
 * order in which the mechanism performed their atomics is what they must. */
#include "stack.h"
#include "where.h"

#include <jansson.h>
#include "mech/atom_unit.h"

static const char *const kinds[] = {"atomnaive",
                                    "atomnaive,wires=1,mutexes=2,hold=1",
                                    "atomdir",
                                    "atomdir,speculate=1,epoch_cycles=64",
                                    "atomdir,topology=rings",
                                    "atomdir,topology=rings,speculate=1",
                                    "atomdir,writes=back",
                                    "atomdir,writes=back,topology=rings,speculate=1,flush_cycles=50,copies=2",
                                    "atomdir,writes=through",
                                    "atomdir,writes=travel,topology=rings,speculate=1,flush_cycles=200,copies=3",
                                    "atomdir,mutexes=1,hold=1,requests=1,copies=1",
                                    "atomdir,topology=rings,columns=4,token_cycles=3,copies=2"};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Every warp: `rounds` atomics of all lanes on lines of a pool, with loads and stores of others between; every second
 * one is waited for. */
static struct trace *contended(uint32_t n_ctas, uint32_t rounds, uint32_t lines)
{
    struct synth s;
    uint32_t draw = 1;
    synth_begin(&s, n_ctas, 4);
    for (uint32_t c = 0; c < n_ctas; c++) {
        synth_cta(&s);
        for (uint32_t w = 0; w < 4; w++) {
            for (uint32_t r = 0; r < rounds; r++) {
                draw = draw * 1664525u + 1013904223u;
                const uint64_t line = (draw >> 16) % lines;
                synth_access(&s, w, r % 2 ? SYNTH_ATOMIC : SYNTH_RED, ~0u, 128 * line, draw >> 30 ? 4 : 0);
                if (r % 4 == 3) synth_access(&s, w, SYNTH_LOAD_2, ~0u, 1 << 20 | (draw >> 8 & 0xff80), 4);
                if (r % 8 == 5) synth_op(&s, w, SYNTH_FENCE, ~0u);
            }
            synth_op(&s, w, SYNTH_EXIT, ~0u);
        }
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

static double value(const json_t *stats, const char *name) { return json_number_value(json_object_get(stats, name)); }

static void nothing_is_lost_and_nobody_starves(void **state)
{
    (void)state;
    static const uint32_t pools[] = {1, 4, 200};
    for (size_t p = 0; p < sizeof pools / sizeof pools[0]; p++) {
        struct trace *t = contended(12, 12, pools[p]);
        for (size_t i = 0; i < KINDS; i++) {
            json_t *own;
            struct gpu_stats *stats = stack_run(t, &(struct stack_run){.mechs = {kinds[i]}}, &own);
            assert_int_equal(12 * 4 * 12, value(own, "performed"));
            assert_true(value(own, "performed") == value(own, "taken") &&
                        value(own, "performed") == (double)stack_value(stats, "l1d_atomics"));
            if (value(own, "lost_updates") != 0)
                fail_msg("%s on %u lines: %.0f updates are lost", kinds[i], pools[p], value(own, "lost_updates"));
            assert_true(value(own, "unchecked") == 0 && value(own, "longest") < 60000);
            assert_true(value(own, "acquisitions") <= value(own, "performed") &&
                        value(own, "copy_hits") <= value(own, "performed"));
            free(stats);
            json_decref(own);
        }
        trace_close(t);
    }
}

static void runs_are_the_same_bytes_without_skipping_and_from_a_snapshot(void **state)
{
    (void)state;
    struct trace *hot = contended(8, 10, 2), *wide = contended(8, 10, 100);
    for (size_t i = 0; i < KINDS; i++) {
        const struct stack_run run = {.mechs = {kinds[i]}};
        stack_repeats(hot, &run);
        stack_repeats(wide, &run);
    }
    static const struct stack_run stacks[] = {{.mechs = {"swl,N=1", "atomdir"}},
                                              {.mechs = {"bucl", "atomdir,speculate=1"}},
                                              {.mechs = {"mrpb", "atomnaive"}}};
    stack_runs_hold(stacks, COUNT_OF(stacks));
    trace_close(hot);
    trace_close(wide);
}

/* A line of L2 is the same one whatever the lines of L1: each is fetched from DRAM once. */
static void atomics_of_lines_of_L1_are_performed_in_their_line_of_L2(void **state)
{
    (void)state;
    static const char *const usual[] = {"l1.organisation=sectored", NULL};
    static const char *const sizes[][4] = {
        {"l1.organisation=sectored", "l2.line_bytes=128", "l1.line_bytes=32", NULL},
        {"l1.organisation=sectored", "l2.line_bytes=128", "l1.line_bytes=64", NULL},
        {"l1.organisation=sectored", "l2.line_bytes=128", "l1.line_bytes=256", NULL}};
    struct trace *t = contended(6, 8, 5);
    for (size_t i = 0; i < KINDS; i++) {
        struct gpu_stats *expected = stack_run(t, &(struct stack_run){.mechs = {kinds[i]}, .set = usual}, NULL);
        for (size_t k = 0; k < COUNT_OF(sizes); k++) {
            struct gpu_stats *stats = stack_run(t, &(struct stack_run){.mechs = {kinds[i]}, .set = sizes[k]}, NULL);
            assert_int_equal(stack_value(expected, "l2_misses"), stack_value(stats, "l2_misses"));
            free(stats);
        }
        free(expected);
    }
    trace_close(t);
}

/* Longer than the watchdog waits where the machine has nothing to wait for. */
static void what_waits_for_a_timer_or_a_long_way_is_no_deadlock(void **state)
{
    (void)state;
    struct trace *hot = contended(2, 3, 1);
    static const char *const slow[] = {"atomdir,writes=back,flush_cycles=1200000", "atomdir,requests=1,hop_cycles=700"};
    for (size_t i = 0; i < COUNT_OF(slow); i++) {
        const struct stack_run run = {.mechs = {slow[i]}};
        stack_repeats(hot, &run);
    }
    trace_close(hot);
}

/* ---- what programs compute in the order that the mechanism gave their atomics ---- */

struct done {
    uint32_t line, uid;
};
static struct done log_of[4096];
static size_t n_log;
static void (*machine_done)(void *, uint32_t, const struct atomic *, uint64_t);
static const struct unit_ops *real_unit;
static struct unit_ops listening;

static void note_done(void *machine, uint32_t sm, const struct atomic *atomic, uint64_t now)
{
    assert_true(n_log < sizeof log_of / sizeof log_of[0]);
    log_of[n_log++] = (struct done){atomic->line, atomic->uid};
    machine_done(machine, sm, atomic, now);
}

static void tick_and_note(void *self, const struct machine_ports *machine, uint64_t now)
{
    struct machine_ports ports = *machine;
    machine_done = machine->atomic_done;
    ports.atomic_done = note_done;
    real_unit->tick(self, &ports, now);
}

/* The order in which atomics are performed under a mechanism. */
static void run_and_note(const struct trace *t, const char *how)
{
    struct error err;
    struct mech_spec spec;
    struct gpu_result result;
    struct plan *plan;
    struct gpu_params *params = gpu_params_new();
    assert_ok(gpu_params_load(params, "fermi15", POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_ok(mech_parse(&spec, how, &err), &err);
    struct mech_type noted = *spec.type;
    real_unit = spec.type->unit;
    listening = *real_unit;
    listening.tick = tick_and_note;
    noted.unit = &listening;
    const struct mech_type *type = spec.type;
    spec.type = &noted;
    n_log = 0;
    assert_ok(gpu_run(&result, plan, params, &spec, 1, &(struct gpu_limits){0}, &err), &err);
    assert_true(result.complete);
    gpu_result_free(&result);
    spec.type = type;
    mech_free(&spec);
    plan_free(plan);
    gpu_params_free(params);
}

enum { LINES = 8, WARPS = 20 * 4, TIMES = 6 };

/* A counter a line: each warp adds one. A list a line: each warp exchanges its head for an entry of its own. */
static void counters_and_lists_are_right_in_the_order_of_the_mechanism(void **state)
{
    (void)state;
    struct trace *t = contended(20, TIMES, LINES);
    for (size_t i = 0; i < KINDS; i++) {
        uint32_t heads[1024], counters[1024] = {0}, nexts[WARPS * TIMES], entries[WARPS] = {0}, in_lists = 0;
        if (strstr(kinds[i], "columns=4")) continue; /* of 15 SMs */
        run_and_note(t, kinds[i]);
        assert_int_equal(WARPS * TIMES, n_log);
        memset(heads, 0xff, sizeof heads);
        for (size_t k = 0; k < n_log; k++) {
            const struct done *d = &log_of[k];
            assert_true(d->line < 1024 && d->uid < WARPS && entries[d->uid] < TIMES);
            const uint32_t entry = d->uid * TIMES + entries[d->uid]++;
            nexts[entry] = heads[d->line];
            heads[d->line] = entry;
            counters[d->line]++;
        }
        for (uint32_t line = 0; line < 1024; line++) {
            uint32_t length = 0;
            for (uint32_t e = heads[line]; e != UINT32_MAX; e = nexts[e]) assert_true(++length <= WARPS * TIMES);
            assert_int_equal(counters[line], length);
            in_lists += length;
        }
        assert_int_equal(WARPS * TIMES, in_lists);
    }
    trace_close(t);
}

/* ---- how long one atomic takes ---- */

/* One warp on SM 0 that waits for its atomics on one line, n times. */
static double mean_latency(const char *how, const char *config, uint32_t n)
{
    struct synth s;
    struct error err;
    struct mech_spec spec;
    struct gpu_result result;
    struct plan *plan;
    struct gpu_params *params = gpu_params_new();
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    for (uint32_t i = 0; i < n; i++) synth_access(&s, 0, SYNTH_ATOMIC, 1, 0, 0);
    synth_op(&s, 0, SYNTH_EXIT, ~0u);
    synth_cta_end(&s);
    struct trace *t = synth_end(&s);
    assert_ok(gpu_params_load(params, config, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_ok(mech_parse(&spec, how, &err), &err);
    assert_ok(gpu_run(&result, plan, params, &spec, 1, &(struct gpu_limits){0}, &err), &err);
    const json_t *stats = json_object_get(result.mechs[0], "stats");
    assert_true(value(stats, "lost_updates") == 0);
    const double cycles = value(stats, "latency_sum");
    gpu_result_free(&result);
    mech_free(&spec);
    plan_free(plan);
    gpu_params_free(params);
    trace_close(t);
    return cycles;
}

/* SM 0 owns mutex 0: asked, answered and held in one cycle, the first after the atomic came; then the data comes from
 * L2. With a mutex that stays for a second atomic only its cycle is added. Another owner is as far as the mesh says,
 * there and back. */
static void an_atomic_takes_the_way_of_its_mutex_and_its_data(void **state)
{
    (void)state;
    const double own = mean_latency("atomdir", "fermi15", 1), far = mean_latency("atomdir,hop_cycles=40", "fermi15", 1);
    assert_true(own == far); /* no way at all */
    const double again = mean_latency("atomdir", "fermi15", 2);
    assert_true(again - own < 10); /* its data is there: only the mutex is asked for anew, or still held */
    const double naive = mean_latency("atomnaive", "fermi15", 1);
    assert_true(naive >= own && naive <= own + 15); /* waits for the token, once around at most */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_and_nobody_starves),
        cmocka_unit_test(runs_are_the_same_bytes_without_skipping_and_from_a_snapshot),
        cmocka_unit_test(atomics_of_lines_of_L1_are_performed_in_their_line_of_L2),
        cmocka_unit_test(what_waits_for_a_timer_or_a_long_way_is_no_deadlock),
        cmocka_unit_test(counters_and_lists_are_right_in_the_order_of_the_mechanism),
        cmocka_unit_test(an_atomic_takes_the_way_of_its_mutex_and_its_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
