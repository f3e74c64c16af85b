/* Every geometry of L1 that a machine may have, one warp at a time beside a count by definition: which requests leave
 * for which bytes, how many flits they and their replies are, and what hits afterwards. Then many warps in caches that
 * are too small, with and without skipping. */
#include "units.h"

#include "geometry.h"

enum { SECTOR = 32, LINE_MIN = 32, SPAN = 8192, ACCESSES = 48 };

static uint32_t random_state;
static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

/* ---- an instruction's bytes ---- */

struct access {
    enum synth_inst inst;
    uint32_t mask, base;
    int32_t stride;
};

static struct access any_access(void)
{
    static const enum synth_inst insts[] = {SYNTH_LOAD_2, SYNTH_LOAD_2, SYNTH_LOAD_2, SYNTH_LOAD_2,
                                            SYNTH_STORE,  SYNTH_STORE,  SYNTH_ATOMIC, SYNTH_RED};
    static const int32_t strides[] = {0, 4, 4, 4, 8, 12, 16, 32, 36, 64, 128, -4};
    const struct access a = {.inst = insts[any(COUNT_OF(insts))],
                             .mask = any(2) ? ~0u : any(1u << 24) << any(9) | 1u << any(32),
                             .stride = strides[any(COUNT_OF(strides))],
                             .base = 256 + 4 * any((SPAN - 256 - 32 * 128) / 4)};
    return a;
}

static bool is_load(const struct access *a) { return a->inst == SYNTH_LOAD_2; }

static struct trace *trace_of(const struct access *accesses, uint32_t n)
{
    struct synth s;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    for (uint32_t i = 0; i < n; i++) {
        synth_access(&s, 0, accesses[i].inst, accesses[i].mask, accesses[i].base, accesses[i].stride);
        if (is_load(&accesses[i])) synth_op(&s, 0, SYNTH_USE_2, ~0u); /* what comes is there before the next */
    }
    synth_cta_end(&s);
    return synth_end(&s);
}

/* By word of four bytes, which no lane shares with another half. */
static void touch(const struct access *a, bool words[SPAN / 4])
{
    memset(words, 0, SPAN / 4);
    for (uint32_t lane = 0; lane < TRACE_LANES; lane++)
        if (a->mask >> lane & 1) words[((int32_t)a->base + (int32_t)lane * a->stride) / 4] = true;
}

/* Of the parts of `part` bytes that begin in from..from + bytes, those that are touched. */
static uint32_t parts_of(const bool words[SPAN / 4], uint32_t from, uint32_t bytes, uint32_t part)
{
    uint32_t parts = 0;
    for (uint32_t at = from; at < from + bytes; at += 4) parts |= (uint32_t)words[at / 4] << (at - from) / part;
    return parts;
}

/* ---- what has to come of it ---- */

struct expected {
    uint64_t hits, misses, bypassed, stores, atomics, packets, request_flits, reply_flits;
};
/* The definition: an L1 in which nothing is ever replaced, and a warp that waits for what it loads. */
struct model {
    const struct gpu_params *p;
    uint32_t line, l2_line, send, chunk, all;
    uint32_t there[SPAN / LINE_MIN]; /* chunks of each line */
    struct expected is;
};

static uint32_t packet(const struct model *m, uint32_t sectors, uint32_t flit_bytes)
{
    const uint32_t flits = (m->p->xbar.header_bytes + SECTOR * sectors + flit_bytes - 1) / flit_bytes;
    return flits ? flits : 1;
}

static void expect_packet(struct model *m, uint32_t sent, uint32_t answered)
{
    m->is.packets++;
    m->is.request_flits += packet(m, sent, m->p->xbar.request_flit_bytes);
    m->is.reply_flits += packet(m, answered, m->p->xbar.reply_flit_bytes);
}

