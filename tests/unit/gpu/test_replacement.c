/* Replacement policies under every organisation of every cache: worked examples, and laws that hold for all of them.
 * The program is compiled with the policy of sim/gpu/cache/README.md as one more (follow_page.cmake). */
#include <jansson.h>

#include "units.h"

#include "l2_rig.h"
#include "../../../sim/gpu/cache/readonly.h"

#define NAME(policy) #policy,
static const char *const policies[] = {"usual", REPLACEMENTS(NAME)};

static uint32_t random_state;
static uint32_t any(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

static void set(struct gpu_params *p, const char *const *sets)
{
    for (; *sets; sets += 2) assert_ok(gpu_params_set(p, sets[0], sets[1], &err), &err);
}

/* An L1 of one set of four lines, unless `sets` say otherwise. */
static struct l1 l1_of(const char *policy, const char *const *sets)
{
    struct l1 l1 = {0};
    gpu_params_free(params);
    params = gpu_params_new();
    params->l1.sets = 1;
    params->l1.ways = 4;
    params->l1.set_index = LINEAR_INDEX;
    set(params, (const char *const[]){"l1.replacement", policy, NULL});
    set(params, sets);
    assert_ok(gpu_params_check(params, &err), &err);
    arena.used = 0;
    memset(arena.base, 0, arena.size);
    l1_init(&l1, params, 0, 0, &arena);
    return l1;
}

/* The line is asked for, and comes at once. */
static bool misses(struct l1 *l1, uint32_t line, uint32_t sectors)
{
    const uint32_t *targets;
    const struct l1_access a = {.line = line, .sectors = (uint8_t)sectors, .may_pollute = true};
    const enum l1_outcome outcome = l1_load(l1, &a, 1);
    while (!request_fifo_empty(&l1->to_xbar)) {
        const struct request r = request_fifo_pop(&l1->to_xbar);
        l1_fill(l1, &(struct reply){.token = r.token, .kind = r.kind, .sectors = r.sectors}, &targets, 2);
    }
    return outcome != L1_HIT;
}

/* ---- worked examples ---- */

/* Jaleel et al., ISCA 2010: a1 a2 a2 a1 b1 b2 b3 b4 a1 a2 in a set of four. */
static const uint32_t scan[] = {1, 2, 2, 1, 11, 12, 13, 14, 1, 2};

static const char *const whole_lines[][7] = {
    {NULL},
    {"l1.organisation", "sectored", NULL},
    {"l1.organisation", "lamar_tsc", NULL},
    {"l1.streaming", "1", NULL},
    {"l1.organisation", "sectored", "l1.chunk_bytes", "8", NULL},
    {"l1.organisation", "tsc", "l1.tsc_private_bits", "0", NULL},
    {"l1.organisation", "elastic", NULL},
    {"l1.organisation", "elastic", "l1.streaming", "1", NULL},
};

static void srrip_misses_six_times_and_lru_eight_times_in_every_L1(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(whole_lines); i++) {
        uint32_t n[2] = {0};
        for (int p = 0; p < 2; p++) {
            struct l1 l1 = l1_of(p ? "srrip" : "lru", whole_lines[i]);
            const bool names = plan_names_chunks(params);
            for (size_t k = 0; k < COUNT_OF(scan); k++) {
                struct l1_access a = {.line = scan[k], .sectors = 15, .may_pollute = true};
                if (!names) {
                    n[p] += misses(&l1, scan[k], 15);
                    continue;
                }
                const uint32_t *targets;
                a.sectors = 0;
                a.chunks = 0xffff;
                n[p] += l1_load(&l1, &a, 1) != L1_HIT;
                while (!request_fifo_empty(&l1.to_xbar))
                    l1_fill(&l1, &(struct reply){.token = request_fifo_pop(&l1.to_xbar).token}, &targets, 2);
            }
        }
        assert_int_equal(8, n[0]);
        assert_int_equal(6, n[1]);
    }
}

