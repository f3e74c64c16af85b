#include "net/xbar.h"

void xbar_init(struct ports *p, const struct gpu_params *params, enum port_side sms, struct arena *arena)
{
    const struct xbar_params *x = &params->xbar;
    p->speedup = x->speedup;
    if (x->speedup == 1 && x->cluster_sms < 2) return; /* ports are all there is */
    struct xbar_links *l = ARENA_TAKE(arena, struct xbar_links, 1), measured;
    const bool is_real = l != NULL;
    if (!is_real) l = &measured;
    *l = (struct xbar_links){.in_busy = ARENA_TAKE(arena, cycle_t, p->n_in),
                             .out_busy = ARENA_TAKE(arena, cycle_t, p->n_out),
                             .output_buffer = x->output_buffer};
    if (x->cluster_sms > 1) {
        l->clusters = params->core.sms / x->cluster_sms;
        l->clustered = params->core.sms;
        l->cluster_side = sms;
        p->wanders = true;
    }
    if (is_real) p->own = l;
}

static bool has_free_input(const struct ports *p, uint32_t out)
{
    const uint64_t *wanted = ports_wanted_of(p, out);
    uint64_t any = 0;
    for (uint32_t w = 0; w < p->in_words; w++) any |= wanted[w] & p->free_in.word[w];
    return any;
}

/* The ports of the same cluster as `port`, which is granted, are taken too, until `at`. */
static void hold_cluster(struct ports *p, const struct xbar_links *l, uint32_t port, cycle_t at)
{
    struct bits *free = l->cluster_side == PORT_IN ? &p->free_in : &p->free_out;
    if (port >= l->clustered) return;
    for (uint32_t k = port % l->clusters; k < l->clustered; k += l->clusters) {
        if (k == port || !bits_has(free, k)) continue;
        bits_clear(free, k);
        ports_free_at(p, l->cluster_side, k / 64, 1ull << k % 64, at);
        if (l->cluster_side == PORT_OUT || !ports_wants(p, k)) continue;
        const uint32_t target = p->target[k];
        if (!has_free_input(p, target)) p->ready[target / 64] &= ~(1ull << target % 64);
    }
}

/* The port whose link this one shares: the first of its cluster. */
static uint32_t link_of(const struct xbar_links *l, enum port_side side, uint32_t port)
{
    return l->clusters && l->cluster_side == side && port < l->clustered ? port % l->clusters : port;
}

/* The input's link brings one flit a cycle too; what came while the switch was busy waits in a buffer as large as the
 * output's. */
cycle_t xbar_hold_links(struct ports *p, uint32_t in, uint32_t out, uint32_t flits, cycle_t *in_free, cycle_t *out_free)
{
    struct xbar_links *l = p->own;
    const cycle_t now = p->link_now, earliest = now > l->output_buffer ? now - l->output_buffer : 0;
    cycle_t *in_busy = &l->in_busy[link_of(l, PORT_IN, in)], *out_busy = &l->out_busy[link_of(l, PORT_OUT, out)];
    *in_busy = (*in_busy > earliest ? *in_busy : earliest) + flits;
    *out_busy = (*out_busy > now ? *out_busy : now) + flits;
    const cycle_t link_in = *in_busy * p->speedup;
    const cycle_t link_out = *out_busy > l->output_buffer ? (*out_busy - l->output_buffer) * p->speedup : 0;
    if (link_in > *in_free) *in_free = link_in;
    if (link_out > *out_free) *out_free = link_out;
    if (l->clusters) hold_cluster(p, l, l->cluster_side ? out : in, l->cluster_side ? *out_free : *in_free);
    return *out_busy;
}
