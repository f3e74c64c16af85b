/* Calls with a frame, and the stack that a thread has in its local memory.
 *
 * A function has its registers once. A call saves them, gives each calling lane its arguments and a piece of its stack,
 * and puts the lanes on top of the SIMT stack; it is over when that stack is as low as before, whichever way the lanes
 * went. Then the registers come back and the caller gets the results. */
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"
#include "exec/lane_macros.h"

static uint32_t get32(const unsigned char *at, uint32_t l)
{
    uint32_t value;
    memcpy(&value, at + l * 4, 4);
    return value;
}

static uint64_t get64(const unsigned char *at, uint32_t l)
{
    uint64_t value;
    memcpy(&value, at + l * 8, 8);
    return value;
}

static const struct callee *find_callee(const struct run *r, uint64_t address)
{
    const struct ptx_kernel *k = r->kernel;
    for (size_t i = 0; i < k->n_callees; i++)
        if (k->callees[i].number && PTX_CODE_WINDOW + 16 * (uint64_t)k->callees[i].number == address)
            return &k->callees[i];
    return NULL;
}

/* Which function the first lanes call; lanes that call another one wait for their turn at the same instruction. */
static const struct callee *choose(struct run *r, struct warp *w, const struct uop *u, uint32_t *mask)
{
    if (u->target != NO_INDEX) return &r->kernel->callees[u->target];
    const uint32_t first = (uint32_t)__builtin_ctz(*mask), pc = (uint32_t)(u - r->kernel->code);
    const uint64_t address = get64(w->regs + u->a, first);
    const struct callee *c = find_callee(r, address);
    uint32_t same = 0;
    if (!c) {
        run_fault(r, w, u, first, "0x%llx is not the address of a function", (unsigned long long)address);
        return NULL;
    }
    for (uint32_t l = 0; l < LANES; l++) same |= get64(w->regs + u->a, l) == address ? 1u << l : 0;
    const uint32_t others = *mask & ~same;
    *mask &= same;
    if (others) w->stack[w->depth++] = (struct stack_entry){pc, pc + 1, others, ENTRY_RUNS};
    return c;
}

static bool same_args(const struct ptx_kernel *k, const struct uop *u, const struct callee *c)
{
    if (u->e != c->n_params || u->d2 != c->n_rets) return false;
    for (uint32_t i = 0; i < c->n_params + c->n_rets; i++)
        if (k->args[(size_t)u->imm + i].bytes != k->args[c->first_arg + i].bytes) return false;
    return true;
}

static int save(struct run *r, struct warp *w, const struct uop *u, const struct callee *c, uint32_t lane,
                struct frame *f)
{
    const size_t bytes = c->hi - c->lo + SLOT32, need = w->saved_bytes + bytes;
    if (w->n_frames >= MAX_CALL_FRAMES || need > MAX_FRAME_BYTES || w->depth + 2 > STACK_DEPTH + 2 * MAX_CALL_FRAMES) {
        run_fault(r, w, u, lane, "%u calls of functions are open, no more are possible", w->n_frames);
        if (r->err) r->err->code = ERR_LIMIT;
        return -1;
    }
    if (need > w->saved_cap) {
        const size_t cap = need * 2;
        unsigned char *grown = realloc(w->saved, cap);
        if (!grown) return error_set(r->err, ERR_MEMORY, "kernel %s: out of memory for calls", r->kernel->info.name);
        w->saved = grown;
        w->saved_cap = cap;
    }
    f->saved = w->saved_bytes;
    memcpy(w->saved + f->saved, w->regs + r->kernel->stack_slot, SLOT32);
    memcpy(w->saved + f->saved + SLOT32, w->regs + c->lo, c->hi - c->lo);
    w->saved_bytes = need;
    return 0;
}

/* A piece of each lane's stack, and in it the function's local variables. */
static int take_stack(struct run *r, struct warp *w, const struct uop *u, const struct callee *c, uint32_t mask)
{
    const struct ptx_kernel *k = r->kernel;
    const uint32_t index = (uint32_t)(c - k->callees);
    for (uint32_t left = mask; left && c->local_bytes; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left), top = (get32(w->regs + k->stack_slot, l) + 15) & ~15u;
        const uint32_t after = top + c->local_bytes;
        if (after > k->info.local_bytes || after < top)
            return run_fault(r, w, u, l, "the stack of %u bytes overflows in %s", STACK_BYTES, c->name);
        for (size_t i = c->first_init; i < c->end_init; i++) {
            const struct slot_init *x = &k->inits[i];
            if (x->source != SLOT_FRAME || x->index != index) continue;
            const uint64_t address = top + x->value;
            memcpy(w->regs + x->slot + l * (x->width / 8u), &address, x->width / 8u);
        }
        memcpy(w->regs + k->stack_slot + l * 4, &after, 4);
    }
    return 0;
}

