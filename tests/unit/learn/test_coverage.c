/* Tables of samplings, and distances from a training set, against closed forms. */
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include "poise/coverage.h"
#include "poise/response_table.h"

/* ---- tables ---- */

static const char head[] = "launch,trace,family,split,sampling,state,W,weight,a,b,z_1_1,z_2_1,z_2_2\n";

static int parse(struct response_table *t, const char *rows, struct error *err)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", head, rows);
    return response_table_parse(t, "t.csv", text, strlen(text), err);
}

static void a_table_is_read(void **state)
{
    struct response_table t;
    struct error err;
    (void)state;
    assert_ok(parse(&t,
                    "x/0,00,rows,training,2:1 / W:W,0,24,0.5,1,2,0.1,0.2,0\n"
                    "x/0,00,rows,training,2:1 / W:W,1,24,0.5,3,4,0.3,0.4,0\n"
                    "y/0,01,tiles,,2:1 / W:W,0,8,1,5,6,0.5,0.6,0\n",
                    &err),
              &err);
    assert_int_equal(3, t.data.n);
    assert_int_equal(2, t.data.k);
    assert_int_equal(3, t.data.m);
    assert_int_equal(2, t.data.n_groups);
    assert_string_equal("tiles", t.families.names[t.data.group[2]]);
    assert_string_equal("", t.split[2]);
    assert_string_equal("2:1 / W:W", t.sampling);
    assert_int_equal(1, t.state[1]);
    assert_int_equal(8, t.data.W[2]);
    assert_true(t.data.x[2 * 2 + 1] == 6 && t.data.z[1 * 3 + 1] == 0.4 && t.data.w[1] == 0.5);
    assert_true(t.data.tuples[1].N == 2 && t.data.tuples[1].p == 1);
    response_table_fini(&t);
}

static void bad_tables_are_refused(void **state)
{
    static const struct {
        const char *rows, *text;
    } bad[] = {
        {"x/0,00,rows,training,s,0,24,1,much,2,0.1,0.2,0\n", "t.csv:2: a: 'much' is no number"},
        {"x/0,00,rows,training,s,0,24,1,1,2,0.1,,0\n", "t.csv:2: z_2_1: '' is no number"},
        {"x/0,00,rows,training,s,0,65,1,1,2,0.1,0.2,0\n", "t.csv:2: W: 1 to 64"},
        {"x/0,00,rows,training,s,-1,24,1,1,2,0.1,0.2,0\n", "t.csv:2: state"},
        {"x/0,00,,training,s,0,24,1,1,2,0.1,0.2,0\n", "t.csv:2: family"},
        {"x/0,00,r,training,s,0,24,1,1,2,0.1,0.2,0\ny/0,00,r,training,u,0,24,1,1,2,0.1,0.2,0\n",
         "t.csv:3: sampling 'u'"},
        {"x/0,00,r,training,s,0,24,1,1,2,0.1,0.2,0\nx/0,00,r,training,s,0,24,1,1,2,0.1,0.2,0\n", "for the second time"},
        {"x/0,00,r,training,s,0,24,-1,1,2,0.1,0.2,0\n", "weight"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct response_table t;
        struct error err;
        if (parse(&t, bad[i].rows, &err) == 0) fail_msg("%s: not refused", bad[i].rows);
        if (!strstr(err.text, bad[i].text)) fail_msg("'%s' lacks '%s'", err.text, bad[i].text);
    }
    struct response_table t;
    struct error err;
    assert_int_equal(-1, response_table_parse(&t, "t.csv", "a,b\n1,2\n", 8, &err));
    assert_non_null(strstr(err.text, "no column 'launch'"));
}

/* ---- distances ---- */

enum { ROWS = 400, K = 3 };
struct cloud {
    double x[(ROWS + 2) * K];
    size_t group[ROWS + 2];
    bool in[ROWS + 2];
    struct response_data data;
};

/* Independent normal features with deviations 1, 2 and 4 around 10, each row its own group; two rows outside. */
static void cloud_of(struct cloud *c)
{
    struct random random = {7};
    *c = (struct cloud){.data = {.n = ROWS + 2, .k = K, .n_groups = ROWS + 2}};
    for (size_t i = 0; i < ROWS + 2; i++) {
        for (size_t j = 0; j < K; j++) c->x[i * K + j] = 10 + (double)(1 << j) * random_normal(&random);
        c->group[i] = i;
        c->in[i] = i < ROWS;
    }
    c->data.x = c->x;
    c->data.group = c->group;
}

static void distance_is_in_standard_deviations(void **state)
{
    static struct cloud c;
    struct coverage coverage;
    struct error err;
    (void)state;
    cloud_of(&c);
    assert_ok(coverage_init(&coverage, &c.data, c.in, &err), &err);
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++) sum += pow(coverage_mahalanobis(&coverage, c.x + i * K), 2) / ROWS;
    assert_true(fabs(sum - K) < 0.02 * K); /* the mean square is the number of features, but for the shrinkage */
    const double far[K] = {10, 10, 10 + 4 * 8};
    assert_true(fabs(coverage_mahalanobis(&coverage, far) - 8) < 0.8);
    struct coverage_own own;
    assert_ok(coverage_own(&own, &coverage, &c.data, c.in, 0.99, &err), &err);
    assert_true(fabs(own.mahalanobis - 3.368) < 0.35); /* sqrt of chi-squared's 0.99 quantile with 3 degrees: 11.345 */
    assert_true(own.nearest < own.mahalanobis && own.nearest > 0);
}

