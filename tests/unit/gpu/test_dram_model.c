/* A DRAM channel against a plain model of it, which walks one queue and asks every bank in every cycle: whatever
 * comes in, over random timings, the same lines end in the same cycles, though the channel is only ticked when it
 * says that something can happen. */
#include "units.h"

enum { MODEL_QUEUE = 64, CLOSED = -1, SCOPES_MAX = 64 };
struct queued {
    struct request request;
    int64_t row;
    uint32_t bank;
    cycle_t at;
};
struct model_bank {
    int64_t row;
    cycle_t column_ok[2], precharge_ok, activate_ok;
    struct queued current;
    uint32_t bursts;
    bool is_refreshed;
};
/* Of a group or a pseudo-channel. */
struct model_scope {
    cycle_t column_ok[2], activate_ok, activates[4], due;
    uint32_t n_activates, next;
    bool is_due;
};
struct model {
    const struct dram_params *p;
    struct queued queue[MODEL_QUEUE];
    struct model_bank banks[64];
    struct model_scope groups[SCOPES_MAX], pseudo[4];
    uint32_t count, turn, burst;
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
            if (b->bursts || b->is_refreshed || w->bank != bank || w->at > now) continue;
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
    const uint32_t inner = bank / p->pseudo_channels, banks = p->banks / p->pseudo_channels;
    const uint32_t a_group = (banks + p->bank_groups - 1) / p->bank_groups;
    return bank % p->pseudo_channels * p->bank_groups +
           (p->group_index == GROUP_OF_HIGH_BITS ? inner / a_group : inner % p->bank_groups);
}

static void hold(cycle_t *ok, cycle_t until) { *ok = later(*ok, until); }

static bool model_column(struct model *m, uint32_t bank, cycle_t now, struct dram_done *done, bool *ended)
{
    const struct dram_params *p = m->p;
    struct model_bank *b = &m->banks[bank];
    struct model_scope *g = &m->groups[group_of(p, bank)], *c = &m->pseudo[bank % p->pseudo_channels];
    const bool is_read = b->current.request.kind == REQUEST_READ;
    if (!b->bursts || b->row != b->current.row || b->column_ok[is_read] > now || c->column_ok[is_read] > now)
        return false;
    if (p->bank_groups > 1 && g->column_ok[is_read] > now) return false;
    const cycle_t end = now + p->tCCD, data_end = end + (is_read ? p->tCL : p->tWL);
    hold(&g->column_ok[true], now + later(p->tCCDL, p->tCCD));
    hold(&g->column_ok[false], now + later(p->tCCDL, p->tCCD));
    if (is_read) {
        hold(&c->column_ok[true], end);
        hold(&c->column_ok[false], p->tRTW ? now + p->tRTW : end + p->tCL - p->tWL);
        hold(&b->precharge_ok, p->tRTPL ? now + p->tRTPL : end);
    } else {
        hold(&c->column_ok[false], end);
        hold(&c->column_ok[true], data_end + p->tCDLR);
        hold(&g->column_ok[true], data_end + p->tWTRL);
        hold(&b->precharge_ok, data_end + p->tWR);
    }
    *ended = --b->bursts == 0;
    *done = (struct dram_done){is_read, {.token = b->current.request.token}, data_end};
    return true;
}

static bool model_row(struct model *m, uint32_t bank, cycle_t now)
{
    const struct dram_params *p = m->p;
    struct model_bank *b = &m->banks[bank];
    struct model_scope *g = &m->groups[group_of(p, bank)], *c = &m->pseudo[bank % p->pseudo_channels];
    const bool only_closes = !b->bursts && b->is_refreshed;
    if (only_closes ? b->row == CLOSED : !b->bursts || b->row == b->current.row) return false;
    if (b->row != CLOSED) {
        if (b->precharge_ok > now) return false;
        b->row = CLOSED;
        hold(&b->activate_ok, now + p->tRP);
    } else {
        if (b->activate_ok > now || c->activate_ok > now) return false;
        if (p->bank_groups > 1 && g->activate_ok > now) return false;
        if (p->tFAW && c->n_activates >= 4 && c->activates[c->n_activates % 4] + p->tFAW > now) return false;
        b->row = b->current.row;
        b->column_ok[true] = now + p->tRCD;
        b->column_ok[false] = now + (p->tRCDWR ? p->tRCDWR : p->tRCD);
        hold(&b->precharge_ok, now + p->tRAS);
        b->activate_ok = now + p->tRC;
        hold(&c->activate_ok, now + p->tRRD);
        hold(&g->activate_ok, now + p->tRRDL);
        c->activates[c->n_activates++ % 4] = now;
    }
    m->turn = (bank + 1) % p->banks;
    return true;
}

