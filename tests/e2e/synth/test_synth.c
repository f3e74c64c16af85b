/* Property tests of the parametric kernel: what is measured in the recorded trace equals the knobs. */
#include "../cli/spawn.h"

#include <jansson.h>
#include <math.h>
#include "folder.h"
#include "poise/locality.h"
#include "poise/pattern.h"

struct knobs {
    uint32_t blocks, warps, divergence, distance, working_set, reuse, shared, sharers, in, seed;
};
static const struct knobs sets[] = {
    {2, 8, 4, 16, 16, 2, 1, 8, 22, 1},                                       /* the defaults at size test */
    {1, 1, 1, 1, 1, 1, 0, 1, 200, 2},                                        /* one load */
    {1, 2, 1, 64, 64, 3, 0, 1, 25, 3},                                       /* coalesced */
    {2, 4, 32, 32, 96, 4, 0, 1, 80, 4},                                      /* fully divergent: a load a walk */
    {3, 2, 8, 64, 128, 5, 2, 3, 30, 5},   {2, 2, 5, 35, 70, 2, 3, 4, 40, 6}, /* a degree that does not divide 32 */
    {2, 8, 2, 256, 256, 2, 4, 16, 18, 7}, /* long distances; one group of all warps */
    {4, 1, 16, 48, 48, 8, 1, 2, 500, 8},  /* much computing */
    {1, 32, 4, 8, 32, 1, 5, 32, 25, 9},   /* no reuse of its own lines */
    {1, 3, 3, 9, 27, 6, 2, 1, 33, 10},    /* groups of one: shared lines are nobody else's */
};
static char dir[64];

static struct trace *synth(const char *arguments)
{
    char command[1024], path[128];
    struct trace *trace;
    struct error err;
    snprintf(path, sizeof path, "%s/a.ptrace", dir);
    snprintf(command, sizeof command, "trace synth %s --size test -o %s", arguments, path);
    const struct said *said = poise(dir, command);
    if (said->status != 0) fail_msg("poise %s: status %d: %s", command, said->status, said->err);
    assert_ok(trace_open(&trace, path, NULL, &err), &err);
    unlink(path);
    return trace;
}

/* Stays as p.ptrace. */
static struct trace *synth_of_pattern(const char *knobs)
{
    char command[512], path[128];
    struct trace *trace;
    struct error err;
    snprintf(path, sizeof path, "%s/p.ptrace", dir);
    snprintf(command, sizeof command, "trace synth %s -o %s", knobs, path);
    const struct said *said = poise(dir, command);
    if (said->status != 0) fail_msg("poise %s: status %d: %s", command, said->status, said->err);
    assert_ok(trace_open(&trace, path, NULL, &err), &err);
    return trace;
}

static struct trace *synth_of(const struct knobs *k)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments,
             "blocks=%u warps=%u divergence=%u distance=%u working_set=%u reuse=%u shared=%u sharers=%u in=%u seed=%u",
             k->blocks, k->warps, k->divergence, k->distance, k->working_set, k->reuse, k->shared, k->sharers, k->in,
             k->seed);
    return synth(arguments);
}

static struct trace_locality locality_of(const struct trace *trace)
{
    struct trace_locality l;
    struct error err;
    assert_ok(trace_locality(&l, trace, 128, &err), &err);
    return l;
}

static void divergence_intensity_working_set_and_reuse_are_those_asked_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        const struct knobs *k = &sets[i];
        struct trace *trace = synth_of(k);
        const struct trace_locality l = locality_of(trace);
        trace_close(trace);
        const uint64_t warps = k->blocks * k->warps, walks = k->working_set / k->distance * k->reuse;
        /* shared lines of a group */
        const uint64_t common = walks * k->shared * k->divergence, groups = (warps + k->sharers - 1) / k->sharers;
        assert_int_equal(l.loads, warps * walks * (k->distance / k->divergence + k->shared));
        assert_int_equal(l.loads_of_degree[k->divergence], l.loads);
        assert_int_equal(l.warp_lines, warps * (k->working_set + common));
        assert_int_equal(l.intra_touches, warps * k->working_set * (k->reuse - 1));
        assert_int_equal(l.distance_sum, l.intra_touches * (k->distance - 1 + k->shared * k->divergence));
        assert_int_equal(l.distance_max, k->reuse > 1 ? k->distance - 1 + k->shared * k->divergence : 0);
        assert_int_equal(l.lines, warps * k->working_set + groups * common);
        assert_int_equal(l.inter_touches, (warps - groups) * common);
        assert_int_equal(l.shared_lines, k->sharers > 1 ? groups * common : 0);
        const double in = trace_locality_in(&l);
        if (fabs(in - k->in) > 0.02 * k->in) fail_msg("set %zu: I_n is %.2f, asked for %u", i, in, k->in);
    }
}

