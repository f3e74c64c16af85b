/* Operand collection against a plain model of it: tables of cycles that are walked. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>
#include "../../../sim/gpu/core/collect.h"

enum { CYCLES = 1 << 16, INSTRUCTIONS = 20000 };
struct model {
    uint8_t banks[CYCLES][MAX_BANKS], results[CYCLES];
    cycle_t collectors[MAX_COLLECTORS];
};

static cycle_t model_bank(struct model *m, const struct core_params *p, uint32_t number, cycle_t from, cycle_t now)
{
    while (from - now < PORT_CYCLES && m->banks[from][number % p->register_banks]) from++;
    if (from - now < PORT_CYCLES) m->banks[from][number % p->register_banks] = 1;
    return from;
}

static cycle_t model_port(struct model *m, const struct core_params *p, cycle_t from, cycle_t now)
{
    while (from - now < PORT_CYCLES && m->results[from] == p->result_ports) from++;
    if (from - now < PORT_CYCLES) m->results[from]++;
    return from;
}

static cycle_t model_collect(struct model *m, const struct core_params *p, const struct plan_inst *inst,
                             uint32_t latency, uint32_t warp, cycle_t *issue_register, cycle_t now)
{
    cycle_t *collector = &m->collectors[0], start = now + 1;
    for (uint32_t i = 1; i < p->sp_collectors; i++)
        if (m->collectors[i] < *collector) collector = &m->collectors[i];
    if (issue_register) {
        if (*collector > start) start = *collector;
        if (start > *issue_register) *issue_register = start;
    }
    cycle_t last = start + 1;
    for (uint32_t i = inst->n_dst; i < inst->n_regs; i++) {
        const cycle_t at = model_bank(m, p, inst->regs[i] + warp, start + 1, now);
        if (at > last) last = at;
    }
    if (issue_register) *collector = last + 1;
    cycle_t written = last - 2 + latency;
    if (p->result_ports) written = model_port(m, p, written, now);
    for (uint32_t i = 0; i < inst->n_dst; i++) model_bank(m, p, inst->regs[i] + warp, written - 1, now);
    return written;
}

static void follow(uint32_t banks, uint32_t ports, uint32_t collectors, uint32_t pause)
{
    const struct gpu_params params = {
        .core = {.register_banks = banks, .result_ports = ports, .sp_collectors = collectors}};
    struct collection collection = {0};
    struct model *model = calloc(1, sizeof *model);
    assert_true(model);
    collection_init(&collection, &params.core);
    static const uint32_t latencies[] = {4, 10, 11, 29, 45, 62, 145};
    cycle_t now = 0, issue_register = 0;
    uint64_t lost = 0;
    uint32_t r = 7;
    for (int k = 0; k < INSTRUCTIONS && now < CYCLES - 400; k++) {
        struct plan_inst inst = {0};
        r = r * 1664525u + 1013904223u;
        now += (r >> 9) % 3 == 0 ? (r >> 11) % pause : 0;
        inst.n_dst = (uint8_t)((r >> 16) % 3);
        inst.n_regs = (uint8_t)(inst.n_dst + (r >> 18) % 5);
        const uint32_t latency =
            latencies[(r >> 21) % 16 < 10 ? (r >> 25) % 2 : (r >> 25) % (sizeof latencies / sizeof *latencies)];
        for (uint32_t i = 0; i < inst.n_regs; i++) inst.regs[i] = (uint16_t)((r = r * 1664525u + 1013904223u) >> 27);
        plan_inst_banks(&inst);
        const bool takes_collector = (r >> 12) % 4 != 0;
        if (takes_collector && now < issue_register) now = issue_register;
        cycle_t until = now + 1, expected_until = now + 1;
        const cycle_t expected =
            model_collect(model, &params.core, &inst, latency, r >> 26, takes_collector ? &expected_until : NULL, now);
        const struct collected end =
            collect_operands(&collection, &inst, r >> 26, latency, takes_collector && collectors, now);
        assert_int_equal(expected, end.written);
        if (end.issued > until) until = end.issued;
        assert_int_equal(expected_until, until);
        if (takes_collector) issue_register = until;
        lost += expected - now - latency;
    }
    assert_true(lost > 0);
    free(model);
}

static void registers_wait_for_banks_ports_and_collectors_as_in_a_walk_over_cycles(void **state)
{
    (void)state;
    follow(16, 2, 6, 4);
    follow(16, 1, 3, 4);
    follow(8, 0, 16, 8);
    follow(3, 8, 1, 12);
    follow(32, 3, 5, 200); /* with pauses longer than the table */
    follow(1, 1, 2, 2);    /* full as far as it reaches */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_wait_for_banks_ports_and_collectors_as_in_a_walk_over_cycles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