/* A read of these chunks of a line, of which a line of L2 has at most some: a packet for each line of L2. */
static void expect_read(struct model *m, uint32_t chunks)
{
    for (uint32_t from = 0; from < m->line; from += m->send) {
        uint32_t bytes = 0, sectors = 0, last = UINT32_MAX;
        for (uint32_t at = from; at < from + m->send; at += 4) {
            if (!(chunks >> at / m->chunk & 1)) continue;
            bytes += 4;
            sectors += at / SECTOR != last;
            last = at / SECTOR;
        }
        /* an L2 of whole lines sends bytes, one of sectors those that they lie in */
        const bool is_compact = m->chunk < SECTOR && m->p->l2.organisation == L2_PLAIN;
        if (bytes) expect_packet(m, 0, is_compact ? (bytes + SECTOR - 1) / SECTOR : sectors);
    }
}

static void expect_fetch(struct model *m, uint32_t chunks)
{
    const bool apart = m->p->l1.organisation == L1_ELASTIC && m->p->l1.elastic_requests == ELASTIC_APART;
    if (!apart || chunks == m->all) expect_read(m, chunks);
    else
        for (; chunks; chunks &= chunks - 1) expect_read(m, chunks & -chunks);
}

static void expect_load(struct model *m, const bool words[SPAN / 4])
{
    const struct l1_params *p = &m->p->l1;
    const bool is_coarse = p->organisation == L1_TSC && p->tsc_mode == TSC_COARSE;
    for (uint32_t i = 0; i < SPAN / m->line; i++) {
        const uint32_t touched = parts_of(words, i * m->line, m->line, m->chunk);
        if (!touched) continue;
        const uint32_t wants = p->organisation == L1_PLAIN || is_coarse ? m->all : touched;
        const uint32_t waits = is_coarse && p->tsc_coarse_waits == TSC_WAITS_ASKED ? touched : wants;
        if (!(waits & ~m->there[i])) {
            m->is.hits++;
            continue;
        }
        m->is.misses++;
        expect_fetch(m, wants & ~m->there[i]);
        m->there[i] |= wants;
    }
}

/* What goes to L2 as it is: by line of it and of L1. Returns the packets. */
static uint64_t expect_sent(struct model *m, const struct access *a, const bool words[SPAN / 4])
{
    const uint64_t before = m->is.packets;
    for (uint32_t from = 0; from < SPAN; from += m->send) {
        const uint32_t sectors = parts_of(words, from, m->send, SECTOR), n = (uint32_t)__builtin_popcount(sectors);
        const uint32_t sent = is_load(a)                  ? 0
                              : m->p->lsu.sector_requests ? 1
                                                          : n,
                       answered = a->inst == SYNTH_ATOMIC     ? 1
                                  : !is_load(a)               ? 0
                                  : m->p->lsu.sector_requests ? 1
                                                              : n;
        for (uint32_t k = m->p->lsu.sector_requests ? n : n > 0; k > 0; k--) expect_packet(m, sent, answered);
    }
    return m->is.packets - before;
}

/* A store leaves nothing of its line in L1; or if that takes one for it, what it covers of it. */
static void expect_left(struct model *m, const struct access *a, const bool words[SPAN / 4])
{
    const struct l1_params *p = &m->p->l1;
    const bool keeps = a->inst == SYNTH_STORE && p->write_hit == WRITE_THROUGH_L1;
    const uint32_t unit = m->chunk < SECTOR ? m->chunk : SECTOR, units = m->send / unit;
    for (uint32_t from = 0; from < SPAN; from += m->send) {
        const uint32_t named = parts_of(words, from, m->send, unit), line = from / m->line;
        if (named && !keeps) m->there[line] = 0;
        if (!named || !keeps || p->write_miss != WRITE_ALLOCATE_L1) continue;
        const bool is_whole = m->send == m->line && named == (uint32_t)((1ull << units) - 1);
        if (p->organisation == L1_PLAIN && is_whole) m->there[line] = m->all;
        for (uint32_t c = 0; c < m->line / m->chunk && p->organisation != L1_PLAIN; c++) {
            bool covers = c * m->chunk >= from % m->line && (c + 1) * m->chunk <= from % m->line + m->send;
            for (uint32_t at = c * m->chunk; at < (c + 1) * m->chunk && covers; at += unit)
                covers = named >> (at - from % m->line) / unit & 1;
            if (covers) m->there[line] |= 1u << c;
        }
    }
}