static void phases_take_their_knobs_from_lists(void **state)
{
    (void)state;
    struct trace *trace =
        synth("blocks=1 warps=4 phases=3 divergence=1,8 distance=16,32 working_set=32,32 reuse=3,2 shared=0 in=30,60");
    const struct trace_locality l = locality_of(trace);
    trace_close(trace);
    const uint64_t first = 2 * 3 * 16, second = 2 * 4; /* loads of a warp; the third phase is as the first */
    assert_int_equal(l.loads_of_degree[1], 4 * 2 * first);
    assert_int_equal(l.loads_of_degree[8], 4 * second);
    assert_int_equal(l.loads, 4 * (2 * first + second));
    assert_int_equal(l.warp_lines, 4 * (32 + 32 + 32));
    assert_int_equal(l.distances[4], 4 * 2 * 32 * 2); /* 15 other lines */
    assert_int_equal(l.distances[5], 4 * 32);         /* 31 */
    const double asked = (double)(2 * first * 30 + second * 60) / (double)(2 * first + second);
    assert_true(fabs(trace_locality_in(&l) - asked) < 0.02 * asked);
}

static void a_seed_moves_lines_but_changes_no_measure(void **state)
{
    (void)state;
    struct knobs k = sets[4];
    struct trace *a = synth_of(&k), *again = synth_of(&k);
    k.seed++;
    struct trace *other = synth_of(&k);
    const struct trace_locality l = locality_of(a), m = locality_of(other);
    assert_memory_equal(&a->hash, &again->hash, sizeof a->hash);
    assert_memory_not_equal(&a->hash, &other->hash, sizeof a->hash);
    assert_memory_equal(&l, &m, sizeof l);
    trace_close(a);
    trace_close(again);
    trace_close(other);
}

/* Else they would go around L1, and the kernel would measure nothing of it. */
static void loads_are_ordinary_ones(void **state)
{
    (void)state;
    struct trace *trace = synth_of(&sets[0]);
    uint32_t n = 0;
    for (uint32_t i = 0; i < trace->launch.n_code; i++) {
        const struct trace_inst *inst = &trace->code[i];
        if (inst->cls != TRACE_LOAD || inst->space != TRACE_SPACE_GLOBAL) continue;
        n++;
        assert_int_equal(TRACE_CACHE_DEFAULT, inst->cache_op);
        assert_int_equal(TRACE_SCOPE_NONE, inst->scope);
        assert_false(inst->flags & TRACE_VOLATILE);
    }
    assert_int_equal(2, n); /* of own lines, of shared ones */
    trace_close(trace);
}

static void knobs_that_contradict_one_another_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *text;
    } bad[] = {
        {"divergence=8 distance=12", "distance=12 must be a multiple of divergence=8"},
        {"distance=16 working_set=24", "working_set=24 of distance"},
        {"in=3", "need at least"},
        {"divergence=33", "out of range"},
        {"locality=1", "one of the names below"},
        {"atomics divergence=2", "one of the names below"},
        {"atomics words=1048576 pitch=32", "more than 512 MB"},
        {"blocks=65535 warps=2", "at most 65535"},
        {"working_set=1048576 distance=65536 blocks=100", "at most 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char command[512];
        snprintf(command, sizeof command, "trace synth %s -o %s/b.ptrace", bad[i].arguments, dir);
        const struct said *said = poise(dir, command);
        assert_int_equal(said->status, 2);
        if (!strstr(said->err, bad[i].text)) fail_msg("%s: '%s' lacks '%s'", bad[i].arguments, said->err, bad[i].text);
    }
}

