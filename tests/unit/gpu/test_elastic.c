/* Elastic-Cache: one set of it against a model that was written from the paper's text, access by access; 128-byte
 * requests and word misses; banks of chunk tags; and what it stores. */
#include "units.h"

#include "../../../sim/gpu/cache/l1_chunked.h"
#include "../../../sim/gpu/cache/org_elastic.h"

static uint32_t random_state;
static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

/* ---- a set, as the paper describes it ---- */

enum { REF_LINES = 8, REF_CHUNKS = 4, CHUNK_POOL = 40 };
struct ref_chunk {
    bool valid, pending, stays;
    uint32_t tag;
    uint64_t used;
};
struct ref_line {
    uint32_t common;
    bool is_full;
    uint64_t used;
    struct ref_chunk chunks[REF_CHUNKS];
};
struct ref_set {
    struct ref_line lines[REF_LINES];
    uint32_t n;
    uint64_t time;
    bool first_line_only, invalid_first, from_zero, at_fill;
};

static bool holds(const struct ref_chunk *c) { return c->valid || c->pending; }
static bool is_invalid(const struct ref_line *l)
{
    for (int i = 0; i < REF_CHUNKS; i++)
        if (holds(&l->chunks[i])) return false;
    return true;
}
static bool may_go(const struct ref_line *l)
{
    for (int i = 0; i < REF_CHUNKS; i++)
        if (l->chunks[i].pending || l->chunks[i].stays) return false;
    return true;
}
static uint32_t common(uint32_t line) { return line >> 14; }
static uint32_t chunk_tag(uint32_t line, uint32_t chunk) { return (line & 0x3fff) << 2 | chunk; }

/* §3C: a hit needs a line's common tag and one of its chunk tags. */
static struct ref_chunk *find(struct ref_set *s, uint32_t line, uint32_t chunk, struct ref_line **of)
{
    for (uint32_t i = 0; i < s->n; i++)
        for (int k = 0; k < REF_CHUNKS; k++) {
            struct ref_chunk *c = &s->lines[i].chunks[k];
            if (!holds(c) || s->lines[i].common != common(line) || c->tag != chunk_tag(line, chunk)) continue;
            *of = &s->lines[i];
            return c;
        }
    return NULL;
}
static uint32_t found(struct ref_set *s, uint32_t line, bool pending)
{
    struct ref_line *of = NULL;
    uint32_t mask = 0;
    for (uint32_t k = 0; k < REF_CHUNKS; k++) {
        const struct ref_chunk *c = find(s, line, k, &of);
        if (c && (pending ? c->pending : c->valid)) mask |= 1u << k;
    }
    return mask;
}

static void put(struct ref_set *s, struct ref_line *l, uint32_t slot, uint32_t line, uint32_t chunk)
{
    l->common = common(line);
    l->chunks[slot] =
        (struct ref_chunk){.valid = s->at_fill, .pending = !s->at_fill, .stays = true, .tag = chunk_tag(line, chunk)};
    l->chunks[slot].used = l->used = ++s->time;
}

static struct ref_line *line_to_evict(struct ref_set *s)
{
    struct ref_line *oldest = NULL;
    for (uint32_t i = 0; i < s->n; i++)
        if (is_invalid(&s->lines[i])) return &s->lines[i];
    for (uint32_t i = 0; i < s->n; i++)
        if (may_go(&s->lines[i]) && (!oldest || s->lines[i].used < oldest->used)) oldest = &s->lines[i];
    if (oldest) *oldest = (struct ref_line){.used = oldest->used};
    return oldest;
}

static bool replace_chunk(struct ref_set *s, uint32_t line, uint32_t chunk)
{
    struct ref_chunk *oldest = NULL;
    struct ref_line *of = NULL;
    for (uint32_t i = 0; i < s->n; i++) {
        struct ref_line *l = &s->lines[i];
        if (is_invalid(l) || l->common != common(line) || (s->first_line_only && oldest && of != l)) continue;
        for (int k = 0; k < REF_CHUNKS; k++)
            if (l->chunks[k].valid && !l->chunks[k].stays && (!oldest || l->chunks[k].used < oldest->used))
                oldest = &l->chunks[k], of = l;
    }
    if (!oldest) return false;
    of->is_full = false;
    put(s, of, (uint32_t)(oldest - of->chunks), line, chunk);
    return true;
}

