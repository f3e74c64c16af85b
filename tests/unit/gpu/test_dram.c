/* DRAM: timing rules, the order of service, turns of the bus. */
#include "units.h"

static cycle_t data_of(struct dram *d, cycle_t *now)
{
    struct dram_done done;
    while (!dram_tick(d, *now, &done)) ++*now;
    ++*now;
    return done.at;
}

static void dram_timing_follows_the_rules_of_table_3_1(void **state)
{
    struct dram d;
    cycle_t now = 0;
    (void)state;
    dram_init(&d, params, 0, &arena);
    const uint32_t same_row = 24, row_lines = 4096 / 128;
    struct request r = {.kind = REQUEST_READ, .line = 0, .bank = 0};
    dram_push(&d, &r, now, now);
    const cycle_t closed = data_of(&d, &now);
    assert_int_equal(12 + 4 + 12, closed); /* RCD, two bursts of CCD 2, CL */
    r.line = same_row;
    dram_push(&d, &r, now, now);
    const cycle_t hit_at = now, hit = data_of(&d, &now);
    assert_int_equal(4, hit - closed); /* back to back on the bus */
    assert_true(hit - hit_at >= 4 + 12);
    /* Another row of the same bank: bank = (index / lines_a_row + row) % 16, so row 1 of bank 0 is 15 further on. */
    r.line = 24 * row_lines / 4 * (16 + 15);
    dram_push(&d, &r, now, now);
    const cycle_t conflict = data_of(&d, &now);
    assert_int_equal(28 + 12 + 12 + 4 + 12, conflict); /* RAS from the first activate, RP, RCD, bursts, CL */
    assert_int_equal(2, d.stats.dram_activates);
    assert_int_equal(1, d.stats.dram_row_hits);
    assert_int_equal(6 * 64, d.bytes[true]);
}

static void a_row_hit_overtakes_an_older_row_miss(void **state)
{
    struct dram d;
    struct dram_done done;
    cycle_t now = 0;
    (void)state;
    dram_init(&d, params, 0, &arena);
    struct request r = {.kind = REQUEST_READ, .line = 0, .token = 1};
    dram_push(&d, &r, now, now);
    data_of(&d, &now);
    r = (struct request){.kind = REQUEST_READ, .line = 24 * 8 * 31, .token = 2};
    dram_push(&d, &r, now, now);
    r = (struct request){.kind = REQUEST_READ, .line = 24, .token = 3};
    dram_push(&d, &r, now, now);
    while (!dram_tick(&d, now, &done)) now++;
    assert_int_equal(3, done.ticket.token);
    while (!dram_tick(&d, now, &done)) now++;
    assert_int_equal(2, done.ticket.token);
}

/* Cycles from the first command to the end of a line's data: a read that finds its row closed, then a write to the
 * same row. */
static void read_then_write(cycle_t *read, cycle_t *write)
{
    struct dram d;
    cycle_t now = 0;
    dram_init(&d, params, 0, &arena);
    const struct request r = {.kind = REQUEST_READ, .line = 0}, w = {.kind = REQUEST_WRITE, .line = 24, .sectors = 15};
    dram_push(&d, &r, now, now);
    dram_push(&d, &w, now, now);
    *read = data_of(&d, &now);
    *write = data_of(&d, &now);
}

static void a_turn_of_the_bus_takes_what_its_parameter_says(void **state)
{
    cycle_t read, write, later_write;
    (void)state;
    read_then_write(&read, &write);
    assert_int_equal(12 + 4 + 12, read);
    assert_int_equal(12 + 2 + 10 + 2 + 2 + 4, write); /* RCD, the second burst's command, then CCD + CL - WL; two
                                                       * bursts, WL */
    params->dram.tRTW = 12;
    read_then_write(&read, &later_write);
    assert_int_equal(2, later_write - write);
}

static void a_write_may_follow_an_activate_sooner_than_a_read(void **state)
{
    cycle_t ends[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct dram d;
        cycle_t now = 0;
        params->dram.tRCDWR = i ? 7 : 0;
        dram_init(&d, params, 0, &arena);
        const struct request w = {.kind = REQUEST_WRITE, .line = 0, .sectors = 15};
        dram_push(&d, &w, now, now);
        ends[i] = data_of(&d, &now);
    }
    assert_int_equal(12 - 7, ends[0] - ends[1]);
}

