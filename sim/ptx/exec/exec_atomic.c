/* Atomics: lane after lane, ascending, which is one of the orders that the hardware may choose. [PTX ISA 9.7.13.4] */
#include <string.h>
#include "exec/exec.h"

/* 16-bit registers have elements of 4 bytes */
static uint32_t stride_of(uint32_t bytes) { return bytes == 8 ? 8 : 4; }

static uint64_t lane_value(const struct warp *w, uint32_t slot, uint32_t l, uint32_t bytes)
{
    return zero_extended(w->regs + slot + l * stride_of(bytes), bytes);
}

/* Element i of an addition of vectors; the results' slots are d, c, e, d2. */
static void vector_element(struct warp *w, const struct uop *u, uint32_t l, uint32_t i, unsigned char *at, bool flushes)
{
    const uint32_t results[] = {u->d, u->c, u->e, u->d2}, bytes = u->bytes;
    const struct atomic_op x = {.at = at,
                                .b = lane_value(w, u->vec[i], l, bytes),
                                .op = TRACE_ATOMIC_ADD,
                                .type = u->type,
                                .bytes = u->bytes,
                                .flushes = flushes};
    uint64_t old;
    atomic_perform(&x, &old);
    if (results[i] != NO_SLOT) memcpy(w->regs + results[i] + l * stride_of(bytes), &old, stride_of(bytes));
}

static struct atomic_op operation_of(const struct warp *w, const struct uop *u, uint32_t l, uint64_t host, bool flushes)
{
    return (struct atomic_op){.at = (unsigned char *)(uintptr_t)host,
                              .b = lane_value(w, u->b, l, u->bytes),
                              .c = u->c == NO_SLOT ? 0 : lane_value(w, u->c, l, u->bytes),
                              .op = u->op,
                              .type = u->type,
                              .bytes = u->bytes,
                              .flushes = flushes};
}

static bool flushes_single(const struct uop *u, enum space space)
{
    return u->op == TRACE_ATOMIC_ADD && u->type == T_F32 && space == SP_GLOBAL;
}

/* The lanes of mask, whose bytes the host has at `hosts`. */
static void perform_lanes(struct run *r, struct warp *w, const struct uop *u, uint32_t mask,
                          const uint64_t hosts[LANES], bool flushes)
{
    bool changed = false;
    if (atomic_words(w, u, mask, hosts, &changed)) {
        if (changed) r->changed = r->counts.warp_insts;
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left), bytes = u->bytes;
        uint64_t old;
        if (u->n_vec > 1) {
            for (uint32_t i = 0; i < u->n_vec; i++)
                vector_element(w, u, l, i, (unsigned char *)(uintptr_t)hosts[l] + i * bytes, flushes);
            r->changed = r->counts.warp_insts;
            continue;
        }
        const struct atomic_op x = operation_of(w, u, l, hosts[l], flushes);
        if (atomic_perform(&x, &old)) r->changed = r->counts.warp_insts;
        if (u->d != NO_SLOT) copy_bytes(w->regs + u->d + l * stride_of(bytes), &old, stride_of(bytes));
    }
}

/* ---- in a given order ---- */

/* The warp tries this instruction again at its next turn. */
static void hold(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    w->is_held = true;
    w->held_mask = mask;
    w->stack[w->depth - 1].pc = (uint32_t)(u - r->kernel->code);
    r->stop = r->counts.warp_insts;
}

static uint64_t warp_number(const struct run *r, const struct warp *w) { return r->cta_index * r->n_warps + w->index; }

bool is_held_for_atomics(struct run *r, struct warp *w, const struct uop *u)
{
    if (!order_of(r) || !ptx_order_has_deferred(order_of(r), warp_number(r, w))) return false;
    hold(r, w, u, 0);
    return true;
}

static int keep_lanes(struct run *r, const struct warp *w, const struct uop *u, uint32_t mask,
                      const uint64_t hosts[LANES], int64_t entry, bool flushes)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        const struct atomic_op x = operation_of(w, u, l, hosts[l], flushes);
        if (ptx_order_defer(order_of(r), entry, &x) < 0)
            return error_set(r->err, ERR_MEMORY, "kernel %s: no memory for atomics that wait", r->kernel->info.name);
    }
    return 0;
}

/* An atomic's lanes of global memory where the order of atomics is given. Those whose turn has not come are held. */
static int atomic_in_order(struct run *r, struct warp *w, const struct uop *u, uint32_t mask,
                           const uint64_t addresses[LANES])
{
    struct ptx_order *order = order_of(r);
    const struct trace_inst *inst = &r->kernel->insts[u - r->kernel->code];
    const bool flushes = flushes_single(u, SP_GLOBAL), goes_on = !(inst->flags & TRACE_RESULT_USED) && u->n_vec == 1;
    uint32_t held = 0;
    uint64_t hosts[LANES];
    memcpy(hosts, addresses, sizeof hosts);
    if (to_host(r, w, u, SP_GLOBAL, mask, u->bytes * u->n_vec, hosts) < 0) return -1;
    for (uint32_t left = mask, lanes; left; left &= ~lanes) {
        const uint64_t at = addresses[__builtin_ctz(left)];
        lanes = 0;
        for (uint32_t l = 0; l < LANES; l++)
            lanes |= left >> l & 1 && ptx_order_on_one_line(order, at, addresses[l]) ? 1u << l : 0;
        const int64_t entry = ptx_order_find(order, warp_number(r, w), at, inst->pc);
        if (entry == ORDER_NONE) {
            ptx_order_beyond(order);
            perform_lanes(r, w, u, lanes, hosts, flushes);
        } else if (ptx_order_is_next(order, entry)) {
            perform_lanes(r, w, u, lanes, hosts, flushes);
            if (ptx_order_done(order, entry)) r->changed = r->counts.warp_insts;
        } else if (goes_on) {
            if (keep_lanes(r, w, u, lanes, hosts, entry, flushes) < 0) return -1;
        } else {
            held |= lanes;
        }
    }
    if (held) hold(r, w, u, held);
    return 0;
}

static int atomic_space(struct run *r, struct warp *w, const struct uop *u, enum space space, uint32_t mask,
                        uint64_t addresses[LANES])
{
    if (space == SP_GLOBAL && order_of(r)) return atomic_in_order(r, w, u, mask, addresses);
    if (to_host(r, w, u, space, mask, u->bytes * u->n_vec, addresses) < 0) return -1;
    perform_lanes(r, w, u, mask, addresses, flushes_single(u, space));
    return 0;
}

int exec_atomic(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t addresses[LANES];
    if (w->held_mask) mask &= w->held_mask;
    w->held_mask = 0;
    lane_addresses(w, u, mask, addresses);
    record_addresses(w, u, mask, addresses);
    if (!r->waits) return each_space(r, w, u, mask, addresses, atomic_space);
    waits_begin_access(r, w, u, mask, addresses);
    const int rc = each_space(r, w, u, mask, addresses, atomic_space);
    waits_end_access(r, w);
    return rc;
}
