/* leukocyte: finds and follows white blood cells in a film. */
#include "exact_math.h"
#include "workload.h"

#include <string.h>

enum { POINTS_MAX = 150, CIRCLES_MAX = 7, BLOCK = 320 };
struct sizes {
    uint32_t rows, columns, circles, points, margin, dilate; /* the film: score and dilation */
    uint32_t cells, window_rows, window_columns, rounds;     /* the cells' windows: the field */
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {48, 40, 1, 16, 10, 1, 2, 12, 30, 2},
    [WL_SMALL] = {148, 164, 1, 16, 10, 3, 48, 24, 41, 1},
    [WL_FULL] = {219, 640, 7, 150, 22, 12, 36, 41, 81, 500},
};

struct tables {
    float sine[POINTS_MAX], cosine[POINTS_MAX];
    int32_t x[CIRCLES_MAX * POINTS_MAX], y[CIRCLES_MAX * POINTS_MAX];
};

/* Points on circles of radius 4, 6, 8, ... about a pixel; all within the margin. */
static void make_tables(struct sizes s, struct tables *t)
{
    for (uint32_t i = 0; i < s.points; i++) {
        float angle = 6.28318531f * (float)i / (float)s.points;
        t->sine[i] = exact_sin(angle);
        t->cosine[i] = exact_cos(angle);
        for (uint32_t c = 0; c < s.circles; c++) {
            t->x[c * POINTS_MAX + i] = (int32_t)exact_round((float)(4 + 2 * c) * t->cosine[i]);
            t->y[c * POINTS_MAX + i] = (int32_t)exact_round((float)(4 + 2 * c) * t->sine[i]);
        }
    }
}

static float score_at(struct sizes s, const struct tables *t, const float *gx, const float *gy, uint32_t column,
                      uint32_t row)
{
    float best = 0.0f;
    for (uint32_t c = 0; c < s.circles; c++) {
        float sum = 0.0f, variance = 0.0f, mean = 0.0f;
        for (uint32_t i = 0; i < s.points; i++) {
            int32_t x = (int32_t)column + t->x[c * POINTS_MAX + i], y = (int32_t)row + t->y[c * POINTS_MAX + i];
            size_t at = (size_t)(x * (int32_t)s.rows + y);
            float p = gx[at] * t->cosine[i] + gy[at] * t->sine[i], before = p - mean;
            sum += p;
            mean += before / (float)(i + 1);
            variance = fmaf(before, p - mean, variance);
        }
        mean = sum / (float)s.points;
        float value = mean * mean / (variance / (float)(s.points - 1));
        if (value > best) best = value;
    }
    return best;
}

static void dilate(struct sizes s, const float *score, float *out)
{
    int32_t r = (int32_t)s.dilate, rows = (int32_t)s.rows, columns = (int32_t)s.columns;
    for (int32_t x = 0; x < columns; x++)
        for (int32_t y = 0; y < rows; y++) {
            float best = 0.0f;
            for (int32_t dx = -r; dx <= r; dx++)
                for (int32_t dy = -r; dy <= r; dy++) {
                    bool inside =
                        x + dx >= 0 && x + dx < columns && y + dy >= 0 && y + dy < rows && dx * dx + dy * dy <= r * r;
                    if (inside && score[(x + dx) * rows + y + dy] > best) best = score[(x + dx) * rows + y + dy];
                }
            out[x * rows + y] = best;
        }
}

static float step_of(float a) { return a > 0.0001f ? 1.0f : a > -0.0001f ? 0.5f : 0.0f; }

/* One round for one cell; returns the mean change, summed in the order of the kernel's threads and tree. */
static float field_round(struct sizes s, const float *image, float *field, float *next, float vx, float vy)
{
    static const int order[8][2] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};
    const float along[8] = {-vx - vy, -vy, vx - vy, -vx, vx, vy - vx, vy, vx + vy};
    int rows = (int)s.window_rows, columns = (int)s.window_columns, cells = rows * columns;
    float change[BLOCK] = {0};
    for (int i = 0; i < cells; i++) {
        float here = field[i], sum = 0.0f;
        for (int k = 0; k < 8; k++) {
            int y = i / columns + order[k][0], x = i % columns + order[k][1];
            y = y < 0 ? 0 : y >= rows ? rows - 1 : y;
            x = x < 0 ? 0 : x >= columns ? columns - 1 : x;
            float d = field[y * columns + x] - here;
            sum += step_of(d * along[k]) * d;
        }
        next[i] = fmaf(0.1f, sum, here);
        next[i] -= 0.2f * image[i] * (next[i] - image[i]);
        change[i % BLOCK] += next[i] > here ? next[i] - here : here - next[i];
    }
    memcpy(field, next, (size_t)cells * sizeof *field);
    for (int i = 256; i < BLOCK; i++) change[i - 256] += change[i];
    for (int step = 128; step > 0; step /= 2)
        for (int i = 0; i < step; i++) change[i] += change[i + step];
    return change[0] / (float)cells;
}

