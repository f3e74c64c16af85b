/* The Cooperative Caching Network: an L1's misses ask the other L1s, in a ring, before they ask L2. [THESIS §4.4]
 *
 *   miss --> CCN buffer --> [ request queue ] --> the next node's ..     and back home: to L2
 *                               |  looks its SM's shadow tags up
 *                           [ response queue ] <-- the next node's ..    at home: the fill
 *
 * A request enters the ring behind those that pass by (old before new), and only where two places are free. At each
 * other node the head of the queue looks the shadow tags up, in every cycle in which it is there. A hit reads L1, which
 * costs that SM a cycle of its port, and goes before responses that pass by (new before old) into the response queue;
 * while that has no room the request stays and looks again. A line on its way is no copy. A request that has come
 * home goes to L2 as soon as the miss queue takes it. A response at home fills L1 at once, so that both rings always
 * drain: MECHANISMS 'Cooperative caching'. Rings of some SMs each can be joined (ccn_rings.c). Shadow tags are those
 * of L1 itself here: they hold the same at any time. */
#include "ccn.h"
#include "poise/log2.h"

#define ROW(...) PARAM_ROW_OF(ccn_params, __VA_ARGS__)
static const struct param_row ccn_rows[] = {CCN_PARAMS(ROW)};
#undef ROW
#define ROW(...) STAT_ROW_OF(ccn_stats, __VA_ARGS__)
static const struct stat_row ccn_stat_rows[] = {CCN_STATS(ROW)};
#undef ROW
static const struct ratio_row ccn_ratios[] = {
    RATIO_ROW_OF(ccn_stats, h_reuse, hits, misses,
                 "share of the misses that another L1 answered: h_reuse of THESIS Eq. 4.1"),
    RATIO_ROW_OF(ccn_stats, hit_rate, hits, entered, "the same of those that entered the network"),
    RATIO_ROW_OF(ccn_stats, reuse_cycles, hit_cycles, hits, "L1 miss to data of a hit: l_reuse of THESIS Eq. 4.1"),
    RATIO_ROW_OF(ccn_stats, overhead_cycles, round_cycles, returned,
                 "what a round without a hit costs: delta_overhead of THESIS Eq. 4.1"),
    RATIO_ROW_OF(ccn_stats, mean_hops, hit_hops, hits, "links passed by a request that hits and its response")};

/* ---- the network ---- */

#define EACH_BUSY(ring, i) CCN_EACH_BUSY(ring, ccn->n_nodes, i)

static void take_arrivals(struct ccn *ccn, const struct machine_ports *m, cycle_t now)
{
    EACH_BUSY(&ccn->arriving, i)
    {
        struct ring_queue *q = &ccn->nodes[i].arriving;
        if (!ring_is_ready(q, now)) continue;
        const struct ring_packet p = *ring_peek(q);
        ring_pop(&ccn->arriving, q, (uint32_t)i, now);
        ccn->stats.hits++;
        ccn->stats.hit_cycles += now - p.born;
        ccn->stats.hit_hops += p.hops;
        m->deliver_fill(m->machine, (uint32_t)i, &p.miss, now);
        ccn_outcome(ccn, (uint32_t)i, &p, true, now);
    }
}

static bool resumes(struct ccn *ccn, uint32_t i, const struct ring_packet *p, const struct machine_ports *m,
                    cycle_t now)
{
    if (!m->resume_to_l2(m->machine, i, &p->miss, now)) return false;
    ccn->stats.returned++;
    ccn->stats.round_cycles += now - p->born;
    ccn->stats.home_cycles += now - p->at;
    ccn_outcome(ccn, i, p, false, now);
    return true;
}

/* Those that came home before and found no room. */
static void resume_homed(struct ccn *ccn, const struct machine_ports *m, cycle_t now)
{
    EACH_BUSY(&ccn->homed, i)
    {
        struct ring_queue *q = &ccn->nodes[i].homed;
        if (resumes(ccn, (uint32_t)i, ring_peek(q), m, now)) ring_pop(&ccn->homed, q, (uint32_t)i, now);
    }
}

/* A request that has come home. */
static void go_to_l2(struct ccn *ccn, uint32_t i, const struct machine_ports *m, cycle_t now)
{
    struct ring_queue *q = &ccn->nodes[i].requests, *homed = &ccn->nodes[i].homed;
    struct ring_packet *p = ring_peek(q);
    if (!p->is_home) p->at = now;
    p->is_home = true;
    if (homed->count || !resumes(ccn, i, p, m, now)) {
        if (homed->count == ccn->homed.capacity) {
            ccn->stats.home_waits++;
            return;
        }
        *ring_add(&ccn->homed, homed, i, now) = *p;
    }
    ring_pop(&ccn->requests, q, i, now);
}

