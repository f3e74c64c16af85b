/* The two seams of a cache: an organisation and a replacement policy of a test's own, behind L1, L2 and the tags. */
#include "units.h"

static enum l1_outcome load_line(struct l1 *l1, uint32_t line, uint32_t sectors, uint32_t load, cycle_t now)
{
    return l1_load(
        l1,
        &(struct l1_access){
            .line = line, .sectors = (uint8_t)sectors, .warp = load, .load = (uint16_t)load, .may_pollute = true},
        now);
}

static struct reply reply_to(struct l1 *l1)
{
    const struct request r = request_fifo_pop(&l1->to_xbar);
    return (struct reply){.token = r.token, .kind = r.kind, .sectors = r.sectors};
}

static uint32_t answer(struct l1 *l1, cycle_t now)
{
    const uint32_t *targets;
    const struct reply reply = reply_to(l1);
    return l1_fill(l1, &reply, &targets, now);
}

/* ---- an organisation that says the same as an ordinary one, but in functions of its own ---- */

static struct probe same_probe(const struct tags *t, struct tag_line *l, uint32_t sectors)
{
    const uint32_t missing = (t->whole | sectors) & ~(l ? l->valid : 0);
    return (struct probe){l, missing, missing & ~(l ? l->pending : 0)};
}

static struct room same_reserve(const struct tags *t, uint32_t set, uint32_t line, uint32_t others[])
{
    const uint32_t frame = tags_victim(t, set);
    (void)line;
    (void)others;
    return (struct room){.frame = frame, .writes = frame != NO_FRAME && tags_line(t, frame)->dirty != 0};
}

static void same_org_fill(struct tags *t, struct tag_line *l, uint32_t sectors)
{
    (void)t;
    l->valid |= sectors;
    l->pending &= ~sectors;
    if (!l->pending) tags_release(l);
}

static void same_invalidate(struct tags *t, struct tag_line *l)
{
    if (l->pending) tags_forget(l);
    else tags_free(t, l);
}

static void same_touch(struct order *o, uint32_t place) { order_put_last(o, place); }
static void same_fill(struct order *o, uint32_t place, enum fill_as as)
{
    (void)as;
    order_put_last(o, place);
}
static const struct replacement_type same_policy = {
    .name = "lru by hand", .on_hit = same_touch, .on_wait = same_touch, .on_fill = same_fill};

static void are_alike(const struct l1 *a, const struct l1 *b)
{
    assert_memory_equal(&a->stats, &b->stats, sizeof a->stats);
    assert_memory_equal(a->progress, b->progress, sizeof a->progress);
    assert_memory_equal(a->tags.fours, b->tags.fours, a->tags.sets * a->tags.stride / 4 * sizeof *a->tags.fours);
}

/* An L1 of lines is one source, compiled for ordinary caches and for any: both, and all calls through the seams, leave,
 * answer and count the same. */
