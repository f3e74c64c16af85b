/* From any fitted family of response surfaces to the integer network that the engine runs. */
#ifndef POISE_RESPONSE_DISTIL_H
#define POISE_RESPONSE_DISTIL_H
#include "poise/response.h"

/* Distillation: an integer network that answers as a fitted family does. Trained on the family's predictions
 * (mean - caution * spread; of the largest tuple the mean) at the true rows, at rows jittered by `jitter` standard
 * deviations, and at points between two rows; then rounded to integers, which are improved one by one. */
struct response_distil_options {
    uint32_t hidden, coefs;        /* units 1..RESPONSE_HIDDEN_MAX; coefficients 1..RESPONSE_COEFS_MAX; 0: 12 and 4 */
    uint32_t samples;              /* made rows besides the true ones; 0: 2048 */
    uint32_t restarts, iterations; /* of the training; 0: 3 and 300 */
    uint32_t sweeps;               /* passes over all integers; 0: 8 */
    double jitter;                 /* 0: 0.2 */
    struct response_rule rule;
    uint64_t seed;
};
struct response_distilled {
    struct response_net net;
    size_t bytes;
    double rms; /* of network against family, over true and made rows, in units of z */
    double regret_family,
        regret_net; /* means over groups on the true rows; their difference is what distillation costs */
};
/* The tuples must be a lattice as poise/response_net.h orders it. */
int response_distil(struct response_distilled *out, const struct response_predictor *predictor,
                    const struct response_data *data, const struct response_distil_options *options, struct error *err);
/* What a network chooses for features in double precision, as response_choose() tells it. */
size_t response_distilled_choose(const struct response_net *net, const struct response_tuple *tuples, const double *x,
                                 uint32_t W);
/* The model file of a distilled network: names of features from the data, and as its training the hash, rows and groups
 * of the data, bytes, rms and both regrets. `validation` is NULL: set it to an object of your own before writing.
 * `sampling` says at which tuples the features were sampled, in the engine's words (poise/sampling.h). */
struct response_model;
int response_distilled_model(struct response_model *out, const char *name, const struct response_distilled *distilled,
                             const struct response_data *data, const char *sampling, unsigned model_version,
                             struct error *err);
#endif
