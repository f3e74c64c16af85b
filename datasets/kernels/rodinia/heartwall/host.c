/* heartwall: follows points on a beating heart through a film. */
#include "workload.h"

#include <math.h>

enum { THREADS = 256 };
struct shape {
    int32_t rows, columns, points, half, search;
};
struct sizes {
    struct shape shape;
    uint32_t frames;
};
static const struct sizes sizes[WL_N_SIZES] = {[WL_TEST] = {{96, 96, 4, 1, 4}, 2},
                                               [WL_SMALL] = {{256, 256, 51, 1, 5}, 2},
                                               [WL_FULL] = {{609, 590, 51, 25, 40}, 20}};

/* Bright blobs on a dark ground with noise, which shift by a pixel a frame. */
static void shoot(float *frame, struct shape s, uint32_t number, struct wl_rng *rng)
{
    for (int32_t x = 0; x < s.columns; x++)
        for (int32_t y = 0; y < s.rows; y++) {
            int32_t u = x - (int32_t)number, v = y + (int32_t)number,
                    mix = (u * 7 + v * 13) % 31 + (u * u + 3 * v * v) % 17;
            frame[x * s.rows + y] = (float)mix + 0.1f * wl_rng_unit(rng);
        }
}

static void place_points(struct shape s, int32_t *rows, int32_t *columns, struct wl_rng *rng)
{
    int32_t edge = s.search + s.half + 4; /* room to wander */
    for (int32_t i = 0; i < s.points; i++) {
        rows[i] = edge + (int32_t)wl_rng_below(rng, (uint32_t)(s.rows - 2 * edge));
        columns[i] = edge + (int32_t)wl_rng_below(rng, (uint32_t)(s.columns - 2 * edge));
    }
}

static void sums_under(const float *window, float *running, float *sums, int32_t side, int32_t picture, bool squared)
{
    int32_t padded = side + 2 * picture, full = side + picture - 1;
    for (int32_t c = 0; c < padded; c++) {
        float sum = 0.0f;
        for (int32_t r = 0; r < padded; r++) {
            int32_t y = r - picture, x = c - picture;
            float value = y >= 0 && y < side && x >= 0 && x < side ? window[x * side + y] : 0.0f;
            sum += squared ? value * value : value;
            running[c * padded + r] = sum;
        }
    }
    for (int32_t r = 0; r < full; r++) { /* a row's running sum of the columns' differences, then its differences */
        float sum = 0.0f, *along = running + padded * padded;
        for (int32_t c = 0; c < padded; c++)
            along[c] = sum += running[c * padded + r + picture] - running[c * padded + r];
        for (int32_t c = 0; c < full; c++) sums[c * full + r] = along[c + picture] - along[c];
    }
}

static float product_at(const float *window, const float *picture, int32_t side, int32_t size, int32_t r, int32_t c)
{
    float sum = 0.0f;
    for (int32_t x = c < size ? 0 : c - size + 1; x <= c && x < side; x++)
        for (int32_t y = r < size ? 0 : r - size + 1; y <= r && y < side; y++)
            sum = fmaf(window[x * side + y], picture[size * size - 1 - ((c - x) * size + r - y)], sum);
    return sum;
}

struct work {
    float *window, *running, *sums, *squares;
};

/* The offset with the largest normalised correlation of picture and window; ties go to the smaller. */
static int32_t best_offset(struct work *w, const float *picture, int32_t side, int32_t size)
{
    int32_t full = side + size - 1, place = 0;
    float sum = 0.0f, squares = 0.0f, best = -2.0f, n = (float)(size * size);
    for (int32_t i = 0; i < size * size; i++) {
        sum += picture[i];
        squares = fmaf(picture[i], picture[i], squares);
    }
    float mean = sum / n, spread = sqrtf(fmaxf(squares - sum * sum / n, 0.0f));
    sums_under(w->window, w->running, w->sums, side, size, false);
    sums_under(w->window, w->running, w->squares, side, size, true);
    for (int32_t c = size - 1; c < side; c++)
        for (int32_t r = size - 1; r < side; r++) {
            int32_t i = c * full + r;
            float left = w->squares[i] - w->sums[i] * w->sums[i] / n;
            float correlation = (product_at(w->window, picture, side, size, r, c) - w->sums[i] * mean) /
                                (sqrtf(left > 0.0f ? left : 0.0f) * spread + 1e-6f);
            if (correlation > best) {
                best = correlation;
                place = i;
            }
        }
    return place;
}

