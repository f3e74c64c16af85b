/* forest: what a random forest says about samples. */
#include "workload.h"

/* `trees` in groups of group_trees, of depth_min to depth_max levels below the root. */
struct sizes {
    uint32_t samples, trees, group_trees, depth_min, depth_max;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {1000, 8, 4, 3, 5},
    [WL_SMALL] = {2048, 16, 4, 6, 8},
    [WL_EVAL] = {6144, 64, 8, 8, 10}, /* 24 x 8 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {65536, 64, 8, 8, 10},
};
#define ATTRIBUTES 32u
#define CLUSTERS 8u
#define LEARNT 4096u  /* samples that trees are grown from; other ones than those that are judged */
#define DRAWN 1024u   /* of these for each tree, and again */
#define CANDIDATES 6u /* splits that are tried for a node, about the root of the number of attributes */
#define LEAST 4u      /* samples of a node that is split */
#define LEAF 0xffffffffu

/* A split is attribute * 256 + threshold. */
struct node {
    uint32_t split;
    float value;
};

/* Attribute a of sample i is values[a * n + i]. */
struct samples {
    uint32_t n;
    uint8_t *values;
    float *labels;
};

/* Samples lie around one of a few centres. The label is told by some attributes more than by others. */
static struct samples draw_samples(struct wl *w, uint32_t n, const float *centres, struct wl_rng *rng)
{
    struct samples s = {.n = n, .values = WL_NEW(w, uint8_t, (size_t)n * ATTRIBUTES), .labels = WL_NEW(w, float, n)};
    for (uint32_t i = 0; i < n; i++) {
        const float *centre = centres + wl_rng_below(rng, CLUSTERS) * ATTRIBUTES;
        for (uint32_t a = 0; a < ATTRIBUTES; a++) {
            float value = 0.5f * (centre[a] + wl_rng_unit(rng));
            s.labels[i] += (value > 0.5f ? 0.5f : value) / (float)(1 + a);
            s.values[(size_t)a * n + i] = (uint8_t)(256.0f * value);
        }
    }
    return s;
}

static bool goes_right(const struct samples *s, uint32_t split, uint32_t sample)
{
    return s->values[(size_t)(split / 256) * s->n + sample] >= split % 256;
}

/* How well a split tells labels apart: the sum over both sides of (sum of labels)^2 / samples. */
static float worth(const struct samples *s, uint32_t split, const uint32_t *list, uint32_t n)
{
    float sums[2] = {0.0f, 0.0f}, counts[2] = {0.0f, 0.0f};
    for (uint32_t k = 0; k < n; k++) {
        int side = goes_right(s, split, list[k]);
        sums[side] += s->labels[list[k]];
        counts[side] += 1.0f;
    }
    if (counts[0] == 0.0f || counts[1] == 0.0f) return 0.0f;
    return sums[0] * sums[0] / counts[0] + sums[1] * sums[1] / counts[1];
}

/* Grows node i of a tree from the n samples of a list, which is put in the order of the sides (P. Geurts et al.,
 * Machine Learning 63, 2006: the best of a few splits at drawn thresholds). */
static void grow(const struct samples *s, struct node *tree, uint32_t i, uint32_t levels, uint32_t *list, uint32_t n,
                 struct wl_rng *rng)
{
    struct node best = {.split = LEAF};
    for (uint32_t k = 0; k < n; k++) best.value += s->labels[list[k]] / (float)n;
    float most = 0.0f;
    for (uint32_t k = 0; levels > 0 && n >= LEAST && k < CANDIDATES; k++) {
        uint32_t attribute = wl_rng_below(rng, ATTRIBUTES), sample = list[wl_rng_below(rng, n)];
        uint32_t split = attribute * 256 + s->values[(size_t)attribute * s->n + sample];
        float gain = worth(s, split, list, n);
        if (gain <= most) continue;
        most = gain;
        best.split = split;
    }
    tree[i] = best;
    if (best.split == LEAF) return;
    uint32_t n_left = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (goes_right(s, best.split, list[k])) continue;
        uint32_t keep = list[n_left];
        list[n_left++] = list[k];
        list[k] = keep;
    }
    grow(s, tree, 2 * i + 1, levels - 1, list, n_left, rng);
    grow(s, tree, 2 * i + 2, levels - 1, list + n_left, n - n_left, rng);
}

