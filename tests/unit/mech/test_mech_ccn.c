/* The Cooperative Caching Network alone, on a machine of the test's own. On the simulated one: test_mech_ccn_runs.c. */
#include "stack.h"

#include <jansson.h>
#include "ccn.h"

extern const struct mech_type mech_ccn, mech_sharing;

/* ---- a machine of the test's own: what its L1s hold is said, what the network does is written down ---- */

enum { SMS = 15, LINES = 64 };
struct machine {
    uint64_t held[SMS]; /* bits: lines */
    bool refuses[SMS];  /* the miss queue is full */
    uint64_t insts;
    uint64_t stolen, touched, told_room;
    uint64_t delivered[SMS], resumed[SMS]; /* how many */
    uint64_t delivered_at, resumed_at;     /* the last */
    uint8_t waiting[SMS][LINES];           /* requests on their way, by SM and line */
};
static enum snoop snoop(const void *machine, uint32_t sm, uint32_t line, uint32_t chunks)
{
    assert_true(chunks == 15);
    return ((const struct machine *)machine)->held[sm] >> line & 1 ? SNOOP_PRESENT : SNOOP_ABSENT;
}
static void touch(void *machine, uint32_t sm, uint32_t line)
{
    assert_true(((struct machine *)machine)->held[sm] >> line & 1);
    ((struct machine *)machine)->touched++;
}
static void steal(void *machine, uint32_t sm, uint64_t now)
{
    ((struct machine *)machine)->stolen += sm < SMS && now > 0;
}
static void ends(struct machine *m, uint32_t sm, const struct miss *miss)
{
    assert_true(m->waiting[sm][miss->line]-- > 0);
    assert_true(miss->token == miss->line + 100);
}
static void deliver(void *machine, uint32_t sm, const struct miss *miss, uint64_t now)
{
    struct machine *m = machine;
    ends(m, sm, miss);
    m->delivered[sm]++;
    m->delivered_at = now;
}
static bool resume(void *machine, uint32_t sm, const struct miss *miss, uint64_t now)
{
    struct machine *m = machine;
    if (m->refuses[sm]) return false;
    ends(m, sm, miss);
    m->resumed[sm]++;
    m->resumed_at = now;
    return true;
}
static void room(void *machine, uint32_t sm, uint64_t now)
{
    ((struct machine *)machine)->told_room += sm < SMS && now > 0;
}
static uint64_t insts(const void *machine) { return ((const struct machine *)machine)->insts; }