/* 64 reads of rows that collide: how long they take, and in how many cycles a row and a column command went out. */
static cycle_t collide(uint32_t *both, uint32_t *most_served)
{
    struct dram d;
    struct dram_done done;
    uint64_t seed = 7;
    cycle_t now = 0;
    *both = *most_served = 0;
    dram_init(&d, params, 0, &arena);
    for (uint32_t left = 64; left || !dram_idle(&d); now++) {
        if (left && dram_has_room(&d, now)) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            const struct request r = {.kind = REQUEST_READ, .line = (uint32_t)(seed >> 40) % 4096 * 24};
            dram_push(&d, &r, now, now);
            left--;
        }
        const uint64_t activates = d.stats.dram_activates, columns = d.stats.dram_bus_cycles;
        const uint32_t served = d.n_busy;
        dram_tick(&d, now, &done);
        *both += d.stats.dram_activates > activates && d.stats.dram_bus_cycles > columns;
        if (d.n_busy > served && d.n_busy - served > *most_served) *most_served = d.n_busy - served;
    }
    return now;
}

static void paired_commands_leave_the_row_bus_to_rows(void **state)
{
    uint32_t both, served;
    (void)state;
    const cycle_t single = collide(&both, &served);
    assert_int_equal(0, both);
    params->dram.paired_commands = true;
    const cycle_t paired = collide(&both, &served);
    assert_true(both > 0 && served == 1);
    assert_true(paired < single + single / 10);
}

static void a_delay_line_takes_nothing_while_the_queue_behind_it_is_full(void **state)
{
    struct dram d;
    (void)state;
    params->dram.queue = 4;
    params->dram.outstanding = 10;
    dram_init(&d, params, 0, &arena);
    const struct request r = {.kind = REQUEST_READ};
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(dram_has_room(&d, 0));
        dram_push(&d, &r, 0, 50);
    }
    assert_false(dram_has_room(&d, 0));
    struct dram e;
    dram_init(&e, params, 0, &arena);
    for (uint32_t i = 0; i < 4; i++) dram_push(&e, &r, 0, 50);
    assert_true(dram_has_room(&e, 49));
    assert_false(dram_has_room(&e, 50));
}

/* Pending cycles of a read that comes to the scheduler 100 cycles after L2 has sent it. */
static uint64_t pending_of_a_delayed_read(uint32_t outstanding)
{
    struct dram d;
    cycle_t now = 0;
    params->dram.outstanding = outstanding;
    dram_init(&d, params, 0, &arena);
    const struct request r = {.kind = REQUEST_READ};
    dram_push(&d, &r, now, 100);
    data_of(&d, &now);
    dram_finish(&d, 200);
    return d.stats.dram_pending_cycles;
}

/* Efficiency is of the time with a request in the scheduler's queue [THESIS §3.4.2]: in a delay line before it none
 * is. */
static void a_request_is_pending_from_when_it_is_in_the_queue(void **state)
{
    (void)state;
    assert_int_equal(12 + 2 + 2, pending_of_a_delayed_read(40));
    assert_int_equal(100 + 12 + 2 + 2, pending_of_a_delayed_read(0)); /* it waits in the queue */
}

/* DRAM cycles between the first and the last burst of 16 lines that lie in two banks' open rows in turn. */
static cycle_t alternate(const char *group_index)
{
    struct dram d;
    struct dram_done done;
    cycle_t now = 0, first = 0;
    assert_ok(gpu_params_set(params, "dram.group_index", group_index, &err), &err);
    dram_init(&d, params, 0, &arena);
    for (uint32_t bank = 0; bank < 2; bank++) dram_set_row(&d, bank, 0);
    for (uint32_t i = 0; i < 16; i++) {
        const struct request r = {.kind = REQUEST_READ, .line = 24 * 8 * (i % 2) + 24 * (i / 2)};
        dram_push(&d, &r, now, now);
    }
    for (uint32_t lines = 0; lines < 16; now++) {
        if (!first && d.stats.dram_bus_cycles) first = now;
        lines += dram_tick(&d, now, &done);
    }
    return now - first;
}

/* Neighbouring banks are of two groups by the low bits of their numbers, of one by the high bits: [GPGPU-Sim 3.2.2]. */
static void banks_of_one_group_wait_longer_for_each_other(void **state)
{
    (void)state;
    params->dram.bank_groups = 4;
    params->dram.tCCDL = 3;
    assert_int_equal(31 * 2, alternate("low"));
    assert_int_equal(31 * 3, alternate("high"));
}

/* Cycle by cycle: the quarter of a queue that holds anything, and what it holds of its places. */
static void a_meter_finds_what_counting_every_cycle_does(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (uint32_t capacity = 1; capacity < 40; capacity++) {
        struct meter meter = {.capacity = capacity};
        uint64_t bins[METER_BINS] = {0}, area = 0;
        uint32_t count = 0;
        cycle_t at = 0;
        for (int i = 0; i < 2000; i++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            for (uint32_t left = (uint32_t)(seed >> 60); left && count; left--) {
                const uint32_t held = count < capacity ? count : capacity, quarter = (4 * held - 1) / capacity;
                bins[held == capacity ? 4 : quarter]++;
                area += held;
            }
            at += (cycle_t)(seed >> 60);
            count = count && seed >> 40 & 1 ? count - 1 : count + 1;
            if (count > capacity + 6) count -= 5;
            meter_set(&meter, count, at);
        }
        meter_set(&meter, 0, at);
        assert_memory_equal(bins, meter.bins, sizeof bins);
        assert_int_equal(area, meter.area);
    }
}

