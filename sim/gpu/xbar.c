#include "xbar.h"

void xbar_init(struct xbar *x, uint32_t n_in, uint32_t n_out, uint32_t speedup, uint32_t output_buffer, struct arena *arena)
{
    *x = (struct xbar){.n_in = n_in, .n_out = n_out, .speedup = speedup, .output_buffer = output_buffer};
    x->outputs = ARENA_TAKE(arena, struct xbar_output, n_out);
    x->input_busy = ARENA_TAKE(arena, cycle_t, n_in);
    x->input_link = ARENA_TAKE(arena, cycle_t, n_in);
}

void xbar_want(struct xbar *x, uint32_t in, uint32_t out)
{
    x->outputs[out].wanted[in / 64] |= 1ull << in % 64;
    x->active[out / 64] |= 1ull << out % 64;
}

uint32_t xbar_pick(const struct xbar *x, uint32_t out, cycle_t now)
{
    const struct xbar_output *o = &x->outputs[out];
    if (o->busy > now || o->link_busy > now / x->speedup + x->output_buffer) return XBAR_NONE;
    const uint32_t start = o->last + 1 < x->n_in ? o->last + 1 : 0;
    for (uint32_t k = 0; k <= XBAR_WORDS; k++) { /* from start to the end, then around */
        const uint32_t word = (start / 64 + k) % XBAR_WORDS;
        uint64_t left = o->wanted[word];
        if (k == 0) left &= ~0ull << start % 64;
        if (k == XBAR_WORDS) left &= start % 64 ? ~(~0ull << start % 64) : 0;
        for (; left; left &= left - 1) {
            const uint32_t in = word * 64 + (uint32_t)__builtin_ctzll(left);
            if (x->input_busy[in] <= now && x->input_link[in] <= now / x->speedup) return in;
        }
    }
    return XBAR_NONE;
}

uint32_t xbar_grant(struct xbar *x, uint32_t in, uint32_t out, uint32_t flits, cycle_t now)
{
    const cycle_t link_now = now / x->speedup;
    struct xbar_output *o = &x->outputs[out];
    o->wanted[in / 64] &= ~(1ull << in % 64);
    if (!(o->wanted[0] | o->wanted[1])) x->active[out / 64] &= ~(1ull << out % 64);
    o->busy = now + flits;
    o->last = in;
    x->input_busy[in] = now + flits;
    /* The input's link brings one flit a cycle too; what came while the switch was busy waits in a buffer as large as the output's. */
    const cycle_t earliest = link_now > x->output_buffer ? link_now - x->output_buffer : 0;
    x->input_link[in] = (x->input_link[in] > earliest ? x->input_link[in] : earliest) + flits;
    o->link_busy = (o->link_busy > link_now ? o->link_busy : link_now) + flits;
    return (uint32_t)(o->link_busy - link_now);
}
