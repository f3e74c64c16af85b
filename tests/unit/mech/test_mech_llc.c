/* Policies of the last-level cache: RRIP's worked example, UCP's partitions from curves worked by hand, TAP's
 * decisions, and what holds for all of them. */
#include "l2_rig.h"
#include "where.h"

#include "core_sampling.h"
#include "poise/sys/rrip.h"
#include "stack.h"
#include "ucp.h"

extern const struct mech_type mech_tap_rrip, mech_tap_ucp, mech_ucp;

static const char *const four_ways[] = {"l2.ways=4", NULL};
enum { A1 = 1, A2, B1, B2, B3, B4 };

static uint32_t misses_of(const char *mech, const uint32_t *lines, size_t n, struct l2_rig *rig)
{
    uint32_t misses = 0;
    l2_rig_new(rig, four_ways, (const char *const[]){mech, NULL});
    for (size_t i = 0; i < n; i++) misses += *l2_rig_load(rig, lines[i], 0, 0) != '\0';
    return misses;
}

/* Jaleel et al., ISCA 2010: a1 a2 a2 a1 b1 b2 b3 b4 a1 a2 in a set of four. */
static void srrip_keeps_a1_and_a2_over_a_scan_of_four_and_lru_does_not(void **state)
{
    (void)state;
    static const uint32_t lines[] = {A1, A2, A2, A1, B1, B2, B3, B4, A1, A2};
    struct l2_rig rig;
    assert_int_equal(misses_of("srrip", lines, 10, &rig), 6);
    assert_true(l2_rig_holds(&rig, A1) && l2_rig_holds(&rig, A2) && l2_rig_holds(&rig, B3) && l2_rig_holds(&rig, B4));
    assert_int_equal(l2_rig_stat(&rig, 0, "inserted_long"), 6);
    l2_rig_free(&rig);
    assert_int_equal(misses_of("lru", lines, 10, &rig), 8);
    assert_int_equal(l2_rig_stat(&rig, 0, "gpu_hits"), 2);
    l2_rig_free(&rig);
}

/* The first line with the value 3 from way 0 on; after a1 and a2 were used again all values rise until there is one. */
static void srrip_replaces_b1_and_then_b2(void **state)
{
    (void)state;
    static const uint32_t lines[] = {A1, A2, A2, A1, B1, B2, B3};
    struct l2_rig rig;
    misses_of("srrip", lines, 7, &rig);
    assert_true(!l2_rig_holds(&rig, B1) && l2_rig_holds(&rig, B2));
    l2_rig_load(&rig, B4, 0, 0);
    assert_true(!l2_rig_holds(&rig, B2) && l2_rig_holds(&rig, B3) && l2_rig_holds(&rig, A1) && l2_rig_holds(&rig, A2));
    l2_rig_free(&rig);
}

/* Eight lines round and round in four ways: LRU and SRRIP hit nothing, BRRIP keeps some. */
static void brrip_keeps_part_of_a_set_that_does_not_fit_and_drrip_follows_it(void **state)
{
    (void)state;
    uint32_t hits[4] = {0};
    static const char *const mechs[] = {"lru", "srrip", "brrip", "drrip"};
    for (int m = 0; m < 4; m++) {
        struct l2_rig rig;
        l2_rig_new(&rig, (const char *const[]){"l2.ways=4", "l2.sets=64", NULL}, (const char *const[]){mechs[m], NULL});
        for (uint32_t round = 0; round < 60; round++)
            for (uint32_t i = 0; i < 8 * 64; i++) hits[m] += *l2_rig_load(&rig, i, 0, 0) == '\0';
        if (m == 2) { /* one line in 32 begins with the value 2 */
            const uint64_t n = l2_rig_stat(&rig, 0, "inserted_long"), rest = l2_rig_stat(&rig, 0, "inserted_distant");
            assert_int_equal(n, (n + rest) / 32);
        }
        if (m == 3) assert_true(l2_rig_stat(&rig, 0, "selector") <= 1023);
        l2_rig_free(&rig);
    }
    assert_int_equal(hits[0], 0);
    assert_int_equal(hits[1], 0);
    assert_true(hits[2] > 8000); /* of 30720 */
    assert_true(hits[3] > hits[2] / 2);
}

