/* Weights as hardware holds them: a C header, or fixed point; and what fixed point costs.     No GSL, no GPU words.
 * Fixed point of b bits: a signed whole number q with value q 2^-f, one f for all weights of an output: the largest
 * at which every weight fits. Weights and features are whole numbers then; the sum is exact and one exponential is
 * left. */
#ifndef POISE_QUANTISE_H
#define POISE_QUANTISE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/model.h"

#define QUANTISE_BITS_MIN 4
#define QUANTISE_BITS_MAX 32
struct quantised {
    unsigned bits;
    int fraction_bits;
    int32_t weights[MODEL_FEATURES_MAX];
};
/* Rounded to nearest, halves away from 0. */
int model_quantise(struct quantised *out, const struct model_output *output, unsigned bits, struct error *err);
double quantised_weight(const struct quantised *quantised, size_t i);
/* What the prediction becomes: model_predict_f32() with the quantised weights. */
float quantised_predict(const struct quantised *quantised, const struct model_output *output, const float *x);

/* What b bits cost on n rows of features (row by row, in the output's order): the error of the prediction against
 * single precision, relative and in warps, and the share of rows whose rounded prediction changes. */
struct quantise_error {
    unsigned bits;
    int fraction_bits;
    double weight_error, relative_mean, relative_max, warps_max, changed;
};
int quantise_curve(struct quantise_error *out, size_t *n_out, const struct model_output *output, const float *x,
                   size_t n, struct error *err);

/* A header that compiles alone: for each output its single-precision weights as hexadecimal floats and `float
 * poise_OUTPUT_predict(const float x[])`; where bits > 0, fixed-point weights and poise_OUTPUT_predict_fixed() beside
 * them. */
int model_write_header(const struct model *model, unsigned bits, FILE *out, struct error *err);
#endif
