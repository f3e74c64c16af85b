/* Inside the quick model: its machine, and who calls whom. Times are core cycles. */
#ifndef QUICK_QUICK_H
#define QUICK_QUICK_H
#include "cache/line_map.h"
#include "config/params.h"
#include "plan/address.h"
#include "plan/plan.h"
#include "poise/sys/admission.h"
#include "poise/quick.h"

enum { QUICK_SCHEDULERS = ADMISSION_SCHEDULERS, QUICK_WARPS = 64, QUICK_LSU = 256 };
#define QUICK_NEVER UINT64_MAX

/* ---- machine.c: what the configuration says, in core cycles ---- */
struct quick_machine {
    uint32_t schedulers, max_lsu;
    bool loose_round_robin, sectored, streaming, evicts_on_write, reads_on_write;
    struct class_timing timing[TRACE_N_CLASSES];
    uint32_t unit_count[N_UNITS];
    uint8_t unit_of[N_UNITS]; /* that does the work of a unit which the machine lacks */
    uint32_t l1_sets, l1_ways, l1_index, l1_mshrs, l1_merge, l1_latency, line_bytes;
    uint32_t l2_banks, l2_sets, l2_ways, channels, shared_latency, const_latency;
    double request_flit, reply_flit; /* cycles that a flit holds a port of the crossbar */
    double crossbar_share;           /* of a port's cycles that are used when all are asked for */
    double bank_bytes;               /* that a bank's data port moves in a cycle */
    double channel_bytes;            /* that a channel's data bus moves in a cycle */
    double l2_latency, dram_latency; /* miss of L1 to data: L2 hits; what DRAM adds where a row must be opened, */
    double row_latency;              /* of which opening it is so much */
    double row_cycles;               /* from one row of a bank to another one */
    uint32_t dram_banks;
    uint32_t miss_queue, all_sectors, header_bytes, request_flit_bytes, reply_flit_bytes;
    bool whole_packets;
};
/* Cycles that a packet of so many bytes holds a port. */
static inline double flits_of(const struct quick_machine *m, uint32_t bytes, uint32_t flit)
{
    const uint32_t flits = (m->header_bytes + bytes + flit - 1) / flit;
    return m->whole_packets || !flits ? 1 : flits;
}
static inline double packet_cycles(const struct quick_machine *m, uint32_t bytes)
{
    return flits_of(m, bytes, m->reply_flit_bytes) * m->reply_flit;
}
static inline double request_cycles(const struct quick_machine *m, uint32_t bytes)
{
    return flits_of(m, bytes, m->request_flit_bytes) * m->request_flit;
}
int quick_machine_of(struct quick_machine *m, const struct gpu_params *params, const struct plan *plan,
                     struct error *err);

/* ---- share.c: which of the machine the modelled SMs have ---- */
struct quick_share {
    double capacity; /* of L2: lines that they touch, of those that all touch */
    double ports;    /* SMs with CTAs for one that is modelled */
    double channels; /* DRAM's work for one line that they fetch: lines of all SMs for one of theirs */
};
int quick_share_of(struct quick_share *share, const struct plan *plan, uint32_t sms, uint32_t modelled,
                   struct error *err);