static void leaders_of_both_policies_are_32_each_and_the_selector_saturates(void **state)
{
    (void)state;
    struct duel d = duel_of(24 * 85, 32, 10);
    uint32_t n[3] = {0};
    assert_int_equal(d.counter, 512);
    for (uint32_t bank = 0; bank < 24; bank++)
        for (uint32_t set = 0; set < 85; set++) n[duel_role(&d, bank * 85 + set)]++;
    assert_true(n[DUEL_FIRST] >= 32 && n[DUEL_FIRST] <= 33 && n[DUEL_SECOND] >= 32 && n[DUEL_SECOND] <= 33);
    for (int i = 0; i < 2000; i++) duel_miss(&d, DUEL_FIRST);
    assert_true(d.counter == 1023 && duel_second(&d, DUEL_FOLLOWS) && !duel_second(&d, DUEL_FIRST));
    for (int i = 0; i < 2000; i++) duel_miss(&d, DUEL_SECOND);
    assert_true(d.counter == 0 && !duel_second(&d, DUEL_FOLLOWS) && duel_second(&d, DUEL_SECOND));
    duel_miss(&d, DUEL_FOLLOWS);
    assert_int_equal(d.counter, 0);
}

/* ---- UCP ---- */

static void fill_curve(double curve[L2_WAYS_MAX + 1], const double *points, uint32_t n)
{
    memset(curve, 0, (L2_WAYS_MAX + 1) * sizeof *curve);
    for (uint32_t i = 0; i < n; i++) curve[i] = points[i];
}

/* Each begins with one way. Six are left: the second class gains 30 a way with three more, which looking one way ahead
 * would not show; then the first gains 10, 5 and 2.5 with a way each. */
static void look_ahead_sees_over_a_plateau(void **state)
{
    (void)state;
    static const double saturating[] = {0, 20, 30, 35, 37.5, 38, 38, 38, 38},
                        plateau[] = {0, 0, 0, 0, 90, 90, 90, 90, 90};
    const bool takes_rest[] = {true, true};
    double utility[2][L2_WAYS_MAX + 1];
    uint32_t quota[2];
    fill_curve(utility[0], saturating, 9);
    fill_curve(utility[1], plateau, 9);
    ucp_look_ahead(2, 8, utility, takes_rest, quota);
    assert_int_equal(quota[0], 4);
    assert_int_equal(quota[1], 4);
}

static void each_class_keeps_a_way_and_ways_without_use_go_round_or_to_those_that_count(void **state)
{
    (void)state;
    static const double steep[] = {0, 100, 200, 300, 400, 500, 600, 700, 800}, nothing[9];
    double utility[3][L2_WAYS_MAX + 1];
    uint32_t quota[3];
    fill_curve(utility[0], steep, 9);
    fill_curve(utility[1], nothing, 9);
    fill_curve(utility[2], nothing, 9);
    ucp_look_ahead(3, 8, utility, (const bool[]){true, true, true}, quota);
    assert_true(quota[0] == 6 && quota[1] == 1 && quota[2] == 1);
    ucp_look_ahead(2, 8, utility + 1, (const bool[]){true, true}, quota);
    assert_true(quota[0] == 4 && quota[1] == 4);
    ucp_look_ahead(2, 8, utility + 1, (const bool[]){false, true}, quota);
    assert_true(quota[0] == 1 && quota[1] == 7);
    ucp_look_ahead(2, 8, utility + 1, (const bool[]){false, false}, quota); /* nobody wants them */
    assert_true(quota[0] == 1 && quota[1] == 1);
}

static void ignore(void *machine) { ++*(int *)machine; }
static void end_period(struct l2_rig *rig, uint32_t sm, uint64_t now, uint64_t insts, int *asked)
{
    const struct sm_view view = {.sm = sm, .counters.insts = insts, .machine = asked, .l2_ask_again = ignore};
    rig->stack[0].type->epoch(rig->self[0], &view, now);
}

