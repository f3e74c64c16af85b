/* Threads of the host that work side by side on what one run does in one cycle: its SMs, or its banks of L2, or its
 * channels of DRAM, as long as none of them meets another one in it. One of them, the leader, runs the machine and
 * hands out turns, and the others wait for these. Nothing that a run gives depends on who does what. */
#ifndef GPU_CREW_H
#define GPU_CREW_H
#include <stdbool.h>
#include <stdint.h>
#include "poise/error.h"

enum { CREW_MAX = 64, CREW_ITEMS_MAX = 256 };
struct crew;
/* For `threads` threads, the leader among them: 2 to CREW_MAX. */
struct crew *crew_new(unsigned threads, struct error *err);
void crew_free(struct crew *crew); /* accepts NULL */
/* Calls lead(self) as the leader; returns when it has, and all others have gone. */
void crew_run(struct crew *crew, void (*lead)(void *self), void *self);

/* Items of one turn, in ascending order, of 0 to below `all`. A thread does those of its own part, which its
 * processor's caches know, and others' only where these have waited for long. */
struct crew_items {
    uint32_t n, all;
    uint8_t item[CREW_ITEMS_MAX];
};
/* By the leader: calls work(self, item) once for each; returns when all is done. */
void crew_do(struct crew *crew, const struct crew_items *items, void (*work)(const void *self, uint32_t item),
             const void *self);
#endif
