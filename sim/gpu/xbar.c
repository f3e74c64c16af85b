#include "xbar.h"

void xbar_init(struct xbar *x, uint32_t n_in, uint32_t n_out, uint32_t speedup, uint32_t output_buffer, struct arena *arena)
{
    *x = (struct xbar){.n_in = n_in, .n_out = n_out, .speedup = speedup, .output_buffer = output_buffer,
                       .in_words = (n_in + 63) / 64, .out_words = (n_out + 63) / 64};
    x->outputs = ARENA_TAKE(arena, struct xbar_output, n_out);
    x->inputs = ARENA_TAKE(arena, struct xbar_input, n_in);
    x->free_in = bits_first(n_in);
    x->free_out = x->room = bits_first(n_out);
    for (uint32_t i = 0; x->inputs && i < n_in; i++) x->inputs[i].target = XBAR_NONE;
}

void xbar_begin(struct xbar *x, cycle_t now)
{
    for (uint32_t w = 0; w < x->in_words; w++)
        for (uint64_t left = agenda_take(&x->in_busy[w], now); left; left &= left - 1) {
            const uint32_t in = w * 64 + (uint32_t)__builtin_ctzll(left);
            const struct xbar_input *i = &x->inputs[in];
            if (i->free_at > now) {
                agenda_put(x->in_busy, in, i->free_at);
                continue;
            }
            bits_set(&x->free_in, in);
            if (i->target != XBAR_NONE) bits_set(&x->ready, i->target);
        }
    for (uint32_t w = 0; w < x->out_words; w++)
        for (uint64_t left = agenda_take(&x->out_busy[w], now); left; left &= left - 1) {
            const uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (x->outputs[out].free_at > now) agenda_put(x->out_busy, out, x->outputs[out].free_at);
            else bits_set(&x->free_out, out);
        }
}

uint32_t xbar_pick(const struct xbar *x, uint32_t out)
{
    const struct xbar_output *o = &x->outputs[out];
    const uint32_t start = o->last + 1 < x->n_in ? o->last + 1 : 0;
    uint32_t word = start / 64;
    for (uint32_t k = 0; k <= x->in_words; k++) { /* from start to the end, then around */
        uint64_t left = o->wanted.word[word] & x->free_in.word[word];
        if (k == 0) left &= ~0ull << start % 64;
        if (left) return word * 64 + (uint32_t)__builtin_ctzll(left);
        if (++word == x->in_words) word = 0;
    }
    return XBAR_NONE;
}

uint32_t xbar_grant(struct xbar *x, uint32_t in, uint32_t out, uint32_t flits, cycle_t now)
{
    const cycle_t link_now = now / x->speedup;
    struct xbar_output *o = &x->outputs[out];
    struct xbar_input *i = &x->inputs[in];
    bits_clear(&o->wanted, in);
    bits_clear(&x->free_in, in);
    bits_clear(&x->free_out, out);
    if (!((o->wanted.word[0] & x->free_in.word[0]) | (o->wanted.word[1] & x->free_in.word[1]))) bits_clear(&x->ready, out);
    x->n_waiting--;
    i->target = XBAR_NONE;
    o->last = in;
    /* The input's link brings one flit a cycle too; what came while the switch was busy waits in a buffer as large as the output's. */
    const cycle_t earliest = link_now > x->output_buffer ? link_now - x->output_buffer : 0;
    i->link_busy = (i->link_busy > earliest ? i->link_busy : earliest) + flits;
    o->link_busy = (o->link_busy > link_now ? o->link_busy : link_now) + flits;
    const cycle_t busy = now + flits, link_in = i->link_busy * x->speedup;
    const cycle_t link_out = o->link_busy > x->output_buffer ? (o->link_busy - x->output_buffer) * x->speedup : 0;
    i->free_at = link_in > busy ? link_in : busy;
    o->free_at = link_out > busy ? link_out : busy;
    agenda_put(x->in_busy, in, i->free_at);
    agenda_put(x->out_busy, out, o->free_at);
    return (uint32_t)(o->link_busy - link_now);
}