/* A word miss, or one of the common tag. */
static bool place(struct ref_set *s, uint32_t line, uint32_t chunk)
{
    const uint32_t first = s->from_zero ? 0 : chunk;
    struct ref_line *l;
    for (uint32_t k = 0; k < REF_CHUNKS; k++) /* §3D: open linear addressing */
        for (uint32_t i = 0; i < s->n; i++) {
            const uint32_t slot = (first + k) % REF_CHUNKS;
            if (is_invalid(&s->lines[i]) || s->lines[i].common != common(line) || holds(&s->lines[i].chunks[slot]))
                continue;
            put(s, &s->lines[i], slot, line, chunk);
            return true;
        }
    bool any_invalid = false;
    for (uint32_t i = 0; i < s->n; i++) any_invalid |= is_invalid(&s->lines[i]);
    if (((s->first_line_only && !s->invalid_first) || !any_invalid) && replace_chunk(s, line, chunk)) return true;
    if (!(l = line_to_evict(s))) return false;
    put(s, l, first, line, chunk);
    return true;
}

/* §3E. False if there is no room for all: then nothing has changed. */
static bool allocate(struct ref_set *s, uint32_t line, uint32_t hit, uint32_t chunks)
{
    const struct ref_set before = *s;
    struct ref_line *of = NULL;
    bool done = true;
    for (uint32_t k = 0; k < REF_CHUNKS; k++)
        if (hit >> k & 1) find(s, line, k, &of)->stays = true;
    if (chunks == 15 && !found(s, line, true) && !found(s, line, false)) { /* a 128-byte request takes an entire line */
        struct ref_line *l = line_to_evict(s);
        done = l != NULL;
        for (uint32_t k = 0; l && k < REF_CHUNKS; k++) put(s, l, k, line, k);
        if (l) l->is_full = true;
    } else {
        for (uint32_t k = 0; done && k < REF_CHUNKS; k++)
            if (chunks >> k & 1) done = place(s, line, k);
    }
    if (!done) *s = before;
    for (uint32_t i = 0; i < s->n; i++)
        for (int k = 0; k < REF_CHUNKS; k++) s->lines[i].chunks[k].stays = false;
    return done;
}

static void touch(struct ref_set *s, uint32_t line, uint32_t hit)
{
    for (uint32_t k = 0; k < REF_CHUNKS; k++) {
        struct ref_line *of = NULL;
        struct ref_chunk *c = hit >> k & 1 ? find(s, line, k, &of) : NULL;
        if (c) c->used = of->used = ++s->time;
    }
}

static uint32_t ref_access(struct ref_set *s, uint32_t line, uint32_t access, uint32_t coming, enum l1_outcome *outcome)
{
    const uint32_t hit = access & found(s, line, false), fetch = access & ~hit & ~coming;
    const struct ref_set before = *s;
    touch(s, line, hit);
    *outcome = hit == access ? L1_HIT : !fetch ? L1_MERGED : L1_MISS;
    if (*outcome != L1_MISS) return 0;
    if (s->at_fill || allocate(s, line, hit, fetch)) return fetch;
    *s = before;
    *outcome = L1_FAIL_LINE;
    return 0;
}

static void ref_arrive(struct ref_set *s, uint32_t line, uint32_t chunks)
{
    struct ref_line *of = NULL;
    if (s->at_fill) {
        assert_true(allocate(s, line, 0, chunks));
        return;
    }
    for (uint32_t k = 0; k < REF_CHUNKS; k++) {
        struct ref_chunk *c = chunks >> k & 1 ? find(s, line, k, &of) : NULL;
        if (c && c->pending) c->pending = false, c->valid = true;
    }
}

static void ref_store(struct ref_set *s, uint32_t line)
{
    for (uint32_t k = 0; k < REF_CHUNKS; k++) {
        struct ref_line *of = NULL;
        struct ref_chunk *c = find(s, line, k, &of);
        if (!c || !c->valid) continue;
        *c = (struct ref_chunk){0};
        of->is_full = false;
    }
}

/* ---- the cache beside the model ---- */