static void expect(struct model *m, const struct access *a)
{
    bool words[SPAN / 4];
    touch(a, words);
    if (is_load(a) && !m->p->l1.skip_global) {
        expect_load(m, words);
        return;
    }
    const uint64_t packets = expect_sent(m, a, words);
    if (is_load(a)) m->is.bypassed += packets;
    else if (a->inst == SYNTH_STORE) m->is.stores += packets;
    else m->is.atomics += packets;
    if (!is_load(a)) expect_left(m, a, words);
}

/* ---- machines ---- */

/* What is set besides the geometry. */
struct variant {
    const char *set[4][2];
};
static const struct variant variants[] = {
    {{{NULL}}},
    {{{"l2.organisation", "sectored"}}},
    {{{"l1.write_miss", "allocate"}, {"l1.write_hit", "through"}}},
    {{{"l1.skip_global", "true"}}},
    {{{"lsu.sector_requests", "true"}, {"l1.skip_global", "true"}}},
    {{{"l1.organisation", "tsc"}, {"l1.tsc_mode", "coarse"}}},
    {{{"l1.organisation", "tsc"}, {"l1.tsc_mode", "coarse"}, {"l1.tsc_coarse_waits", "asked"}}},
    {{{"l1.organisation", "elastic"}, {"l1.elastic_requests", "together"}}},
};

/* A setting of one organisation is a variant of that alone. */
static bool machine_of(struct gpu_params *p, const struct geometry *g, const struct variant *v)
{
    for (uint32_t k = 0; k < COUNT_OF(v->set) && v->set[k][0]; k++) {
        if (strcmp(v->set[k][0], g->set[0][0]) == 0 && strcmp(v->set[k][1], g->set[0][1]) != 0) return false;
        assert_ok(gpu_params_set(p, v->set[k][0], v->set[k][1], &err), &err);
    }
    return geometry_set(p, g);
}

static struct gpu_params *small_machine(uint32_t sms, uint32_t sets)
{
    struct gpu_params *p = gpu_params_new();
    p->core.sms = sms;
    p->l1.sets = sets;
    p->l1.ways = 2;
    p->l1.set_index = LINEAR_INDEX;
    p->l1.elastic_banks = 2;
    p->l2.banks = 6;
    p->l2.sets = 8;
    return p;
}

static void run(struct gpu_stats *stats, const struct trace *t, const struct gpu_params *p, bool ticks,
                const char *name)
{
    struct plan *plan;
    struct gpu_result result;
    const struct gpu_limits limits = {.no_skip = ticks};
    assert_ok(plan_new(&plan, t, p, &err), &err);
    if (gpu_run(&result, plan, p, NULL, 0, &limits, &err) < 0) fail_msg("%s: %s", name, err.text);
    *stats = *result.stats;
    gpu_result_free(&result);
    plan_free(plan);
}

/* ---- the tests ---- */

#define SAME(what, expected, got) \
    if ((uint64_t)(expected) != (uint64_t)(got)) \
    fail_msg("%s, variant %u: %s is %llu, not %llu", name, variant, what, (unsigned long long)(got), \
             (unsigned long long)(expected))

