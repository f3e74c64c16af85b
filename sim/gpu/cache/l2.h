/* A bank of the L2 cache: write-back, write-allocate, allocate on miss; usually LRU.   [THESIS Tab. 3.1, 5.1]
 *
 *   from_xbar --> tags + MSHRs --> to_dram (miss queue)         from_dram --> fill --> responses --> to_xbar
 *
 * One request a cycle; the head waits until it has all it needs: a line, an MSHR or merge slot, room in the miss
 * queue, the data port, room in the response queue; what stands in its way at the end of a tick is what it waits for
 * until something moves. Hits and fills share the data port. A store that covers its whole line allocates without
 * fetching; others fetch and merge; sectored, no store fetches: sectors are taken as covered. Atomics are performed
 * here. Where CPU cores have ports of their own, the first of either queue is looked at: they take turns, and one that
 * waits does not hold up the other. Where an organisation gives each sector a place of its own, what a miss takes is
 * l2_placed.h's affair. */
#ifndef GPU_L2_H
#define GPU_L2_H
#include "poise/sys/hooks.h"
#include "plan/address.h"
#include "net/queue.h"
#include "net/meter.h"
#include "cache/mshr.h"
#include "cache/org.h"
#include "config/params.h"
#include "config/stats.h"

/* Why the head request waits, as the place of the counter that is charged. */
enum l2_wait {
    L2_WAITS_NOT,
    L2_WAITS_RESPONSE = COUNTER_PLACE(l2_stats, l2_stall_response_cycles),
    L2_WAITS_PORT = COUNTER_PLACE(l2_stats, l2_stall_port_cycles),
    L2_WAITS_LINE = COUNTER_PLACE(l2_stats, l2_stall_line_cycles),
    L2_WAITS_MSHR = COUNTER_PLACE(l2_stats, l2_stall_mshr_cycles),
    L2_WAITS_DRAM = COUNTER_PLACE(l2_stats, l2_stall_dram_cycles),
};
/* What is known of the head request. Once it is known to hit it does so until it is taken; of an absent one, until a
 * fill of its set may make another line the one to replace. */
enum l2_head { HEAD_UNKNOWN, HEAD_ABSENT, HEAD_HITS, HEAD_PLANNED };
/* Of one that hits: the line. Of one whose line is absent: what taking it means. */
struct taking {
    uint32_t frame;        /* that it takes */
    uint8_t others;        /* lines that go for it besides that in the frame */
    uint8_t covers;        /* sectors that a store leaves valid */
    uint8_t sends;         /* requests to DRAM */
    bool fetches, through; /* asks DRAM for what is missing; writes to DRAM at once */
};
/* Lines that stores have overwritten, the oldest first (l2_clean.h). */
struct l2_noted {
    uint32_t frame, line;
};
struct l2_clean {
    struct l2_noted *noted; /* a ring of `size`: 0, nothing is noted */
    uint32_t head, n, size;
};
/* In lines of the host's cache: what every tick needs, the queues, MSHRs and tags of an access, the meter, the
 * counters. */
