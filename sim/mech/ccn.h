/* The Cooperative Caching Network of THESIS chapter 4: what ccn.c (the network), ccn_rings.c (rings joined by a global
 * ring) and ccn_route.c (which misses enter it) share. */
#ifndef MECH_CCN_H
#define MECH_CCN_H
#include "net/ring.h"

enum { CCN_STORE_AND_FORWARD, CCN_CUT_THROUGH };
enum { CCN_OPPOSITE, CCN_SAME };
enum { CCN_INQUIRIES_MAX = 64 };
#define CCN_PARAMS(P) \
    P(FLAG, throttle, 1, 0, 1, "flag", "THESIS 4.4.4", \
      "CCN-RT: SMs that find little in the network leave it; 0: CCN-B") \
    P(U32, buffer, 8, 1, 32, "entries", "THESIS Tab. 4.3", \
      "CCN buffer of an SM: misses that wait to enter the request ring", PUBLISHED("8")) \
    P(U32, request_queue, 8, 2, 32, "entries", "THESIS Tab. 4.3", "request queue of a node", PUBLISHED("8")) \
    P(U32, response_queue, 8, 2, 32, "entries", "THESIS Tab. 4.3", "response queue of a node, in lines", \
      PUBLISHED("8")) \
    P(U32, home_queue, 0, 0, 32, "entries", "assumed", \
      "requests that have come home without a copy and wait for L1's miss queue beside the ring; 0: they hold it up") \
    P(U32, link_cycles, 1, 1, 16, "core cycles", "THESIS 4.5.5", "latency of a link between neighbours", \
      PUBLISHED("1")) \
    P(U32, response_bytes, 32, 4, 128, "bytes", "THESIS Tab. 4.3", \
      "width of the response channel; a request is one flit of 4 bytes", PUBLISHED("32")) \
    P(ENUM, switching, CCN_STORE_AND_FORWARD, 0, 1, "store_and_forward|cut_through", "THESIS 4.4.2", \
      "a response moves on when all of it has come, as its queues hold lines, or with its first flit") \
    P(ENUM, direction, CCN_OPPOSITE, 0, 1, "opposite|same", "THESIS 4.5.1", \
      "responses run against the requests, or with them") \
    P(U32, cluster, 0, 0, 256, "SMs", "THESIS 4.6.3", "SMs that share one ring; 0: all of them") \
    P(FLAG, hierarchy, 0, 0, 1, "flag", "THESIS 4.5.6", \
      "rings of `cluster` SMs are joined: what its ring does not hold, a request asks all others for at once") \
    P(U32, inquiries, 8, 1, CCN_INQUIRIES_MAX, "entries", "assumed", \
      "requests of a ring that can be out in the others at once; the rest go straight to L2") \
    P(U32, bridge_cycles, 0, 0, 64, "core cycles", "assumed", \
      "latency of a link of the global ring; 0: of half a ring's links, as rings lie folded side by side") \
    P(U32, read_cycles, 1, 1, 64, "core cycles", "assumed", \
      "from a hit in the shadow tags to the line in the response queue") \
    P(FLAG, steals, 1, 0, 1, "flag", "THESIS 4.4.3", "a hit takes a cycle of the other SM's L1") \
    P(FLAG, touches, 0, 0, 1, "flag", "assumed", "a hit makes the line the most recent of the other SM's L1") \
    P(U64, t_P, 10000000, 1, 1e15, "thread instructions", "THESIS Tab. 4.3", \
      "period of sampling, counted over the GPU", PUBLISHED("10000000")) \
    P(U64, t_S, 1000000, 1, 1e15, "thread instructions", "THESIS Tab. 4.3", \
      "of these, at the beginning: the sampling interval", PUBLISHED("1000000")) \
    P(U32, epochs, 10, 0, 1000000, "periods", "assumed", \
      "a short launch has at least so many: t_P and t_S shrink in proportion; 0: they stay") \
    P(U64, warmup, 0, 0, 1e15, "thread instructions", "assumed", \
      "no sample of a launch begins earlier, and all SMs stay in the network: L1s that begin empty have no sharers") \
    P(FLAG, spans, 1, 0, 1, "flag", "assumed", \
      "periods of fixed length (epochs=0) go on over the launches of a program that runs in order; 0: each launch " \
      "begins with a new one") \
    P(F64, H_min, 0.05, 0, 1, "share", "THESIS Tab. 4.3", \
      "an SM with fewer hits in the network leaves it till the period ends", PUBLISHED("0.05"))