static void srrip_misses_six_times_and_lru_eight_times_in_L2_by_parameter_and_by_mechanism(void **state)
{
    static const char *const organisations[][3] = {{"l2.organisation=plain"},
                                                   {"l2.organisation=sectored"},
                                                   {"l2.organisation=tsc", "l2.tsc_private_bits=0"},
                                                   {"l2.organisation=elastic"}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(organisations); i++)
        for (int how = 0; how < 3; how++) {
            const char *const sets[] = {"l2.ways=4",
                                        how == 0   ? "l2.replacement=lru"
                                        : how == 1 ? "l2.replacement=srrip"
                                                   : "l2.replacement=usual",
                                        organisations[i][0], organisations[i][1], NULL};
            struct l2_rig rig;
            uint32_t n = 0;
            l2_rig_new(&rig, sets, (const char *const[]){how == 2 ? "srrip" : NULL, NULL});
            for (size_t k = 0; k < COUNT_OF(scan); k++) n += *l2_rig_load(&rig, scan[k], 0, 0) != '\0';
            assert_int_equal(how == 0 ? 8 : 6, n);
            l2_rig_free(&rig);
        }
}

static uint32_t read_only_misses(uint32_t replacement)
{
    struct read_only c;
    struct l1 l1 = l1_of("usual", (const char *const[]){NULL});
    const uint32_t *targets;
    uint32_t n = 0;
    read_only_init(&c, &arena, REQUEST_TEXTURE, 1, 4, 4, 4, 128, replacement);
    for (size_t k = 0; k < COUNT_OF(scan); k++) {
        if (read_only_load(&c, &l1, scan[k], 0) == L1_HIT) continue;
        n++;
        read_only_fill(&c, request_fifo_pop(&l1.to_xbar).token, &targets);
    }
    return n;
}

static void srrip_misses_six_times_in_a_read_only_cache(void **state)
{
    (void)state;
    assert_int_equal(6, read_only_misses(REPLACE_srrip));
    assert_int_equal(8, read_only_misses(REPLACE_lru));
    assert_int_equal(8, read_only_misses(REPLACE_USUAL));
}

/* What is there after a sequence in a set of four, as a mask of lines 1 to 8. */
static uint32_t held_after(const char *policy, const uint32_t *lines, size_t n)
{
    struct l1 l1 = l1_of(policy, (const char *const[]){NULL});
    uint32_t held = 0;
    for (size_t i = 0; i < n; i++) misses(&l1, lines[i], 15);
    for (uint32_t line = 1; line <= 8; line++) held |= (uint32_t)(tags_find(&l1.tags, 0, line) != NULL) << line;
    return held;
}
#define HELD(policy, ...) \
    held_after(policy, (const uint32_t[]){__VA_ARGS__}, COUNT_OF(((const uint32_t[]){__VA_ARGS__})))
#define LINES(a, b, c, d) (1u << (a) | 1u << (b) | 1u << (c) | 1u << (d))

static void each_policy_keeps_what_its_rule_says(void **state)
{
    (void)state;
    assert_int_equal(LINES(1, 3, 4, 5), HELD("lru", 1, 2, 3, 4, 1, 5));
    assert_int_equal(LINES(2, 3, 4, 5), HELD("fifo", 1, 2, 3, 4, 1, 5));
    /* the fourth line makes all recent: it alone stays so. 1 is used, so 2 is the first without its bit */
    assert_int_equal(LINES(1, 3, 4, 5), HELD("nru", 1, 2, 3, 4, 1, 5));
    assert_int_equal(LINES(1, 5, 4, 6), HELD("nru", 1, 2, 3, 4, 1, 5, 6));
    /* the tree points away from 4 and then from 1: to the other half, and there to 3 */
    assert_int_equal(LINES(1, 2, 4, 5), HELD("plru", 1, 2, 3, 4, 1, 5));
    assert_int_equal(LINES(1, 5, 4, 6), HELD("plru", 1, 2, 3, 4, 1, 5, 6));
    assert_int_equal(LINES(2, 3, 4, 5), HELD("srrip", 1, 2, 3, 4, 5));
    assert_int_equal(LINES(2, 3, 4, 6), HELD("brrip", 1, 2, 3, 4, 5, 6));  /* each new line goes next */
    assert_int_equal(LINES(1, 3, 4, 6), HELD("lip", 1, 2, 3, 4, 1, 5, 6)); /* the page's */
}

