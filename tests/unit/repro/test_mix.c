/* Mixes: what is drawn, and what a mix scores. */
#include "rig.h"

#include <math.h>
#include "poise/mix.h"
#include "studies/repro/repro_tap.h"
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

/* ---- TAP ---- */

/* A mix of 1, 2 and 4 programs each; the gain of TAP-RRIP over LRU in each. */
static bool gains_more_with_more_programs(const double gains[MIX_SIZES])
{
    static struct repro_spec spec;
    static struct mix_result results[MIX_SIZES * 2];
    static const char *const names[] = {"p0", "p1", "p2", "p3"};
    static const struct mix mixes[MIX_SIZES] = {{0, 1, {0}}, {0, 2, {0, 1}}, {0, 4, {0, 1, 2, 3}}};
    struct repro_report report = {0};
    const struct mix_data d = {mixes, MIX_SIZES, &spec, names, names, NULL, results};
    spec.n_points = 2;
    snprintf(spec.points[0], sizeof spec.points[0], "base");
    snprintf(spec.points[1], sizeof spec.points[1], "tap-rrip");
    for (size_t i = 0; i < COUNT_OF(results); i++)
        results[i] =
            (struct mix_result){.speedups = {1, 1, 1, 1, 1},
                                .score = {.weighted = i % 2 ? 1 + gains[i / 2] : 1, .harmonic = 1, .fairness = 1}};
    repro_tap_report(&d, &report);
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

/* ---- what goes beyond TAP ---- */

enum { BEYOND_MIXES = 4, BEYOND_POINTS = 4 };
static double beyond_row(const double gains[BEYOND_MIXES][BEYOND_POINTS], const struct mix *mixes, const char *label,
                         bool *is_better)
{
    static struct repro_spec spec;
    static struct mix_result results[BEYOND_MIXES * BEYOND_POINTS];
    static const char *const points[BEYOND_POINTS] = {"base", "tap-rrip", "lifetime a", "lifetime b"};
    static const char *const names[] = {"p0", "p1", "p2", "p3"};
    struct repro_report report = {0};
    const struct mix_data d = {mixes, BEYOND_MIXES, &spec, names, names, NULL, results};
    spec.n_points = BEYOND_POINTS;
    for (size_t p = 0; p < BEYOND_POINTS; p++) snprintf(spec.points[p], sizeof spec.points[p], "%s", points[p]);
    for (size_t m = 0; m < BEYOND_MIXES; m++)
        for (size_t p = 0; p < BEYOND_POINTS; p++)
            results[m * BEYOND_POINTS + p] =
                (struct mix_result){.speedups = {0.5, 0.5}, .score.weighted = 2 * gains[m][p]};
    repro_beyond_report(&d, &report);
    const double ours = study_row(&report, label)->ours;
    if (is_better) *is_better = study_check(&report, "the learned lifetime is better");
    repro_report_fini(&report);
    return ours;
}

/* Mixes 0 and 1 share their kernel: neither may choose the other's rule, though there `b` is best. */
static void a_rule_is_chosen_on_mixes_that_share_no_member(void **state)
{
    static const double gains[BEYOND_MIXES][BEYOND_POINTS] = {
        {1, 1, 1.1, 1.5}, {1, 1, 1.1, 1.5}, {1, 1, 1.2, 1.1}, {1, 1, 1.2, 1.1}};
    static const struct mix mixes[BEYOND_MIXES] = {{0, 1, {0}}, {0, 1, {1}}, {1, 1, {2}}, {2, 1, {3}}};
    bool is_better = false;
    (void)state;
    /* 0 and 1 see 2 and 3, where `a` is best: 1.1 each; 2 and 3 see the others, where `b` is: 1.1 each */
    const double learned = beyond_row(gains, mixes, "learned lifetime over LRU, members held out", &is_better);
    assert_true(fabs(learned - 10) < 1e-9 && is_better);
    const double best = beyond_row(gains, mixes, "the same, each mix's best rule in hindsight", NULL);
    assert_true(fabs(best - 100 * (sqrt(1.5 * 1.2) - 1)) < 1e-9);
    assert_true(beyond_row(gains, mixes, "mixes that a rule was chosen on, at least", NULL) == 2);
    assert_true(fabs(beyond_row(gains, mixes, "speed of the kernel over alone, LRU", NULL) - 0.5) < 1e-9);
    assert_true(repro_has_mixes(study_of("tech-8")) && repro_has_mixes(study_of("tech-9")) &&
                !repro_has_mixes(study_of("tech-7")));
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
        cmocka_unit_test(a_rule_is_chosen_on_mixes_that_share_no_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