static void an_L1_behind_the_seams_is_the_ordinary_one(bool is_sectored)
{
    const struct org_type same_org = {.name = "same",
                                      .is_sectored = is_sectored,
                                      .chunk_bytes = SECTOR_BYTES,
                                      .probe = same_probe,
                                      .reserve = same_reserve,
                                      .fill = same_org_fill,
                                      .invalidate = same_invalidate};
    struct l1 ordinary = {0}, any = {0};
    struct {
        struct reply ordinary, any;
    } away[64];
    uint32_t random = 7, n_away = 0, seen[L1_FAIL_QUEUE + 1] = {0};
    params->l1.organisation = is_sectored ? L1_SECTORED : L1_PLAIN;
    params->l1.sets = 4;
    params->l1.set_index = LINEAR_INDEX;
    params->l1.mshrs = 6;
    params->l1.mshr_merge = 3;
    params->l1.miss_queue = 6;
    params->l1.local_stores = LOCAL_ALLOCATE;
    l1_init(&ordinary, params, 0, 0, &arena);
    l1_init(&any, params, 0, 0, &arena);
    assert_ptr_equal(&l1_ordinary_lines, ordinary.type);
    any.type = &l1_lines;
    tags_init(&any.tags, &arena, params->l1.sets, params->l1.ways, params->l1.line_bytes, &same_org, &same_policy);
    assert_true(any.tags.is_special);
    for (cycle_t now = 1; now < 20000; now++) {
        random = random * 1664525u + 1013904223u;
        const struct l1_access access = {.line = random >> 20 & 31,
                                         .sectors = (uint8_t)(1 + (random >> 6 & 63) % 15),
                                         .warp = random >> 10 & 7,
                                         .load = (uint16_t)now & 511,
                                         .may_pollute = random >> 27 & 7};
        const bool is_store = (random >> 11 & 15) == 0;
        enum l1_outcome outcome;
        if (is_store) {
            outcome = l1_store_local(&ordinary, &access, 3, now);
            assert_int_equal(outcome, l1_store_local(&any, &access, 3, now));
        } else {
            assert_int_equal(l1_load_fails(&ordinary, &access), l1_load_fails(&any, &access));
            outcome = l1_load(&ordinary, &access, now);
            assert_int_equal(outcome, l1_load(&any, &access, now));
        }
        seen[outcome]++;
        if ((random >> 15 & 3) == 0 && !request_fifo_empty(&ordinary.to_xbar) && n_away < COUNT_OF(away)) {
            away[n_away].ordinary = reply_to(&ordinary);
            away[n_away].any = reply_to(&any);
            assert_memory_equal(&away[n_away].any, &away[n_away].ordinary, sizeof away->any);
            n_away += away[n_away].any.kind == REQUEST_READ;
        }
        if ((random >> 5 & 7) != 0 || !n_away) continue;
        const uint32_t *a, *b, n = l1_fill(&ordinary, &away[--n_away].ordinary, &a, now);
        assert_int_equal(n, l1_fill(&any, &away[n_away].any, &b, now));
        assert_memory_equal(a, b, n * sizeof *a);
    }
    for (int o = L1_HIT; o <= L1_FAIL_QUEUE; o++) assert_true(seen[o] > 0);
    assert_true(ordinary.stats.l1d_writebacks > 0);
    are_alike(&any, &ordinary);
}

static void an_L1_of_whole_lines_behind_the_seams_is_the_ordinary_one(void **state)
{
    (void)state;
    an_L1_behind_the_seams_is_the_ordinary_one(false);
}

static void an_L1_of_sectors_behind_the_seams_is_the_ordinary_one(void **state)
{
    (void)state;
    an_L1_behind_the_seams_is_the_ordinary_one(true);
}

/* ---- several lines that go at once ---- */

/* A line of an odd number takes the whole set. */
static struct room greedy_reserve(const struct tags *t, uint32_t set, uint32_t line, uint32_t others[])
{
    struct room room = {.frame = tags_victim(t, set)};
    if (room.frame == NO_FRAME) return room;
    room.writes = tags_line(t, room.frame)->dirty != 0;
    for (uint32_t i = set * t->stride; line % 2 && i < set * t->stride + t->ways; i++) {
        if (i == room.frame || !tags_line(t, i)->valid || tags_line(t, i)->pending) continue;
        room.writes += tags_line(t, i)->dirty != 0;
        others[room.others++] = i;
    }
    return room;
}

static void an_organisation_may_evict_several_lines_for_one_and_writes_back_each_that_is_dirty(void **state)
{
    const struct org_type greedy = {
        .name = "greedy", .chunk_bytes = SECTOR_BYTES, .most_others = 3, .reserve = greedy_reserve};
    struct l1 l1 = {0};
    (void)state;
    params->l1.sets = 1;
    params->l1.ways = 4;
    params->l1.set_index = LINEAR_INDEX;
    params->l1.local_stores = LOCAL_ALLOCATE;
    params->l1.miss_queue = 4;
    l1_init(&l1, params, 0, 0, &arena);
    l1.type = &l1_lines;
    tags_init(&l1.tags, &arena, 1, 4, 128, &greedy, NULL);
    for (uint32_t line = 2; line <= 8; line += 2)
        assert_int_equal(L1_HIT, l1_store_local(&l1, &(struct l1_access){.line = line, .sectors = 15}, 0, line));
    assert_int_equal(4, l1.stats.l1d_local_stores_kept);
    /* four write-backs and a miss are five requests: there is room for four */
    assert_int_equal(L1_FAIL_QUEUE,
                     l1_load_fails(&l1, &(struct l1_access){.line = 9, .sectors = 1, .may_pollute = true}));
    assert_int_equal(L1_FAIL_QUEUE, load_line(&l1, 9, 1, 1, 20));
    assert_int_equal(0, l1.stats.l1d_evictions);
    tags_line(&l1.tags, 2)->dirty = 0;
    assert_int_equal(L1_MISS, load_line(&l1, 9, 1, 1, 21));
    assert_int_equal(4, l1.stats.l1d_evictions);
    assert_int_equal(3, l1.stats.l1d_writebacks);
    uint32_t lines = 0;
    for (int i = 0; i < 3; i++) {
        const struct request r = request_fifo_pop(&l1.to_xbar);
        assert_int_equal(REQUEST_WRITEBACK, r.kind);
        assert_int_equal(15, r.sectors);
        lines += r.line;
    }
    assert_int_equal(2 + 4 + 8, lines); /* not the clean one: it was 6, in the third frame */
    assert_int_equal(REQUEST_READ, request_fifo_peek(&l1.to_xbar)->kind);
    for (uint32_t line = 2; line <= 8; line += 2) assert_null(tags_find(&l1.tags, 0, line));
    assert_int_equal(1, answer(&l1, 90));
    assert_int_equal(L1_HIT, load_line(&l1, 9, 15, 2, 91));
}