static void reference_frame(struct shape s, const float *frame, uint32_t number, struct work *w, int32_t *rows,
                            int32_t *columns, float *pictures)
{
    int32_t size = 2 * s.half + 1, side = 2 * s.search + 1, full = side + size - 1;
    for (int32_t p = 0; p < s.points; p++) {
        float *picture = pictures + p * size * size;
        int32_t row = rows[p], column = columns[p];
        if (number == 0) {
            for (int32_t i = 0; i < size * size; i++)
                picture[i] = frame[(column - s.half + i / size) * s.rows + row - s.half + i % size];
            continue;
        }
        for (int32_t i = 0; i < side * side; i++)
            w->window[i] = frame[(column - s.search + i / side) * s.rows + row - s.search + i % side];
        int32_t place = best_offset(w, picture, side, size), r = place % full, c = place / full;
        rows[p] += r - s.half - s.search;
        columns[p] += c - s.half - s.search;
        for (int32_t i = 0; i < size * size; i++)
            picture[i] =
                fmaf(0.88f, picture[i], 0.12f * w->window[(c - size + 1 + i / size) * side + r - size + 1 + i % size]);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "heartwall",
                                        .doc = "follows points on a beating heart through a film (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct shape s = sizes[w.size].shape;
    uint32_t n = (uint32_t)s.points, size = 2 * (uint32_t)s.half + 1, side = 2 * (uint32_t)s.search + 1,
             padded = side + 2 * size;
    uint32_t full = side + size - 1,
             area = side * side + size * size + full * full + padded * padded + 2 * full * padded;
    size_t cells = (size_t)s.rows * (size_t)s.columns, n_picture = n * size * size;
    float *frame = WL_NEW(&w, float, cells), *pictures = WL_NEW(&w, float, n_picture),
          *got = WL_NEW(&w, float, n_picture);
    int32_t *rows = WL_NEW(&w, int32_t, n), *columns = WL_NEW(&w, int32_t, n);
    uint32_t *got_places = WL_NEW(&w, uint32_t, n);
    struct work work = {WL_NEW(&w, float, side *side), WL_NEW(&w, float, padded *(padded + 1)),
                        WL_NEW(&w, float, padded *padded), WL_NEW(&w, float, padded *padded)};
    struct wl_rng rng = {42};
    place_points(s, rows, columns, &rng);

    CUdeviceptr d_frame = wl_alloc(&w, cells * sizeof *frame), d_pictures = wl_alloc(&w, n_picture * sizeof *pictures);
    CUdeviceptr d_rows = wl_upload(&w, rows, n * sizeof *rows), d_columns = wl_upload(&w, columns, n * sizeof *columns);
    CUdeviceptr d_areas = wl_alloc(&w, (size_t)n * area * sizeof(float));
    CUfunction kernel = wl_function(&w, "heartwall_frame");
    for (uint32_t number = 0; number < sizes[w.size].frames; number++) {
        shoot(frame, s, number, &rng);
        wl_write(&w, d_frame, frame, cells * sizeof *frame);
        void *args[] = {&d_frame, &number, &s, &d_rows, &d_columns, &d_pictures, &d_areas, &area};
        wl_launch(&w, kernel, n, 1, THREADS, 1, args);
        reference_frame(s, frame, number, &work, rows, columns, pictures);
    }
    wl_output(&w, got, d_pictures, n_picture * sizeof *got);
    wl_compare_f32(&w, "picture", got, pictures, n_picture);
    wl_output(&w, got_places, d_rows, n * sizeof *got_places);
    wl_compare_u32(&w, "row", got_places, (const uint32_t *)rows, n);
    wl_output(&w, got_places, d_columns, n * sizeof *got_places);
    wl_compare_u32(&w, "column", got_places, (const uint32_t *)columns, n);
    return wl_end(&w);
}
