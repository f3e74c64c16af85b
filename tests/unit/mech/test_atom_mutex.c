/* The mutexes of atomic data: all interleavings of two nodes and one mutex, on the source that the simulator runs. The
 * value of a line is how many atomics it has seen, so a lost update is a value that is too small. */
#include "rig.h"

#include "poise/hash.h"

enum { ATOM_MUTEXES_MAX = 1, ATOM_REQUESTS_MAX = 2, ATOM_COPIES_MAX = 1, ATOM_WIRES_MAX = 1 };
#define ATOM_MUTEXES_MAX ATOM_MUTEXES_MAX
#include "atom_mutex.c"

enum {
    NODES = 2,
    ATOMICS = 2,
    MORE_ATOMICS = 3 /* of a node: on one line, on two */,
    PATIENCE = 5 /* cycles that each step of memory may take */,
    EPOCH = 4,
    IN_FLIGHT = 4,
    LINES = 2
};
/* What is on its way to memory and back: it is served at some moment, and answered at some later one. */
struct trip {
    uint8_t is_used, is_served, age, copy;
    uint32_t line, value;
};
struct world {
    struct atom atom;
    struct atom_node nodes[NODES];
    struct trip fetches[NODES], writes[NODES][IN_FLIGHT];
    uint8_t left[NODES], idle[NODES]; /* atomics not yet begun; cycles since one could have */
    uint32_t memory[LINES], performed[LINES], n_lines;
    uint64_t now;
};
struct finding {
    uint64_t worlds, ends;
    const char *wrong;
};
struct seen {
    struct hash key;
    uint8_t state;
}; /* 0: free, 1: on the way to here, 2: all that follows is known */
static struct seen *table;
enum { TABLE_SIZE = 1 << 20 };

static const char *wrong; /* of the step in hand */

static bool begin_fetch(void *env, uint32_t node, uint32_t copy, uint32_t line, uint32_t sectors)
{
    struct world *w = env;
    assert_true(line < w->n_lines);
    assert_int_equal(1, sectors);
    assert_false(w->fetches[node].is_used);
    w->fetches[node] = (struct trip){.is_used = 1, .copy = (uint8_t)copy, .line = line};
    return true;
}

static bool begin_write(void *env, uint32_t node, uint32_t mutex, uint32_t line, uint32_t sectors, uint32_t value)
{
    struct world *w = env;
    uint32_t i = 0;
    assert_int_equal(0, mutex);
    assert_true(line < w->n_lines);
    assert_int_equal(1, sectors);
    while (w->writes[node][i].is_used) assert_true(++i < IN_FLIGHT);
    w->writes[node][i] = (struct trip){.is_used = 1, .line = line, .value = value};
    return true;
}

static void note_performed(void *env, uint32_t node, const struct atom_request *request, uint32_t value)
{
    struct world *w = env;
    assert_int_equal(100 + node, request->payload[0]);
    if (value != ++w->performed[request->line]) wrong = "an atomic did not see all before it";
}

static void note_room(void *env, uint32_t node)
{
    (void)env;
    assert_true(node < NODES);
}

/* Things that may happen in this cycle: each may or may not, unless it has waited for too long. */
struct choice {
    uint8_t what /* 0 take, 1 fetch, 2 write */, node, index;
};

static uint32_t choices_of(const struct world *w, struct choice out[16], bool forced[16])
{
    uint32_t n = 0;
    for (uint8_t i = 0; i < NODES; i++) {
        if (w->left[i] && atom_has_room(&w->atom, &w->nodes[i]))
            forced[n] = w->idle[i] >= EPOCH, out[n++] = (struct choice){0, i, 0};
        if (w->fetches[i].is_used) forced[n] = w->fetches[i].age >= PATIENCE, out[n++] = (struct choice){1, i, 0};
        for (uint8_t k = 0; k < IN_FLIGHT; k++)
            if (w->writes[i][k].is_used)
                forced[n] = w->writes[i][k].age >= PATIENCE, out[n++] = (struct choice){2, i, k};
    }
    return n;
}

