/* Loads that bypass L1: which load each request belongs to and when it left. No hardware of its own: a real
 * request carries this with it. The table is larger than what the queues and MSHRs of the presets can hold of one
 * SM; were it full, the request queue would look full. It is there only if some load of the launch passes L1, or if
 * some mechanism may have loads bypass it. */
#ifndef GPU_BYPASS_H
#define GPU_BYPASS_H
#include "net/msg.h"
#include "poise/arena.h"

enum { BYPASSES = 4096 };
struct bypass {
    uint32_t since;
    uint16_t load, next;
};
struct bypasses {
    struct bypass *entries; /* those not in use are a list */
    uint32_t free, used, n;
};
/* The table's place, with what it holds; bypasses_init empties it. */
static inline void bypasses_place(struct bypasses *b, struct arena *arena, bool is_wanted)
{
    b->n = is_wanted ? BYPASSES : 0;
    b->entries = ARENA_TAKE(arena, struct bypass, b->n);
}
static inline void bypasses_init(struct bypasses *b)
{
    b->free = b->used = 0;
    for (uint32_t i = 0; i < b->n; i++) b->entries[i].next = (uint16_t)(i + 1);
}
static inline bool bypasses_full(const struct bypasses *b) { return b->used == b->n; }
static inline uint32_t bypasses_take(struct bypasses *b, uint32_t load, cycle_t now)
{
    const uint32_t entry = b->free;
    b->free = b->entries[entry].next;
    b->used++;
    b->entries[entry].since = (uint32_t)now;
    b->entries[entry].load = (uint16_t)load;
    return entry;
}
static inline struct bypass bypasses_give(struct bypasses *b, uint32_t entry)
{
    const struct bypass was = b->entries[entry];
    b->entries[entry].next = (uint16_t)b->free;
    b->free = entry;
    b->used--;
    return was;
}
#endif