/* A hit: the line is read and goes into the response queue, if that takes it. */
static void respond(struct ccn *ccn, uint32_t i, const struct machine_ports *m, cycle_t now)
{
    struct ccn_node *node = &ccn->nodes[i];
    struct ring_packet p = *ring_peek(&node->requests);
    if (!ring_may_enter(&ccn->responses, &node->responses, now)) {
        node->has_lost = true; /* unless it is still there next time */
        ccn->stats.hit_waits++;
        return;
    }
    ring_pop(&ccn->requests, &node->requests, i, now);
    node->has_lost = false;
    if (ccn->params.steals) m->steal_port(m->machine, i, now);
    if (ccn->params.touches) m->touch(m->machine, i, p.miss.line);
    const uint32_t bytes = (uint32_t)__builtin_popcount(p.miss.chunks) * ccn->chunk_bytes,
                   width = ccn->params.response_bytes;
    p.flits = (uint16_t)((bytes + width - 1) / width);
    p.at = now + ccn->params.read_cycles;
    *ring_enter(&ccn->responses, &node->responses, i, p.at, true, now) = p;
}

/* Home again without a copy, a request of one of several rings goes on to its bridge. */
static bool asks_on(const struct ccn *ccn, struct ring_packet *p)
{
    if (!ccn->n_bridges || p->errand == ERRAND_HOME) return false;
    p->errand = ERRAND_TO_BRIDGE;
    return true;
}

static void ask(struct ccn *ccn, uint32_t i, const struct machine_ports *m, cycle_t now)
{
    struct ccn_node *node = &ccn->nodes[i];
    struct ring_packet *p = ring_peek(&node->requests);
    if (i >= ccn->n) {
        ccn_bridge_request(ccn, i - ccn->n, now);
        return;
    }
    if (p->home == i && p->hops && !asks_on(ccn, p)) {
        go_to_l2(ccn, i, m, now);
        return;
    }
    if (p->home != i && p->errand == ERRAND_ASK) {
        const enum snoop found = m->snoop(m->machine, i, p->miss.line, p->miss.chunks);
        ccn->stats.lookups++;
        ccn->stats.pending_lookups += found == SNOOP_PENDING;
        if (found == SNOOP_PRESENT) {
            respond(ccn, i, m, now);
            return;
        }
        ccn->stats.lost_lines += node->has_lost;
        node->has_lost = false;
    }
    if (!ring_forward(&ccn->requests, &node->requests, i, &ccn->nodes[node->next].requests, node->next, now))
        ccn->stats.request_waits++;
}

static void move_responses(struct ccn *ccn, cycle_t now)
{
    EACH_BUSY(&ccn->responses, i)
    {
        struct ccn_node *node = &ccn->nodes[i], *to = &ccn->nodes[node->back];
        if (!ring_is_ready(&node->responses, now)) continue;
        if (i >= ccn->n && ccn_bridge_response(ccn, (uint32_t)i - ccn->n, now)) continue;
        if (ring_peek(&node->responses)->home != node->back) {
            if (!ring_forward(&ccn->responses, &node->responses, (uint32_t)i, &to->responses, node->back, now))
                ccn->stats.response_waits++;
            continue;
        }
        if (!ring_link_is_free(&node->responses, now) || to->arriving.count == ccn->arriving.capacity) {
            ccn->stats.response_waits++;
            continue;
        }
        struct ring_packet *arriving = ring_add(&ccn->arriving, &to->arriving, node->back, now);
        ring_leave(&ccn->responses, &node->responses, (uint32_t)i, arriving, true, now);
    }
}

/* What waits at each SM enters the request ring, where no request has come over the link. */
static void inject(struct ccn *ccn, const struct machine_ports *m, cycle_t now)
{
    EACH_BUSY(&ccn->buffers, i)
    {
        struct ccn_node *node = &ccn->nodes[i];
        if (!ring_is_ready(&node->buffer, now) || !ring_may_enter(&ccn->requests, &node->requests, now)) continue;
        struct ring_packet *entered = ring_enter(&ccn->requests, &node->requests, (uint32_t)i, now + 1, false, now);
        *entered = *ring_peek(&node->buffer);
        entered->at = now + 1;
        ring_pop(&ccn->buffers, &node->buffer, (uint32_t)i, now);
        m->has_room(m->machine, (uint32_t)i, now);
    }
}

/* Each request that was taken has ended, and no bridge waits for an answer. */
static bool ccn_idle(const void *self)
{
    const struct ccn *ccn = self;
    return ccn->stats.entered == ccn->stats.hits + ccn->stats.returned && !ccn->n_inquiries;
}

