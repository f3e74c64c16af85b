/* Learners of response surfaces on problems with known answers, and what every one of them keeps to. */
#include "rig.h"

#include <jansson.h>
#include <math.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>
#include "poise/correction.h"
#include "poise/numerics.h"
#include "response_parts.h"
#include "response_problem.h"

static struct response_predictor *fit_with(const char *name, const struct response_data *data,
                                           const char *const (*settings)[2], size_t n)
{
    const struct response_family *family = response_family_find(name);
    struct family_settings chosen;
    struct response_predictor *p;
    struct error err;
    response_defaults(family, &chosen);
    for (size_t s = 0; s < n; s++) assert_ok(response_set(family, &chosen, settings[s][0], settings[s][1], &err), &err);
    assert_ok(response_fit(&p, family, data, &chosen, &err), &err);
    return p;
}
#define FIT(name, data, ...) \
    fit_with(name, data, (const char *const[][2]){__VA_ARGS__}, \
             sizeof((const char *const[][2]){__VA_ARGS__}) / (2 * sizeof(char *)))

static const struct response_tuple three[3] = {{1, 1}, {2, 1}, {2, 2}};
static const char *const two_names[2] = {"a", "b"};

/* Root mean square error at fresh rows of the rule without noise. */
static double error_on_fresh_rows(const struct response_predictor *p)
{
    struct problem fresh;
    double sum = 0, mean[PROBLEM_M];
    problem_init(&fresh, 40, 5, 0, 99);
    for (size_t i = 0; i < fresh.data.n; i++) {
        response_predict(p, fresh.x + i * PROBLEM_K, mean, NULL);
        for (size_t j = 0; j < PROBLEM_M; j++) sum += pow(mean[j] - fresh.z[i * PROBLEM_M + j], 2);
    }
    sum = sqrt(sum / (double)(fresh.data.n * PROBLEM_M));
    problem_fini(&fresh);
    return sum;
}

static void the_constant_weighs_each_group_the_same(void **state)
{
    (void)state;
    const double x[5] = {0}, z[15] = {1, 0, 0, 1, 0, 0, 4, 0, 0, 7, 3, 3, 100, 100, 100}, w[5] = {1, 1, 1, 5, 0};
    const size_t group[5] = {0, 0, 0, 1, 1};
    const struct response_data data = {5, 1, 3, x, z, w, group, 2, NULL, three, two_names};
    double mean[3];
    struct response_predictor *p = fit_with("constant", &data, NULL, 0);
    response_predict(p, x, mean, NULL);
    assert_true(fabs(mean[0] - 4.5) < 1e-12 && fabs(mean[1] - 1.5) < 1e-12 &&
                fabs(mean[2] - 1.5) < 1e-12); /* (2 + 7) / 2 */
    response_predictor_free(p);
}

static void linear_surfaces_are_recovered_by_ridge(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    double x[ROWS * 2], z[ROWS * 3], mean[3], spread[3];
    size_t group[ROWS];
    struct random random = {3};
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = random_normal(&random), x[2 * i + 1] = 1000 + 50 * random_normal(&random);
        const double c = 2 * x[2 * i] - 0.03 * (x[2 * i + 1] - 1000);
        for (size_t j = 0; j < 3; j++) z[3 * i + j] = 0.5 + c * (1 - (double)j);
        group[i] = i / 4;
    }
    const struct response_data data = {ROWS, 2, 3, x, z, NULL, group, 10, NULL, three, two_names};
    const double fresh[2] = {1, 1100}, truth[3] = {-0.5, 0.5, 1.5};
    struct response_predictor *exact = FIT("ridge", &data, {"lambda", "1e-9"}),
                              *chosen = fit_with("ridge", &data, NULL, 0);
    response_predict(exact, fresh, mean, spread);
    for (size_t j = 0; j < 3; j++) assert_true(fabs(mean[j] - truth[j]) < 1e-8 && spread[j] == 0);
    response_predict(chosen, fresh, mean, NULL); /* the smallest penalty of its grid */
    for (size_t j = 0; j < 3; j++) assert_true(fabs(mean[j] - truth[j]) < 2e-3);
    response_predictor_free(exact);
    response_predictor_free(chosen);
}

