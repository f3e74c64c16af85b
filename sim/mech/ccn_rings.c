/* Rings of SMs that a global ring joins: the hierarchy of rings that the Cooperative Caching Network is to grow by.
 * [THESIS §4.5.6]
 *
 *     ring 0: SM 0 --> SM 1 --> .. --> bridge 0 --> SM 0         each bridge is one more node of its ring, and a node
 *                                         |                      of the global ring
 *     global ring:                    bridge 0 --> bridge 1 --> .. --> bridge 0
 *
 * A request first goes round its own ring. Home again without a copy it travels on to the bridge, which takes it off
 * the ring into a table of inquiries; if that is full, the request goes home, and to L2. An inquiry goes round the
 * global ring, and each bridge that it passes sends a request into its own ring, so that all rings are asked at the
 * same time. Each ring answers once: with the first copy that was found there, or, when the request is back at the
 * bridge, with one flit that says that there is none. The home bridge sends the first line that comes on to its SM
 * and drops others. When all rings have answered without a line, the request goes home, and to L2.
 *
 * No ring locks up. An answer has a place reserved in the table of inquiries, so the global response ring always
 * drains; so do then the rings' responses, which wait for that ring alone, and the rings' requests, which wait for
 * responses and for misses on their way to L2, and with them the global requests. Whoever enters a ring from a bridge
 * leaves a place free, as an SM does. */
#include "ccn.h"
#include "poise/log2.h"

int ccn_rings_init(struct ccn *ccn, struct error *err)
{
    const struct ccn_params *p = &ccn->params;
    const uint32_t rings = (ccn->n + ccn->ring_size - 1) / ccn->ring_size;
    ccn->n_bridges = p->hierarchy && rings > 1 ? rings : 0;
    ccn->n_nodes = ccn->n + ccn->n_bridges;
    if (ccn->n_nodes > 64 * AGENDA_WORDS)
        return error_set(err, ERR_USAGE,
                         "ccn: %u SMs and %u bridges are more than the %d nodes that it can have; "
                         "say a larger cluster",
                         ccn->n, ccn->n_bridges, 64 * AGENDA_WORDS);
    const uint32_t folded = p->link_cycles * ((ccn->ring_size + 2) / 2);
    const uint32_t link = p->bridge_cycles ? p->bridge_cycles : folded;
    ccn->global_requests = (struct ring){.capacity = p->request_queue, .link_cycles = link};
    ccn->global_responses = (struct ring){
        .capacity = p->response_queue, .link_cycles = link, .cuts_through = p->switching == CCN_CUT_THROUGH};
    ccn->global_arriving = (struct ring){.capacity = RING_QUEUE_MAX};
    return 0;
}

static uint32_t next_bridge(const struct ccn *ccn, uint32_t r) { return r + 1 < ccn->n_bridges ? r + 1 : 0; }
/* The bridge that responses go to. */
static uint32_t bridge_back(const struct ccn *ccn, uint32_t r)
{
    if (ccn->params.direction == CCN_SAME) return next_bridge(ccn, r);
    return r ? r - 1 : ccn->n_bridges - 1;
}

/* The inquiry of this stage that left its L1 first; NULL if there is none. */
static struct ccn_inquiry *oldest(const struct ccn *ccn, struct ccn_bridge *b, enum ccn_stage stage)
{
    struct ccn_inquiry *first = NULL;
    for (uint32_t k = 0; k < ccn->params.inquiries; k++) {
        struct ccn_inquiry *q = &b->inquiries[k];
        if (q->stage != stage || (stage == INQUIRY_OUT && q->awaited)) continue;
        if (!first || q->packet.born < first->packet.born) first = q;
    }
    return first;
}

static void close_inquiry(struct ccn *ccn, struct ccn_inquiry *q)
{
    q->stage = INQUIRY_NONE;
    ccn->n_inquiries--;
}

/* ---- the global ring ---- */

static void take_answers(struct ccn *ccn, cycle_t now)
{
    CCN_EACH_BUSY(&ccn->global_arriving, ccn->n_bridges, r)
    {
        struct ccn_bridge *b = &ccn_bridges(ccn)[r];
        if (!ring_is_ready(&b->arriving, now)) continue;
        const struct ring_packet p = *ring_peek(&b->arriving);
        struct ccn_inquiry *q = &b->inquiries[p.entry];
        ring_pop(&ccn->global_arriving, &b->arriving, (uint32_t)r, now);
        q->awaited--;
        ccn->stats.rings_answered++;
        if (p.errand == ERRAND_NOTHING) {
            ccn->stats.rings_without++;
        } else if (q->stage == INQUIRY_OUT) {
            q->stage = INQUIRY_LINE;
            q->packet = p;
            ccn->stats.remote_hits++;
        } else {
            ccn->stats.duplicates++;
        }
        if (q->stage == INQUIRY_DONE && !q->awaited) close_inquiry(ccn, q);
    }
}

