/* One contract for every row of `families`: weights, order, units, offsets, distributions, files, refusals,
 * settings. */
#include "rig.h"
#include "where.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <jansson.h>
#include <math.h>
#include "poise/family.h"

#define ROWS 120
#define COLUMNS 4
static const char *const names[COLUMNS] = {"intercept", "a", "b", "c"};

struct sample {
    double x[2 * ROWS * COLUMNS], y[2 * ROWS], offset[2 * ROWS], weight[2 * ROWS];
};

static void draw(struct sample *s, unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    for (size_t i = 0; i < ROWS; i++) {
        const double a = gsl_ran_gaussian(rng, 1), b = gsl_rng_uniform(rng), c = gsl_ran_gaussian(rng, 20);
        const double row[COLUMNS] = {1, a, b, c};
        for (size_t j = 0; j < COLUMNS; j++) s->x[j * ROWS + i] = row[j];
        s->offset[i] = 0.2 * gsl_ran_gaussian(rng, 1);
        s->y[i] =
            1 + gsl_ran_poisson(rng, exp(1.5 + 0.4 * a - b + 0.02 * c + s->offset[i]) * gsl_ran_gamma(rng, 8, 1.0 / 8));
        s->weight[i] = (double)gsl_rng_uniform_int(rng, 3);
    }
    gsl_rng_free(rng);
}

static struct glm_data data_of(const struct sample *s)
{
    return (struct glm_data){.n = ROWS, .k = COLUMNS, .x = s->x, .y = s->y, .offset = s->offset, .names = names};
}

static struct predictor *fit_ok(const struct family *family, const struct glm_data *data)
{
    struct predictor *p;
    struct error err;
    struct family_settings settings;
    family_defaults(family, &settings);
    if (params_find(family->settings, "tolerance"))
        assert_ok(family_set(family, &settings, "tolerance", "1e-10", &err), &err);
    assert_ok(predictor_fit(&p, family, data, &settings, &err), &err);
    return p;
}

static void row_of(const struct glm_data *data, size_t i, double *x)
{
    for (size_t j = 0; j < data->k; j++) x[j] = data->x[j * data->n + i];
}

static void near(const struct family *family, const char *what, double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * (1 + fabs(b))))
        fail_msg("%s: %s: %.17g and %.17g differ", family->name, what, a, b);
}

static void same_predictions(const struct family *family, const char *what, const struct predictor *p,
                             const struct predictor *q, const struct glm_data *pd, const struct glm_data *qd,
                             double tolerance)
{
    for (size_t i = 0; i < ROWS; i += 7) {
        double x[COLUMNS], z[COLUMNS];
        row_of(pd, i, x);
        row_of(qd, i, z);
        near(family, what, predictor_predict(p, x, 0.1), predictor_predict(q, z, 0.1), tolerance);
    }
}

static void a_row_of_weight_2_is_that_row_twice_and_of_weight_0_is_none(void **state)
{
    (void)state;
    static struct sample s, t;
    draw(&s, 1);
    for (size_t f = 0; f < n_families; f++) {
        struct glm_data weighted = data_of(&s), repeated = data_of(&t);
        weighted.weight = s.weight;
        size_t n = 0;
        for (int pass = 0; pass < 2; pass++) {
            if (pass) repeated.n = n, n = 0;
            for (size_t i = 0; i < ROWS; i++)
                for (double copy = 0; copy < s.weight[i]; copy++, n++) {
                    if (!pass) continue;
                    t.y[n] = s.y[i];
                    t.offset[n] = s.offset[i];
                    for (size_t j = 0; j < COLUMNS; j++) t.x[j * repeated.n + n] = s.x[j * ROWS + i];
                }
        }
        struct predictor *p = fit_ok(families[f], &weighted), *q = fit_ok(families[f], &repeated);
        same_predictions(families[f], "weights", p, q, &weighted, &weighted, 1e-6);
        for (size_t i = 0; i < ROWS; i += 17) { /* and the distribution around a prediction */
            double x[COLUMNS];
            row_of(&weighted, i, x);
            for (double u = 0.02; u < 1; u += 0.12) {
                const double y = predictor_quantile(p, x, 0.1, u);
                near(families[f], "quantile", y, predictor_quantile(q, x, 0.1, u), 1e-6);
                const double near_y = y + 1e-7 * fabs(y); /* beside the steps of repeated residuals */
                near(families[f], "probability", predictor_cdf(p, x, 0.1, near_y), predictor_cdf(q, x, 0.1, near_y),
                     2e-6);
            }
        }
        predictor_free(p);
        predictor_free(q);
    }
}