static void a_gaussian_process_is_sure_where_it_has_rows_and_unsure_far_away(void **state)
{
    (void)state;
    struct problem p;
    double mean[PROBLEM_M], near[PROBLEM_M], far[PROBLEM_M];
    problem_init(&p, 20, 3, 0, 5);
    struct response_predictor *gp = FIT("gp", &p.data, {"noise", "1e-6"}, {"length", "1"});
    response_predict(gp, p.x, mean, near);
    for (size_t j = 0; j < PROBLEM_M; j++) assert_true(fabs(mean[j] - p.z[j]) < 2e-3);
    response_predict(gp, (const double[]){50, -50, 90}, mean, far);
    assert_true(far[0] > 100 * near[0] && far[0] > 0.1);
    assert_true(far[PROBLEM_M - 1] == 0); /* (24, 24) is 0 in every row: there is nothing to be unsure of */
    response_predictor_free(gp);
    problem_fini(&p);
}

/* A step in one feature: the surface is (1, 2, 3) below 0 and (3, 2, 1) above. */
enum { STEP_ROWS = 60 };
/* Settings that are not given stand for these, unless the marginal likelihood is asked for. */
static void a_gaussian_process_has_a_length_of_the_root_of_its_features_and_a_noise_of_a_tenth(void **state)
{
    struct problem problem;
    char length[32];
    (void)state;
    problem_init(&problem, 30, 3, 0.05, 5);
    snprintf(length, sizeof length, "%.17g", sqrt(PROBLEM_K));
    struct response_predictor *silent = fit_with("gp", &problem.data, NULL, 0),
                              *told = FIT("gp", &problem.data, {"length", length}, {"noise", "0.1"}),
                              *likely = FIT("gp", &problem.data, {"likelihood", "true"});
    assert_true(error_on_fresh_rows(silent) == error_on_fresh_rows(told));
    assert_true(error_on_fresh_rows(silent) != error_on_fresh_rows(likely));
    response_predictor_free(silent);
    response_predictor_free(told);
    response_predictor_free(likely);
    problem_fini(&problem);
}

static void step_problem(struct response_data *data, double *x, double *z, size_t *group)
{
    struct random random = {8};
    for (size_t i = 0; i < STEP_ROWS; i++) {
        x[2 * i] = random_normal(&random);
        x[2 * i + 1] = random_normal(&random);
        for (size_t j = 0; j < 3; j++) z[3 * i + j] = x[2 * i] <= 0 ? 1 + (double)j : 3 - (double)j;
        group[i] = i % 12;
    }
    *data = (struct response_data){STEP_ROWS, 2, 3, x, z, NULL, group, 12, NULL, three, two_names};
}

static void trees_find_a_step(void **state)
{
    (void)state;
    double x[STEP_ROWS * 2], z[STEP_ROWS * 3], mean[3], spread[3];
    size_t group[STEP_ROWS];
    struct response_data data;
    step_problem(&data, x, z, group);
    struct response_predictor *whole = FIT("forest", &data, {"trees", "3"}, {"bootstrap", "none"}, {"features", "1"}),
                              *forest = fit_with("forest", &data, NULL, 0);
    for (int side = -1; side <= 1; side += 2) {
        const double at[2] = {0.5 * side, 3};
        for (size_t j = 0; j < 3; j++) {
            const double truth = side < 0 ? 1 + (double)j : 3 - (double)j;
            response_predict(whole, at, mean, spread);
            assert_true(fabs(mean[j] - truth) < 1e-12 && spread[j] < 1e-7);
            response_predict(forest, at, mean, spread);
            assert_true(fabs(mean[j] - truth) < 0.7 && mean[j] > 0.999 && mean[j] < 3.001);
        }
    }
    response_predictor_free(whole);
    response_predictor_free(forest);
}