struct beside {
    struct l1 l1;
    struct ref_set ref;
    struct {
        uint16_t token;
        uint32_t line, chunks;
    } away[256];
    uint32_t n_away, coming[CHUNK_POOL], seen[L1_FAIL_QUEUE + 1];
};

/* Of three common tags, with many lines each; line 0 has a neighbour that is the same but for its common tag. */
static uint32_t line_of(uint32_t i) { return (i % 3) << 14 | (i / 3) * 1237 % 0x4000; }

static void begin(struct beside *b, uint32_t ways)
{
    *b = (struct beside){.n_away = 0};
    params->l1.organisation = L1_ELASTIC;
    params->l1.sets = 1;
    params->l1.ways = ways;
    params->l1.set_index = LINEAR_INDEX;
    params->l1.mshrs = 64;
    params->l1.mshr_merge = 64;
    params->l1.miss_queue = 256;
    assert_ok(gpu_params_check(params, &err), &err);
    arena.used = 0;
    memset(arena.base, 0, arena.size);
    l1_init(&b->l1, params, 0, 0, &arena);
    b->ref = (struct ref_set){.n = ways,
                              .first_line_only = params->l1.elastic_victims != ELASTIC_ALL_LINES,
                              .invalid_first = params->l1.elastic_victims == ELASTIC_INVALID_FIRST,
                              .from_zero = params->l1.elastic_first == ELASTIC_LOWEST,
                              .at_fill = params->l1.streaming};
}

/* Every chunk is where the model has it, and lines are full where the model's are. */
static void compare(struct beside *b)
{
    const struct elastic *e = b->l1.tags.own;
    for (uint32_t i = 0; i < CHUNK_POOL; i++) {
        const struct tag_line *l = tags_find(&b->l1.tags, 0, line_of(i));
        assert_int_equal(found(&b->ref, line_of(i), false), l ? l->valid : 0);
        assert_int_equal(found(&b->ref, line_of(i), true), l ? l->pending : 0);
        for (uint32_t left = l ? l->valid | l->pending : 0; left; left &= left - 1) {
            struct ref_line *of = NULL;
            const uint32_t k = (uint32_t)__builtin_ctz(left);
            const struct ref_chunk *c = find(&b->ref, line_of(i), k, &of);
            assert_true(c && of);
            if (!c || !of) return;
            assert_int_equal((of - b->ref.lines) * REF_CHUNKS + (c - of->chunks),
                             e->slot_of[tags_index(&b->l1.tags, l) * e->slots + k]);
        }
    }
    for (uint32_t i = 0; i < b->ref.n; i++) assert_int_equal(b->ref.lines[i].is_full, e->full[i]);
}

static uint32_t waited_for(const struct beside *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < CHUNK_POOL; i++) n += b->coming[i] != 0;
    return n;
}

static void access_both(struct beside *b, uint32_t i, uint32_t mask, cycle_t now)
{
    enum l1_outcome expected;
    const struct l1_access a = {.line = line_of(i), .sectors = (uint8_t)mask, .chunks = mask, .may_pollute = true};
    const struct ref_set before = b->ref;
    const uint32_t fetch = ref_access(&b->ref, a.line, mask, b->coming[i], &expected);
    if (expected == L1_MISS && params->l1.streaming && waited_for(b) == b->ref.n &&
        !b->coming[i]) { /* an MSHR a line */
        b->ref = before;
        expected = L1_FAIL_MSHR;
    }
    const enum l1_outcome seen = l1_load_fails(&b->l1, &a), outcome = l1_load(&b->l1, &a, now);
    assert_int_equal(expected, outcome);
    assert_int_equal(outcome >= L1_FAIL_LINE ? outcome : L1_HIT, seen);
    b->seen[outcome]++;
    if (outcome != L1_MISS) return;
    b->coming[i] |= fetch;
    uint32_t asked = 0, n = 0;
    for (; !request_fifo_empty(&b->l1.to_xbar); n++) {
        const struct request r = request_fifo_pop(&b->l1.to_xbar);
        b->away[b->n_away].token = r.token;
        b->away[b->n_away].line = i;
        asked |= b->away[b->n_away++].chunks = r.sectors;
    }
    assert_int_equal(fetch, asked);
    assert_int_equal(fetch == 15 || params->l1.elastic_requests == ELASTIC_TOGETHER ? 1 : __builtin_popcount(fetch), n);
}