/* SM 0 uses five lines of a set of eight again and again, SM 31 streams. */
static void a_stream_is_held_to_one_way_and_leaves_the_other_class_its_lines(void **state)
{
    (void)state;
    int asked = 0;
    struct l2_rig rig;
    l2_rig_new(&rig, (const char *const[]){"l2.ways=8", NULL}, (const char *const[]){"ucp,groups=2", NULL});
    for (uint32_t round = 0; round < 40; round++) {
        for (uint32_t i = 0; i < 5; i++) l2_rig_load(&rig, 1 + i, 0, 0);
        l2_rig_load(&rig, 100 + round, 0, 31);
    }
    end_period(&rig, 0, 200000, 0, &asked);
    assert_int_equal(asked, 1);
    assert_int_equal(l2_rig_stat(&rig, 0, "gpu_ways"), 8);
    for (uint32_t i = 0; i < 5; i++) l2_rig_load(&rig, 1 + i, 0, 0);
    for (uint32_t i = 0; i < 30; i++) l2_rig_load(&rig, 500 + i, 0, 31);
    for (uint32_t i = 0; i < 5; i++) assert_true(l2_rig_holds(&rig, 1 + i)); /* the stream takes its own lines */
    l2_rig_free(&rig);
}

/* Whatever is accessed, once each class has met its quota no set holds more of it, and a pending line never goes. */
static void quotas_are_kept_after_a_partition(void **state)
{
    (void)state;
    int asked = 0;
    uint32_t seed = 3;
    struct l2_rig rig;
    l2_rig_new(&rig, (const char *const[]){"l2.ways=8", "l2.sets=4", NULL},
               (const char *const[]){"ucp,groups=4", NULL});
    for (uint32_t i = 0; i < 4000; i++) {
        seed = seed * 1664525 + 1013904223;
        const uint32_t sm = (seed >> 8) % 32, line = (seed >> 16) % (16u << sm / 8);
        l2_rig_load(&rig, 1000 * (sm / 8) + line, 0, sm);
        if (i % 1000 == 999) end_period(&rig, 0, 200 * i, 0, &asked);
    }
    const struct ucp *u = (const struct ucp *)(const void *)((const char *)rig.self[0] + sizeof(struct ucp_stats));
    const uint8_t *owners = (const uint8_t *)rig.self[0] + u->owners_at;
    for (uint32_t i = 0; i < 4000; i++) { /* every class fills what it may */
        seed = seed * 1664525 + 1013904223;
        l2_rig_load(&rig, 1000 * (i % 4) + 300 + (seed >> 12) % 512, 0, i % 4 * 8);
    }
    for (uint32_t set = 0; set < 4; set++) {
        uint32_t has[4] = {0};
        for (uint32_t way = 0; way < 8; way++) has[owners[set * 8 + way] - 1]++;
        for (uint32_t c = 0; c < 4; c++) assert_int_equal(has[c], u->quota[c]);
    }
    l2_rig_free(&rig);
}

/* ---- TAP ---- */

static void core_sampling_finds_whether_caching_helps_and_the_ratio_of_accesses(void **state)
{
    (void)state;
    const struct mech_env env = {.sms = 8};
    struct core_sampling c;
    core_sampling_init(&c, &env);
    assert_int_equal(core_sampling_of(&c, &(struct l2_request){.requester = 0}), SAMPLED_OLDEST);
    assert_int_equal(core_sampling_of(&c, &(struct l2_request){.requester = 1}), SAMPLED_NEWEST);
    assert_int_equal(core_sampling_of(&c, &(struct l2_request){.requester = 2}), SAMPLED_NOT);
    assert_int_equal(core_sampling_of(&c, &(struct l2_request){.requester = 0, .from = L2_FROM_CPU}), SAMPLED_NOT);
    for (int i = 0; i < 30; i++) core_sampling_access(&c, &(struct l2_request){.requester = 3});
    for (int i = 0; i < 10; i++) core_sampling_access(&c, &(struct l2_request){.requester = 1, .from = L2_FROM_CPU});
    for (int i = 0; i < 5; i++) core_sampling_access(&c, &(struct l2_request){.requester = 0, .from = L2_FROM_CPU});
    assert_false(core_sampling_view(&c, &(struct sm_view){.sm = 0, .counters.insts = 1000}));
    assert_true(core_sampling_view(&c, &(struct sm_view){.sm = 1, .counters.insts = 1040}));
    core_sampling_decide(&c, 0.05);
    assert_false(c.is_effective);
    assert_true(c.ratio == 3);
    core_sampling_view(&c, &(struct sm_view){.sm = 0, .counters.insts = 2000});
    core_sampling_view(&c, &(struct sm_view){.sm = 1, .counters.insts = 2100}); /* 1000 against 1060 */
    core_sampling_decide(&c, 0.05);
    assert_true(c.is_effective && c.ratio == 0);
}