enum { INPUTS = 3, UNITS = 4, OUTPUTS = 2 };
static double output_of(const double *weights, const double *x, size_t c)
{
    const double *w1 = weights, *b1 = w1 + UNITS * INPUTS, *w2 = b1 + UNITS, *b2 = w2 + OUTPUTS * UNITS;
    double out = b2[c];
    for (size_t u = 0; u < UNITS; u++) {
        double sum = b1[u];
        for (size_t j = 0; j < INPUTS; j++) sum += w1[u * INPUTS + j] * x[j];
        out += w2[c * UNITS + u] * fmax(0, sum);
    }
    return out;
}

static void the_gradient_of_the_network_is_that_of_its_loss(void **state)
{
    (void)state;
    enum { ROWS = 7, SIZE = UNITS * (INPUTS + 1) + OUTPUTS * (UNITS + 1) };
    double x[ROWS * INPUTS], t[ROWS * OUTPUTS], w[ROWS], weights[SIZE], gradient[SIZE],
        scratch[ROWS * (2 * UNITS + OUTPUTS)];
    struct random random = {4};
    for (size_t i = 0; i < ROWS * INPUTS; i++) x[i] = random_normal(&random);
    for (size_t i = 0; i < ROWS * OUTPUTS; i++) t[i] = random_normal(&random);
    for (size_t i = 0; i < ROWS; i++) w[i] = random_uniform(&random);
    const struct mlp_problem problem = {{INPUTS, UNITS, OUTPUTS}, ROWS, x, t, w, 0.1};
    assert_int_equal(SIZE, mlp_size(&problem.shape));
    assert_int_equal(COUNT_OF(scratch), mlp_scratch(&problem));
    mlp_start(weights, &problem.shape, 1);
    mlp_loss(&problem, weights, gradient, scratch);
    double loss = 0, total = 0;
    for (size_t i = 0; i < ROWS; i++) total += w[i];
    for (size_t i = 0; i < ROWS; i++) /* the loss, written down anew */
        for (size_t c = 0; c < OUTPUTS; c++)
            loss += 0.5 * w[i] / total * pow(output_of(weights, x + i * INPUTS, c) - t[i * OUTPUTS + c], 2);
    for (size_t i = 0; i < SIZE; i++)
        if (i < UNITS * INPUTS || (i >= UNITS * (INPUTS + 1) && i < SIZE - OUTPUTS))
            loss += 0.05 * weights[i] * weights[i];
    assert_true(fabs(loss - mlp_loss(&problem, weights, NULL, scratch)) < 1e-12);
    for (size_t i = 0; i < SIZE; i++) {
        const double was = weights[i], step = 1e-6;
        weights[i] = was + step;
        const double up = mlp_loss(&problem, weights, NULL, scratch);
        weights[i] = was - step;
        const double down = mlp_loss(&problem, weights, NULL, scratch);
        weights[i] = was;
        if (fabs((up - down) / (2 * step) - gradient[i]) > 1e-7)
            fail_msg("weight %zu: %g, not %g", i, gradient[i], (up - down) / (2 * step));
    }
}

static void every_family_that_looks_at_features_beats_the_constant_on_fresh_rows(void **state)
{
    (void)state;
    struct problem p;
    const struct {
        const char *name;
        double most;
    } limits[] = {{"ridge", 0.6}, {"gp", 0.16}, {"forest", 0.45}};
    problem_init(&p, 30, 6, 0.05, 7);
    struct response_predictor *constant = fit_with("constant", &p.data, NULL, 0);
    const double base = error_on_fresh_rows(constant);
    response_predictor_free(constant);
    for (size_t f = 0; f < COUNT_OF(limits); f++) {
        struct response_predictor *own = fit_with(limits[f].name, &p.data, NULL, 0);
        const double error = error_on_fresh_rows(own);
        response_predictor_free(own);
        if (!(error < limits[f].most * base))
            fail_msg("%s: error %g, the constant's is %g", limits[f].name, error, base);
    }
    problem_fini(&p);
}

