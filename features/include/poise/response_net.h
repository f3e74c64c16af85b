/* The integer network that predicts a response surface: pure functions on plain arrays, no allocation, no file.
 * The inference engine in the simulator and every offline evaluation call these, so that both choose the same tuple.
 *
 * A response surface holds one value for each tuple (N, p) of a lattice: z = ln(cycles at GTO / cycles at (N, p)) in
 * units of 2^-RESPONSE_FRACTION_BITS. The lattice is all pairs p <= N of n_levels ascending levels, ordered by N and
 * then by p: (1,1) (2,1) (2,2) (3,1) ... With the ten levels 1 2 3 4 6 8 12 16 20 24 it has 55 tuples.
 *
 * Arithmetic. The two lines marked f32 are single precision, each operation rounded to nearest on its own; everything
 * after them is 32-bit two's complement, and >> is an arithmetic shift (towards minus infinity). No sum can overflow
 * for a network that response_net_check() accepts.
 *   f32   t_i = x_i * scale_i, then t_i = t_i + offset_i; a NaN becomes 0
 *   f32   q_i = t_i clamped to -127..127, rounded to the nearest integer, halves to the even one
 *         h_u = max(0, b1_u + sum_i w1_ui q_i) >> shift1_u, at most 255                      (hidden units)
 *         c_r = (b2_r + sum_u w2_ru h_u) >> shift2_r, clamped to -32767..32767                (coefficients)
 *         z_j = (mean_j << mean_shift) + sum_r basis_rj c_r                                   (the surface) */
#ifndef POISE_RESPONSE_NET_H
#define POISE_RESPONSE_NET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"

#define RESPONSE_FEATURES_MAX 32
#define RESPONSE_HIDDEN_MAX 16
#define RESPONSE_COEFS_MAX 8
#define RESPONSE_LEVELS_MAX 10
#define RESPONSE_POINTS_MAX (RESPONSE_LEVELS_MAX * (RESPONSE_LEVELS_MAX + 1) / 2)
#define RESPONSE_FRACTION_BITS 16
#define RESPONSE_SHIFT_MAX 24 /* of shift1 and shift2 */
#define RESPONSE_MEAN_SHIFT_MAX 14
#define RESPONSE_BIAS_MAX (1 << 29)
#define RESPONSE_MARGIN_MAX (1 << 24)
#define RESPONSE_LEVEL_MAX 64
#define RESPONSE_NET_BYTES_MAX 1024 /* of the whole GPU's network */

struct response_tuple {
    uint32_t N, p;
};
struct response_net {
    uint32_t n_features, n_hidden, n_coefs, n_levels;
    uint8_t levels[RESPONSE_LEVELS_MAX];
    float scale[RESPONSE_FEATURES_MAX], offset[RESPONSE_FEATURES_MAX];
    int8_t w1[RESPONSE_HIDDEN_MAX][RESPONSE_FEATURES_MAX];
    int32_t b1[RESPONSE_HIDDEN_MAX];
    uint8_t shift1[RESPONSE_HIDDEN_MAX];
    int8_t w2[RESPONSE_COEFS_MAX][RESPONSE_HIDDEN_MAX];
    int32_t b2[RESPONSE_COEFS_MAX];
    uint8_t shift2[RESPONSE_COEFS_MAX];
    int8_t basis[RESPONSE_COEFS_MAX][RESPONSE_POINTS_MAX], mean[RESPONSE_POINTS_MAX];
    uint8_t mean_shift;
    int32_t margin; /* what a tuple must gain over (W, W) to be chosen; same unit as z, 0 or more */
};

/* The levels 1 2 3 4 6 8 12 16 20 24 of the standard lattice. */
extern const uint8_t response_levels[RESPONSE_LEVELS_MAX];

/* The lattice of n ascending levels: number of tuples; the tuple of a point; the first level that is at least W, or the
 * last one. */
static inline size_t response_points(size_t n_levels) { return n_levels * (n_levels + 1) / 2; }
struct response_tuple response_point(const uint8_t *levels, size_t point);
/* Points 0 .. this - 1 are the tuples that a launch with W warps per scheduler knows: those of the levels up to the
 * first one of W or more, for what lies above stands for the same tuple. */
size_t response_points_within(const uint8_t *levels, size_t n_levels, uint32_t W);
/* (N, p) with neither above W. */
struct response_tuple response_clamp(struct response_tuple tuple, uint32_t W);

/* Fails with the part of the network that is out of its bounds: sizes, levels that do not ascend, scales that are not
 * finite, shifts, biases, margin, a storage of more than RESPONSE_NET_BYTES_MAX. */
int response_net_check(const struct response_net *net, struct error *err);
/* Bytes that the network takes in hardware: 8 for each feature (two floats), 1 for each weight, basis value, mean
 * value, shift and level, 4 for each bias and for the margin. */
size_t response_net_bytes(const struct response_net *net);

/* The quantised features alone: q[n_features]. */
void response_net_quantise(const struct response_net *net, const float *x, int8_t *q);
/* From quantised features; z[RESPONSE_POINTS_MAX], of which response_points(n_levels) are written. */
void response_net_eval_quantised(const struct response_net *net, const int8_t *q, int32_t z[RESPONSE_POINTS_MAX]);
void response_net_eval(const struct response_net *net, const float *x, int32_t z[RESPONSE_POINTS_MAX]);
/* The tuple to run with W warps per scheduler (W >= 1): of the points within W the one with the largest z, ties to the
 * larger N, then to the larger p, clamped to W; (W, W) where it does not exceed the value of (W, W) by more than the
 * margin. The value of (W, W) is that of the last point within W, or 0 where W is above every level. */
struct response_tuple response_net_best(const struct response_net *net, const int32_t *z, uint32_t W);
#endif