static void find(struct wl *w, struct sizes s, struct wl_rng *rng)
{
    size_t n = (size_t)s.rows * s.columns, bytes = n * sizeof(float);
    float *gx = WL_NEW(w, float, n), *gy = WL_NEW(w, float, n), *score = WL_NEW(w, float, n),
          *dilated = WL_NEW(w, float, n);
    float *got = WL_NEW(w, float, n);
    static struct tables t;
    make_tables(s, &t);
    wl_rng_fill(rng, gx, n);
    wl_rng_fill(rng, gy, n);
    wl_symbol(w, "point_sine", t.sine, sizeof t.sine);
    wl_symbol(w, "point_cosine", t.cosine, sizeof t.cosine);
    wl_symbol(w, "offset_x", t.x, sizeof t.x);
    wl_symbol(w, "offset_y", t.y, sizeof t.y);
    CUdeviceptr d_gx = wl_upload(w, gx, bytes), d_gy = wl_upload(w, gy, bytes), d_score = wl_alloc(w, bytes),
                d_dilated = wl_alloc(w, bytes);
    CUtexObject gradient_x = wl_texture(w, d_gx, n), gradient_y = wl_texture(w, d_gy, n),
                scores = wl_texture(w, d_score, n);
    void *score_args[] = {&gradient_x, &gradient_y, &d_score, &s.rows, &s.margin, &s.circles, &s.points};
    void *dilate_args[] = {&scores, &d_dilated, &s.rows, &s.columns, &s.dilate};
    wl_launch(w, wl_function(w, "leukocyte_score"), s.columns - 2 * s.margin, 1, s.rows - 2 * s.margin, 1, score_args);
    wl_launch(w, wl_function(w, "leukocyte_dilate"), wl_blocks(n, 176), 1, 176, 1, dilate_args);
    for (uint32_t x = s.margin; x < s.columns - s.margin; x++)
        for (uint32_t y = s.margin; y < s.rows - s.margin; y++) score[x * s.rows + y] = score_at(s, &t, gx, gy, x, y);
    dilate(s, score, dilated);
    wl_output(w, got, d_score, bytes);
    wl_compare_f32(w, "score", got, score, n);
    wl_output(w, got, d_dilated, bytes);
    wl_compare_f32(w, "dilated score", got, dilated, n);
    WL_CU(w, cuTexObjectDestroy(gradient_x));
    WL_CU(w, cuTexObjectDestroy(gradient_y));
    WL_CU(w, cuTexObjectDestroy(scores));
}

static void follow(struct wl *w, struct sizes s, struct wl_rng *rng)
{
    uint32_t cells = s.window_rows * s.window_columns;
    size_t n = (size_t)s.cells * cells, bytes = n * sizeof(float);
    float *images = WL_NEW(w, float, n), *fields = WL_NEW(w, float, n), *next = WL_NEW(w, float, cells),
          *got = WL_NEW(w, float, n);
    float vx = 0.8f, vy = 0.6f, cutoff = 0.0001f;
    wl_rng_fill(rng, images, n);
    CUdeviceptr d_images = wl_upload(w, images, bytes), d_fields = wl_alloc(w, bytes);
    void *args[] = {&d_images, &d_fields, &s.window_rows, &s.window_columns, &vx, &vy, &s.rounds, &cutoff};
    wl_launch(w, wl_function(w, "leukocyte_field"), s.cells, 1, BLOCK, 1, args);
    memcpy(fields, images, bytes);
    for (uint32_t c = 0; c < s.cells; c++)
        for (uint32_t round = 0; round < s.rounds; round++)
            if (field_round(s, images + (size_t)c * cells, fields + (size_t)c * cells, next, vx, vy) < cutoff) break;
    wl_output(w, got, d_fields, bytes);
    wl_compare_f32(w, "field", got, fields, n);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "leukocyte",
                                        .doc = "finds and follows white blood cells in a film (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {38};
    find(&w, sizes[w.size], &rng);
    follow(&w, sizes[w.size], &rng);
    return wl_end(&w);
}
