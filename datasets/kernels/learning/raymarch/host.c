/* raymarch: an image of a volume by rays that walk from voxel to voxel. */
#include "workload.h"

#include <math.h>

/* side^3 voxels with `balls` in them, and an image of width x height pixels. */
struct sizes {
    uint32_t side, balls, width, height;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {32, 8, 32, 32},
    [WL_SMALL] = {64, 24, 96, 64},
    [WL_EVAL] = {128, 48, 256, 192}, /* 192 blocks of 16 x 16 for the 160 places of 32 SMs */
    [WL_FULL] = {128, 48, 1024, 768},
};
#define BLOCK 16u
#define OPAQUE 0.015625f

struct camera {
    float origin[3], corner[3], right[3], down[3];
};

/* A haze that is thicker further down (y points down), and balls of fog that are thicker towards their middles; the rim
 * is -1. */
static void make_grid(struct sizes s, float *grid, struct wl_rng *rng)
{
    uint32_t n = s.side;
    float scale = (float)n / 128.0f;
    for (uint32_t z = 0; z < n; z++)
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++)
                grid[((size_t)z * n + y) * n + x] = (0.06f + 0.2f * (float)y / (float)n) / scale;
    for (uint32_t b = 0; b < s.balls; b++) {
        float radius = scale * (5.0f + 11.0f * wl_rng_unit(rng));
        float thickness = (0.05f + 0.6f * wl_rng_unit(rng)) / scale, centre[3];
        for (int a = 0; a < 3; a++) centre[a] = radius + 1.0f + wl_rng_unit(rng) * ((float)n - 2.0f * radius - 2.0f);
        for (uint32_t z = 0; z < n; z++)
            for (uint32_t y = 0; y < n; y++)
                for (uint32_t x = 0; x < n; x++) {
                    float dx = (float)x + 0.5f - centre[0], dy = (float)y + 0.5f - centre[1],
                          dz = (float)z + 0.5f - centre[2];
                    float far = (dx * dx + dy * dy + dz * dz) / (radius * radius);
                    if (far < 1.0f) grid[((size_t)z * n + y) * n + x] += thickness * (1.0f - far);
                }
    }
    for (uint32_t z = 0; z < n; z++)
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++)
                if (x % (n - 1) == 0 || y % (n - 1) == 0 || z % (n - 1) == 0) grid[((size_t)z * n + y) * n + x] = -1.0f;
}

/* A camera beside, above and before the volume looks at its middle; the image is as wide as about 1.6 of its edges
 * there. */
static struct camera make_camera(struct sizes s)
{
    static const float from[3] = {1.13f, -0.71f, -1.37f}; /* of the edge, from the middle */
    float n = (float)s.side, look[3], length = 0.0f;
    struct camera c;
    for (int a = 0; a < 3; a++) {
        c.origin[a] = n * (0.5f + from[a]);
        look[a] = -n * from[a];
        length += look[a] * look[a];
    }
    length = sqrtf(length);
    float flat = sqrtf(look[0] * look[0] + look[2] * look[2]), pixel = 1.6f * n / (float)s.width;
    float right[3] = {look[2] / flat, 0.0f, -look[0] / flat};
    float down[3] = {-right[2] * look[1] / length, (right[2] * look[0] - right[0] * look[2]) / length,
                     right[0] * look[1] / length};
    for (int a = 0; a < 3; a++) {
        c.right[a] =
            right[a] * pixel / length; /* t is 1 at the distance of the middle: directions are shorter by that */
        c.down[a] = -down[a] * pixel / length;
        c.corner[a] = look[a] / length - 0.5f * ((float)s.width * c.right[a] + (float)s.height * c.down[a]);
    }
    return c;
}

struct axis {
    float next, delta;
    int step;
};

static void clip(float origin, float inverse, uint32_t side, float *near, float *far)
{
    float first = (1.0f - origin) * inverse, last = ((float)(side - 1) - origin) * inverse;
    float in = first < last ? first : last, out = first < last ? last : first;
    *near = in > *near ? in : *near;
    *far = out < *far ? out : *far;
}

static void reference(struct sizes s, const struct camera *c, const float *grid, float *light_out, float *clear_out)
{
    for (uint32_t py = 0; py < s.height; py++)
        for (uint32_t px = 0; px < s.width; px++) {
            float d[3], inverse[3], t = 0.0f, far = 3.4e38f, light = 0.0f, clear = 1.0f;
            for (int a = 0; a < 3; a++) {
                d[a] = fmaf((float)py, c->down[a], fmaf((float)px, c->right[a], c->corner[a]));
                inverse[a] = 1.0f / d[a];
                clip(c->origin[a], inverse[a], s.side, &t, &far);
            }
            struct axis axis[3];
            bool meets = t < far;
            int voxel = 0, pitch = 1;
            for (int a = 0; a < 3 && meets; a++, pitch *= (int)s.side) {
                int at = (int)fmaf(d[a], t, c->origin[a]), last = (int)s.side - 2;
                at = at < 1 ? 1 : at > last ? last : at;
                bool up = d[a] > 0.0f;
                axis[a] = (struct axis){.next = ((float)(at + up) - c->origin[a]) * inverse[a],
                                        .delta = up ? inverse[a] : -inverse[a],
                                        .step = up ? pitch : -pitch};
                voxel += at * pitch;
            }
            while (meets && grid[voxel] >= 0.0f && clear >= OPAQUE) {
                int a = axis[0].next < axis[1].next ? 0 : 1;
                float next = axis[a].next;
                next = axis[2].next < next ? axis[2].next : next;
                float share = grid[voxel] * (next - t);
                share = clear * (share < 1.0f ? share : 1.0f);
                light = fmaf(share, grid[voxel], light);
                clear -= share;
                t = next;
                a = axis[0].next == next ? 0 : axis[1].next == next ? 1 : 2;
                voxel += axis[a].step;
                axis[a].next += axis[a].delta;
            }
            light_out[py * s.width + px] = light;
            clear_out[py * s.width + px] = clear;
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "raymarch", .doc = "rays through a volume, voxel by voxel", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n_grid = (size_t)s.side * s.side * s.side, n = (size_t)s.width * s.height;
    float *grid = WL_NEW(&w, float, n_grid), *out = WL_NEW(&w, float, n);
    float *light = WL_NEW(&w, float, n), *clear = WL_NEW(&w, float, n);
    struct wl_rng rng = {61};
    make_grid(s, grid, &rng);
    struct camera camera = make_camera(s);

    wl_symbol(&w, "raymarch_camera", &camera, sizeof camera);
    CUdeviceptr d_grid = wl_upload(&w, grid, n_grid * sizeof *grid);
    CUdeviceptr d_light = wl_alloc(&w, n * sizeof *light), d_clear = wl_alloc(&w, n * sizeof *clear);
    void *args[] = {&d_grid, &d_light, &d_clear, &s.side, &s.width, &s.height};
    wl_launch(&w, wl_function(&w, "raymarch"), wl_blocks(s.width, BLOCK), wl_blocks(s.height, BLOCK), BLOCK, BLOCK,
              args);

    reference(s, &camera, grid, light, clear);
    wl_output(&w, out, d_light, n * sizeof *out);
    wl_compare_f32(&w, "light", out, light, n);
    wl_output(&w, out, d_clear, n * sizeof *out);
    wl_compare_f32(&w, "clear", out, clear, n);
    return wl_end(&w);
}