/* Written without a program, and simulated as any trace. */
static void a_pattern_is_written_and_simulated(void **state)
{
    (void)state;
    char command[512];
    struct trace *trace =
        synth_of_pattern("pattern=scan,gather streams=2 blocks=4 in=1 loads=40 degree=32,1 lines=64 sharers=1,0");
    const struct trace_locality l = locality_of(trace);
    trace_close(trace);
    assert_int_equal(l.loads, 4 * 8 * 40);
    assert_int_equal(l.insts, 2 * l.loads);
    assert_int_equal(l.loads_of_degree[32], l.loads / 2);
    assert_int_equal(l.loads_of_degree[1], l.loads / 2);
    snprintf(command, sizeof command, "sim --trace %s/p.ptrace --config kepler32 --mech tuple,N=2,p=1 --json", dir);
    const struct said *said = poise(dir, command);
    if (said->status != 0) fail_msg("poise %s: status %d: %s", command, said->status, said->err);
    assert_non_null(strstr(said->out, "\"warp_insts\": 2560"));
    assert_int_equal(poise(dir, "trace synth --knobs")->status, 0);
    assert_int_equal(poise(dir, "trace synth pattern=scan --size test -o x.ptrace")->status, 2);
}

static void check_proposal(const char *text)
{
    struct pattern p;
    struct error err;
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    pattern_defaults(&p);
    for (char *knob = strtok_r(copy, " ", &rest); knob; knob = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(knob, '=');
        *value++ = '\0';
        assert_ok(pattern_set(&p, knob, value, &err), &err);
    }
    assert_ok(pattern_check(&p, &err), &err);
}

/* The committed table needs no simulation, and what is proposed for its gaps are knobs that the generator takes. */
static void proposals_are_patterns(void **state)
{
    (void)state;
    const struct said *said =
        poise(dir, "features coverage " POISE_SOURCE_DIR "/datasets/features/learned/samplings.csv --json");
    assert_int_equal(said->status, 0);
    json_t *out = json_loads(said->out, 0, NULL);
    const json_t *launches = json_object_get(out, "launches"), *launch;
    size_t i, n = 0;
    json_array_foreach(launches, i, launch) {
        const char *knobs = json_string_value(json_object_get(launch, "proposal"));
        const json_t *training = json_object_get(launch, "training");
        const bool is_beyond = json_is_true(json_object_get(training, "is_beyond"));
        assert_int_equal(is_beyond, *knobs != '\0');
        if (is_beyond) check_proposal(knobs), n++;
        /* 33 lines a load, I_n 6.6, hits 0.96 */
        if (strcmp(json_string_value(json_object_get(launch, "launch")), "ii/0") == 0)
            assert_string_equal(knobs, "pattern=scan degree=32 lines=256 passes=1 drift=4 pitch=24 in=7 loads=16 "
                                       "blocks=192 warps=8 registers=20");
        if (strcmp(json_string_value(json_object_get(launch, "launch")), "md/0") == 0) assert_false(is_beyond);
    }
    assert_int_equal(36, i);
    assert_true(n >= 9);
    json_decref(out);
}

static void info_prints_the_locality(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "trace synth --size test -o %s/c.ptrace", dir);
    assert_int_equal(poise(dir, command)->status, 0);
    snprintf(command, sizeof command, "trace info --locality %s/c.ptrace", dir);
    const struct said *said = poise(dir, command);
    assert_int_equal(said->status, 0);
    assert_non_null(strstr(said->out, "4.00 lines of 128 bytes each"));
    assert_non_null(strstr(said->out, "19.0 other lines of the warp"));
    snprintf(command, sizeof command, "trace info --locality --json %s/c.ptrace", dir);
    assert_non_null(strstr(poise(dir, command)->out, "\"distance_max\": 19"));
}

/* ---- poise trace synth atomics ---- */

