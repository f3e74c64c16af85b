/* What every organisation of L1 keeps to, whatever it stores where: random loads, stores and replies in any order, in
 * few sets, beside a record of all that was asked for and has come. */
#include "units.h"

#include "geometry.h"
#include "../../../sim/gpu/cache/l1_snoop.h"
#include "../../../sim/gpu/cache/org_dsc.h"
#include "../../../sim/gpu/cache/org_elastic.h"
#include "../../../sim/gpu/cache/org_tsc.h"

static uint32_t random_state;
static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

enum { LINES = 48, AWAY = 64 };
struct record {
    struct l1 l1;
    uint32_t chunk_bytes, all;   /* what the masks of a line count in */
    uint32_t named_bytes, named; /* and those of an access */
    uint32_t came[LINES];        /* in a cache that forgets only what a store takes away */
    uint32_t coming[LINES];      /* asked for, with a place reserved for it */
    struct {
        struct request request;
        uint32_t line, chunks;
        bool has_place;
    } away[AWAY];
    uint32_t n_away, most, seen[L1_FAIL_QUEUE + 1];
};

static uint32_t tag_of(uint32_t i) { return i * 37 % 1024 + (i % 3 << 14); }

static struct tag_line *line_of(struct record *r, uint32_t i)
{
    const uint32_t line = tag_of(i);
    return tags_find(&r->l1.tags, line & (r->l1.tags.sets - 1), line);
}

/* Chunks that an access of these names touches. */
static uint32_t touched(const struct record *r, uint32_t names)
{
    return r->chunk_bytes == r->named_bytes ? names : masks_overlap(names, r->named_bytes, r->chunk_bytes);
}

/* A place for each chunk that a set holds, and a chunk in each place that is taken. */
static void tsc_places_are_those_of_the_lines(struct record *r)
{
    struct tsc *t = r->l1.tags.own;
    for (uint32_t s = 0; s < r->l1.tags.sets; s++) {
        uint32_t held[TSC_SLOTS] = {0};
        for (uint64_t left = t->sets[s].held; left; left &= left - 1) {
            const uint32_t slot = (uint32_t)__builtin_ctzll(left), way = t->sets[s].way[slot];
            assert_true(slot < t->slots);
            assert_false(held[way] >> t->sets[s].chunk[slot] & 1); /* in one place */
            held[way] |= 1u << t->sets[s].chunk[slot];
            const uint32_t key = *tags_key(tags_line(&r->l1.tags, s * r->l1.tags.stride + way));
            assert_int_equal(t->sets[s].shared[slot / t->group_chunks], key >> t->tag_shift);
        }
        for (uint32_t slot = 0; slot < t->slots; slot++)
            assert_int_equal(t->sets[s].held >> slot & 1, order_rank(&t->order, s * t->order.stride + slot) > 0);
        for (uint32_t way = 0; way < r->l1.tags.ways; way++) {
            const struct tag_line *l = tags_line(&r->l1.tags, s * r->l1.tags.stride + way);
            assert_int_equal(l->valid | l->pending, held[way]);
        }
    }
}

static void dsc_places_are_those_of_the_lines(struct record *r)
{
    const struct dsc *d = r->l1.tags.own;
    for (uint32_t s = 0; s < r->l1.tags.sets; s++)
        for (uint32_t way = 0; way < r->l1.tags.ways; way++) {
            const uint8_t *owner = d->owner + (s * d->frames + way / d->tags) * d->n_chunks;
            const struct tag_line *l = tags_line(&r->l1.tags, s * r->l1.tags.stride + way);
            uint32_t own = 0;
            for (uint32_t c = 0; c < d->n_chunks; c++) own |= (uint32_t)(owner[c] == way % d->tags + 1) << c;
            assert_int_equal(l->valid | l->pending, own);
        }
}