static void ccn_tick(void *self, const struct machine_ports *m, uint64_t time)
{
    struct ccn *ccn = self;
    const cycle_t now = (cycle_t)time;
    if (ccn->sampling.is_due) ccn_sample(ccn, m, now);
    if (ccn_idle(ccn)) return;
    ccn->stats.tick_cycles++;
    take_arrivals(ccn, m, now);
    if (ccn->params.home_queue) resume_homed(ccn, m, now);
    if (ccn->n_bridges) ccn_rings_tick(ccn, now);
    EACH_BUSY(&ccn->requests, i)
    if (ring_is_ready(&ccn->nodes[i].requests, now)) ask(ccn, (uint32_t)i, m, now);
    move_responses(ccn, now);
    inject(ccn, m, now);
}

/* While anything is on its way, every cycle: nearly always some head moves. */
static uint64_t ccn_next_event(const void *self, uint64_t now)
{
    const struct ccn *ccn = self;
    return ccn->sampling.is_due || !ccn_idle(ccn) ? now + 1 : UNIT_NEVER;
}

static void ccn_dump(const void *self, char *text, size_t size)
{
    const struct ccn *ccn = self;
    size_t used =
        (size_t)snprintf(text, size, "ccn: buffered, requests, responses of each SM, and then of each bridge:");
    for (uint32_t i = 0; i < ccn->n_nodes && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %u,%u,%u", ccn->nodes[i].buffer.count,
                                 ccn->nodes[i].requests.count,
                                 ccn->nodes[i].responses.count + ccn->nodes[i].arriving.count);
}

/* ---- the mechanism ---- */

/* Rings of `cluster` SMs each; the last one has what is left. Where rings are joined, the bridge stands behind the last
 * SM of each. */
static void link_nodes(struct ccn *ccn)
{
    const uint32_t size = ccn->ring_size;
    for (uint32_t i = 0; i < ccn->n_nodes; i++) {
        const uint32_t ring = i < ccn->n ? i / size : i - ccn->n, first = ring * size;
        const uint32_t sms = first + size <= ccn->n ? size : ccn->n - first, n = sms + (ccn->n_bridges > 0);
        const uint32_t at = i < ccn->n ? i - first : sms, up = (at + 1) % n, down = (at + n - 1) % n;
        const uint32_t bridge = ccn->n + ring, next = up < sms ? first + up : bridge,
                       before = down < sms ? first + down : bridge;
        ccn->nodes[i].next = next;
        ccn->nodes[i].back = ccn->params.direction == CCN_OPPOSITE ? before : next;
    }
}

static int ccn_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct ccn *ccn = self;
    ccn->params = *(const struct ccn_params *)params;
    ccn->n = env->sms;
    ccn->chunk_bytes = env->l1_chunk_bytes;
    const struct ccn_params *p = &ccn->params;
    ccn->ring_size = p->cluster && p->cluster < ccn->n ? p->cluster : ccn->n;
    ccn->buffers = (struct ring){.capacity = p->buffer};
    ccn->requests = (struct ring){.capacity = p->request_queue, .link_cycles = p->link_cycles};
    ccn->responses = (struct ring){
        .capacity = p->response_queue, .link_cycles = p->link_cycles, .cuts_through = p->switching == CCN_CUT_THROUGH};
    ccn->homed = (struct ring){.capacity = p->home_queue};
    ccn->arriving = (struct ring){.capacity = RING_QUEUE_MAX};
    if (ccn_rings_init(ccn, err) < 0) return -1;
    link_nodes(ccn);
    ccn_sampling_init(ccn, env->thread_insts);
    if (ccn_program_size(p, env)) {
        ccn->sampling.program_at = env->carried_at;
        ccn->sampling.is_due = true;
    }
    return 0;
}

static int ccn_check(const void *params, struct error *err)
{
    const struct ccn_params *p = params;
    if (p->hierarchy && p->cluster < 2)
        return error_set(err, ERR_USAGE,
                         "ccn: hierarchy=1 joins rings of at least two SMs; say how many a ring has, as in cluster=5");
    if (p->t_S <= p->t_P) return 0;
    return error_set(err, ERR_USAGE,
                     "ccn: t_S=%llu is longer than t_P=%llu: the sampling interval is part of the period",
                     (unsigned long long)p->t_S, (unsigned long long)p->t_P);
}