static void let(struct world *w, const struct choice *c)
{
    struct trip *t = c->what == 1 ? &w->fetches[c->node] : &w->writes[c->node][c->index];
    if (c->what == 0) {
        const uint32_t line = --w->left[c->node] % w->n_lines;
        w->idle[c->node] = 0;
        atom_take(&w->atom, w->nodes, c->node, line, 1, (uint32_t[3]){100u + c->node}, w->now);
        return;
    }
    if (!t->is_served) {
        if (c->what == 1) t->value = w->memory[t->line];
        else w->memory[t->line] = t->value;
        t->is_served = 1;
        t->age = 0;
        return;
    }
    t->is_used = 0;
    if (c->what == 1) atom_fetched(&w->atom, w->nodes, c->node, t->copy, t->value, w->now);
    else atom_written(&w->atom, w->nodes, c->node, 0, w->now);
    *t = (struct trip){0};
}

static void hold_back(struct world *w, const struct choice *c)
{
    if (c->what == 0) w->idle[c->node]++;
    else if (c->what == 1) w->fetches[c->node].age++;
    else w->writes[c->node][c->index].age++;
}

static uint64_t from_now(uint64_t at, uint64_t now) { return at == ATOM_NEVER ? at : at > now ? at - now : 0; }

/* What two worlds must have in common to have the same future: times count from now, tickets by their order. */
static struct hash key_of(const struct world *w)
{
    struct world k = *w;
    const uint32_t epoch = epoch_of(&w->atom.config, w->now);
    memset(&k.atom.counts, 0, sizeof k.atom.counts);
    k.atom.tickets = 0;
    k.atom.wake = from_now(w->atom.wake, w->now);
    k.atom.mutexes[0].free_from = from_now(w->atom.mutexes[0].free_from, w->now);
    k.atom.mutexes[0].release_epoch = w->atom.mutexes[0].release_epoch == epoch;
    const bool later = w->nodes[0].wants[0].ticket > w->nodes[1].wants[0].ticket;
    for (uint32_t i = 0; i < NODES; i++) {
        struct atom_node *n = &k.nodes[i];
        struct atom_want *want = &n->wants[0];
        const struct atom_request *r = w->nodes[i].requests;
        const bool turned = r[0].is_used && r[1].is_used && r[0].sequence > r[1].sequence;
        n->turn = n->sequence = 0;
        for (uint32_t j = 0; j < ATOM_REQUESTS_MAX; j++) {
            if (!n->requests[j].is_used) memset(&n->requests[j], 0, sizeof n->requests[j]);
            n->requests[j].since = 0;
            n->requests[j].sequence = turned != (j == 1);
        }
        n->copies[0].used_at = 0;
        if (want->state == ATOM_FREE) want->at += w->atom.config.flush_cycles; /* it is the time of the release */
        want->at = from_now(want->at, w->now);
        want->recall_at = from_now(want->recall_at, w->now);
        want->update_until = from_now(want->update_until, w->now);
        want->asked_at = 0;
        want->asked_epoch = want->asked_epoch == epoch;
        want->ticket = later == (i == 0);
    }
    k.now = w->now % (2 * EPOCH); /* of which the token's turn is a divisor */
    return hash_bytes(&k, sizeof k);
}

static struct seen *look_up(const struct hash *key)
{
    uint64_t at;
    memcpy(&at, key->bytes, sizeof at);
    for (at %= TABLE_SIZE; table[at].state; at = (at + 1) % TABLE_SIZE)
        if (memcmp(&table[at].key, key, sizeof *key) == 0) return &table[at];
    table[at].key = *key;
    return &table[at];
}

static bool has_ended(const struct world *w)
{
    return w->performed[0] + w->performed[1] == NODES * (w->n_lines == 1 ? ATOMICS : MORE_ATOMICS) &&
           atom_is_idle(&w->atom, w->nodes);
}

