/* mri-q: the matrix Q of an MRI reconstruction. */
#include "workload.h"

#include <math.h>
#include "exact_math.h"

struct sizes {
    uint32_t voxels, samples, chunk;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {512, 32, 16},
    [WL_SMALL] = {24576, 16, 8}, /* 768 warps, two launches */
    [WL_FULL] = {32768, 3072, 1024},
    [WL_EVAL] = {32768, 530, 530},
};
struct sample {
    float kx, ky, kz, magnitude;
};

static void reference(const struct sample *k, uint32_t n_samples, float *const v[3], uint32_t n, float *re, float *im)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t s = 0; s < n_samples; s++) {
            float sine, cosine;
            exact_sincos_turns(fmaf(k[s].kx, v[0][i], fmaf(k[s].ky, v[1][i], k[s].kz * v[2][i])), &sine, &cosine);
            re[i] = fmaf(k[s].magnitude, cosine, re[i]);
            im[i] = fmaf(k[s].magnitude, sine, im[i]);
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "mri-q", .doc = "matrix Q of an MRI reconstruction (Parboil)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.voxels, m = s.samples;
    float *phase[2], *voxel[3], *re = WL_NEW(&w, float, n), *im = WL_NEW(&w, float, n), *out = WL_NEW(&w, float, n);
    float *magnitude = WL_NEW(&w, float, m);
    struct sample *samples = WL_NEW(&w, struct sample, m);
    struct wl_rng rng = {45};
    for (int i = 0; i < 2; i++) wl_rng_fill(&rng, phase[i] = WL_NEW(&w, float, m), m);
    for (int i = 0; i < 3; i++) wl_rng_fill(&rng, voxel[i] = WL_NEW(&w, float, n), n);

    CUdeviceptr d_phase[2], d_voxel[3], d_magnitude = wl_alloc(&w, m * sizeof(float));
    CUdeviceptr d_re = wl_alloc(&w, n * sizeof *re), d_im = wl_alloc(&w, n * sizeof *im);
    for (int i = 0; i < 2; i++) d_phase[i] = wl_upload(&w, phase[i], m * sizeof(float));
    for (int i = 0; i < 3; i++) d_voxel[i] = wl_upload(&w, voxel[i], n * sizeof(float));
    void *square[] = {&d_phase[0], &d_phase[1], &d_magnitude, &m};
    wl_launch(&w, wl_function(&w, "mriq_magnitude"), wl_blocks(m, 512), 1, 512, 1, square);
    wl_read(&w, magnitude, d_magnitude, m * sizeof(float));
    for (uint32_t k = 0; k < m; k++) {
        wl_expect(&w, magnitude[k] == fmaf(phase[0][k], phase[0][k], phase[1][k] * phase[1][k]), "magnitude", k);
        samples[k] = (struct sample){wl_rng_unit(&rng) * 8, wl_rng_unit(&rng) * 8, wl_rng_unit(&rng) * 8, magnitude[k]};
    }
    for (uint32_t first = 0; first < m; first += s.chunk) {
        uint32_t chunk = m - first < s.chunk ? m - first : s.chunk;
        wl_symbol(&w, "mriq_chunk", samples + first, chunk * sizeof *samples);
        void *args[] = {&d_voxel[0], &d_voxel[1], &d_voxel[2], &d_re, &d_im, &chunk, &n};
        wl_launch(&w, wl_function(&w, "mriq_sum"), wl_blocks(n, 256), 1, 256, 1, args);
    }

    reference(samples, m, voxel, n, re, im);
    wl_output(&w, out, d_re, n * sizeof *out);
    wl_compare_f32(&w, "real part", out, re, n);
    wl_output(&w, out, d_im, n * sizeof *out);
    wl_compare_f32(&w, "imaginary part", out, im, n);
    return wl_end(&w);
}