/* The refresh that is due takes its banks, and goes out when all of them could be activated. */
static bool model_refresh_one(struct model *m, uint32_t i, cycle_t now, bool may_send)
{
    const struct dram_params *p = m->p;
    const bool by_bank = p->refresh == REFRESH_BANK;
    struct model_scope *c = &m->pseudo[i];
    const uint32_t n = p->banks / p->pseudo_channels, first = by_bank ? c->next : 0, last = by_bank ? c->next + 1 : n;
    if (c->due > now) return false;
    bool goes = may_send && (!by_bank || c->activate_ok <= now);
    if (by_bank && p->tFAW && c->n_activates >= 4) goes &= c->activates[c->n_activates % 4] + p->tFAW <= now;
    for (uint32_t k = first; k < last; k++) {
        struct model_bank *b = &m->banks[k * p->pseudo_channels + i];
        const struct model_scope *g = &m->groups[group_of(p, k * p->pseudo_channels + i)];
        b->is_refreshed = true;
        goes &= !b->bursts && b->row == CLOSED && b->activate_ok <= now;
        goes &= !by_bank || p->bank_groups == 1 || g->activate_ok <= now;
    }
    if (!goes) return false;
    for (uint32_t k = first; k < last; k++) {
        m->banks[k * p->pseudo_channels + i].is_refreshed = false;
        m->banks[k * p->pseudo_channels + i].activate_ok = now + p->tRFC;
    }
    if (by_bank) hold(&c->activate_ok, now + p->tRREFD);
    c->next = (c->next + 1) % n;
    c->due = later(c->due + (by_bank ? p->tREFI / n : p->tREFI), now + 1 + (by_bank ? 0 : p->tRFC));
    return true;
}

static bool model_refresh(struct model *m, cycle_t now)
{
    bool sent = false;
    for (uint32_t i = 0; m->p->tREFI && i < m->p->pseudo_channels; i++) sent |= model_refresh_one(m, i, now, !sent);
    return sent;
}

