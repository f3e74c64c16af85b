/* L2 whose sectors have places of their own: no dirty sector is ever lost, nothing pending goes, and where there is
 * nothing to place it is the sectored L2, counter for counter. */
#include "l2_rig.h"

#include "../mech/stack.h"
#include "../../../sim/gpu/cache/org_elastic.h"
#include "../../../sim/gpu/cache/org_tsc.h"
#include "poise/trace.h"
#include "synth.h"

static uint32_t random_state;
static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

/* What L2 and DRAM know of each sector: how many writes it has seen, and how many of these DRAM has. */
enum { LINES = 40, AWAY = 256 };
struct record {
    struct l2_rig rig;
    uint32_t written[LINES][4], in_dram[LINES][4];
    uint32_t awaiting[LINES][4]; /* atomics that write the sector when it comes */
    uint32_t asked, answered, writebacks, partial;
    struct request away[AWAY];
    uint32_t n_away;
};

/* A bank's lines are those of one bank of the machine: all that differ in what the bank is chosen by are left out. */
static uint32_t line_of(const struct record *r, uint32_t i) { return (i * 7 % LINES) * r->rig.params->l2.banks * 3; }
static uint32_t index_of(const struct record *r, uint32_t line)
{
    for (uint32_t i = 0; i < LINES; i++)
        if (line_of(r, i) == line) return i;
    fail_msg("no line %u", line);
    return 0;
}

/* What has been asked of DRAM in this tick: of each sector, what it reads or writes is what was the newest then. */
static void note_asked(struct record *r, uint32_t from)
{
    const struct request_fifo *f = &r->rig.bank.to_dram;
    for (uint32_t n = from; n < f->count; n++) {
        const struct request *q = &f->slots[(f->head + n) & f->mask].item;
        const uint32_t i = index_of(r, q->line);
        assert_true(q->sectors && q->sectors < 16);
        for (uint32_t s = 0; s < 4; s++) {
            if (!(q->sectors >> s & 1)) continue;
            if (q->kind == REQUEST_WRITE) {
                assert_int_not_equal(r->in_dram[i][s], r->written[i][s]); /* only what is dirty is written back */
                r->in_dram[i][s] = r->written[i][s];
            } else {
                assert_int_equal(r->in_dram[i][s], r->written[i][s]); /* nothing that was written has been lost */
            }
        }
        r->writebacks += q->kind == REQUEST_WRITE;
        r->partial += q->kind == REQUEST_WRITE && q->sectors != 15;
    }
}

/* DRAM answers in any order, now and then. */
static void serve(struct record *r, bool all)
{
    struct l2 *bank = &r->rig.bank;
    while (!request_fifo_empty(&bank->to_dram) && (all || any(2))) {
        const struct request q = request_fifo_pop(&bank->to_dram);
        assert_true(r->n_away < AWAY);
        if (q.kind == REQUEST_READ) r->away[r->n_away++] = q;
    }
    while (r->n_away && (all || !any(4))) {
        const uint32_t i = any(r->n_away);
        request_fifo_push(&bank->from_dram, r->away[i], r->rig.now + 1);
        r->away[i] = r->away[--r->n_away];
    }
    while (!reply_fifo_empty(&bank->to_xbar)) {
        reply_fifo_pop(&bank->to_xbar);
        r->answered++;
    }
}

static void send_any(struct record *r)
{
    static const enum request_kind kinds[] = {REQUEST_READ, REQUEST_READ, REQUEST_WRITE, REQUEST_ATOMIC};
    const uint32_t i = any(LINES);
    struct request q = {
        .line = line_of(r, i), .kind = (uint8_t)kinds[any(4)], .sectors = (uint8_t)(1 + any(15)), .wants_data = true};
    if (q.kind == REQUEST_ATOMIC) q.sectors = (uint8_t)(1u << any(4));
    q.set = (uint16_t)(q.line / r->rig.params->l2.banks % r->rig.params->l2.sets);
    request_fifo_push(&r->rig.bank.from_xbar, q, r->rig.now);
    r->asked++;
}

static struct tag_line *find(struct record *r, uint32_t i)
{
    const struct l2_params *p = &r->rig.params->l2;
    return tags_find(&r->rig.bank.tags, line_of(r, i) / p->banks % p->sets, line_of(r, i));
}