static void rows_may_come_in_any_order(void **state)
{
    (void)state;
    static struct sample s, t;
    draw(&s, 2);
    for (size_t i = 0; i < ROWS; i++) { /* 7 and 120 have no common divisor */
        const size_t to = (i * 7 + 3) % ROWS;
        t.y[to] = s.y[i], t.offset[to] = s.offset[i];
        for (size_t j = 0; j < COLUMNS; j++) t.x[j * ROWS + to] = s.x[j * ROWS + i];
    }
    for (size_t f = 0; f < n_families; f++) {
        const struct glm_data a = data_of(&s), b = data_of(&t);
        struct predictor *p = fit_ok(families[f], &a), *q = fit_ok(families[f], &b);
        same_predictions(families[f], "order", p, q, &a, &a, 1e-6);
        predictor_free(p);
        predictor_free(q);
    }
}

static void columns_may_come_in_any_unit(void **state)
{
    (void)state;
    static struct sample s, t;
    draw(&s, 3);
    t = s;
    for (size_t i = 0; i < ROWS; i++) t.x[1 * ROWS + i] *= 1e6, t.x[2 * ROWS + i] *= -1e-5, t.x[3 * ROWS + i] *= 3;
    for (size_t f = 0; f < n_families; f++) {
        const struct glm_data a = data_of(&s), b = data_of(&t);
        struct predictor *p = fit_ok(families[f], &a), *q = fit_ok(families[f], &b);
        same_predictions(families[f], "units", p, q, &a, &b, 1e-6);
        predictor_free(p);
        predictor_free(q);
    }
}

static void an_offset_multiplies_the_prediction(void **state)
{
    (void)state;
    static struct sample s;
    draw(&s, 4);
    for (size_t f = 0; f < n_families; f++) {
        const struct glm_data data = data_of(&s);
        struct predictor *p = fit_ok(families[f], &data);
        double x[COLUMNS];
        row_of(&data, 5, x);
        near(families[f], "offset", predictor_predict(p, x, 0.7 + 0.25), exp(0.7) * predictor_predict(p, x, 0.25),
             1e-12);
        predictor_free(p);
    }
}

static void the_distribution_is_one_and_the_quantile_inverts_it(void **state)
{
    (void)state;
    static struct sample s;
    draw(&s, 5);
    for (size_t f = 0; f < n_families; f++) {
        const struct glm_data data = data_of(&s);
        struct predictor *p = fit_ok(families[f], &data);
        for (size_t i = 0; i < ROWS; i += 11) {
            double x[COLUMNS], last = -INFINITY, before = 0;
            row_of(&data, i, x);
            for (double y = -2; y < 200; y += y < 20 ? 0.5 : 9) {
                const double c = predictor_cdf(p, x, 0, y);
                if (!(c >= before - 1e-12 && c <= 1))
                    fail_msg("%s: cdf %g after %g at %g", families[f]->name, c, before, y);
                before = c;
            }
            for (double probability = 0.05; probability < 0.96; probability += 0.05) {
                const double q = predictor_quantile(p, x, 0, probability);
                if (!(q >= last)) fail_msg("%s: the quantile falls", families[f]->name);
                if (families[f]->is_discrete) {
                    if (q != floor(q)) fail_msg("%s: quantile %g is no count", families[f]->name, q);
                    assert_true(predictor_cdf(p, x, 0, q) >= probability &&
                                (q == 0 || predictor_cdf(p, x, 0, q - 1) < probability));
                } else if (predictor_cdf(p, x, 0, q * (1 + 1e-9) + 1e-9) < probability - 0.02) {
                    fail_msg("%s: cdf(quantile(%g)) is %g", families[f]->name, probability, predictor_cdf(p, x, 0, q));
                }
                last = q;
            }
        }
        predictor_free(p);
    }
}

static void a_saved_and_loaded_predictor_predicts_the_same_bits(void **state)
{
    (void)state;
    static struct sample s;
    draw(&s, 6);
    for (size_t f = 0; f < n_families; f++) {
        const struct glm_data data = data_of(&s);
        struct predictor *p = fit_ok(families[f], &data), *q;
        struct error err;
        const char *path = POISE_BINARY_DIR "/test_families.json";
        assert_ok(predictor_write(p, path, &err), &err);
        assert_ok(predictor_read(&q, path, &err), &err);
        assert_ptr_equal(families[f], predictor_family(q));
        for (size_t j = 0; j < COLUMNS; j++) assert_string_equal(names[j], predictor_column(q, j));
        for (size_t i = 0; i < ROWS; i++) {
            double x[COLUMNS];
            row_of(&data, i, x);
            assert_true(predictor_predict(p, x, 0.3) == predictor_predict(q, x, 0.3));
            assert_true(predictor_quantile(p, x, 0.3, 0.9) == predictor_quantile(q, x, 0.3, 0.9));
            assert_true(predictor_cdf(p, x, 0.3, 4) == predictor_cdf(q, x, 0.3, 4));
        }
        predictor_free(p);
        predictor_free(q);
        remove(path);
    }
}