struct atomics {
    uint32_t blocks, warps, atomics, words, pitch, meet, read, own, sharers;
};
static const struct atomics atomic_sets[] = {{2, 4, 8, 64, 1, 1, 0, 0, 1},
                                             {2, 2, 5, 64, 32, 4, 1, 0, 1},
                                             {3, 1, 16, 1, 1, 32, 0, 100, 1},
                                             {4, 2, 6, 128, 32, 1, 0, 100, 2}};
struct found {
    uint64_t atomics, lowest[4], highest[4];
}; /* addresses of each block's */

/* One of the set's atomics: it goes to so many words, each so far from the next that the lines are apart if asked
 * for. */
static void look_at(const struct atomics *set, uint32_t block, uint32_t mask, const uint64_t at[TRACE_LANES],
                    struct found *f)
{
    assert_int_equal(UINT32_MAX, mask);
    const uint32_t meet = set->words == 1 ? 32 : set->meet;
    f->atomics++;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (lane % meet) assert_int_equal(at[lane - 1], at[lane]);
        else if (lane) assert_int_not_equal(at[lane - 1], at[lane]);
        assert_int_equal(0, (at[lane] - at[0]) % (4 * set->pitch));
        if (at[lane] < f->lowest[block]) f->lowest[block] = at[lane];
        if (at[lane] > f->highest[block]) f->highest[block] = at[lane];
    }
}

static struct found look_through(const struct atomics *set, const struct trace *t)
{
    struct found f = {.lowest = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    for (uint64_t w = 0; w < t->n_warps; w++) {
        const uint32_t *words = t->accesses + t->warps[w].first_access;
        for (uint64_t i = 0; i < t->warps[w].n_steps; i++) {
            const struct trace_step *step = &t->steps[t->warps[w].first_step + i];
            const struct trace_inst *inst = &t->code[step->inst];
            uint64_t at[TRACE_LANES];
            if ((inst->cls != TRACE_LOAD && inst->cls != TRACE_STORE && inst->cls != TRACE_ATOMIC) || !step->mask)
                continue;
            words += trace_access_decode(words, step->mask, at);
            if (inst->cls != TRACE_ATOMIC) continue;
            assert_int_equal(set->read != 0, (inst->flags & TRACE_RESULT_USED) != 0);
            look_at(set, (uint32_t)(w / t->launch.warps_per_cta), step->mask, at, &f);
        }
    }
    return f;
}

static void atomics_are_those_asked_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof atomic_sets / sizeof atomic_sets[0]; i++) {
        const struct atomics *set = &atomic_sets[i];
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "atomics blocks=%u warps=%u atomics=%u words=%u pitch=%u meet=%u read=%u own=%u sharers=%u",
                 set->blocks, set->warps, set->atomics, set->words, set->pitch, set->meet, set->read, set->own,
                 set->sharers);
        struct trace *trace = synth(arguments);
        const struct found f = look_through(set, trace);
        trace_close(trace);
        assert_int_equal(set->blocks * set->warps * set->atomics, f.atomics);
        for (uint32_t b = 0; b < set->blocks; b++)
            assert_true(f.highest[b] - f.lowest[b] < 4ull * set->words * set->pitch);
        /* groups have regions of their own, blocks of a group the same */
        for (uint32_t b = 1; b < set->blocks && set->own == 100; b++) {
            const bool is_same = b / set->sharers == (b - 1) / set->sharers;
            assert_int_equal(is_same, f.lowest[b] <= f.highest[b - 1]);
        }
    }
}

static int remove_dir(void **state)
{
    (void)state;
    return folder_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergence_intensity_working_set_and_reuse_are_those_asked_for),
        cmocka_unit_test(phases_take_their_knobs_from_lists),
        cmocka_unit_test(a_seed_moves_lines_but_changes_no_measure),
        cmocka_unit_test(loads_are_ordinary_ones),
        cmocka_unit_test(knobs_that_contradict_one_another_are_refused),
        cmocka_unit_test(atomics_are_those_asked_for),
        cmocka_unit_test(a_pattern_is_written_and_simulated),
        cmocka_unit_test(proposals_are_patterns),
        cmocka_unit_test(info_prints_the_locality),
    };
    snprintf(dir, sizeof dir, "%s", fresh_dir());
    return cmocka_run_group_tests(tests, NULL, remove_dir);
}
