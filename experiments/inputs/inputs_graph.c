/* Graphs, and the sparse matrices that are graphs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "inputs/inputs_internal.h"

/* Without loops, none twice, in order: from << 32 | to. Without directions each stands once, the smaller vertex first.
 * Vertex 0 is one with the most edges, but in a grid. */
struct edges {
    uint64_t *items, n;
    uint64_t vertices;
    bool directed;
};
#define EDGE(from, to) ((uint64_t)(from) << 32 | (uint64_t)(to))
#define FROM(edge) ((edge) >> 32)
#define TO(edge) ((edge)&UINT32_MAX)

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_unique(struct edges *e)
{
    uint64_t kept = 0;
    qsort(e->items, e->n, sizeof *e->items, by_number);
    for (uint64_t i = 0; i < e->n; i++)
        if (i == 0 || e->items[i] != e->items[i - 1]) e->items[kept++] = e->items[i];
    e->n = kept;
}

/* A quarter of the matrix at a time, by Graph500's probabilities 0.57, 0.19, 0.19, 0.05 [R-MAT: Chakrabarti 2004]. */
static uint64_t draw_rmat(struct random *random, uint64_t vertices)
{
    uint64_t u, v;
    do {
        u = v = 0;
        for (uint64_t side = 1; side < vertices; side *= 2) {
            const uint64_t at = random_below(random, 100);
            u = 2 * u + (at >= 76);
            v = 2 * v + ((at >= 57 && at < 76) || at >= 95);
        }
    } while (u >= vertices || v >= vertices);
    return EDGE(u, v);
}

static int draw_edges(struct edges *e, const struct input_options *o, uint64_t want, struct random *random,
                      struct error *err)
{
    for (int round = 0; e->n < want && round < 1000; round++) {
        while (e->n < want) {
            const uint64_t u = random_below(random, o->size), v = random_below(random, o->size);
            const uint64_t edge = o->shape == INPUT_RMAT ? draw_rmat(random, o->size) : EDGE(u, v);
            const bool turns = !e->directed && FROM(edge) > TO(edge);
            if (FROM(edge) != TO(edge)) e->items[e->n++] = turns ? EDGE(TO(edge), FROM(edge)) : edge;
        }
        sort_unique(e);
    }
    return e->n == want
               ? 0
               : error_set(err, ERR_INPUT, "--degree %" PRIu64 " is too high for %" PRIu64 " vertices of this shape",
                           o->degree, o->size);
}

/* Vertices get other numbers by chance, so that those with many edges are anywhere; then one with the most changes
 * places with vertex 0, from which programs search. */
static int renumber(struct edges *e, struct random *random, struct error *err)
{
    size_t *name = calloc(e->vertices, sizeof *name), *degree = calloc(e->vertices, sizeof *degree), most = 0;
    if (name && degree) {
        for (size_t v = 0; v < e->vertices; v++) name[v] = v;
        random_shuffle(random, name, e->vertices);
        for (uint64_t i = 0; i < e->n; i++) {
            degree[FROM(e->items[i])]++;
            if (!e->directed) degree[TO(e->items[i])]++;
        }
        for (size_t v = 1; v < e->vertices; v++)
            if (degree[v] > degree[most]) most = v;
        for (size_t v = 0; v < e->vertices; v++)
            if (name[v] == 0) name[v] = name[most], name[most] = 0, v = e->vertices - 1;
        for (uint64_t i = 0; i < e->n; i++) {
            const uint64_t u = name[FROM(e->items[i])], v = name[TO(e->items[i])];
            e->items[i] = !e->directed && u > v ? EDGE(v, u) : EDGE(u, v);
        }
        qsort(e->items, e->n, sizeof *e->items, by_number);
    }
    free(name);
    free(degree);
    return name && degree ? 0 : error_set(err, ERR_MEMORY, "out of memory for %" PRIu64 " vertices", e->vertices);
}

static uint64_t side_of(uint64_t n)
{
    uint64_t side = 1;
    while (side * side < n) side++;
    return side;
}

