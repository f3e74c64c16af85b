/* Loops that can only wait. No register that such a loop writes is read in the next round before it is written
 * again, and nothing in it has an effect but memory accesses: as long as no memory changes, each round does what the
 * one before did. The branch back is marked with the length of a round; the executor gives the warp's turn away
 * where a round changed nothing (exec_control.c). Kernels with frames are not looked at: their registers are saved
 * and brought back. */
#include <stdlib.h>
#include <string.h>
#include "lower/lower.h"

static bool inst_writes(const struct trace_inst *inst) { return inst->cls == TRACE_STORE || inst->cls == TRACE_ATOMIC; }

#define MAX_SPIN_BLOCKS 64u /* larger loops do not wait */

struct loop {
    uint32_t blocks[MAX_SPIN_BLOCKS], n;
};

static bool has_block(const struct loop *loop, uint32_t b)
{
    for (uint32_t i = 0; i < loop->n; i++)
        if (loop->blocks[i] == b) return true;
    return false;
}

/* The blocks from which `latch` is reached without passing `header`; false where they are too many, or lead out of
 * the entry. */
static bool natural_loop(const struct cfg *cfg, uint32_t header, uint32_t latch, struct loop *loop)
{
    *loop = (struct loop){.blocks = {header}, .n = 1};
    if (latch != header) loop->blocks[loop->n++] = latch;
    for (uint32_t next = 1; next < loop->n; next++) {
        const uint32_t b = loop->blocks[next];
        if (b == 0) return false;
        for (uint32_t i = cfg->pred_start[b]; i < cfg->pred_start[b + 1]; i++) {
            if (has_block(loop, cfg->pred[i])) continue;
            if (loop->n == MAX_SPIN_BLOCKS) return false;
            loop->blocks[loop->n++] = cfg->pred[i];
        }
    }
    return true;
}

/* What a round may do: compute, look at lanes of the warp, and access memory that other threads share. */
static bool may_wait(const struct uop *u)
{
    switch (u->kind) {
    case UOP_CLOCK:
    case UOP_CALL:
    case UOP_RETURN:
    case UOP_BUILTIN:
    case UOP_STACK:
    case UOP_BARRIER:
    case UOP_STORE_ARG:
    case UOP_SURFACE:
    case UOP_MMA:
    case UOP_BRANCH_TABLE: return false;
    case UOP_STORE: return u->space != SP_LOCAL;
    default: return true;
    }
}

/* Instructions of a round, or 0: the loop does more than wait. */
static uint32_t round_of(const struct lower *l, const struct cfg *cfg, const struct loop *loop, live_fn *is_live,
                         const void *live)
{
    uint32_t n = 0;
    bool reads = false;
    for (uint32_t k = 0; k < loop->n; k++) {
        const struct block *b = &cfg->blocks[loop->blocks[k]];
        for (uint32_t i = b->first; i < b->end; i++) {
            const struct uop *u = &l->code[i];
            if (!may_wait(u)) return 0;
            reads |= (u->kind == UOP_LOAD && u->space != SP_PARAM && u->space != SP_CONST && u->space != SP_LOCAL) ||
                     u->kind == UOP_ATOMIC || u->kind == UOP_MBARRIER;
            for (uint32_t d = 0; d < l->uses[i].n_dst; d++)
                if (is_live(live, loop->blocks[0], l->uses[i].dst[d])) return 0;
        }
        n += b->end - b->first;
    }
    return reads && n <= UINT16_MAX ? n : 0;
}

/* What a trial of a round (exec/waits.c) has to bring back. */
static void list_written(struct lower *l, const struct block *b, struct uop *latch)
{
    struct ptx_kernel *k = l->kernel;
    latch->d = (uint32_t)k->n_written;
    for (uint32_t i = b->first; i < b->end; i++)
        for (uint32_t d = 0; d < l->uses[i].n_dst; d++) {
            const struct reg *r = &l->regs[l->uses[i].dst[d]];
            if (r->slot == NO_SLOT) continue;
            if (ARRAY_ROOM(k->written, k->cap_written, k->n_written) < 0) {
                lower_memory(l);
                return;
            }
            k->written[k->n_written++] = span_of(r);
        }
    latch->d2 = (uint32_t)k->n_written - latch->d;
}

static bool is_mbarrier_wait(const struct uop *u)
{
    return u->kind == UOP_MBARRIER && (u->op == MBARRIER_WAIT || u->op == MBARRIER_WAIT_PARITY);
}

/* For who records what is waited for: the reads of such a loop, and whether a round can be tried (exec/waits.c). */
static void note_loop(struct lower *l, const struct cfg *cfg, const struct loop *loop, struct uop *latch)
{
    latch->notes = loop->n == 1 ? NOTE_BLOCK : 0;
    for (uint32_t k = 0; k < loop->n; k++) {
        const struct block *b = &cfg->blocks[loop->blocks[k]];
        for (uint32_t i = b->first; i < b->end; i++) {
            struct uop *u = &l->code[i];
            if (u->kind == UOP_LOAD || u->kind == UOP_ATOMIC || is_mbarrier_wait(u)) u->notes |= NOTE_READS;
            if (u->kind == UOP_ATOMIC) latch->notes |= NOTE_ATOMIC;
            if (u->kind == UOP_STORE || (u->kind == UOP_MBARRIER && !is_mbarrier_wait(u)))
                latch->notes &= (uint8_t)~NOTE_BLOCK;
        }
    }
    if (latch->notes & NOTE_BLOCK) list_written(l, &cfg->blocks[loop->blocks[0]], latch);
}

static void note_writes(struct lower *l)
{
    for (uint32_t i = 0; i < l->n_code; i++) {
        struct uop *u = &l->code[i];
        const struct trace_inst *inst = &l->insts[i];
        const bool is_strong = trace_inst_scope(inst) != TRACE_SCOPE_NONE;
        if (u->kind == UOP_ATOMIC || (u->kind == UOP_MBARRIER && inst_writes(inst))) u->notes |= NOTE_WRITES;
        if (u->kind == UOP_STORE) u->notes |= is_strong ? NOTE_WRITES : NOTE_STORES;
    }
}

void spin_mark(struct lower *l, const struct cfg *cfg, live_fn *is_live, const void *live)
{
    struct loop loop;
    if (l->kernel->n_callees) return;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        struct uop *last = &l->code[cfg->blocks[b].end - 1];
        if (last->kind != UOP_BRANCH || last->target > cfg->blocks[b].first) continue;
        if (natural_loop(cfg, cfg->block_of[last->target], b, &loop))
            last->round = (uint16_t)round_of(l, cfg, &loop, is_live, live);
        if (last->round) note_loop(l, cfg, &loop, last);
        l->kernel->may_wait |= last->round > 0;
    }
    if (l->kernel->may_wait) note_writes(l);
}
