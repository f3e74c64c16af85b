/* A DRAM channel: FR-FCFS over a bounded queue, banks with open rows, one command a cycle.  [THESIS §3.5.1, Tab. 3.1]
 *
 *   L2 banks of the partition --(round robin)--> queue --> ACTIVATE / PRECHARGE / column commands --> data --> L2 fill
 *
 * A line is bursts_a_line column commands to an open row, issued back to back (tCCD apart); they hold the command slot of
 * their bank and the data bus for that long. A row hit goes first; otherwise the oldest request's bank is made ready. */
#ifndef GPU_DRAM_H
#define GPU_DRAM_H
#include "address.h"
#include "fifo.h"
#include "meter.h"
#include "params.h"
#include "stats.h"

struct dram_bank {
    int64_t row;            /* open row, -1 if closed */
    cycle_t column_ok, precharge_ok, activate_ok;
};
struct dram_request {
    struct request request;
    int64_t row;
    uint32_t bank;
    cycle_t at;  /* may be served from here on */
    bool opened; /* an ACTIVATE was issued for it */
};
struct dram {
    struct dram_stats stats;
    const struct dram_params *params;
    const struct gpu_params *machine;
    struct dram_bank *banks;
    struct dram_request *queue; /* oldest first */
    uint32_t count, bursts, line_cycles, group;
    cycle_t group_ok; /* next column command in the bank group used last */
    cycle_t bus_read_ok, bus_write_ok, activate_ok; /* channel-wide constraints on the next command of a kind */
    cycle_t wake;
    struct meter meter;
    uint32_t channel, next_source; /* round robin over the partition's L2 banks */
};
struct dram_done { bool is_read; struct request request; cycle_t at; };

void dram_init(struct dram *d, const struct gpu_params *params, uint32_t channel, struct arena *arena);
static inline bool dram_has_room(const struct dram *d) { return d->count < d->params->queue; }
/* `at`: the first cycle in which it may be served. */
void dram_push(struct dram *d, const struct request *request, cycle_t now, cycle_t at);
/* Issues at most one command. Returns true if it completed a line: *done says which and when its data is there. */
bool dram_tick(struct dram *d, cycle_t now, struct dram_done *done);
void dram_finish(struct dram *d, cycle_t end); /* last sums into stats */
bool dram_idle(const struct dram *d);
void dram_dump(const struct dram *d, char *text, size_t size);
#endif