static void every_family_that_uses_its_columns_beats_the_mean(void **state)
{
    (void)state;
    static struct sample s, fresh;
    draw(&s, 7);
    draw(&fresh, 8);
    for (size_t f = 0; f < n_families; f++) {
        const struct glm_data data = data_of(&s), held = data_of(&fresh);
        struct predictor *p = fit_ok(families[f], &data), *mean = fit_ok(family_find("mean"), &data);
        double own = 0, of_mean = 0;
        for (size_t i = 0; i < ROWS; i++) {
            double x[COLUMNS];
            row_of(&held, i, x);
            own += fabs(fresh.y[i] - predictor_predict(p, x, fresh.offset[i]));
            of_mean += fabs(fresh.y[i] - predictor_predict(mean, x, fresh.offset[i]));
        }
        if (strcmp(families[f]->name, "mean") != 0 && !(own < of_mean))
            fail_msg("%s: %g, the mean %g", families[f]->name, own, of_mean);
        predictor_free(p);
        predictor_free(mean);
    }
}

static void values_that_are_not_finite_are_refused_with_their_place(void **state)
{
    (void)state;
    static struct sample s;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const long lines[ROWS] = {[9] = 11};
    for (size_t f = 0; f < n_families; f++)
        for (size_t b = 0; b < COUNT_OF(bad); b++)
            for (int where = 0; where < 4; where++) {
                struct predictor *p;
                struct error err;
                draw(&s, 9);
                struct glm_data data = data_of(&s);
                data.weight = s.weight, data.source = "data.csv", data.lines = lines;
                double *const places[] = {&s.x[2 * ROWS + 9], &s.y[9], &s.offset[9], &s.weight[9]};
                *places[where] = bad[b];
                assert_int_equal(-1, predictor_fit(&p, families[f], &data, NULL, &err));
                assert_null(p);
                if (!strstr(err.text, "data.csv:11")) fail_msg("%s: %s", families[f]->name, err.text);
            }
}

static void every_setting_has_words_and_a_source_and_unknown_ones_are_refused(void **state)
{
    (void)state;
    for (size_t f = 0; f < n_families; f++) {
        struct family_settings settings;
        struct error err;
        const struct param_table *table = families[f]->settings;
        assert_true(table->size <= sizeof settings);
        for (size_t r = 0; r < table->n_rows; r++) {
            char text[64];
            assert_true(strlen(table->rows[r].doc) > 5 && strlen(table->rows[r].source) > 3);
            family_defaults(families[f], &settings);
            params_text(&table->rows[r], &settings, text, sizeof text);
            assert_ok(family_set(families[f], &settings, table->rows[r].name, text, &err), &err);
        }
        for (size_t a = 0; a < families[f]->n_axes; a++)
            for (size_t v = 0; v < families[f]->axes[a].n; v++)
                assert_ok(family_set(families[f], &settings, families[f]->axes[a].setting,
                                     families[f]->axes[a].values[v], &err),
                          &err);
        assert_int_equal(-1, family_set(families[f], &settings, "colour", "1", &err));
        assert_ptr_equal(families[f], family_find(families[f]->name));
    }
}

static void log_linear_families_predict_exp_of_their_weights(void **state)
{
    (void)state;
    static struct sample s;
    size_t linear = 0;
    draw(&s, 10);
    for (size_t f = 0; f < n_families; f++) {
        const struct glm_data data = data_of(&s);
        struct predictor *p = fit_ok(families[f], &data);
        const double *w = predictor_weights(p);
        double x[COLUMNS], eta = 0.25;
        assert_true((w != NULL) == families[f]->is_log_linear);
        row_of(&data, 3, x);
        for (size_t j = 0; w && j < COLUMNS; j++) eta += w[j] * x[j];
        if (w) near(families[f], "weights", exp(eta), predictor_predict(p, x, 0.25), 1e-12), linear++;
        predictor_free(p);
    }
    assert_int_equal(4, linear);
}

