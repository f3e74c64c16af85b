/* srad1: speckle reducing anisotropic diffusion, first version. */
#include "exact_math.h"
#include "workload.h"

#include <string.h>

enum { BLOCK = 512 };
struct sizes {
    uint32_t rows, columns, rounds;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {48, 40, 1}, [WL_SMALL] = {256, 192, 2}, [WL_FULL] = {502, 458, 100}};
static const float lambda = 0.5f;

struct image {
    uint32_t rows, columns, n;
    uint32_t *neighbours[4]; /* north, south by row; east, west by column */
    float *d[4], *c, *at, *sums, *squares;
};

static void reduce(float *values, uint32_t n, uint32_t stride)
{
    for (uint32_t first = 0; first < n; first += BLOCK) {
        float sum[BLOCK];
        for (uint32_t i = 0; i < BLOCK; i++) sum[i] = first + i < n ? values[(first + i) * stride] : 0.0f;
        for (uint32_t step = 2; step <= BLOCK; step *= 2)
            for (uint32_t i = step - 1; i < BLOCK; i += step) sum[i] += sum[i - step / 2];
        values[first * stride] = sum[BLOCK - 1];
    }
}

/* The variance over the squared mean, from the sums over all elements. */
static float speckle(float sum, float square, uint32_t n)
{
    float mean = sum / (float)n;
    return (square / (float)n - mean * mean) / (mean * mean);
}

static void reference_round(struct image *m, float q0)
{
    uint32_t rows = m->rows;
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t row = i % rows, column = i / rows;
        float here = m->at[i];
        float dn = m->at[m->neighbours[0][row] + rows * column] - here,
              ds = m->at[m->neighbours[1][row] + rows * column] - here;
        float de = m->at[row + rows * m->neighbours[2][column]] - here,
              dw = m->at[row + rows * m->neighbours[3][column]] - here;
        float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (here * here), l = (dn + ds + dw + de) / here;
        float num = 0.5f * g2 - 0.0625f * (l * l), den = 1.0f + 0.25f * l, q = num / (den * den);
        den = (q - q0) / (q0 * (1.0f + q0));
        float value = 1.0f / (1.0f + den);
        m->c[i] = value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
        m->d[0][i] = dn;
        m->d[1][i] = ds;
        m->d[2][i] = de;
        m->d[3][i] = dw;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t row = i % rows, column = i / rows;
        float c_south = m->c[m->neighbours[1][row] + rows * column],
              c_east = m->c[row + rows * m->neighbours[2][column]];
        float divergence = m->c[i] * m->d[0][i] + c_south * m->d[1][i] + m->c[i] * m->d[3][i] + c_east * m->d[2][i];
        m->at[i] += 0.25f * lambda * divergence;
    }
}

static struct image image_new(struct wl *w, struct sizes s)
{
    struct image m = {.rows = s.rows, .columns = s.columns, .n = s.rows * s.columns};
    struct wl_rng rng = {33};
    for (int k = 0; k < 4; k++) {
        uint32_t n = k < 2 ? s.rows : s.columns;
        m.neighbours[k] = WL_NEW(w, uint32_t, n);
        for (uint32_t i = 0; i < n; i++)
            m.neighbours[k][i] = k == 0 || k == 3 ? (i > 0 ? i - 1 : 0) : (i + 1 < n ? i + 1 : i);
        m.d[k] = WL_NEW(w, float, m.n);
    }
    m.c = WL_NEW(w, float, m.n);
    m.at = WL_NEW(w, float, m.n);
    m.sums = WL_NEW(w, float, m.n);
    m.squares = WL_NEW(w, float, m.n);
    for (uint32_t i = 0; i < m.n; i++) m.at[i] = (float)wl_rng_below(&rng, 256);
    return m;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "srad1",
                                        .doc = "speckle reducing anisotropic diffusion, first version (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct image m = image_new(&w, s);
    size_t bytes = m.n * sizeof(float);
    float *got = WL_NEW(&w, float, m.n), q0, l = lambda;
    uint32_t stride, left, blocks = wl_blocks(m.n, BLOCK);
    CUdeviceptr image = wl_upload(&w, m.at, bytes), sums = wl_alloc(&w, bytes), squares = wl_alloc(&w, bytes),
                c = wl_alloc(&w, bytes);
    CUdeviceptr at[4], d[4];
    for (int k = 0; k < 4; k++) {
        at[k] = wl_upload(&w, m.neighbours[k], (k < 2 ? m.rows : m.columns) * sizeof(uint32_t));
        d[k] = wl_alloc(&w, bytes);
    }
    void *image_args[] = {&m.n, &image};
    void *prepare_args[] = {&m.n, &image, &sums, &squares};
    void *reduce_args[] = {&left, &stride, &sums, &squares};
    void *coefficient_args[] = {&l,    &m.rows, &m.n,  &at[0], &at[1], &at[2], &at[3],
                                &d[0], &d[1],   &d[2], &d[3],  &q0,    &c,     &image};
    void *update_args[] = {&l, &m.rows, &m.n, &at[1], &at[2], &d[0], &d[1], &d[2], &d[3], &c, &image};
    CUfunction prepare = wl_function(&w, "srad1_prepare"), reduction = wl_function(&w, "srad1_reduce");
    CUfunction coefficient = wl_function(&w, "srad1_coefficient"), update = wl_function(&w, "srad1_update");

    wl_launch(&w, wl_function(&w, "srad1_extract"), blocks, 1, BLOCK, 1, image_args);
    for (uint32_t i = 0; i < m.n; i++) m.at[i] = exact_exp(m.at[i] / 255.0f);
    for (uint32_t round = 0; round < s.rounds; round++) {
        wl_launch(&w, prepare, blocks, 1, BLOCK, 1, prepare_args);
        for (uint32_t i = 0; i < m.n; i++) {
            m.sums[i] = m.at[i];
            m.squares[i] = m.at[i] * m.at[i];
        }
        for (stride = 1, left = m.n; left > 1; left = wl_blocks(left, BLOCK), stride *= BLOCK) {
            wl_launch(&w, reduction, wl_blocks(left, BLOCK), 1, BLOCK, 1, reduce_args);
            reduce(m.sums, left, stride);
            reduce(m.squares, left, stride);
        }
        float total[2];
        wl_output(&w, &total[0], sums, sizeof total[0]);
        wl_output(&w, &total[1], squares, sizeof total[1]);
        wl_compare_f32(&w, "sum", &total[0], m.sums, 1);
        wl_compare_f32(&w, "sum of squares", &total[1], m.squares, 1);
        q0 = speckle(m.sums[0], m.squares[0], m.n);
        wl_launch(&w, coefficient, blocks, 1, BLOCK, 1, coefficient_args);
        wl_launch(&w, update, blocks, 1, BLOCK, 1, update_args);
        reference_round(&m, q0);
    }
    wl_launch(&w, wl_function(&w, "srad1_compress"), blocks, 1, BLOCK, 1, image_args);
    for (uint32_t i = 0; i < m.n; i++) m.at[i] = exact_log(m.at[i]) * 255.0f;
    wl_output(&w, got, image, bytes);
    wl_compare_f32(&w, "element", got, m.at, m.n);
    return wl_end(&w);
}
