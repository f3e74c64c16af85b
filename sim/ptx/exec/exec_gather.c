/* Instructions that wait for other lanes of their warp (.sync with a mask of members, bar.warp.sync, barrier without
 * .aligned) where the warp has diverged. Lanes that come early are parked in their entry of the SIMT stack, and
 * another path goes first; when the members are there, or nobody else can come, the instruction is executed once for
 * all of them. A path that has come to its meeting point waits there, as convergence does on hardware, and is not
 * waited for. [PTX ISA 9.7.14] */
#include <string.h>
#include "exec/exec.h"

static uint32_t lowest_entry(const struct warp *w) { return w->n_frames ? w->frames[w->n_frames - 1].depth : 0; }

/* Those that the lanes of `mask` name, and that have not ended. */
static uint32_t members_of(const struct warp *w, const struct uop *u, uint32_t mask)
{
    const uint32_t slot = u->kind == UOP_SHUFFLE ? u->e : u->b;
    uint32_t members = 0, live = 0;
    for (uint32_t i = lowest_entry(w); i < w->depth; i++) live |= w->stack[i].mask;
    if (u->kind == UOP_BARRIER) return live;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t named;
        memcpy(&named, w->regs + slot + 4 * (uint32_t)__builtin_ctz(left), 4);
        members |= named;
    }
    return members & live;
}

/* Parked entries that wait for the same: the same instruction, or any barrier of the warp or of the same number. */
static bool waits_alike(const struct warp *w, const struct uop *code, const struct stack_entry *e, uint32_t pc)
{
    const struct uop *u = &code[pc], *other = &code[e->pc];
    if (e->state != ENTRY_PARKED) return false;
    if (u->kind == UOP_SYNC_LANES) return other->kind == UOP_SYNC_LANES;
    if (u->kind != UOP_BARRIER) return e->pc == pc;
    return other->kind == UOP_BARRIER && memcmp(w->regs + u->a, w->regs + other->a, 4) == 0;
}

/* A path that has not been taken so far, or not to its end: the entry comes to the top. */
static bool bring_forward(struct warp *w)
{
    uint32_t above = w->stack[w->depth - 1].mask;
    for (uint32_t i = w->depth - 1; i-- > lowest_entry(w);) {
        const struct stack_entry e = w->stack[i];
        if (e.mask && !(e.mask & above) && e.state != ENTRY_PARKED && e.pc != e.reconverge) {
            memmove(&w->stack[i], &w->stack[i + 1], (w->depth - 1 - i) * sizeof e);
            w->stack[w->depth - 1] = e;
            return true;
        }
        above |= e.mask;
    }
    return false;
}

enum gathered gather_lanes(struct warp *w, const struct uop *code, uint32_t pc, uint32_t *mask)
{
    struct stack_entry *top = &w->stack[w->depth - 1];
    const struct uop *u = &code[pc];
    const bool together = u->kind != UOP_SYNC_LANES && u->kind != UOP_BARRIER; /* values move between the lanes */
    uint32_t here = *mask;
    if (top->state == ENTRY_RELEASED) {
        top->state = ENTRY_RUNS;
        return GATHER_PASSES;
    }
    for (uint32_t i = lowest_entry(w); i + 1 < w->depth; i++)
        if (waits_alike(w, code, &w->stack[i], pc)) here |= guard_mask(w, &code[w->stack[i].pc], w->stack[i].mask);
    if (members_of(w, u, *mask) & ~here) {
        top->pc = pc;
        top->state = ENTRY_PARKED;
        if (bring_forward(w)) return GATHER_WAITS;
        top->pc = pc + 1;
    }
    for (uint32_t i = lowest_entry(w); i + 1 < w->depth; i++) {
        struct stack_entry *e = &w->stack[i];
        if (!waits_alike(w, code, e, pc)) continue;
        e->state = together ? ENTRY_RUNS : ENTRY_RELEASED;
        e->pc += together;
    }
    top->state = ENTRY_RUNS;
    *mask = u->kind == UOP_SYNC_LANES ? *mask : here;
    return GATHER_RUNS;
}