/* Of a request that has been taken: a store writes at once, an atomic when its sector is there. */
static void note_write(struct record *r, const struct request *q, uint32_t there)
{
    const uint32_t i = index_of(r, q->line);
    for (uint32_t s = 0; s < 4; s++) {
        if (!(q->sectors >> s & 1)) continue;
        if (q->kind == REQUEST_WRITE || there >> s & 1) r->written[i][s]++;
        else r->awaiting[i][s]++;
    }
}

static void tick(struct record *r)
{
    struct l2 *bank = &r->rig.bank;
    const uint32_t waiting = bank->from_xbar.count, asked = bank->to_dram.count;
    const struct request head = waiting ? *request_fifo_peek(&bank->from_xbar) : (struct request){0};
    const bool comes = request_fifo_ready_at(&bank->from_dram) <= r->rig.now;
    uint32_t pending[LINES], valid[LINES];
    for (uint32_t i = 0; i < LINES; i++) {
        const struct tag_line *l = find(r, i);
        pending[i] = l ? l->pending : 0;
        valid[i] = l ? l->valid : 0;
    }
    l2_tick(bank, r->rig.now);
    for (uint32_t i = 0; i < LINES; i++) {
        const struct tag_line *l = find(r, i);
        const uint32_t came = pending[i] & ~(l ? l->pending : 0);
        assert_true(comes || !came); /* nothing pending is ever a victim */
        valid[i] |= came;
        for (uint32_t s = 0; s < 4; s++) {
            if (!(came >> s & 1)) continue;
            r->written[i][s] += r->awaiting[i][s];
            r->awaiting[i][s] = 0;
        }
    }
    note_asked(r, asked);
    if (bank->from_xbar.count < waiting && head.kind != REQUEST_READ)
        note_write(r, &head, valid[index_of(r, head.line)]);
    r->rig.now++;
}

static void drive(const char *const *set, uint32_t seed)
{
    static struct record r;
    r = (struct record){0};
    random_state = seed;
    /* the usual policy; another one; and one whose lines a mechanism places in the order */
    char policy[64];
    const char *sets[16] = {policy};
    size_t n_sets = 1;
    snprintf(policy, sizeof policy, "l2.replacement=%s", seed == 2 ? "drrip" : seed == 3 ? "fifo" : "usual");
    for (; *set; set++) sets[n_sets++] = *set;
    l2_rig_new(&r.rig, sets, (const char *const[]){seed == 3 ? "tap_rrip" : NULL, NULL});
    for (uint32_t n = 0; n < (POISE_SANITIZED ? 10000 : 40000); n++) {
        if (r.rig.bank.from_xbar.count < r.rig.params->l2.access_queue && any(3)) send_any(&r);
        tick(&r);
        serve(&r, false);
    }
    for (uint32_t n = 0; n < 4000 && (!l2_idle(&r.rig.bank) || r.answered < r.asked); n++) {
        tick(&r);
        serve(&r, true);
    }
    assert_int_equal(r.asked, r.answered);
    const struct l2_stats *s = &r.rig.bank.stats;
    assert_int_equal(r.asked, s->l2_hits + s->l2_misses + s->l2_mshr_merges);
    assert_int_equal(r.writebacks, s->l2_writebacks);
    assert_true(r.partial > 0 && s->l2_hits > (POISE_SANITIZED ? 25 : 100) && s->l2_sector_misses > 20);
    l2_rig_free(&r.rig);
}

