#include "graph.h"

#include <math.h>

struct edges {
    uint32_t n, *from, *to;
};

/* Both directions of every edge, without loops, in the order of the edges. */
static struct graph graph_from_edges(struct wl *w, uint32_t n, const struct edges *e)
{
    struct graph g = {.n = n, .row = WL_NEW(w, uint32_t, n + 1)};
    for (uint32_t i = 0; i < e->n; i++) {
        if (e->from[i] == e->to[i]) continue;
        g.row[e->from[i] + 1]++;
        g.row[e->to[i] + 1]++;
    }
    for (uint32_t v = 0; v < n; v++) g.row[v + 1] += g.row[v];
    g.m = g.row[n];
    g.col = WL_NEW(w, uint32_t, g.m);
    uint32_t *next = WL_NEW(w, uint32_t, n);
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t u = e->from[i], v = e->to[i];
        if (u == v) continue;
        g.col[g.row[u] + next[u]++] = v;
        g.col[g.row[v] + next[v]++] = u;
    }
    return g;
}

static uint32_t draw_degree(const struct graph_spec *s, struct wl_rng *rng)
{
    if (s->skew == 0) return s->degree_min + wl_rng_below(rng, s->degree_max - s->degree_min + 1);
    float u = 1.0f - wl_rng_unit(rng); /* (0, 1] */
    float degree = (float)s->degree_min / (s->skew == 1 ? u : sqrtf(u));
    return degree < (float)s->degree_max ? (uint32_t)degree : s->degree_max;
}

struct graph graph_local(struct wl *w, const struct graph_spec *s, struct wl_rng *rng)
{
    size_t most = (size_t)s->n * s->degree_max;
    struct edges e = {.from = WL_NEW(w, uint32_t, most), .to = WL_NEW(w, uint32_t, most)};
    for (uint32_t v = 0; v < s->n; v++) {
        /* An edge is drawn from one end and belongs to both, so half of the degree is drawn here. */
        uint32_t degree = draw_degree(s, rng), edges = degree / 2 + ((degree & 1) ? wl_rng_below(rng, 2) : 0);
        for (uint32_t k = 0; k < edges; k++) {
            uint32_t u = wl_rng_unit(rng) < s->far
                             ? wl_rng_below(rng, s->n)
                             : (v + s->n - s->window + wl_rng_below(rng, 2 * s->window + 1)) % s->n;
            e.from[e.n] = v;
            e.to[e.n++] = u;
        }
    }
    return graph_from_edges(w, s->n, &e);
}

/* A permutation that moves most vertices by at most about the window. */
static void draw_permutation(const struct graph_spec *s, struct wl_rng *rng, uint32_t *to)
{
    for (uint32_t v = 0; v < s->n; v++) to[v] = v;
    for (uint32_t v = 0; v < s->n; v++) {
        uint32_t u =
            wl_rng_unit(rng) < s->far ? wl_rng_below(rng, s->n) : (v + 1 + wl_rng_below(rng, s->window)) % s->n;
        uint32_t keep = to[u];
        to[u] = to[v];
        to[v] = keep;
    }
}

struct graph graph_regular(struct wl *w, const struct graph_spec *s, struct wl_rng *rng)
{
    size_t most = (size_t)s->n * (s->degree_min / 2 + 1);
    struct edges e = {.from = WL_NEW(w, uint32_t, most), .to = WL_NEW(w, uint32_t, most)};
    uint32_t *to = WL_NEW(w, uint32_t, s->n);
    for (uint32_t k = 0; k < s->degree_min / 2; k++) {
        draw_permutation(s, rng, to);
        for (uint32_t v = 0; v < s->n; v++) {
            e.from[e.n] = v;
            e.to[e.n++] = to[v];
        }
    }
    if (s->degree_min % 2) {
        draw_permutation(s, rng, to);
        for (uint32_t v = 0; v + 1 < s->n; v += 2) {
            e.from[e.n] = to[v];
            e.to[e.n++] = to[v + 1];
        }
    }
    return graph_from_edges(w, s->n, &e);
}