/* Three SMs, of which two are sampled: in the next period each is the one behind, and begins at what it had retired. */
static void sampled_sms_can_move_on_after_each_period(void **state)
{
    const struct mech_env env = {.sms = 3};
    struct core_sampling c;
    (void)state;
    core_sampling_init(&c, &env);
    assert_false(core_sampling_asks(&c, 2));
    c.moves = true;
    for (uint32_t sm = 0; sm < 3; sm++) {
        assert_true(core_sampling_asks(&c, sm));
        const struct sm_view view = {.sm = sm, .counters.insts = 1000 + 500 * sm};
        assert_true(core_sampling_view(&c, &view) == (sm == 2));
    }
    core_sampling_decide(&c, 0.05);
    assert_true(c.is_effective); /* 1000 against 1500 */
    assert_int_equal(core_sampling_of(&c, &(struct l2_request){.requester = 0}), SAMPLED_NOT);
    assert_int_equal(core_sampling_of(&c, &(struct l2_request){.requester = 1}), SAMPLED_OLDEST);
    assert_int_equal(core_sampling_of(&c, &(struct l2_request){.requester = 2}), SAMPLED_NEWEST);
    for (uint32_t sm = 0; sm < 3; sm++)
        core_sampling_view(&c, &(struct sm_view){.sm = sm, .counters.insts = 3000 + 490 * sm});
    core_sampling_decide(&c, 0.05);
    assert_false(c.is_effective); /* SM 1: 3490 - 1500, SM 2: 3980 - 2000 */
    assert_int_equal(core_sampling_of(&c, &(struct l2_request){.requester = 0}), SAMPLED_NEWEST);
    assert_int_equal(core_sampling_of(&c, &(struct l2_request){.requester = 2}), SAMPLED_OLDEST);
}

/* Of the 384 sets of six banks with 64 each 32 lead a duel: every twelfth the GPU's, one set before them that of CPU
 * programs. There lines begin as SRRIP's. */
static const char *const many_sets[] = {"l2.ways=4", "l2.sets=64", "l2.set_index=linear", NULL};
enum { GPU_LEADER = 0, CPU_LEADER = 11 };
static uint32_t line_in(uint32_t set, uint32_t i) { return 64 * (1 + i) + set; }

/* The value with which a line of the GPU begins, after a period with these instructions and accesses. */
static uint64_t distant_insertions(const char *mech, uint64_t gpu_insts, uint32_t gpu, uint32_t cpu)
{
    int asked = 0;
    struct l2_rig rig;
    l2_rig_new(&rig, many_sets, (const char *const[]){mech, NULL});
    for (uint32_t i = 0; i < gpu; i++) l2_rig_load(&rig, line_in(GPU_LEADER, 100 + i), 0, 5);
    for (uint32_t i = 0; i < cpu; i++)
        l2_rig_load(&rig, line_in(CPU_LEADER, 300 + i), 0, (uint32_t)requester_of(FROM_CPU, 0));
    end_period(&rig, 0, 200000, 1000, &asked);
    end_period(&rig, 1, 200000, gpu_insts, &asked);
    const uint64_t before = l2_rig_stat(&rig, 0, "inserted_distant");
    for (uint32_t i = 0; i < 10; i++) l2_rig_load(&rig, line_in(GPU_LEADER, 500 + i), 0, 5);
    for (uint32_t i = 0; i < 10; i++)
        l2_rig_load(&rig, line_in(CPU_LEADER, 600 + i), 0, (uint32_t)requester_of(FROM_CPU, 0));
    const uint64_t after = l2_rig_stat(&rig, 0, "inserted_distant");
    l2_rig_free(&rig);
    return after - before;
}