static void no_dirty_sector_is_lost_whatever_the_organisation(void **state)
{
    (void)state;
    const char *const tsc[] = {"l2.organisation=tsc", "l2.sets=2", "l2.ways=4", "l2.miss_queue=2", NULL};
    const char *const tight[] = {"l2.organisation=tsc", "l2.sets=1",       "l2.ways=2",
                                 "l2.mshrs=2",          "l2.mshr_merge=1", NULL};
    const char *const wide[] = {"l2.organisation=tsc", "l2.ways=8", "l2.tsc_group_chunks=16", "l2.tsc_victims=matching",
                                NULL};
    const char *const few_bits[] = {"l2.organisation=tsc", "l2.sets=2", "l2.tsc_private_bits=1", "l2.ways=4", NULL};
    const char *const dsc[] = {"l2.organisation=dsc", "l2.sets=2", "l2.ways=4", NULL};
    const char *const together[] = {"l2.organisation=tsc", "l2.sets=2", "l2.ways=4", "l2.placed_writes=line", NULL};
    const char *const dsc_4[] = {"l2.organisation=dsc", "l2.ways=2", "l2.dsc_tags=4", "l2.miss_queue=2", NULL};
    const char *const elastic[] = {"l2.organisation=elastic", "l2.sets=2", "l2.ways=4", NULL};
    const char *const literal[] = {"l2.organisation=elastic", "l2.sets=2", "l2.elastic_victims=line",
                                   "l2.elastic_chunk_bits=6", "l2.ways=4", NULL};
    const char *const other_way[] = {"l2.organisation=elastic", "l2.ways=2",       "l2.elastic_walk=holds",
                                     "l2.elastic_first=lowest", "l2.miss_queue=2", NULL};
    const char *const coarse[] = {"l2.organisation=tsc", "l2.sets=2", "l2.ways=4", "l2.tsc_mode=coarse", NULL};
    const char *const duel[] = {"l2.organisation=tsc", "l2.sets=4",        "l2.tsc_mode=duel", "l2.tsc_sampler_sets=1",
                                "l2.ways=2",           "l2.tsc_age_at=16", "l2.tsc_delay=7",   NULL};
    const char *const *all[] = {tsc,   tight,   wide,    few_bits,  dsc,    together,
                                dsc_4, elastic, literal, other_way, coarse, duel};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint32_t seed = 1; seed <= (POISE_SANITIZED ? 1 : 3); seed++) drive(all[i], seed);
}

/* Two sectors of each of two lines in a direct-mapped set: a plain or sectored L2 keeps one line, this one all four. */
static void parts_of_two_lines_stand_in_one_frame(void **state)
{
    (void)state;
    const char *const tsc[] = {"l2.organisation=tsc", "l2.ways=1", NULL}, *const sectored[] = {
                                                                              "l2.organisation=sectored", "l2.ways=1",
                                                                              NULL};
    const char *const *both[] = {tsc, sectored};
    for (int i = 0; i < 2; i++) {
        struct l2_rig rig;
        l2_rig_new(&rig, both[i], NULL);
        const uint32_t banks = rig.params->l2.banks;
        const struct request a = {.line = 0, .kind = REQUEST_READ, .sectors = 3},
                             b = {.line = banks, .kind = REQUEST_WRITE, .sectors = 12};
        assert_string_equal("LD:0 ", l2_rig_do(&rig, &a));
        assert_string_equal("", l2_rig_do(&rig, &b));
        assert_string_equal(i == 0 ? "" : "WR:6 LD:0 ", l2_rig_do(&rig, &a));
        assert_int_equal(i == 0, rig.bank.stats.l2_hits);
        l2_rig_free(&rig);
    }
}

static const char *do_one(struct l2_rig *rig, uint32_t line, enum request_kind kind, uint32_t sectors)
{
    const struct request r = {.line = line, .kind = (uint8_t)kind, .sectors = (uint8_t)sectors};
    return l2_rig_do(rig, &r);
}

/* A read that misses brings its line, whatever it asked for; a hit and a store bring nothing. */
static void in_coarse_mode_a_miss_fetches_its_line(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_new(&rig, (const char *const[]){"l2.organisation=tsc", "l2.ways=2", "l2.tsc_mode=coarse", NULL}, NULL);
    const uint32_t other = rig.params->l2.banks;
    assert_string_equal("LD:0 ", do_one(&rig, 0, REQUEST_READ, 1));
    assert_string_equal("", do_one(&rig, 0, REQUEST_READ, 14));
    assert_string_equal("", do_one(&rig, other, REQUEST_WRITE, 1));
    assert_string_equal("", do_one(&rig, other, REQUEST_READ, 1));
    assert_string_equal("LD:6 ", do_one(&rig, other, REQUEST_READ, 2));
    assert_string_equal("", do_one(&rig, other, REQUEST_READ, 12));
    assert_int_equal(2, rig.bank.stats.l2_misses - 1); /* and the store */
    l2_rig_free(&rig);
}

/* Sector by sector through a line: in the set that samples coarse mode one miss of 1 + 4 packets, in the other four of
 * 1 + 1, so that coarse mode costs 5 and fine mode 32. From the delay on other sets fetch lines, those of a bank that
 * follows too; until then a bank fetches sectors. */
