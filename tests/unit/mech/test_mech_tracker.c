/* The Sharing Tracker: its directory alone, and on the simulated machine. */
#include "stack.h"

#include <jansson.h>

extern const struct mech_type mech_sharing_tracker;
#define tracker (&mech_sharing_tracker)

/* ---- the directory, on a machine of the test's own with two SMs ---- */

enum { SMS = 2, LINE = 77, OTHER = 78 };
struct machine {
    bool holds[SMS], refuses;
    unsigned answered, from_dram, stolen;
    uint64_t at;
};
static enum snoop snoop(const void *machine, uint32_t sm, uint32_t line, uint32_t chunks)
{
    assert_true(line == LINE && chunks == 15);
    return ((const struct machine *)machine)->holds[sm] ? SNOOP_PRESENT : SNOOP_ABSENT;
}
static void steal(void *machine, uint32_t sm, uint64_t now)
{
    ((struct machine *)machine)->stolen += sm < SMS && now > 0;
}
static void answer(void *machine, const struct l2_fetch *fetch, uint64_t now)
{
    struct machine *m = machine;
    assert_true(fetch->token == 9 && fetch->bank == 1);
    m->answered++;
    m->at = now;
}
static bool from_dram(void *machine, const struct l2_fetch *fetch, uint64_t now)
{
    struct machine *m = machine;
    assert_true(fetch->token == 9);
    m->from_dram += !m->refuses;
    m->at = now;
    return !m->refuses;
}

struct bench {
    struct machine machine;
    struct machine_ports ports;
    void *self, *params;
};
static void bench_new(struct bench *b)
{
    struct error err;
    struct mech_spec spec;
    struct mech_env env = {.sms = SMS, .l2_banks = 2, .l1_chunk_bytes = 32};
    *b = (struct bench){.machine = {.answered = 0}};
    b->ports = (struct machine_ports){
        .machine = &b->machine, .snoop = snoop, .steal_port = steal, .answer_l2 = answer, .fetch_from_dram = from_dram};
    assert_ok(mech_parse(&spec, "sharing_tracker,sets=1,ways=1,ask_cycles=20,answer_cycles=30", &err), &err);
    b->params = spec.params;
    env.carried_at = tracker->state_size + SMS * tracker->per_sm_size;
    b->self = calloc(1, env.carried_at + tracker->carried(b->params, &env));
    assert_ok(tracker->init(b->self, b->params, &env, &err), &err);
}
static void bench_free(struct bench *b)
{
    free(b->self);
    free(b->params);
}
/* A request at L2; whether the tracker takes what it fetches. */
static bool request(struct bench *b, uint32_t sm, uint32_t line, enum l2_kind kind, enum l2_outcome outcome)
{
    const struct l2_request r = {.bank = 1, .line = line, .requester = sm, .kind = (uint8_t)kind, .sectors = 15};
    const struct l2_access access = {.outcome = outcome};
    const struct l2_fetch fetch = {.line = line, .token = 9, .bank = 1, .sectors = 15};
    tracker->l2_on_access(b->self, &r, &access);
    return outcome == L2_MISSED && tracker->l2_miss_route->take(b->self, &fetch, 100);
}
static void run(struct bench *b, uint64_t to)
{
    for (uint64_t now = 100; now < to; now++) tracker->unit->tick(b->self, &b->ports, now);
}

/* There 20 cycles, the line holds the SM's way for 5, and 30 back; nothing to say takes one. */
static void what_another_sm_read_last_is_fetched_from_its_l1(void **state)
{
    (void)state;
    for (int is_there = 0; is_there < 2; is_there++) {
        struct bench b;
        bench_new(&b);
        assert_false(request(&b, 0, LINE, L2_LOAD, L2_MISSED));
        assert_false(request(&b, 0, LINE, L2_LOAD, L2_MISSED)); /* not from itself */
        assert_true(request(&b, 1, LINE, L2_LOAD, L2_MISSED));
        assert_true(tracker->unit->next_event(b.self, 100) == 120 && !tracker->unit->idle(b.self));
        b.machine.holds[0] = is_there;
        run(&b, 300);
        assert_true(tracker->unit->idle(b.self) && b.machine.stolen == 1);
        assert_true(b.machine.answered == (unsigned)is_there && b.machine.from_dram == (unsigned)!is_there);
        assert_int_equal(b.machine.at, 100 + 20 + (is_there ? 5 : 1) + 30);
        bench_free(&b);
    }
}

/* L1s are not coherent: what was read before a store may be stale. */
static void stores_and_atomics_forget_who_read(void **state)
{
    (void)state;
    static const enum l2_kind kinds[] = {L2_STORE, L2_ATOMIC};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct bench b;
        bench_new(&b);
        request(&b, 0, LINE, L2_LOAD, L2_HIT);
        request(&b, 1, LINE, kinds[i], L2_HIT);
        assert_false(request(&b, 1, LINE, L2_LOAD, L2_MISSED));
        assert_true(request(&b, 0, LINE, L2_LOAD, L2_MISSED)); /* SM 1 has read it since */
        bench_free(&b);
    }
}

