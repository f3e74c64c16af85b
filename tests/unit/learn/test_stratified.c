/* Stratified samples of made populations, whose totals are known. */
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include "poise/stratified.h"
#include "poise/validate.h"

enum { UNITS = 300 };
struct made {
    uint64_t groups[UNITS];
    double sizes[UNITS], traits[UNITS], y[UNITS], x[UNITS];
    struct population population;
    double total_y, total_x;
};

/* Two groups; sizes grow along the first and are drawn in the second; y is about 3 of them plus a constant, x in
 * turn 0.6 to 0.9 of y. */
static void make(struct made *m)
{
    struct random random = {7};
    *m = (struct made){.total_y = 0};
    for (size_t i = 0; i < UNITS; i++) {
        m->groups[i] = i % 3 == 0;
        m->sizes[i] = m->groups[i] ? 10 + (double)i : 20 * exp(random_normal(&random));
        m->traits[i] = random_uniform(&random) / 2;
        m->y[i] = (3 * m->sizes[i] + 40) * (1 + 0.1 * random_normal(&random) + 0.2 * m->traits[i]);
        m->x[i] = m->y[i] * (0.6 + 0.3 * m->traits[i] + 0.05 * random_uniform(&random));
        m->total_y += m->y[i];
        m->total_x += m->x[i];
    }
    m->population =
        (struct population){.n = UNITS, .k = 1, .groups = m->groups, .sizes = m->sizes, .traits = m->traits};
}

static void a_stratum_has_units_of_one_group_and_every_unit_is_in_one(void **state)
{
    struct made m;
    struct strata s;
    struct error err;
    size_t seen[UNITS] = {0};
    (void)state;
    make(&m);
    assert_ok(strata_make(&s, &m.population, 0.001, 25, &err), &err);
    assert_int_equal(25, s.n_strata);
    for (size_t h = 0; h < s.n_strata; h++)
        for (size_t i = s.start[h]; i < s.start[h + 1]; i++) {
            seen[s.items[i]]++;
            assert_true(m.groups[s.items[i]] == m.groups[s.items[s.start[h]]]);
        }
    for (size_t i = 0; i < UNITS; i++) assert_int_equal(1, seen[i]);
    strata_fini(&s);
    assert_ok(strata_make(&s, &m.population, 10, 25, &err), &err);
    assert_int_equal(2, s.n_strata); /* nothing is asked for */
    strata_fini(&s);
}

static void a_sample_of_all_units_is_the_total_with_an_interval_of_zero(void **state)
{
    struct made m;
    struct strata strata;
    struct stratified s;
    struct error err;
    (void)state;
    make(&m);
    assert_ok(strata_make(&strata, &m.population, 0.01, 10, &err), &err);
    assert_ok(stratified_new(&s, &strata, 1, &err), &err);
    stratified_draw(&s, UNITS);
    assert_true(stratified_is_whole(&s));
    const struct stratified_estimate e = stratified_total(&s, m.y), r = stratified_ratio(&s, m.y, m.x);
    assert_true(fabs(e.value / m.total_y - 1) < 1e-12 && e.low == e.value && e.high == e.value);
    assert_true(fabs(r.value * m.total_x / m.total_y - 1) < 1e-12 && r.low == r.high);
    stratified_fini(&s);
    strata_fini(&strata);
}

/* Draws until both are within 2 %. */
static void draw(struct stratified *s, const struct made *m)
{
    stratified_draw(s, 2);
    while (stratified_draw_more(s, m->y, NULL, 0.02) + stratified_draw_more(s, m->y, m->x, 0.02)) continue;
}

static void weights_give_the_total_of_whatever_was_measured(void **state)
{
    struct made m;
    struct strata strata;
    struct stratified s;
    struct error err;
    double weights[UNITS], y = 0, x = 0, n = 0;
    (void)state;
    make(&m);
    assert_ok(strata_make(&strata, &m.population, 0.02, 12, &err), &err);
    assert_ok(stratified_new(&s, &strata, 1, &err), &err);
    stratified_begin(&s, STRATIFIED_FIRST, STRATIFIED_FREEDOM);
    assert_false(stratified_is_whole(&s));
    assert_ok(stratified_weights(&s, weights, &err), &err);
    for (size_t i = 0; i < UNITS; i++) {
        n += weights[i] != 0;
        y += weights[i] * m.y[i];
        x += weights[i] * m.sizes[i];
    }
    assert_int_equal((size_t)n, stratified_drawn(&s));
    assert_true(fabs(y / stratified_total(&s, m.y).value - 1) < 1e-9);
    double sizes = 0;
    for (size_t i = 0; i < UNITS; i++) sizes += m.sizes[i];
    assert_true(fabs(x / sizes - 1) < 1e-9); /* what is known of all units comes out exactly */
    stratified_fini(&s);
    strata_fini(&strata);
}

/* With few strata more than the first units of each are drawn: an interval needs to see how units differ. */
static void a_sample_begins_with_enough_degrees_of_freedom(void **state)
{
    struct made m;
    struct strata strata;
    struct stratified s;
    struct error err;
    size_t freedom = 0;
    (void)state;
    make(&m);
    assert_ok(strata_make(&strata, &m.population, 10, 12, &err), &err);
    assert_ok(stratified_new(&s, &strata, 1, &err), &err);
    stratified_begin(&s, STRATIFIED_FIRST, STRATIFIED_FREEDOM);
    for (size_t h = 0; h < strata.n_strata; h++) {
        assert_true(s.drawn[h] >= STRATIFIED_FIRST);
        freedom += s.drawn[h] - 1;
    }
    assert_int_equal(freedom, STRATIFIED_FREEDOM);
    stratified_fini(&s);
    strata_fini(&strata);
}