static void answer_both(struct beside *b, cycle_t now)
{
    const uint32_t k = any(b->n_away), *targets;
    l1_fill(&b->l1, &(struct reply){.token = b->away[k].token, .kind = REQUEST_READ}, &targets, now);
    ref_arrive(&b->ref, line_of(b->away[k].line), b->away[k].chunks);
    b->coming[b->away[k].line] &= ~b->away[k].chunks;
    b->away[k] = b->away[--b->n_away];
}

static void run_beside(uint32_t accesses, uint32_t ways)
{
    struct beside b;
    begin(&b, ways);
    for (cycle_t now = 1; now <= accesses; now++) {
        const uint32_t i = any(2 + any(CHUNK_POOL - 1)), mask = any(4) ? 1u << any(4) : any(3) ? 15 : 1 + any(15);
        if (any(20) == 0) {
            l1_send(&b.l1, REQUEST_WRITE, &(struct l1_access){.line = line_of(i), .sectors = 1}, 0, false, now);
            request_fifo_pop(&b.l1.to_xbar);
            ref_store(&b.ref, line_of(i));
        } else {
            access_both(&b, i, mask, now);
        }
        while (b.n_away && (any(2) || b.n_away > 12)) answer_both(&b, now);
        if (now % 16 == 0) compare(&b);
    }
    for (int o = L1_HIT; o <= L1_MISS; o++) assert_true(b.seen[o] > 100);
    assert_true(b.seen[params->l1.streaming ? L1_FAIL_MSHR : L1_FAIL_LINE] > 0);
    assert_int_equal(0, b.seen[params->l1.streaming ? L1_FAIL_LINE : L1_FAIL_MSHR]);
}

static void a_set_does_what_the_paper_says_on_a_million_accesses(void **state)
{
    (void)state;
    random_state = 17;
    for (uint32_t i = 0; i < 10; i++) {
        params->l1.streaming = i >= 5;
        params->l1.elastic_victims = i % 5 == 1 ? ELASTIC_ONE_LINE : i % 5 == 4 ? ELASTIC_INVALID_FIRST : 0;
        params->l1.elastic_first = i % 5 == 2;
        params->l1.elastic_requests = i % 5 == 3;
        run_beside(POISE_SANITIZED ? 10100 : 101000, i % 5 == 3 ? REF_LINES : 4);
    }
    params->l1.streaming = 0;
    params->l1.elastic_victims = 0;
}

static enum l1_outcome get(struct l1 *l1, uint32_t line, uint32_t sectors, cycle_t now);

/* Eight lines of one set, of two ways each from now on, are four sets of two ways. [ELASTIC §7] */
static void an_l1_whose_ways_change_in_flight_is_then_as_one_that_was_built_so(void **state)
{
    struct beside b;
    struct l1 built = {0};
    (void)state;
    params->l1.streaming = 1;
    begin(&b, 8);
    params->l1.sets = 4;
    params->l1.ways = 2;
    l1_init(&built, params, 0, 0, &arena);
    params->l1.sets = 1;
    params->l1.ways = 8;
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(L1_MISS, get(&b.l1, i << 14, 1, i));
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(L1_HIT, get(&b.l1, i << 14, 1, i));
    assert_int_equal(2, l1_set_ways(&b.l1, 3, 9)); /* the nearest by which eight can be shared out */
    assert_int_equal(2, elastic_ways(&b.l1.tags));
    random_state = 5;
    for (cycle_t now = 10; now < 20000; now++) {
        const uint32_t line = line_of(any(CHUNK_POOL)), mask = any(3) ? 1u << any(4) : 15;
        assert_int_equal(get(&built, line, mask, now), get(&b.l1, line, mask, now));
    }
    assert_true(built.stats.l1d_load_hits > 1000 && built.stats.l1d_evictions > 1000);
    assert_int_equal(8, l1_set_ways(&b.l1, 0, 40000)); /* all, and empty */
    for (uint32_t i = 0; i < CHUNK_POOL; i++) assert_null(tags_find(&b.l1.tags, 0, line_of(i)));
    for (uint32_t i = 0; i < 8; i++) get(&b.l1, i << 14, 1, 40001 + i);
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(L1_HIT, get(&b.l1, i << 14, 1, 40010 + i));
    params->l1.streaming = 0;
    begin(&b, 8);
    assert_int_equal(0, l1_set_ways(&b.l1, 1, 0)); /* lines that wait for data keep their places */
}