/* ---- memory.c ---- */
/* A server whose queue never blocks: what waits in it, in cycles, when it was last asked. */
struct quick_server {
    double waiting;
    uint64_t at;
};
struct quick_l2_line {
    uint64_t ready;
    uint32_t line, used;
    uint8_t present, dirty, sectors;
};
struct quick_l2 {
    const struct quick_machine *m;
    struct address_map map;
    struct quick_share share;
    struct quick_l2_line *lines; /* banks * sets * ways */
    uint32_t sets, clock;
    struct quick_server *banks, *channels;
    uint32_t *rows;                 /* open in each bank of DRAM, and one more: 0 is none */
    struct quick_server *row_banks; /* the banks of DRAM */
};
struct quick_l1_line {
    uint64_t ready;              /* what is on its way */
    uint32_t line, newer, older; /* in its set, by last use; indices */
    uint8_t sectors, coming;
};
struct quick_miss { /* an MSHR */
    uint64_t ready;
    uint32_t key, waiting;
    uint8_t sectors;
};
struct quick_l1 {
    struct quick_l1_line *lines; /* sets * ways; of each set the first `filled` are in use */
    uint32_t *oldest, *newest, *filled;
    struct line_map where, pending; /* lines to their index; to their miss */
    struct quick_miss *misses;
    uint32_t *heap, *free; /* misses by ready; unused ones */
    uint32_t n_misses;
    uint64_t link; /* the reply link is free again */
    double request_link;
};
struct quick_memory {
    const struct quick_machine *m;
    struct quick_l2 l2;
    struct quick_run *count;
};
void quick_l1_new(struct quick_l1 *l1, struct arena *arena, const struct quick_machine *m);
void quick_l1_clear(struct quick_l1 *l1, const struct quick_machine *m);
void quick_l2_new(struct quick_l2 *l2, struct arena *arena, const struct quick_machine *m,
                  const struct gpu_params *params, const struct quick_share *share);
void quick_l2_clear(struct quick_l2 *l2);
/* Each takes one request at *t and moves *t to when the next may enter; loads and atomics return when data is there. */
uint64_t quick_load(struct quick_memory *mem, struct quick_l1 *l1, plan_request request, bool pollutes, bool passes_l1,
                    uint64_t *t);
uint64_t quick_atomic(struct quick_memory *mem, struct quick_l1 *l1, plan_request request, uint64_t *t);
void quick_store(struct quick_memory *mem, struct quick_l1 *l1, plan_request request, uint64_t *t);

/* ---- core.c ---- */
enum quick_state { QUICK_RUNS, QUICK_AT_BARRIER };
struct quick_warp {
    const struct plan_step *step, *end;
    uint64_t *regs; /* when each is written; one more that always is */
    enum quick_state state;
    uint8_t barrier, slot, scheduler, place; /* place: in its scheduler */
};
struct quick_scheduler {
    uint64_t now;
    uint64_t ready[QUICK_WARPS]; /* when each warp's registers are there; oldest warp first, as all that follows */
    uint16_t warps[QUICK_WARPS];
    uint64_t waiting, memory;     /* a bit a warp: at a barrier; its next instruction is one of memory */
    uint64_t asleep, wake;        /* whose registers are not known to be there; no such warp is ready before `wake` */
    uint64_t may_issue, pollutes; /* by rank, under a limit of ranks_N; NONE: to be ranked again */
    uint32_t ranks_N, n, ended, last, last_index; /* last: the place of the warp that issued last; NONE: it has ended */
};
struct quick_cta {
    uint32_t live;
    uint16_t warps[QUICK_WARPS];
    uint32_t n;
};
struct quick_sm {
    struct quick_l1 l1;
    struct quick_warp *warps; /* ctas_per_sm * warps_per_cta */
    struct quick_cta *ctas;
    struct quick_scheduler schedulers[QUICK_SCHEDULERS];
    struct admission admission;
    uint64_t units[N_UNITS][QUICK_SCHEDULERS]; /* free again */
    uint64_t lsu, entered[QUICK_LSU];          /* the LSU is free again; a ring: when its last instructions left it */
    uint32_t ring, age;
    uint64_t insts, end;
};
struct quick {
    const struct plan *plan;
    struct quick_machine m;
    struct quick_memory mem;
    struct quick_sm *sms;
    uint32_t n_sms, n_ctas, next_cta, *ctas; /* those of the modelled SMs, in the order of dispatch */
    uint64_t max_insts;
    struct quick_limit limit;
    struct arena arena;
};
void quick_sm_clear(struct quick *q, struct quick_sm *sm);
/* The next CTA into a free slot. */
void quick_take_cta(struct quick *q, struct quick_sm *sm, uint32_t slot, uint64_t now);
/* What every scheduler of the SM does at its earliest time; returns the next such time. */
uint64_t quick_turn(struct quick *q, struct quick_sm *sm, uint64_t now);
#endif
