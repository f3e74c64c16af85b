/* A DRAM channel: FR-FCFS over a bounded queue, banks with open rows, one command a cycle.
 * [THESIS §3.5.1, Tab. 3.1]
 *
 *   banks of L2 --(round robin)--> queue --(row hits first)--> banks --> column commands --> data --> banks of L2
 *
 * A bank that is free takes the oldest request for its open row, else the oldest for it, and serves it alone:
 * PRECHARGE, ACTIVATE, then a column command a burst. Each cycle one command goes out: a column command if any bank
 * can issue one, else a row command; banks take turns. Row commands may have a bus of their own, and writes a queue
 * of their own, which is served in place of reads from when it is nearly full until it is nearly empty. With
 * `added_cycles` a delay line stands before the queue; what leaves it waits there while the queue is full, and with
 * `outstanding` it then takes no more.
 *
 * Requests of the queue hang at their banks, oldest first, and what banks want is in masks: a cycle looks at the
 * banks that may do something, and none is looked at before the first cycle in which any can. When a command may go out
 * the rules of dram_timing.h say.
 *
 * A refresh takes its banks when it is due: those that serve a request end that one first, open rows are closed, and
 * the refresh goes out in a cycle of its own. An idle channel is not ticked for it: what it has missed it does when it
 * is needed again, and nobody can tell. */
#ifndef GPU_DRAM_H
#define GPU_DRAM_H
#include "plan/address.h"
#include "memory/dram_timing.h"
#include "net/agenda.h"
#include "net/fifo.h"
#include "net/meter.h"
#include "config/params.h"
#include "config/stats.h"

enum { DRAM_NONE = 0xffff };
#define DRAM_CLOSED UINT32_MAX /* no row has this number */
/* What an L2 bank must get back. */
struct dram_ticket {
    uint16_t token, l2_bank;
    uint8_t kind, sectors;
};
struct dram_request {
    _Alignas(16) uint32_t row;
    struct dram_ticket ticket;
    uint16_t next; /* of the same bank, or of those that are free */
    uint8_t bank;
};
FIFO(dram_fifo, struct dram_request)
/* Requests that wait for a bank, oldest first, or DRAM_NONE. */
struct dram_list {
    uint16_t first, last;
};
struct dram_bank {
    _Alignas(32) cycle_t column_ok[2]; /* of the bank alone: its next write and read, */
    cycle_t precharge_ok, activate_ok;
    uint32_t row, current_row; /* open row; that of the request that it serves */
    struct dram_ticket current;
    uint8_t bursts_left; /* of that; 0: free */
    uint8_t group;
};
_Static_assert(sizeof(struct dram_bank) == 32 && sizeof(struct dram_request) == 16,
               "banks and requests share cache lines of the host");