/* Cycles from the first of two activates of different banks to the second; `same_group`: of one group. */
static cycle_t between_activates(bool same_group)
{
    struct dram_issued issued[64];
    struct dram_log log = {issued, 0, COUNT_OF(issued)};
    struct dram_done done;
    struct dram d;
    cycle_t at[2] = {0}, now = 0;
    uint32_t n = 0;
    arena.used = 0;
    params->dram.bank_groups = 4;
    dram_init(&d, params, 0, &arena);
    d.log = &log;
    for (uint32_t bank = 0; bank <= 4; bank += same_group ? 4 : 1) {
        const struct request r = {.kind = REQUEST_READ, .line = 24 * 8 * bank};
        if (bank <= 1 || same_group) dram_push(&d, &r, now, now);
    }
    for (; !dram_idle(&d); now++) dram_tick(&d, now, &done);
    for (uint32_t i = 0; i < log.n && n < 2; i++)
        if (issued[i].command == DRAM_ACT) at[n++] = issued[i].at;
    return at[1] - at[0];
}

static void activates_of_one_group_wait_longer_and_the_window_counts_four(void **state)
{
    (void)state;
    assert_int_equal(6, between_activates(true));
    params->dram.tRRDL = 9;
    assert_int_equal(9, between_activates(true));
    assert_int_equal(6, between_activates(false));
    params->dram.tFAW = 40;
    assert_int_equal(6, between_activates(false)); /* the fifth would wait */
}

/* Two lines of two pseudo-channels move at once, of one they take turns. */
static void each_pseudo_channel_has_a_data_bus(void **state)
{
    cycle_t ends[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct dram d;
        struct dram_done done;
        cycle_t now = 0;
        arena.used = 0;
        params->dram.pseudo_channels = 1 + i;
        params->dram.tCCD = 4;
        dram_init(&d, params, 0, &arena);
        for (uint32_t bank = 0; bank < 2; bank++) dram_set_row(&d, bank, 0);
        for (uint32_t k = 0; k < 16; k++) {
            const struct request r = {.kind = REQUEST_READ, .line = 24 * 8 * (k % 2) + 24 * (k / 2)};
            dram_push(&d, &r, now, now);
        }
        for (; !dram_idle(&d); now++) dram_tick(&d, now, &done);
        ends[i] = now;
    }
    assert_in_range(ends[0], 31 * 4 + 1, 32 * 4);
    assert_in_range(ends[1], 15 * 4 + 1, 16 * 4 + 4);
}

/* An idle channel is not ticked: its rows are closed all the same when it is needed again, or when the run ends. */
static void an_idle_channel_is_refreshed_though_nobody_ticks_it(void **state)
{
    struct dram d;
    cycle_t now = 0;
    (void)state;
    params->dram.tREFI = 600;
    params->dram.tRFC = 100;
    dram_init(&d, params, params->dram.channels - 1, &arena); /* the last of all: in cycle 600 */
    struct request r = {.kind = REQUEST_READ, .line = 0};
    dram_push(&d, &r, now, now);
    data_of(&d, &now);
    assert_int_equal(NEVER, d.wake);
    now = 605;
    r.line = 24;
    dram_push(&d, &r, now, now);
    assert_int_equal(600 + 12 + 100 + 12 + 4 + 12, data_of(&d, &now)); /* RP, RFC, RCD, two bursts, CL */
    assert_int_equal(2, d.stats.dram_activates);
    dram_finish(&d, 1300);
    assert_true(d.banks[0].row == DRAM_CLOSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(dram_timing_follows_the_rules_of_table_3_1),
        T(a_meter_finds_what_counting_every_cycle_does),
        T(a_row_hit_overtakes_an_older_row_miss),
        T(a_turn_of_the_bus_takes_what_its_parameter_says),
        T(a_write_may_follow_an_activate_sooner_than_a_read),
        T(paired_commands_leave_the_row_bus_to_rows),
        T(a_delay_line_takes_nothing_while_the_queue_behind_it_is_full),
        T(a_request_is_pending_from_when_it_is_in_the_queue),
        T(banks_of_one_group_wait_longer_for_each_other),
        T(activates_of_one_group_wait_longer_and_the_window_counts_four),
        T(each_pseudo_channel_has_a_data_bus),
        T(an_idle_channel_is_refreshed_though_nobody_ticks_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