/* Predictions of a family at some rows of the problem, after a fit with so many threads. */
static void predictions(const struct response_family *family, const struct response_data *data, int threads,
                        double scale, double *out)
{
    struct response_predictor *p;
    struct error err;
    const int before = omp_get_max_threads();
    omp_set_num_threads(threads);
    assert_ok(response_fit(&p, family, data, NULL, &err), &err);
    omp_set_num_threads(before);
    for (size_t i = 0; i < 10; i++) {
        double x[PROBLEM_K];
        for (size_t j = 0; j < PROBLEM_K; j++) x[j] = scale * (0.1 * (double)i + 0.07 * (double)j);
        response_predict(p, x, out + 2 * i * PROBLEM_M, out + (2 * i + 1) * PROBLEM_M);
    }
    response_predictor_free(p);
}

static void every_family_predicts_the_same_bytes_at_any_number_of_threads(void **state)
{
    (void)state;
    struct problem p;
    static double one[20 * PROBLEM_M], other[20 * PROBLEM_M];
    problem_init(&p, 12, 5, 0.1, 11);
    for (size_t f = 0; f < n_response_families; f++) {
        predictions(response_families[f], &p.data, 1, 1, one);
        for (int threads = 2; threads <= 8; threads *= 4) {
            predictions(response_families[f], &p.data, threads, 1, other);
            if (memcmp(one, other, sizeof one) != 0) fail_msg("%s: %d threads", response_families[f]->name, threads);
        }
    }
    problem_fini(&p);
}

static void every_family_ignores_rows_without_weight_units_of_features_and_features_that_do_not_vary(void **state)
{
    (void)state;
    struct problem p;
    static double one[20 * PROBLEM_M], other[20 * PROBLEM_M];
    problem_init(&p, 12, 5, 0.1, 12);
    double *w = malloc(p.data.n * sizeof *w);
    for (size_t i = 0; i < p.data.n; i++) p.x[i * PROBLEM_K + 2] = 7, w[i] = i >= 5; /* group 0 is out */
    struct response_data part = p.data, weighted = p.data;
    part.n -= 5, part.x += 5 * PROBLEM_K, part.z += 5 * PROBLEM_M, part.group += 5;
    weighted.w = w;
    for (size_t f = 0; f < n_response_families; f++) {
        const char *name = response_families[f]->name;
        predictions(response_families[f], &part, 2, 1, one);
        predictions(response_families[f], &weighted, 2, 1, other);
        for (size_t i = 0; i < COUNT_OF(one); i++)
            if (!(fabs(one[i] - other[i]) <= 1e-9))
                fail_msg("%s: weight 0 is not left out: %g, %g", name, one[i], other[i]);
        for (size_t i = 0; i < p.data.n * PROBLEM_K; i++) p.x[i] *= 1024;
        predictions(response_families[f], &part, 2, 1024, other);
        for (size_t i = 0; i < COUNT_OF(one); i++)
            if (!(fabs(one[i] - other[i]) <= 1e-9)) fail_msg("%s depends on units: %g, %g", name, one[i], other[i]);
        for (size_t i = 0; i < p.data.n * PROBLEM_K; i++) p.x[i] /= 1024;
    }
    free(w);
    problem_fini(&p);
}

static void identical_surfaces_are_no_trouble(void **state)
{
    (void)state;
    struct problem p;
    struct error err;
    double mean[PROBLEM_M], spread[PROBLEM_M];
    problem_init(&p, 6, 3, 0, 13);
    for (size_t i = 0; i < p.data.n * PROBLEM_M; i++) p.z[i] = 0.25;
    for (size_t f = 0; f < n_response_families; f++) {
        struct response_predictor *own;
        assert_ok(response_fit(&own, response_families[f], &p.data, NULL, &err), &err);
        response_predict(own, p.x, mean, spread);
        for (size_t j = 0; j < PROBLEM_M; j++)
            if (!(fabs(mean[j] - 0.25) < 1e-6) || !(fabs(spread[j]) < 1e-6))
                fail_msg("%s: %g +- %g", response_families[f]->name, mean[j], spread[j]);
        response_predictor_free(own);
    }
    problem_fini(&p);
}

