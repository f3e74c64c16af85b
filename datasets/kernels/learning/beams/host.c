/* beams: how well a laser scan fits a map, for many particles. */
#include "exact_math.h"
#include "workload.h"

#include <math.h>

/* A map of `cells` x `cells`, particles and beams; particles gather around so many poses. */
struct sizes {
    uint32_t cells, particles, beams, modes;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {64, 200, 12, 2},
    [WL_SMALL] = {256, 8192, 30, 4},
    [WL_EVAL] = {1024, 49152, 60, 8}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {4096, 1u << 20, 180, 16},
};

/* Distances to the nearest wall of drawn walls, by two passes over the map, and a likelihood that falls with them. */
static void make_field(uint32_t cells, float *field, struct wl_rng *rng)
{
    size_t n = (size_t)cells * cells;
    for (size_t i = 0; i < n; i++) field[i] = (float)cells;
    for (uint32_t wall = 0; wall < cells / 8; wall++) {
        uint32_t x = wl_rng_below(rng, cells), y = wl_rng_below(rng, cells), length = 8 + wl_rng_below(rng, cells / 8);
        bool is_level = wl_rng_below(rng, 2);
        for (uint32_t i = 0; i < length && x < cells && y < cells; i++) {
            field[(size_t)y * cells + x] = 0.0f;
            x += is_level;
            y += !is_level;
        }
    }
    for (size_t i = 1; i < n; i++) {
        if (i % cells != 0) field[i] = fminf(field[i], field[i - 1] + 1.0f);
        if (i >= cells) field[i] = fminf(field[i], field[i - cells] + 1.0f);
    }
    for (size_t i = n - 1; i-- > 0;) {
        if ((i + 1) % cells != 0) field[i] = fminf(field[i], field[i + 1] + 1.0f);
        if (i + cells < n) field[i] = fminf(field[i], field[i + cells] + 1.0f);
    }
    for (size_t i = 0; i < n; i++) field[i] = 0.05f + 0.95f / fmaf(0.25f * field[i], field[i], 1.0f);
}

/* Half of the particles gather around the modes, one mode after another as resampling leaves them; the others are
 * anywhere. */
static void draw_poses(struct sizes s, float (*poses)[4], struct wl_rng *rng)
{
    float x = 0.0f, y = 0.0f, turn = 0.0f, cells = (float)s.cells;
    for (uint32_t i = 0; i < s.particles; i++) {
        bool is_near = i < s.particles / 2;
        if (!is_near || i % (s.particles / 2 / s.modes) == 0) {
            x = cells * wl_rng_unit(rng);
            y = cells * wl_rng_unit(rng);
            turn = wl_rng_unit(rng);
        }
        poses[i][0] = is_near ? x + 16.0f * (wl_rng_unit(rng) - 0.5f) : x;
        poses[i][1] = is_near ? y + 16.0f * (wl_rng_unit(rng) - 0.5f) : y;
        exact_sincos_turns(is_near ? turn + 0.05f * (wl_rng_unit(rng) - 0.5f) : turn, &poses[i][3], &poses[i][2]);
    }
}

static float weigh(struct sizes s, const float *field, const float *pose, float (*ends)[2])
{
    float weight = 1.0f, cells = (float)s.cells;
    for (uint32_t i = 0; i < s.beams; i++) {
        float x = fmaf(pose[2], ends[i][0], fmaf(-pose[3], ends[i][1], pose[0]));
        float y = fmaf(pose[3], ends[i][0], fmaf(pose[2], ends[i][1], pose[1]));
        if (x < 0.0f || x >= cells || y < 0.0f || y >= cells) continue;
        float likelihood = field[(size_t)y * s.cells + (size_t)x];
        weight = fmaf(likelihood * likelihood, likelihood, weight);
    }
    return weight;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "beams", .doc = "how well a laser scan fits a map, for many particles", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.particles;
    size_t n_cells = (size_t)s.cells * s.cells;
    float *field = WL_NEW(&w, float, n_cells), *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    float(*poses)[4] = wl_host(&w, n, sizeof *poses), (*ends)[2] = wl_host(&w, s.beams, sizeof *ends);
    struct wl_rng rng = {102};
    make_field(s.cells, field, &rng);
    draw_poses(s, poses, &rng);
    for (uint32_t i = 0; i < s.beams; i++) {
        float sine, cosine, range = (float)s.cells * (0.02f + 0.18f * wl_rng_unit(&rng));
        exact_sincos_turns((float)i / (float)s.beams, &sine, &cosine);
        ends[i][0] = range * cosine;
        ends[i][1] = range * sine;
    }

    wl_symbol(&w, "beam_ends", ends, s.beams * sizeof *ends);
    CUdeviceptr d_field = wl_upload(&w, field, n_cells * sizeof *field),
                d_poses = wl_upload(&w, poses, n * sizeof *poses);
    CUdeviceptr d_weights = wl_alloc(&w, n * sizeof *got);
    float cells = (float)s.cells;
    void *args[] = {&d_field, &d_poses, &d_weights, &s.beams, &cells, &cells, &n};
    wl_launch(&w, wl_function(&w, "weigh_particles"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) want[i] = weigh(s, field, poses[i], ends);
    wl_output(&w, got, d_weights, n * sizeof *got);
    wl_compare_f32(&w, "weights", got, want, n);
    return wl_end(&w);
}