struct bench {
    struct machine machine;
    struct machine_ports ports;
    struct ccn *ccn;
    void *params;
    uint64_t now, taken;
};
static void bench_new(struct bench *b, const char *how)
{
    struct error err;
    struct mech_spec spec;
    const struct mech_env env = {.sms = SMS, .schedulers = 2, .W = 24, .l1_chunk_bytes = 32};
    *b = (struct bench){.now = 1};
    b->ports = (struct machine_ports){.machine = &b->machine,
                                      .snoop = snoop,
                                      .touch = touch,
                                      .steal_port = steal,
                                      .deliver_fill = deliver,
                                      .resume_to_l2 = resume,
                                      .has_room = room,
                                      .thread_insts = insts};
    assert_ok(mech_parse(&spec, how, &err), &err);
    b->params = spec.params;
    b->ccn = calloc(1, mech_ccn.state_size + SMS * mech_ccn.per_sm_size);
    assert_ok(mech_ccn.init(b->ccn, spec.params, &env, &err), &err);
}
static void bench_free(struct bench *b)
{
    free(b->ccn);
    free(b->params);
}
static bool miss(struct bench *b, uint32_t sm, uint32_t line)
{
    const struct miss_event event = {.sm = sm,
                                     .miss = {.line = line, .token = (uint16_t)(line + 100), .chunks = 15},
                                     .now = b->now,
                                     .machine = &b->ports};
    const bool has_room = mech_ccn.miss_route->has_room(b->ccn, &event),
               taken = mech_ccn.miss_route->take(b->ccn, &event);
    assert_true(taken == has_room);
    b->machine.waiting[sm][line] += taken;
    b->taken += taken;
    return taken;
}
/* The next cycle; queues keep within their bounds, and a ring has always a place free. */
static void tick(struct bench *b)
{
    uint32_t requests[SMS] = {0}, responses[SMS] = {0}; /* of each ring */
    mech_ccn.unit->tick(b->ccn, &b->ports, ++b->now);
    const struct ccn *c = b->ccn;
    const uint32_t size = c->ring_size, rings = (SMS + size - 1) / size, is_joined = c->n_bridges > 0;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const struct ccn_node *n = &c->nodes[i];
        const uint32_t ring = i < SMS ? i / size : i - SMS;
        assert_true(n->requests.count <= c->params.request_queue && n->responses.count <= c->params.response_queue);
        requests[ring] += n->requests.count;
        responses[ring] += n->responses.count;
    }
    for (uint32_t r = 0; r < rings; r++) {
        const uint32_t nodes = (r + 1 < rings ? size : SMS - r * size) + is_joined;
        assert_true(nodes == 1 || requests[r] < nodes * c->params.request_queue);
        assert_true(nodes == 1 || responses[r] < nodes * c->params.response_queue);
    }
    uint32_t asking = 0, answering = 0;
    for (uint32_t r = 0; r < c->n_bridges; r++) {
        asking += ccn_bridges(b->ccn)[r].requests.count;
        answering += ccn_bridges(b->ccn)[r].responses.count;
    }
    assert_true(!is_joined ||
                (asking < rings * c->params.request_queue && answering < rings * c->params.response_queue));
}
static void drain(struct bench *b, uint32_t cycles)
{
    for (uint32_t i = 0; i < cycles && !mech_ccn.unit->idle(b->ccn); i++) tick(b);
    assert_true(mech_ccn.unit->idle(b->ccn));
}
static uint64_t sum(const uint64_t *of)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < SMS; i++) n += of[i];
    return n;
}
/* Every request that was taken has ended once. */
static void conserves(const struct bench *b)
{
    const struct ccn_stats *s = &b->ccn->stats;
    assert_true(s->rings_asked == s->rings_answered &&
                s->rings_answered == s->rings_without + s->remote_hits + s->duplicates);
    assert_true(s->inquiries <= s->entered && s->remote_hits <= s->inquiries && s->remote_hits <= s->hits);
    assert_true(s->entered == b->taken && s->hits == sum(b->machine.delivered) &&
                s->returned == sum(b->machine.resumed));
    assert_true(s->entered == s->hits + s->returned && s->misses == s->entered + s->throttled + s->buffer_full);
    assert_true(b->machine.stolen == (b->ccn->params.steals ? s->hits + s->duplicates : 0));
}

/* One request of SM 0 in an empty network, and the cycles until its end: two cycles to the head of its own queue, a
 * link each to the node that holds the line, a cycle to read it, and for each link back its latency and three cycles
 * more, as four flits must come before they go on; with cut-through the three are paid once. */
static void hit_takes(const char *how, uint32_t holder, uint64_t cycles, uint64_t hops)
{
    struct bench b;
    bench_new(&b, how);
    b.machine.held[holder] = 1ull << 7;
    const uint64_t from = b.now;
    assert_true(miss(&b, 0, 7));
    drain(&b, 1000);
    assert_int_equal(b.machine.delivered[0], 1);
    assert_int_equal(b.machine.delivered_at - from, cycles);
    assert_int_equal(b.ccn->stats.hit_hops, hops);
    conserves(&b);
    bench_free(&b);
}

static void a_hit_in_an_empty_network_takes_the_cycles_worked_out_by_hand(void **state)
{
    (void)state;
    hit_takes("ccn,throttle=0", 1, 2 + 1 + 1 + 4, 2);
    hit_takes("ccn,throttle=0", 5, 2 + 5 + 1 + 5 * 4, 10); /* the mean distance of the thesis: 10 hops */
    hit_takes("ccn,throttle=0,link_cycles=3", 5, 2 + 15 + 1 + 5 * 6, 10);
    hit_takes("ccn,throttle=0,switching=cut_through", 5, 2 + 5 + 1 + 5 + 3, 10);
    hit_takes("ccn,throttle=0,direction=same", 5, 2 + 5 + 1 + 10 * 4, 15); /* always 15 */
    hit_takes("ccn,throttle=0,direction=same", 11, 2 + 11 + 1 + 4 * 4, 15);
    hit_takes("ccn,throttle=0,response_bytes=128", 5, 2 + 5 + 1 + 5, 10);
    hit_takes("ccn,throttle=0,read_cycles=9", 2, 2 + 2 + 9 + 2 * 4, 4);
    hit_takes("ccn,throttle=0,cluster=5", 4, 2 + 4 + 1 + 4 * 4, 8);
}