static void one_warp_sends_and_gets_what_it_names(const struct gpu_params *p, const struct trace *t,
                                                  const struct access *accesses, const char *name, uint32_t variant)
{
    struct gpu_stats s;
    struct model m = {.p = p, .line = p->l1.line_bytes, .l2_line = l2_line_bytes(p), .chunk = p->l1.chunk_bytes};
    m.send = m.line < m.l2_line ? m.line : m.l2_line;
    m.all = (uint32_t)((1ull << m.line / m.chunk) - 1);
    if (p->l1.tsc_coarse_waits == TSC_WAITS_ASKED && m.line > m.send) return; /* goes on while a line is on its way */
    for (uint32_t i = 0; i < ACCESSES; i++) expect(&m, &accesses[i]);
    run(&s, t, p, false, name);
    for (uint64_t i = 0; i < s.l1i_misses; i++) expect_packet(&m, 0, m.l2_line / SECTOR);
    SAME("l1d_stores", m.is.stores, s.l1d_stores);
    SAME("l1d_atomics", m.is.atomics, s.l1d_atomics);
    SAME("l1d_bypassed", m.is.bypassed, s.l1d_bypassed);
    SAME("l1d_load_hits", m.is.hits, s.l1d_load_hits);
    SAME("l1d_misses", m.is.misses, s.l1d_misses);
    SAME("request_packets", m.is.packets, s.request_packets);
    SAME("reply_packets", m.is.packets, s.reply_packets);
    SAME("request_flits", m.is.request_flits, s.request_flits);
    SAME("reply_flits", m.is.reply_flits, s.reply_flits);
}

/* The whole product; where a run is slow, one geometry in so many (no row has as many values), from another one on in
 * each round. */
enum { SOME = POISE_SANITIZED ? 5 : 1 };

static void what_is_stored_is_sent_and_what_is_asked_for_comes_in_every_geometry(void **state)
{
    (void)state;
    uint32_t machines = 0;
    struct access accesses[ACCESSES];
    random_state = 43;
    for (uint32_t v = 0; v < COUNT_OF(variants); v++) {
        for (uint32_t i = 0; i < ACCESSES; i++) accesses[i] = any_access();
        struct trace *t = trace_of(accesses, ACCESSES);
        for (uint32_t i = any(SOME); i < geometries(); i += SOME) {
            char name[120];
            const struct geometry g = geometry_at(i);
            struct gpu_params *p = small_machine(1, SPAN / LINE_MIN);
            if (machine_of(p, &g, &variants[v])) {
                one_warp_sends_and_gets_what_it_names(p, t, accesses, geometry_text(&g, name, sizeof name), v);
                machines++;
            }
            gpu_params_free(p);
        }
        trace_close(t);
    }
    assert_true(machines > 600 / SOME);
}

/* Requests in are replies out in every run that ends: conservation is checked there. */
static void every_geometry_skips_as_it_ticks_in_caches_that_are_too_small(void **state)
{
    (void)state;
    static const struct variant odd[] = {
        {{{"lsu.sector_requests", "true"}, {"l1.banks", "4"}, {"l1.late_lookup", "true"}}},
        {{{"l1.skip_global", "true"}, {"l1.late_lookup", "true"}, {"lsu.atomic_conflicts", "true"}}},
        {{{"l1.write_miss", "allocate"}, {"l1.write_hit", "through"}, {"l1.banks", "2"}}},
        {{{"ideal.memory", "infinite"}, {"l1.late_lookup", "true"}}},
    };
    random_state = 44;
    for (uint32_t i = any(SOME); i < geometries(); i += SOME) {
        char name[120];
        const struct geometry g = geometry_at(i);
        struct gpu_params *p = small_machine(2, 2);
        struct gpu_stats skipping, ticking;
        p->l1.mshrs = 3;
        p->l1.mshr_merge = 2;
        p->l1.miss_queue = 8;
        p->lsu.const_sets = 1;
        if (machine_of(p, &g, any(2) ? &variants[any(COUNT_OF(variants))] : &odd[any(COUNT_OF(odd))])) {
            struct trace *t = synth_any(4, 2, 2, any(1u << 16));
            run(&skipping, t, p, false, geometry_text(&g, name, sizeof name));
            run(&ticking, t, p, true, name);
            if (memcmp(&skipping, &ticking, sizeof skipping)) fail_msg("%s: skipping changes it", name);
            trace_close(t);
        }
        gpu_params_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_is_stored_is_sent_and_what_is_asked_for_comes_in_every_geometry),
        T(every_geometry_skips_as_it_ticks_in_caches_that_are_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