static void a_full_directory_forgets_and_a_full_queue_waits(void **state)
{
    (void)state;
    struct bench b;
    bench_new(&b);
    request(&b, 0, LINE, L2_LOAD, L2_HIT);
    request(&b, 0, OTHER, L2_LOAD, L2_HIT); /* takes the only entry */
    assert_false(request(&b, 1, LINE, L2_LOAD, L2_MISSED));
    assert_true(request(&b, 0, LINE, L2_LOAD, L2_MISSED));
    b.machine.refuses = true;
    run(&b, 200);
    assert_true(!tracker->unit->idle(b.self) && b.machine.from_dram == 0);
    b.machine.refuses = false;
    run(&b, 101);
    tracker->unit->tick(b.self, &b.ports, 200);
    assert_true(tracker->unit->idle(b.self) && b.machine.from_dram == 1 && b.machine.at == 200);
    bench_free(&b);
}

/* ---- on the simulated machine ---- */

static uint64_t counted(json_t *mech, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(mech, name));
}

/* An L2 that is smaller than the L1s together, so that they hold what it has lost. */
static void l1s_answer_what_l2_has_lost(void **state)
{
    (void)state;
    static const char *const small[] = {"l2.set_index=linear", "l2.sets=1", "l2.ways=4", "l2.write_miss=allocate",
                                        NULL}; /* so that no store reads DRAM */
    static const struct stack_run alone = {.mechs = {"gto"}, .set = small},
                                  with = {.mechs = {"sharing_tracker"}, .set = small};
    struct trace *t = synth_shared(24, 8, 20, 400, 5);
    json_t *mech;
    struct gpu_stats *a = stack_run(t, &alone, NULL), *b = stack_run(t, &with, &mech);
    const uint64_t hits = counted(mech, "hits"), asked = counted(mech, "asked");
    assert_true(hits > 100 && counted(mech, "gone") > 0 && asked == hits + counted(mech, "gone"));
    assert_true(counted(mech, "tracked") == asked + counted(mech, "full"));
    /* two bursts a line, of all that loads and instruction fetches miss and no L1 answers */
    const uint64_t others = stack_value(b, "l1i_misses"), from_dram = counted(mech, "misses") - hits;
    assert_true(stack_value(b, "dram_reads") >= 2 * from_dram &&
                stack_value(b, "dram_reads") <= 2 * (from_dram + others));
    assert_true(stack_value(b, "dram_reads") < stack_value(a, "dram_reads"));
    json_decref(mech);
    free(a);
    free(b);
    trace_close(t);
}

static void runs_conserve_and_repeat(void **state)
{
    (void)state;
    static const char *const small[] = {"l2.set_index=linear", "l2.sets=1", "l2.ways=4", NULL};
    static const char *const tight[] = {"l2.set_index=linear", "l2.sets=2",  "l2.ways=2",
                                        "l2.miss_queue=4",     "l2.mshrs=8", NULL};
    static const char *const sectored[] = {"l1.organisation=sectored", "l2.organisation=sectored", "l2.ways=1", NULL};
    static const char *const at_once[] = {"ideal.memory=dram", "l2.ways=1", NULL};
    /* A channel takes from a full queue in the very tick in which the bank finds room. */
    static const char *const one_place[] = {"l2.set_index=linear", "l2.sets=2", "l2.ways=2", "l2.miss_queue=2", NULL};
    static const struct stack_run runs[] = {{.mechs = {"sharing_tracker"}, .set = small},
                                            {.mechs = {"sharing_tracker,asked=4", "ccn"}, .set = tight},
                                            {.mechs = {"sharing_tracker"}, .set = sectored},
                                            {.mechs = {"srrip", "sharing_tracker,line_cycles=40"}, .set = small},
                                            {.mechs = {"sharing_tracker", "ccn,throttle=0"}, .set = at_once},
                                            {.mechs = {"sharing_tracker"}, .set = one_place}};
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        struct trace *t = i % 2 ? synth_mixture(16, 6, 8, 8) : synth_shared(24, 8, 12, 300, 3);
        struct gpu_stats *s = stack_run(t, &runs[i], NULL);
        stack_conserves(s);
        stack_repeats_as(t, &runs[i], s);
        free(s);
        trace_close(t);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct error err;
    struct mech_spec spec;
    assert_int_equal(mech_parse(&spec, "sharing_tracker,sets=3", &err), -1);
    assert_non_null(strstr(err.text, "not a power of two"));
    assert_ok(mech_parse(&spec, "sharing_tracker", &err), &err);
    struct mech_env env = {.sms = SMS, .l2_banks = 1, .l1_chunk_bytes = 8};
    env.carried_at = tracker->state_size + SMS * tracker->per_sm_size;
    void *self = calloc(1, env.carried_at + tracker->carried(spec.params, &env));
    assert_int_equal(tracker->init(self, spec.params, &env, &err), -1);
    assert_non_null(strstr(err.text, "chunks of 8 bytes"));
    free(self);
    mech_free(&spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_another_sm_read_last_is_fetched_from_its_l1),
        cmocka_unit_test(stores_and_atomics_forget_who_read),
        cmocka_unit_test(a_full_directory_forgets_and_a_full_queue_waits),
        cmocka_unit_test(l1s_answer_what_l2_has_lost),
        cmocka_unit_test(runs_conserve_and_repeat),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
