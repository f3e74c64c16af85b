/* backproject: an image from filtered projections by parallel beams. */
#include "exact_math.h"
#include "workload.h"

struct sizes {
    uint32_t side, angles;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {24, 10},
    [WL_SMALL] = {128, 45},
    [WL_EVAL] = {512, 150}, /* 1024 blocks of 16 x 16 */
    [WL_FULL] = {1024, 720},
};
#define BLOCK 16u

/* Filtered projections of discs: bright where beams meet one, dark beside it. */
static void draw_projections(struct sizes s, uint32_t detectors, const float (*turns)[2], float *to, struct wl_rng *rng)
{
    float middle = (float)(detectors - 1) * 0.5f;
    for (int disc = 0; disc < 12; disc++) {
        float radius = (float)s.side * (0.02f + 0.1f * wl_rng_unit(rng)), density = wl_rng_unit(rng);
        float x = (wl_rng_unit(rng) - 0.5f) * 0.7f * (float)s.side,
              y = (wl_rng_unit(rng) - 0.5f) * 0.7f * (float)s.side;
        for (uint32_t a = 0; a < s.angles; a++)
            for (uint32_t d = 0; d < detectors; d++) {
                float t = ((float)d - middle - x * turns[a][0] - y * turns[a][1]) / radius, t2 = t * t;
                to[(size_t)a * detectors + d] += density * (t2 < 1.0f ? 1.0f - t2 : -0.2f / t2);
            }
    }
}

static float reference(struct sizes s, uint32_t detectors, const float (*turns)[2], const float *projections,
                       uint32_t px, uint32_t py)
{
    float half = (float)(s.side - 1) * 0.5f, x = (float)px - half, y = (float)py - half, sum = 0.0f;
    float middle = (float)(detectors - 1) * 0.5f;
    for (uint32_t a = 0; a < s.angles; a++) {
        float at = fmaf(x, turns[a][0], fmaf(y, turns[a][1], middle));
        int left = (int)at;
        const float *detector = projections + (size_t)a * detectors + left;
        sum += fmaf(at - (float)left, detector[1] - detector[0], detector[0]);
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "backproject", .doc = "an image from projections by parallel beams", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t detectors = s.side + s.side / 2; /* more than the diagonal */
    size_t n = (size_t)s.side * s.side, n_projections = (size_t)s.angles * detectors;
    float(*turns)[2] = wl_host(&w, s.angles, sizeof *turns);
    float *projections = WL_NEW(&w, float, n_projections), *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    struct wl_rng rng = {91};
    for (uint32_t a = 0; a < s.angles; a++) {
        float angle = 3.14159265f * (float)a / (float)s.angles;
        turns[a][0] = exact_cos(angle);
        turns[a][1] = exact_sin(angle);
    }
    draw_projections(s, detectors, turns, projections, &rng);

    wl_symbol(&w, "backproject_turns", turns, s.angles * sizeof *turns);
    CUdeviceptr d_projections = wl_upload(&w, projections, n_projections * sizeof *projections);
    CUdeviceptr d_image = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_projections, &d_image, &s.angles, &detectors, &s.side};
    wl_launch(&w, wl_function(&w, "backproject"), wl_blocks(s.side, BLOCK), wl_blocks(s.side, BLOCK), BLOCK, BLOCK,
              args);

    for (uint32_t py = 0; py < s.side; py++)
        for (uint32_t px = 0; px < s.side; px++)
            want[(size_t)py * s.side + px] = reference(s, detectors, turns, projections, px, py);
    wl_output(&w, got, d_image, n * sizeof *got);
    wl_compare_f32(&w, "image", got, want, n);
    return wl_end(&w);
}