int exec_call(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    const struct ptx_kernel *k = r->kernel;
    const uint32_t first = (uint32_t)__builtin_ctz(mask);
    struct frame f = {.call = u};
    if (w->depth + 2 > STACK_DEPTH + 2 * MAX_CALL_FRAMES)
        return run_fault(r, w, u, first, "too many diverged calls are open");
    const struct callee *c = choose(r, w, u, &mask);
    if (!c) return -1;
    if (!same_args(k, u, c)) return run_fault(r, w, u, first, "%s has other parameters than this call", c->name);
    if (save(r, w, u, c, first, &f) < 0) return -1;
    for (uint32_t i = 0; i < c->n_params; i++) {
        const struct call_arg *to = &k->args[c->first_arg + i], *from = &k->args[(size_t)u->imm + i];
        /* an argument of the same function, further down */
        const bool is_saved = from->slot >= c->lo && from->slot < c->hi;
        const unsigned char *src = is_saved ? w->saved + f.saved + SLOT32 + (from->slot - c->lo) : w->regs + from->slot;
        for (uint32_t left = mask; left; left &= left - 1) {
            const size_t at = (size_t)(uint32_t)__builtin_ctz(left) * to->bytes;
            memcpy(w->regs + to->slot + at, src + at, to->bytes);
        }
    }
    if (take_stack(r, w, u, c, mask) < 0) return -1;
    f.callee = c;
    f.mask = mask;
    f.depth = w->depth;
    w->frames[w->n_frames++] = f;
    w->stack[w->depth++] = (struct stack_entry){c->entry, NO_INDEX, mask, ENTRY_RUNS};
    return 0;
}

static void end_frame(struct run *r, struct warp *w, const struct frame *f)
{
    const struct ptx_kernel *k = r->kernel;
    const struct callee *c = f->callee;
    unsigned char *saved = w->saved + f->saved + SLOT32, *now = w->regs + c->lo;
    for (size_t i = 0; i < c->hi - c->lo; i += 64) { /* exchange: the results stay readable */
        unsigned char line[64];
        memcpy(line, now + i, 64);
        memcpy(now + i, saved + i, 64);
        memcpy(saved + i, line, 64);
    }
    for (uint32_t left = f->mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        memcpy(w->regs + k->stack_slot + l * 4, w->saved + f->saved + l * 4, 4);
        for (uint32_t i = 0; i < c->n_rets; i++) {
            const struct call_arg *from = &k->args[c->first_arg + c->n_params + i];
            const struct call_arg *to = &k->args[(size_t)f->call->imm + c->n_params + i];
            const size_t at = (size_t)l * to->bytes;
            memcpy(w->regs + to->slot + at, saved + (from->slot - c->lo) + at, to->bytes);
        }
    }
}

void exec_frames_end(struct run *r, struct warp *w)
{
    while (w->n_frames && w->depth <= w->frames[w->n_frames - 1].depth) {
        const struct frame *f = &w->frames[--w->n_frames];
        end_frame(r, w, f);
        w->saved_bytes = f->saved;
    }
}

int exec_stack(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    const uint32_t bytes = u->width / 8u;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left), top = get32(w->regs + u->c, l), align = (uint32_t)u->imm;
        uint64_t a = 0;
        uint32_t after = top;
        if (u->a != NO_SLOT) memcpy(&a, w->regs + u->a + l * bytes, bytes);
        if (u->op == STACK_SAVE) a = top;
        if (u->op == STACK_ALLOCA) {
            const uint32_t at = (top + align - 1) & ~(align - 1);
            if (at > r->kernel->info.local_bytes || a > r->kernel->info.local_bytes - at)
                return run_fault(r, w, u, l, "%llu bytes: the stack of %u bytes overflows", (unsigned long long)a,
                                 STACK_BYTES);
            after = at + (uint32_t)a;
            a = at;
        }
        if (u->op == STACK_RESTORE) {
            if (a < r->kernel->stack_base || a > r->kernel->info.local_bytes)
                return run_fault(r, w, u, l, "0x%llx is not in the stack", (unsigned long long)a);
            after = (uint32_t)a;
        }
        memcpy(w->regs + u->c + l * 4, &after, 4);
        if (u->d != NO_SLOT) memcpy(w->regs + u->d + l * bytes, &a, bytes);
    }
    return 0;
}