static void random_takes_every_place_and_the_same_ones_in_every_run(void **state)
{
    uint32_t lines[64], seen = 0;
    (void)state;
    for (uint32_t i = 0; i < 4; i++) lines[i] = 1 + i;
    for (uint32_t n = 0; n < 60; n++) {
        lines[4 + n] = 9 + n;
        const uint32_t held = held_after("random", lines, 5 + n);
        assert_int_equal(held, held_after("random", lines, 5 + n));
        if (n == 0) seen |= LINES(1, 2, 3, 4) & ~held;
    }
    assert_int_equal(1, __builtin_popcount(seen));
    assert_int_equal(0, held_after("random", lines, 64)); /* none of the first four is left */
}

static void a_set_takes_the_memory_that_the_page_says(void **state)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } of_eight[] = {{"lru", 24}, {"nru", 8},  {"srrip", 16}, {"brrip", 16}, {"drrip", 16},
                    {"fifo", 3}, {"plru", 7}, {"random", 0}, {"lip", 24}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(of_eight); i++)
        assert_int_equal(of_eight[i].bits, replacement_named(of_eight[i].name)->set_bits(8));
    assert_null(replacement_named("usual"));
    for (uint32_t i = 1; i < REPLACE_VALUES; i++) assert_string_equal(policies[i], replacement_of(i, NULL)->name);
}

/* ---- laws, of policies x organisations ---- */

static const char *const organisations[][7] = {
    {NULL},
    {"l1.organisation", "sectored", NULL},
    {"l1.streaming", "1", NULL},
    {"l1.ways", "128", NULL},
    {"l1.organisation", "dsc", NULL},
    {"l1.organisation", "tsc", NULL},
    {"l1.organisation", "elastic", NULL},
    {"l1.organisation", "elastic", "l1.ways", "32", "l1.streaming", "1", NULL},
};

/* Random loads, with stores between; returns a sum that names what hit. */
static uint64_t walk(struct l1 *l1, uint32_t lines, uint32_t accesses)
{
    uint64_t sum = 0, n_missed = 0;
    const uint32_t most = l1->tags.sets * params->l1.ways * 4;
    random_state = 5;
    for (uint32_t i = 0; i < accesses; i++) {
        const uint32_t line = any(4) ? any(lines) : lines + any(8 * lines);
        if (any(16) == 0) {
            l1_send(l1, REQUEST_WRITE, &(struct l1_access){.line = line, .sectors = 1}, 0, false, i);
            request_fifo_pop(&l1->to_xbar);
            continue;
        }
        const bool missed = misses(l1, line, 1 + any(15));
        n_missed += missed;
        sum = sum * 3 + missed;
        if (i % 64) continue;
        uint32_t held = 0;
        for (uint32_t k = 0; k < l1->tags.sets * l1->tags.stride; k++)
            held += (uint32_t)__builtin_popcount(tags_line(&l1->tags, k)->valid);
        assert_true(held <= most);
    }
    assert_int_equal(n_missed, l1->stats.l1d_misses);
    assert_true(l1->stats.l1d_load_hits > 0 && l1->stats.l1d_misses > 0);
    return sum;
}

static void hits_and_misses_are_all_accesses_and_no_set_holds_more_than_it_has_room_for(void **state)
{
    (void)state;
    for (size_t o = 0; o < COUNT_OF(organisations); o++)
        for (size_t p = 0; p < COUNT_OF(policies); p++) {
            struct l1 l1 = l1_of(policies[p], organisations[o]);
            const uint32_t lines = 2 * params->l1.ways;
            walk(&l1, lines, 800);
        }
}