static const char *what_is_wrong(const struct world *w)
{
    uint32_t holders = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        const uint8_t state = w->nodes[i].wants[0].state;
        holders += state == ATOM_COMING || state == ATOM_HELD || state == ATOM_RELEASING;
    }
    if (holders > 1) return "two hold the mutex";
    if (holders != w->atom.mutexes[0].is_held) return "the table does not say who holds the mutex";
    if (has_ended(w) && memcmp(w->memory, w->performed, sizeof w->memory) != 0) return "memory has lost an update";
    return wrong;
}

/* All that can follow. Without a ring of worlds none can go on for ever, so every atomic is performed in the end. */
static void explore(const struct world *w, struct finding *f)
{
    static const struct atom_calls calls = {NULL, begin_fetch, begin_write, note_performed, note_room};
    const struct hash key = key_of(w);
    struct seen *here = look_up(&key);
    if (here->state == 1) f->wrong = "a world comes back: somebody may wait for ever";
    if (here->state || f->wrong) return;
    here->state = 1;
    assert_true(++f->worlds < TABLE_SIZE / 2);
    if (has_ended(w)) {
        f->ends++;
        here->state = 2;
        return;
    }
    struct world ticked = *w;
    struct atom_calls with = calls;
    with.env = &ticked;
    wrong = NULL;
    atom_tick(&ticked.atom, ticked.nodes, &with, ticked.now);
    struct choice choices[16];
    bool forced[16];
    const uint32_t n = choices_of(&ticked, choices, forced);
    for (uint32_t set = 0; set < 1u << n && !f->wrong; set++) {
        struct world next = ticked;
        bool is_possible = true;
        for (uint32_t i = 0; i < n; i++) {
            if (set >> i & 1) let(&next, &choices[i]);
            else if (forced[i]) is_possible = false;
            else hold_back(&next, &choices[i]);
        }
        if (!is_possible) continue;
        f->wrong = what_is_wrong(&next);
        next.now++;
        if (!f->wrong) explore(&next, f);
    }
    here->state = 2;
}

/* Two nodes in a row (columns 2) or in a column (columns 1), token period 2, epoch 4. */
struct protocol {
    const char *name;
    enum atom_kind kind;
    uint32_t columns;
    bool speculates, writes_back;
    enum atom_fault fault;
    bool travels, refetches;
};

/* With two lines under the mutex a node has atomics on both in turn, and room for a copy of one. */
static struct finding check(const struct protocol *p, uint32_t lines, uint32_t hold)
{
    const struct atom_config config = {.nodes = NODES,
                                       .columns = p->columns,
                                       .mutexes = 1,
                                       .wires = 1,
                                       .requests = ATOM_REQUESTS_MAX,
                                       .copies = 1,
                                       .hold = hold,
                                       .hop_cycles = 1,
                                       .token_cycles = 1,
                                       .update_cycles = 1,
                                       .flush_cycles = 3,
                                       .epoch_cycles = EPOCH,
                                       .kind = p->kind,
                                       .speculates = p->speculates,
                                       .writes_back = p->writes_back,
                                       .travels = p->travels,
                                       .refetches = p->refetches,
                                       .fault = p->fault};
    struct finding f = {0};
    memset(table, 0, TABLE_SIZE * sizeof *table);
    for (uint64_t phase = 0; phase < EPOCH && !f.wrong; phase++) {
        struct world w;
        memset(&w, 0, sizeof w); /* padding is part of the key */
        atom_init(&w.atom, &config);
        w.now = phase;
        w.n_lines = lines;
        for (uint32_t i = 0; i < NODES; i++) w.left[i] = lines == 1 ? ATOMICS : MORE_ATOMICS;
        explore(&w, &f);
    }
    return f;
}