/* What banks of a group, and of a pseudo-channel, wait for besides. */
struct dram_group {
    uint64_t banks;
    cycle_t column_ok[2], activate_ok;
};
struct dram_pseudo {
    uint64_t banks;
    cycle_t column_ok[2], activate_ok;
    cycle_t window_ok[DRAM_WINDOW]; /* of its last activates: the first cycle after which the window allows another, */
    uint32_t oldest;                /* and the oldest of these */
    uint32_t next_refreshed;        /* of the banks, one at a time */
    cycle_t due;                    /* its next refresh */
    uint64_t refreshed;             /* banks that it is of, from when it is due to when it goes out */
};
/* Commands in the order in which they go out: of tests. */
struct dram_issued {
    cycle_t at;
    uint8_t command, bank; /* of a refresh of several banks: the first */
};
struct dram_log {
    struct dram_issued *issued;
    uint32_t n, most;
};
struct dram {
    cycle_t wake;         /* the next cycle in which anything happens here; of those before it all is done */
    cycle_t visit;        /* the cycle by which that must be done */
    cycle_t assign_at;    /* the first cycle in which a free bank may find its next request */
    uint64_t busy;        /* banks that serve a request, */
    uint64_t open, reads; /* of these, those whose row is open, and those that read */
    uint64_t closed;      /* banks without an open row */
    uint64_t wanted;      /* banks that requests of the queue wait for */
    uint64_t ready; /* busy banks whose next command may go out, but for the rules of groups and pseudo-channels */
    struct dram_pseudo *pseudo;
    uint32_t pseudo_mask;        /* one less than there are */
    bool is_plain;               /* one pseudo-channel, and no rule of a group */
    struct dram_group *groups;   /* NULL if they do not matter; */
    uint64_t held, held_banks;   /* those that may still keep a command waiting, and all their banks */
    uint64_t refreshed, retired; /* banks that a refresh is due of; of these, those that serve no request any more */
    cycle_t refresh_at;          /* the first cycle in which a refresh is due or may go out, or NEVER */
    bool refreshes;
    cycle_t command_at;             /* the first cycle in which a command may go out */
    uint32_t count, n_busy, turn;   /* count: requests in the queue */
    uint32_t capacity, outstanding; /* of the queue; dram.outstanding */
    cycle_t room_at;                /* the first cycle in which the queue has room for a request of L2, or NEVER; 0 with
                                     * `outstanding` */
    cycle_t offered_at;             /* the first cycle in which an L2 bank of the partition has a request for this
                                     * channel */
    uint32_t next_source, awaited;  /* the bank whose turn it is; how many wait for one of their requests to be taken */
    uint16_t free_request;
    bool may_lag;        /* it may be ticked late, for several cycles in a row (skip.c) */
    bool serves_in_turn; /* one bank a cycle takes its next request, or it is not only the queue that limits
                          * them */
    uint8_t bursts[16];  /* of a request, by its sectors */
    uint32_t last_bank;
    uint32_t n_writes;                   /* in the queue of writes, if there is one: */
    bool has_write_queue, serves_writes; /* serves_writes: it is served now, in place of reads */
    uint64_t wanted_writes;              /* banks that its requests wait for, */
    struct dram_list *lists[2];          /* requests that wait for each bank: reads, or all; writes of that queue */
    struct dram_bank *banks;
    struct dram_request *queue;
    struct dram_gaps gaps;
    struct dram_log *log;        /* or NULL */
    struct wheel becoming_ready; /* the other busy banks, by the cycle of their next command */
    uint64_t parked;             /* of these, those whose cycle lies further away than it reaches */
    struct dram_fifo delayed;    /* requests before the queue */
    const struct dram_params *params;
    uint64_t bytes[2]; /* written and read */
    uint32_t burst_bytes, burst_cycles, channel;
    struct meter meter;                 /* of the queue */
    cycle_t pending_since, pending_end; /* the present stretch of work: until the last burst has left the bus */
    struct dram_stats stats;
    struct address_map map;
};
struct dram_done {
    bool is_read;
    struct dram_ticket ticket;
    cycle_t at;
};

void dram_init(struct dram *d, const struct gpu_params *params, uint32_t channel, struct arena *arena);
/* A row that is open from the beginning, or DRAM_CLOSED. */
static inline void dram_set_row(struct dram *d, uint32_t bank, uint32_t row)
{
    d->banks[bank].row = row;
    d->closed = row == DRAM_CLOSED ? d->closed | 1ull << bank : d->closed & ~(1ull << bank);
}
/* Requests that have not yet been served to the end. */
static inline uint32_t dram_in_channel(const struct dram *d)
{
    return d->count + d->n_writes + d->delayed.count + d->n_busy;
}
/* Of these, those that the scheduler has: in a delay line in front of its queue none is pending. */
static inline uint32_t dram_pending(const struct dram *d)
{
    return d->count + d->n_busy + (d->outstanding ? 0 : d->delayed.count);
}
/* A delay line takes nothing while the queue behind it is full: neither before what stands in it has come to its
 * end. */
static inline bool dram_delay_has_room(const struct dram *d, cycle_t now)
{
    const uint32_t n = d->count + d->delayed.count;
    if (n + d->n_writes + d->n_busy >= d->outstanding) return false;
    if (n < d->capacity) return true;
    if (d->params->early_room) return d->count < d->capacity;
    return d->count < d->capacity &&
           now < d->delayed.slots[(d->delayed.head + d->capacity - 1 - d->count) & d->delayed.mask].at;
}
/* A request is taken in cycle `now`, if nothing changes until then. */
static inline bool dram_has_room(const struct dram *d, cycle_t now)
{
    return d->room_at <= now && (!d->outstanding || dram_delay_has_room(d, now));
}
/* Bursts of a request. */
static inline uint32_t dram_bursts(const struct dram *d, uint32_t sectors) { return d->bursts[sectors & 15]; }
static inline void dram_count(struct dram *d, bool is_read, uint32_t bursts)
{
    d->bytes[is_read] += bursts * d->burst_bytes;
}
/* `at`: the first cycle in which it may be served. */
HOT void dram_push(struct dram *d, const struct request *request, cycle_t now, cycle_t at);
/* Issues at most one command. Returns true if it was the last of a line: *done says which and when its data is
 * there. */
HOT bool dram_tick(struct dram *d, cycle_t now, struct dram_done *done);
void dram_finish(struct dram *d, cycle_t end); /* last sums into stats */
bool dram_idle(const struct dram *d);
void dram_dump(const struct dram *d, char *text, size_t size);
#endif