/* Rows of about as many vertices as there are rows; neighbours to the right and below. */
static void grid_edges(struct edges *e)
{
    const uint64_t side = side_of(e->vertices);
    for (uint64_t v = 0; v < e->vertices; v++) {
        if (v % side + 1 < side && v + 1 < e->vertices) e->items[e->n++] = EDGE(v, v + 1);
        if (v + side < e->vertices) e->items[e->n++] = EDGE(v, v + side);
    }
}

static int edges_make(struct edges *out, const struct input_options *o, struct error *err)
{
    struct random random = {o->seed};
    const uint64_t want = o->shape == INPUT_GRID ? 2 * o->size
                          : o->directed          ? o->size * o->degree
                                                 : o->size * o->degree / 2;
    *out = (struct edges){.vertices = o->size, .directed = o->directed};
    if (want > UINT32_MAX || !(out->items = calloc(want + 1, sizeof *out->items)))
        return error_set(err, ERR_MEMORY, "out of memory for %" PRIu64 " edges", want);
    int result = 0;
    if (o->shape == INPUT_GRID) grid_edges(out);
    else result = draw_edges(out, o, want, &random, err);
    if (result == 0 && o->shape != INPUT_GRID) result = renumber(out, &random, err);
    if (result < 0) free(out->items), out->items = NULL;
    return result;
}

/* Both directions of every edge in place of one, in order. */
static int edges_both(struct edges *e, struct error *err)
{
    if (e->directed) return 0;
    uint64_t *more = realloc(e->items, (2 * e->n + 1) * sizeof *more);
    if (!more) return error_set(err, ERR_MEMORY, "out of memory for %" PRIu64 " edges", 2 * e->n);
    e->items = more;
    for (uint64_t i = 0; i < e->n; i++) more[e->n + i] = EDGE(TO(more[i]), FROM(more[i]));
    e->n *= 2;
    qsort(e->items, e->n, sizeof *e->items, by_number);
    return 0;
}

/* The same for both directions of an edge: 1 to `most`. */
static uint64_t edge_weight(uint64_t edge, uint64_t seed, uint64_t most)
{
    const uint64_t u = FROM(edge), v = TO(edge);
    struct random random = {(u < v ? EDGE(u, v) : EDGE(v, u)) ^ seed << 20};
    random_next(&random);
    return 1 + random_below(&random, most);
}

/* Edges of both directions: what most forms begin with. */
static int make_both(struct edges *e, const struct input_options *o, struct error *err)
{
    if (edges_make(e, o, err) < 0) return -1;
    if (edges_both(e, err) == 0) return 0;
    free(e->items);
    return -1;
}

int input_graph_bfs(const struct input_options *o, FILE *out, struct error *err)
{
    struct edges e;
    if (make_both(&e, o, err) < 0) return -1;
    fprintf(out, "%" PRIu64 "\n", e.vertices);
    for (uint64_t v = 0, at = 0, end; v < e.vertices; v++, at = end) {
        for (end = at; end < e.n && FROM(e.items[end]) == v;) end++;
        fprintf(out, "%" PRIu64 " %" PRIu64 "\n", at, end - at);
    }
    fprintf(out, "\n0\n\n%" PRIu64 "\n", e.n);
    for (uint64_t i = 0; i < e.n; i++)
        fprintf(out, "%" PRIu64 " %" PRIu64 "\n", TO(e.items[i]), edge_weight(e.items[i], o->seed, o->weights));
    free(e.items);
    return 0;
}

int input_graph_edges(const struct input_options *o, FILE *out, struct error *err)
{
    struct edges e;
    if (edges_make(&e, o, err) < 0) return -1;
    for (uint64_t i = 0; i < e.n; i++) fprintf(out, "%" PRIu64 " %" PRIu64 "\n", FROM(e.items[i]), TO(e.items[i]));
    free(e.items);
    return 0;
}