static void wrong_data_are_refused_with_row_and_feature(void **state)
{
    (void)state;
    double x[4] = {1, 2, 3, 4}, z[6] = {0}, w[2] = {1, 1};
    size_t group[2] = {0, 1};
    uint32_t W[2] = {24, 24};
    struct response_tuple tuples[3] = {{1, 1}, {2, 1}, {2, 2}};
    const struct response_data data = {2, 2, 3, x, z, w, group, 2, W, tuples, two_names};
    struct error err;
    assert_ok(response_data_check(&data, &err), &err);
#define REFUSED(set, reset, says) \
    set; \
    assert_int_equal(-1, response_data_check(&data, &err)); \
    if (!strstr(err.text, says)) fail_msg("%s", err.text); \
    reset
    REFUSED(x[3] = NAN, x[3] = 4, "row 2: feature 'b' is not finite");
    REFUSED(z[4] = INFINITY, z[4] = 0, "row 2: the value at (2, 1) is not finite");
    REFUSED(w[0] = -1, w[0] = 1, "row 1: weight -1, must be 0 or more");
    REFUSED(w[0] = w[1] = 0, w[0] = w[1] = 1, "no row has a weight above 0");
    REFUSED(group[1] = 2, group[1] = 1, "row 2: group 2 of 2");
    REFUSED(W[1] = 0, W[1] = 24, "row 2: 0 warps");
    REFUSED(tuples[2].p = 1, tuples[2].p = 2, "point 2 is (2, 1): tuples ascend");
#undef REFUSED
    const struct response_family *family;
    assert_int_equal(-1, response_family_parse(&family, "forrest", &err));
    if (!strstr(err.hint, "constant, ridge, gp or forest")) fail_msg("%s", err.hint);
}

static void the_choice_takes_the_best_value_with_caution_margin_and_ties(void **state)
{
    (void)state;
    struct response_tuple tuples[PROBLEM_M];
    double mean[PROBLEM_M] = {0}, spread[PROBLEM_M] = {0};
    const struct response_rule plain = {0, 0}, careful = {1, 0}, strict = {0, 0.1};
    for (size_t j = 0; j < PROBLEM_M; j++) tuples[j] = response_point(response_levels, j);
    assert_int_equal(54, response_choose(tuples, PROBLEM_M, mean, NULL, &plain, 24));
    mean[0] = 0.1, mean[1] = 0.05, spread[0] = 0.08;
    assert_int_equal(0, response_choose(tuples, PROBLEM_M, mean, spread, &plain, 24));
    assert_int_equal(1, response_choose(tuples, PROBLEM_M, mean, spread, &careful, 24));
    assert_int_equal(54, response_choose(tuples, PROBLEM_M, mean, spread, &strict, 24));
    assert_int_equal(PROBLEM_M,
                     response_choose(tuples, PROBLEM_M, mean, spread, &strict, 48)); /* (48, 48) is on no lattice */
    mean[2] = 0.1;
    assert_int_equal(2, response_choose(tuples, PROBLEM_M, mean, spread, &plain, 24)); /* (2, 2) before (1, 1) */
    mean[50] = 1;
    assert_int_equal(2, response_choose(tuples, PROBLEM_M, mean, spread, &plain, 16));
    assert_int_equal(50, response_choose(tuples, PROBLEM_M, mean, spread, &plain, 0));
    spread[54] = 100; /* all warps are a certainty */
    mean[54] = 2;
    assert_int_equal(54, response_choose(tuples, PROBLEM_M, mean, spread, &careful, 24));
    assert_true(response_regret(mean, PROBLEM_M, 50) == 1 && response_regret(mean, PROBLEM_M, PROBLEM_M) == 2);
}

static void the_choice_of_the_engine_is_that_of_the_learner(void **state)
{
    (void)state;
    struct response_net net = {.n_levels = 10, .margin = 3};
    struct response_tuple tuples[PROBLEM_M];
    struct random random = {21};
    const struct response_rule rule = {0, 3};
    memcpy(net.levels, response_levels, sizeof net.levels);
    for (size_t j = 0; j < PROBLEM_M; j++) tuples[j] = response_point(response_levels, j);
    for (int trial = 0; trial < 2000; trial++) {
        int32_t z[PROBLEM_M];
        double mean[PROBLEM_M];
        const uint32_t W = 1 + (uint32_t)random_below(&random, 40);
        for (size_t j = 0; j < PROBLEM_M; j++) mean[j] = z[j] = (int32_t)random_below(&random, 8);
        const size_t choice = response_choose(tuples, PROBLEM_M, mean, NULL, &rule, W);
        const struct response_tuple own =
            choice < PROBLEM_M ? response_clamp(tuples[choice], W) : (struct response_tuple){W, W};
        const struct response_tuple engine = response_net_best(&net, z, W);
        if (own.N != engine.N || own.p != engine.p)
            fail_msg("W %u: (%u, %u) and (%u, %u)", W, own.N, own.p, engine.N, engine.p);
    }
}

