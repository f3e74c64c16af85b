/* Packets move: from the queue of an SM, a CPU core or a bank of L2 into that of another, when the network grants it,
 * and the next head is put into arbitration. This is one source, compiled for each network that is a rule of what a
 * grant costs (net/net.h), and chosen once a run. */
#include "machine/cpus.h"
#include "machine/network.h"
#include "net/ideal.h"
#include "net/xbar.h"

typedef cycle_t grant_fn(struct ports *p, uint32_t in, uint32_t out, uint32_t flits, cycle_t now, cycle_t next);

/* Where requests come to a bank. `out`: its port. */
struct bank_end {
    struct request_fifo *queue;
    uint32_t out, link_cycles;
};

static ALWAYS_INLINE void send_to_bank(struct gpu *g, grant_fn *grant, uint32_t port, struct bank_end to,
                                       const struct request *r, cycle_t now)
{
    const cycle_t left_at = grant(&g->requests, port, to.out, r->flits, now, 0);
    const cycle_t at = clocks_convert(&g->clocks, DOMAIN_L2, DOMAIN_XBAR, left_at + to.link_cycles);
    *request_fifo_add(to.queue, at) = *r;
    g->xbar_stats.request_packets++;
    g->xbar_stats.request_flits += r->flits;
}

/* Of a CPU core, whose port is behind those of the SMs. */
static APART void move_cpu_request(struct gpu *g, grant_fn *grant, uint32_t port, uint32_t out, cycle_t now)
{
    const struct request r = cpus_take_request(g, port);
    struct l2 *bank = &g->banks[r.bank];
    struct request_fifo *queue = g->cpu_ports ? &bank->cpu->from : &bank->from_xbar;
    send_to_bank(g, grant, port, (struct bank_end){queue, out, g->cpu_request_link_cycles}, &r, now);
}

/* `core_next`: the SMs' first cycle after this. */
static ALWAYS_INLINE void move_request(struct gpu *g, grant_fn *grant, uint32_t sm, uint32_t bank, cycle_t now,
                                       cycle_t core_next)
{
    if (sm >= g->params->core.sms) {
        move_cpu_request(g, grant, sm, bank, now);
        return;
    }
    struct sm *from = &g->sms[sm];
    const struct request *r = request_fifo_peek(&from->l1.to_xbar); /* its slot stays what it is for now */
    request_fifo_drop(&from->l1.to_xbar);
    if (!from->in_flight++) from->quiet_until = core_next + g->alone_cycles;
    struct request_fifo *queue = &g->banks[bank].from_xbar;
    send_to_bank(g, grant, sm, (struct bank_end){queue, bank, g->request_link_cycles}, r, now);
    if (request_fifo_ready_at(&from->l1.to_xbar) >= core_next) return;
    ports_want(&g->requests, sm, network_place(g, request_fifo_peek(&from->l1.to_xbar), r));
}

/* `left_at`: the crossbar's cycle in which it is there. */
static inline void give_to_sm(struct gpu *g, uint32_t sm, const struct reply *r, cycle_t left_at)
{
    struct sm *to = &g->sms[sm];
    const cycle_t at = clocks_convert(&g->clocks, DOMAIN_CORE, DOMAIN_XBAR, left_at);
    *reply_fifo_add(&to->replies, at) = *r;
    if (r->kind == REQUEST_READ) mshrs_prefetch(&to->l1.mshrs, r->token);
}

/* The first of a bank's queue, whose port is `in`, leaves for `port`. */
static ALWAYS_INLINE cycle_t grant_reply(struct gpu *g, grant_fn *grant, struct reply_fifo *f, uint32_t in,
                                         uint32_t port, const struct reply *r, cycle_t now)
{
    reply_fifo_drop(f);
    const bool is_last = reply_fifo_empty(f);
    const cycle_t next = is_last ? 0 : network_switch_cycle(g, reply_fifo_ready_at(f));
    return grant(&g->replies, in, port, r->flits, now, next);
}

static ALWAYS_INLINE void count_reply(struct gpu *g, const struct reply_fifo *f, uint32_t in, const struct reply *r)
{
    g->xbar_stats.reply_packets++;
    g->xbar_stats.reply_flits += r->flits;
    if (!reply_fifo_empty(f)) ports_want(&g->replies, in, requester_index(reply_fifo_peek(f)->requester));
}

/* To a CPU core. */
static APART void move_cpu_reply(struct gpu *g, grant_fn *grant, uint32_t in, uint32_t port, cycle_t now)
{
    struct reply_fifo *f = g->cpu_ports ? &g->banks[in - g->cpu_ports].cpu->to : &g->banks[in].to_xbar;
    const struct reply *r = reply_fifo_peek(f);
    cpus_reply(g, port, r, grant_reply(g, grant, f, in, port, r, now) + g->cpu_reply_link_cycles);
    count_reply(g, f, in, r);
}