/* All trees, one after the other; returns how many nodes they have room for. */
static uint32_t grow_forest(struct sizes s, const struct samples *learnt, struct node *nodes, uint32_t *roots,
                            struct wl_rng *rng)
{
    uint32_t end = 0, list[DRAWN];
    for (uint32_t t = 0; t < s.trees; t++) {
        uint32_t depth = s.depth_min + wl_rng_below(rng, s.depth_max - s.depth_min + 1);
        for (uint32_t k = 0; k < DRAWN; k++) list[k] = wl_rng_below(rng, LEARNT);
        roots[t] = end;
        grow(learnt, nodes + end, 0, depth, list, DRAWN, rng);
        end += 2u << depth; /* one more than there are, so that trees start at even places */
    }
    return end;
}

static float walk(const struct node *tree, const struct samples *s, uint32_t sample)
{
    uint32_t i = 0;
    while (tree[i].split != LEAF) i = 2 * i + 1 + goes_right(s, tree[i].split, sample);
    return tree[i].value;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "forest", .doc = "predictions of a random forest", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t groups = s.trees / s.group_trees, n = s.samples;
    struct node *nodes = WL_NEW(&w, struct node, (size_t)s.trees * (2u << s.depth_max));
    uint32_t *roots = WL_NEW(&w, uint32_t, s.trees);
    float *centres = WL_NEW(&w, float, CLUSTERS *ATTRIBUTES), *means = WL_NEW(&w, float, n);
    float *sums = WL_NEW(&w, float, (size_t)groups *n), *got = WL_NEW(&w, float, (size_t)groups *n);
    struct wl_rng rng = {63};
    wl_rng_fill(&rng, centres, CLUSTERS * ATTRIBUTES);
    struct samples learnt = draw_samples(&w, LEARNT, centres, &rng), judged = draw_samples(&w, n, centres, &rng);
    uint32_t n_nodes = grow_forest(s, &learnt, nodes, roots, &rng);

    CUdeviceptr d_nodes = wl_upload(&w, nodes, n_nodes * sizeof *nodes),
                d_roots = wl_upload(&w, roots, s.trees * sizeof *roots);
    CUdeviceptr d_values = wl_upload(&w, judged.values, (size_t)n * ATTRIBUTES);
    CUdeviceptr d_sums = wl_alloc(&w, (size_t)groups * n * sizeof *sums), d_means = wl_alloc(&w, n * sizeof *means);
    void *walk_args[] = {&d_nodes, &d_roots, &d_values, &d_sums, &n, &s.group_trees};
    wl_launch(&w, wl_function(&w, "forest_walk"), wl_blocks(n, 256), groups, 256, 1, walk_args);
    float n_trees = (float)s.trees;
    void *mean_args[] = {&d_sums, &d_means, &n, &groups, &n_trees};
    wl_launch(&w, wl_function(&w, "forest_mean"), wl_blocks(n, 256), 1, 256, 1, mean_args);

    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t t = g * s.group_trees; t < (g + 1) * s.group_trees; t++)
                sums[(size_t)g * n + i] += walk(nodes + roots[t], &judged, i);
            means[i] += sums[(size_t)g * n + i];
            if (g + 1 == groups) means[i] /= n_trees;
        }
    wl_output(&w, got, d_sums, (size_t)groups * n * sizeof *got);
    wl_compare_f32(&w, "sum", got, sums, (size_t)groups * n);
    wl_output(&w, got, d_means, n * sizeof *got);
    wl_compare_f32(&w, "mean", got, means, n);
    return wl_end(&w);
}
