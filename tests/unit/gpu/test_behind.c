/* DRAM channels that stay behind: a machine whose channels are visited late goes on beside one that ticks everything
 * in every cycle. After every base tick L2 and the SMs must have seen the same in both, and wherever the late one is
 * brought up to date its channels must be the same to the last bank. */
#include "units.h"

struct machine {
    struct arena arena;
    struct gpu *g;
};

static void start(struct machine *m, const struct plan *plan, bool behind)
{
    *m = (struct machine){0};
    gpu_layout(&m->arena, plan, params, NULL, 0, !behind);
    assert_ok(arena_new(&m->arena, m->arena.used, &err), &err);
    m->g = gpu_layout(&m->arena, plan, params, NULL, 0, !behind);
    m->g->dram_lag = behind ? m->g->dram_lag_max : 0;
    assert_ok(gpu_start(m->g, &(struct launched){0}, &err), &err);
}

/* Of what DRAM has sent to the bank, what has arrived. */
static uint32_t arrived(const struct gpu *g, const struct l2 *bank)
{
    const struct request_fifo *f = &bank->from_dram;
    uint32_t n = 0;
    while (n < f->count && f->slots[(f->head + n) & f->mask].at * g->clocks.period[DOMAIN_L2] <= g->clocks.time) n++;
    return n;
}

static void check_bank(const struct gpu *late, const struct gpu *exact, uint32_t i)
{
    const struct l2 *a = &late->banks[i], *b = &exact->banks[i];
    assert_int_equal(arrived(exact, b), arrived(late, a));
    assert_int_equal(b->to_xbar.count, a->to_xbar.count);
    assert_int_equal(b->from_xbar.count, a->from_xbar.count);
    assert_int_equal(b->mshrs.used, a->mshrs.used);
    assert_int_equal(b->stats.l2_accesses, a->stats.l2_accesses);
    assert_int_equal(b->stats.l2_misses, a->stats.l2_misses);
    assert_int_equal(b->stats.l2_writebacks, a->stats.l2_writebacks);
    if (l2_waits_for(a, L2_WAITS_DRAM)) assert_int_equal(b->to_dram.count, a->to_dram.count);
}

static void check_channel(const struct dram *late, const struct dram *exact)
{
    assert_int_equal(exact->count, late->count);
    assert_int_equal(exact->n_busy, late->n_busy);
    assert_int_equal(exact->busy, late->busy);
    assert_int_equal(exact->wanted, late->wanted);
    assert_int_equal(exact->turn, late->turn);
    assert_int_equal(exact->bytes[true], late->bytes[true]);
    assert_int_equal(exact->bytes[false], late->bytes[false]);
    assert_int_equal(exact->offered_at, late->offered_at);
    for (uint32_t bank = 0; bank <= exact->last_bank; bank++) {
        assert_int_equal(exact->banks[bank].row, late->banks[bank].row);
        assert_int_equal(exact->banks[bank].bursts_left, late->banks[bank].bursts_left);
        assert_int_equal(exact->banks[bank].precharge_ok, late->banks[bank].precharge_ok);
    }
    assert_memory_equal(&exact->stats, &late->stats, sizeof exact->stats);
}

/* What a run has shown: base ticks in which a channel was behind and in which a bank waited for room, and the
 * furthest it was behind. */
struct shown {
    uint32_t behind, awaited;
    cycle_t furthest;
};

static void look(const struct gpu *late, const struct gpu *exact, struct shown *s)
{
    const cycle_t now = clocks_cycle(&late->clocks, DOMAIN_DRAM, late->clocks.time);
    bool behind = false, awaited = false;
    for (uint32_t i = 0; i < params->l2.banks; i++) check_bank(late, exact, i);
    for (uint32_t i = 0; i < params->core.sms; i++)
        assert_int_equal(exact->sms[i].stats.warp_insts, late->sms[i].stats.warp_insts);
    for (uint32_t i = 0; i < params->dram.channels; i++) {
        const struct dram *d = &late->channels[i];
        awaited |= d->awaited > 0;
        if (d->wake > now) continue;
        behind = true;
        if (now - d->wake > s->furthest) s->furthest = now - d->wake;
    }
    s->behind += behind;
    s->awaited += awaited;
}