static void correlated_features_count_once(void **state)
{
    static struct cloud c;
    struct coverage coverage;
    struct error err;
    (void)state;
    cloud_of(&c);
    for (size_t i = 0; i < ROWS + 2; i++) c.x[i * K + 1] = c.x[i * K]; /* the same feature twice */
    assert_ok(coverage_init(&coverage, &c.data, c.in, &err), &err);
    const double along[K] = {13, 13, 10}, across[K] = {13, 7, 10};
    assert_true(fabs(coverage_mahalanobis(&coverage, along) - 3) < 0.4);
    assert_true(coverage_mahalanobis(&coverage, across) > 10);
}

static void the_nearest_row_is_found(void **state)
{
    static struct cloud c;
    struct coverage coverage;
    struct error err;
    size_t row;
    (void)state;
    cloud_of(&c);
    assert_ok(coverage_init(&coverage, &c.data, c.in, &err), &err);
    assert_true(coverage_nearest(&coverage, &c.data, c.in, c.x + 5 * K, SIZE_MAX, &row) == 0);
    assert_int_equal(5, row);
    assert_true(coverage_nearest(&coverage, &c.data, c.in, c.x + 5 * K, 5, &row) > 0);
    assert_int_not_equal(5, row);
    memcpy(c.x + ROWS * K, c.x + 9 * K, K * sizeof(double));
    c.x[ROWS * K + 2] += 1e-3;
    assert_true(fabs(coverage_nearest(&coverage, &c.data, c.in, c.x + ROWS * K, SIZE_MAX, &row) -
                     1e-3 / coverage.sd[2]) < 1e-9);
    assert_int_equal(9, row);
}

static void groups_weigh_the_same(void **state)
{
    const double x[] = {0, 0, 0, 0, 0, 0, 4};
    const size_t group[] = {0, 0, 0, 0, 0, 0, 1};
    const bool in[] = {1, 1, 1, 1, 1, 1, 1}, one[] = {1, 1, 1, 1, 1, 1, 0};
    const struct response_data d = {.n = 7, .k = 1, .n_groups = 2, .x = x, .group = group};
    struct coverage c;
    struct error err;
    (void)state;
    assert_ok(coverage_init(&c, &d, in, &err), &err);
    assert_true(fabs(c.mean[0] - 2) < 1e-12 && fabs(c.sd[0] - 2) < 1e-12);
    assert_int_equal(-1, coverage_init(&c, &d, one, &err));
    assert_non_null(strstr(err.text, "at least two"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_read),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(distance_is_in_standard_deviations),
        cmocka_unit_test(correlated_features_count_once),
        cmocka_unit_test(the_nearest_row_is_found),
        cmocka_unit_test(groups_weigh_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
