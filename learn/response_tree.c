/* Regression trees with several outputs.                                  [CART: Breiman et al. 1984; ESL 9.2]
 * A split is the feature and threshold with the largest fall of the weighted sum of squares over all outputs; a
 * threshold lies halfway between two neighbouring values. Ties: the feature tried first, then the lowest threshold.
 * Rows are sorted once: a node is the same range of one list of rows a feature, each ordered by its feature, and a
 * split parts every list without changing the order within its halves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "response_parts.h"

struct grower {
    struct tree *tree;
    const struct tree_data *data;
    const struct tree_options *options;
    size_t n, *features;    /* entries in each list */
    uint32_t *lists, *kept; /* k x n rows, a row as often as it was drawn; n */
    uint8_t *is_left;       /* of each row of the data */
    double *left, *total;   /* r sums each */
};
struct split {
    double gain, threshold;
    size_t feature;
    bool is_found;
};

struct sorted_row {
    double value;
    uint32_t row;
};
static int by_value(const void *a, const void *b)
{
    const struct sorted_row *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

int tree_sort(uint32_t *order, const double *x, size_t n, size_t k, struct error *err)
{
    struct sorted_row *sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted) return error_set(err, ERR_MEMORY, "out of memory for trees of %zu rows", n);
    for (size_t f = 0; f < k; f++) {
        for (size_t i = 0; i < n; i++) sorted[i] = (struct sorted_row){x[i * k + f], (uint32_t)i};
        qsort(sorted, n, sizeof *sorted, by_value);
        for (size_t i = 0; i < n; i++) order[f * n + i] = sorted[i].row;
    }
    free(sorted);
    return 0;
}

/* The best threshold of one feature over the entries from .. to; `total` and `weight` are the sums over them. */
static void try_feature(struct grower *g, size_t feature, size_t from, size_t to, double weight, struct split *best)
{
    const struct tree_data *d = g->data;
    const size_t least = g->options->min_leaf ? g->options->min_leaf : 1, n = to - from;
    const uint32_t *list = g->lists + feature * g->n + from;
    double left_weight = 0, parent = 0;
    memset(g->left, 0, d->r * sizeof *g->left);
    for (size_t c = 0; c < d->r; c++) parent += g->total[c] * g->total[c] / weight;
    for (size_t i = 0; i + 1 < n; i++) {
        const size_t row = list[i];
        const double low = d->x[row * d->k + feature], high = d->x[list[i + 1] * d->k + feature];
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

static struct split find_split(struct grower *g, size_t from, size_t to, double weight)
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
        try_feature(g, g->features[j], from, to, weight, &best);
    }
    return best;
}

/* Sums of targets and weight over entries; a leaf's value is their quotient. */
static double add_up(struct grower *g, size_t from, size_t to)
{
    const struct tree_data *d = g->data;
    double weight = 0;
    memset(g->total, 0, d->r * sizeof *g->total);
    for (size_t i = from; i < to; i++) {
        const size_t row = g->lists[i];
        weight += d->w[row];
        for (size_t c = 0; c < d->r; c++) g->total[c] += d->w[row] * d->t[row * d->r + c];
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

/* Parts the range of every list; returns where its right half begins. */
static size_t part(struct grower *g, size_t from, size_t to, const struct split *split)
{
    const struct tree_data *d = g->data;
    size_t middle = from;
    for (size_t i = from; i < to; i++) {
        const size_t row = g->lists[i];
        g->is_left[row] = d->x[row * d->k + split->feature] <= split->threshold;
    }
    for (size_t f = 0; f < d->k; f++) {
        uint32_t *list = g->lists + f * g->n;
        size_t n_kept = 0;
        middle = from;
        for (size_t i = from; i < to; i++) {
            const uint32_t row = list[i];
            if (g->is_left[row]) list[middle++] = row;
            else g->kept[n_kept++] = row;
        }
        memcpy(list + middle, g->kept, n_kept * sizeof *list);
    }
    return middle;
}

/* Recursion is as deep as the tree. */
static size_t grow(struct grower *g, size_t from, size_t to, size_t depth)
{
    const double weight = add_up(g, from, to);
    const struct tree_options *o = g->options;
    struct split split = {0};
    if (to - from >= 2 && (o->max_depth == 0 || depth < o->max_depth)) split = find_split(g, from, to, weight);
    if (!split.is_found) return add_leaf(g, weight);
    const size_t at = g->tree->n_nodes++, middle = part(g, from, to, &split);
    const size_t left = grow(g, from, middle, depth + 1), right = grow(g, middle, to, depth + 1);
    g->tree->nodes[at] =
        (struct tree_node){(int32_t)split.feature, (uint32_t)left, (uint32_t)right, 0, split.threshold};
    return at;
}

/* Each row as often in each list as it was drawn. */
static void fill_lists(struct grower *g, const size_t *rows, uint32_t *times)
{
    const struct tree_data *d = g->data;
    for (size_t i = 0; i < g->n; i++) times[rows[i]]++;
    for (size_t f = 0; f < d->k; f++) {
        uint32_t *list = g->lists + f * g->n;
        for (size_t i = 0; i < d->n; i++)
            for (uint32_t t = 0; t < times[d->order[f * d->n + i]]; t++) *list++ = d->order[f * d->n + i];
    }
}

int tree_grow(struct tree *out, const struct tree_data *data, const size_t *rows, size_t n,
              const struct tree_options *options, struct error *err)
{
    struct grower g = {.tree = out,
                       .data = data,
                       .options = options,
                       .n = n,
                       .features = malloc(data->k * sizeof(size_t)),
                       .lists = malloc((data->k + 1) * n * sizeof(uint32_t)),
                       .is_left = calloc(data->n, 1),
                       .left = malloc(2 * data->r * sizeof(double))};
    uint32_t *times = calloc(data->n, sizeof *times);
    *out = (struct tree){
        .r = data->r, .nodes = calloc(2 * n, sizeof *out->nodes), .values = malloc(n * data->r * sizeof *out->values)};
    const bool has_memory = g.features && g.lists && g.is_left && g.left && times && out->nodes && out->values;
    if (has_memory) {
        g.kept = g.lists + data->k * n;
        g.total = g.left + data->r;
        fill_lists(&g, rows, times);
        grow(&g, 0, n, 0);
    } else {
        tree_fini(out);
    }
    free(g.features);
    free(g.lists);
    free(g.is_left);
    free(g.left);
    free(times);
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
