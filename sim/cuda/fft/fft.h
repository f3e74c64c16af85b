/* libcufft: CUDA's Fourier transforms on the host. A call checks its arguments, finds the host's bytes behind the
 * device's, notes itself as skipped (poise/cuda_shim.h) and transforms with one thread. */
#ifndef CUDA_FFT_H
#define CUDA_FFT_H
#include <stdbool.h>
#include "toolkit/cufftXt.h"
#include "fft/transform.h"

enum { FFT_RANKS = 3 };
struct fft_layout {
    long long embed[FFT_RANKS], stride, dist; /* of elements; the dimensions of a lower rank are the last ones */
};
struct fft_plan {
    cufftType type;
    long long n[FFT_RANKS], batch; /* dimensions that the rank lacks are 1 */
    bool is_made, is_basic;        /* basic: elements one after another, padded where real ones are in place */
    struct fft_layout in, out;     /* of a plan that is not basic */
    struct fft_line lines[FFT_RANKS];
    cudaStream_t stream;
};
static inline bool fft_is_double(cufftType type) { return type & 0x40; }
static inline bool fft_is_to_real(cufftType type) { return (type & 0xf) == 0xc; }
static inline bool fft_is_from_real(cufftType type) { return (type & 0xf) == 0xa; }

/* The plan of a handle; NULL, with the error told, where there is none. */
struct fft_plan *fft_plan_of(const char *function, cufftHandle handle);
/* One line on stderr; the status again. */
cufftResult fft_refuse(const char *function, cufftResult status, const char *why);
#endif