/* Of lines; where a set holds chunks of several lines, there is something to choose. */
static void with_one_line_a_set_every_policy_says_the_same(void **state)
{
    uint64_t first = 0;
    (void)state;
    for (size_t p = 0; p < COUNT_OF(policies); p++) {
        struct l1 l1 = l1_of(policies[p], (const char *const[]){"l1.ways", "1", "l1.sets", "4", NULL});
        const uint64_t sum = walk(&l1, 6, 800);
        if (p) assert_int_equal(first, sum);
        first = sum;
    }
}

static void the_usual_policy_is_lru_and_under_tsc_nru(void **state)
{
    (void)state;
    for (size_t o = 0; o < COUNT_OF(organisations); o++) {
        struct l1 usual = l1_of("usual", organisations[o]);
        const uint64_t sum = walk(&usual, 8, 1000);
        const char *name = params->l1.organisation == L1_TSC ? "nru" : "lru";
        json_t *text = gpu_params_json(params);
        struct l1 named = l1_of(name, organisations[o]);
        if (params->l1.organisation == L1_TSC) /* it forgets all bits at once (l1.tsc_nru_reset) */
            assert_int_equal(RESET_ALL, tags_order(&named.tags, 0)->reset);
        assert_int_equal(sum, walk(&named, 8, 1000));
        json_t *same = gpu_params_json(params);
        assert_true(json_equal(text, same)); /* the same machine has the same key */
        json_decref(text);
        json_decref(same);
    }
}

/* Whole machines, in which each cache has another policy. */
static void a_run_that_skips_is_one_that_ticks_under_every_policy(void **state)
{
    static const char *const l1s[] = {"plain", "sectored", "tsc", "dsc", "elastic"};
    struct trace *t = synth_mixture(6, 2, 8, 3);
    (void)state;
    for (size_t p = 1; p < COUNT_OF(policies); p++) {
        char text[8][64];
        const char *sets[9] = {NULL};
        const char *const names[] = {"l1.replacement", "l2.replacement", "fetch.replacement", "lsu.tex_replacement"};
        for (size_t i = 0; i < 4; i++)
            snprintf(text[i], sizeof text[i], "%s=%s", names[i], policies[1 + (p + 2 * i) % (COUNT_OF(policies) - 1)]);
        snprintf(text[4], sizeof text[4], "l1.organisation=%s", l1s[p % 5]);
        snprintf(text[5], sizeof text[5], "l2.organisation=%s", l1s[(p + p / 5) % 5]);
        snprintf(text[6], sizeof text[6], "l2.sets=4");
        snprintf(text[7], sizeof text[7], "l1.sets=2");
        for (size_t i = 0; i < 8; i++) sets[i] = text[i];
        const char *const all[] = {
            sets[0], sets[1], sets[2], sets[3], sets[4], sets[5], sets[6], sets[7], "l1.set_index=linear", NULL};
        char *json = synth_run_both(t, (struct synth_run){.set = all});
        assert_true(synth_value(json, "l2_hits") > 0);
        free(json);
    }
    trace_close(t);
}

/* ---- what mechanisms put on top, where sectors have places of their own ---- */

static const char *const placed[] = {"l2.organisation=tsc", "l2.organisation=dsc", "l2.organisation=elastic"};