PARAM_STRUCT(ccn_params, CCN_PARAMS);

#define CCN_STATS(S) \
    S(STAT_SUM, misses, "misses", "load misses of global memory that were offered to the network") \
    S(STAT_SUM, throttled, "misses", "of these, sent to L2 because their SM had left the network") \
    S(STAT_SUM, buffer_full, "misses", "of these, sent to L2 because the CCN buffer was full") \
    S(STAT_SUM, entered, "misses", "of these, taken by the network; each is a hit or returns") \
    S(STAT_SUM, hits, "misses", "of these, answered by another L1") \
    S(STAT_SUM, returned, "misses", "of these, sent to L2 after a round without a hit") \
    S(STAT_SUM, hit_cycles, "core cycles", "L1 miss to data, summed over hits") \
    S(STAT_SUM, round_cycles, "core cycles", "L1 miss to the way to L2, summed over those that returned") \
    S(STAT_SUM, home_cycles, "core cycles", \
      "of these, from the time when they had come home: they waited for L1's miss queue") \
    S(STAT_SUM, hit_hops, "links", "links passed by requests that hit and their responses") \
    S(STAT_SUM, inquiries, "misses", "requests that no L1 of their own ring could answer and that asked the others") \
    S(STAT_SUM, bridge_full, "misses", "requests that went to L2 instead, as the table of their bridge was full") \
    S(STAT_SUM, rings_asked, "rings", "rings that inquiries were sent to") \
    S(STAT_SUM, rings_answered, "rings", "of these, rings that have answered") \
    S(STAT_SUM, rings_without, "rings", "of these, rings without a copy") \
    S(STAT_SUM, remote_hits, "misses", "hits of another ring: the first that answered with the line") \
    S(STAT_SUM, duplicates, "lines", "lines that came from further rings and were dropped") \
    S(STAT_SUM, lookups, "lookups", "lookups in shadow tags") \
    S(STAT_SUM, pending_lookups, "lookups", \
      "of these, lookups that found the line still on its way, which is no copy") \
    S(STAT_SUM, request_waits, "node cycles", "cycles in which a request queue's head waited for the next queue") \
    S(STAT_SUM, hit_waits, "node cycles", "cycles in which a hit waited for its response queue") \
    S(STAT_SUM, lost_lines, "misses", "hits whose line went while they waited: they travelled on") \
    S(STAT_SUM, home_waits, "node cycles", \
      "cycles in which a request that had come home held the ring, waiting for L1's miss queue") \
    S(STAT_SUM, response_waits, "node cycles", "cycles in which a response waited for the next queue") \
    S(STAT_SUM, tick_cycles, "cycles", "cycles in which the rings held anything") \
    S(STAT_SUM, samples, "SM periods", "decisions of request throttlers") \
    S(STAT_SUM, samples_off, "SM periods", "of these, to leave the network")
STAT_STRUCT(ccn_stats, CCN_STATS);

