/* A DRAM channel against a plain model of it, which walks one queue and asks every bank in every cycle: whatever
 * comes in, over random timings, the same lines end in the same cycles, though the channel is only ticked when it
 * says that something can happen. */
#include "units.h"

enum { MODEL_QUEUE = 64, CLOSED = -1 };
struct queued {
    struct request request;
    int64_t row;
    uint32_t bank;
    cycle_t at;
};
struct model_bank {
    int64_t row;
    cycle_t column_ok, precharge_ok, activate_ok;
    struct queued current;
    uint32_t bursts;
};
struct model {
    const struct dram_params *p;
    struct queued queue[MODEL_QUEUE];
    struct model_bank banks[64];
    uint32_t count, turn, group, burst;
    cycle_t read_ok, write_ok, activate_ok, group_ok;
};

static cycle_t later(cycle_t a, cycle_t b) { return a > b ? a : b; }

static void model_assign(struct model *m, cycle_t now)
{
    for (uint32_t k = 0; k < m->p->banks; k++) {
        const uint32_t bank = (m->turn + k) % m->p->banks;
        struct model_bank *b = &m->banks[bank];
        int best = -1;
        for (uint32_t i = 0; i < m->count && i < m->p->queue; i++) {
            const struct queued *w = &m->queue[i];
            if (b->bursts || w->bank != bank || w->at > now) continue;
            if (best < 0 || (w->row == b->row && m->queue[best].row != b->row)) best = (int)i;
        }
        if (best < 0) continue;
        b->current = m->queue[best];
        b->bursts = m->burst;
        m->queue[best].bank = UINT32_MAX;
        if (!m->p->paired_commands) continue;
        m->turn = (m->turn + 1) % m->p->banks;
        break;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->queue[i].bank != UINT32_MAX) m->queue[kept++] = m->queue[i];
    m->count = kept;
}

static uint32_t group_of(const struct dram_params *p, uint32_t bank)
{
    const uint32_t a_group = (p->banks + p->bank_groups - 1) / p->bank_groups;
    return p->group_index == GROUP_OF_HIGH_BITS ? bank / a_group : bank % p->bank_groups;
}

static bool model_column(struct model *m, uint32_t bank, cycle_t now, struct dram_done *done, bool *ended)
{
    const struct dram_params *p = m->p;
    struct model_bank *b = &m->banks[bank];
    const bool is_read = b->current.request.kind == REQUEST_READ;
    if (!b->bursts || b->row != b->current.row || b->column_ok > now || (is_read ? m->read_ok : m->write_ok) > now)
        return false;
    if (p->bank_groups > 1 && group_of(p, bank) == m->group && m->group_ok > now) return false;
    const cycle_t end = now + p->tCCD, data_end = end + (is_read ? p->tCL : p->tWL);
    m->group = group_of(p, bank);
    m->group_ok = now + later(p->tCCDL, p->tCCD);
    if (is_read) {
        m->read_ok = later(m->read_ok, end);
        m->write_ok = later(m->write_ok, p->tRTW ? now + p->tRTW : end + p->tCL - p->tWL);
        b->precharge_ok = later(b->precharge_ok, p->tRTPL ? now + p->tRTPL : end);
    } else {
        m->write_ok = later(m->write_ok, end);
        m->read_ok = later(m->read_ok, data_end + p->tCDLR);
        b->precharge_ok = later(b->precharge_ok, data_end + p->tWR);
    }
    *ended = --b->bursts == 0;
    *done = (struct dram_done){is_read, {.token = b->current.request.token}, data_end};
    return true;
}

static bool model_row(struct model *m, uint32_t bank, cycle_t now)
{
    const struct dram_params *p = m->p;
    struct model_bank *b = &m->banks[bank];
    if (!b->bursts || b->row == b->current.row) return false;
    if (b->row != CLOSED) {
        if (b->precharge_ok > now) return false;
        b->row = CLOSED;
        b->activate_ok = later(b->activate_ok, now + p->tRP);
    } else {
        if (later(b->activate_ok, m->activate_ok) > now) return false;
        b->row = b->current.row;
        b->column_ok = now + (p->tRCDWR && b->current.request.kind != REQUEST_READ ? p->tRCDWR : p->tRCD);
        b->precharge_ok = later(b->precharge_ok, now + p->tRAS);
        b->activate_ok = now + p->tRC;
        m->activate_ok = now + p->tRRD;
    }
    m->turn = (bank + 1) % p->banks;
    return true;
}