static void a_request_without_a_copy_comes_home_and_goes_to_l2(void **state)
{
    (void)state;
    struct bench b;
    bench_new(&b, "ccn,throttle=0");
    b.machine.held[0] = 1ull << 7; /* its own L1 is not asked */
    b.machine.refuses[0] = true;
    assert_true(miss(&b, 0, 7));
    for (uint32_t i = 0; i < 40; i++) tick(&b);
    assert_true(!mech_ccn.unit->idle(b.ccn) && b.ccn->stats.home_waits > 0);
    b.machine.refuses[0] = false;
    drain(&b, 1);
    assert_int_equal(b.machine.resumed_at, 42);
    assert_int_equal(b.ccn->stats.round_cycles, 41);
    assert_int_equal(b.ccn->stats.home_cycles, 41 - 2 - SMS); /* of these, at home */
    assert_int_equal(b.ccn->stats.lookups, SMS - 1);
    conserves(&b);
    bench_free(&b);
    bench_new(&b, "ccn,throttle=0,home_queue=2"); /* one more than it has room for holds the ring */
    b.machine.refuses[0] = true;
    for (uint32_t line = 1; line <= 3; line++) assert_true(miss(&b, 0, line));
    for (uint32_t i = 0; i < 30; i++) tick(&b);
    assert_true(b.ccn->nodes[0].homed.count == 2 && b.ccn->nodes[0].requests.count == 1);
    assert_true(b.ccn->stats.home_waits > 0 && b.ccn->stats.returned == 0 && !mech_ccn.unit->idle(b.ccn));
    b.machine.refuses[0] = false;
    drain(&b, 10);
    assert_int_equal(b.machine.resumed[0], 3);
    conserves(&b);
    bench_free(&b);
    bench_new(&b, "ccn,throttle=0,cluster=4"); /* the last ring has three SMs: 12, 13, 14 */
    b.machine.held[11] = b.machine.held[0] = 1ull << 3;
    assert_true(miss(&b, 13, 3));
    drain(&b, 100);
    assert_int_equal(b.machine.resumed_at - 1, 2 + 3);
    assert_int_equal(b.ccn->stats.lookups, 2);
    conserves(&b);
    bench_free(&b);
}

/* A packet that is still on a link is in nobody's queue: what an SM puts in meanwhile does not wait for it. Responses
 * of the SM itself also go before what comes in the same cycle. */
static void what_is_on_a_link_holds_nobody_up(void **state)
{
    (void)state;
    struct bench b;
    bench_new(&b, "ccn,throttle=0,link_cycles=16");
    b.machine.held[1] = 1ull << 7;
    assert_true(miss(&b, 14, 5)); /* two cycles to the head of its queue, and 16 on the link to SM 0 */
    for (uint32_t i = 0; i < 4; i++) tick(&b);
    assert_true(b.ccn->nodes[0].requests.count == 1);
    const uint64_t from = b.now;
    assert_true(miss(&b, 0, 7));
    drain(&b, 1000);
    assert_int_equal(b.machine.delivered_at - from, 2 + 16 + 1 + 19);
    conserves(&b);
    bench_free(&b);

    struct ring ring = {.capacity = 8};
    struct ring_queue q = {.head = RING_QUEUE_MAX - 2}; /* places go round */
    static const struct {
        cycle_t at;
        bool goes_first;
        uint16_t home;
    } enters[] = {{20, false, 1}, {24, false, 2}, {24, true, 3}, {24, false, 4}, {19, false, 5}, {21, true, 6}};
    static const uint16_t order[] = {5, 1, 6, 3, 2, 4};
    for (uint32_t i = 0; i < COUNT_OF(enters); i++)
        *ring_enter(&ring, &q, 0, enters[i].at, enters[i].goes_first, 10 + i) =
            (struct ring_packet){.at = enters[i].at, .home = enters[i].home};
    for (uint32_t i = 0; i < COUNT_OF(order); i++) {
        assert_int_equal(order[i], ring_peek(&q)->home);
        ring_pop(&ring, &q, 0, 30);
    }
}