/* ---- chunks of 8 bytes in lines of 256 ---- */

static void chunks_of_8_to_128_bytes_and_the_sectors_of_messages_name_each_other(void **state)
{
    const struct {
        uint8_t chunk_bytes;
        uint32_t sectors, chunks, back;
    } cases[] = {
        {8, 1, 0xf, 1},           {8, 0x80, 0xf0000000, 0x80}, {8, 0x81, 0xf000000f, 0x81},
        {16, 0x82, 0xc00c, 0x82}, {32, 0xa5, 0xa5, 0xa5},      {64, 1, 1, 3},
        {64, 0x84, 0xa, 0xcc},    {128, 0x10, 2, 0xf0},
    };
    struct tags t = {0};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        t.chunk_bytes = cases[i].chunk_bytes;
        assert_int_equal(cases[i].chunks, org_chunks(&t, cases[i].sectors));
        assert_int_equal(cases[i].back, org_sectors(&t, cases[i].chunks));
    }
}

static struct probe chunk_probe(const struct tags *t, struct tag_line *l, uint32_t sectors)
{
    const uint32_t wanted = org_chunks(t, sectors), there = l ? l->valid : 0, coming = l ? l->pending : 0;
    return (struct probe){l, org_sectors(t, wanted & ~there), org_sectors(t, wanted & ~there & ~coming)};
}

static void chunk_fill(struct tags *t, struct tag_line *l, uint32_t sectors)
{
    l->valid |= org_chunks(t, sectors);
    l->pending &= ~org_chunks(t, sectors);
    if (!l->pending) tags_release(l);
}

static void a_line_of_256_bytes_holds_32_chunks_and_a_store_of_one_makes_it_dirty(void **state)
{
    const struct org_type chunked = {
        .name = "chunked", .is_sectored = true, .chunk_bytes = 8, .probe = chunk_probe, .fill = chunk_fill};
    struct tags t;
    uint32_t others[ORG_OTHERS];
    (void)state;
    tags_init(&t, &arena, 2, 4, 256, &chunked, NULL);
    assert_int_equal(0xff, t.all);
    assert_int_equal(8, org_probe(&t, NULL, 8).missing);
    const struct room room = org_reserve(&t, 1, 77, others);
    struct tag_line *l = tags_line(&t, room.frame);
    tags_reserve_for(&t, l, 77, 5, org_stored(&t, 0x81), 3);
    assert_int_equal(0xf000000f, l->pending);
    struct probe p = org_probe(&t, tags_find(&t, 1, 77), 0x83);
    assert_int_equal(0x83, p.missing);
    assert_int_equal(2, p.fetch);
    org_fill(&t, l, 0x80);
    assert_int_equal(0xf0000000, l->valid);
    assert_int_equal(0xf, l->pending);
    assert_int_equal(0, org_probe(&t, l, 0x80).missing);
    org_fill(&t, l, 1);
    l->dirty |= 1u << 31; /* 8 bytes of the last sector */
    assert_int_equal(0x80, org_dirty_sectors(&t, l));
    assert_int_equal(1, org_reserve(&t, 1, 78, others).writes + (room.frame != tags_victim(&t, 1)));
}

/* ---- a policy: the one before last, and lines that must stay ---- */

static void mru_use(struct order *o, uint32_t place)
{
    const uint32_t first = order_first(o, place);
    for (uint32_t i = first; i < first + o->places; i++)
        if (order_rank(o, i)) order_set_rank(o, i, 2);
    order_set_rank(o, place, 1);
}
static void mru_fill(struct order *o, uint32_t place, enum fill_as as)
{
    (void)as;
    mru_use(o, place);
}
static const struct replacement_type mru = {.name = "mru", .on_hit = mru_use, .on_fill = mru_fill};

