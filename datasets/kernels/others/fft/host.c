/* fft: a batch of complex Fourier transforms. */
#include "workload.h"

#include <math.h>
#include "exact_math.h"

struct complex {
    float re, im;
};
struct sizes {
    uint32_t n, batch;
}; /* n: a power of 4 */
static const char *const inputs[] = {
    "1.5 MB between passes at size small: 192 blocks, every SM full",
    "4 MB between passes at size small",
};
enum { INPUTS = sizeof inputs / sizeof *inputs };
static const struct sizes sizes[INPUTS][WL_N_SIZES] = {
    {[WL_TEST] = {256, 8}, [WL_SMALL] = {4096, 48}, [WL_FULL] = {65536, 256}, [WL_EVAL] = {4096, 512}},
    {[WL_TEST] = {1024, 4}, [WL_SMALL] = {4096, 128}, [WL_FULL] = {65536, 256}, [WL_EVAL] = {4096, 512}}};

static struct complex twiddle(struct complex a, float turns)
{
    float sine, cosine;
    exact_sincos_turns(turns, &sine, &cosine);
    return (struct complex){fmaf(a.re, cosine, -(a.im * sine)), fmaf(a.re, sine, a.im * cosine)};
}

/* One pass of one transform, in the kernel's arithmetic. */
static void pass(const struct complex *from, struct complex *to, uint32_t n, uint32_t done)
{
    for (uint32_t i = 0; i < n / 4; i++) {
        uint32_t k = i % done;
        float turns = (float)k * (-0.25f / (float)done);
        struct complex x[4], *out = to + (i - k) * 4 + k;
        for (uint32_t j = 0; j < 4; j++) x[j] = j ? twiddle(from[i + j * (n / 4)], (float)j * turns) : from[i];
        struct complex even = {x[0].re + x[2].re, x[0].im + x[2].im}, odd = {x[0].re - x[2].re, x[0].im - x[2].im};
        struct complex sum = {x[1].re + x[3].re, x[1].im + x[3].im}, turned = {x[1].im - x[3].im, -(x[1].re - x[3].re)};
        out[0] = (struct complex){even.re + sum.re, even.im + sum.im};
        out[done] = (struct complex){odd.re + turned.re, odd.im + turned.im};
        out[2 * done] = (struct complex){even.re - sum.re, even.im - sum.im};
        out[3 * done] = (struct complex){odd.re - turned.re, odd.im - turned.im};
    }
}

/* What a discrete Fourier transform is, for some frequencies of the first transform: guards against an error that
 * both sides share. */
static void check_definition(struct wl *w, const struct complex *in, const struct complex *out, uint32_t n)
{
    for (uint32_t f = 0; f < n; f += n / 16 + 1) {
        double re = 0, im = 0;
        for (uint32_t t = 0; t < n; t++) {
            float sine, cosine;
            exact_sincos_turns(-(float)(f * t % n) / (float)n, &sine, &cosine);
            re += (double)in[t].re * (double)cosine - (double)in[t].im * (double)sine;
            im += (double)in[t].re * (double)sine + (double)in[t].im * (double)cosine;
        }
        double d_re = re - (double)out[f].re, d_im = im - (double)out[f].im;
        wl_expect(w, d_re * d_re + d_im * d_im < 1e-10 * (double)n * (double)n, "frequency", f);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "fft",
                                        .doc = "a batch of complex Fourier transforms, radix 4",
                                        .inputs = inputs,
                                        .n_inputs = INPUTS,
                                        .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.input][w.size];
    size_t n = (size_t)s.n * s.batch, bytes = n * sizeof(struct complex);
    struct complex *in = WL_NEW(&w, struct complex, n),
                   *x[2] = {WL_NEW(&w, struct complex, n), WL_NEW(&w, struct complex, n)};
    struct complex *out = WL_NEW(&w, struct complex, n);
    struct wl_rng rng = {65};
    wl_rng_fill(&rng, &in[0].re, 2 * n);
    for (size_t i = 0; i < n; i++) x[0][i] = in[i];

    CUdeviceptr d[2] = {wl_upload(&w, in, bytes), wl_alloc(&w, bytes)};
    int passes = 0;
    for (uint32_t done = 1; done < s.n; done *= 4, passes++) {
        void *args[] = {&d[passes % 2], &d[(passes + 1) % 2], &s.n, &done};
        wl_launch(&w, wl_function(&w, "fft_radix4"), wl_blocks(s.n / 4, 256), s.batch, s.n / 4 < 256 ? s.n / 4 : 256, 1,
                  args);
        for (uint32_t b = 0; b < s.batch; b++)
            pass(x[passes % 2] + (size_t)b * s.n, x[(passes + 1) % 2] + (size_t)b * s.n, s.n, done);
    }
    wl_output(&w, out, d[passes % 2], bytes);
    wl_compare_f32(&w, "part", &out[0].re, &x[passes % 2][0].re, 2 * n);
    check_definition(&w, in, out, s.n);
    return wl_end(&w);
}
