/* A private cache of a CPU core: lines of 64 bytes, LRU, write-back. State only: when something happens is the core's
 * matter. Lines are numbers, byte addresses of the program's memory over 64. */
#ifndef CPU_PRIVATE_CACHE_H
#define CPU_PRIVATE_CACHE_H
#include <stdbool.h>
#include <stdint.h>
#include "poise/arena.h"

enum { CPU_LINE_BYTES = 64 };
#define CPU_NO_LINE UINT32_MAX
struct private_way {
    uint32_t line, used;
}; /* used: when, as a count of touches; 0: the way is empty */
struct private_cache {
    struct private_way *ways; /* of all sets */
    uint8_t *dirty;
    uint32_t sets, n_ways, touches;
};
struct private_victim {
    uint32_t line;
    bool is_dirty;
}; /* line CPU_NO_LINE: nothing had to go */
/* bytes / (64 * ways) is a power of two. */
void private_cache_init(struct private_cache *cache, struct arena *arena, uint32_t bytes, uint32_t ways);
/* True if the line is there; it is the most recently used then, and dirty if it is written. */
bool private_cache_access(struct private_cache *cache, uint32_t line, bool writes);
/* A line that is not there takes the place of the set's least recently used. */
struct private_victim private_cache_insert(struct private_cache *cache, uint32_t line, bool is_dirty);
#endif