static bool model_tick(struct model *m, cycle_t now, struct dram_done *done)
{
    bool ended = false, row = false;
    const bool refreshed = model_refresh(m, now);
    model_assign(m, now);
    if (refreshed) return false;
    if (m->p->dual_bus) { /* the first column command in turn, and the first row command of those that were due when
                           * the cycle began */
        const uint32_t turn = m->turn;
        uint64_t rows_due = 0;
        for (uint32_t i = 0; i < m->p->banks; i++)
            rows_due |=
                (uint64_t)(m->banks[i].bursts ? m->banks[i].row != m->banks[i].current.row : m->banks[i].is_refreshed)
                << i;
        for (uint32_t i = 0; i < m->p->banks; i++)
            if (model_column(m, (turn + i) % m->p->banks, now, done, &ended)) break;
        for (uint32_t i = 0; i < m->p->banks && !row; i++)
            if (rows_due >> (turn + i) % m->p->banks & 1) row = model_row(m, (turn + i) % m->p->banks, now);
        return ended;
    }
    if (m->p->paired_commands) {
        uint64_t columns = 0, rows = 0; /* as they were when the cycle began */
        for (uint32_t i = 0; i < m->p->banks; i++)
            *(m->banks[i].bursts && m->banks[i].row == m->banks[i].current.row ? &columns : &rows) |= 1ull << i;
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

/* What a combination has is in its number; how long it takes is drawn. */
enum { COMBINATIONS = 3 * 2 * 2 * 2 * 2 * 3 * 3 };
static uint32_t digit(uint32_t *number, uint32_t base)
{
    const uint32_t value = *number % base;
    *number /= base;
    return value;
}

static void draw_timing(struct dram_params *p, uint32_t number, uint64_t *seed)
{
    const uint32_t commands = digit(&number, 3), refresh = digit(&number, 3);
    p->paired_commands = commands > 0;
    p->dual_bus = commands > 1;
    p->pseudo_channels = 1u << digit(&number, 3);
    p->banks = p->pseudo_channels * (1 + pick(seed, 20 / p->pseudo_channels));
    p->bank_groups = digit(&number, 2) ? 2 + pick(seed, 3) : 1;
    p->tFAW = digit(&number, 2) * (10 + pick(seed, 40));
    p->tRRDL = digit(&number, 2) * (1 + pick(seed, 16));
    p->tWTRL = digit(&number, 2) * (1 + pick(seed, 20));
    p->queue = 1 + pick(seed, 12);
    p->group_index = pick(seed, 2);
    p->tCCD = 1 + pick(seed, 3);
    p->tCCDL = 1 + pick(seed, 12);
    p->tRRD = 1 + pick(seed, 8);
    p->tRTPL = pick(seed, 4);
    p->tRTW = pick(seed, 2) * 9;
    p->tRCDWR = pick(seed, 2) * 7;
    p->tRC = 40 + pick(seed, 2) * pick(seed, 100); /* further off than the wheel of banks reaches */
    p->tREFI = p->tRFC = 0;
    p->refresh = refresh == 2 ? REFRESH_BANK : REFRESH_ALL;
    p->tRREFD = pick(seed, 6);
    if (refresh) {
        p->tRFC = 10 + pick(seed, 200);
        p->tREFI = p->tRFC + 2 * (p->tRC + p->tWL + p->tCCD + p->tWR) + pick(seed, 500);
    }
    p->outstanding = pick(seed, 2) * (p->queue + pick(seed, 40));
}

/* The commands that went out, against the rows: none comes sooner after another than any row of the two says.
 * `tight`: how often each rule was what a command waited for, by its name. */
enum { NAMES_MAX = 24 };
struct tight {
    const char *names[NAMES_MAX];
    uint32_t counts[NAMES_MAX], n;
};
static void count_tight(struct tight *t, const char *name)
{
    uint32_t i = 0;
    while (i < t->n && strcmp(t->names[i], name) != 0) i++;
    assert_true(i < NAMES_MAX);
    t->names[i] = name;
    t->n = i == t->n ? t->n + 1 : t->n;
    t->counts[i]++;
}

static bool meet(const struct dram_params *p, enum dram_scope scope, uint32_t a, uint32_t b)
{
    if (scope == DRAM_BANK) return a == b;
    return scope == DRAM_GROUP ? group_of(p, a) == group_of(p, b) : a % p->pseudo_channels == b % p->pseudo_channels;
}

static void replay(const struct dram_params *p, const struct dram_log *log, struct tight *tight)
{
    struct dram_rule rules[DRAM_RULES_MAX];
    const uint32_t n = dram_rules(p, rules);
    for (uint32_t i = 0; i < log->n; i++)
        for (uint32_t r = 0; r < n; r++) {
            const struct dram_issued *to = &log->issued[i];
            if (rules[r].to != to->command) continue;
            uint32_t found = 0;
            for (uint32_t k = i; k-- > 0 && to->at - log->issued[k].at <= rules[r].cycles;) {
                const struct dram_issued *from = &log->issued[k];
                if (from->command != rules[r].from || !meet(p, rules[r].scope, from->bank, to->bank)) continue;
                if (++found < rules[r].window) continue;
                if (to->at - from->at < rules[r].cycles)
                    fail_msg("%s: command %u of bank %u in cycle %u, after %u of bank %u in cycle %u", rules[r].name,
                             to->command, to->bank, to->at, from->command, from->bank, from->at);
                count_tight(tight, rules[r].name);
                break;
            }
        }
}

/* The command bus: a row and a column command a cycle at most, and one of both without paired commands; a refresh has
 * its cycle for itself. */
static void check_bus(const struct dram_params *p, const struct dram_log *log)
{
    for (uint32_t i = 1; i < log->n; i++) {
        const struct dram_issued *a = &log->issued[i - 1], *b = &log->issued[i];
        if (a->at != b->at) continue;
        assert_true(p->paired_commands && a->command != DRAM_REF && b->command != DRAM_REF);
        assert_true((a->command >= DRAM_ACT) != (b->command >= DRAM_ACT));
        if (i > 1) assert_int_not_equal(log->issued[i - 2].at, b->at);
    }
}

/* As many refreshes as are due; where they come faster than banks end a request, one after another. */
static void check_refreshes(const struct dram_params *p, const struct dram_log *log, cycle_t cycles)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < log->n; i++) n += log->issued[i].command == DRAM_REF;
    if (!p->tREFI) {
        assert_int_equal(0, n);
        return;
    }
    const uint32_t interval = dram_refresh_interval(p), pseudo = p->pseudo_channels,
                   request = 2 * (p->tRC + p->tRP + p->tRCD + p->tWR + p->tFAW) + 16 * p->tCCDL,
                   slowest = interval > request ? interval + request / 4 : request;
    assert_in_range(n, cycles / slowest * pseudo - (cycles > slowest ? pseudo : 0), (cycles / interval + 1) * pseudo);
}