/* What a packet is out for. */
enum ccn_errand {
    ERRAND_ASK,       /* it looks the shadow tags up where it passes; a response has the line */
    ERRAND_TO_BRIDGE, /* its own ring has no copy: it goes on to the bridge */
    ERRAND_HOME,      /* there is no copy: home, and to L2 */
    ERRAND_ENTER,     /* it comes from another ring and is still at the bridge */
    ERRAND_NOTHING    /* a response: this ring has no copy */
};
struct ccn_throttle {
    uint64_t hits, total; /* of the sampling interval */
    bool is_off;          /* its SM has left the network till the period ends */
};
/* A node: an SM's side of the network, or a bridge's side of its ring. */
struct ccn_node {
    struct ring_queue buffer, requests, responses;
    struct ring_queue homed;    /* requests that wait for L1's miss queue */
    struct ring_queue arriving; /* responses on the last link to their home, which always takes them */
    uint32_t next, back;        /* the nodes that requests and responses go to */
    bool has_lost;              /* the hit that waited at this node is being looked up again */
    struct ccn_throttle throttle;
};
/* A request that is out in other rings. */
enum ccn_stage {
    INQUIRY_NONE,
    INQUIRY_NEW, /* waits to enter the global ring */
    INQUIRY_OUT,
    INQUIRY_LINE, /* the line has come, and waits to enter its ring */
    INQUIRY_DONE  /* the line has gone home; further answers are awaited */
};
struct ccn_inquiry {
    struct ring_packet packet; /* the request, then the line */
    uint32_t stage, awaited;   /* rings that have not answered */
};
struct ccn_bridge {
    struct ring_queue requests, responses, arriving; /* of the global ring */
    struct ccn_inquiry inquiries[CCN_INQUIRIES_MAX];
    bool has_asked; /* the request at the head of `requests` is in this ring already */
};
/* Sampling, GPU-wide: in which period the launch is. */
struct ccn_sampling {
    uint64_t t_P, t_S, period;
    uint64_t look_at;   /* no earlier cycle looks again */
    uint64_t opened_at; /* the sampling interval, if it is open */
    bool is_open;       /* in the sampling interval */
    bool is_due;        /* the next tick looks where the launch is */
    bool has_begun;
    size_t program_at;     /* bytes from the network's state to struct ccn_program; 0: nothing is kept over launches */
    uint64_t launch_insts; /* thread instructions of the launch */
};
/* What a launch of a program leaves to the next: where in its period it ended, and what each SM had found. */
struct ccn_program {
    uint64_t insts, period; /* insts: thread instructions of all launches so far */
    bool is_open;
    struct ccn_throttle sms[];
};
struct ccn {
    struct ccn_stats stats;
    struct ccn_params params;
    uint32_t n, chunk_bytes;
    uint32_t ring_size, n_bridges, n_nodes; /* node n + r is the bridge of ring r, if there are any */
    uint32_t n_inquiries;                   /* in the tables of bridges */
    struct ring buffers, requests, responses, homed, arriving;
    struct ring global_requests, global_responses, global_arriving;
    struct ccn_sampling sampling;
    struct ccn_node nodes[]; /* 2 n, and then n bridges */
};
#define CCN_EACH_BUSY(ring, n, i) \
    for (uint32_t w_ = 0; w_ * 64 < (n); w_++) \
        for (uint64_t left_ = (ring)->busy.word[w_], i = 0; \
             left_ && (i = w_ * 64 + (uint64_t)__builtin_ctzll(left_), true); left_ &= left_ - 1)
static inline uint32_t ccn_ring_of(const struct ccn *ccn, uint32_t sm) { return sm / ccn->ring_size; }
static inline struct ccn_bridge *ccn_bridges(struct ccn *ccn)
{
    return (struct ccn_bridge *)(void *)&ccn->nodes[2 * ccn->n];
}

/* ccn_rings.c */
int ccn_rings_init(struct ccn *ccn, struct error *err);
void ccn_rings_tick(struct ccn *ccn, cycle_t now);                 /* the global ring, and what it hands to rings */
void ccn_bridge_request(struct ccn *ccn, uint32_t r, cycle_t now); /* at the head of bridge r's node in its ring */
/* The response at the head of bridge r's node leaves its ring; false: it is one of this ring's own. */
bool ccn_bridge_response(struct ccn *ccn, uint32_t r, cycle_t now);
size_t ccn_rings_cost(const struct ccn_params *params, uint32_t sms, struct mech_cost *out);

/* ccn_route.c */
bool ccn_has_room(const void *self, const struct miss_event *what);
bool ccn_take(void *self, const struct miss_event *what);
void ccn_sampling_init(struct ccn *ccn, uint64_t thread_insts);
size_t ccn_program_size(const void *params, const struct mech_env *env); /* mech_type.carried */
void ccn_end(void *self, uint64_t now);
/* The outcome of a request of this SM is known. */
void ccn_outcome(struct ccn *ccn, uint32_t sm, const struct ring_packet *request, bool is_hit, uint64_t now);
/* Begins and ends sampling intervals, and tells SMs that come back of room in the network: before the SMs of a cycle,
 * so that all of them see it in the same one. */
void ccn_sample(struct ccn *ccn, const struct machine_ports *machine, uint64_t now);
#endif