/* The request at the head of a bridge's global queue enters the ring there, and moves on. */
static void move_global_request(struct ccn *ccn, uint32_t r, cycle_t now)
{
    struct ccn_bridge *b = &ccn_bridges(ccn)[r];
    const uint32_t next = next_bridge(ccn, r), node = ccn->n + r;
    const struct ring_packet p = *ring_peek(&b->requests);
    const uint32_t home = ccn_ring_of(ccn, p.home);
    if (home != r && !b->has_asked) {
        if (!ring_may_enter(&ccn->requests, &ccn->nodes[node].requests, now)) return;
        struct ring_packet *enters = ring_enter(&ccn->requests, &ccn->nodes[node].requests, node, now + 1, false, now);
        *enters = p;
        enters->errand = ERRAND_ENTER;
        enters->at = now + 1;
        b->has_asked = true;
    }
    if (home == next) ring_pop(&ccn->global_requests, &b->requests, r, now); /* all rings have been asked */
    else if (!ring_forward(&ccn->global_requests, &b->requests, r, &ccn_bridges(ccn)[next].requests, next, now)) return;
    b->has_asked = false;
}

static void move_global_response(struct ccn *ccn, uint32_t r, cycle_t now)
{
    struct ccn_bridge *b = &ccn_bridges(ccn)[r];
    const uint32_t back = bridge_back(ccn, r);
    struct ccn_bridge *to = &ccn_bridges(ccn)[back];
    if (ccn_ring_of(ccn, ring_peek(&b->responses)->home) != back) {
        ring_forward(&ccn->global_responses, &b->responses, r, &to->responses, back, now);
        return;
    }
    if (!ring_link_is_free(&b->responses, now) || to->arriving.count == ccn->global_arriving.capacity) return;
    struct ring_packet *arriving = ring_add(&ccn->global_arriving, &to->arriving, back, now);
    ring_leave(&ccn->global_responses, &b->responses, r, arriving, true, now);
}

/* ---- from a bridge into its ring, and into the global ring ---- */

/* A line that has come enters its SM's ring, before what passes by (new before old). */
static void hand_line_over(struct ccn *ccn, uint32_t r, cycle_t now)
{
    struct ccn_inquiry *q = oldest(ccn, &ccn_bridges(ccn)[r], INQUIRY_LINE);
    const uint32_t node = ccn->n + r;
    if (!q || !ring_may_enter(&ccn->responses, &ccn->nodes[node].responses, now)) return;
    struct ring_packet *enters = ring_enter(&ccn->responses, &ccn->nodes[node].responses, node, now + 1, true, now);
    *enters = q->packet;
    enters->at = now + 1;
    q->stage = INQUIRY_DONE;
    if (!q->awaited) close_inquiry(ccn, q);
}

/* All rings have answered and none has the line. */
static void send_home(struct ccn *ccn, uint32_t r, cycle_t now)
{
    struct ccn_inquiry *q = oldest(ccn, &ccn_bridges(ccn)[r], INQUIRY_OUT);
    const uint32_t node = ccn->n + r;
    if (!q || !ring_may_enter(&ccn->requests, &ccn->nodes[node].requests, now)) return;
    struct ring_packet *enters = ring_enter(&ccn->requests, &ccn->nodes[node].requests, node, now + 1, false, now);
    *enters = q->packet;
    enters->errand = ERRAND_HOME;
    enters->at = now + 1;
    close_inquiry(ccn, q);
}

static void inquire(struct ccn *ccn, uint32_t r, cycle_t now)
{
    struct ccn_bridge *b = &ccn_bridges(ccn)[r];
    struct ccn_inquiry *q = oldest(ccn, b, INQUIRY_NEW);
    if (!q || !ring_may_enter(&ccn->global_requests, &b->requests, now)) return;
    struct ring_packet *enters = ring_enter(&ccn->global_requests, &b->requests, r, now + 1, false, now);
    *enters = q->packet;
    enters->at = now + 1;
    q->stage = INQUIRY_OUT;
}

void ccn_rings_tick(struct ccn *ccn, cycle_t now)
{
    if (!ccn->n_inquiries) return;
    take_answers(ccn, now);
    CCN_EACH_BUSY(&ccn->global_requests, ccn->n_bridges, r)
    if (ring_is_ready(&ccn_bridges(ccn)[r].requests, now)) move_global_request(ccn, (uint32_t)r, now);
    CCN_EACH_BUSY(&ccn->global_responses, ccn->n_bridges, r)
    if (ring_is_ready(&ccn_bridges(ccn)[r].responses, now)) move_global_response(ccn, (uint32_t)r, now);
    for (uint32_t r = 0; r < ccn->n_bridges; r++) {
        hand_line_over(ccn, r, now);
        send_home(ccn, r, now);
        inquire(ccn, r, now);
    }
}