static void start_model(struct model *m, const struct dram *d)
{
    *m = (struct model){.p = &params->dram, .burst = dram_bursts(d, 15)};
    for (uint32_t i = 0; i < 64; i++) m->banks[i].row = CLOSED;
    for (uint32_t i = 0; i < params->dram.pseudo_channels; i++) m->pseudo[i].due = d->pseudo[i].due;
}

/* One machine under a random load, which pauses; how many lines end. */
static uint32_t run_both(uint64_t *seed, struct tight *tight)
{
    enum { CYCLES = 1500 };
    static struct dram_issued issued[2 * CYCLES + 2];
    struct dram_log log = {issued, 0, 2 * CYCLES + 2};
    struct dram d;
    struct model m;
    uint32_t lines = 0;
    const cycle_t delay = params->dram.outstanding ? pick(seed, 30) : 0;
    const uint32_t rows = 1 + pick(seed, 4), load = 1 + pick(seed, 4);
    arena.used = 0;
    dram_init(&d, params, 0, &arena);
    d.log = &log;
    start_model(&m, &d);
    for (cycle_t now = 0; now < CYCLES; now++) {
        struct dram_done got = {0}, want = {0};
        const bool has_room = dram_has_room(&d, now), pauses = now % 1000 > 600;
        assert_int_equal(model_has_room(&m, d.n_busy, now), has_room);
        if (has_room && !pauses && pick(seed, 8) < load) {
            const struct request r = {.kind = (uint8_t)(pick(seed, 3) ? REQUEST_READ : REQUEST_WRITE),
                                      .sectors = 15,
                                      .line = pick(seed, rows * 24 * 8 * 20),
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
    dram_finish(&d, CYCLES);
    assert_true(log.n < log.most);
    replay(&params->dram, &log, tight);
    check_bus(&params->dram, &log);
    check_refreshes(&params->dram, &log, CYCLES);
    return lines;
}

static void the_same_lines_end_in_the_same_cycles_as_in_a_plain_model_and_no_rule_is_broken(void **state)
{
    static const char *const rules[] = {
        "tRCD", "tRCDWR", "tRAS", "tRC",  "tRP",  "tRTPL",  "tWL + tCCD + tWR",  "tCCDL", "tWL + tCCD + tWTRL", "tRRDL",
        "tCCD", "tRTW",   "tRRD", "tFAW", "tRFC", "tRREFD", "tWL + tCCD + tCDLR"};
    struct tight tight = {0};
    uint64_t seed = 7;
    uint32_t lines = 0;
    (void)state;
    for (uint32_t number = 0; number < COMBINATIONS; number++) {
        draw_timing(&params->dram, number, &seed);
        if (gpu_params_check(params, &err) < 0) continue; /* refreshes of so many banks come too close */
        lines += run_both(&seed, &tight);
    }
    assert_true(lines > 20000);
    for (size_t i = 0; i < COUNT_OF(rules); i++) { /* each of them was what some command waited for */
        uint32_t k = 0;
        while (k < tight.n && strcmp(tight.names[k], rules[i]) != 0) k++;
        if (k == tight.n) fail_msg("%s: no command ever waited for it alone", rules[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_same_lines_end_in_the_same_cycles_as_in_a_plain_model_and_no_rule_is_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
