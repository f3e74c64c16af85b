/* What requests to lines (l2.c) and to sectors that have places of their own (l2_placed.c) share: ports and queues of
 * a bank, and what its MSHRs keep. */
#ifndef GPU_L2_PARTS_H
#define GPU_L2_PARTS_H
#include "cache/l2.h"

/* What an MSHR keeps of a request until its data is there. */
#define TARGET(r) \
    ((uint32_t)(r)->token | (uint32_t)(r)->requester << 16 | (uint32_t)(r)->kind << TARGET_KIND_AT | \
     (uint32_t)((r)->wants_data && !request_is_store((r)->kind)) << 31)
enum { TARGET_KIND_AT = 16 + REQUESTER_BITS };
_Static_assert(TARGET_KIND_AT + REQUEST_KIND_BITS == 31, "token, requester, kind and a flag are one word");
#define TARGET_TOKEN(t) ((t)&0xffffu)
#define TARGET_REQUESTER(t) ((t) >> 16 & ((1u << REQUESTER_BITS) - 1))
#define TARGET_KIND(t) ((t) >> TARGET_KIND_AT & ((1u << REQUEST_KIND_BITS) - 1))
#define TARGET_WANTS_DATA(t) ((t) >> 31)
/* Stores want no data: of them the flag says that they have been written through, and leave their line clean. */
#define TARGET_THROUGH(r) (TARGET(r) | 1u << 31)
#define TARGET_IS_THROUGH(t) (request_is_store(TARGET_KIND(t)) && TARGET_WANTS_DATA(t))

/* Returns when it is over. */
static cycle_t use_port(struct l2 *l2, uint32_t port, uint32_t sectors, cycle_t now)
{
    const uint32_t cycles = l2->port_cycles[sectors];
    l2->stats.l2_port_cycles += cycles;
    return l2->port_busy[port] = now + cycles;
}

/* Where an answer goes. */
static inline bool goes_to_cpu(const struct l2 *l2, uint32_t target)
{
    return l2->cpu && requester_class(TARGET_REQUESTER(target)) == FROM_CPU;
}
static inline struct reply_fifo *replies_to(struct l2 *l2, uint32_t target)
{
    return goes_to_cpu(l2, target) ? &l2->cpu->to : &l2->to_xbar;
}

HOT static void respond(struct l2 *l2, uint32_t target, uint32_t sectors, bool is_hit, cycle_t at)
{
    const uint32_t kind = TARGET_KIND(target);
    struct reply_fifo *to = &l2->to_xbar;
    const uint8_t *flits = l2->reply_flits;
    if (goes_to_cpu(l2, target)) {
        to = &l2->cpu->to;
        flits = l2->cpu->reply_flits;
    }
    /* a value is at most a sector */
    const uint32_t payload = request_reads_line(kind) ? sectors : kind == REQUEST_ATOMIC && TARGET_WANTS_DATA(target);
    const struct reply reply = {
        .token = (uint16_t)TARGET_TOKEN(target),
        .requester = (uint16_t)TARGET_REQUESTER(target),
        .kind = reply_kind(kind, TARGET_WANTS_DATA(target)),
        .flits = flits[payload],
        .flags = is_hit ? REPLY_L2_HIT : 0,
        .sectors = (uint8_t)sectors,
    };
    reply_fifo_push(to, reply, at);
    l2->stats.l2_responses++;
}

static inline void to_dram(struct l2 *l2, enum request_kind kind, uint32_t line, uint32_t sectors, uint32_t token)
{
    const struct request request = {
        .line = line, .kind = (uint8_t)kind, .sectors = (uint8_t)sectors, .token = (uint16_t)token, .bank = l2->bank};
    request_fifo_push(&l2->to_dram, request, l2->offered_at);
}

/* What this request does not find is fetched: stores fetch where l2.write_miss says so. */
static inline bool fetches_what_it_misses(const struct l2 *l2, const struct request *r)
{
    return l2->params->write_miss == WRITE_FETCH || !request_is_store(r->kind);
}

/* The miss queue has room for the sectors that a request asks for, and for a store that is written through besides. */
static inline bool may_ask_dram(const struct l2 *l2, const struct request *r)
{
    return l2->to_dram.count + 1u + request_is_store(r->kind) <= l2->to_dram.capacity;
}

/* Sectors that a request does not find are asked for: under the MSHR of its line, if some of that are on their way. */
static void ask_for_sectors(struct l2 *l2, const struct request *r, struct tag_line *l, const struct probe *p,
                            cycle_t now)
{
    const bool through = request_is_store(r->kind);
    const uint32_t target = through ? TARGET_THROUGH(r) : TARGET(r);
    int entry = *tags_mshr(l);
    if (l->pending) {
        mshrs_merge(&l2->mshrs, entry, target, r->sectors, p->missing);
        mshrs_issue(&l2->mshrs, entry, p->fetch, now);
    } else {
        entry =
            mshrs_begin(&l2->mshrs, r->line, tags_index(&l2->tags, l), target, r->sectors, p->missing, p->fetch, now);
    }
    org_await(&l2->tags, l, p->fetch, (uint32_t)entry);
    if (through) to_dram(l2, REQUEST_WRITE, r->line, r->sectors, 0);
    to_dram(l2, REQUEST_READ, r->line, p->fetch, (uint32_t)entry);
    l2->stats.l2_allocate_reads += through;
}

/* A store that fetches nothing. `covers`: what it leaves valid. */
static void take_store(struct l2 *l2, const struct request *r, struct tag_line *frame, uint32_t covers, bool through,
                       cycle_t now)
{
    org_write(&l2->tags, frame, covers, !through);
    if (through) to_dram(l2, REQUEST_WRITE, r->line, covers, 0);
    respond(l2, TARGET(r), covers, false, use_port(l2, 0, covers, now));
}
#endif