static void tap_rrip_gives_the_gpu_brrip_where_caching_does_not_help_or_it_accesses_more(void **state)
{
    (void)state;
    assert_int_equal(distant_insertions("tap_rrip", 1500, 5, 20),
                     0); /* caching helps, the CPU accesses more: the duel */
    assert_int_equal(distant_insertions("tap_rrip", 1500, 20, 5), 10); /* the GPU accesses more: its ten lines */
    assert_int_equal(distant_insertions("tap_rrip", 1010, 5, 20), 10); /* caching does not help */
    assert_int_equal(distant_insertions("tap_rrip,ratio=4", 1500, 20, 5), 0);
    assert_int_equal(distant_insertions("tap_rrip,ratio=3.9", 1500, 20, 5), 10);
    assert_int_equal(distant_insertions("tap_rrip,ratio=4", 1010, 20, 5), 10);
}

/* After misses in sets that lead a duel. */
static void selectors_of(const char *mech, bool is_forced, uint64_t selectors[2])
{
    int asked = 0;
    struct l2_rig rig;
    l2_rig_new(&rig, many_sets, (const char *const[]){mech, NULL});
    end_period(&rig, 0, 200000, 1000, &asked);
    end_period(&rig, 1, 200000, is_forced ? 1000 : 2000, &asked);
    for (uint32_t i = 1; i <= 40; i++) l2_rig_load(&rig, line_in(GPU_LEADER, i), 0, 5);
    for (uint32_t i = 1; i <= 7; i++)
        l2_rig_load(&rig, line_in(CPU_LEADER, 100 + i), 0, (uint32_t)requester_of(FROM_CPU, 0));
    for (uint32_t i = 1; i <= 3; i++)
        l2_rig_load(&rig, line_in(GPU_LEADER, 200 + i), 0, (uint32_t)requester_of(FROM_CPU, 0));
    rig.stack[0].type->end(rig.self[0], 400000);
    selectors[0] = l2_rig_stat(&rig, 0, "gpu_selector");
    selectors[1] = l2_rig_stat(&rig, 0, "cpu_selector");
    l2_rig_free(&rig);
}

static void each_class_of_requesters_has_a_duel_that_forced_insertions_do_not_move(void **state)
{
    uint64_t at[2];
    (void)state;
    selectors_of("tap_rrip", false, at);
    assert_true(at[0] == 512 + 40 && at[1] == 512 + 7);
    selectors_of("tap_rrip", true, at);
    assert_true(at[0] == 512 && at[1] == 512 + 7);
    selectors_of("tap_rrip,forced_counts=1", true, at);
    assert_true(at[0] == 512 + 40 && at[1] == 512 + 7);
    /* as it was: CPU programs begin with what the GPU's misses have said, and move it on */
    selectors_of("tap_rrip,duel=shared,forced_counts=1", true, at);
    assert_true(at[0] == 512 + 43 && at[1] == 512);
}

/* A CPU program's line is used twice, then the sampled SM's lines come. */
static bool keeps_a_programs_line(const char *mech)
{
    struct l2_rig rig;
    l2_rig_new(&rig, many_sets, (const char *const[]){mech, NULL});
    for (int i = 0; i < 2; i++) l2_rig_load(&rig, line_in(CPU_LEADER, 0), 0, (uint32_t)requester_of(FROM_CPU, 0));
    for (uint32_t i = 1; i < 9; i++) l2_rig_load(&rig, line_in(CPU_LEADER, i), 0, 1);
    const bool keeps = l2_rig_holds(&rig, line_in(CPU_LEADER, 0));
    assert_int_equal(l2_rig_stat(&rig, 0, "inserted_distant"), 0);
    l2_rig_free(&rig);
    return keeps;
}

static void lines_of_the_sampled_sm_that_nobody_uses_again_go_before_those_that_a_program_uses(void **state)
{
    (void)state;
    assert_true(keeps_a_programs_line("tap_rrip"));
    assert_false(keeps_a_programs_line("tap_rrip,sampled_stay=newest"));
}