static void elastic_places_are_those_of_the_lines(struct record *r)
{
    const struct elastic *e = r->l1.tags.own;
    for (uint32_t s = 0; s < r->l1.tags.sets; s++) {
        uint32_t held[256] = {0};
        for (uint32_t i = 0; i < e->lines; i++)
            for (uint32_t slot = 0; slot < e->slots; slot++) {
                const uint32_t line = s * e->lines + i, at = line * e->slots + slot;
                if (!(e->held[line] >> slot & 1)) continue;
                const uint32_t frame = s * r->l1.tags.stride + e->way[at],
                               key = *tags_key(tags_line(&r->l1.tags, frame));
                assert_false(held[e->way[at]] >> e->chunk[at] & 1); /* in one place */
                held[e->way[at]] |= 1u << e->chunk[at];
                assert_int_equal(i * e->slots + slot, e->slot_of[frame * e->slots + e->chunk[at]]);
                assert_int_equal(e->common[line], key >> e->tag_shift);
                if (e->full[line]) assert_true(e->chunk[at] == slot && e->way[at] == e->way[line * e->slots]);
            }
        for (uint32_t way = 0; way < r->l1.tags.ways; way++) {
            const struct tag_line *l = tags_line(&r->l1.tags, s * r->l1.tags.stride + way);
            assert_int_equal(l->valid | l->pending, held[way]);
        }
    }
}

static void check(struct record *r)
{
    uint32_t held = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        const struct tag_line *l = line_of(r, i);
        const uint32_t coming = r->l1.tags.org->takes_at_fill ? 0 : r->coming[i];
        assert_int_equal(coming, l ? l->pending : 0); /* nothing pending is ever a victim */
        assert_int_equal(0, l ? l->valid & (~r->came[i] | l->pending)
                              : 0); /* what is there has come, and is not on its way */
        held += l ? (uint32_t)__builtin_popcount(l->valid | l->pending) : 0;
    }
    assert_true(held <= r->most);
    if (r->l1.tags.org == &org_tsc) tsc_places_are_those_of_the_lines(r);
    if (r->l1.tags.org->search) elastic_places_are_those_of_the_lines(r);
    if (r->l1.tags.org == &org_dsc) dsc_places_are_those_of_the_lines(r);
}

static void note_requests(struct record *r, uint32_t i, uint32_t fetched, bool has_place)
{
    while (!request_fifo_empty(&r->l1.to_xbar)) {
        const struct request q = request_fifo_pop(&r->l1.to_xbar);
        uint32_t chunks = fetched;
        if (r->l1.chunked)
            chunks = r->l1.chunked->fetched[(q.token & 2047u) * r->l1.chunked->n_chunks + (q.token >> 11)];
        assert_true(chunks && !(chunks & ~fetched));
        r->away[r->n_away].request = q;
        r->away[r->n_away].line = i;
        r->away[r->n_away].has_place = has_place;
        r->away[r->n_away++].chunks = chunks;
    }
}

static void load(struct record *r, cycle_t now)
{
    const uint32_t i = any(LINES), names = 1 + any(r->named), touches = touched(r, names);
    const struct tag_line *l = line_of(r, i);
    const uint32_t there = l ? l->valid : 0;
    struct l1_access a = {.line = tag_of(i),
                          .sectors = (uint8_t)names,
                          .chunks = names,
                          .load = (uint16_t)any(512),
                          .may_pollute = any(8)};
    const uint32_t was_pending = l ? l->pending : 0;
    const enum l1_outcome seen = l1_load_fails(&r->l1, &a), outcome = l1_load(&r->l1, &a, now);
    r->seen[outcome]++;
    assert_int_equal(outcome >= L1_FAIL_LINE ? outcome : L1_HIT, seen); /* what is predicted happens */
    if (outcome == L1_HIT)
        assert_int_equal(0, touches & ~r->came[i]); /* no hit that an infinite cache would not have */
    if (outcome == L1_HIT) assert_int_equal(0, touches & ~there);
    if (outcome != L1_MISS) return;
    l = line_of(r, i);
    const uint32_t more =
        r->l1.tags.org->takes_at_fill ? r->all : (l ? l->pending : 0) & ~was_pending; /* it may get a place */
    r->coming[i] |= more;
    note_requests(r, i, more ? more : r->all, more);
}

/* A chunk that is larger than a line of L2 comes with the last of several replies. */
static bool is_last_of_its_token(const struct record *r, uint32_t k)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < r->n_away; i++) same += r->away[i].request.token == r->away[k].request.token;
    return same == 1 || !r->l1.chunked; /* else each names what it brings itself */
}

