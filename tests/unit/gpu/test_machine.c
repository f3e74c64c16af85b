/* The machine as a whole: its clocks, its state as one piece of memory, and whether it sleeps. */
#include "machine/skip.h"

#include "units.h"

#include <sys/mman.h>

/* ---- clocks ---- */

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

/* ---- queues ---- */

/* Two units at the ends of a queue, each alone in its agenda. */
struct two {
    struct clocks clocks;
    struct wheel agenda[2];
    cycle_t wake[2];
    struct sleeper unit[2];
};

static void two_init(struct two *t)
{
    static const struct clock_params p = {.core_mhz = 1400, .xbar_mhz = 700, .l2_mhz = 700, .dram_mhz = 924};
    *t = (struct two){.wake = {NEVER, NEVER}};
    clocks_init(&t->clocks, &p, 0);
    for (int d = 0; d < N_DOMAINS; d++) t->clocks.due[d] = NEVER, t->clocks.due_time[d] = NEVER_TIME;
    for (int i = 0; i < 2; i++)
        t->unit[i] = (struct sleeper){&t->wake[i], &t->clocks, &t->agenda[i], 1, i ? DOMAIN_CORE : DOMAIN_L2};
}

static void a_queue_wakes_its_taker_for_the_first_element_and_the_giver_that_waits_for_a_place(void **state)
{
    (void)state;
    struct two t;
    struct request_fifo f;
    uint32_t awaited = 0;
    two_init(&t);
    request_fifo_init(&f, &arena, 2);
    f.ends = (struct queue_ends){.giver = &t.unit[0], .taker = &t.unit[1], .awaited = &awaited};
    request_fifo_push(&f, (struct request){.line = 1}, 7);
    assert_int_equal(7, t.wake[1]);
    assert_int_equal(7, wheel_first(&t.agenda[1]));
    assert_int_equal(7, t.clocks.due[DOMAIN_CORE]);
    t.wake[1] = NEVER;
    request_fifo_push(&f, (struct request){.line = 2}, 5); /* it comes after the first in any case */
    assert_int_equal(NEVER, t.wake[1]);
    request_fifo_pop(&f);
    assert_int_equal(NEVER, t.wake[0]); /* it has not said that it waits */
    assert_false(request_fifo_has_room(&f) != true);
    request_fifo_await(&f, true);
    request_fifo_await(&f, true);
    assert_int_equal(1, awaited);
    t.clocks.time = 10 * t.clocks.period[DOMAIN_CORE];
    t.clocks.running = DOMAIN_CORE;
    request_fifo_pop(&f);
    assert_int_equal(clocks_after(&t.clocks, DOMAIN_L2), t.wake[0]);
    assert_int_equal(t.wake[0], wheel_first(&t.agenda[0]));
    request_fifo_await(&f, false);
    assert_int_equal(0, awaited);
}

static void a_queue_of_the_network_keeps_the_room_of_its_output(void **state)
{
    (void)state;
    struct two t;
    struct ports ports;
    struct reply_fifo f;
    two_init(&t);
    ports_init(&ports, 4, 80, &arena);
    reply_fifo_init(&f, &arena, 3);
    f.ends = (struct queue_ends){.taker = &t.unit[1], PORTS_OUTPUT(&ports, 70)};
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            assert_true(bits_has(&ports.room, 70));
            reply_fifo_push(&f, (struct reply){.token = (uint16_t)i}, round);
        }
        assert_false(bits_has(&ports.room, 70));
        assert_true(bits_has(&ports.room, 69) && bits_has(&ports.room, 71) && bits_has(&ports.room, 6));
        for (uint32_t i = 0; i < 3; i++) assert_int_equal(i, reply_fifo_pop(&f).token);
    }
}

static void a_reply_for_the_network_is_in_arbitration_from_the_cycle_on_in_which_it_is_there(void **state)
{
    (void)state;
    struct two t;
    struct ports ports;
    struct reply_fifo f;
    two_init(&t);
    ports_init(&ports, 4, 80, &arena);
    ports.clocks = &t.clocks;
    reply_fifo_init(&f, &arena, 3);
    f.ends = (struct queue_ends){.giver = &t.unit[0], PORTS_INPUT(&ports, 2)};
    reply_fifo_push(&f, (struct reply){.requester = requester_of(FROM_SM, 70)}, 9); /* L2's cycle is the network's */
    reply_fifo_push(&f, (struct reply){.requester = requester_of(FROM_SM, 3)}, 9);
    assert_true(ports_wants(&ports, 2));
    assert_int_equal(1, ports.n_waiting);
    assert_int_equal(70, ports.target[2]);
    assert_int_equal(9, t.clocks.due[DOMAIN_XBAR]);
    assert_int_equal(9, ports_next(&ports, 4));
}