static void sampler_sets_of_bank_0_decide_for_all_banks(void **state)
{
    static const char *const set[] = {"l2.organisation=tsc",   "l2.sets=8",       "l2.tsc_mode=duel",
                                      "l2.tsc_sampler_sets=1", "l2.tsc_delay=60", NULL};
    struct l2_rig bank, other;
    (void)state;
    l2_rig_new(&bank, set, NULL);
    l2_rig_new(&other, set, NULL);
    l2_follow(&other.bank, &bank.bank);
    const struct tsc *t = bank.bank.tags.own;
    uint32_t of[3] = {0}, n[3] = {0};
    for (uint32_t i = 0; i < 8; i++) {
        n[t->roles[i]]++;
        of[t->roles[i]] = i;
    }
    assert_true(n[TSC_FOLLOWS] == 6 && n[TSC_SAMPLES_FINE] == 1 && n[TSC_SAMPLES_COARSE] == 1);
    for (uint32_t s = 0; s < 4; s++) {
        assert_string_not_equal("", do_one(&bank, of[TSC_FOLLOWS], REQUEST_READ, 1u << s));
        assert_string_not_equal("", do_one(&bank, of[TSC_SAMPLES_FINE], REQUEST_READ, 1u << s));
    }
    for (uint32_t s = 0; s < 4; s++)
        assert_int_equal(s == 0, *do_one(&bank, of[TSC_SAMPLES_COARSE], REQUEST_READ, 1u << s) != '\0');
    const struct tsc_duel *d = t->duel;
    assert_true(d->misses[0] == 4 && d->packets[0] == 8 && d->misses[1] == 1 && d->packets[1] == 5);
    /* Fine mode had cost nothing before its first miss; coarse mode was the cheaper one until its own. */
    assert_int_equal(1, d->n_changes & 1);
    const cycle_t at = d->at[(d->n_changes - 1) % TSC_CHANGES];
    bank.now = bank.now > at ? bank.now : at;
    other.now = at - 2;
    assert_string_not_equal("", do_one(&other, of[TSC_FOLLOWS], REQUEST_READ, 1));
    other.now = at;
    assert_string_not_equal("", do_one(&other, of[TSC_FOLLOWS], REQUEST_READ, 2));
    for (struct l2_rig *r = &bank;; r = &other) {
        const uint32_t line = of[TSC_FOLLOWS] + 8;
        assert_string_not_equal("", do_one(r, line, REQUEST_READ, 1));
        assert_string_equal("", do_one(r, line, REQUEST_READ, 14));
        if (r == &other) break;
    }
    l2_rig_free(&other);
    l2_rig_free(&bank);
}

/* A line with four dirty sectors loses two of them, one after the other. */
static void dirty_sectors_go_one_by_one_or_with_their_line(void **state)
{
    (void)state;
    const char *const lost[] = {"l2.organisation=tsc", "l2.ways=1", NULL}, *const line[] = {
                                                                               "l2.organisation=tsc", "l2.ways=1",
                                                                               "l2.placed_writes=line", NULL};
    for (int whole = 0; whole < 2; whole++) {
        struct l2_rig rig;
        l2_rig_new(&rig, whole ? line : lost, NULL);
        struct request b = {.line = rig.params->l2.banks, .kind = REQUEST_READ, .sectors = 1};
        assert_string_equal("", l2_rig_store(&rig, 0, 0, 0));
        assert_string_equal("WR:0 LD:6 ", l2_rig_do(&rig, &b));
        b.sectors = 2;
        assert_string_equal(whole ? "LD:6 " : "WR:0 LD:6 ", l2_rig_do(&rig, &b));
        assert_int_equal(whole ? 1 : 2, rig.bank.stats.l2_writebacks);
        l2_rig_free(&rig);
    }
}

/* Fig. 2's addresses in an L2 of 32 sets of 24 ways: 6 bits of common tag. A request for all of a line takes one as a
 * whole; of sectors one goes at a time, the least recently used of all lines with its common tag.
 * [ELASTIC §3B, §3E] */
