/* The writers of inputs.c's table. Internal to poise_lab. */
#ifndef POISE_INPUTS_INTERNAL_H
#define POISE_INPUTS_INTERNAL_H
#include "poise/inputs.h"
#include "poise/validate.h"

typedef int input_writer(const struct input_options *o, FILE *out, struct error *err);
input_writer input_graph_bfs, input_graph_edges, input_graph_mtx, input_graph_dimacs, input_graph_metis;
input_writer input_matrix_dense, input_matrix_rows, input_matrix_lud, input_matrix_gaussian, input_matrix_array,
    input_matrix_mtx;
input_writer input_points_kmeans, input_points_text, input_points_binary, input_points_nn;
input_writer input_keys_lines, input_keys_counted, input_weblog_pageviews, input_weblog_html, input_words, input_grid,
    input_mesh;

/* The edges of a graph without loops, none twice, in order: from << 32 | to. Without directions each stands once, the
 * smaller vertex first. Vertex 0 is one with the most edges, but in a grid. */
struct input_edges {
    uint64_t *items, n;
    uint64_t vertices;
    bool directed;
};
int input_edges_make(struct input_edges *out, const struct input_options *o, struct error *err);
/* Both directions of every edge in place of one, in order. */
int input_edges_both(struct input_edges *edges, struct error *err);
/* The same for both directions of an edge: 1 to `most`. */
uint64_t input_weight(uint64_t edge, uint64_t seed, uint64_t most);
/* Below n, the k-th about as often as 1 / k. */
uint64_t input_zipf(struct random *random, uint64_t n);
#endif