/* Queues [THESIS Tab. 4.3]: 26 bits of tag and the number of an SM, or a line with it; shadow tags for 48 KB. */
static size_t ccn_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct ccn_params *p = params;
    const uint32_t id_bits = log2_ceil(env->sms);
    size_t n = 0;
    out[n++] =
        (struct mech_cost){"CCN buffer, request and home queue: 26 bits of tag, SM",
                           (uint64_t)(p->buffer + p->request_queue + p->home_queue) * (26 + id_bits), 0, STORAGE_QUEUE};
    out[n++] = (struct mech_cost){"response queue: 128 bytes of line, SM",
                                  (uint64_t)p->response_queue * (128 * 8 + id_bits), 0, STORAGE_QUEUE};
    out[n++] = (struct mech_cost){"shadow tags of 48 KB: 96 sets of four of 25 bits", 96 * 100, 0, STORAGE_ARRAY};
    out[n++] = (struct mech_cost){"links of both rings: a request is a flit of 4 bytes", 8ull * (4 + p->response_bytes),
                                  0, STORAGE_WIRES};
    out[n++] = (struct mech_cost){"switches of a node: its neighbour and its SM in and out, in both rings",
                                  2 * 2 * 8ull * (4 + p->response_bytes), 0, STORAGE_SWITCH};
    if (p->throttle)
        out[n++] = (struct mech_cost){"N_hits, N_total, whether it is throttled", 2 * 32 + 1, 64, STORAGE_REGISTER};
    return n + ccn_rings_cost(p, env->sms, out + n);
}

/* A hit's request and response pass as many links between them as `hit_hops` says, so that one of those moves half of
 * both; a request that returns passes every link. A link's packet goes into a queue and comes out again. */
static size_t ccn_events(const void *params, const struct mech_env *env, struct mech_event *out)
{
    enum { REQUEST = 32, LINE = 128 * 8, TAGS = 96 * 100, L1 = 16 * 1024 * 8 };
    const struct ccn_params *p = params;
    const uint64_t queues = (uint64_t)p->request_queue * REQUEST + (uint64_t)p->response_queue * LINE;
    const double sms = p->cluster ? p->cluster : env->sms, hop = (REQUEST + LINE) / 2.0;
    out[0] = (struct mech_event){"links of hits", "hit_hops", hop, 0};
    out[1] = (struct mech_event){"queues of hits", "hit_hops", 2 * hop, queues};
    out[2] = (struct mech_event){"links of requests that return", "returned", sms * REQUEST, 0};
    out[3] = (struct mech_event){"queues of requests that return", "returned", 2 * sms * REQUEST, queues};
    out[4] = (struct mech_event){"shadow tags", "lookups", 100, TAGS};
    out[5] = (struct mech_event){"lines read from other L1s", "hits", LINE, L1};
    return 6;
}

static const void *ccn_stats_of(const void *self) { return &((const struct ccn *)self)->stats; }

static const struct miss_ops ccn_misses = {ccn_has_room, ccn_take};
static const struct unit_ops ccn_unit = {ccn_tick, ccn_next_event, ccn_idle, ccn_dump, NULL};
/* With `epochs` they shrink as the launch asks. */
static size_t ccn_waits(const void *params, struct mech_wait *out)
{
    const struct ccn_params *p = params;
    if (!p->throttle) return 0;
    out[0] = (struct mech_wait){"warmup", p->warmup, WAIT_THREAD_INSTS};
    out[1] = (struct mech_wait){"t_S", p->t_S, WAIT_THREAD_INSTS};
    out[2] = (struct mech_wait){"t_P", p->t_P, WAIT_THREAD_INSTS};
    return p->epochs ? 1 : 3;
}

static size_t ccn_acts(const void *params, struct mech_act *out)
{
    (void)params;
    out[0] = (struct mech_act){"cooperation", {"hits"}};
    return 1;
}

const struct mech_type mech_ccn = {
    .name = "ccn",
    .title = "cooperative caching network: misses ask other L1s first",
    .source = "THESIS 4.4",
    .params = {"ccn", ccn_rows, COUNT_OF(ccn_rows), sizeof(struct ccn_params)},
    .stats = {"ccn", ccn_stat_rows, COUNT_OF(ccn_stat_rows), sizeof(struct ccn_stats)},
    .ratios = ccn_ratios,
    .n_ratios = COUNT_OF(ccn_ratios),
    .state_size = sizeof(struct ccn),
    .per_sm_size = 2 * sizeof(struct ccn_node) + sizeof(struct ccn_bridge),
    .waits = ccn_waits,
    .acts = ccn_acts,
    .init = ccn_init,
    .check = ccn_check,
    .end = ccn_end,
    .carried = ccn_program_size,
    .cost = ccn_cost,
    .events = ccn_events,
    .stats_of = ccn_stats_of,
    .miss_route = &ccn_misses,
    .unit = &ccn_unit,
};
