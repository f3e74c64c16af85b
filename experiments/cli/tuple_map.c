#include "cli/tuple_map.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>

enum { SHOWN_MAX = 24 };

size_t tuple_map_best(const struct tuple_speed *cells, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (cells[i].speedup > cells[best].speedup) best = i;
    return best;
}

static const struct tuple_speed *find(const struct tuple_speed *cells, size_t n, uint32_t N, uint32_t p)
{
    for (size_t i = 0; i < n; i++)
        if (cells[i].at.N == N && cells[i].at.p == p) return &cells[i];
    return NULL;
}

static bool is_same(struct warp_tuple a, struct warp_tuple b) { return a.N == b.N && a.p == b.p; }

static void print_row(const struct tuple_speed *cells, size_t n, uint32_t p, uint32_t W, uint32_t step,
                      struct warp_tuple best, struct warp_tuple marked, FILE *out)
{
    fprintf(out, "  p %2u ", (unsigned)p);
    for (uint32_t N = 1; N <= W; N += step) {
        const struct tuple_speed *cell = find(cells, n, N, p);
        if (!cell) fprintf(out, "%5s", N < p ? "" : ".");
        else
            fprintf(out, "%4.0f%c", 100 * cell->speedup,
                    is_same(cell->at, best)     ? '*'
                    : is_same(cell->at, marked) ? '<'
                                                : ' ');
    }
    fputc('\n', out);
}

void tuple_map_print(const struct tuple_speed *cells, size_t n, uint32_t W, struct warp_tuple marked, FILE *out)
{
    if (n == 0) return;
    const uint32_t step = (W + SHOWN_MAX - 1) / SHOWN_MAX;
    const struct tuple_speed *best = &cells[tuple_map_best(cells, n)];
    for (uint32_t p = 1 + (W - 1) / step * step; p >= 1 && p <= W; p -= step)
        print_row(cells, n, p, W, step, best->at, marked, out);
    fprintf(out, "     N ");
    for (uint32_t N = 1; N <= W; N += step) fprintf(out, "%4u ", (unsigned)N);
    fprintf(out, "\n  speed in %% of all %u warps'; * the fastest, (%u, %u) at %.0f", (unsigned)W, (unsigned)best->at.N,
            (unsigned)best->at.p, 100 * best->speedup);
    const struct tuple_speed *mark = find(cells, n, marked.N, marked.p);
    if (mark)
        fprintf(out, "; %s (%u, %u) at %.0f", is_same(mark->at, best->at) ? "predicted, too:" : "< predicted,",
                (unsigned)marked.N, (unsigned)marked.p, 100 * mark->speedup);
    fputc('\n', out);
}

json_t *tuple_map_json(const struct tuple_speed *cells, size_t n, uint32_t W)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:i,s:i,s:f}", "N", (int)cells[i].at.N, "p", (int)cells[i].at.p,
                                              "speedup", cells[i].speedup));
    return json_pack("{s:i,s:o}", "W", (int)W, "tuples", list);
}