static void reply(struct record *r, cycle_t now)
{
    const uint32_t k = any(r->n_away), *targets, i = r->away[k].line;
    const struct reply with = {
        .token = r->away[k].request.token, .kind = REQUEST_READ, .sectors = r->away[k].request.sectors};
    const bool brings = is_last_of_its_token(r, k);
    const uint32_t answered = l1_fill(&r->l1, &with, &targets, now);
    if (!brings) assert_int_equal(0, answered);
    if (r->away[k].has_place && brings) {
        r->coming[i] &= ~r->away[k].chunks;
        r->came[i] |= r->away[k].chunks;
    }
    r->away[k] = r->away[--r->n_away];
}

static void store(struct record *r, cycle_t now)
{
    const uint32_t i = any(LINES);
    assert_int_equal(
        L1_SENT, l1_send(&r->l1, REQUEST_WRITE, &(struct l1_access){.line = tag_of(i), .sectors = 1}, 0, false, now));
    request_fifo_pop(&r->l1.to_xbar);
    r->came[i] = 0;
}

static struct gpu_params *small_machine(void)
{
    struct gpu_params *p = gpu_params_new();
    p->l1.set_index = LINEAR_INDEX;
    p->l1.sets = 2;
    p->l1.mshrs = 20;
    p->l1.mshr_merge = 3;
    p->l1.miss_queue = 40;
    return p;
}

/* Returns the outcomes that came, as bits. */
static uint32_t a_machine_keeps_to_the_contract(const struct gpu_params *p, cycle_t cycles)
{
    struct record r = {.n_away = 0};
    uint32_t seen = 0;
    assert_ok(gpu_params_check(p, &err), &err);
    arena.used = 0;
    memset(arena.base, 0, arena.size);
    l1_init(&r.l1, p, 0, 0, &arena);
    r.chunk_bytes = r.l1.chunked ? p->l1.chunk_bytes : 32;
    r.all = (uint32_t)((1ull << p->l1.line_bytes / r.chunk_bytes) - 1);
    r.named_bytes = plan_chunk_bytes(p);
    r.named = (uint32_t)((1ull << p->l1.line_bytes / r.named_bytes) - 1);
    r.most = p->l1.sets * p->l1.ways * (p->l1.line_bytes / r.chunk_bytes);
    for (cycle_t now = 1; now < cycles; now++) {
        if (any(16) == 0) store(&r, now);
        else load(&r, now);
        if (any(64) == 0) l1_note(&r.l1, now);
        while (r.n_away && (any(5) == 0 || r.n_away + 8 > AWAY)) reply(&r, now);
        check(&r);
    }
    for (cycle_t now = cycles; r.n_away; now++) reply(&r, now);
    check(&r);
    assert_int_equal(0, r.l1.mshrs.used);
    for (int o = L1_HIT; o <= L1_FAIL_QUEUE; o++) seen |= (uint32_t)(r.seen[o] > 0) << o;
    return seen;
}

static void an_organisation_keeps_to_the_contract(const char *const sets[])
{
    struct gpu_params *p = small_machine();
    for (; *sets; sets += 2) assert_ok(gpu_params_set(p, sets[0], sets[1], &err), &err);
    const uint32_t seen = a_machine_keeps_to_the_contract(p, 12000);
    for (int o = L1_HIT; o <= L1_FAIL_LINE; o++)
        if (o != L1_SENT && !(seen >> o & 1) && !(o == L1_FAIL_LINE && p->l1.streaming))
            fail_msg("outcome %d never came", o);
    gpu_params_free(p);
}

