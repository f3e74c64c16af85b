/* clahe: contrast-limited adaptive histogram equalisation. */
#include "workload.h"

enum { LEVELS = 4096, TILES = 8, LIMIT = 4 };
struct sizes {
    uint32_t log_tile; /* tiles of 2^log_tile pixels a side, eight a side of the image */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {4},
    [WL_SMALL] = {6},
    [WL_EVAL] = {8}, /* 2048 x 2048 pixels, 16,384 blocks of 32 x 8 */
    [WL_FULL] = {9},
};

/* Soft shapes of many sizes, as in a radiograph, and the noise of the detector. */
static void draw_image(uint32_t width, uint16_t *image, struct wl_rng *rng)
{
    uint32_t blobs[24][3];
    for (int b = 0; b < 24; b++) {
        blobs[b][0] = wl_rng_below(rng, width);
        blobs[b][1] = wl_rng_below(rng, width);
        blobs[b][2] = width / 32 + wl_rng_below(rng, width / 4);
    }
    for (uint32_t y = 0; y < width; y++)
        for (uint32_t x = 0; x < width; x++) {
            float level = 300.0f;
            for (int b = 0; b < 24; b++) {
                float dx = (float)x - (float)blobs[b][0], dy = (float)y - (float)blobs[b][1], r = (float)blobs[b][2];
                level += 500.0f / (1.0f + (dx * dx + dy * dy) / (r * r));
            }
            level += 160.0f * (wl_rng_unit(rng) + wl_rng_unit(rng) - 1.0f);
            image[(size_t)y * width + x] = (uint16_t)(level < 0.0f ? 0.0f : level > LEVELS - 1 ? LEVELS - 1 : level);
        }
}

/* A tile's table: its histogram, cut at LIMIT times the mean count, what was cut spread evenly, summed up. */
static void make_table(const uint16_t *tile, uint32_t width, uint32_t size, uint16_t *table)
{
    uint32_t counts[LEVELS] = {0}, limit = LIMIT * (size * size / LEVELS + 1), cut = 0;
    for (uint32_t y = 0; y < size; y++)
        for (uint32_t x = 0; x < size; x++) counts[tile[(size_t)y * width + x]]++;
    for (uint32_t v = 0; v < LEVELS; v++)
        if (counts[v] > limit) {
            cut += counts[v] - limit;
            counts[v] = limit;
        }
    uint64_t sum = 0;
    for (uint32_t v = 0; v < LEVELS; v++) {
        sum += counts[v];
        uint64_t spread = (uint64_t)cut * (v + 1) / LEVELS;
        table[v] = (uint16_t)((sum + spread) * (LEVELS - 1) / (size * size));
    }
}

/* The value of a pixel between the centres of tiles, each counted in halves of a pixel. */
static uint16_t equalised(struct sizes s, const uint16_t *tables, uint32_t x, uint32_t y, uint32_t value)
{
    int size = 1 << s.log_tile;
    uint64_t sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        int from_x = (int)x + size / 2, from_y = (int)y + size / 2;
        int tile_x = from_x / size - 1 + corner % 2, tile_y = from_y / size - 1 + corner / 2;
        uint64_t weight_x = (uint64_t)(corner % 2 ? from_x % size : size - from_x % size);
        uint64_t weight_y = (uint64_t)(corner / 2 ? from_y % size : size - from_y % size);
        if (tile_x < 0) tile_x = 0;
        if (tile_x >= TILES) tile_x = TILES - 1;
        if (tile_y < 0) tile_y = 0;
        if (tile_y >= TILES) tile_y = TILES - 1;
        sum += weight_x * weight_y * tables[(tile_y * TILES + tile_x) * LEVELS + (int)value];
    }
    return (uint16_t)(sum >> 2 * s.log_tile);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "clahe", .doc = "adaptive histogram equalisation", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t size = 1u << s.log_tile, width = TILES * size, tiles = TILES;
    size_t n = (size_t)width * width, n_tables = (size_t)TILES * TILES * LEVELS;
    uint16_t *image = WL_NEW(&w, uint16_t, n), *tables = WL_NEW(&w, uint16_t, n_tables);
    uint16_t *got = WL_NEW(&w, uint16_t, n), *want = WL_NEW(&w, uint16_t, n);
    struct wl_rng rng = {103};
    draw_image(width, image, &rng);
    for (uint32_t tile = 0; tile < TILES * TILES; tile++)
        make_table(image + (size_t)(tile / TILES) * size * width + (size_t)(tile % TILES) * size, width, size,
                   tables + (size_t)tile * LEVELS);

    CUdeviceptr d_image = wl_upload(&w, image, n * sizeof *image),
                d_tables = wl_upload(&w, tables, n_tables * sizeof *tables);
    CUdeviceptr d_out = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_image, &d_tables, &d_out, &width, &tiles, &s.log_tile};
    wl_launch(&w, wl_function(&w, "clahe_apply"), width / 32, width / 8, 32, 8, args);

    for (uint32_t y = 0; y < width; y++)
        for (uint32_t x = 0; x < width; x++)
            want[(size_t)y * width + x] = equalised(s, tables, x, y, image[(size_t)y * width + x]);
    wl_output(&w, got, d_out, n * sizeof *got);
    wl_compare_u32(&w, "pixels, two at a time", (const uint32_t *)got, (const uint32_t *)want, n / 2);
    return wl_end(&w);
}
