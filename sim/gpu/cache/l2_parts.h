/* What requests to lines (l2.c) and to sectors that have places of their own (l2_placed.c) share: ports and queues of
 * a bank, and what its MSHRs keep. */
#ifndef GPU_L2_PARTS_H
#define GPU_L2_PARTS_H
#include "cache/l2.h"

/* What an MSHR keeps of a request until its data is there. */
#define TARGET(r) \
    ((uint32_t)(r)->token | (uint32_t)(r)->requester << 16 | (uint32_t)(r)->kind << TARGET_KIND_AT | \
     (uint32_t)(r)->wants_data << 31)
enum { TARGET_KIND_AT = 16 + REQUESTER_BITS };
_Static_assert(TARGET_KIND_AT + REQUEST_KIND_BITS == 31, "token, requester, kind and a flag are one word");
#define TARGET_TOKEN(t) ((t)&0xffffu)
#define TARGET_REQUESTER(t) ((t) >> 16 & ((1u << REQUESTER_BITS) - 1))
#define TARGET_KIND(t) ((t) >> TARGET_KIND_AT & ((1u << REQUEST_KIND_BITS) - 1))
#define TARGET_WANTS_DATA(t) ((t) >> 31)

/* Returns when it is over. */
static cycle_t use_port(struct l2 *l2, uint32_t port, uint32_t sectors, cycle_t now)
{
    const uint32_t cycles = l2->port_cycles[sectors];
    l2->stats.l2_port_cycles += cycles;
    return l2->port_busy[port] = now + cycles;
}

HOT static void respond(struct l2 *l2, uint32_t target, uint32_t sectors, bool is_hit, cycle_t at)
{
    const uint32_t kind = TARGET_KIND(target);
    /* a value is at most a sector */
    const uint32_t payload = request_reads_line(kind) ? sectors : kind == REQUEST_ATOMIC && TARGET_WANTS_DATA(target);
    const struct reply reply = {
        .token = (uint16_t)TARGET_TOKEN(target),
        .requester = (uint16_t)TARGET_REQUESTER(target),
        .kind = reply_kind(kind, TARGET_WANTS_DATA(target)),
        .flits = l2->reply_flits[payload],
        .flags = is_hit ? REPLY_L2_HIT : 0,
        .sectors = (uint8_t)sectors,
    };
    reply_fifo_push(&l2->to_xbar, reply, at);
    l2->stats.l2_responses++;
}

static void to_dram(struct l2 *l2, enum request_kind kind, uint32_t line, uint32_t sectors, uint32_t token)
{
    const struct request request = {
        .line = line, .kind = (uint8_t)kind, .sectors = (uint8_t)sectors, .token = (uint16_t)token, .bank = l2->bank};
    request_fifo_push(&l2->to_dram, request, l2->offered_at);
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