static void every_organisation_keeps_to_the_contract(void **state)
{
    static const char *const machines[][12] = {
        {NULL},
        {"l1.organisation", "sectored", NULL},
        {"l1.organisation", "lamar_tsc", NULL},
        {"l2.line_bytes", "64", NULL},
        {"l1.line_bytes", "32", "l2.line_bytes", "128", "l1.ways", "6", NULL},
        {"l1.line_bytes", "64", "l2.line_bytes", "128", NULL},
        {"l1.line_bytes", "256", "l2.line_bytes", "128", NULL},
        {"l1.organisation", "sectored", "l1.chunk_bytes", "8", NULL},
        {"l1.organisation", "sectored", "l1.line_bytes", "256", "l1.chunk_bytes", "64", "l2.line_bytes", "128", NULL},
        {"l1.organisation", "tsc", NULL},
        {"l1.organisation", "tsc", "l1.tsc_private_bits", "0", "l1.tsc_victims", "matching", NULL},
        {"l1.organisation", "tsc", "l1.tsc_private_bits", "20", "l1.tsc_nru_reset", "others", "l1.tsc_mode", "coarse",
         NULL},
        {"l1.organisation", "tsc", "l1.chunk_bytes", "8", "l1.tsc_mode", "duel", "l1.tsc_sampler_sets", "1", NULL},
        {"l1.organisation", "tsc", "l1.chunk_bytes", "16", "l1.tsc_group_chunks", "4", NULL},
        {"l1.organisation", "tsc", "l1.chunk_bytes", "64", "l1.line_bytes", "256", "l2.line_bytes", "128", NULL},
        {"l1.organisation", "dsc", NULL},
        {"l1.organisation", "dsc", "l1.dsc_tags", "4", "l1.chunk_bytes", "16", NULL},
        {"l1.organisation", "dsc", "l1.dsc_tags", "8", "l1.line_bytes", "64", "l2.line_bytes", "128", NULL},
        {"l1.organisation", "elastic", NULL},
        {"l1.organisation", "elastic", "l1.streaming", "1", NULL},
        {"l1.organisation", "elastic", "l1.elastic_victims", "line", "l1.elastic_first", "lowest", "l1.elastic_banks",
         "2", NULL},
        {"l1.organisation", "elastic", "l1.elastic_requests", "together", "l1.elastic_walk", "holds",
         "l1.elastic_chunk_bits", "10", NULL},
        {"l1.organisation", "elastic", "l1.line_bytes", "64", "l2.line_bytes", "128", "l1.elastic_banks", "1", NULL},
        {"l1.organisation", "elastic", "l1.chunk_bytes", "64", "l1.line_bytes", "256", "l2.line_bytes", "128", NULL},
        {"l1.organisation", "lamar_tsc", "l1.lamar_fetch", "predicted", "l1.lamar_lines", "16", "l1.lamar_epoch", "8",
         NULL},
    };
    (void)state;
    random_state = 3;
    for (size_t i = 0; i < COUNT_OF(machines); i++) an_organisation_keeps_to_the_contract(machines[i]);
}

static void every_geometry_keeps_to_it_as_well(void **state)
{
    (void)state;
    uint32_t machines = 0;
    for (uint32_t i = 0; i < geometries(); i++) {
        const struct geometry g = geometry_at(i);
        struct gpu_params *p = small_machine();
        p->l1.ways = 2;
        p->l1.elastic_banks = 2;
        p->l1.replacement = i % REPLACE_VALUES;
        random_state = i;
        if (geometry_set(p, &g)) {
            a_machine_keeps_to_the_contract(p, POISE_SANITIZED ? 100 : 400);
            machines++;
        }
        gpu_params_free(p);
    }
    assert_true(machines > 200);
}

/* ---- LAMAR's prediction ---- */

/* What a miss on this line asks for. */
static uint32_t fetched(struct l1 *l1, uint32_t line, uint32_t sectors)
{
    const uint32_t *targets;
    const struct l1_access a = {.line = line, .sectors = (uint8_t)sectors, .chunks = sectors, .may_pollute = true};
    if (l1_load(l1, &a, 1) != L1_MISS) return 0;
    const struct request r = request_fifo_pop(&l1->to_xbar);
    l1_fill(l1, &(struct reply){.token = r.token}, &targets, 2);
    return r.sectors;
}

