/* Mixes: what is drawn, and what a mix scores. */
#include "rig.h"

#include <math.h>
#include <sys/stat.h>
#include "folder.h"
#include "poise/file.h"
#include "poise/mix.h"
#include "studies/repro/figure.h"
#include "study_rig.h"

/* 18 programs: 6, 5, 4 and 3 of the classes. */
static void classes_of(enum cpu_class classes[18])
{
    static const unsigned n[N_CPU_CLASSES] = {6, 5, 4, 3};
    for (unsigned i = 0, c = 0, left = n[0]; i < 18; i++, left--) {
        if (!left) left = n[++c];
        classes[i] = (enum cpu_class)c;
    }
}

static void the_same_seed_draws_the_same_mixes_and_another_seed_others(void **state)
{
    (void)state;
    static const size_t counts[MIX_SIZES] = {52, 50, 50};
    struct mix a[152] = {0}, b[152] = {0};
    enum cpu_class classes[18];
    classes_of(classes);
    mix_draw(a, counts, classes, 18, 8, 8);
    mix_draw(b, counts, classes, 18, 8, 8);
    assert_memory_equal(a, b, sizeof a);
    mix_draw(b, counts, classes, 18, 8, 9);
    assert_memory_not_equal(a, b, sizeof a);
}

static void mixes_have_the_sizes_asked_for_and_no_program_twice(void **state)
{
    (void)state;
    static const size_t counts[MIX_SIZES] = {52, 50, 50};
    struct mix mixes[152];
    enum cpu_class classes[18];
    classes_of(classes);
    mix_draw(mixes, counts, classes, 18, 8, 8);
    for (unsigned i = 0; i < 152; i++) {
        const struct mix *m = &mixes[i];
        assert_int_equal(m->n, i < 52 ? 1 : i < 102 ? 2 : 4);
        assert_true(m->kernel < 8);
        for (unsigned k = 0; k < m->n; k++) {
            assert_true(m->programs[k] < 18);
            unsigned same = 0, of_class = 0;
            for (unsigned j = 0; j < m->n; j++) {
                same += m->programs[j] == m->programs[k];
                of_class += classes[m->programs[j]] == classes[m->programs[k]];
            }
            assert_true(same == 1 || of_class > 3); /* a class of three cannot fill four places */
        }
    }
}

/* Single programs: 52 are 13 of each class. Pairs: ten combinations of classes, five times each. Kernels: 152 over
 * eight are 19 each. */
static void classes_and_kernels_come_equally_often(void **state)
{
    (void)state;
    static const size_t counts[MIX_SIZES] = {52, 50, 50};
    struct mix mixes[152];
    enum cpu_class classes[18];
    unsigned singles[N_CPU_CLASSES] = {0}, pairs[N_CPU_CLASSES][N_CPU_CLASSES] = {{0}}, kernels[8] = {0};
    classes_of(classes);
    mix_draw(mixes, counts, classes, 18, 8, 8);
    for (unsigned i = 0; i < 152; i++) {
        const enum cpu_class first = classes[mixes[i].programs[0]];
        kernels[mixes[i].kernel]++;
        if (i < 52) singles[first]++;
        else if (i < 102) pairs[first][classes[mixes[i].programs[1]]]++;
    }
    for (unsigned c = 0; c < N_CPU_CLASSES; c++) {
        assert_int_equal(singles[c], 13);
        for (unsigned d = c; d < N_CPU_CLASSES; d++) assert_int_equal(pairs[c][d] + (c == d ? 0 : pairs[d][c]), 5);
    }
    for (unsigned k = 0; k < 8; k++) assert_int_equal(kernels[k], 19);
}

static void a_class_without_programs_is_left_out(void **state)
{
    (void)state;
    static const size_t counts[MIX_SIZES] = {6, 3, 3};
    static const enum cpu_class classes[3] = {CPU_COMPUTE, CPU_STREAMING, CPU_STREAMING};
    struct mix mixes[12];
    mix_draw(mixes, counts, classes, 3, 1, 1);
    for (unsigned i = 0; i < 12; i++)
        for (unsigned k = 0; k < mixes[i].n; k++) assert_true(mixes[i].programs[k] < 3);
}