static ALWAYS_INLINE void move_reply(struct gpu *g, grant_fn *grant, uint32_t in, uint32_t port, cycle_t now)
{
    if (port >= g->params->core.sms) {
        move_cpu_reply(g, grant, in, port, now);
        return;
    }
    struct reply_fifo *f = &g->banks[in].to_xbar;
    const struct reply *r = reply_fifo_peek(f);
    give_to_sm(g, port, r, grant_reply(g, grant, f, in, port, r, now) + g->reply_link_cycles);
    count_reply(g, f, in, r);
}

/* The output with which a cycle begins where what one takes others do not have: in the order of outputs one SM of a
 * cluster would always be first. Another one each cycle, whatever its period. */
static uint32_t first_output(const struct ports *p, cycle_t now)
{
    return (uint32_t)((now * 0x9e3779b97f4a7c15u >> 32) % p->n_out);
}

/* A packet of this output moves: a request, or a reply. `core_next`: the SMs' first cycle after this. */
static ALWAYS_INLINE void move(struct gpu *g, grant_fn *grant, struct ports *p, uint32_t out, cycle_t now,
                               cycle_t core_next)
{
    if (p == &g->requests) move_request(g, grant, ports_pick(p, out), out, now, core_next);
    else move_reply(g, grant, ports_pick(p, out), out, now);
}

static APART void arbitrate_around(struct gpu *g, grant_fn *grant, struct ports *p, cycle_t now, cycle_t core_next)
{
    for (uint32_t k = 0, out = first_output(p, now); k < p->n_out; k++, out = out + 1 < p->n_out ? out + 1 : 0)
        if (ports_grantable(p, out / 64) >> out % 64 & 1) move(g, grant, p, out, now, core_next);
}

/* `repeats`: what a grant leaves behind may be granted in the same cycle. */
static ALWAYS_INLINE void arbitrate(struct gpu *g, grant_fn *grant, bool repeats, struct ports *p, cycle_t now,
                                    cycle_t link_now, cycle_t core_next)
{
    if (!ports_wanted(p)) return;
    ports_begin(p, now, link_now);
    if (p->wanders) {
        arbitrate_around(g, grant, p, now, core_next);
        return;
    }
    bool again;
    do {
        again = false;
        for (uint32_t w = 0; w < p->out_words; w++)
            for (uint64_t left = ports_grantable(p, w); left; left &= left - 1) {
                move(g, grant, p, w * 64 + (uint32_t)__builtin_ctzll(left), now, core_next);
                again = repeats;
            }
    } while (again);
}

/* A cycle of a network that is a rule of what a grant costs. */
static ALWAYS_INLINE cycle_t tick(struct gpu *g, cycle_t now, grant_fn *grant, bool repeats)
{
    const cycle_t core_next = clocks_convert(&g->clocks, DOMAIN_CORE, DOMAIN_XBAR, now),
                  end = (now + 1) * g->requests.speedup;
    for (cycle_t at = now * g->requests.speedup; at < end; at++) { /* switch cycles */
        arbitrate(g, grant, repeats, &g->requests, at, now, core_next);
        arbitrate(g, grant, repeats, &g->replies, at, now, 0);
    }
    const cycle_t request = ports_next(&g->requests, end), reply = ports_next(&g->replies, end),
                  next = request < reply ? request : reply;
    return next <= end ? now + 1 : next == NEVER ? NEVER : next / g->requests.speedup;
}

/* ---- the networks there are ---- */

#define NETWORK(id, name, repeats) \
    static HOT cycle_t id##_tick(struct gpu *g, cycle_t now) { return tick(g, now, id##_grant, repeats); }
#include "net/net_list.def"
#undef NETWORK

static const struct net_type networks[] = {
#define NETWORK(id, name, repeats) {name, id##_init, id##_tick, !(repeats)},
#include "net/net_list.def"
#undef NETWORK
};

void network_init(struct gpu *g, const struct gpu_params *p, struct arena *arena)
{
    const uint32_t n = p->core.sms + p->cpu.cores; /* the ports of CPU cores are behind those of SMs */
    const uint32_t at_banks = cpus_have_ports(p) ? 2 * p->l2.banks : p->l2.banks; /* likewise */
    g->net = &networks[p->xbar.kind];
    ports_init(&g->requests, n, at_banks, arena);
    ports_init(&g->replies, at_banks, n, arena);
    g->requests.clocks = g->replies.clocks = &g->clocks;
    g->net->init(&g->requests, p, PORT_IN, arena);
    g->net->init(&g->replies, p, PORT_OUT, arena);
}
