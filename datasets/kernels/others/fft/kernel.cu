// fft: a batch of complex transforms, one Stockham pass of radix 4 a launch. A thread computes a butterfly: four elements a
// quarter of the transform apart, read coalesced; three twiddles; four results written next to one another's places, which
// early passes scatter.
#include "cuda_device.h"
#include "exact_math.h"

typedef float complex __attribute__((ext_vector_type(2))); // real, imaginary: loaded and stored at once, as the suites' float2

static inline __device__ complex turn(complex a) { return {a.y, -a.x}; } // times -i

static inline __device__ complex twiddle(complex a, float turns)
{
    float sine, cosine;
    exact_sincos_turns(turns, &sine, &cosine);
    return {fmaf(a.x, cosine, -(a.y * sine)), fmaf(a.x, sine, a.y * cosine)};
}

// done: the product of the radices of the passes before. n: length of a transform; blockIdx.y is which.
extern "C" __global__ void fft_radix4(const complex *from, complex *to, u32 n, u32 done)
{
    u32 i = thread_index(), quarter = n / 4, k = i % done;
    if (i >= quarter) return;
    const complex *in = from + blockIdx.y * n + i;
    float turns = (float)k * (-0.25f / (float)done);
    complex a = in[0], b = twiddle(in[quarter], turns), c = twiddle(in[2 * quarter], 2.0f * turns), d = twiddle(in[3 * quarter], 3.0f * turns);
    complex even = a + c, odd = a - c, sum = b + d, difference = turn(b - d);
    complex *out = to + blockIdx.y * n + (i - k) * 4 + k;
    out[0] = even + sum;
    out[done] = odd + difference;
    out[2 * done] = even - sum;
    out[3 * done] = odd - difference;
}