static uint32_t gpu_ways_of(const char *mech, uint64_t insts, uint32_t gpu_rounds)
{
    int asked = 0;
    struct l2_rig rig;
    l2_rig_new(&rig, (const char *const[]){"l2.ways=8", NULL}, (const char *const[]){mech, NULL});
    for (uint32_t round = 0; round < 30; round++) { /* the GPU uses seven lines again and again, the CPU six */
        for (uint32_t k = 0; k < gpu_rounds; k++)
            for (uint32_t i = 0; i < 7; i++) l2_rig_load(&rig, 1 + i, 0, 5);
        for (uint32_t i = 0; i < 6; i++) l2_rig_load(&rig, 101 + i, 0, (uint32_t)requester_of(FROM_CPU, 1));
    }
    end_period(&rig, 0, 200000, 1000, &asked);
    end_period(&rig, 1, 200000, insts, &asked);
    if (rig.stack[0].type->end) rig.stack[0].type->end(rig.self[0], 200000);
    const uint32_t ways = (uint32_t)l2_rig_stat(&rig, 0, "gpu_ways");
    assert_int_equal(ways + l2_rig_stat(&rig, 0, "cpu_ways"), 8);
    l2_rig_free(&rig);
    return ways;
}

static void tap_ucp_weighs_the_gpus_hits_and_leaves_it_one_way_where_caching_does_not_help(void **state)
{
    (void)state;
    /* 2093 hits of the GPU with seven ways, 174 of the CPU with six: 349 and 35 a way. */
    assert_int_equal(gpu_ways_of("ucp,groups=1", 1500, 10), 7);
    /* 2100 accesses are 11.7 times 180, and 2093 / 11.7 / 6 is 29.9 a way. */
    assert_int_equal(gpu_ways_of("tap_ucp", 1500, 10), 2);
    assert_int_equal(gpu_ways_of("tap_ucp", 1000, 10), 1);
}

/* ---- a learned lifetime ---- */

/* The 64 sets of the first of six banks, half of them sampled. In a period the GPU asks for 64 lines and for `again` of
 * them once more, a CPU program for 64, all of them twice; then each asks for 64 new ones. Of these, how many begin
 * with the value 3. */
static void distant_of(const char *mech, uint32_t again, uint64_t out[2])
{
    int asked = 0;
    struct l2_rig rig;
    const uint32_t cpu = (uint32_t)requester_of(FROM_CPU, 1);
    l2_rig_new(&rig, (const char *const[]){"l2.ways=8", "l2.sets=64", "l2.set_index=linear", NULL},
               (const char *const[]){mech, NULL});
    for (uint32_t i = 0; i < 64; i++) l2_rig_load(&rig, 64 + i, 0, 5);
    for (uint32_t i = 0; i < again; i++) l2_rig_load(&rig, 64 + i, 0, 5);
    for (uint32_t i = 0; i < 128; i++) l2_rig_load(&rig, 128 + i % 64, 0, cpu);
    assert_int_equal(l2_rig_stat(&rig, 0, "inserted_distant"), 0);
    end_period(&rig, 0, 200000, 0, &asked);
    for (uint32_t k = 0; k < 2; k++) {
        const uint64_t before = l2_rig_stat(&rig, 0, "inserted_distant");
        for (uint32_t i = 0; i < 64; i++) l2_rig_load(&rig, 192 + 64 * k + i, 0, k ? cpu : 5);
        out[k] = l2_rig_stat(&rig, 0, "inserted_distant") - before;
    }
    assert_int_equal(l2_rig_stat(&rig, 0, "periods"), 1);
    l2_rig_free(&rig);
}

static void lines_live_as_long_as_their_requesters_reuse_and_load_say(void **state)
{
    uint64_t distant[2];
    (void)state;
    distant_of("lifetime,sampled_sets=192,base=0.2,slope=0", 0, distant);
    /* the GPU streams: all but one of the 32 in sets that are not sampled */
    assert_true(distant[0] == 31 && distant[1] == 0);
    distant_of("lifetime,sampled_sets=192,base=0.2,slope=0", 32, distant); /* half of its lines are used again */
    assert_true(distant[0] == 0 && distant[1] == 0);
    distant_of("lifetime,sampled_sets=192,base=0.2,slope=0.9", 32,
               distant); /* 0.5 - 0.2 - 0.9 * 96 / 225 < 0 < 1 - 0.2 - 0.9 * 128 / 225 */
    assert_true(distant[0] == 31 && distant[1] == 0);
    distant_of("lifetime,sampled_sets=192,base=1.5,slope=0", 64, distant); /* nobody's reuse is so high */
    assert_true(distant[0] + distant[1] >= 61 && distant[1] > 0);
}

/* ---- all of them ---- */

