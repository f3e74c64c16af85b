#include "poise/correction.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "response_parts.h"

const struct correction_settings correction_defaults = {
    .lambda = 100, .share = 0.5, .margin = 0.02, .trees = 40, .depth = 6, .min_leaf = 20, .seed = 1};

void correction_fini(struct correction *c)
{
    for (size_t t = 0; c->trees && t < c->n_trees; t++) free(c->trees[t].nodes);
    free(c->trees);
    json_decref(c->training);
    json_decref(c->validation);
    memset(c, 0, sizeof *c);
}

/* Rows with what they lack as their only target. Each launch counts the same within its group, each group the same. */
struct lacking {
    struct response_rows rows;
    double *memory;
    size_t *group;
};
static int lacking_init(struct lacking *out, const struct correction_data *d, struct error *err)
{
    double *y = malloc((2 * d->n + d->n_launches + 1) * sizeof *y), *w = y + d->n, *of = w + d->n;
    *out = (struct lacking){.memory = y, .group = malloc((d->n + 1) * sizeof *out->group)};
    if (!y || !out->group) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", d->n);
    memset(of, 0, d->n_launches * sizeof *of);
    for (size_t i = 0; i < d->n; i++) of[d->launch[i]]++;
    for (size_t i = 0; i < d->n; i++) {
        y[i] = d->y[i] - d->x[i * d->k + d->base];
        w[i] = 1 / of[d->launch[i]];
        out->group[i] = d->group[d->launch[i]];
    }
    const struct response_data own = {
        .n = d->n, .k = d->k, .m = 1, .x = d->x, .z = y, .w = w, .group = out->group, .n_groups = d->n_groups};
    return response_rows_init(&out->rows, &own, err);
}

static void lacking_fini(struct lacking *l)
{
    response_rows_fini(&l->rows);
    free(l->memory);
    free(l->group);
}

/* Thresholds and values in single precision, as files hold them. */
static int take_tree(struct correction_tree *out, const struct tree *tree, struct error *err)
{
    out->n = tree->n_nodes;
    out->nodes = calloc(tree->n_nodes, sizeof *out->nodes);
    if (!out->nodes) return error_set(err, ERR_MEMORY, "out of memory for a tree");
    for (size_t i = 0; i < tree->n_nodes; i++) {
        const struct tree_node *n = &tree->nodes[i];
        const bool is_leaf = n->feature < 0;
        out->nodes[i] = (struct correction_node){n->feature, is_leaf ? 0 : n->left, is_leaf ? 0 : n->right,
                                                 (float)(is_leaf ? tree->values[n->value] : n->threshold)};
    }
    return 0;
}

/* A tree of rows of groups that were drawn with replacement. */
static int grow_tree(struct correction_tree *out, const struct lacking *l, const struct tree_data *data,
                     const struct correction_settings *s, size_t index, struct error *err)
{
    size_t *groups = malloc((l->rows.n_groups * (l->rows.n + 1) + 1) * sizeof *groups), n = 0;
    struct tree tree;
    if (!groups) return error_set(err, ERR_MEMORY, "out of memory for a tree");
    size_t *drawn = groups + l->rows.n_groups;
    struct random random = {s->seed * 0x9e3779b97f4a7c15u + index};
    random_next(&random);
    const size_t n_groups = response_rows_groups(&l->rows, groups);
    for (size_t d = 0; d < n_groups; d++) {
        const size_t g = groups[random_below(&random, n_groups)];
        for (size_t i = 0; i < l->rows.n; i++)
            if (l->rows.group[i] == g) drawn[n++] = i;
    }
    const struct tree_options options = {s->depth, s->min_leaf, (l->rows.k + 1) / 2, &random};
    int failed = tree_grow(&tree, data, drawn, n, &options, err);
    if (!failed) {
        failed = take_tree(out, &tree, err);
        tree_fini(&tree);
    }
    free(groups);
    return failed;
}

static int grow_trees(struct correction *c, const struct lacking *l, struct error *err)
{
    int failed = 0;
    uint32_t *order = malloc((l->rows.n * l->rows.k + 1) * sizeof *order);
    c->n_trees = c->settings.trees;
    c->trees = calloc(c->n_trees + 1, sizeof *c->trees);
    if (!order || !c->trees) failed = error_set(err, ERR_MEMORY, "out of memory for %zu trees", c->n_trees);
    if (!failed) failed = tree_sort(order, l->rows.x, l->rows.n, l->rows.k, err);
    const struct tree_data data = {l->rows.n, l->rows.k, 1, l->rows.x, l->rows.z, l->rows.w, order};
    for (size_t t = 0; t < c->n_trees && !failed; t++) failed = grow_tree(&c->trees[t], l, &data, &c->settings, t, err);
    free(order);
    return failed;
}

int correction_fit(struct correction *out, const struct correction_data *data,
                   const struct correction_settings *settings, struct error *err)
{
    struct lacking l;
    *out = (struct correction){.k = data->k, .base = data->base, .settings = *settings};
    if (data->k < 1 || data->k > RESPONSE_FEATURES_MAX || data->base >= data->k)
        return error_set(err, ERR_INPUT, "a correction takes 1 to %d columns, not %zu", RESPONSE_FEATURES_MAX, data->k);
    int failed = lacking_init(&l, data, err);
    if (!failed) failed = response_ridge_fit(out->ridge, &l.rows, l.rows.z, 1, settings->lambda, err);
    if (!failed) failed = grow_trees(out, &l, err);
    for (size_t j = 0; j < data->k && !failed; j++) {
        snprintf(out->names[j], sizeof out->names[j], "%s", data->names[j]);
        out->mean[j] = l.rows.scaler.mean[j], out->sd[j] = l.rows.scaler.sd[j];
    }
    lacking_fini(&l);
    if (failed) correction_fini(out);
    return failed;
}

static double tree_value(const struct correction_tree *tree, const double *x)
{
    const struct correction_node *at = tree->nodes;
    while (at->column >= 0) at = tree->nodes + (x[at->column] <= (double)at->value ? at->left : at->right);
    return (double)at->value;
}

double correction_predict(const struct correction *c, const double *x)
{
    double own[RESPONSE_FEATURES_MAX], line = c->ridge[c->k], trees = 0;
    for (size_t j = 0; j < c->k; j++) {
        own[j] = c->sd[j] > 0 ? (x[j] - c->mean[j]) / c->sd[j] : 0;
        line += own[j] * c->ridge[j];
    }
    for (size_t t = 0; t < c->n_trees; t++) trees += tree_value(&c->trees[t], own) / (double)c->n_trees;
    return x[c->base] + (1 - c->settings.share) * line + c->settings.share * trees;
}

size_t correction_choose(const double *values, size_t n, size_t all, double margin)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (values[i] > values[best]) best = i;
    return values[best] > values[all] + margin ? best : all;
}