static void a_policy_of_its_own_chooses_among_those_that_are_not_pending_and_need_not_stay(void **state)
{
    struct tags t;
    uint64_t stay = 0;
    (void)state;
    tags_init(&t, &arena, 1, 4, 128, &org_plain, &mru);
    for (uint32_t line = 0; line < 4; line++) {
        struct tag_line *l = tags_line(&t, tags_victim(&t, 0));
        assert_true(line_is_free(l));
        tags_reserve(&t, l, line, 0);
        l->valid = t.all;
    }
    assert_int_equal(3, tags_victim(&t, 0));
    tags_touch(&t, tags_find(&t, 0, 2), 9);
    assert_int_equal(2, tags_victim(&t, 0));
    tags_wait(&t, tags_find(&t, 0, 0), 9); /* says nothing to this policy */
    assert_int_equal(2, tags_victim(&t, 0));
    org_await(&t, tags_find(&t, 0, 2), 1, 0);
    assert_int_equal(0, tags_victim(&t, 0));
    stay = 1;
    assert_int_equal(1, tags_victim_but(&t, 0, &stay));
    stay = 11;
    assert_int_equal(NO_FRAME, tags_victim_but(&t, 0, &stay));
    tags_free(&t, tags_find(&t, 0, 3));
    assert_int_equal(3, tags_victim(&t, 0));
}

static struct request read_line(const struct address_map *map, uint32_t line, uint32_t token)
{
    return (struct request){.line = line,
                            .set = (uint16_t)address_l2(map, line).set,
                            .kind = REQUEST_READ,
                            .sectors = 15,
                            .token = (uint16_t)token,
                            .wants_data = 1};
}

/* The head of L2's queue waits for room on the way to DRAM, with its victim chosen, when another comes to go first. */
static void the_victim_of_a_waiting_head_is_asked_for_again_when_the_policy_has_changed_its_mind(void **state)
{
    struct l2 l2 = {0};
    (void)state;
    params->l2.sets = 1;
    params->l2.ways = 4;
    params->l2.miss_queue = 2;
    const struct address_map map = address_map_of(params);
    l2_init(&l2, params, 0, 0, &arena);
    tags_init(&l2.tags, &arena, 1, 4, 128, &org_plain, &replacement_fifo);
    for (uint32_t k = 0; k < 4; k++) {
        struct tag_line *l = tags_line(&l2.tags, tags_victim(&l2.tags, 0));
        tags_reserve(&l2.tags, l, 100 + k, 0);
        l->valid = l->dirty = 15;
    }
    l2.last_tick = UINT32_MAX; /* as before the first cycle */
    request_fifo_push(&l2.to_dram, (struct request){.line = 1}, 0);
    request_fifo_push(&l2.from_xbar, read_line(&map, 500, 7), 0);
    for (cycle_t now = 0; now < 3; now++) l2_tick(&l2, now); /* a write-back and a read need two places: one is left */
    assert_int_equal(3, l2.stats.l2_stall_dram_cycles);
    assert_int_equal(100, *tags_key(tags_line(&l2.tags, l2.taking.frame)));
    order_put_last(&l2.tags.order, tags_index(&l2.tags, tags_find(&l2.tags, 0, 100)));
    l2.tags.changes++;
    request_fifo_pop(&l2.to_dram);
    for (cycle_t now = 3; now < 5; now++) l2_tick(&l2, now);
    assert_non_null(tags_find(&l2.tags, 0, 100));
    assert_null(tags_find(&l2.tags, 0, 101));
    assert_int_equal(101, request_fifo_pop(&l2.to_dram).line);
    assert_int_equal(500, request_fifo_pop(&l2.to_dram).line);
    assert_int_equal(1, l2.stats.l2_writebacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_L1_of_whole_lines_behind_the_seams_is_the_ordinary_one),
        T(an_L1_of_sectors_behind_the_seams_is_the_ordinary_one),
        T(an_organisation_may_evict_several_lines_for_one_and_writes_back_each_that_is_dirty),
        T(chunks_of_8_to_128_bytes_and_the_sectors_of_messages_name_each_other),
        T(a_line_of_256_bytes_holds_32_chunks_and_a_store_of_one_makes_it_dirty),
        T(a_policy_of_its_own_chooses_among_those_that_are_not_pending_and_need_not_stay),
        T(the_victim_of_a_waiting_head_is_asked_for_again_when_the_policy_has_changed_its_mind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
