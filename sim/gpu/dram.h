/* A DRAM channel: FR-FCFS over a bounded queue, banks with open rows, one command a cycle.  [THESIS §3.5.1, Tab. 3.1]
 *
 *   L2 banks of the partition --(round robin)--> queue --(row hits first)--> banks --> column commands --> data --> L2 fill
 *
 * A bank that is free takes the oldest request for its open row, else the oldest for it, and serves it alone: PRECHARGE,
 * ACTIVATE, then a column command a burst. Each cycle one command goes out: a column command if any bank can issue one,
 * else a row command; banks take turns. With `outstanding` the queue is preceded by a delay line of added_cycles: requests stand in one
 * array, and those that FR-FCFS sees are its first `queue`. */
#ifndef GPU_DRAM_H
#define GPU_DRAM_H
#include "address.h"
#include "fifo.h"
#include "meter.h"
#include "params.h"
#include "stats.h"

struct dram_request {
    struct request request;
    int64_t row;
    cycle_t at;  /* may be served from here on */
    uint32_t bank;
};
struct dram_bank {
    int64_t row;          /* open row, -1 if closed */
    cycle_t column_ok, precharge_ok, activate_ok;
    struct dram_request current;
    uint32_t bursts_left; /* of current; 0: free */
};
struct dram {
    struct dram_stats stats;
    const struct dram_params *params;
    const struct gpu_params *machine;
    struct dram_bank *banks;
    struct dram_request *queue; /* waiting for their bank, oldest first */
    uint64_t busy;              /* banks that serve a request, */
    uint64_t open, reads;       /* of these, those whose row is open, and those that read */
    uint64_t wanted;            /* banks that requests of the queue wait for */
    cycle_t assign_at;          /* the first cycle in which a free bank may find its next request */
    uint64_t read_bytes, write_bytes;
    uint32_t count, n_busy, burst_bytes, turn, group, channel, next_source;
    cycle_t read_ok, write_ok, activate_ok, group_ok; /* channel-wide: next command of a kind, next column in the group used last */
    cycle_t wake;
    struct meter meter;
    cycle_t pending_since, pending_end; /* the present stretch of work: until the last burst has left the bus */
};
struct dram_done { bool is_read; struct request request; cycle_t at; };

void dram_init(struct dram *d, const struct gpu_params *params, uint32_t channel, struct arena *arena);
/* The delay line takes nothing while the queue behind it is full. */
static inline bool dram_has_room(const struct dram *d, cycle_t now)
{
    const uint32_t queue = d->params->queue;
    if (!d->params->outstanding) return d->count < queue;
    return d->count + d->n_busy < d->params->outstanding && (d->count < queue || d->queue[queue - 1].at > now);
}
uint32_t dram_bursts(const struct dram *d, const struct request *request);
void dram_count(struct dram *d, bool is_read, uint32_t bursts); /* in the statistics, whose unit is 64 bytes */
/* `at`: the first cycle in which it may be served. */
void dram_push(struct dram *d, const struct request *request, cycle_t now, cycle_t at);
/* Issues at most one command. Returns true if it was the last of a line: *done says which and when its data is there. */
bool dram_tick(struct dram *d, cycle_t now, struct dram_done *done);
void dram_finish(struct dram *d, cycle_t end); /* last sums into stats */
bool dram_idle(const struct dram *d);
void dram_dump(const struct dram *d, char *text, size_t size);
#endif