static void an_elastic_l2_places_sectors_by_common_tags(void **state)
{
    (void)state;
    struct l2_rig rig;
    l2_rig_new(&rig, (const char *const[]){"l2.organisation=elastic", "l2.sets=32", "l2.ways=24", NULL}, NULL);
    const struct elastic *e = rig.bank.tags.own;
    assert_int_equal(0x01, 0x040000C0u / 128 >> e->tag_shift);
    assert_int_equal(0x04, 0x10000080u / 128 >> e->tag_shift);
    assert_int_equal(0x3f, UINT32_MAX / 128 >> e->tag_shift);
    assert_int_equal(96, rig.bank.tags.ways);
    l2_rig_free(&rig);
    l2_rig_new(&rig, (const char *const[]){"l2.organisation=elastic", "l2.ways=1", NULL}, NULL);
    const struct request all_of_0 = {.line = 0, .kind = REQUEST_WRITE, .sectors = 15},
                         part_of_24 = {.line = 24, .kind = REQUEST_READ, .sectors = 4},
                         rest_of_0 = {.line = 0, .kind = REQUEST_READ, .sectors = 14},
                         first_of_0 = {.line = 0, .kind = REQUEST_READ, .sectors = 1};
    assert_string_equal("", l2_rig_do(&rig, &all_of_0));
    e = rig.bank.tags.own;
    assert_true(e->full[0]);
    assert_string_equal("WR:0 LD:24 ", l2_rig_do(&rig, &part_of_24)); /* sector 0 was written first, and goes */
    assert_false(e->full[0]);
    assert_string_equal("", l2_rig_do(&rig, &rest_of_0));
    assert_string_equal("LD:0 ", l2_rig_do(&rig, &first_of_0)); /* in place of 24's, and no other */
    assert_string_equal("", l2_rig_do(&rig, &rest_of_0));
    l2_rig_free(&rig);
}

/* What a launch leaves is what the next one finds, the order of use included. */
static void an_elastic_l2_that_is_carried_over_knows_what_was_used_last(void **state)
{
    (void)state;
    static const char *const set[] = {"l2.organisation=elastic", "l2.sets=1", "l2.ways=2", "l2.elastic_chunk_bits=4",
                                      NULL};
    struct l2_rig first, second;
    l2_rig_new(&first, set, NULL);
    l2_rig_new(&second, set, NULL);
    struct request r = {.kind = REQUEST_READ, .sectors = 15}; /* lines 0, 4, 8 and 12: each a common tag of its own */
    const uint32_t before[] = {0, 4, 0, 0, 0}, after[] = {8, 12};
    for (size_t i = 0; i < COUNT_OF(before); i++) r.line = before[i], l2_rig_do(&first, &r);
    assert_int_equal(first.bank.tags.bytes, second.bank.tags.bytes);
    memcpy(second.bank.tags.block, first.bank.tags.block, first.bank.tags.bytes);
    for (size_t i = 0; i < COUNT_OF(after); i++) r.line = after[i], l2_rig_do(&second, &r);
    assert_true(l2_rig_holds(&second, 8) && l2_rig_holds(&second, 12)); /* 4 went for 8, and 0, not 8, for 12 */
    assert_true(!l2_rig_holds(&second, 0) && !l2_rig_holds(&second, 4));
    l2_rig_free(&second);
    l2_rig_free(&first);
}

/* Parameters in place, the same text of statistics from whole machines. */
static void same_machine(const char *const a[], const char *const b[])
{
    struct trace *trace = synth_mixture(12, 4, 60, 3);
    char *left = synth_run_both(trace, (struct synth_run){.set = a}),
         *right = synth_run_both(trace, (struct synth_run){.set = b});
    assert_string_equal(left, right);
    assert_true(synth_value(left, "l2_writebacks") > 0);
    free(left);
    free(right);
    trace_close(trace);
}

/* With one frame a set and without a private tag there is nothing to place. */
static void without_a_private_tag_a_direct_mapped_l2_is_the_sectored_one(void **state)
{
    (void)state;
    const char *const sectored[] = {"l2.organisation=sectored", "l2.ways=1", "l2.sets=2", "l2.banks=6",
                                    "l2.miss_queue=200",        NULL};
    const char *const split[] = {"l2.organisation=tsc",
                                 "l2.ways=1",
                                 "l2.sets=2",
                                 "l2.banks=6",
                                 "l2.miss_queue=200",
                                 "l2.bank_index=linear",
                                 "l2.tsc_private_bits=0",
                                 "l2.tsc_lookup_cycles=0",
                                 "l2.tsc_victims=matching",
                                 NULL};
    const char *const linear[] = {
        sectored[0], sectored[1], sectored[2], sectored[3], sectored[4], "l2.bank_index=linear", NULL};
    same_machine(linear, split);
}

