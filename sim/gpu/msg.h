/* What travels between units: requests down, replies up. Nothing else crosses a queue. */
#ifndef GPU_MSG_H
#define GPU_MSG_H
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t cycle_t;
#define NEVER UINT64_MAX

enum request_kind { REQUEST_READ, REQUEST_WRITE, REQUEST_ATOMIC, REQUEST_FETCH };
static inline bool request_reads_line(unsigned kind) { return kind == REQUEST_READ || kind == REQUEST_FETCH; }
enum reply_flags { REPLY_L2_HIT = 1 };
/* A store, and an atomic whose old value nobody reads, are only acknowledged. */
static inline uint8_t reply_kind(unsigned kind, bool wants_data)
{
    return (uint8_t)(kind == REQUEST_ATOMIC && !wants_data ? REQUEST_WRITE : kind);
}
/* `line` is the plan's line number; `token` names the waiting MSHR (reads) or load (atomics) of the sender. */
struct request {
    uint32_t line;
    uint16_t token, requester;
    uint8_t kind, sectors, wants_data, flits;
    uint16_t bank, set; /* of L2; known once the request enters arbitration */
};
struct reply {
    uint16_t token, requester;
    uint8_t kind, flits, flags, pad;
};
_Static_assert(sizeof(struct request) == 16 && sizeof(struct reply) == 8, "messages are copied through every queue");
#endif