/* Requests and responses of all SMs at once, in the smallest queues: SMs below 8 hold all lines, or nobody does. */
static void both_rings_full_drain_and_a_full_buffer_sends_misses_to_l2(void **state)
{
    (void)state;
    static const char *const how[] = {"ccn,throttle=0,buffer=1,request_queue=2,response_queue=2",
                                      "ccn,throttle=0,direction=same,request_queue=2,response_queue=2",
                                      "ccn,throttle=0,buffer=32,response_queue=2,link_cycles=16",
                                      "ccn,throttle=0,switching=cut_through,response_queue=2,response_bytes=4",
                                      "ccn,throttle=0,cluster=3,request_queue=2,response_queue=2",
                                      "ccn,throttle=0,cluster=3,hierarchy=1,request_queue=2,response_queue=2",
                                      "ccn,throttle=0,cluster=2,hierarchy=1,inquiries=64,response_queue=2",
                                      "ccn,throttle=0,home_queue=8,request_queue=2,response_queue=2",
                                      "ccn,throttle=0,cluster=7,hierarchy=1,inquiries=1,direction=same,link_cycles=9"};
    for (size_t k = 0; k < COUNT_OF(how) * 2; k++) {
        struct bench b;
        bench_new(&b, how[k / 2]);
        for (uint32_t i = 0; i < 8; i++) b.machine.held[i] = k % 2 ? ~0ull : 0;
        for (uint32_t cycle = 0; cycle < 600; cycle++) {
            for (uint32_t sm = 0; sm < SMS; sm++) miss(&b, sm, (cycle + sm) % LINES);
            tick(&b);
        }
        assert_true(b.ccn->stats.buffer_full > 1000 && b.machine.told_room > 0);
        if (b.ccn->n_bridges) assert_true(b.ccn->stats.inquiries > 0);
        if (b.ccn->n_bridges && b.ccn->params.inquiries < 64) assert_true(b.ccn->stats.bridge_full > 0);
        if (k % 2) assert_true(b.ccn->stats.hit_waits > 0 && b.ccn->stats.response_waits > 0);
        drain(&b, 40000);
        conserves(&b);
        bench_free(&b);
    }
}

/* Rings of five SMs and a bridge, joined by links of three cycles. SM 0 asks four SMs and the bridge: six links home,
 * five more to the bridge, where it waits a cycle to be an inquiry and a cycle to enter. */
static void a_request_goes_round_its_own_ring_and_then_round_all_others_at_once(void **state)
{
    (void)state;
    struct bench b;
    bench_new(&b, "ccn,throttle=0,cluster=5,hierarchy=1,bridge_cycles=3");
    b.machine.held[3] = 1ull << 7; /* in its own ring, nobody else is asked */
    assert_true(miss(&b, 0, 7));
    const uint64_t own = b.now;
    drain(&b, 100);
    assert_int_equal(b.machine.delivered_at - own, 2 + 3 + 1 + 3 * 4);
    assert_true(b.ccn->stats.inquiries == 0);
    /* SM 12, the third of the third ring: to its bridge 6 + 5 links, two links of three to bridge 2, three SMs on. Back
     * three links and the bridge's to bridge 2, one link of three to bridge 1, one to bridge 0, and its ring. */
    b.machine.held[12] = 1ull << 9;
    assert_true(miss(&b, 0, 9));
    const uint64_t from = b.now;
    drain(&b, 300);
    assert_true(b.machine.delivered[0] == 2 && b.ccn->stats.remote_hits == 1 && b.ccn->stats.rings_without == 1);
    const uint64_t there = 2 + 6 + 5 + 1 + 1 + 2 * 3 + 1 + 3;
    const uint64_t back = 1 + 3 * 4 + 1 + 2 * (3 + 3) + 1 + 5 * 4;
    assert_int_equal(b.machine.delivered_at - from, there + back);
    assert_true(b.ccn->stats.hit_hops == 6 + 11 + 2 + 3 + 3 + 2 + 5);
    conserves(&b);
    bench_free(&b);
    /* Nobody has it: all others are asked once, and it goes home to L2. */
    bench_new(&b, "ccn,throttle=0,cluster=4,hierarchy=1");
    assert_true(b.ccn->n_bridges == 4);
    assert_true(miss(&b, 6, 9));
    drain(&b, 300);
    assert_true(b.machine.resumed[6] == 1 && b.ccn->stats.lookups == SMS - 1 && b.ccn->stats.rings_without == 3);
    conserves(&b);
    /* All others have it: one line is used, the rest are dropped. */
    for (uint32_t i = 0; i < 12; i++) b.machine.held[i] = 1ull << 3;
    assert_true(miss(&b, 13, 3));
    drain(&b, 300);
    assert_true(b.machine.delivered[13] == 1 && b.ccn->stats.remote_hits == 1 && b.ccn->stats.duplicates == 2);
    conserves(&b);
    bench_free(&b);
}