/* Requests are conserved, and the same bytes come with skipping, without, and from a snapshot in another machine. */
static void whole_machines_repeat(void **state)
{
    (void)state;
    static const char *const split[] = {"l1.organisation=tsc", "l2.organisation=tsc", "l2.set_index=linear",
                                        "l2.sets=4", NULL},
                             *const shared[] = {"l1.organisation=sectored",
                                                "l2.organisation=dsc",
                                                "l2.set_index=linear",
                                                "l2.sets=4",
                                                "l2.placed_writes=line",
                                                "l2.write_miss=allocate",
                                                NULL},
                             *const at_once[] = {"l1.organisation=tsc", "l2.organisation=tsc",   "l2.set_index=linear",
                                                 "l2.sets=4",           "ideal.memory=infinite", NULL},
                             *const duel[] = {"l1.organisation=tsc",
                                              "l2.organisation=tsc",
                                              "l2.set_index=linear",
                                              "l2.sets=4",
                                              "l2.tsc_mode=duel",
                                              "l1.tsc_mode=duel",
                                              "l2.tsc_sampler_sets=2",
                                              "l2.tsc_delay=3",
                                              NULL},
                             *const coarse_at_once[] = {
                                 "l1.organisation=tsc", "l2.organisation=tsc",   "l2.set_index=linear",   "l2.sets=4",
                                 "l2.tsc_mode=duel",    "l2.tsc_sampler_sets=1", "ideal.memory=infinite", NULL};
    const struct stack_run runs[] = {
        {.set = split}, {.set = shared}, {.set = at_once}, {.set = duel}, {.set = coarse_at_once}};
    stack_runs_hold(runs, sizeof runs / sizeof *runs);
}

static void what_it_cannot_be_is_said(void **state)
{
    (void)state;
    const char *const wrong[][3] = {{"l2.sets=85", "l2.organisation=tsc", "l2.sets = 85"},
                                    {"l2.ways=24", "l2.organisation=tsc", "at most 64 sectors, not 96"},
                                    {"l2.write_miss=through", "l2.organisation=dsc", "'allocate' or 'fetch'"},
                                    {"l2.dsc_tags=3", "l2.organisation=dsc", "l2.dsc_tags = 3"},
                                    {"l2.tsc_mode=duel", "l2.tsc_sampler_sets=33", "l2.tsc_sampler_sets = 33"},
                                    {"l2.elastic_banks=8", "l2.organisation=elastic", "of the 4 sectors of a line"},
                                    {"l2.elastic_chunk_bits=24", "l2.organisation=elastic", "at most 20"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error err;
        struct gpu_params *p = gpu_params_new();
        if (i) assert_ok(gpu_params_set(p, "l2.sets", "64", &err), &err);
        if (strstr(wrong[i][1], "tsc_sampler")) assert_ok(gpu_params_set(p, "l2.organisation", "tsc", &err), &err);
        for (int k = 0; k < 2; k++) {
            char key[64];
            const size_t length = strcspn(wrong[i][k], "=");
            snprintf(key, sizeof key, "%.*s", (int)length, wrong[i][k]);
            assert_ok(gpu_params_set(p, key, wrong[i][k] + length + 1, &err), &err);
        }
        assert_int_equal(-1, gpu_params_check(p, &err));
        assert_non_null(strstr(err.text, wrong[i][2]));
        gpu_params_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_dirty_sector_is_lost_whatever_the_organisation),
        cmocka_unit_test(parts_of_two_lines_stand_in_one_frame),
        cmocka_unit_test(in_coarse_mode_a_miss_fetches_its_line),
        cmocka_unit_test(sampler_sets_of_bank_0_decide_for_all_banks),
        cmocka_unit_test(dirty_sectors_go_one_by_one_or_with_their_line),
        cmocka_unit_test(an_elastic_l2_places_sectors_by_common_tags),
        cmocka_unit_test(an_elastic_l2_that_is_carried_over_knows_what_was_used_last),
        cmocka_unit_test(without_a_private_tag_a_direct_mapped_l2_is_the_sectored_one),
        cmocka_unit_test(whole_machines_repeat),
        cmocka_unit_test(what_it_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