/* ---- a bridge as a node of its ring ---- */

/* A request that has come to the bridge; false: the table is full. */
static bool takes_inquiry(struct ccn *ccn, uint32_t r, cycle_t now)
{
    struct ccn_bridge *b = &ccn_bridges(ccn)[r];
    struct ccn_node *node = &ccn->nodes[ccn->n + r];
    for (uint32_t k = 0; k < ccn->params.inquiries; k++) {
        struct ccn_inquiry *q = &b->inquiries[k];
        if (q->stage != INQUIRY_NONE) continue;
        *q = (struct ccn_inquiry){*ring_peek(&node->requests), INQUIRY_NEW, ccn->n_bridges - 1};
        q->packet.entry = (uint8_t)k;
        q->packet.errand = ERRAND_ASK;
        ring_pop(&ccn->requests, &node->requests, ccn->n + r, now);
        ccn->n_inquiries++;
        ccn->stats.inquiries++;
        ccn->stats.rings_asked += q->awaited;
        return true;
    }
    return false;
}

/* A request of another ring has asked everybody here: the answer is that there is no copy. */
static void answer_nothing(struct ccn *ccn, uint32_t r, cycle_t now)
{
    struct ccn_bridge *b = &ccn_bridges(ccn)[r];
    struct ccn_node *node = &ccn->nodes[ccn->n + r];
    if (!ring_may_enter(&ccn->global_responses, &b->responses, now)) {
        ccn->stats.request_waits++;
        return;
    }
    struct ring_packet *answer = ring_enter(&ccn->global_responses, &b->responses, r, now + 1, true, now);
    *answer = *ring_peek(&node->requests);
    answer->errand = ERRAND_NOTHING;
    answer->at = now + 1;
    ring_pop(&ccn->requests, &node->requests, ccn->n + r, now);
}

void ccn_bridge_request(struct ccn *ccn, uint32_t r, cycle_t now)
{
    struct ccn_node *node = &ccn->nodes[ccn->n + r];
    struct ring_packet *p = ring_peek(&node->requests);
    const bool is_ours = ccn_ring_of(ccn, p->home) == r, enters = p->errand == ERRAND_ENTER;
    if (!is_ours && !enters) {
        answer_nothing(ccn, r, now);
        return;
    }
    if (p->errand == ERRAND_TO_BRIDGE) {
        if (takes_inquiry(ccn, r, now)) return;
        p->errand = ERRAND_HOME;
        ccn->stats.bridge_full++;
    }
    if (enters) p->errand = ERRAND_ASK;
    if (ring_forward(&ccn->requests, &node->requests, ccn->n + r, &ccn->nodes[node->next].requests, node->next, now))
        return;
    if (enters) p->errand = ERRAND_ENTER;
    ccn->stats.request_waits++;
}

bool ccn_bridge_response(struct ccn *ccn, uint32_t r, cycle_t now)
{
    struct ccn_bridge *b = &ccn_bridges(ccn)[r];
    struct ccn_node *node = &ccn->nodes[ccn->n + r];
    if (ccn_ring_of(ccn, ring_peek(&node->responses)->home) == r) return false;
    if (!ring_may_enter(&ccn->global_responses, &b->responses, now)) {
        ccn->stats.response_waits++;
        return true;
    }
    struct ring_packet *leaves = ring_enter(&ccn->global_responses, &b->responses, r, now + 1, true, now);
    *leaves = *ring_peek(&node->responses);
    leaves->at = now + 1;
    ring_pop(&ccn->responses, &node->responses, ccn->n + r, now);
    return true;
}

/* A bridge has the queues of two nodes, and for each inquiry a request, a count of answers and a line. */
size_t ccn_rings_cost(const struct ccn_params *p, uint32_t sms, struct mech_cost *out)
{
    const uint32_t rings = p->cluster ? (sms + p->cluster - 1) / p->cluster : 1;
    if (!p->hierarchy || rings < 2) return 0;
    const uint32_t id_bits = log2_ceil(sms), entry_bits = log2_ceil(p->inquiries), ring_bits = log2_ceil(rings);
    const uint64_t request = 26 + id_bits + entry_bits + 3 /* errand */, line = 128 * 8 + id_bits + entry_bits;
    out[0] = (struct mech_cost){"bridges: request and response queues of both rings", 0,
                                rings * 2 * (p->request_queue * request + p->response_queue * line), STORAGE_QUEUE};
    out[1] = (struct mech_cost){"bridges: inquiries, each a request, its stage, answers awaited and a line", 0,
                                rings * p->inquiries * (request + 3 + ring_bits + 128 * 8), STORAGE_QUEUE};
    return 2;
}
