/* ants: routes of an ant colony. */
#include "workload.h"

struct sizes {
    uint32_t cities, stops, ants;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {12, 3, 200},
    [WL_SMALL] = {48, 2, 8192},
    [WL_EVAL] = {100, 3, 24576}, /* 192 blocks of 128: half the places of 32 SMs */
    [WL_FULL] = {200, 8, 1u << 17},
};

/* Trail times nearness: cities are drawn in a square, nearness falls with the square of the distance, and trails are as
 * they are after some rounds, drawn between a tenth and one. */
static void draw_choice(uint32_t cities, float *choice, struct wl *w, struct wl_rng *rng)
{
    float(*at)[2] = wl_host(w, cities, sizeof *at);
    for (uint32_t i = 0; i < cities; i++) wl_rng_fill(rng, at[i], 2);
    for (uint32_t i = 0; i < cities; i++)
        for (uint32_t j = 0; j < cities; j++) {
            const float dx = at[i][0] - at[j][0], dy = at[i][1] - at[j][1];
            const float trail = 0.1f + 0.9f * wl_rng_unit(rng);
            choice[(size_t)i * cities + j] = trail / (0.001f + dx * dx + dy * dy);
        }
}

static void build_route(struct sizes s, const float *choice, uint32_t seed, uint8_t *visited, uint32_t *route)
{
    uint32_t state = seed, city = seed % s.cities;
    for (uint32_t i = 0; i < s.cities; i++) visited[i] = i == city;
    for (uint32_t stop = 0; stop < s.stops; stop++) {
        const float *row = choice + (size_t)city * s.cities;
        float most = -1.0f;
        for (uint32_t i = 0; i < s.cities; i++) {
            state = state * 1664525u + 1013904223u;
            const float worth = row[i] * (float)(state >> 8);
            if (worth <= most || visited[i]) continue;
            most = worth;
            city = i;
        }
        visited[city] = 1;
        route[(size_t)stop * s.ants] = city;
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "ants", .doc = "routes of an ant colony", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.ants;
    const size_t n_choice = (size_t)s.cities * s.cities, n_routes = (size_t)s.stops * n;
    float *choice = WL_NEW(&w, float, n_choice);
    uint32_t *seeds = WL_NEW(&w, uint32_t, n), *got = WL_NEW(&w, uint32_t, n_routes),
             *want = WL_NEW(&w, uint32_t, n_routes);
    uint8_t *visited = WL_NEW(&w, uint8_t, s.cities);
    struct wl_rng rng = {116};
    draw_choice(s.cities, choice, &w, &rng);
    for (uint32_t i = 0; i < n; i++) seeds[i] = (uint32_t)wl_rng_next(&rng);

    CUdeviceptr d_choice = wl_upload(&w, choice, n_choice * sizeof *choice),
                d_visited = wl_alloc(&w, (size_t)s.cities * n);
    CUdeviceptr d_seeds = wl_upload(&w, seeds, n * sizeof *seeds), d_routes = wl_alloc(&w, n_routes * sizeof *got);
    void *args[] = {&d_choice, &d_visited, &d_seeds, &d_routes, &s.cities, &s.stops, &n};
    wl_launch(&w, wl_function(&w, "build_routes"), wl_blocks(n, 128), 1, 128, 1, args);

    for (uint32_t i = 0; i < n; i++) build_route(s, choice, seeds[i], visited, want + i);
    wl_output(&w, got, d_routes, n_routes * sizeof *got);
    wl_compare_u32(&w, "routes", got, want, n_routes);
    return wl_end(&w);
}
