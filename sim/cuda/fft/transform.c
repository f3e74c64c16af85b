#include "fft/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_RADIX = 61 };
#define PI 3.14159265358979323846

/* exp(-2 pi i k / n). */
static double complex root(size_t k, size_t n)
{
    const double angle = 2 * PI * (double)k / (double)n;
    return CMPLX(cos(angle), -sin(angle));
}

static int convolution_init(struct fft_line *line)
{
    const size_t n = line->n;
    size_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    line->inner = calloc(1, sizeof *line->inner);
    line->chirp = calloc(n + m, sizeof *line->chirp);
    if (!line->inner || !line->chirp || fft_line_init(line->inner, m) < 0) return -1;
    double complex *spread = line->chirp + n, *room = malloc(fft_line_room(line->inner) * sizeof *room);
    if (!room) return -1;
    size_t square = 0; /* k^2 modulo 2 n */
    for (size_t k = 0; k < n; square = (square + 2 * k + 1) % (2 * n), k++) {
        line->chirp[k] = root(square, 2 * n);
        spread[k] = conj(line->chirp[k]);
        if (k) spread[m - k] = spread[k];
    }
    fft_line_forward(line->inner, spread, room);
    free(room);
    return 0;
}

int fft_line_init(struct fft_line *line, size_t n)
{
    size_t left = n, n_factors = 0;
    *line = (struct fft_line){.n = n};
    while (left % 4 == 0) line->factors[n_factors++] = 4, left /= 4;
    for (unsigned p = 2; p <= LARGEST_RADIX && left > 1; p++)
        for (; left % p == 0; left /= p) line->factors[n_factors++] = (unsigned char)p;
    if (left > 1) {
        line->factors[0] = 0;
        return convolution_init(line);
    }
    line->factors[n_factors] = 0;
    line->roots = malloc(n * sizeof *line->roots);
    if (!line->roots) return -1;
    for (size_t k = 0; k < n; k++) line->roots[k] = root(k, n);
    return 0;
}

void fft_line_fini(struct fft_line *line)
{
    if (line->inner) fft_line_fini(line->inner);
    free(line->inner);
    free(line->chirp);
    free(line->roots);
    *line = (struct fft_line){0};
}

size_t fft_line_room(const struct fft_line *line) { return line->inner ? 2 * line->inner->n : line->n; }

/* p results out[q * m] of p transforms' elements t[i], already turned; step: line->n / p. */
static void butterfly(const struct fft_line *line, double complex *out, size_t m, const double complex *t, unsigned p)
{
    if (p == 2) {
        out[0] = t[0] + t[1];
        out[m] = t[0] - t[1];
        return;
    }
    if (p == 4) {
        const double complex a = t[0] + t[2], b = t[0] - t[2], c = t[1] + t[3], d = t[1] - t[3],
                             turned = CMPLX(cimag(d), -creal(d));
        out[0] = a + c, out[m] = b + turned, out[2 * m] = a - c, out[3 * m] = b - turned;
        return;
    }
    const size_t step = line->n / p;
    for (unsigned q = 0; q < p; q++) {
        double complex sum = t[0];
        for (unsigned i = 1; i < p; i++) sum += complex_times(t[i], line->roots[i * q % p * step]);
        out[q * m] = sum;
    }
}

/* out := the transform of n numbers that lie `stride` apart. */
static void pass(const struct fft_line *line, double complex *out, const double complex *in, size_t stride, size_t n,
                 const unsigned char *factor)
{
    double complex turned[LARGEST_RADIX];
    const unsigned p = *factor;
    if (p == 0) {
        out[0] = in[0];
        return;
    }
    const size_t m = n / p, step = line->n / n;
    for (unsigned i = 0; i < p; i++) pass(line, out + i * m, in + i * stride, stride * p, m, factor + 1);
    for (size_t k = 0; k < m; k++) {
        for (unsigned i = 0; i < p; i++) turned[i] = complex_times(out[i * m + k], line->roots[i * k * step]);
        butterfly(line, out + k, m, turned, p);
    }
}

static void convolve(const struct fft_line *line, double complex *x, double complex *room)
{
    const size_t n = line->n, m = line->inner->n;
    const double complex *spread = line->chirp + n;
    for (size_t k = 0; k < m; k++) room[k] = k < n ? complex_times(x[k], line->chirp[k]) : 0;
    fft_line_forward(line->inner, room, room + m);
    for (size_t k = 0; k < m; k++) room[k] = complex_times(room[k], spread[k]);
    fft_line_backward(line->inner, room, room + m);
    for (size_t k = 0; k < n; k++) x[k] = complex_times(room[k], line->chirp[k]) / (double)m;
}

void fft_line_forward(const struct fft_line *line, double complex *x, double complex *room)
{
    if (line->inner) {
        convolve(line, x, room);
        return;
    }
    pass(line, room, x, 1, line->n, line->factors);
    memcpy(x, room, line->n * sizeof *x);
}

void fft_line_backward(const struct fft_line *line, double complex *x, double complex *room)
{
    for (size_t k = 0; k < line->n; k++) x[k] = conj(x[k]);
    fft_line_forward(line, x, room);
    for (size_t k = 0; k < line->n; k++) x[k] = conj(x[k]);
}
