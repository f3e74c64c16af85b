/* The discrete Fourier transform of one line of n complex numbers. Powers of its factors up to 61 are done by mixed
 * radix, other lengths by way of a convolution (Bluestein, IEEE Trans. Audio Electroacoust. 18, 1970). All arithmetic
 * is in double precision, whatever the program's. */
#ifndef CUDA_FFT_TRANSFORM_H
#define CUDA_FFT_TRANSFORM_H
#include <stddef.h>
#include "shared/complex_double.h"

struct fft_line {
    size_t n;
    unsigned char factors[64]; /* primes and fours whose product is n, then 0; none where n is a convolution's */
    double complex *roots;     /* exp(-2 pi i k / n), k < n */
    struct fft_line *inner;    /* of a power of two of at least 2 n - 1, or NULL */
    double complex *chirp;     /* exp(-pi i k^2 / n), k < n, then the transform of its conjugate, inner->n */
};
/* 0, or -1 without memory. */
int fft_line_init(struct fft_line *line, size_t n);
void fft_line_fini(struct fft_line *line);
/* Numbers of room that fft_line_forward needs. */
size_t fft_line_room(const struct fft_line *line);
/* x[k] := sum over j of x[j] exp(-2 pi i j k / n). */
void fft_line_forward(const struct fft_line *line, double complex *x, double complex *room);
/* The same with exp(+2 pi i j k / n). */
void fft_line_backward(const struct fft_line *line, double complex *x, double complex *room);
#endif