static void lines_of_poor_locality_are_fetched_by_sectors_from_then_on(void **state)
{
    struct l1 l1 = {0};
    (void)state;
    params->l1.organisation = L1_LAMAR;
    params->l1.lamar_fetch = 1;
    params->l1.lamar_lines = 16;
    params->l1.lamar_epoch = 4;
    params->l1.sets = 1;
    params->l1.ways = 1;
    params->l1.set_index = LINEAR_INDEX;
    assert_ok(gpu_params_check(params, &err), &err);
    l1_init(&l1, params, 0, 0, &arena);
    assert_int_equal(15, fetched(&l1, 3, 1));  /* nothing is known of it: the whole line */
    assert_int_equal(0, fetched(&l1, 3, 2));   /* which is there */
    assert_int_equal(15, fetched(&l1, 19, 7)); /* takes its place in the table: two sectors touched are few */
    assert_int_equal(1, fetched(&l1, 3, 1));
    assert_int_equal(15, fetched(&l1, 19, 1));                     /* three are not */
    for (uint32_t i = 0; i < 9; i++) fetched(&l1, 35 + 16 * i, 1); /* eight more have gone in: both filters are new */
    assert_int_equal(15, fetched(&l1, 3, 1));
    params->l1.lamar_fetch = 0;
}

/* ---- decoupled sectors ---- */

static struct l1 dsc_of(uint32_t frames)
{
    struct l1 l1 = {0};
    params->l1.organisation = L1_DSC;
    params->l1.sets = 1;
    params->l1.ways = frames;
    params->l1.set_index = LINEAR_INDEX;
    assert_ok(gpu_params_check(params, &err), &err);
    l1_init(&l1, params, 0, 0, &arena);
    return l1;
}

static enum l1_outcome get(struct l1 *l1, uint32_t line, uint32_t sectors)
{
    const uint32_t *targets;
    const enum l1_outcome outcome =
        l1_load(l1, &(struct l1_access){.line = line, .sectors = (uint8_t)sectors, .may_pollute = true}, 1);
    if (outcome == L1_MISS) l1_fill(l1, &(struct reply){.token = request_fifo_pop(&l1->to_xbar).token}, &targets, 2);
    return outcome;
}

static void lines_share_a_frame_but_never_the_same_place_of_it(void **state)
{
    (void)state;
    struct l1 l1 = dsc_of(1);
    assert_int_equal(L1_MISS, get(&l1, 10, 1));
    assert_int_equal(L1_MISS, get(&l1, 20, 2 | 4));
    assert_int_equal(L1_HIT, get(&l1, 10, 1));
    assert_int_equal(L1_HIT, get(&l1, 20, 2 | 4));
    assert_int_equal(L1_MISS, get(&l1, 10, 2)); /* that place is line 20's */
    assert_int_equal(4, tags_find(&l1.tags, 0, 20)->valid);
    assert_int_equal(3, tags_find(&l1.tags, 0, 10)->valid);
    assert_int_equal(0, l1.tags.held_up); /* one line lost something */
}

static void each_further_line_that_loses_something_holds_L1_up_for_a_cycle(void **state)
{
    (void)state;
    struct l1 l1 = dsc_of(1);
    get(&l1, 10, 1);
    get(&l1, 20, 2);
    assert_int_equal(L1_MISS, get(&l1, 30, 1 | 2)); /* takes the tag of 10, and the place of 20 besides */
    assert_int_equal(1, l1.tags.held_up);
    assert_null(tags_find(&l1.tags, 0, 10));
    assert_null(tags_find(&l1.tags, 0, 20));
    assert_int_equal(2, l1.stats.l1d_evictions);
}

/* Prefetches have a port of their own. */
static void a_prefetch_counts_apart_and_holds_nothing_up(void **state)
{
    static const char *const organisations[] = {"dsc", "elastic"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(organisations); i++) {
        struct gpu_params *p = small_machine();
        struct l1 l1 = {0};
        assert_ok(gpu_params_set(p, "l1.organisation", organisations[i], &err), &err);
        p->l1.sets = 1, p->l1.ways = 1;
        arena.used = 0;
        memset(arena.base, 0, arena.size);
        l1_init(&l1, p, 0, 0, &arena);
        for (uint32_t k = 1; k <= 6; k++) {
            const uint32_t *targets;
            const struct prefetch what = {
                .line = 10 * k, .chunks = k == 3 ? 3 : k, .sectors = (uint8_t)(k == 3 ? 3 : k)};
            if (l1_prefetch(&l1, &what, k) != PREFETCH_SENT) continue;
            assert_int_equal(0, l1.tags.held_up);
            while (!request_fifo_empty(&l1.to_xbar))
                l1_fill(&l1, &(struct reply){.token = request_fifo_pop(&l1.to_xbar).token}, &targets, k);
        }
        assert_true(l1.stats.l1d_prefetches > 3);
        assert_int_equal(0, l1.stats.l1d_misses + l1.stats.l1d_sector_misses + l1.stats.l1d_word_misses +
                                l1.stats.l1d_partial_misses + l1.stats.l1d_chunk_probes + l1.stats.l1d_chunk_conflicts);
        assert_int_equal(0, l1.mshrs.used);
        gpu_params_free(p);
    }
}