static void a_hierarchy_needs_rings(void **state)
{
    (void)state;
    struct bench b;
    struct error err;
    struct mech_spec spec;
    assert_int_equal(mech_parse(&spec, "ccn,hierarchy=1", &err), -1);
    assert_non_null(strstr(err.text, "say how many a ring has"));
    bench_new(&b, "ccn,hierarchy=1,cluster=15"); /* one ring is the flat network */
    assert_true(b.ccn->n_bridges == 0 && b.ccn->n_nodes == SMS);
    bench_free(&b);
    assert_ok(mech_parse(&spec, "ccn,hierarchy=1,cluster=2", &err), &err);
    const struct mech_env env = {.sms = 200, .schedulers = 2, .W = 24, .l1_chunk_bytes = 32};
    struct ccn *ccn = calloc(1, mech_ccn.state_size + env.sms * mech_ccn.per_sm_size);
    assert_int_equal(mech_ccn.init(ccn, spec.params, &env, &err), -1);
    assert_non_null(strstr(err.text, "say a larger cluster"));
    free(ccn);
    mech_free(&spec);
}

static uint32_t draw(uint32_t *r, uint32_t n)
{
    *r = *r * 1664525u + 1013904223u;
    return (*r >> 8) % n;
}

/* Lines come and go, miss queues fill and empty, in networks of all shapes. */
static void whatever_happens_each_request_ends_once(void **state)
{
    (void)state;
    uint32_t r = 17, lost = 0, dropped = 0, full = 0;
    for (uint32_t k = 0; k < 160; k++) {
        char how[320];
        struct bench b;
        snprintf(how, sizeof how,
                 "ccn,throttle=%u,t_P=5000,t_S=500,epochs=0,buffer=%u,request_queue=%u,response_queue=%u,link_cycles=%"
                 "u,switching=%s,direction=%s,cluster=%u,response_bytes=%u,touches=%u,"
                 "hierarchy=%u,inquiries=%u,bridge_cycles=%u,home_queue=%u",
                 draw(&r, 2), 1 + draw(&r, 8), 2 + draw(&r, 8), 2 + draw(&r, 8), 1 + draw(&r, 6),
                 draw(&r, 2) ? "cut_through" : "store_and_forward", draw(&r, 2) ? "same" : "opposite", 2 + draw(&r, 15),
                 4u << draw(&r, 6), draw(&r, 2), draw(&r, 2), 1 + draw(&r, 12), draw(&r, 9), draw(&r, 5));
        bench_new(&b, how);
        for (uint32_t cycle = 0; cycle < 800; cycle++) {
            b.machine.insts += draw(&r, 64);
            const uint32_t sm = draw(&r, SMS);
            if (draw(&r, 2)) b.machine.held[sm] ^= 1ull << draw(&r, LINES);
            if (draw(&r, 20) == 0) b.machine.refuses[sm] ^= true;
            for (uint32_t i = draw(&r, 12); i > 0; i--) miss(&b, draw(&r, SMS), draw(&r, LINES));
            tick(&b);
        }
        for (uint32_t i = 0; i < SMS; i++) b.machine.refuses[i] = false;
        drain(&b, 60000);
        conserves(&b);
        lost += (uint32_t)b.ccn->stats.lost_lines;
        dropped += (uint32_t)b.ccn->stats.duplicates;
        full += (uint32_t)b.ccn->stats.bridge_full;
        bench_free(&b);
    }
    assert_true(lost > 0 && dropped > 0 && full > 0);
}