/* ---- by hand ---- */

static enum l1_outcome get(struct l1 *l1, uint32_t line, uint32_t sectors, cycle_t now)
{
    const uint32_t *targets;
    const enum l1_outcome outcome =
        l1_load(l1, &(struct l1_access){.line = line, .sectors = (uint8_t)sectors, .may_pollute = true}, now);
    while (!request_fifo_empty(&l1->to_xbar))
        l1_fill(l1, &(struct reply){.token = request_fifo_pop(&l1->to_xbar).token}, &targets, now);
    return outcome;
}

static void chunks_of_many_lines_share_one_and_a_128_byte_request_takes_all_of_it(void **state)
{
    (void)state;
    for (uint32_t streaming = 0; streaming <= 1; streaming++) {
        struct beside b;
        params->l1.streaming = streaming;
        begin(&b, 1);
        const struct elastic *e = b.l1.tags.own;
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(L1_MISS, get(&b.l1, 100 * i, 8, i)); /* last sectors of four lines */
        for (uint32_t i = 0; i < 4; i++) assert_int_equal(L1_HIT, get(&b.l1, 100 * i, 8, i));
        assert_false(e->full[0]);
        assert_int_equal(3, b.l1.stats.l1d_word_misses); /* the first has no common tag to match */
        assert_int_equal(L1_MISS, get(&b.l1, 500, 15, 9));
        assert_true(e->full[0]);
        assert_int_equal(4, b.l1.stats.l1d_evictions);
        assert_int_equal(L1_HIT, get(&b.l1, 500, 15, 10));
        assert_int_equal(L1_HIT, get(&b.l1, 500, 4, 11));
        assert_int_equal(L1_MISS,
                         get(&b.l1, 600, 1, 12)); /* a word miss: of the full line, the first sector is the oldest */
        assert_false(e->full[0]);
        assert_int_equal(14, tags_find(&b.l1.tags, 0, 500)->valid);
        assert_int_equal(L1_MISS, get(&b.l1, 500, 15, 13)); /* three of four are there */
        assert_int_equal(1, b.l1.stats.l1d_partial_misses);
        assert_int_equal(L1_HIT, get(&b.l1, 500, 15, 14));
        assert_int_equal(L1_MISS, get(&b.l1, 600 | 1 << 14, 1, 15)); /* another common tag: the line goes */
        assert_int_equal(L1_MISS, get(&b.l1, 500, 2, 16));
    }
    params->l1.streaming = 0;
}

/* The paper's example of two accesses to one line, whose chunk tags end in 11 and 10. [§3D] */
static void a_probe_walks_on_from_its_own_bank_and_waits_for_one_that_is_taken(void **state)
{
    (void)state;
    struct beside b;
    begin(&b, 1);
    const struct org_type *org = b.l1.tags.org;
    for (uint32_t i = 0; i < 4; i++) get(&b.l1, 10 * i, 1u << i, i); /* chunk i of line 10 i stands in slot i */
    struct tag_line *l = tags_find(&b.l1.tags, 0, 30);
    struct org_search s = org->search(&b.l1.tags, 0, 30, l, 8, 0, 1000);
    assert_int_equal(1, s.probes); /* in bank 3 at once */
    assert_int_equal(0, s.conflicts);
    s = org->search(&b.l1.tags, 0, 40, NULL, 4, 4, 1000); /* in the same cycle: banks 2, 3, 0, 1, and a word miss */
    assert_int_equal(4, s.probes);
    assert_int_equal(0, s.conflicts);
    assert_int_equal(1, s.word_misses);
    assert_int_equal(0, b.l1.tags.held_up);
    s = org->search(&b.l1.tags, 0, 30, l, 8, 0, 1001); /* bank 3 is the other's in this cycle */
    assert_int_equal(1, s.conflicts);
    assert_int_equal(1, b.l1.tags.held_up);
    s = org->search(&b.l1.tags, 0, 50 | 1 << 14, NULL, 1, 1, 2000);
    assert_int_equal(0, s.probes); /* its common tag is nowhere */
    assert_int_equal(0, s.word_misses);
}