static void of_600_intervals_90_to_99_percent_hold_and_none_is_wider_than_asked(void **state)
{
    struct made m;
    struct strata strata;
    struct error err;
    size_t held = 0, held_ratio = 0, drawn = 0;
    (void)state;
    make(&m);
    assert_ok(strata_make(&strata, &m.population, 0.02, 12, &err), &err);
    for (uint64_t seed = 1; seed <= 600; seed++) {
        struct stratified s;
        assert_ok(stratified_new(&s, &strata, seed, &err), &err);
        draw(&s, &m);
        const struct stratified_estimate e = stratified_total(&s, m.y), r = stratified_ratio(&s, m.y, m.x);
        assert_true(stratified_error(&e) <= 0.02 && stratified_error(&r) <= 0.02);
        held += e.low <= m.total_y && m.total_y <= e.high;
        held_ratio += r.low <= m.total_y / m.total_x && m.total_y / m.total_x <= r.high;
        drawn += stratified_drawn(&s);
        stratified_fini(&s);
    }
    strata_fini(&strata);
    print_message("held %zu and %zu of 600, %zu units drawn of 300\n", held, held_ratio, drawn / 600);
    assert_in_range(held, 540, 597);
    assert_in_range(held_ratio, 540, 597);
    assert_in_range(drawn / 600, 20, 150);
}

static void a_seed_draws_the_same_units_always_and_another_one_others(void **state)
{
    struct made m;
    struct strata strata;
    struct stratified s[3];
    struct error err;
    (void)state;
    make(&m);
    assert_ok(strata_make(&strata, &m.population, 0.02, 12, &err), &err);
    for (size_t i = 0; i < 3; i++) {
        assert_ok(stratified_new(&s[i], &strata, i == 2 ? 6 : 5, &err), &err);
        draw(&s[i], &m);
    }
    assert_memory_equal(s[0].order, s[1].order, UNITS * sizeof *s->order);
    assert_memory_equal(s[0].drawn, s[1].drawn, strata.n_strata * sizeof *s->drawn);
    assert_memory_not_equal(s[0].order, s[2].order, UNITS * sizeof *s->order);
    for (size_t i = 0; i < 3; i++) stratified_fini(&s[i]);
    strata_fini(&strata);
}

/* The rescaled bootstrap of a stratified sample without replacement: of each stratum n_h - 1 units are drawn with
 * replacement, and what they differ from its mean by is multiplied by the root of 1 - n_h / N_h.
 * [J. N. K. Rao and C. F. J. Wu, Resampling inference with complex survey data, JASA 83, 1988] */
static double bootstrap_se(const struct stratified *s, const double *y, const double *x)
{
    enum { TIMES = 4000 };
    struct random random = {11};
    double sum = 0, sum2 = 0;
    for (size_t t = 0; t < TIMES; t++) {
        double total[2] = {0, 0};
        for (size_t h = 0; h < s->strata->n_strata; h++) {
            const size_t *units = s->order + s->strata->start[h], n = s->drawn[h];
            const double N = (double)(s->strata->start[h + 1] - s->strata->start[h]);
            double mean[2] = {0, 0}, again[2] = {0, 0};
            for (size_t i = 0; i < n; i++) mean[0] += y[units[i]] / (double)n, mean[1] += x[units[i]] / (double)n;
            for (size_t i = 0; i + 1 < n; i++) {
                const size_t unit = units[random_below(&random, n)];
                again[0] += y[unit] / (double)(n - 1);
                again[1] += x[unit] / (double)(n - 1);
            }
            for (size_t k = 0; k < 2; k++) total[k] += N * (mean[k] + sqrt(1 - (double)n / N) * (again[k] - mean[k]));
        }
        const double ratio = total[0] / total[1];
        sum += ratio / TIMES;
        sum2 += ratio * ratio / TIMES;
    }
    return sqrt(sum2 - sum * sum);
}

static void the_standard_error_of_a_speedup_is_the_bootstraps(void **state)
{
    struct made m;
    struct strata strata;
    struct stratified s;
    struct error err;
    (void)state;
    make(&m);
    for (size_t i = 0; i < UNITS; i++) m.sizes[i] = 1; /* nothing to correct by, which the bootstrap does not */
    assert_ok(strata_make(&strata, &m.population, 0.001, 4, &err), &err);
    assert_ok(stratified_new(&s, &strata, 3, &err), &err);
    stratified_draw(&s, 30);
    const struct stratified_estimate r = stratified_ratio(&s, m.y, m.x);
    const double other = bootstrap_se(&s, m.y, m.x);
    print_message("standard error %g, by the bootstrap %g\n", r.se, other);
    assert_true(r.se > 0 && fabs(r.se / other - 1) < 0.1);
    stratified_fini(&s);
    strata_fini(&strata);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stratum_has_units_of_one_group_and_every_unit_is_in_one),
        cmocka_unit_test(a_sample_of_all_units_is_the_total_with_an_interval_of_zero),
        cmocka_unit_test(weights_give_the_total_of_whatever_was_measured),
        cmocka_unit_test(a_sample_begins_with_enough_degrees_of_freedom),
        cmocka_unit_test(of_600_intervals_90_to_99_percent_hold_and_none_is_wider_than_asked),
        cmocka_unit_test(a_seed_draws_the_same_units_always_and_another_one_others),
        cmocka_unit_test(the_standard_error_of_a_speedup_is_the_bootstraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
