// fft: a batch of complex transforms, one Stockham pass of radix 4 a launch. A thread computes a butterfly: four elements a
// quarter of the transform apart, read coalesced; three twiddles; four results written next to one another's places, which
// early passes scatter.
#include "cuda_device.h"
#include "exact_math.h"

struct complex { float re, im; };

static inline __device__ complex add(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
static inline __device__ complex sub(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }
static inline __device__ complex turn(complex a) { return {a.im, -a.re}; } // times -i

static inline __device__ complex twiddle(complex a, float turns)
{
    float sine, cosine;
    exact_sincos_turns(turns, &sine, &cosine);
    return {fmaf(a.re, cosine, -(a.im * sine)), fmaf(a.re, sine, a.im * cosine)};
}

// done: the product of the radices of the passes before. n: length of a transform; blockIdx.y is which.
extern "C" __global__ void fft_radix4(const complex *from, complex *to, u32 n, u32 done)
{
    u32 i = thread_index(), quarter = n / 4, k = i % done;
    if (i >= quarter) return;
    const complex *in = from + blockIdx.y * n + i;
    float turns = (float)k * (-0.25f / (float)done);
    complex a = in[0], b = twiddle(in[quarter], turns), c = twiddle(in[2 * quarter], 2.0f * turns), d = twiddle(in[3 * quarter], 3.0f * turns);
    complex even = add(a, c), odd = sub(a, c), sum = add(b, d), difference = turn(sub(b, d));
    complex *out = to + blockIdx.y * n + (i - k) * 4 + k;
    out[0] = add(even, sum);
    out[done] = add(odd, difference);
    out[2 * done] = sub(even, sum);
    out[3 * done] = sub(odd, difference);
}
