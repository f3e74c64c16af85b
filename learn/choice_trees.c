/* Trees that part rows by what the choice of a policy gains (poise/choice.h): one is a decision table; several, of
 * drawn groups, take the policy with the highest mean gain. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/choice.h"
#include "response_parts.h"

enum { TREES_MAX = 64 };
struct policy_node {
    int32_t column; /* -1: a leaf */
    uint32_t left, right;
    float threshold; /* x <= threshold: left */
};
struct policy_tree {
    size_t n;
    struct policy_node *nodes;
    float *gains; /* n x m: the mean gains of a node's rows */
};
struct policy_trees {
    size_t n, m;
    struct policy_tree *trees;
};
/* Leaves hold at least min_groups groups; a tree of several sees groups drawn with replacement and tries a share of the
 * columns for each split. */
#define SETTINGS(P) \
    P(U32, trees, 1, 1, TREES_MAX, "trees", "assumed", "one, or how many of drawn groups") \
    P(U32, depth, 2, 0, 12, "splits", "assumed", "of a tree at most") \
    P(U32, min_groups, 5, 1, 100000, "groups", "assumed", "in a leaf at least") \
    P(U32, seed, 1, 0, 4294967295, "1", "assumed", "of all draws") \
    P(F64, columns, 1, 0, 1, "fraction", "assumed", "of the columns tried for a split, one at least")
PARAM_STRUCT(policy_settings, SETTINGS);

static void trees_fini(struct policy_trees *t)
{
    for (size_t i = 0; t->trees && i < t->n; i++) {
        free(t->trees[i].nodes);
        free(t->trees[i].gains);
    }
    free(t->trees);
    memset(t, 0, sizeof *t);
}

struct grower {
    const struct response_data *data;
    const struct policy_settings *settings;
    struct policy_tree *tree;
    const double *w;
    struct random *random;
    size_t *rows, *sorted, *groups, *columns; /* groups: rows of each, left and right of a split */
    double *left, *total;
};
struct cut {
    double score;
    size_t column;
    float threshold;
    bool is_found;
};

static double most_of(const double *sums, const double *less, size_t m)
{
    double most = -INFINITY;
    for (size_t j = 0; j < m; j++) most = fmax(most, less ? sums[j] - less[j] : sums[j]);
    return most;
}

/* Rows by a column, of equal ones by their number: an insertion into a list that is short. */
static void sort_rows(const struct response_data *d, size_t column, size_t *rows, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const size_t row = rows[i];
        const double x = d->x[row * d->k + column];
        size_t at = i;
        for (; at > 0; at--) {
            const double before = d->x[rows[at - 1] * d->k + column];
            if (before < x || (before == x && rows[at - 1] < row)) break;
            rows[at] = rows[at - 1];
        }
        rows[at] = row;
    }
}

/* A number in single precision between two, of which the lower one may be it. */
static bool between(float *out, double low, double high)
{
    *out = (float)(low + (high - low) / 2);
    if (!(*out >= low && *out < high)) *out = (float)low;
    return *out >= low && *out < high;
}

static void try_column(struct grower *g, size_t column, size_t from, size_t to, struct cut *best)
{
    const struct response_data *d = g->data;
    size_t *left = g->groups, *right = g->groups + d->n_groups, n_left = 0, n_right = 0;
    memcpy(g->sorted, g->rows + from, (to - from) * sizeof *g->sorted);
    sort_rows(d, column, g->sorted, to - from);
    memset(g->groups, 0, 2 * d->n_groups * sizeof *g->groups);
    memset(g->left, 0, d->m * sizeof *g->left);
    for (size_t i = 0; i < to - from; i++) n_right += right[d->group[g->sorted[i]]]++ == 0;
    for (size_t i = 0; i + 1 < to - from; i++) {
        const size_t row = g->sorted[i], group = d->group[row];
        float threshold;
        for (size_t j = 0; j < d->m; j++) g->left[j] += g->w[row] * d->z[row * d->m + j];
        n_left += left[group]++ == 0;
        n_right -= --right[group] == 0;
        if (n_left < g->settings->min_groups || n_right < g->settings->min_groups) continue;
        const double here = d->x[row * d->k + column], next = d->x[g->sorted[i + 1] * d->k + column];
        if (!(next > here) || !between(&threshold, here, next)) continue;
        const double score = most_of(g->left, NULL, d->m) + most_of(g->total, g->left, d->m);
        if (score > best->score + 1e-9) *best = (struct cut){score, column, threshold, true};
    }
}

static struct cut find_cut(struct grower *g, size_t from, size_t to)
{
    const size_t k = g->data->k, tried = (size_t)fmax(1, round(g->settings->columns * (double)k));
    struct cut best = {.score = most_of(g->total, NULL, g->data->m)};
    for (size_t j = 0; j < k; j++) g->columns[j] = j;
    for (size_t j = 0; j < tried; j++) {
        if (tried < k) {
            const size_t at = j + random_below(g->random, k - j), column = g->columns[at];
            g->columns[at] = g->columns[j];
            g->columns[j] = column;
        }
        try_column(g, g->columns[j], from, to, &best);
    }
    return best;
}