/* SM 0 finds everything, SM 1 nothing, SM 2 one in twenty, which is H_min, and SM 3 does not ask. */
static void the_throttler_takes_off_who_finds_too_little_until_the_next_period(void **state)
{
    (void)state;
    struct bench b;
    bench_new(&b, "ccn,t_P=100000,t_S=20000,epochs=0");
    b.machine.held[9] = 1;
    for (uint32_t k = 0; k < 20; k++) {
        miss(&b, 0, 0);
        miss(&b, 1, 1);
        miss(&b, 2, k ? 1 : 0);
        drain(&b, 200);
    }
    assert_true(b.ccn->nodes[2].throttle.total == 20 && b.ccn->nodes[2].throttle.hits == 1);
    b.machine.insts = 20000;
    b.now += 100;
    assert_true(miss(&b, 3, 0)); /* sees that the interval is over */
    drain(&b, 200);
    assert_true(miss(&b, 0, 0) && !miss(&b, 1, 0) && miss(&b, 2, 0) && miss(&b, 3, 0));
    assert_true(b.ccn->stats.samples == SMS && b.ccn->stats.samples_off == 1 && b.ccn->stats.throttled == 1);
    drain(&b, 200);
    b.machine.insts = 100000;
    b.now += 100;
    const uint64_t told = b.machine.told_room;
    assert_true(!miss(&b, 1, 1));
    tick(&b);
    assert_true(b.machine.told_room == told + 1 && miss(&b, 1, 1));
    drain(&b, 200);
    conserves(&b);
    bench_free(&b);
    /* What went in before the interval began says nothing of it. */
    bench_new(&b, "ccn,t_P=100000,t_S=20000,epochs=0");
    assert_true(miss(&b, 0, 1));
    for (uint32_t i = 0; i < 4; i++) tick(&b);
    b.machine.insts = 100000;
    b.now += 100;
    assert_true(miss(&b, 0, 2)); /* the next tick sees that a new one begins */
    drain(&b, 200);
    assert_true(b.ccn->sampling.is_open && b.ccn->nodes[0].throttle.total == 0 && b.ccn->stats.returned == 2);
    assert_true(miss(&b, 0, 3));
    drain(&b, 200);
    assert_true(b.ccn->nodes[0].throttle.total == 1 && b.ccn->stats.samples == SMS);
    conserves(&b);
    bench_free(&b);
}

static void periods_shrink_for_short_launches_and_keep_their_shape(void **state)
{
    (void)state;
    struct bench b;
    bench_new(&b, "ccn");
    ccn_sampling_init(b.ccn, 2000000);
    assert_true(b.ccn->sampling.t_P == 200000 && b.ccn->sampling.t_S == 20000);
    ccn_sampling_init(b.ccn, 200000000);
    assert_true(b.ccn->sampling.t_P == 10000000 && b.ccn->sampling.t_S == 1000000);
    bench_free(&b);
    struct error err;
    struct mech_spec spec;
    assert_int_equal(mech_parse(&spec, "ccn,t_P=10,t_S=11", &err), -1);
    assert_non_null(strstr(err.text, "the sampling interval is part of the period"));
}

/* SM 1, which finds nothing, leaves at the end of the first sample that begins after the warm-up. */
static void no_sample_begins_within_the_warm_up(void **state)
{
    (void)state;
    static const struct {
        const char *how;
        uint64_t leaves; /* instructions at which it does */
    } cases[] = {{"ccn,t_P=20000,t_S=5000,epochs=0", 5000},
                 {"ccn,t_P=20000,t_S=5000,epochs=0,warmup=20000", 25000},
                 {"ccn,t_P=20000,t_S=5000,epochs=0,warmup=20001", 45000}};
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct bench b;
        bench_new(&b, cases[c].how);
        for (uint64_t insts = 0; insts <= cases[c].leaves; insts += 2500) {
            b.machine.insts = insts;
            b.now += 100;
            assert_true(miss(&b, 1, 1)); /* the next tick sees how far the launch is */
            drain(&b, 200);
        }
        assert_true(!miss(&b, 1, 1) && b.ccn->stats.samples == SMS && b.ccn->stats.samples_off == 1);
        conserves(&b);
        bench_free(&b);
    }
}

/* A program of two launches of 30,000 instructions each: the first ends in the period that begins at 25,000, with SM 0
 * off; the second finds it so until the period at 50,000 begins. */