struct l2 {
    _Alignas(64) cycle_t wake; /* the first cycle in which a tick could change anything */
    cycle_t last_tick;
    struct taking taking;
    cycle_t port_busy[2];        /* until when: the data port, and that of fills if they have one of their own */
    cycle_t offered_at;          /* the DRAM cycle that first sees what is sent in this tick */
    int draining;                /* MSHR whose waiting requests are being answered, or -1 */
    uint8_t drained, draining_n; /* requests answered, and to answer */
    uint8_t head;                /* enum l2_head */
    uint8_t cause;               /* enum l2_wait: why the head request waits */
    uint8_t fill_port;           /* that which fills use */
    bool is_placed;              /* its organisation gives each sector a place of its own (l2_placed.h) */
    uint8_t most_sends;          /* requests to DRAM in a tick */
    uint16_t bank, channel;
    const struct l2_hooks *policy; /* what mechanisms have to say about lines (l2_policy.h), or NULL */
    /* What will be in the head request's way in cycle `now`: the bank may sleep over it (skip.c). NULL: it tries. */
    enum l2_wait (*sleeps_over)(struct l2 *, cycle_t now);
    struct request_fifo *from; /* whose first is the head request, */
    struct reply_fifo *to;     /* and where its answer goes */
    struct l2_cpu_ports *cpu;  /* or NULL: CPU cores have no ports of their own, or there are none */
    _Alignas(64) struct request_fifo from_xbar;
    struct reply_fifo to_xbar;
    struct request_fifo to_dram;
    struct request_fifo from_dram; /* fills; as many as MSHRs can ask for, so DRAM never waits for it */
    const struct l2_params *params;
    struct mshrs mshrs;
    struct tags tags;
    uint32_t others[ORG_OTHERS];              /* of `taking`: their frames */
    uint8_t port_cycles[16], reply_flits[16]; /* of so many sectors' bytes, by their mask */
    uint32_t found;                           /* the frame that was found last, where requests ask for sectors */
    uint32_t changes; /* tags.changes when it was planned: a policy that has changed its mind is asked again */
    _Alignas(64) struct meter access_meter; /* counts requests that arrived, not those on the link */
    struct l2_stats stats;
    struct l2_clean clean;
    struct l2_placed *placed; /* or NULL */
    struct sleeper unit;      /* as its neighbours know it */
};
/* Of CPU cores, at a bank. */
struct l2_cpu_ports {
    struct request_fifo from;
    struct reply_fifo to;
    uint8_t reply_flits[16]; /* of so many sectors' bytes, by their mask */
    uint8_t cause;           /* enum l2_wait: of the first in the queue whose turn it is not */
};
_Static_assert(offsetof(struct l2, tags) % 64 == 32,
               "what an access needs of MSHRs and of tags is one line of the host's cache");
void l2_init(struct l2 *l2, const struct gpu_params *params, uint32_t bank, uint32_t link_cycles, struct arena *arena);
/* Gives the bank ports for CPU cores. */
void l2_add_cpu_ports(struct l2 *l2, const struct gpu_params *params, uint32_t link_cycles, struct arena *arena);
/* Another bank takes what an organisation with two modes finds in bank 0. */
void l2_follow(struct l2 *l2, const struct l2 *bank_0);
/* A bank may send so many requests in a tick, and must have room for as many in the next. */
static inline bool l2_may_lack_room(const struct l2 *l2)
{
    return l2->to_dram.count + 2u * l2->most_sends > l2->to_dram.capacity;
}
HOT void l2_tick(struct l2 *l2, cycle_t now);
/* What the head request, which is there, waits for in cycle `now`. Changes nothing but what is known of it. */
HOT enum l2_wait l2_head_waits(struct l2 *l2, cycle_t now);
void l2_finish(struct l2 *l2, cycle_t end); /* last sums into stats */
/* Looks a request up at once, without queues or ports: the memory of infinite bandwidth. True if it hits. */
bool l2_access_at_once(struct l2 *l2, const struct request *request);
/* The access queue before L2 cycle `end`. */
struct buffer_gauge l2_buffer_gauge(const struct l2 *l2, cycle_t end);
static inline enum l2_wait l2_waits_for_port(const struct l2 *l2, cycle_t now)
{
    if (!reply_fifo_has_room(l2->to)) return L2_WAITS_RESPONSE;
    return l2->port_busy[0] > now ? L2_WAITS_PORT : L2_WAITS_NOT;
}
/* A request waits for this. */
static inline bool l2_waits_for(const struct l2 *l2, enum l2_wait cause)
{
    return l2->cause == cause || (l2->cpu && l2->cpu->cause == cause);
}
/* A store of these sectors leaves nothing to fetch: of its line, or where L2 is sectored, of what it covers. */
static inline bool l2_is_whole(const struct l2 *l2, uint32_t sectors)
{
    const uint32_t covers = org_wanted(&l2->tags, sectors);
    return sectors == covers && (l2->tags.is_sectored || covers == l2->tags.all);
}
/* A store of these sectors that misses is written to DRAM at once, and its line is clean. [l2.write_miss] */
static inline bool l2_goes_through(const struct l2 *l2, uint32_t sectors)
{
    const uint32_t policy = l2->params->write_miss;
    return policy == WRITE_FETCH || (policy == WRITE_THROUGH && l2_is_whole(l2, sectors));
}
bool l2_idle(const struct l2 *l2);
void l2_dump(const struct l2 *l2, char *text, size_t size);
#endif
