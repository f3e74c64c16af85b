/* Learners of response surfaces against scikit-learn's answers in tests/reference/response. */
#include "rig.h"
#include "where.h"

#include <jansson.h>
#include <math.h>
#include "response_parts.h"

enum { N = 60, K = 4, M = 6, NEW = 12 };
static const struct response_tuple tuples[M] = {{1, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 4}};
static const char *const names[K] = {"a", "b", "c", "d"};
static double x[N * K], z[N * M], fresh[NEW * K], weights[N], ones[N];
static size_t group[N];
static json_t *oracle;

static void read_rows(const json_t *list, size_t rows, size_t columns, double *out)
{
    assert_int_equal(rows, json_array_size(list));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const json_t *row = json_array_get(list, i);
            out[i * columns + j] = json_number_value(json_is_array(row) ? json_array_get(row, j) : row);
        }
}

static int load(void **state)
{
    (void)state;
    oracle = json_load_file(POISE_SOURCE_DIR "/tests/reference/response/response.json", 0, NULL);
    if (!oracle) return -1;
    read_rows(json_object_get(oracle, "x"), N, K, x);
    read_rows(json_object_get(oracle, "z"), N, M, z);
    read_rows(json_object_get(oracle, "new"), NEW, K, fresh);
    read_rows(json_object_get(oracle, "weights"), N, 1, weights);
    for (size_t i = 0; i < N; i++) {
        group[i] = (size_t)json_integer_value(json_array_get(json_object_get(oracle, "group"), i));
        ones[i] = 1;
    }
    return 0;
}
static int unload(void **state)
{
    (void)state;
    json_decref(oracle);
    return 0;
}

static struct response_data data_with(const double *w)
{
    return (struct response_data){.n = N,
                                  .k = K,
                                  .m = M,
                                  .x = x,
                                  .z = z,
                                  .w = w,
                                  .group = group,
                                  .n_groups = 10,
                                  .tuples = tuples,
                                  .names = names};
}

static void near(const char *what, double ours, double theirs, double tolerance)
{
    if (!(fabs(ours - theirs) <= tolerance)) fail_msg("%s: %.15g, scikit-learn has %.15g", what, ours, theirs);
}

/* Fits with settings "key=value" and compares predictions at the new rows; spread[NEW * M] may be NULL. */
static void compare(const char *family, const double *w, const char *const (*settings)[2], size_t n_settings,
                    const json_t *predicted, double tolerance, double *spread)
{
    const struct response_data data = data_with(w);
    const struct response_family *own = response_family_find(family);
    struct family_settings chosen;
    struct response_predictor *p;
    struct error err;
    double expected[NEW * M], mean[M];
    response_defaults(own, &chosen);
    for (size_t s = 0; s < n_settings; s++)
        assert_ok(response_set(own, &chosen, settings[s][0], settings[s][1], &err), &err);
    assert_ok(response_fit(&p, own, &data, &chosen, &err), &err);
    read_rows(predicted, NEW, M, expected);
    for (size_t i = 0; i < NEW; i++) {
        response_predict(p, fresh + i * K, mean, spread ? spread + i * M : NULL);
        for (size_t j = 0; j < M; j++) near(family, mean[j], expected[i * M + j], tolerance);
    }
    response_predictor_free(p);
}

static void weighted_ridge_equals_scikit_learn(void **state)
{
    (void)state;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(oracle, "ridge"), i, row) {
        char lambda[32];
        snprintf(lambda, sizeof lambda, "%g", json_number_value(json_object_get(row, "lambda")));
        const char *const settings[][2] = {{"lambda", lambda}};
        compare("ridge", weights, settings, 1, json_object_get(row, "predicted"), 1e-10, NULL);
    }
}

static void principal_components_equal_scikit_learn(void **state)
{
    (void)state;
    struct response_basis basis;
    struct error err;
    double mean[M], components[3 * M], variances[3];
    const json_t *pca = json_object_get(oracle, "pca");
    read_rows(json_object_get(pca, "mean"), M, 1, mean);
    read_rows(json_object_get(pca, "components"), 3, M, components);
    read_rows(json_object_get(pca, "variances"), 3, 1, variances);
    assert_ok(response_basis_init(&basis, z, ones, N, M, 3, &err), &err);
    assert_int_equal(3, basis.r);
    for (size_t c = 0; c < 3; c++) {
        double dot = 0;
        for (size_t j = 0; j < M; j++) dot += basis.vectors[c * M + j] * components[c * M + j];
        near("variance", basis.values[c], variances[c], 1e-10);
        for (size_t j = 0; j < M; j++)
            near("component", basis.vectors[c * M + j], copysign(1, dot) * components[c * M + j], 1e-9);
    }
    for (size_t j = 0; j < M; j++) near("mean", basis.mean[j], mean[j], 1e-12);
}