/* However many look in one cycle, each that waits counts its cycles, up to the 64 that are kept in mind. */
static void many_probes_of_one_cycle_wait_for_each_other(void **state)
{
    (void)state;
    struct beside b;
    params->l1.elastic_banks = 1;
    begin(&b, 1);
    params->l1.elastic_banks = 4;
    get(&b.l1, 10, 1, 0);
    for (uint32_t i = 0; i < 20; i++) {
        const struct org_search s = b.l1.tags.org->search(&b.l1.tags, 0, 20, NULL, 1, 1, 100); /* four probes each */
        assert_int_equal(4, s.probes);
        assert_int_equal(i < 16 ? 4 * i : 64, s.conflicts);
        assert_int_equal(s.conflicts, b.l1.tags.held_up);
    }
}

static void chunks_of_an_access_that_stand_in_one_bank_are_read_one_after_the_other(void **state)
{
    (void)state;
    static const struct {
        uint32_t banks, conflicts, held;
    } rows[] = {{4, 1, 1}, {2, 1, 1}, {1, 4, 3}}; /* of one, the probe of each waits for the other's */
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        struct beside b;
        params->l1.elastic_banks = rows[row].banks;
        begin(&b, 2);
        for (uint32_t i = 0; i < 3; i++) get(&b.l1, 10 + i, 1, i); /* slots 0 to 2 of the first line */
        get(&b.l1, 20, 1, 3);                                      /* slot 3 */
        get(&b.l1, 20, 8, 4);                                      /* and 3 of the second */
        struct tag_line *l = tags_find(&b.l1.tags, 0, 20);
        assert_int_equal(9, l->valid);
        const struct org_search s = b.l1.tags.org->search(&b.l1.tags, 0, 20, l, 9, 0, 100);
        assert_int_equal(5, s.probes);
        assert_int_equal(rows[row].conflicts, s.conflicts);
        assert_int_equal(rows[row].held, b.l1.tags.held_up);
    }
    params->l1.elastic_banks = 4;
}

static void impossible_configurations_are_refused(void **state)
{
    static const char *const wrong[][4] = {
        {"l1.elastic_banks", "3"}, {"l1.elastic_banks", "8"}, {"l1.chunk_bytes", "16"},
        {"l1.miss_queue", "3"},    {"l1.ways", "8192"},       {"l1.elastic_chunk_bits", "24", "l1.sets", "1024"}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct gpu_params *p = gpu_params_new();
        assert_ok(gpu_params_set(p, "l1.organisation", "elastic", &err), &err);
        assert_ok(gpu_params_check(p, &err), &err);
        for (size_t k = 0; k < 4 && wrong[i][k]; k += 2)
            assert_ok(gpu_params_set(p, wrong[i][k], wrong[i][k + 1], &err), &err);
        assert_int_equal(-1, gpu_params_check(p, &err));
        assert_non_null(strstr(err.text, wrong[i][0]));
        gpu_params_free(p);
    }
}

/* Of 32 KB, at any associativity: 16 bits of chunk tag, valid and two LRU bits a chunk, the mode a line; less the 14
 * bits that each line's tag gives away and its valid bit. */
static void storage_is_that_of_the_tags_of_section_3b(void **state)
{
    (void)state;
    params->l1.organisation = L1_ELASTIC;
    for (uint32_t ways = 1; ways <= 256; ways *= 2) {
        params->l1.ways = ways;
        params->l1.sets = 256 / ways;
        assert_int_equal(1024 * (16 + 1 + 2) + 256 * (1 - 14 - 1),
                         gpu_l1_extra_bits(params, 25 - (uint32_t)__builtin_ctz(params->l1.sets)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_set_does_what_the_paper_says_on_a_million_accesses),
        T(an_l1_whose_ways_change_in_flight_is_then_as_one_that_was_built_so),
        T(chunks_of_many_lines_share_one_and_a_128_byte_request_takes_all_of_it),
        T(a_probe_walks_on_from_its_own_bank_and_waits_for_one_that_is_taken),
        T(many_probes_of_one_cycle_wait_for_each_other),
        T(chunks_of_an_access_that_stand_in_one_bank_are_read_one_after_the_other),
        T(impossible_configurations_are_refused),
        T(storage_is_that_of_the_tags_of_section_3b),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