/* `every`: the late machine is brought up to date in one of so many base ticks, or never (0). */
static struct shown together(const struct trace *t, uint32_t every)
{
    struct machine late, exact;
    struct plan *plan;
    struct shown s = {0};
    uint64_t seed = 5;
    assert_ok(plan_new(&plan, t, params, &err), &err);
    start(&late, plan, true);
    start(&exact, plan, false);
    while (!gpu_done(exact.g)) {
        const uint64_t a = gpu_next_time(late.g), b = gpu_next_time(exact.g), time = a < b ? a : b;
        assert_true(time != NEVER_TIME);
        late.g->clocks.time = exact.g->clocks.time = time;
        if (a == time) gpu_tick_at(late.g, time);
        if (b == time) gpu_tick_at(exact.g, time);
        look(late.g, exact.g, &s);
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        if (!every || (seed >> 33) % every) continue;
        gpu_catch_up(late.g, time);
        gpu_catch_up(exact.g, time);
        for (uint32_t i = 0; i < params->dram.channels; i++) check_channel(&late.g->channels[i], &exact.g->channels[i]);
    }
    assert_true(gpu_done(late.g));
    plan_free(plan);
    arena_free(&late.arena);
    arena_free(&exact.arena);
    return s;
}

static void set(const char *dotted, const char *text) { assert_ok(gpu_params_set(params, dotted, text, &err), &err); }

static void machine_of_one_partition(void)
{
    set("core.sms", "6");
    set("l2.banks", "4");
    set("l2.sets", "8");
    set("dram.channels", "1");
}

static void check_both(const struct trace *t, bool waits)
{
    const struct shown alone = together(t, 0);
    assert_true(alone.behind > 100 && alone.furthest >= 8);
    if (waits) assert_true(alone.awaited > 100);
    together(t, 40);
}

static void banks_that_wait_for_room_see_it_in_its_cycle(void **state)
{
    struct trace *t = synth_rows(12, 8, POISE_SANITIZED ? 16 : 64, 1);
    (void)state;
    machine_of_one_partition();
    set("dram.queue", "4");
    check_both(t, true);
    trace_close(t);
}

static void reads_are_back_in_their_cycle_where_little_goes_on(void **state)
{
    struct trace *t = synth_chase(400, 4096, 4096 * 300);
    (void)state;
    machine_of_one_partition();
    set("dram.extra_cycles", "0"); /* their data takes no longer than DRAM's timing, which is how far a channel may
                                    * be behind */
    set("dram.tCL", "20");
    set("dram.bus_bytes", "16"); /* a line is one burst */
    check_both(t, false);
    trace_close(t);
}

static void stores_and_atomics_too_over_several_channels(void **state)
{
    struct trace *t = synth_mixture(16, 8, 12, 9);
    (void)state;
    set("core.sms", "6");
    set("l2.banks", "8");
    set("l2.sets", "4");
    set("l2.miss_queue", "4");
    set("dram.channels", "2");
    check_both(t, true);
    trace_close(t);
}

static void a_delay_line_and_paired_commands_too(void **state)
{
    struct trace *t = synth_mixture(16, 8, 12, 4);
    (void)state;
    machine_of_one_partition();
    set("dram.queue", "8");
    set("dram.outstanding", "20");
    set("dram.added_cycles", "40");
    set("dram.extra_cycles", "0");
    set("dram.paired_commands", "1");
    check_both(t, true);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(banks_that_wait_for_room_see_it_in_its_cycle),
        T(reads_are_back_in_their_cycle_where_little_goes_on),
        T(stores_and_atomics_too_over_several_channels),
        T(a_delay_line_and_paired_commands_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