/* The row of a symmetric one is the larger number: the lower triangle. */
int input_graph_mtx(const struct input_options *o, FILE *out, struct error *err)
{
    struct edges e;
    if (edges_make(&e, o, err) < 0) return -1;
    fprintf(out, "%%%%MatrixMarket matrix coordinate pattern %s\n", e.directed ? "general" : "symmetric");
    fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", e.vertices, e.vertices, e.n);
    for (uint64_t i = 0; i < e.n; i++) {
        const uint64_t u = FROM(e.items[i]) + 1, v = TO(e.items[i]) + 1;
        fprintf(out, "%" PRIu64 " %" PRIu64 "\n", e.directed ? u : v, e.directed ? v : u);
    }
    free(e.items);
    return 0;
}

int input_graph_dimacs(const struct input_options *o, FILE *out, struct error *err)
{
    struct edges e;
    if (make_both(&e, o, err) < 0) return -1;
    fprintf(out, "c poise make-input, seed %" PRIu64 "\np sp %" PRIu64 " %" PRIu64 "\n", o->seed, e.vertices, e.n);
    for (uint64_t i = 0; i < e.n; i++)
        fprintf(out, "a %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", FROM(e.items[i]) + 1, TO(e.items[i]) + 1,
                edge_weight(e.items[i], o->seed, o->weights));
    free(e.items);
    return 0;
}

int input_graph_metis(const struct input_options *o, FILE *out, struct error *err)
{
    struct edges e;
    if (make_both(&e, o, err) < 0) return -1;
    fprintf(out, "%" PRIu64 " %" PRIu64 "\n", e.vertices, e.n / 2);
    for (uint64_t v = 0, at = 0; v < e.vertices; v++) {
        for (bool is_first = true; at < e.n && FROM(e.items[at]) == v; at++, is_first = false)
            fprintf(out, is_first ? "%" PRIu64 : " %" PRIu64, TO(e.items[at]) + 1);
        fputc('\n', out);
    }
    free(e.items);
    return 0;
}

/* -1 off the diagonal, the number of these and one more on it: every row sums to one or more. */
int input_matrix_mtx(const struct input_options *o, FILE *out, struct error *err)
{
    struct edges e;
    if (make_both(&e, o, err) < 0) return -1;
    fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", e.vertices,
            e.vertices, e.n + e.vertices);
    for (uint64_t v = 0, at = 0, end; v < e.vertices; v++) {
        uint64_t sum = 0;
        bool has_diagonal = false;
        for (end = at; end < e.n && FROM(e.items[end]) == v; end++) sum += edge_weight(e.items[end], o->seed, 100);
        for (; at <= end; at++) {
            if (!has_diagonal && (at == end || TO(e.items[at]) > v)) {
                fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 ".%02" PRIu64 "\n", v + 1, v + 1, sum / 100 + 1,
                        sum % 100);
                has_diagonal = true;
            }
            if (at == end) break;
            const uint64_t weight = edge_weight(e.items[at], o->seed, 100);
            fprintf(out, "%" PRIu64 " %" PRIu64 " -%" PRIu64 ".%02" PRIu64 "\n", v + 1, TO(e.items[at]) + 1,
                    weight / 100, weight % 100);
        }
    }
    free(e.items);
    return 0;
}

/* Four neighbours of each element of a grid; what lies outside is far field, which cfd reads as a negative number. */
int input_mesh(const struct input_options *o, FILE *out, struct error *err)
{
    struct random random = {o->seed};
    const int64_t n = (int64_t)o->size, side = (int64_t)side_of(o->size);
    (void)err;
    fprintf(out, "%" PRId64 "\n", n);
    for (int64_t v = 0; v < n; v++) {
        const int64_t at[4] = {v % side ? v - 1 : -1, v % side + 1 < side && v + 1 < n ? v + 1 : -1, v - side,
                               v + side < n ? v + side : -1};
        fprintf(out, "0.%04d\n", (int)(900 + random_below(&random, 200)));
        for (int k = 0; k < 4; k++) {
            const char *sign = k % 2 ? "" : "-";
            fprintf(out, "%" PRId64 " %s%s %s%s 0.0\n", at[k] < 0 ? -2 : at[k] + 1, k < 2 ? sign : "",
                    k < 2 ? "0.3" : "0.0", k < 2 ? "" : sign, k < 2 ? "0.0" : "0.3");
        }
    }
    return 0;
}
