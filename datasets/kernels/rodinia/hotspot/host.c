/* hotspot: heat on a chip. */
#include "workload.h"

#include <math.h>
#include <string.h>

enum { SIDE = 16 };
struct sizes {
    uint32_t n, steps, pyramid;
}; /* pyramid: steps a launch */
static const char *const inputs[] = {"110 KB between launches at size small", "2.8 MB between launches at size small"};
enum { INPUTS = sizeof inputs / sizeof *inputs };
static const struct sizes sizes[INPUTS][WL_N_SIZES] = {
    {[WL_TEST] = {48, 4, 2}, [WL_SMALL] = {168, 4, 2}, [WL_FULL] = {1024, 60, 2}, [WL_EVAL] = {1512, 2, 2}},
    {[WL_TEST] = {60, 4, 2}, [WL_SMALL] = {840, 4, 2}, [WL_FULL] = {1024, 60, 2}, [WL_EVAL] = {1512, 4, 2}}};

struct chip {
    float scale, rx, ry, rz;
}; /* step over capacity, inverse resistances */

/* A chip of 16 mm x 16 mm x 0.5 mm of silicon; the step keeps the change small. */
static struct chip chip_of(uint32_t n)
{
    float cell = 0.016f / (float)n, thick = 0.0005f, conductivity = 100.0f, heat = 1.75e6f;
    float capacity = 0.5f * heat * thick * cell * cell, max_slope = 3e6f / (0.5f * thick * heat);
    return (struct chip){.scale = 0.001f / max_slope / capacity,
                         .rx = 2.0f * conductivity * thick,
                         .ry = 2.0f * conductivity * thick,
                         .rz = conductivity * cell * cell / thick};
}

static void reference(struct sizes s, struct chip c, const float *power, float *heat, float *next)
{
    size_t n = s.n;
    for (uint32_t t = 0; t < s.steps; t++) {
        for (size_t y = 0; y < n; y++)
            for (size_t x = 0; x < n; x++) {
                size_t at = y * n + x;
                float here = heat[at], north = heat[y > 0 ? at - n : at], south = heat[y + 1 < n ? at + n : at];
                float west = heat[x > 0 ? at - 1 : at], east = heat[x + 1 < n ? at + 1 : at];
                float flow = fmaf(south + north - 2.0f * here, c.ry, power[at]);
                flow = fmaf(east + west - 2.0f * here, c.rx, flow);
                next[at] = fmaf(c.scale, fmaf(80.0f - here, c.rz, flow), here);
            }
        memcpy(heat, next, n * n * sizeof *heat);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "hotspot", .doc = "heat on a chip (Rodinia)", .inputs = inputs, .n_inputs = INPUTS, .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.input][w.size];
    struct chip c = chip_of(s.n);
    size_t n = (size_t)s.n * s.n, bytes = n * sizeof(float);
    float *heat = WL_NEW(&w, float, n), *power = WL_NEW(&w, float, n), *next = WL_NEW(&w, float, n),
          *got = WL_NEW(&w, float, n);
    struct wl_rng rng = {31};
    for (size_t i = 0; i < n; i++) {
        heat[i] = 323.0f + 20.0f * wl_rng_unit(&rng);
        power[i] = 1e-3f * wl_rng_unit(&rng);
    }

    CUdeviceptr d_power = wl_upload(&w, power, bytes), d_heat[2] = {wl_upload(&w, heat, bytes), wl_alloc(&w, bytes)};
    CUfunction kernel = wl_function(&w, "hotspot_steps");
    int from = 0;
    for (uint32_t t = 0; t < s.steps; t += s.pyramid, from = !from) {
        uint32_t steps = s.steps - t < s.pyramid ? s.steps - t : s.pyramid, blocks = wl_blocks(s.n, SIDE - 2 * steps);
        void *args[] = {&steps, &d_power, &d_heat[from], &d_heat[!from], &s.n, &s.n, &c.scale, &c.rx, &c.ry, &c.rz};
        wl_launch(&w, kernel, blocks, blocks, SIDE, SIDE, args);
    }

    reference(s, c, power, heat, next);
    wl_output(&w, got, d_heat[from], bytes);
    wl_compare_f32(&w, "temperature", got, heat, n);
    return wl_end(&w);
}
