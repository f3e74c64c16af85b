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
#endif
