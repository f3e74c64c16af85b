/* advect: particles that a steady flow carries. */
#include "workload.h"

#include <math.h>

struct sizes {
    uint32_t side, vortices, particles, steps;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {16, 3, 320, 12},
    [WL_SMALL] = {64, 8, 12288, 32},
    [WL_EVAL] = {128, 12, 49152, 64}, /* 384 blocks of 128 for the 256 places of 32 SMs */
    [WL_FULL] = {256, 24, 1048576, 512},
};
#define RAKE 32u /* particles that start on one line */

struct vector {
    float x, y, z, w;
};

/* A flow along x with vortices about lines of drawn directions, and a share of each cell's distance from the middle. */
static void make_field(struct sizes s, struct vector *field, struct wl_rng *rng)
{
    struct vector at[32], axis[32];
    float n = (float)s.side;
    for (uint32_t k = 0; k < s.vortices; k++) {
        at[k] =
            (struct vector){n * wl_rng_unit(rng), n * wl_rng_unit(rng), n * wl_rng_unit(rng), 0.05f + wl_rng_unit(rng)};
        axis[k] = (struct vector){wl_rng_unit(rng) - 0.5f, wl_rng_unit(rng) - 0.5f, wl_rng_unit(rng) - 0.5f,
                                  n * (0.5f + wl_rng_unit(rng))};
    }
    for (uint32_t z = 0; z < s.side; z++)
        for (uint32_t y = 0; y < s.side; y++)
            for (uint32_t x = 0; x < s.side; x++) {
                struct vector v = {0.25f, 0.0f, 0.0f, (float)((x ^ y ^ z) & 7u)};
                for (uint32_t k = 0; k < s.vortices; k++) {
                    float dx = (float)x - at[k].x, dy = (float)y - at[k].y, dz = (float)z - at[k].z;
                    float strength = 30.0f * at[k].w / (axis[k].w + dx * dx + dy * dy + dz * dz);
                    v.x += strength * (axis[k].y * dz - axis[k].z * dy);
                    v.y += strength * (axis[k].z * dx - axis[k].x * dz);
                    v.z += strength * (axis[k].x * dy - axis[k].y * dx);
                }
                float speed = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
                if (speed > 1.0f) v.x /= speed, v.y /= speed, v.z /= speed; /* no more than a cell a step */
                field[((size_t)z * s.side + y) * s.side + x] = v;
            }
}

/* Rakes: lines of 32 particles, half a cell to two cells apart. */
static void draw_particles(struct sizes s, struct vector *particles, struct wl_rng *rng)
{
    struct vector at = {0}, by = {0};
    for (uint32_t i = 0; i < s.particles; i++) {
        if (i % RAKE == 0) {
            float apart = 0.5f + 1.5f * wl_rng_unit(rng), n = (float)s.side;
            at = (struct vector){n * wl_rng_unit(rng), n * wl_rng_unit(rng), n * wl_rng_unit(rng), 0.0f};
            by = (struct vector){wl_rng_unit(rng) - 0.5f, wl_rng_unit(rng) - 0.5f, wl_rng_unit(rng) - 0.5f, 0.0f};
            float length = sqrtf(by.x * by.x + by.y * by.y + by.z * by.z) + 0.001f;
            by.x *= apart / length, by.y *= apart / length, by.z *= apart / length;
        }
        particles[i] = at;
        at.x += by.x, at.y += by.y, at.z += by.z;
    }
}

static void reference(struct sizes s, const struct vector *field, struct vector *p)
{
    for (uint32_t step = 0; step < s.steps; step++) {
        uint32_t cx = (uint32_t)(int)p->x, cy = (uint32_t)(int)p->y, cz = (uint32_t)(int)p->z;
        if (cx >= s.side || cy >= s.side || cz >= s.side) return;
        const struct vector *v = &field[((size_t)cz * s.side + cy) * s.side + cx];
        p->x += v->x;
        p->y += v->y;
        p->z += v->z;
        p->w += v->w;
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "advect", .doc = "particles carried by a flow on a grid", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_cells = (size_t)s.side * s.side * s.side;
    struct vector *field = WL_NEW(&w, struct vector, n_cells), *particles = WL_NEW(&w, struct vector, s.particles);
    struct vector *got = WL_NEW(&w, struct vector, s.particles);
    struct wl_rng rng = {85};
    make_field(s, field, &rng);
    draw_particles(s, particles, &rng);

    CUdeviceptr d_field = wl_upload(&w, field, n_cells * sizeof *field);
    CUdeviceptr d_particles = wl_upload(&w, particles, s.particles * sizeof *particles);
    void *args[] = {&d_field, &s.side, &d_particles, &s.steps, &s.particles};
    wl_launch(&w, wl_function(&w, "advect"), wl_blocks(s.particles, 128), 1, 128, 1, args);

    for (uint32_t i = 0; i < s.particles; i++) reference(s, field, &particles[i]);
    wl_output(&w, got, d_particles, s.particles * sizeof *got);
    wl_compare_f32(&w, "particles", &got->x, &particles->x, (size_t)s.particles * 4);
    return wl_end(&w);
}
