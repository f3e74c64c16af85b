/* Graphs in compressed sparse rows, and generators for them. Integer arithmetic and IEEE division and square root
 * alone, so every machine makes the same graph. */
#ifndef GRAPH_H
#define GRAPH_H
#include "workload.h"

struct graph {
    uint32_t n, m; /* vertices; entries of col (an undirected edge has two) */
    uint32_t *row; /* n + 1 */
    uint32_t *col;
};

/* What a generated graph looks like. The degree of a vertex is min(degree_min / (1 - u)^(1 / skew), degree_max) for
 * uniform u: a Pareto law with exponent 1 or 2, or the uniform law on [degree_min, degree_max] for skew 0. The other
 * end of an edge lies within +-window of the vertex; a share `far` of the edges goes anywhere. */
struct graph_spec {
    uint32_t n, degree_min, degree_max;
    int skew;
    uint32_t window;
    float far;
};
struct graph graph_local(struct wl *w, const struct graph_spec *spec, struct wl_rng *rng);
/* Every vertex has `degree` edges: each two of them come from a random permutation, an odd one from a random
 * matching, both of which move a vertex by at most about the window, a share `far` anywhere. (degree_max and skew
 * are not read.) */
struct graph graph_regular(struct wl *w, const struct graph_spec *spec, struct wl_rng *rng);
/* A width x height mesh with 4 neighbours, or 3 where it is a honeycomb; a share `shuffled` of the vertices changes
 * places with one near by. */
struct graph graph_mesh(struct wl *w, uint32_t width, uint32_t height, bool honeycomb, float shuffled,
                        struct wl_rng *rng);
/* One --input of a graph workload at size small: a square mesh if it has a side, else a local or regular graph;
 * `words` a record. */
struct graph_input {
    struct graph_spec spec;
    uint32_t side, words;
    float shuffled;
    bool honeycomb;
};
/* At size test it has test_side x test_side or test_n vertices and short edges; at sizes full and
 * eval 36 or 32 times the vertices. */
struct graph graph_input(struct wl *w, const struct graph_input *input, uint32_t test_side, uint32_t test_n,
                         struct wl_rng *rng);
/* An input whose shape is drawn with its number as the seed, for training sets: one of four families (mesh,
 * honeycomb, regular, skewed), 12288 to 45056 vertices, records of 3 to 16 words, edges from near to anywhere. */
struct graph_input graph_draw(uint32_t number);
/* The vertices by falling degree, those of one degree in order: the n numbers are what kernels take that want a
 * warp's lists equally long. */
uint32_t *graph_by_degree(struct wl *w, const struct graph *g);
struct graph_device {
    CUdeviceptr row, col;
};
/* On the device an entry of col is a neighbour's number times `scale`, that is where its record of `scale` words
 * starts. */
struct graph_device graph_upload(struct wl *w, const struct graph *g, uint32_t scale);
#endif
