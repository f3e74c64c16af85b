/* bricks: sums along rays through a sparse volume. */
#include "workload.h"

enum { FRACTION_BITS = 16, BRICK_BITS = 3, BRICK_VALUES = 512 };
struct sizes {
    uint32_t side_bits, width, height, steps; /* the volume has 8 << side_bits voxels a side */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {2, 24, 10, 8},
    [WL_SMALL] = {4, 128, 96, 32},
    [WL_EVAL] = {5, 256, 192, 64}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {6, 1024, 768, 512},
};

/* Bricks near a sphere's surface are filled; 0 means empty, so brick 0 of the pool is not used. */
static uint32_t fill_directory(uint32_t *directory, uint32_t side)
{
    uint32_t used = 0;
    const int32_t middle = (int32_t)side / 2, radius = (int32_t)side * 3 / 8;
    for (uint32_t i = 0; i < side * side * side; i++) {
        const int32_t x = (int32_t)(i % side) - middle, y = (int32_t)(i / side % side) - middle,
                      z = (int32_t)(i / side / side) - middle;
        const int32_t distance = x * x + y * y + z * z;
        if (distance >= (radius - 1) * (radius - 1) && distance <= (radius + 1) * (radius + 1)) directory[i] = ++used;
    }
    return used;
}

static float march(const uint32_t *directory, const float *pool, const uint32_t ray[4], const struct sizes *s)
{
    const uint32_t side = 1u << s->side_bits, mask = (side << (FRACTION_BITS + BRICK_BITS)) - 1;
    uint32_t x = ray[0], y = ray[1], z = 0;
    float sum = 0;
    for (uint32_t i = 0; i < s->steps; i++) {
        const uint32_t vx = x >> FRACTION_BITS, vy = y >> FRACTION_BITS, vz = z >> FRACTION_BITS;
        const uint32_t brick = directory[((vz >> 3) * side + (vy >> 3)) * side + (vx >> 3)];
        if (brick) sum += pool[(size_t)brick * BRICK_VALUES + (vz & 7) * 64 + (vy & 7) * 8 + (vx & 7)];
        x = (x + ray[2]) & mask;
        y = (y + ray[3]) & mask;
        z += (mask + 1) / s->steps;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "bricks", .doc = "sums along rays through a sparse volume", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    const uint32_t side = 1u << s.side_bits, voxels = side << BRICK_BITS;
    uint32_t n = s.width * s.height;
    uint32_t *directory = WL_NEW(&w, uint32_t, (size_t)side * side * side), *rays = WL_NEW(&w, uint32_t, (size_t)4 * n);
    float *got = WL_NEW(&w, float, n), *want = WL_NEW(&w, float, n);
    const size_t values = (size_t)(fill_directory(directory, side) + 1) * BRICK_VALUES;
    float *pool = WL_NEW(&w, float, values);
    struct wl_rng rng = {201};
    wl_rng_fill(&rng, pool, values);
    /* A pinhole camera: rays begin in a grid on the front face and turn outwards by up to a quarter voxel a step. */
    for (uint32_t i = 0; i < n; i++) {
        const int32_t column = (int32_t)(i % s.width), row = (int32_t)(i / s.width);
        rays[i] = (voxels << FRACTION_BITS) / s.width * (uint32_t)column;
        rays[i + n] = (voxels << FRACTION_BITS) / s.height * (uint32_t)row;
        rays[i + 2 * n] = (uint32_t)((2 * column - (int32_t)s.width) * (int32_t)(16384 / s.width));
        rays[i + 3 * n] = (uint32_t)((2 * row - (int32_t)s.height) * (int32_t)(16384 / s.height));
    }

    CUdeviceptr d_directory = wl_upload(&w, directory, (size_t)side * side * side * sizeof *directory),
                d_pool = wl_upload(&w, pool, values * sizeof *pool),
                d_rays = wl_upload(&w, rays, (size_t)4 * n * sizeof *rays), d_sums = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_directory, &d_pool, &d_rays, &d_sums, &s.side_bits, &s.steps, &n};
    wl_launch(&w, wl_function(&w, "march"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t ray[4] = {rays[i], rays[i + n], rays[i + 2 * n], rays[i + 3 * n]};
        want[i] = march(directory, pool, ray, &s);
    }
    wl_output(&w, got, d_sums, n * sizeof *got);
    wl_compare_f32(&w, "sums", got, want, n);
    return wl_end(&w);
}
