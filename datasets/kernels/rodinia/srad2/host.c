/* srad2: speckle reducing anisotropic diffusion, second version. */
#include "exact_math.h"
#include "workload.h"

enum { SIDE = 16 };
struct sizes {
    uint32_t rows, columns, rounds;
};
static const char *const inputs[] = {"1.1 MB between launches at size small", "5 MB between launches at size small"};
enum { INPUTS = sizeof inputs / sizeof *inputs };
static const struct sizes sizes[INPUTS][WL_N_SIZES] = {
    {[WL_TEST] = {64, 64, 1}, [WL_SMALL] = {240, 240, 2}, [WL_FULL] = {2048, 2048, 2}, [WL_EVAL] = {1296, 2048, 1}},
    {[WL_TEST] = {32, 96, 1}, [WL_SMALL] = {512, 512, 2}, [WL_FULL] = {2048, 2048, 2}, [WL_EVAL] = {1296, 2048, 2}}};

/* The speckle of the image's upper left quarter, which Rodinia's host computes from the image each round. */
static float speckle(const float *image, size_t rows, size_t n)
{
    float sum = 0.0f, square = 0.0f, count = (float)(rows / 2 * (n / 2));
    for (size_t i = 0; i < rows / 2; i++)
        for (size_t j = 0; j < n / 2; j++) {
            sum += image[i * n + j];
            square += image[i * n + j] * image[i * n + j];
        }
    float mean = sum / count;
    return (square / count - mean * mean) / (mean * mean);
}

static void reference(size_t rows, size_t n, float q0, float lambda, float *image, float *c, float *const d[4])
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) {
            size_t at = i * n + j;
            float here = image[at];
            float north = image[i > 0 ? at - n : at] - here, south = image[i + 1 < rows ? at + n : at] - here;
            float west = image[j > 0 ? at - 1 : at] - here, east = image[j + 1 < n ? at + 1 : at] - here;
            float g2 = (north * north + south * south + west * west + east * east) / (here * here);
            float l = (north + south + west + east) / here;
            float num = 0.5f * g2 - 0.0625f * (l * l), den = 1.0f + 0.25f * l, q = num / (den * den);
            den = (q - q0) / (q0 * (1.0f + q0));
            float value = 1.0f / (1.0f + den);
            c[at] = value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
            d[0][at] = east;
            d[1][at] = west;
            d[2][at] = north;
            d[3][at] = south;
        }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) {
            size_t at = i * n + j;
            float c_south = c[i + 1 < rows ? at + n : at], c_east = c[j + 1 < n ? at + 1 : at];
            float divergence = c[at] * d[2][at] + c_south * d[3][at] + c[at] * d[1][at] + c_east * d[0][at];
            image[at] += 0.25f * lambda * divergence;
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "srad2",
                                        .doc = "speckle reducing anisotropic diffusion, second version (Rodinia)",
                                        .inputs = inputs,
                                        .n_inputs = INPUTS,
                                        .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.input][w.size];
    size_t n = (size_t)s.rows * s.columns, bytes = n * sizeof(float);
    float *image = WL_NEW(&w, float, n), *c = WL_NEW(&w, float, n), *got = WL_NEW(&w, float, n), *d[4], lambda = 0.5f,
          q0;
    CUdeviceptr d_image, d_c = wl_alloc(&w, bytes), d_d[4];
    struct wl_rng rng = {34};
    for (size_t i = 0; i < n; i++) image[i] = exact_exp(wl_rng_unit(&rng)); /* random, as Rodinia's own */
    d_image = wl_upload(&w, image, bytes);
    for (int k = 0; k < 4; k++) {
        d[k] = WL_NEW(&w, float, n);
        d_d[k] = wl_alloc(&w, bytes);
    }

    CUfunction coefficient = wl_function(&w, "srad2_coefficient"), update = wl_function(&w, "srad2_update");
    void *coefficient_args[] = {&d_d[0], &d_d[1], &d_d[2], &d_d[3], &d_image, &d_c, &s.columns, &s.rows, &q0};
    void *update_args[] = {&d_d[0], &d_d[1], &d_d[2], &d_d[3], &d_image, &d_c, &s.columns, &s.rows, &lambda};
    for (uint32_t round = 0; round < s.rounds; round++) {
        q0 = speckle(image, s.rows, s.columns);
        wl_launch(&w, coefficient, s.columns / SIDE, s.rows / SIDE, SIDE, SIDE, coefficient_args);
        wl_launch(&w, update, s.columns / SIDE, s.rows / SIDE, SIDE, SIDE, update_args);
        reference(s.rows, s.columns, q0, lambda, image, c, d);
        wl_output(&w, got, d_c, bytes);
        wl_compare_f32(&w, "coefficient", got, c, n);
        wl_output(&w, got, d_image, bytes);
        wl_compare_f32(&w, "element", got, image, n);
    }
    return wl_end(&w);
}