static void every_policy_conserves_requests_and_repeats(void **state)
{
    (void)state;
    static const char *const set[] = {"l2.set_index=linear", "l2.sets=4", "l2.ways=4", "l2.banks=12", NULL};
    static const struct stack_run runs[] = {
        {{"lru"}, set, false},
        {{"srrip"}, set, false},
        {{"brrip"}, set, false},
        {{"drrip,leaders=4"}, set, false},
        {{"ucp,repartition=1000"}, set, false},
        {{"tap_ucp,period=1000,groups=2"}, set, false},
        {{"tap_rrip,period=1000"}, set, false},
        {{"tap_rrip,period=1000,duel=shared,forced_counts=1,sampled_stay=newest"}, set, false},
        {{"lifetime,period=1000,base=0.5,sampled_sets=8"}, set, false},
        {{"swl,N=3", "drrip"}, set, false},
    };
    stack_runs_hold(runs, COUNT_OF(runs));
}

static void values_are_stored_for_the_lines_that_l2_has_of_its_own(void **state)
{
    (void)state;
    struct gpu_params *machine = gpu_params_new();
    struct mech_spec spec;
    struct mech_cost rows[MECH_COSTS_MAX];
    struct error err;
    uint32_t sms;
    assert_ok(gpu_params_load(machine, "volta80", POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    assert_ok(mech_parse(&spec, "srrip", &err), &err);
    assert_int_equal(mech_costs(&spec, machine, rows, &sms), 1);
    const uint64_t kept_once = rows[0].gpu_bits;
    assert_ok(gpu_params_set(machine, "l2.copies", "1", &err), &err);
    assert_int_equal(mech_costs(&spec, machine, rows, &sms), 1);
    assert_int_equal(rows[0].gpu_bits, 2 * kept_once); /* volta80 keeps each line in two partitions */
    mech_free(&spec);
    gpu_params_free(machine);
}

static void the_lru_policy_is_what_l2_does_by_itself(void **state)
{
    (void)state;
    static const char *const set[] = {"l2.sets=4", "l2.ways=4", "core.sms=4", NULL};
    struct trace *t = synth_mixture(24, 6, 12, 4);
    char *alone = synth_run_json(t, &(struct synth_run){.set = set}),
         *named = synth_run_json(t, &(struct synth_run){.set = set, .mech = "lru"});
    assert_true(strncmp(alone, named, strlen(alone) - 1) == 0); /* the other ends with what the mechanism counts */
    free(alone);
    free(named);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srrip_keeps_a1_and_a2_over_a_scan_of_four_and_lru_does_not),
        cmocka_unit_test(srrip_replaces_b1_and_then_b2),
        cmocka_unit_test(brrip_keeps_part_of_a_set_that_does_not_fit_and_drrip_follows_it),
        cmocka_unit_test(leaders_of_both_policies_are_32_each_and_the_selector_saturates),
        cmocka_unit_test(look_ahead_sees_over_a_plateau),
        cmocka_unit_test(each_class_keeps_a_way_and_ways_without_use_go_round_or_to_those_that_count),
        cmocka_unit_test(a_stream_is_held_to_one_way_and_leaves_the_other_class_its_lines),
        cmocka_unit_test(quotas_are_kept_after_a_partition),
        cmocka_unit_test(core_sampling_finds_whether_caching_helps_and_the_ratio_of_accesses),
        cmocka_unit_test(sampled_sms_can_move_on_after_each_period),
        cmocka_unit_test(tap_rrip_gives_the_gpu_brrip_where_caching_does_not_help_or_it_accesses_more),
        cmocka_unit_test(each_class_of_requesters_has_a_duel_that_forced_insertions_do_not_move),
        cmocka_unit_test(lines_of_the_sampled_sm_that_nobody_uses_again_go_before_those_that_a_program_uses),
        cmocka_unit_test(tap_ucp_weighs_the_gpus_hits_and_leaves_it_one_way_where_caching_does_not_help),
        cmocka_unit_test(lines_live_as_long_as_their_requesters_reuse_and_load_say),
        cmocka_unit_test(every_policy_conserves_requests_and_repeats),
        cmocka_unit_test(values_are_stored_for_the_lines_that_l2_has_of_its_own),
        cmocka_unit_test(the_lru_policy_is_what_l2_does_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