static void periods_of_fixed_length_span_the_launches_of_a_program(void **state)
{
    (void)state;
    struct bench b;
    for (uint32_t spans = 0; spans < 2; spans++) {
        char how[100];
        const struct mech_env sized = {.sms = SMS};
        snprintf(how, sizeof how, "ccn,t_P=25000,t_S=2500,epochs=0,spans=%u", spans);
        bench_new(&b, how);
        const size_t at = mech_ccn.state_size + SMS * mech_ccn.per_sm_size, kept = mech_ccn.carried(b.params, &sized);
        assert_true((kept > 0) == spans);
        struct error err;
        char *carried = calloc(1, kept + 1);
        for (uint32_t launch = 0; launch < 2; launch++) {
            const struct mech_env env = {.sms = SMS, .l1_chunk_bytes = 32, .thread_insts = 30000, .carried_at = at};
            free(b.ccn);
            b.ccn = calloc(1, at + kept);
            assert_ok(mech_ccn.init(b.ccn, b.params, &env, &err), &err);
            memcpy((char *)b.ccn + at, carried, kept);
            b.machine.insts = launch ? 0 : 25000;
            tick(&b);
            if (launch == 0) {
                assert_true(miss(&b, 0, 3)); /* the next tick sees the period at 25,000 begin */
                b.now += 100;
                drain(&b, 200);
                b.now += 100;
                assert_true(miss(&b, 0, 3));
                drain(&b, 200);
                b.machine.insts = 29000;
                b.now += 100;
                assert_true(miss(&b, 1, 4));
                drain(&b, 200);
                assert_true(!miss(&b, 0, 3));
            } else {
                assert_true(miss(&b, 0, 3) == !spans && miss(&b, 1, 3));
                drain(&b, 200);
                b.machine.insts = 21000;
                b.now += 100;
                assert_true(miss(&b, 1, 4));
                tick(&b);
                assert_true(miss(&b, 0, 4) == spans &&
                            b.ccn->sampling.period == spans * 2); /* else its own interval ended */
                drain(&b, 200);
            }
            mech_ccn.end(b.ccn, b.now);
            memcpy(carried, (char *)b.ccn + at, kept);
        }
        free(carried);
        bench_free(&b);
    }
}

/* ---- who observes sharing ---- */

/* Accesses of SM 2, one every ten instructions and cycles, lines that SM 1 holds or nobody: the third window has begun
 * when the run ends, and is none of the rows. */
static void the_observer_counts_windows_of_an_sms_instructions(void **state)
{
    (void)state;
    struct machine machine = {.held = {[1] = 1ull << 7}};
    const struct machine_ports ports = {.machine = &machine, .snoop = snoop};
    const struct mech_env env = {.sms = SMS};
    struct error err;
    struct mech_spec spec;
    assert_ok(mech_parse(&spec, "sharing,window=100", &err), &err);
    void *self = calloc(1, mech_sharing.state_size + SMS * mech_sharing.per_sm_size);
    assert_ok(mech_sharing.init(self, spec.params, &env, &err), &err);
    for (uint32_t i = 0; i < 25; i++)
        mech_sharing.on_access(self, &(struct access_event){.sm = 2,
                                                            .line = i % 2 ? 7 : 8,
                                                            .outcome = i % 5 ? ACCESS_MISS : ACCESS_HIT,
                                                            .chunks = 15,
                                                            .insts = 10 * i,
                                                            .now = 1000 + 10 * i * (i >= 10 ? 2 : 1),
                                                            .machine = &ports});
    json_t *detail = mech_sharing.detail(self);
    const json_t *windows = json_object_get(detail, "windows"), *second = json_array_get(windows, 1);
    static const int expected[] = {2, 1, 200, 10, 8, 4, 0}; /* SM, window, cycles, accesses, misses, reused, pending */
    assert_int_equal(json_array_size(windows), 2);
    for (size_t k = 0; k < COUNT_OF(expected); k++)
        assert_int_equal(json_integer_value(json_array_get(second, k)), expected[k]);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(windows, 0), 2)),
                     1200); /* since the launch began */
    json_decref(detail);
    free(self);
    mech_free(&spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_in_an_empty_network_takes_the_cycles_worked_out_by_hand),
        cmocka_unit_test(a_request_without_a_copy_comes_home_and_goes_to_l2),
        cmocka_unit_test(what_is_on_a_link_holds_nobody_up),
        cmocka_unit_test(both_rings_full_drain_and_a_full_buffer_sends_misses_to_l2),
        cmocka_unit_test(a_request_goes_round_its_own_ring_and_then_round_all_others_at_once),
        cmocka_unit_test(a_hierarchy_needs_rings),
        cmocka_unit_test(whatever_happens_each_request_ends_once),
        cmocka_unit_test(the_throttler_takes_off_who_finds_too_little_until_the_next_period),
        cmocka_unit_test(periods_shrink_for_short_launches_and_keep_their_shape),
        cmocka_unit_test(no_sample_begins_within_the_warm_up),
        cmocka_unit_test(periods_of_fixed_length_span_the_launches_of_a_program),
        cmocka_unit_test(the_observer_counts_windows_of_an_sms_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
