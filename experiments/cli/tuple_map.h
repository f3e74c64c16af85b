/* Warp tuples and how fast each is, as a map of characters. Internal to the program. */
#ifndef POISE_TUPLE_MAP_H
#define POISE_TUPLE_MAP_H
#include <stdio.h>
#include "poise/points.h"
struct json_t;

struct tuple_speed {
    struct warp_tuple at;
    double speedup;
}; /* over all W warps */
/* Columns are N, rows p, values speeds as percent of that of all warps. `*` marks the fastest tuple, `<` the marked one
 * (0: none). A map of more than 24 warps shows every second N and p, or every third: as many as fit. */
void tuple_map_print(const struct tuple_speed *cells, size_t n, uint32_t W, struct warp_tuple marked, FILE *out);
/* The fastest of n >= 1; of several the first. */
size_t tuple_map_best(const struct tuple_speed *cells, size_t n);
struct json_t *tuple_map_json(const struct tuple_speed *cells, size_t n,
                              uint32_t W); /* {W, tuples [{N, p, speedup}]} */
#endif