struct graph graph_mesh(struct wl *w, uint32_t width, uint32_t height, bool honeycomb, float shuffled,
                        struct wl_rng *rng)
{
    uint32_t n = width * height, *name = WL_NEW(w, uint32_t, n);
    struct edges e = {.from = WL_NEW(w, uint32_t, 2 * (size_t)n), .to = WL_NEW(w, uint32_t, 2 * (size_t)n)};
    for (uint32_t v = 0; v < n; v++) name[v] = v;
    for (uint32_t v = 0; v < n; v++) {
        if (wl_rng_unit(rng) >= shuffled) continue;
        uint32_t u = (v + wl_rng_below(rng, 256)) % n, keep = name[u];
        name[u] = name[v];
        name[v] = keep;
    }
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t v = y * width + x;
            if (x + 1 < width) {
                e.from[e.n] = name[v];
                e.to[e.n++] = name[v + 1];
            }
            if (y + 1 < height && !(honeycomb && (x + y) % 2)) {
                e.from[e.n] = name[v];
                e.to[e.n++] = name[v + width];
            }
        }
    return graph_from_edges(w, n, &e);
}

struct graph graph_input(struct wl *w, const struct graph_input *input, uint32_t test_side, uint32_t test_n,
                         struct wl_rng *rng)
{
    struct graph_input in = *input;
    if (w->size == WL_TEST) {
        in.side = test_side;
        in.spec.n = test_n;
        in.spec.window = in.spec.window < 256 ? in.spec.window : 256;
    } else if (w->size == WL_FULL || w->size == WL_EVAL) {
        in.side *= 6;
        in.spec.n *= 32;
    }
    if (input->side) return graph_mesh(w, in.side, in.side, in.honeycomb, in.shuffled, rng);
    return in.spec.skew ? graph_local(w, &in.spec, rng) : graph_regular(w, &in.spec, rng);
}

struct graph_input graph_draw(uint32_t number)
{
    static const uint32_t records[] = {3, 3, 4, 5, 6, 8, 12, 16};
    static const float far[] = {0.0f, 0.01f, 0.03f, 0.1f, 0.3f, 1.0f};
    struct wl_rng rng = {0x5eed0000 + (uint64_t)number};
    struct graph_input in = {.words = records[wl_rng_below(&rng, 8)]};
    uint32_t n = 256 * (48 + wl_rng_below(&rng, 129)), family = wl_rng_below(&rng, 4);
    if (family < 2) {
        in.honeycomb = family == 1;
        in.side = (uint32_t)sqrtf((float)n);
        in.shuffled = 1.0f - sqrtf(wl_rng_unit(&rng)); /* rather little */
        return in;
    }
    in.spec.n = n;
    in.spec.window = 2u << wl_rng_below(&rng, 12); /* 2 to 4096 */
    in.spec.far = far[wl_rng_below(&rng, 6)];
    in.spec.degree_min = family == 2 ? 2 + wl_rng_below(&rng, 3) : 2;
    in.spec.degree_max = 4 + wl_rng_below(&rng, 5);
    in.spec.skew = family == 2 ? 0 : 1 + (int)wl_rng_below(&rng, 2);
    return in;
}

uint32_t *graph_by_degree(struct wl *w, const struct graph *g)
{
    uint32_t *order = WL_NEW(w, uint32_t, g->n), *place = WL_NEW(w, uint32_t, g->m + 1), before = 0;
    for (uint32_t v = 0; v < g->n; v++) place[g->row[v + 1] - g->row[v]]++; /* how many have this degree ... */
    for (uint32_t degree = g->m + 1; degree-- > 0;) {                       /* ... and where the first of them goes */
        uint32_t count = place[degree];
        place[degree] = before;
        before += count;
    }
    for (uint32_t v = 0; v < g->n; v++) order[place[g->row[v + 1] - g->row[v]]++] = v;
    return order;
}

struct graph_device graph_upload(struct wl *w, const struct graph *g, uint32_t scale)
{
    uint32_t *col = WL_NEW(w, uint32_t, g->m + 1);
    for (uint32_t i = 0; i < g->m; i++) col[i] = g->col[i] * scale;
    return (struct graph_device){.row = wl_upload(w, g->row, (g->n + 1) * sizeof *g->row),
                                 .col = wl_upload(w, col, (g->m + 1) * sizeof *col)};
}
