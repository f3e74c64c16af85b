/* Operand collection: an instruction takes a collector of its unit, which reads every register as soon as its bank
 * is free, and then goes to the unit; results are written through the same banks, and first. A bank serves one
 * register a cycle.
 *
 *   issue register --> collector (reads) --> unit --> write-back (one bank for a cycle)
 *
 * Loads and stores read and write registers outside of this, and units other than the single-precision ones never
 * lack a collector.
 *
 * What is in use when are bits, one a cycle from `since` on: the first free cycle is the lowest bit that is not set.
 * Nearly always all that an instruction asks for lies within these cycles, so that none of them needs a check, and
 * no branch depends on what is free. */
#ifndef GPU_COLLECT_H
#define GPU_COLLECT_H
#include "net/msg.h"
#include "config/params.h"
#include "plan/plan.h"

enum { PORT_CYCLES = 64, MAX_COLLECTORS = 16, MAX_BANKS = 32, MAX_PORTS = 8 };
/* An instruction is near if it starts before START_NEAR and nothing is in use from USE_NEAR on; its result is if it
 * is there before WRITE_NEAR. Each of its registers may find taken what those before it have taken, and still fits. */
enum { START_NEAR = 40, USE_NEAR = 52, WRITE_NEAR = 60 };
enum { NO_COLLECTOR = UINT8_MAX };
struct collection {
    _Alignas(64) uint64_t banks[MAX_BANKS + PLAN_USUAL_BANKS]; /* behind them, what stands in for registers that an
                                                                * instruction does not have */
    cycle_t since;
    uint64_t any;       /* up to what is in use anywhere; the last bit is always set if the number of banks is no
                         * power of two */
    uint32_t bank_mask; /* the number of banks less one, in each byte */
    uint8_t n_banks, n_ports, n_collectors;
    uint8_t free_at[MAX_COLLECTORS + 1]; /* when collectors become free, in order, as cycles from `since` on;
                                          * NO_COLLECTOR: there is no more */
    uint64_t ports[MAX_PORTS + 1];       /* [i]: of the write-back ports, at most i are free; all bits beyond those
                                          * there are */
};
/* First cycles in which the issue register is free and the result can be read. */
struct collected {
    cycle_t issued, written;
};

void collection_init(struct collection *c, const struct core_params *core);
/* What collect_operands does, for what is not near or has more registers than usual. */
struct collected collect_far(struct collection *c, const struct plan_inst *inst, uint32_t warp, uint32_t latency,
                             bool takes_collector, cycle_t now);
/* Writes the results back, from cycle `written` on, which need not be near. Returns when it is done. */
cycle_t write_back_far(struct collection *c, const struct plan_inst *inst, uint32_t warp, cycle_t written, cycle_t now);
/* Takes one of the third and further ports in the cycle whose bit is the lowest in `at`. */
void take_more_ports(struct collection *c, uint64_t at);

/* Takes the first free cycle that is not one of `before`. Returns the bits up to it. */
static inline uint64_t take_cycle(uint64_t *in_use, uint64_t before)
{
    const uint64_t taken = *in_use | before, next = taken + 1; /* its lowest bit is the cycle, those above are in use */
    *in_use |= next;
    return taken ^ next;
}

/* The first collector to be free is so at `at` again: it goes behind those that are free before. 0: it was not
 * taken. */
static inline void return_collector(struct collection *c, uint8_t at)
{
    for (uint32_t i = 0; i < MAX_COLLECTORS; i++) {
        const uint8_t later = c->free_at[i] > at ? c->free_at[i] : at, next = c->free_at[i + 1];
        c->free_at[i] = later < next ? later : next;
    }
}

static inline uint32_t last_bit(uint64_t bits) { return 63u ^ (uint32_t)__builtin_clzll(bits); }

/* The cycle, from `since` on, in which the instruction is where its registers are read. */
static inline uint32_t collection_start(const struct collection *c, bool takes_collector, cycle_t now)
{
    const uint32_t next = (uint32_t)(now - c->since) + 1, free_at = takes_collector ? c->free_at[0] : 0;
    return free_at > next ? free_at : next;
}

static inline bool is_near(const struct collection *c, uint32_t start)
{
    return start < START_NEAR && c->any < 1ull << USE_NEAR;
}

/* `more`: registers beyond the usual ones. */
static inline struct collected collect_near(struct collection *c, const struct plan_inst *inst, uint32_t warp,
                                            uint32_t latency, bool takes_collector, uint32_t start, cycle_t now,
                                            bool more)
{
    enum { SOURCES = PLAN_USUAL_BANKS - 1 };
    const uint32_t numbers =
        ((inst->banks.numbers + warp * 0x01010101u) & c->bank_mask & inst->banks.is_there) | inst->banks.stand_in;
    const uint64_t before = (2ull << start) - 1;
    uint64_t read = 0, used;
    for (uint32_t i = 0; i < SOURCES; i++) c->banks[MAX_BANKS + i] = 0;
    for (uint32_t i = 0; i < SOURCES; i++) read |= take_cycle(&c->banks[numbers >> 8 * i & 0xff], before);
    for (uint32_t i = inst->n_dst + SOURCES; more && i < inst->n_regs; i++)
        read |= take_cycle(&c->banks[(inst->regs[i] + warp) & c->bank_mask & 0xff], before);
    const uint32_t last = last_bit(read), written = last + latency - 2;
    struct collected end = {.issued = c->since + start};
    return_collector(c, takes_collector ? (uint8_t)(last + 1) : 0);
    if (written >= WRITE_NEAR) {
        c->any |= read;
        end.written = write_back_far(c, inst, warp, c->since + written, now);
        return end;
    }
    const uint64_t taken = c->ports[0] | ((1ull << written) - 1), next = taken + 1, port = taken ^ next;
    c->ports[0] |= c->ports[1] & next;
    c->ports[1] |= c->ports[2] & next;
    used = read | port | take_cycle(&c->banks[numbers >> 24], port >> 2);
    for (uint32_t i = 1; more && i < inst->n_dst; i++)
        used |= take_cycle(&c->banks[(inst->regs[i] + warp) & c->bank_mask & 0xff], port >> 2);
    c->any |= used;
    end.written = c->since + last_bit(port);
    if (c->n_ports > 2) take_more_ports(c, next);
    return end;
}

/* The way of an arithmetic instruction to its unit and back. `takes_collector`: in a unit whose collectors are
 * limited; it comes when the issue register of that unit is free. */
static inline struct collected collect_operands(struct collection *c, const struct plan_inst *inst, uint32_t warp,
                                                uint32_t latency, bool takes_collector, cycle_t now)
{
    const uint32_t start = collection_start(c, takes_collector, now);
    if (!is_near(c, start) || inst->banks.numbers & PLAN_MORE_BANKS)
        return collect_far(c, inst, warp, latency, takes_collector, now);
    return collect_near(c, inst, warp, latency, takes_collector, start, now, false);
}
#endif
