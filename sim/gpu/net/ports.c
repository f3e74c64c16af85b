#include "net/ports.h"

void ports_init(struct ports *p, uint32_t n_in, uint32_t n_out, struct arena *arena)
{
    *p = (struct ports){
        .n_in = n_in, .n_out = n_out, .speedup = 1, .in_words = (n_in + 63) / 64, .out_words = (n_out + 63) / 64};
    p->words = p->in_words > p->out_words ? p->in_words : p->out_words;
    p->turn = arena_take(arena, n_out, sizeof *p->turn, 64);
    p->target = ARENA_TAKE(arena, uint32_t, n_in);
    p->wanted = arena_take(arena, (size_t)n_out * p->in_words, sizeof *p->wanted, 64);
    p->free_at[PORT_IN] = ARENA_TAKE(arena, cycle_t, n_in);
    p->free_at[PORT_OUT] = ARENA_TAKE(arena, cycle_t, n_out);
    p->wheels = ARENA_TAKE(arena, struct port_wheel, p->words);
    p->free_in = bits_first(n_in);
    p->free_out = p->room = bits_first(n_out);
    for (uint32_t i = 0; p->turn && i < n_out; i++) p->turn[i] = n_in > 1;
}

uint64_t ports_late(struct ports *p, enum port_side side, uint32_t w, uint64_t due, cycle_t now)
{
    uint64_t late = due & p->wheels[w].late[side];
    p->wheels[w].late[side] &= ~late;
    for (; late; late &= late - 1) {
        const uint32_t port = 64 * w + (uint32_t)__builtin_ctzll(late);
        if (p->free_at[side][port] <= now) continue;
        due &= ~(late & -late);
        ports_free_at(p, side, w, 1ull << port % 64, p->free_at[side][port]);
    }
    return due;
}