static void all_interleavings_keep_every_update_and_end(void **state)
{
    (void)state;
    static const struct protocol of[] = {
        {"AtomNaive", ATOM_NAIVE, 2, false, false, ATOM_SOUND, false, false},
        {"AtomDir", ATOM_DIRECTORY, 2, false, false, ATOM_SOUND, false, false},
        {"AtomDir, speculative", ATOM_DIRECTORY, 2, true, false, ATOM_SOUND, false, false},
        {"AtomDir, written back, speculative", ATOM_DIRECTORY, 2, true, true, ATOM_SOUND, false, false},
        {"a ring of two", ATOM_RINGS, 2, false, false, ATOM_SOUND, false, false},
        {"a ring of two, speculative", ATOM_RINGS, 2, true, false, ATOM_SOUND, false, false},
        {"a ring of two, written back, speculative", ATOM_RINGS, 2, true, true, ATOM_SOUND, false, false},
        {"a column of two, speculative", ATOM_RINGS, 1, true, false, ATOM_SOUND, false, false},
        {"AtomDir, data travels", ATOM_DIRECTORY, 2, false, true, ATOM_SOUND, true, false},
        {"AtomDir, data travels, speculative", ATOM_DIRECTORY, 2, true, true, ATOM_SOUND, true, false},
        {"a ring of two, data travels", ATOM_RINGS, 2, false, true, ATOM_SOUND, true, false},
        {"AtomDir, refetching", ATOM_DIRECTORY, 2, true, false, ATOM_SOUND, false, true},
        {"AtomDir, written back, refetching", ATOM_DIRECTORY, 2, true, true, ATOM_SOUND, false, true},
        {"AtomDir, data travels, refetching", ATOM_DIRECTORY, 2, true, true, ATOM_SOUND, true, true},
        {"a ring of two, refetching", ATOM_RINGS, 2, true, false, ATOM_SOUND, false, true},
    };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        for (uint32_t set = 0; set < 4; set++) {
            const uint32_t lines = 1 + set / 2, hold = set % 2 == 0 ? 1 : 1 + lines;
            const struct finding f = check(&of[i], lines, hold);
            if (f.wrong)
                fail_msg("%s, %u lines, at most %u atomics under the mutex: %s", of[i].name, lines, hold, f.wrong);
            print_message("%s, %u lines, at most %u atomics under the mutex: %llu worlds, %llu of them ends\n",
                          of[i].name, lines, hold, (unsigned long long)f.worlds, (unsigned long long)f.ends);
            assert_true(f.worlds > 1000 && f.ends > 0);
        }
}

/* Each part of the mechanism is there for something that the check finds where it is left out. */
static void the_check_finds_what_each_part_is_for(void **state)
{
    (void)state;
    static const struct protocol of[] = {
        {"epochs", ATOM_DIRECTORY, 2, true, false, ATOM_TRUSTS_EVERY_FETCH, false, false},
        {"epochs, rings", ATOM_RINGS, 2, true, false, ATOM_TRUSTS_EVERY_FETCH, false, false},
        {"epochs, refetching", ATOM_DIRECTORY, 2, true, false, ATOM_TRUSTS_EVERY_FETCH, false, true},
        {"release after the write", ATOM_DIRECTORY, 2, false, false, ATOM_RELEASES_EARLY, false, false},
        {"busy wires", ATOM_NAIVE, 2, false, false, ATOM_IGNORES_BUSY_WIRES, false, false},
        {"recalls", ATOM_DIRECTORY, 2, false, true, ATOM_NEVER_RECALLS, false, false},
        {"epochs, written back", ATOM_DIRECTORY, 2, true, true, ATOM_TRUSTS_EVERY_FETCH, false, false},
        {"what travels", ATOM_DIRECTORY, 2, false, true, ATOM_DROPS_WHAT_COMES, true, false},
    };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        const struct finding f = check(&of[i], 1, 1);
        if (!f.wrong) fail_msg("without %s nothing goes wrong", of[i].name);
        else print_message("without %s: %s\n", of[i].name, f.wrong);
    }
}

static int make_table(void **state)
{
    (void)state;
    table = calloc(TABLE_SIZE, sizeof *table);
    return table ? 0 : -1;
}

static int free_table(void **state)
{
    (void)state;
    free(table);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_interleavings_keep_every_update_and_end),
        cmocka_unit_test(the_check_finds_what_each_part_is_for),
    };
    return cmocka_run_group_tests(tests, make_table, free_table);
}