static bool model_tick(struct model *m, cycle_t now, struct dram_done *done)
{
    bool ended = false, row = false;
    model_assign(m, now);
    if (m->p->dual_bus) { /* the first column command in turn, and the first row command of those that were due when
                           * the cycle began */
        const uint32_t turn = m->turn;
        uint64_t rows_due = 0;
        for (uint32_t i = 0; i < m->p->banks; i++)
            rows_due |= (uint64_t)(m->banks[i].bursts && m->banks[i].row != m->banks[i].current.row) << i;
        for (uint32_t i = 0; i < m->p->banks; i++)
            if (model_column(m, (turn + i) % m->p->banks, now, done, &ended)) break;
        for (uint32_t i = 0; i < m->p->banks && !row; i++)
            if (rows_due >> (turn + i) % m->p->banks & 1) row = model_row(m, (turn + i) % m->p->banks, now);
        return ended;
    }
    if (m->p->paired_commands) {
        uint64_t columns = 0, rows = 0; /* as they were when the cycle began */
        for (uint32_t i = 0; i < m->p->banks; i++)
            *(m->banks[i].row == m->banks[i].current.row ? &columns : &rows) |= 1ull << i;
        for (uint32_t i = 0; i < m->p->banks; i++) {
            const uint32_t bank = (i + m->turn) % m->p->banks;
            if (columns >> bank & 1 && model_column(m, bank, now, done, &ended)) return ended;
            if (rows >> bank & 1 && !row) row = model_row(m, bank, now);
        }
        return false;
    }
    const uint32_t turn = m->turn;
    for (uint32_t i = 0; i < m->p->banks; i++) {
        const uint32_t bank = (turn + i) % m->p->banks;
        if (!model_column(m, bank, now, done, &ended)) continue;
        m->turn = (bank + 1) % m->p->banks;
        return ended;
    }
    for (uint32_t i = 0; i < m->p->banks; i++)
        if (model_row(m, (turn + i) % m->p->banks, now)) return false;
    return false;
}

static bool model_has_room(const struct model *m, uint32_t busy, cycle_t now)
{
    const uint32_t queue = m->p->queue;
    if (!m->p->outstanding) return m->count < queue;
    return m->count + busy < m->p->outstanding && (m->count < queue || m->queue[queue - 1].at > now);
}

static uint32_t pick(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*seed >> 33) % n;
}

static void draw_timing(struct dram_params *p, uint64_t *seed)
{
    p->banks = 1 + pick(seed, 20);
    p->queue = 1 + pick(seed, 12);
    p->bank_groups = 1 + pick(seed, 3);
    p->group_index = pick(seed, 2);
    p->tCCD = 1 + pick(seed, 3);
    p->tCCDL = 1 + pick(seed, 5);
    p->tRRD = 1 + pick(seed, 8);
    p->tRTPL = pick(seed, 4);
    p->tRTW = pick(seed, 2) * 9;
    p->tRCDWR = pick(seed, 2) * 7;
    p->paired_commands = pick(seed, 2);
    p->dual_bus = p->paired_commands && pick(seed, 2);
    p->outstanding = pick(seed, 2) * (p->queue + pick(seed, 40));
}

static void the_same_lines_end_in_the_same_cycles_as_in_a_plain_model(void **state)
{
    uint64_t seed = 7;
    uint32_t lines = 0;
    (void)state;
    for (int run = 0; run < 300; run++) {
        struct dram d;
        struct model m = {.p = &params->dram, .group = UINT32_MAX};
        arena.used = 0;
        draw_timing(&params->dram, &seed);
        const cycle_t delay = params->dram.outstanding ? pick(&seed, 30) : 0;
        const uint32_t rows = 1 + pick(&seed, 4), load = 1 + pick(&seed, 4);
        dram_init(&d, params, 0, &arena);
        m.burst = dram_bursts(&d, 15);
        for (uint32_t i = 0; i < 64; i++) m.banks[i].row = CLOSED;
        for (cycle_t now = 0; now < 2000; now++) {
            struct dram_done got = {0}, want = {0};
            const bool has_room = dram_has_room(&d, now);
            assert_int_equal(model_has_room(&m, d.n_busy, now), has_room);
            if (has_room && pick(&seed, 8) < load) {
                const struct request r = {.kind = (uint8_t)(pick(&seed, 3) ? REQUEST_READ : REQUEST_WRITE),
                                          .sectors = 15,
                                          .line = pick(&seed, rows * 24 * 8 * 20),
                                          .token = (uint16_t)now};
                const struct dram_place place = address_dram(&d.map, r.line, r.bank);
                dram_push(&d, &r, now, now + delay);
                m.queue[m.count++] = (struct queued){r, place.row, place.bank, now + delay};
            }
            const bool ended = d.wake <= now && dram_tick(&d, now, &got);
            assert_int_equal(model_tick(&m, now, &want), ended);
            if (!ended) continue;
            assert_int_equal(want.ticket.token, got.ticket.token);
            assert_int_equal(want.at, got.at);
            lines++;
        }
    }
    assert_true(lines > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_same_lines_end_in_the_same_cycles_as_in_a_plain_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
