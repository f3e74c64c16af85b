/* A list of atomics in the order in which they are to be performed, and how far it has been followed. */
#ifndef PTX_ATOMIC_ORDER_H
#define PTX_ATOMIC_ORDER_H
#include "poise/ptx.h"

enum { ORDER_NONE = -1 };
/* One thread's operation on memory: its type, operands as zero-extended bits, and where the host has the bytes. */
struct atomic_op {
    unsigned char *at;
    uint64_t b, c;
    uint8_t op, type, bytes;
    bool flushes; /* subnormals of single precision */
};

/* The entry that stands for this warp's next atomic on the line by the instruction at `pc`; ORDER_NONE: none is left.
 * What the list has of the warp's on the line before that one is left out. */
int64_t ptx_order_find(struct ptx_order *order, uint64_t warp, uint64_t address, uint32_t pc);
bool ptx_order_on_one_line(const struct ptx_order *order, uint64_t a, uint64_t b); /* two addresses */
/* Whether everything before it on its line has been performed. */
bool ptx_order_is_next(struct ptx_order *order, int64_t entry);
/* Keeps an operation until its entry's turn; -1 when out of memory. */
int ptx_order_defer(struct ptx_order *order, int64_t entry, const struct atomic_op *op);
/* The entry has been performed. What was kept for those that come next is performed; true if that changed memory. */
bool ptx_order_done(struct ptx_order *order, int64_t entry);
bool ptx_order_has_deferred(const struct ptx_order *order, uint64_t warp);
/* An atomic that the list does not have is performed. */
void ptx_order_beyond(struct ptx_order *order);
/* The warp of the earliest entry that waits; -1: there is none. */
int64_t ptx_order_next_warp(struct ptx_order *order);
/* Nobody can go on: the earliest entry is left out. As ptx_order_done(). */
bool ptx_order_drop(struct ptx_order *order);
uint64_t ptx_order_progress(const struct ptx_order *order); /* grows with each entry that is done or left out */

/* exec_atomic.c: performs it; true if memory changed. *old: what was there. */
bool atomic_perform(const struct atomic_op *x, uint64_t *old);
#endif