/* Recursion is as deep as the tree. Every node has its rows' mean gains. */
static uint32_t grow(struct grower *g, size_t from, size_t to, uint32_t depth)
{
    const struct response_data *d = g->data;
    const size_t at = g->tree->n++;
    double weight = 0;
    memset(g->total, 0, d->m * sizeof *g->total);
    for (size_t i = from; i < to; i++) {
        weight += g->w[g->rows[i]];
        for (size_t j = 0; j < d->m; j++) g->total[j] += g->w[g->rows[i]] * d->z[g->rows[i] * d->m + j];
    }
    for (size_t j = 0; j < d->m; j++) g->tree->gains[at * d->m + j] = (float)(weight > 0 ? g->total[j] / weight : 0);
    struct policy_node node = {.column = -1};
    const struct cut cut = depth < g->settings->depth ? find_cut(g, from, to) : (struct cut){.is_found = false};
    if (cut.is_found) {
        size_t middle = from, n_right = 0;
        for (size_t i = from; i < to; i++) {
            const size_t row = g->rows[i];
            if (d->x[row * d->k + cut.column] <= cut.threshold) g->rows[middle++] = row;
            else g->sorted[n_right++] = row;
        }
        memcpy(g->rows + middle, g->sorted, n_right * sizeof *g->rows);
        node = (struct policy_node){.column = (int32_t)cut.column, .threshold = cut.threshold};
        node.left = grow(g, from, middle, depth + 1);
        node.right = grow(g, middle, to, depth + 1);
    }
    g->tree->nodes[at] = node;
    return (uint32_t)at;
}

/* Weights of a tree of several: each group as often as it was drawn. */
static int draw_groups(double *w, const struct response_data *d, struct random *random, struct error *err)
{
    size_t *times = calloc(2 * d->n_groups + 1, sizeof *times), *list = times + d->n_groups, used = 0;
    if (!times) return error_set(err, ERR_MEMORY, "out of memory for a tree");
    for (size_t i = 0; i < d->n; i++) times[d->group[i]] += w[i] > 0;
    for (size_t g = 0; g < d->n_groups; g++)
        if (times[g]) list[used++] = g, times[g] = 0;
    for (size_t i = 0; i < used; i++) times[list[random_below(random, used)]]++;
    for (size_t i = 0; i < d->n; i++) w[i] *= (double)times[d->group[i]];
    free(times);
    return 0;
}

static int grow_tree(struct policy_tree *out, const struct response_data *d, const struct policy_settings *s,
                     size_t index, struct error *err)
{
    struct random random = {s->seed * 0x9e3779b97f4a7c15u + index};
    double *numbers = calloc(d->n + 2 * d->m + 1, sizeof *numbers);
    size_t *lists = calloc(2 * d->n + 2 * d->n_groups + d->k + 1, sizeof *lists), n = 0;
    struct grower g = {.data = d, .settings = s, .tree = out, .random = &random};
    *out = (struct policy_tree){.nodes = calloc(2 * d->n + 1, sizeof *out->nodes),
                                .gains = calloc((2 * d->n + 1) * d->m, sizeof *out->gains)};
    int failed =
        numbers && lists && out->nodes && out->gains ? 0 : error_set(err, ERR_MEMORY, "out of memory for a tree");
    random_next(&random);
    if (!failed) {
        response_weights(d, numbers);
        g.w = numbers, g.left = numbers + d->n, g.total = g.left + d->m;
        g.rows = lists, g.sorted = lists + d->n, g.groups = g.sorted + d->n, g.columns = g.groups + 2 * d->n_groups;
        if (s->trees > 1) failed = draw_groups(numbers, d, &random, err);
    }
    for (size_t i = 0; i < d->n && !failed; i++)
        if (numbers[i] > 0) g.rows[n++] = i;
    if (!failed) grow(&g, 0, n, 0);
    free(numbers);
    free(lists);
    return failed;
}

static int trees_fit(struct policy_trees *out, const struct response_data *data, const struct policy_settings *settings,
                     struct error *err)
{
    *out = (struct policy_trees){.m = data->m, .trees = calloc(settings->trees + 1, sizeof *out->trees)};
    if (!out->trees) return error_set(err, ERR_MEMORY, "out of memory for %u trees", settings->trees);
    for (; out->n < settings->trees;) {
        const size_t t = out->n++;
        if (grow_tree(&out->trees[t], data, settings, t, err) < 0) return -1;
    }
    return 0;
}

/* Mean gains of the trees, m values. */
static void trees_predict(const struct policy_trees *trees, const double *x, double *gains)
{
    memset(gains, 0, trees->m * sizeof *gains);
    for (size_t t = 0; t < trees->n; t++) {
        const struct policy_tree *tree = &trees->trees[t];
        size_t at = 0;
        while (tree->nodes[at].column >= 0)
            at = x[tree->nodes[at].column] <= tree->nodes[at].threshold ? tree->nodes[at].left : tree->nodes[at].right;
        for (size_t j = 0; j < trees->m; j++) gains[j] += tree->gains[at * trees->m + j] / (double)trees->n;
    }
}

/* ---- as a family of learners of surfaces ---- */

#define ROW(...) PARAM_ROW_OF(policy_settings, __VA_ARGS__)
static const struct param_row settings_rows[] = {SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"policy", settings_rows, COUNT_OF(settings_rows),
                                         sizeof(struct policy_settings)};
static const struct family_axis axes[] = {{"depth", 3, {"1", "2", "4"}}};

static int policy_fit(void *state, const struct response_data *data, const void *settings, struct error *err)
{
    return trees_fit(state, data, settings, err);
}
static void policy_predict(const void *state, const double *x, double *mean, double *spread)
{
    const struct policy_trees *trees = state;
    trees_predict(trees, x, mean);
    for (size_t j = 0; spread && j < trees->m; j++) spread[j] = 0;
}
static void policy_fini(void *state) { trees_fini(state); }

const struct response_family response_policy = {.name = "policy",
                                                .title = "trees by what a choice gains",
                                                .source = "this project",
                                                .settings = &table,
                                                .axes = axes,
                                                .n_axes = COUNT_OF(axes),
                                                .state_size = sizeof(struct policy_trees),
                                                .fit = policy_fit,
                                                .predict = policy_predict,
                                                .fini = policy_fini};