/* Launches of six points: the model overstates the column `slow`, more where it is large; the last is all warps. */
enum { GROUPS = 12, EACH = 2, POINTS = 6, CORRECTED = GROUPS * EACH * POINTS };
struct overstated {
    double x[CORRECTED][2], y[CORRECTED];
    size_t launch[CORRECTED], group[GROUPS * EACH];
    bool is_all[CORRECTED];
    struct correction_data data;
};
static void overstated_init(struct overstated *o)
{
    static const char *const names[] = {"quick", "slow"};
    struct random random = {5};
    for (size_t i = 0; i < CORRECTED; i++) {
        const size_t launch = i / POINTS;
        const double slow = (double)random_below(&random, 100) / 100;
        o->is_all[i] = i % POINTS == POINTS - 1;
        o->launch[i] = launch, o->group[launch] = launch / EACH;
        o->y[i] = o->is_all[i] ? 0 : (double)random_below(&random, 100) / 200 - 0.2;
        o->x[i][1] = o->is_all[i] ? 0 : slow;
        o->x[i][0] = o->y[i] + (o->is_all[i] ? 0 : slow * slow);
    }
    o->data = (struct correction_data){.n = CORRECTED,
                                       .k = 2,
                                       .n_launches = GROUPS * EACH,
                                       .n_groups = GROUPS,
                                       .x = &o->x[0][0],
                                       .y = o->y,
                                       .launch = o->launch,
                                       .group = o->group,
                                       .is_all = o->is_all,
                                       .names = names,
                                       .base = 0};
}

static void a_correction_chooses_better_on_groups_that_it_has_not_seen(void **state)
{
    struct overstated o;
    struct correction_validation one, four;
    struct error err;
    (void)state;
    overstated_init(&o);
    omp_set_num_threads(1);
    assert_ok(correction_validate(&one, &o.data, &err), &err);
    omp_set_num_threads(4);
    assert_ok(correction_validate(&four, &o.data, &err), &err);
    assert_true(one.plain.regret > 0.05);
    assert_true(one.corrected.regret < 0.7 * one.plain.regret);
    assert_true(one.corrected.part > one.plain.part && one.corrected.part <= 1);
    assert_memory_equal(one.chosen, four.chosen, o.data.n_launches * sizeof *one.chosen);
    assert_true(one.spread == four.spread);
    correction_validation_fini(&one);
    correction_validation_fini(&four);
}

/* Values are 0.1 too high throughout. Gains of one group are less than that, as the others tell: its launches stay. */
static void all_warps_stay_where_a_gain_is_within_the_error_on_other_groups(void **state)
{
    struct overstated o;
    struct correction_validation v;
    struct error err;
    (void)state;
    overstated_init(&o);
    for (size_t i = 0; i < CORRECTED; i++) {
        o.y[i] = o.is_all[i] ? 0 : o.group[o.launch[i]] == 0 ? -0.05 : 0.3;
        o.x[i][0] = o.y[i] + (o.is_all[i] ? 0 : 0.1);
    }
    assert_ok(correction_validate(&v, &o.data, &err), &err);
    assert_true(fabs(v.plain_margin - 0.1) < 1e-9);
    assert_true(fabs(v.plain.worst - exp(-0.05)) < 1e-9 && v.plain.n_below == EACH);
    assert_true(v.with_margin.worst == 1 && v.with_margin.n_below == 0);
    assert_true(fabs(v.with_margin.part - 1) < 1e-9);
    correction_validation_fini(&v);
}

