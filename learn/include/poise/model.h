/* Model files: what learn/ writes and the hardware inference engine reads. No GSL, no GPU words.     [DESIGN §3.7]
 *
 * A file holds one or more named outputs ("N", "p"); each is a log-link linear model over named features:
 *
 * { "schema": 1, "version", "model_version", "name",
 *   "outputs": {
 *     "N": {
 *       "family": "nb2", "link": "log", "features": ["h_o", ..], "weights": [..],
 *       "theta": 12.3 | "inf", "status": "ok|poisson-limit|published",
 *       "covariance": [..],                    of the weights, row after row; may be missing
 *       "offset": true },                      where it was trained with one
 *     .. },
 *   "scale": 24, "training": {..}, "validation": {..} }
 *
 * Keys that a reader does not know are passed over; a missing, misspelt or non-finite value of a known key is an error
 * that names the file and the key. */
#ifndef POISE_MODEL_H
#define POISE_MODEL_H
#include <stdbool.h>
#include <stddef.h>
#include "poise/error.h"
struct json_t;

#define MODEL_FEATURES_MAX 32
#define MODEL_OUTPUTS_MAX 4
#define MODEL_NAME_MAX 64

struct model_output {
    char name[MODEL_NAME_MAX];
    char features[MODEL_FEATURES_MAX][MODEL_NAME_MAX];
    double weights[MODEL_FEATURES_MAX];
    size_t n_features;
    double theta;                       /* INFINITY at the Poisson limit or when not fitted */
    double penalty_lambda, penalty_mix; /* of the elastic net it was fitted with (poise/glm.h); 0: none */
    char status[MODEL_NAME_MAX];
    char family[MODEL_NAME_MAX];
    bool has_offset; /* trained with one: the value is exp(offset + w . x) */
    bool has_covariance;
    double covariance[MODEL_FEATURES_MAX * MODEL_FEATURES_MAX]; /* n_features x n_features, of the weights, row after
                                                                 * row */
};
struct model {
    char name[MODEL_NAME_MAX];
    unsigned model_version; /* SIM_MODEL_VERSION of the simulator behind the training set; 0 where there was none */
    double scale;           /* targets were scaled to this many warps per scheduler: 24; 0: not scaled */
    struct model_output outputs[MODEL_OUTPUTS_MAX];
    size_t n_outputs;
};
int model_read(struct model *out, const char *path, struct error *err);
int model_parse(struct model *out, const char *name, const char *text, size_t size, struct error *err);
/* The JSON object of a model; `training` and `validation` (may be NULL, borrowed) are put in as they are. */
struct json_t *model_json(const struct model *model, struct json_t *training, struct json_t *validation);
int model_write(const struct model *model, struct json_t *training, struct json_t *validation, const char *path,
                struct error *err);
const struct model_output *model_find(const struct model *model, const char *output); /* NULL if absent */

/* The output's value at x (n_features, in the model's order), as the hardware computes it: log_link_predict_f32() of
 * "poise/tuple_predict.h". */
float model_predict_f32(const struct model_output *output, const float *x);
#endif
