#include "net/xbar.h"

void xbar_init(struct xbar *x, uint32_t n_in, uint32_t n_out, uint32_t speedup, uint32_t output_buffer,
               struct arena *arena)
{
    *x = (struct xbar){.n_in = n_in,
                       .n_out = n_out,
                       .speedup = speedup,
                       .output_buffer = output_buffer,
                       .is_simple = speedup == 1,
                       .in_words = (n_in + 63) / 64,
                       .out_words = (n_out + 63) / 64};
    x->words = x->in_words > x->out_words ? x->in_words : x->out_words;
    x->outputs = arena_take(arena, n_out, sizeof *x->outputs, 64);
    x->inputs = ARENA_TAKE(arena, struct xbar_input, n_in);
    x->wanted = arena_take(arena, (size_t)n_out * x->in_words, sizeof *x->wanted, 64);
    x->free_at[XBAR_IN] = ARENA_TAKE(arena, cycle_t, n_in);
    x->free_at[XBAR_OUT] = ARENA_TAKE(arena, cycle_t, n_out);
    x->wheels = ARENA_TAKE(arena, struct xbar_wheel, x->words);
    x->free_in = bits_first(n_in);
    x->free_out = x->room = bits_first(n_out);
    for (uint32_t i = 0; x->outputs && i < n_out; i++) x->outputs[i].first = n_in > 1;
}

uint64_t xbar_late(struct xbar *x, enum xbar_side side, uint32_t w, uint64_t due, cycle_t now)
{
    uint64_t late = due & x->wheels[w].late[side];
    x->wheels[w].late[side] &= ~late;
    for (; late; late &= late - 1) {
        const uint32_t port = 64 * w + (uint32_t)__builtin_ctzll(late);
        if (x->free_at[side][port] <= now) continue;
        due &= ~(late & -late);
        xbar_free_at(x, side, w, 1ull << port % 64, x->free_at[side][port]);
    }
    return due;
}

void xbar_cluster(struct xbar *x, enum xbar_side side, uint32_t n, uint32_t size)
{
    if (size < 2) return;
    x->clusters = n / size;
    x->clustered = n;
    x->cluster_side = side;
    x->is_simple = false;
}

static bool has_free_input(const struct xbar *x, uint32_t out)
{
    const uint64_t *wanted = xbar_wanted_of(x, out);
    uint64_t any = 0;
    for (uint32_t w = 0; w < x->in_words; w++) any |= wanted[w] & x->free_in.word[w];
    return any;
}

void xbar_hold_cluster(struct xbar *x, uint32_t port, cycle_t at)
{
    struct bits *free = x->cluster_side == XBAR_IN ? &x->free_in : &x->free_out;
    if (port >= x->clustered) return;
    for (uint32_t p = port % x->clusters; p < x->clustered; p += x->clusters) {
        if (p == port || !bits_has(free, p)) continue;
        free->word[p / 64] &= ~(1ull << p % 64);
        xbar_free_at(x, x->cluster_side, p / 64, 1ull << p % 64, at);
        if (x->cluster_side == XBAR_OUT || !xbar_wants(x, p)) continue;
        const uint32_t target = x->inputs[p].target;
        if (!has_free_input(x, target)) x->ready[target / 64] &= ~(1ull << target % 64);
    }
}
