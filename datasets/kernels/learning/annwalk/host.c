/* annwalk: nearest neighbours by descent in a graph of neighbours. */
#include "workload.h"

#include <math.h>
#include <string.h>

enum { DIM = 32, DEGREE = 32, NEAR = 24, CLUSTER = 256, WARPS = 4 };
struct sizes {
    uint32_t clusters, queries, hops;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2, 48, 3},
    [WL_SMALL] = {32, 512, 8},
    [WL_EVAL] = {256, 1536, 10}, /* 384 blocks of 128: the places of 32 SMs */
    [WL_FULL] = {4096, 65536, 64},
};

static float distance(const float *a, const float *b)
{
    float sum = 0.0f;
    for (int k = 0; k < DIM; k++) sum = fmaf(a[k] - b[k], a[k] - b[k], sum);
    return sum;
}

/* The key by which the kernel compares: the distance, its lowest five bits the lane's number. */
static uint32_t key_of(const float *a, const float *b, uint32_t lane)
{
    float d = distance(a, b);
    uint32_t bits;
    memcpy(&bits, &d, sizeof bits);
    return (bits & ~31u) | lane;
}

/* Clusters around drawn centres. */
static void draw_vectors(uint32_t clusters, float *vectors, struct wl_rng *rng)
{
    float centre[DIM];
    for (uint32_t i = 0; i < clusters * CLUSTER; i++) {
        if (i % CLUSTER == 0) wl_rng_fill(rng, centre, DIM);
        for (int k = 0; k < DIM; k++) vectors[(size_t)i * DIM + (size_t)k] = centre[k] + 0.3f * wl_rng_unit(rng);
    }
}

/* The 24 nearest of the own cluster, nearest first, and 8 vertices from anywhere. */
static void link_vertex(uint32_t v, uint32_t n, const float *vectors, uint32_t *list, struct wl_rng *rng)
{
    float nearest[NEAR];
    uint32_t found = 0;
    for (uint32_t u = v / CLUSTER * CLUSTER, end = u + CLUSTER; u < end; u++) {
        float d = distance(vectors + (size_t)u * DIM, vectors + (size_t)v * DIM);
        if (u == v || (found == NEAR && d >= nearest[NEAR - 1])) continue;
        uint32_t at = found < NEAR ? found++ : NEAR - 1;
        for (; at > 0 && nearest[at - 1] > d; at--) {
            nearest[at] = nearest[at - 1];
            list[at] = list[at - 1];
        }
        nearest[at] = d;
        list[at] = u;
    }
    for (uint32_t i = NEAR; i < DEGREE; i++) list[i] = wl_rng_below(rng, n);
}

static uint32_t start_of(uint32_t query, uint32_t number, uint32_t vertices)
{
    uint32_t h = (query * 64 + number) * 2654435761u;
    h ^= h >> 15;
    return h * 2246822519u % vertices;
}

static uint32_t walk(const float *vectors, const uint32_t *graph, const float *own, uint32_t query, uint32_t n,
                     uint32_t hops)
{
    uint32_t starts = 0, here = UINT32_MAX, best = UINT32_MAX, best_vertex = 0, v = start_of(query, 0, n);
    for (uint32_t hop = 0; hop < hops; hop++) {
        const uint32_t *list = graph + (size_t)v * DEGREE;
        uint32_t key = UINT32_MAX;
        for (uint32_t lane = 0; lane < DEGREE; lane++) {
            uint32_t k = key_of(vectors + (size_t)list[lane] * DIM, own, lane);
            if (k < key) key = k;
        }
        if ((key & ~31u) < here) {
            here = key & ~31u;
            v = list[key & 31];
            if (here < best) {
                best = here;
                best_vertex = v;
            }
        } else {
            here = UINT32_MAX;
            v = start_of(query, ++starts, n);
        }
    }
    return best_vertex;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "annwalk", .doc = "nearest neighbours by descent in a graph", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.clusters * CLUSTER;
    size_t n_vectors = (size_t)n * DIM, n_graph = (size_t)n * DEGREE, n_queries = (size_t)s.queries * DIM;
    float *vectors = WL_NEW(&w, float, n_vectors), *queries = WL_NEW(&w, float, n_queries);
    uint32_t *graph = WL_NEW(&w, uint32_t, n_graph), *got = WL_NEW(&w, uint32_t, s.queries),
             *want = WL_NEW(&w, uint32_t, s.queries);
    struct wl_rng rng = {97};
    draw_vectors(s.clusters, vectors, &rng);
    for (uint32_t v = 0; v < n; v++) link_vertex(v, n, vectors, graph + (size_t)v * DEGREE, &rng);
    for (uint32_t q = 0; q < s.queries; q++) {
        const float *near = vectors + (size_t)wl_rng_below(&rng, n) * DIM;
        for (int k = 0; k < DIM; k++)
            queries[(size_t)q * DIM + (size_t)k] = near[k] + 0.2f * (wl_rng_unit(&rng) - 0.5f);
    }

    CUdeviceptr d_vectors = wl_upload(&w, vectors, n_vectors * sizeof *vectors);
    CUdeviceptr d_graph = wl_upload(&w, graph, n_graph * sizeof *graph);
    CUdeviceptr d_queries = wl_upload(&w, queries, n_queries * sizeof *queries);
    CUdeviceptr d_nearest = wl_alloc(&w, s.queries * sizeof *got);
    void *args[] = {&d_vectors, &d_graph, &d_queries, &d_nearest, &n, &s.hops};
    wl_launch(&w, wl_function(&w, "ann_walk"), s.queries / WARPS, 1, 32 * WARPS, 1, args);

    for (uint32_t q = 0; q < s.queries; q++) want[q] = walk(vectors, graph, queries + (size_t)q * DIM, q, n, s.hops);
    wl_output(&w, got, d_nearest, s.queries * sizeof *got);
    wl_compare_u32(&w, "nearest", got, want, s.queries);
    return wl_end(&w);
}