/* What a program that has nothing of ours but the header prints for three rows. */
static void predictions_of_the_header(const struct predictor *p, const struct glm_data *data, double out[3])
{
    static const char includes[] = "#include \"test_families_export.h\"\n#include <stdio.h>\nint main(void)\n{\n";
    struct error err;
    FILE *header = fopen(POISE_BINARY_DIR "/test_families_export.h", "w"),
         *source = fopen(POISE_BINARY_DIR "/test_families_export.c", "w");
    assert_true(header && source);
    assert_ok(predictor_write_header(p, header, &err), &err);
    fclose(header);
    fputs(includes, source);
    for (size_t i = 0; i < 3; i++) {
        double x[COLUMNS];
        row_of(data, i, x);
        fprintf(source, "    const double x%zu[] = {%a, %a, %a, %a};\n    printf(\"%%.17g\\n\", predict(x%zu%s));\n", i,
                x[0], x[1], x[2], x[3], i, predictor_has_offset(p) ? ", 0.3" : "");
    }
    fputs("    return 0;\n}\n", source);
    fclose(source);
    assert_int_equal(
        0, system("cc -std=c17 -Wall -Wextra -Werror -fsyntax-only -x c " POISE_BINARY_DIR "/test_families_export.h"));
    assert_int_equal(0, system("cd " POISE_BINARY_DIR
                               " && cc -std=c17 -ffp-contract=off -Wall -Wextra -Werror -o test_families_export.bin "
                               "test_families_export.c -lm"));
    FILE *said = popen(POISE_BINARY_DIR "/test_families_export.bin", "r");
    assert_non_null(said);
    for (size_t i = 0; i < 3; i++) assert_int_equal(1, fscanf(said, "%lf", &out[i]));
    pclose(said);
    assert_int_equal(0, system("cd " POISE_BINARY_DIR
                               " && rm test_families_export.h test_families_export.c test_families_export.bin"));
}

static void header_predicts_the_same(const struct family *family, const char *setting, const char *value,
                                     bool has_offset)
{
    static struct sample s;
    struct family_settings settings;
    struct predictor *p;
    struct error err;
    double from_header[3], x[COLUMNS];
    draw(&s, 5);
    struct glm_data data = data_of(&s);
    if (!has_offset) data.offset = NULL;
    family_defaults(family, &settings);
    if (setting) assert_ok(family_set(family, &settings, setting, value, &err), &err);
    assert_ok(predictor_fit(&p, family, &data, &settings, &err), &err);
    predictions_of_the_header(p, &data, from_header);
    for (size_t i = 0; i < 3; i++) {
        row_of(&data, i, x);
        near(family, "the exported header", from_header[i], predictor_predict(p, x, has_offset ? 0.3 : 0), 1e-13);
    }
    predictor_free(p);
}

static void an_exported_header_compiles_alone_and_predicts_the_same_and_knn_says_why_it_has_none(void **state)
{
    (void)state;
    static struct sample s;
    struct error err;
    char *text;
    size_t size;
    for (size_t f = 0; f < n_families; f++)
        if (strcmp(families[f]->name, "knn") != 0) header_predicts_the_same(families[f], NULL, NULL, f % 2);
    header_predicts_the_same(family_find("svr"), "kernel", "linear", true);
    header_predicts_the_same(family_find("svr"), "target", "log", false);
    draw(&s, 5);
    const struct glm_data data = data_of(&s);
    struct predictor *p = fit_ok(family_find("knn"), &data);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(-1, predictor_write_header(p, out, &err));
    assert_int_equal(ERR_USAGE, err.code);
    assert_non_null(strstr(err.text, "searches all its training rows"));
    fclose(out);
    free(text);
    predictor_free(p);
}

/* Of whole weights both meanings exist: a precision of 1 is no weight, and a common factor changes no prediction. */
static void precision_weights_keep_a_row_one_observation_and_fractions_need_their_name(void **state)
{
    (void)state;
    static struct sample s;
    draw(&s, 9);
    for (size_t f = 0; f < n_families; f++) {
        struct glm_data plain = data_of(&s), weighted = plain;
        struct predictor *p = fit_ok(families[f], &plain), *q = NULL;
        struct error err;
        const bool is_svr = strstr(families[f]->name, "svr") != NULL;
        weighted.weight = s.weight;
        for (size_t i = 0; i < ROWS; i++) s.weight[i] = 0.5;
        if (predictor_fit(&q, families[f], &weighted, NULL, &err) == 0)
            fail_msg("%s: a frequency of 0.5", families[f]->name);
        assert_non_null(strstr(err.text, "a whole number"));
        assert_non_null(strstr(err.hint, "precision"));
        weighted.weights = WEIGHTS_PRECISION;
        if (is_svr) assert_int_equal(-1, predictor_fit(&q, families[f], &weighted, NULL, &err));
        if (is_svr) assert_non_null(strstr(err.text, "libsvm has no precision weights"));
        for (size_t i = 0; i < ROWS && is_svr; i++) s.weight[i] = 1;
        q = fit_ok(families[f], &weighted);
        if (strcmp(families[f]->name, "ridge") != 0) /* its penalty is against the weights */
            same_predictions(families[f], "precision", p, q, &plain, &plain, 1e-6);
        predictor_free(p);
        predictor_free(q);
    }
}