/* Of an idealised memory: what comes later stands behind what comes sooner, whichever was first. */
static void a_queue_by_time_wakes_its_taker_for_what_overtakes(void **state)
{
    (void)state;
    struct two t;
    struct reply_fifo f;
    two_init(&t);
    reply_fifo_init(&f, &arena, 4);
    f.ends = (struct queue_ends){.taker = &t.unit[1]};
    reply_fifo_push_by_time(&f, (struct reply){.token = 9}, 90);
    assert_int_equal(90, t.wake[1]);
    reply_fifo_push_by_time(&f, (struct reply){.token = 4}, 40);
    assert_int_equal(40, t.wake[1]);
    reply_fifo_push_by_time(&f, (struct reply){.token = 6}, 60);
    assert_int_equal(4, reply_fifo_pop(&f).token);
    assert_int_equal(60, reply_fifo_ready_at(&f));
    assert_int_equal(6, reply_fifo_pop(&f).token);
    assert_int_equal(9, reply_fifo_pop(&f).token);
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
    /* far above all numbers that a run has, which could else be taken for places in its memory */
    const size_t size = at.used;
    void *high = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(high != MAP_FAILED && (uintptr_t)high > 1ull << 40);
    at = (struct arena){.base = high, .size = size};
    struct gpu *g = gpu_layout(&at, plan, params, NULL, 0, false);
    assert_ok(moves_new(&fixed, plan, params, &err), &err);
    assert_ok(gpu_start(g, &(struct launched){0}, &err), &err);
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
    munmap(high, size);
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
    assert_ok(gpu_start(g, &(struct launched){0}, &err), &err);
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

/* One run to its end; every unit is ticked in its turn if `in_step`. */
static void run_units(const struct plan *plan, bool in_step, struct gpu_stats *stats)
{
    struct arena at = {0};
    gpu_layout(&at, plan, params, NULL, 0, false);
    assert_ok(arena_new(&at, at.used, &err), &err);
    struct gpu *g = gpu_layout(&at, plan, params, NULL, 0, false);
    assert_ok(gpu_start(g, &(struct launched){0}, &err), &err);
    assert_non_null(g->sms[0].sleeps_over);
    assert_non_null(g->banks[0].sleeps_over);
    skip_plan(g, false, false, 1 << 20);
    for (uint32_t i = 0; in_step && i < params->core.sms; i++)
        g->sms[i].sleeps_over = NULL, g->sms[i].may_run_ahead = false;
    for (uint32_t i = 0; in_step && i < params->l2.banks; i++) g->banks[i].sleeps_over = NULL;
    for (uint32_t i = 0; in_step && i < params->dram.channels; i++) g->channels[i].may_lag = false;
    while (!gpu_done(g)) assert_true(gpu_tick(g));
    gpu_catch_up(g, g->clocks.time);
    gpu_finish(g, clocks_cycle(&g->clocks, DOMAIN_CORE, g->clocks.time) + 1, stats);
    arena_free(&at);
}

/* What a unit does not say of itself costs time, and changes nothing. */
static void a_unit_that_may_not_run_out_of_step_does_the_same_in_its_turn(void **state)
{
    (void)state;
    struct plan *plan;
    struct gpu_stats in_step, skipping;
    struct trace *t = synth_mixture(32, 8, 32, 1);
    assert_ok(gpu_params_set(params, "l1.miss_queue", "2", &err), &err);
    assert_ok(gpu_params_set(params, "l2.mshrs", "4", &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    run_units(plan, true, &in_step);
    run_units(plan, false, &skipping);
    assert_true(in_step.l1d_reservation_fails && in_step.l2_stall_mshr_cycles);
    assert_memory_equal(&in_step, &skipping, sizeof in_step);
    plan_free(plan);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(cycles_of_one_clock_are_those_of_another_whatever_their_ratio),
        T(no_domain_runs_out_of_cycles_before_the_cores_reach_their_limit),
        T(a_queue_wakes_its_taker_for_the_first_element_and_the_giver_that_waits_for_a_place),
        T(a_queue_of_the_network_keeps_the_room_of_its_output),
        T(a_reply_for_the_network_is_in_arbitration_from_the_cycle_on_in_which_it_is_there),
        T(a_queue_by_time_wakes_its_taker_for_what_overtakes),
        T(a_machine_copied_to_where_it_overlaps_points_into_itself),
        T(a_run_sets_no_pointer_into_its_own_memory),
        T(a_unit_that_may_not_run_out_of_step_does_the_same_in_its_turn),
        T(a_machine_is_asleep_once_none_of_its_units_has_anything_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