/* Every line with more than two accesses is locked. */
static void lockdown_keeps_the_sectors_of_a_locked_line_and_with_all_locked_requests_go_around(void **state)
{
    (void)state;
    for (size_t o = 0; o < COUNT_OF(placed); o++) {
        struct l2_rig rig;
        l2_rig_new(&rig, (const char *const[]){"l2.ways=2", "l2.tsc_private_bits=0", placed[o], NULL},
                   (const char *const[]){"lockdown,threshold=2", NULL});
        for (uint32_t i = 0; i < 3; i++) l2_rig_load(&rig, 10, 0, 0);
        for (uint32_t line = 20; line < 60; line++) assert_true(*l2_rig_load(&rig, line, 0, 0) != '\0');
        assert_string_equal("", l2_rig_load(&rig, 10, 0, 0));
        assert_int_equal(0, l2_rig_stat(&rig, 0, "bypassed"));
        for (uint32_t i = 0; i < 3; i++) l2_rig_load(&rig, 61, 0, 0);
        for (uint32_t line = 70; line < 90;
             line++) { /* whoever comes finds all places locked, if both lines are whole */
            const bool both = l2_rig_holds(&rig, 10) && l2_rig_holds(&rig, 61);
            const uint64_t before = l2_rig_stat(&rig, 0, "bypassed");
            l2_rig_load(&rig, line, 0, 0);
            if (both && o != 1) assert_int_equal(before + 1, l2_rig_stat(&rig, 0, "bypassed"));
        }
        assert_string_equal("", l2_rig_load(&rig, 10, 0, 0));
        if (o != 1) assert_true(!l2_rig_holds(&rig, 89) && l2_rig_stat(&rig, 0, "bypassed") == 20);
        const struct request store = {.line = 95, .kind = REQUEST_WRITE, .sectors = 15};
        if (o != 1) assert_string_equal("WR:95 ", l2_rig_do(&rig, &store));
        const struct request atomic = {.line = 96, .kind = REQUEST_ATOMIC, .sectors = 1};
        l2_rig_do(&rig, &atomic); /* overrides the locks */
        assert_true(l2_rig_holds(&rig, 96));
        l2_rig_free(&rig);
    }
}

static void ignore(void *machine) { (void)machine; }

/* SM 0 uses three lines again and again, SM 31 streams: once there is a partition, the stream takes the places of its
 * own lines. */
static void ucp_shares_out_places_whatever_the_organisation_and_the_policy(void **state)
{
    static const char *const orders[] = {"l2.replacement=usual", "l2.replacement=srrip", "l2.replacement=fifo"};
    const struct sm_view view = {.l2_ask_again = ignore};
    (void)state;
    for (size_t o = 0; o < COUNT_OF(placed); o++)
        for (size_t k = 0; k < COUNT_OF(orders); k++) {
            struct l2_rig rig;
            l2_rig_new(&rig, (const char *const[]){"l2.ways=8", "l2.tsc_private_bits=0", placed[o], orders[k], NULL},
                       (const char *const[]){"ucp,groups=2", NULL});
            for (uint32_t i = 0; i < 120; i++) {
                l2_rig_load(&rig, 1 + i % 3, 0, 0);
                l2_rig_load(&rig, 1000 + i, 0, 31);
            }
            rig.stack[0].type->epoch(rig.self[0], &view, 200000);
            assert_int_equal(8, l2_rig_stat(&rig, 0, "gpu_ways"));
            for (uint32_t i = 0; i < 9; i++) l2_rig_load(&rig, 1 + i % 3, 0, 0);
            for (uint32_t i = 0; i < 40; i++) l2_rig_load(&rig, 2000 + i, 0, 31);
            for (uint32_t i = 0; i < 3; i++) assert_true(l2_rig_holds(&rig, 1 + i));
            l2_rig_free(&rig);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(srrip_misses_six_times_and_lru_eight_times_in_every_L1),
        T(srrip_misses_six_times_and_lru_eight_times_in_L2_by_parameter_and_by_mechanism),
        T(srrip_misses_six_times_in_a_read_only_cache),
        T(each_policy_keeps_what_its_rule_says),
        T(random_takes_every_place_and_the_same_ones_in_every_run),
        T(a_set_takes_the_memory_that_the_page_says),
        T(hits_and_misses_are_all_accesses_and_no_set_holds_more_than_it_has_room_for),
        T(with_one_line_a_set_every_policy_says_the_same),
        T(the_usual_policy_is_lru_and_under_tsc_nru),
        T(a_run_that_skips_is_one_that_ticks_under_every_policy),
        T(lockdown_keeps_the_sectors_of_a_locked_line_and_with_all_locked_requests_go_around),
        T(ucp_shares_out_places_whatever_the_organisation_and_the_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