static void an_offset_that_is_no_logarithm_is_refused_by_every_family(void **state)
{
    (void)state;
    static struct sample s;
    draw(&s, 10);
    for (size_t f = 0; f < n_families; f++)
        for (int kind = 0; kind < 4; kind++) {
            struct glm_data data = data_of(&s);
            struct predictor *p;
            struct error err;
            data.source = "d.csv";
            for (size_t i = 0; i < ROWS; i++)
                s.offset[i] = kind == 0   ? 1e5 + 900.0 * (double)i
                              : kind == 1 ? 120 + (double)(i % 40)
                              : kind == 2 ? 1 + (double)(i % 50)
                                          : -300;
            if (predictor_fit(&p, families[f], &data, NULL, &err) == 0)
                fail_msg("%s: offset kind %d", families[f]->name, kind);
            if (!strstr(err.text, "d.csv: row ") || !strstr(err.text, "no logarithm of an exposure"))
                fail_msg("%s: %s", families[f]->name, err.text);
            if (kind < 3) assert_string_equal("did you mean log(offset)?", err.hint);
        }
}

static void a_predictor_knows_from_its_file_whether_it_was_trained_with_an_offset(void **state)
{
    (void)state;
    static struct sample s;
    draw(&s, 11);
    for (size_t f = 0; f < n_families; f++)
        for (int has = 0; has < 2; has++) {
            struct glm_data data = data_of(&s);
            struct predictor *q;
            struct error err;
            if (!has) data.offset = NULL;
            struct predictor *p = fit_ok(families[f], &data);
            assert_ok(predictor_write(p, POISE_BINARY_DIR "/test_families_offset.json", &err), &err);
            assert_ok(predictor_read(&q, POISE_BINARY_DIR "/test_families_offset.json", &err), &err);
            remove(POISE_BINARY_DIR "/test_families_offset.json");
            assert_true(predictor_has_offset(p) == has && predictor_has_offset(q) == has);
            predictor_free(p);
            predictor_free(q);
        }
}

/* Quantiles used to end at 4e9. */
static void quantiles_of_counts_of_1e12_are_where_their_probability_is(void **state)
{
    (void)state;
    static const char *const columns[] = {"intercept"};
    double x[40], y[40];
    for (size_t i = 0; i < 40; i++) x[i] = 1, y[i] = floor(1e12 * (0.4 + (double)i / 20));
    const struct glm_data data = {.n = 40, .k = 1, .x = x, .y = y, .names = columns};
    struct predictor *p = fit_ok(family_find("nb2"), &data);
    for (double u = 0.05; u < 1; u += 0.15) {
        const double q = predictor_quantile(p, x, 0, u);
        assert_true(q > 1e11 && q < 1e13);
        if (!(fabs(predictor_cdf(p, x, 0, q) - u) < 1e-9)) fail_msg("%g: %.17g", u, q);
    }
    predictor_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_weight_2_is_that_row_twice_and_of_weight_0_is_none),
        cmocka_unit_test(precision_weights_keep_a_row_one_observation_and_fractions_need_their_name),
        cmocka_unit_test(an_offset_that_is_no_logarithm_is_refused_by_every_family),
        cmocka_unit_test(a_predictor_knows_from_its_file_whether_it_was_trained_with_an_offset),
        cmocka_unit_test(quantiles_of_counts_of_1e12_are_where_their_probability_is),
        cmocka_unit_test(rows_may_come_in_any_order),
        cmocka_unit_test(columns_may_come_in_any_unit),
        cmocka_unit_test(an_offset_multiplies_the_prediction),
        cmocka_unit_test(the_distribution_is_one_and_the_quantile_inverts_it),
        cmocka_unit_test(a_saved_and_loaded_predictor_predicts_the_same_bits),
        cmocka_unit_test(every_family_that_uses_its_columns_beats_the_mean),
        cmocka_unit_test(values_that_are_not_finite_are_refused_with_their_place),
        cmocka_unit_test(every_setting_has_words_and_a_source_and_unknown_ones_are_refused),
        cmocka_unit_test(log_linear_families_predict_exp_of_their_weights),
        cmocka_unit_test(an_exported_header_compiles_alone_and_predicts_the_same_and_knn_says_why_it_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
