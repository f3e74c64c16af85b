/* Regression trees with several outputs.                                  [CART: Breiman et al. 1984; ESL 9.2]
 * A split is the feature and threshold with the largest fall of the weighted sum of squares over all outputs; a
 * threshold lies halfway between two neighbouring values. Ties: the feature tried first, then the lowest threshold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "surface_parts.h"

struct sorted_row {
    double value;
    size_t row;
};
struct grower {
    struct tree *tree;
    const struct tree_data *data;
    const struct tree_options *options;
    size_t nodes_max, *features;
    double *left, *total; /* r sums each */
    struct sorted_row *sorted;
};
struct split {
    double gain, threshold;
    size_t feature;
    bool is_found;
};

static int by_value(const void *a, const void *b)
{
    const struct sorted_row *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The best threshold of one feature over rows[n]; `all` and `weight` are the sums over them. */
static void try_feature(struct grower *g, size_t feature, const size_t *rows, size_t n, double weight,
                        struct split *best)
{
    const struct tree_data *d = g->data;
    const size_t least = g->options->min_leaf ? g->options->min_leaf : 1;
    double left_weight = 0, parent = 0;
    for (size_t i = 0; i < n; i++) g->sorted[i].value = d->x[rows[i] * d->k + feature], g->sorted[i].row = rows[i];
    qsort(g->sorted, n, sizeof *g->sorted, by_value);
    memset(g->left, 0, d->r * sizeof *g->left);
    for (size_t c = 0; c < d->r; c++) parent += g->total[c] * g->total[c] / weight;
    for (size_t i = 0; i + 1 < n; i++) {
        const size_t row = g->sorted[i].row;
        const double low = g->sorted[i].value, high = g->sorted[i + 1].value;
        double gain = -parent;
        left_weight += d->w[row];
        for (size_t c = 0; c < d->r; c++) g->left[c] += d->w[row] * d->t[row * d->r + c];
        if (!(low < high) || i + 1 < least || n - i - 1 < least) continue;
        const double by_left = 1 / left_weight, by_right = 1 / (weight - left_weight);
        for (size_t c = 0; c < d->r; c++) {
            const double right = g->total[c] - g->left[c];
            gain += g->left[c] * g->left[c] * by_left + right * right * by_right;
        }
        if (gain > 1e-12 * (1 + parent) && (!best->is_found || gain > best->gain * (1 + 1e-12))) {
            const double middle = low + (high - low) / 2;
            *best = (struct split){gain, middle < high ? middle : low, feature, true};
        }
    }
}

static struct split find_split(struct grower *g, const size_t *rows, size_t n, double weight)
{
    struct split best = {0};
    const size_t k = g->data->k, tried = g->options->features && g->options->features < k ? g->options->features : k;
    for (size_t j = 0; j < k; j++) g->features[j] = j;
    for (size_t j = 0; j < tried; j++) {
        if (tried < k) { /* draw without replacement */
            const size_t at = j + random_below(g->options->random, k - j), feature = g->features[at];
            g->features[at] = g->features[j];
            g->features[j] = feature;
        }
        try_feature(g, g->features[j], rows, n, weight, &best);
    }
    return best;
}

/* Sums of targets and weight of rows; a leaf's value is their quotient. */
static double add_up(struct grower *g, const size_t *rows, size_t n)
{
    double weight = 0;
    memset(g->total, 0, g->data->r * sizeof *g->total);
    for (size_t i = 0; i < n; i++) {
        weight += g->data->w[rows[i]];
        for (size_t c = 0; c < g->data->r; c++)
            g->total[c] += g->data->w[rows[i]] * g->data->t[rows[i] * g->data->r + c];
    }
    return weight;
}

static size_t add_leaf(struct grower *g, double weight)
{
    struct tree *t = g->tree;
    for (size_t c = 0; c < t->r; c++) t->values[t->n_values * t->r + c] = g->total[c] / weight;
    t->nodes[t->n_nodes] = (struct tree_node){.feature = -1, .value = (uint32_t)t->n_values++};
    return t->n_nodes++;
}

/* Recursion is as deep as the tree. */
static size_t grow(struct grower *g, size_t *rows, size_t n, size_t depth)
{
    const double weight = add_up(g, rows, n);
    const struct tree_options *o = g->options;
    struct split split = {0};
    if (n >= 2 && (o->max_depth == 0 || depth < o->max_depth)) split = find_split(g, rows, n, weight);
    if (!split.is_found) return add_leaf(g, weight);
    size_t n_left = 0;
    for (size_t i = 0; i < n; i++) { /* stable on the left; what is on the right comes after in some fixed order */
        if (g->data->x[rows[i] * g->data->k + split.feature] > split.threshold) continue;
        const size_t row = rows[i];
        rows[i] = rows[n_left];
        rows[n_left++] = row;
    }
    const size_t at = g->tree->n_nodes++;
    const size_t left = grow(g, rows, n_left, depth + 1), right = grow(g, rows + n_left, n - n_left, depth + 1);
    g->tree->nodes[at] =
        (struct tree_node){(int32_t)split.feature, (uint32_t)left, (uint32_t)right, 0, split.threshold};
    return at;
}

int tree_grow(struct tree *out, const struct tree_data *data, const size_t *rows, size_t n,
              const struct tree_options *options, struct error *err)
{
    struct grower g = {.tree = out,
                       .data = data,
                       .options = options,
                       .features = malloc((data->k + n) * sizeof(size_t)),
                       .left = malloc(2 * data->r * sizeof(double)),
                       .sorted = malloc((n + 1) * sizeof *g.sorted)};
    size_t *own = g.features + data->k;
    *out = (struct tree){
        .r = data->r, .nodes = calloc(2 * n, sizeof *out->nodes), .values = malloc(n * data->r * sizeof *out->values)};
    const bool has_memory = g.features && g.left && g.sorted && out->nodes && out->values;
    if (has_memory) {
        g.total = g.left + data->r;
        memcpy(own, rows, n * sizeof *own);
        grow(&g, own, n, 0);
    } else {
        tree_fini(out);
    }
    free(g.features);
    free(g.left);
    free(g.sorted);
    return has_memory ? 0 : error_set(err, ERR_MEMORY, "out of memory for a tree of %zu rows", n);
}

const double *tree_predict(const struct tree *tree, const double *x)
{
    const struct tree_node *at = tree->nodes;
    while (at->feature >= 0) at = tree->nodes + (x[at->feature] <= at->threshold ? at->left : at->right);
    return tree->values + (size_t)at->value * tree->r;
}

void tree_fini(struct tree *tree)
{
    free(tree->nodes);
    free(tree->values);
    memset(tree, 0, sizeof *tree);
}