static void a_correction_that_was_written_predicts_the_same_bits(void **state)
{
    struct overstated o;
    struct correction c, again;
    struct error err;
    char path[] = "/tmp/poise-correction-XXXXXX";
    const int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    overstated_init(&o);
    assert_ok(correction_fit(&c, &o.data, &correction_defaults, &err), &err);
    snprintf(c.name, sizeof c.name, "test");
    assert_int_equal(-1, correction_write(&c, path, &err)); /* it does not say what it was learned from */
    c.training = json_pack("{s:s}", "hash", "0");
    assert_ok(correction_write(&c, path, &err), &err);
    assert_ok(correction_read(&again, path, &err), &err);
    for (size_t i = 0; i < CORRECTED; i++)
        assert_true(correction_predict(&c, o.x[i]) == correction_predict(&again, o.x[i]));
    assert_string_equal("slow", again.names[1]);
    correction_fini(&c);
    correction_fini(&again);
    unlink(path);
}

static void a_choice_needs_a_margin_over_all_warps(void **state)
{
    static const double values[] = {0.1, 0.12, 0.12, 0.1};
    (void)state;
    assert_int_equal(1, correction_choose(values, 4, 3, 0.01));
    assert_int_equal(3, correction_choose(values, 4, 3, 0.02));
}

/* OpenBLAS takes a buffer for each thread that calls it at a time, and never returns where there is no room for one. */
static void there_is_room_for_blas_where_there_is_for_every_thread_of_the_team(void **state)
{
    (void)state;
#if POISE_SANITIZED
    skip(); /* it takes terabytes of address space itself */
#endif
    struct rlimit before, little;
    unsigned long pages = 0;
    int alone = 0, among = 0;
#pragma omp parallel num_threads(4) reduction(+ : among)
    among += numerics_has_room(); /* the team's stacks are there from here on */
    assert_int_equal(4, among);
    FILE *in = fopen("/proc/self/statm", "r");
    assert_true(in && fscanf(in, "%lu", &pages) == 1);
    fclose(in);
    assert_int_equal(0, getrlimit(RLIMIT_AS, &before));
    little = (struct rlimit){pages * (rlim_t)sysconf(_SC_PAGESIZE) + (300u << 20), before.rlim_max};
    assert_int_equal(0, setrlimit(RLIMIT_AS, &little)); /* room for two */
    alone = numerics_has_room();
    among = 0;
#pragma omp parallel num_threads(4) reduction(+ : among)
    among += numerics_has_room();
    assert_int_equal(0, setrlimit(RLIMIT_AS, &before));
    assert_true(alone && among == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_constant_weighs_each_group_the_same),
        cmocka_unit_test(linear_surfaces_are_recovered_by_ridge),
        cmocka_unit_test(a_gaussian_process_is_sure_where_it_has_rows_and_unsure_far_away),
        cmocka_unit_test(a_gaussian_process_has_a_length_of_the_root_of_its_features_and_a_noise_of_a_tenth),
        cmocka_unit_test(trees_find_a_step),
        cmocka_unit_test(the_gradient_of_the_network_is_that_of_its_loss),
        cmocka_unit_test(every_family_that_looks_at_features_beats_the_constant_on_fresh_rows),
        cmocka_unit_test(every_family_predicts_the_same_bytes_at_any_number_of_threads),
        cmocka_unit_test(every_family_ignores_rows_without_weight_units_of_features_and_features_that_do_not_vary),
        cmocka_unit_test(identical_surfaces_are_no_trouble),
        cmocka_unit_test(wrong_data_are_refused_with_row_and_feature),
        cmocka_unit_test(the_choice_takes_the_best_value_with_caution_margin_and_ties),
        cmocka_unit_test(a_correction_chooses_better_on_groups_that_it_has_not_seen),
        cmocka_unit_test(all_warps_stay_where_a_gain_is_within_the_error_on_other_groups),
        cmocka_unit_test(a_correction_that_was_written_predicts_the_same_bits),
        cmocka_unit_test(a_choice_needs_a_margin_over_all_warps),
        cmocka_unit_test(there_is_room_for_blas_where_there_is_for_every_thread_of_the_team),
        cmocka_unit_test(the_choice_of_the_engine_is_that_of_the_learner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