static void the_gaussian_process_equals_scikit_learn_at_fixed_parameters(void **state)
{
    (void)state;
    const json_t *gp = json_object_get(oracle, "gp");
    const char *const settings[][2] = {{"length", "1.7"}, {"noise", "0.02"}};
    double spread[NEW * M], deviation[NEW];
    compare("gp", NULL, settings, 2, json_object_get(gp, "predicted"), 1e-9, spread);
    read_rows(json_object_get(gp, "deviation"), NEW, 1, deviation);
    for (size_t i = 0; i < NEW; i++) /* theirs has amplitude 1 */
        for (size_t j = 0; j < M; j++) near("spread", spread[i * M + j] / spread[j], deviation[i] / deviation[0], 1e-7);
}

static void the_marginal_likelihood_is_maximised_where_scikit_learn_finds_it(void **state)
{
    (void)state;
    const char *const settings[][2] = {{"likelihood", "true"}, {"iterations", "500"}, {"ard", "true"}};
    compare("gp", NULL, settings, 2, json_object_get(json_object_get(oracle, "gp_isotropic"), "predicted"), 2e-4, NULL);
    compare("gp", NULL, settings, 3, json_object_get(json_object_get(oracle, "gp_ard"), "predicted"), 2e-3, NULL);
}

/* Standardised rows as the tree of scikit-learn saw them. */
static void grow(struct tree *tree, const struct response_rows *rows, const double *w, const size_t *order, size_t n,
                 size_t depth, size_t min_leaf)
{
    struct error err;
    uint32_t by_feature[N * K];
    const struct tree_data data = {N, K, M, rows->x, rows->z, w, by_feature};
    const struct tree_options options = {depth, min_leaf, 0, NULL};
    assert_ok(tree_sort(by_feature, rows->x, N, K, &err), &err);
    assert_ok(tree_grow(tree, &data, order, n, &options, &err), &err);
}

static void compare_tree(const struct response_rows *rows, const double *w, const json_t *row, const char *key)
{
    struct tree tree;
    size_t order[N];
    double expected[NEW * M], own[K];
    for (size_t i = 0; i < N; i++) order[i] = i;
    grow(&tree, rows, w, order, N, (size_t)json_integer_value(json_object_get(row, "depth")),
         (size_t)json_integer_value(json_object_get(row, "min_leaf")));
    read_rows(json_object_get(row, key), NEW, M, expected);
    for (size_t i = 0; i < NEW; i++) {
        response_scaler_apply(&rows->scaler, fresh + i * K, own);
        const double *leaf = tree_predict(&tree, own);
        for (size_t j = 0; j < M; j++) near(key, leaf[j], expected[i * M + j], 1e-10);
    }
    tree_fini(&tree);
}

static void single_trees_equal_scikit_learn(void **state)
{
    (void)state;
    const struct response_data data = data_with(NULL);
    struct response_rows rows;
    struct error err;
    size_t i;
    json_t *row;
    assert_ok(response_rows_init(&rows, &data, &err), &err);
    json_array_foreach(json_object_get(oracle, "tree"), i, row) {
        compare_tree(&rows, ones, row, "predicted");
        compare_tree(&rows, weights, row, "weighted");
    }
    response_rows_fini(&rows);
}

static void a_forest_of_given_samples_equals_scikit_learn(void **state)
{
    (void)state;
    const struct response_data data = data_with(NULL);
    const json_t *forest = json_object_get(oracle, "forest"), *samples = json_object_get(forest, "samples");
    const size_t trees = json_array_size(samples);
    struct response_rows rows;
    struct error err;
    double expected[NEW * M], sum[NEW * M] = {0}, own[K];
    assert_ok(response_rows_init(&rows, &data, &err), &err);
    assert_int_equal(7, trees);
    for (size_t t = 0; t < trees; t++) {
        struct tree tree;
        size_t order[N];
        for (size_t i = 0; i < N; i++)
            order[i] = (size_t)json_integer_value(json_array_get(json_array_get(samples, t), i));
        grow(&tree, &rows, ones, order, N, (size_t)json_integer_value(json_object_get(forest, "depth")), 1);
        for (size_t i = 0; i < NEW; i++) {
            response_scaler_apply(&rows.scaler, fresh + i * K, own);
            for (size_t j = 0; j < M; j++) sum[i * M + j] += tree_predict(&tree, own)[j];
        }
        tree_fini(&tree);
    }
    read_rows(json_object_get(forest, "predicted"), NEW, M, expected);
    for (size_t i = 0; i < NEW * M; i++) near("forest", sum[i] / (double)trees, expected[i], 1e-10);
    response_rows_fini(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weighted_ridge_equals_scikit_learn),
        cmocka_unit_test(principal_components_equal_scikit_learn),
        cmocka_unit_test(the_gaussian_process_equals_scikit_learn_at_fixed_parameters),
        cmocka_unit_test(the_marginal_likelihood_is_maximised_where_scikit_learn_finds_it),
        cmocka_unit_test(single_trees_equal_scikit_learn),
        cmocka_unit_test(a_forest_of_given_samples_equals_scikit_learn),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