static void scores_are_those_worked_by_hand(void **state)
{
    (void)state;
    const struct mix_score alone = mix_score((const double[]){1, 1, 1}, 3),
                           uneven = mix_score((const double[]){0.5, 0.25, 1}, 3);
    assert_true(fabs(alone.weighted - 3) < 1e-12 && fabs(alone.harmonic - 1) < 1e-12 &&
                fabs(alone.fairness - 1) < 1e-12);
    assert_true(fabs(uneven.weighted - 1.75) < 1e-12);
    assert_true(fabs(uneven.harmonic - 3 / (2.0 + 4 + 1)) < 1e-12);
    assert_true(fabs(uneven.fairness - 0.25) < 1e-12);
}

static void a_program_is_classed_by_what_a_cache_could_do_for_it(void **state)
{
    (void)state;
    const struct {
        struct cpu_locality locality;
        enum cpu_class class;
    } cases[] = {
        {{.insts = 1000000, .l2_misses = 999, .first_touches = 999, .misses = {999, 999}}, CPU_COMPUTE},
        {{.insts = 1000000, .l2_misses = 1000, .first_touches = 500, .misses = {900, 700}}, CPU_FRIENDLY},
        {{.insts = 1000000, .l2_misses = 1000, .first_touches = 700, .misses = {900, 701}}, CPU_THRASHING},
        {{.insts = 1000000, .l2_misses = 1000, .first_touches = 701, .misses = {1000, 1000}}, CPU_STREAMING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cpu_locality l = cases[i].locality;
        for (int c = 0; c < CPU_CAPACITIES; c++) l.capacity_bytes[c] = 262144ull << c;
        for (l.llc_bytes = 1 << 18; l.llc_bytes <= 1 << 19; l.llc_bytes *= 2)
            assert_int_equal(cpu_class_of(&l),
                             l.llc_bytes < 1 << 19 && cases[i].class == CPU_FRIENDLY ? CPU_THRASHING : cases[i].class);
    }
}

/* ---- figures of mixes ---- */

enum { RESULTS_MAX = 8 * REPRO_POINTS_MAX };
/* A study's points over these mixes; every result has a speed of one for all. */
struct mix_rig {
    struct repro_spec spec;
    struct mix_result results[RESULTS_MAX];
    struct mix_data data;
};
static const char *const member_names[] = {"p0", "p1", "p2", "p3"};

static void mixes_begin(struct mix_rig *r, const char *id, const struct mix *mixes, size_t n)
{
    char path[1024];
    struct error err;
    snprintf(path, sizeof path, CONFIGS "/../specs/%s", study_of(id)->spec);
    assert_ok(repro_spec_load(&r->spec, path, CONFIGS, NULL, &err), &err);
    r->data = (struct mix_data){mixes, n, &r->spec, member_names, member_names, NULL, r->results};
    for (size_t i = 0; i < n * r->spec.n_points; i++)
        r->results[i] =
            (struct mix_result){.speedups = {1, 1, 1, 1, 1}, .score = {.weighted = 1, .harmonic = 1, .fairness = 1}};
}

static struct mix_result *result_at(struct mix_rig *r, size_t mix, const char *point)
{
    size_t p = 0;
    while (p < r->spec.n_points && strcmp(r->spec.points[p], point) != 0) p++;
    assert_true(p < r->spec.n_points);
    return &r->results[mix * r->spec.n_points + p];
}

static struct repro_report mixes_report(struct mix_rig *r, const char *id)
{
    struct repro_report report = {0};
    struct error err;
    assert_ok(repro_mixes_report(study_of(id), &r->data, &report, &err), &err);
    repro_spec_fini(&r->spec);
    return report;
}

/* A mix of 1, 2 and 4 programs each; the gain of TAP-RRIP over LRU in each. */
static bool gains_more_with_more_programs(const double gains[MIX_SIZES])
{
    static struct mix_rig rig;
    static const struct mix mixes[MIX_SIZES] = {{0, 1, {0}}, {0, 2, {0, 1}}, {0, 4, {0, 1, 2, 3}}};
    mixes_begin(&rig, "tech-8", mixes, MIX_SIZES);
    for (size_t m = 0; m < MIX_SIZES; m++) result_at(&rig, m, "tap-rrip")->score.weighted = 1 + gains[m];
    struct repro_report report = mixes_report(&rig, "tech-8");
    const bool holds = study_check(&report, "tap-rrip gains more over LRU with more CPU programs");
    repro_report_fini(&report);
    return holds;
}

static void the_benefit_rises_with_the_number_of_programs_or_the_statement_fails(void **state)
{
    (void)state;
    assert_true(gains_more_with_more_programs((const double[]){-0.1, 0, 0.1}));
    assert_false(gains_more_with_more_programs((const double[]){0.1, 0.2, 0.15}));
    assert_false(gains_more_with_more_programs((const double[]){0.2, 0.1, 0.3}));
}

/* Means do not have a mix that failed, and its row says why. */
static void a_mix_that_failed_is_a_row_in_words(void **state)
{
    static struct mix_rig rig;
    static const struct mix mixes[2] = {{0, 1, {0}}, {1, 1, {1}}};
    (void)state;
    mixes_begin(&rig, "tech-8", mixes, 2);
    result_at(&rig, 0, "ucp")->score.weighted = 1.2;
    struct mix_result *failed = result_at(&rig, 1, "ucp");
    failed->failed = true;
    snprintf(failed->why, sizeof failed->why, "the mix: deadlock");
    struct repro_report report = mixes_report(&rig, "tech-8");
    assert_true(fabs(study_row(&report, "weighted speedup of ucp over LRU, all mixes")->ours - 20) < 1e-9);
    assert_string_equal(study_row(&report, "p1+p1 ucp")->failed, "the mix: deadlock");
    assert_string_equal(study_row(&report, "p0+p0 ucp")->failed, "");
    repro_report_fini(&report);
}

/* Mixes 0 and 1 share their kernel: neither may choose the other's rule, though there `b` is best. */
static void a_rule_is_chosen_on_mixes_that_share_no_member(void **state)
{
    enum { MIXES = 4 };
    static struct mix_rig rig;
    static const double gains[MIXES][2] = {{1.1, 1.5}, {1.1, 1.5}, {1.2, 1.1}, {1.2, 1.1}};
    static const struct mix mixes[MIXES] = {{0, 1, {0}}, {0, 1, {1}}, {1, 1, {2}}, {2, 1, {3}}};
    (void)state;
    mixes_begin(&rig, "tech-9", mixes, MIXES);
    for (size_t i = 0; i < MIXES * rig.spec.n_points; i++) {
        rig.results[i].speedups[0] = rig.results[i].speedups[1] = 0.5;
        rig.results[i].score.weighted = 2;
    }
    for (size_t m = 0; m < MIXES; m++) {
        result_at(&rig, m, "lifetime 0.1")->score.weighted = 2 * gains[m][0];
        result_at(&rig, m, "lifetime load alone")->score.weighted = 2 * gains[m][1];
    }
    struct repro_report report = mixes_report(&rig, "tech-9");
    /* 0 and 1 see 2 and 3, where the first is best: 1.1 each; 2 and 3 see the others, where the second is: 1.1 each */
    assert_true(fabs(study_row(&report, "learned lifetime over LRU, members held out")->ours - 10) < 1e-9);
    assert_true(study_check(&report, "the learned lifetime is better"));
    assert_true(fabs(study_row(&report, "the same, each mix's best rule in hindsight")->ours -
                     100 * (sqrt(1.5 * 1.2) - 1)) < 1e-9);
    assert_true(study_row(&report, "mixes that a rule was chosen on, at least")->ours == 2);
    assert_true(fabs(study_row(&report, "speed of the kernel over alone, LRU")->ours - 0.5) < 1e-9);
    assert_true(fabs(study_row(&report, "speed of a CPU program over alone, LRU")->ours - 0.5) < 1e-9);
    assert_true(study_of("tech-8")->has_mixes && study_of("tech-9")->has_mixes && !study_of("tech-7")->has_mixes);
    repro_report_fini(&report);
}

/* The last rule failed in mix 2, so that mixes 0 and 1 each see it in one other mix alone. */
static void what_a_rule_was_chosen_on_are_the_mixes_that_it_has_run_in_itself(void **state)
{
    static struct mix_rig rig;
    static const struct mix mixes[3] = {{0, 1, {0}}, {1, 1, {1}}, {2, 1, {2}}};
    (void)state;
    mixes_begin(&rig, "tech-9", mixes, 3);
    for (size_t m = 0; m < 3; m++) result_at(&rig, m, "lifetime 0.1")->score.weighted = 1.2;
    result_at(&rig, 2, "lifetime load alone")->failed = true;
    struct repro_report report = mixes_report(&rig, "tech-9");
    assert_true(study_row(&report, "mixes that a rule was chosen on, at least")->ours == 2);
    repro_report_fini(&report);
}

static void mixes_and_what_is_chosen_among_points_are_checked_when_a_spec_is_read(void **state)
{
    static const struct {
        const char *lines, *said;
    } rows[] = {
        {"quick: {mixes: [1, 2]}\nfull: {}\n", "mixes: how many with 1, 2 and 4 CPU programs"},
        {"quick: {mixes: [0, 0, 0]}\nfull: {}\n", "together at most 152"},
        {"quick: {mixes: [100, 50, 3]}\nfull: {}\n", "together at most 152"},
        {"quick: {mixes: [1, x, 3]}\nfull: {}\n", "as in [6, 5, 5]"},
        {"quick: {}\nfull: {}\nchosen: {name: a}\n", "'among' is missing"},
        {"quick: {}\nfull: {}\nchosen: {name: a, among: \"lifetime *\"}\n", "no point is called like 'lifetime *'"},
        {"quick: {}\nfull: {}\nchosen: {name: lru, among: lru}\npoints: [{name: lru}]\n", "a second point 'lru'"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct repro_spec spec;
        struct error err;
        char text[600];
        snprintf(text, sizeof text, "schema: 1\nkind: repro\nname: m\nconfig: apu6\n%s", rows[i].lines);
        assert_int_equal(-1, repro_spec_parse(&spec, "m.yaml", text, strlen(text), CONFIGS, NULL, &err));
        if (!strstr(err.text, rows[i].said)) fail_msg("%s\nsays: %s", rows[i].lines, err.text);
    }
}

/* Nobody would put a limit into the stacks of their runs. */
static void the_limit_of_a_profile_is_refused_where_mixes_or_kernels_run_side_by_side(void **state)
{
    static const char text[] = "schema: 1\nkind: repro\nname: with-swl\nconfig: " CONFIGS "/kepler32.yaml\n"
                               "kernels: [mvt, ii]\nquick: {mixes: [1, 0, 0]}\nfull: {}\n"
                               "points: [{name: swl, mech: ['swl,N=@swl', bucl]}]\n";
    static int (*const runs[])(const struct repro_study *, const struct repro_options *, struct repro_result *,
                               struct error *) = {repro_run_mixes, repro_run_pairs};
    static const struct repro_study study = {.id = "side-by-side", .spec = "with-swl.yaml"};
    char dir[] = "/tmp/poise-mix-XXXXXX", path[64];
    struct repro_options options = {.store = "none.sqlite"};
    struct error err;
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(options.paths.configs, sizeof options.paths.configs, "%s/configs", dir);
    assert_int_equal(0, mkdir(options.paths.configs, 0700));
    snprintf(path, sizeof path, "%s/specs", dir);
    assert_int_equal(0, mkdir(path, 0700));
    snprintf(path, sizeof path, "%s/specs/with-swl.yaml", dir);
    assert_ok(file_write(path, text, sizeof text - 1, &err), &err);
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        struct repro_result result = {0};
        assert_int_equal(-1, runs[i](&study, &options, &result, &err));
        if (err.code != ERR_USAGE || !strstr(err.text, "side-by-side: with-swl: @swl")) fail_msg("%s", err.text);
    }
    assert_int_equal(0, folder_remove(dir));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_draws_the_same_mixes_and_another_seed_others),
        cmocka_unit_test(mixes_have_the_sizes_asked_for_and_no_program_twice),
        cmocka_unit_test(classes_and_kernels_come_equally_often),
        cmocka_unit_test(a_class_without_programs_is_left_out),
        cmocka_unit_test(scores_are_those_worked_by_hand),
        cmocka_unit_test(a_program_is_classed_by_what_a_cache_could_do_for_it),
        cmocka_unit_test(the_benefit_rises_with_the_number_of_programs_or_the_statement_fails),
        cmocka_unit_test(a_mix_that_failed_is_a_row_in_words),
        cmocka_unit_test(a_rule_is_chosen_on_mixes_that_share_no_member),
        cmocka_unit_test(what_a_rule_was_chosen_on_are_the_mixes_that_it_has_run_in_itself),
        cmocka_unit_test(mixes_and_what_is_chosen_among_points_are_checked_when_a_spec_is_read),
        cmocka_unit_test(the_limit_of_a_profile_is_refused_where_mixes_or_kernels_run_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
