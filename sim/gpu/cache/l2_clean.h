/* Dirty lines of an L2 bank that are written to DRAM before they are replaced. [l2.clean_after]
 *
 *   a store covers a clean sector --> the line is noted --> one too many: the oldest is written, and stays, clean
 *
 * NVIDIA's patents describe it: L2 tells the memory controller of dirty data, which sorts what it is told by pages of
 * DRAM banks, and has the data of a page written once its entry is full or is the oldest of too many. [US 8341358; by
 * class of data US 8060700] Which data that is, a Quadro GV100's counters show (tests/reference/silicon/qv100.csv):
 * kernels whose warps overwrite what they have loaded, sector by sector, leave 0.3 to 1.1 MB dirty whatever they write
 * (fwtBatch1Kernel, fwtBatch2Kernel, mysgemmNT, ComputeQ_GPU); those that write elsewhere, or parts of sectors, leave
 * up to 3 MB, what L2 holds of lines of its own (mergeSort, srad, dct8x8, backprop). */
#ifndef GPU_L2_CLEAN_H
#define GPU_L2_CLEAN_H
#include "cache/l2_parts.h"

/* After tags_init: params->l2.clean_after of the bank's lines can be noted. */
static inline void l2_clean_init(struct l2_clean *c, uint32_t lines, struct arena *arena)
{
    *c = (struct l2_clean){.size = lines};
    c->noted = ARENA_TAKE(arena, struct l2_noted, lines);
}

/* Of a store that hits: with room in the miss queue it can be taken. */
static inline bool l2_clean_may_send(const struct l2 *l2, const struct request *r)
{
    return l2->clean.size && l2->clean.n == l2->clean.size && r->kind == REQUEST_WRITE && r->wants_data;
}

/* One that has been replaced since then is gone from L2 already. */
static void clean_oldest(struct l2 *l2)
{
    struct l2_clean *c = &l2->clean;
    const struct l2_noted *noted = &c->noted[c->head];
    struct tag_line *l = tags_line(&l2->tags, noted->frame);
    c->head = c->head + 1 < c->size ? c->head + 1 : 0;
    c->n--;
    if (*tags_key(l) != noted->line || !l->dirty) return;
    to_dram(l2, REQUEST_WRITE, noted->line, org_dirty_sectors(&l2->tags, l), 0);
    l->dirty = 0;
    l2->stats.l2_writebacks++;
}

/* A store is about to leave `sectors` dirty in a line where they are present. */
static APART void l2_clean_note(struct l2 *l2, const struct request *r, const struct tag_line *l, uint32_t sectors)
{
    struct l2_clean *c = &l2->clean;
    const uint32_t frame = tags_index(&l2->tags, l), newest = (c->head + c->n + c->size - 1) % c->size;
    if (!r->wants_data || !(sectors & ~l->dirty)) return;
    if (c->n && c->noted[newest].frame == frame && c->noted[newest].line == r->line) return;
    if (c->n == c->size) clean_oldest(l2);
    c->noted[(c->head + c->n++) % c->size] = (struct l2_noted){frame, r->line};
}
#endif