/* A load that brings no line and touches what is there of one, while the rest is not: three of 90 streams of loads had
 * one, and it took an MSHR under which nothing was asked for. */
static void a_load_of_the_chunks_that_are_there_takes_no_MSHR(void **state)
{
    static const uint32_t states[] = {5158, 7083, 7930};
    static const char *const sets[] = {"l2.line_bytes", "64", NULL};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        random_state = states[i];
        an_organisation_keeps_to_the_contract(sets);
    }
}

/* Three ways of a load, by when a line takes its place and what it is divided into; the first in two compilations. */
static void parameters_choose_the_way_of_a_load_and_when_chunks_get_room(void **state)
{
    static const struct {
        const char *sets[5];
        const struct l1_type *type;
        const struct l1_room *at_miss, *at_fill; /* of an L1 in chunks */
    } cases[] = {
        {{NULL}, &l1_ordinary_lines, NULL, NULL},
        {{"l1.organisation", "sectored"}, &l1_ordinary_lines, NULL, NULL},
        {{"l1.replacement", "srrip"}, &l1_lines, NULL, NULL},
        {{"l1.streaming", "1"}, &l1_streaming, NULL, NULL},
        {{"l1.organisation", "sectored", "l1.streaming", "1"}, &l1_streaming, NULL, NULL},
        {{"l1.line_bytes", "64", "l2.line_bytes", "128"}, &l1_in_chunks, &l1_room_in_frame, &l1_room_nowhere},
        {{"l1.organisation", "sectored", "l1.chunk_bytes", "8"}, &l1_in_chunks, &l1_room_in_frame, &l1_room_nowhere},
        {{"l1.organisation", "tsc"}, &l1_in_chunks, &l1_room_placed, &l1_room_nowhere},
        {{"l1.organisation", "dsc"}, &l1_in_chunks, &l1_room_placed, &l1_room_nowhere},
        {{"l1.organisation", "elastic"}, &l1_in_chunks, &l1_room_placed, &l1_room_nowhere},
        {{"l1.organisation", "elastic", "l1.streaming", "1"}, &l1_in_chunks, &l1_room_nowhere, &l1_room_placed},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct gpu_params *p = small_machine();
        struct l1 l1 = {0};
        for (const char *const *set = cases[i].sets; *set; set += 2)
            assert_ok(gpu_params_set(p, set[0], set[1], &err), &err);
        assert_ok(gpu_params_check(p, &err), &err);
        arena.used = 0;
        memset(arena.base, 0, arena.size);
        l1_init(&l1, p, 0, 0, &arena);
        assert_ptr_equal(cases[i].type, l1.type);
        assert_true(!l1.chunked == !cases[i].at_miss);
        if (l1.chunked) assert_ptr_equal(cases[i].at_miss, l1.chunked->at_miss);
        if (l1.chunked) assert_ptr_equal(cases[i].at_fill, l1.chunked->at_fill);
        gpu_params_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_organisation_keeps_to_the_contract),
        T(every_geometry_keeps_to_it_as_well),
        T(lines_of_poor_locality_are_fetched_by_sectors_from_then_on),
        T(lines_share_a_frame_but_never_the_same_place_of_it),
        T(parameters_choose_the_way_of_a_load_and_when_chunks_get_room),
        T(a_prefetch_counts_apart_and_holds_nothing_up),
        T(a_load_of_the_chunks_that_are_there_takes_no_MSHR),
        T(each_further_line_that_loses_something_holds_L1_up_for_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
