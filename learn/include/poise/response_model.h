/* Files of response models: what the learners of response surfaces write and the inference engine reads. No GSL, no GPU
 * words.
 *
 * { "schema": 1, "version", "model_version", "kind": "response", "name",
 *   "features": ["h_o", ..], "sampling": "2:2 / 4:1 / W:W", "lattice": [1,2,..], "fraction_bits": 16, "margin": 655,
 *   "quantisation": {"scale": [..], "offset": [..]},
 *   "hidden": {"weights": [[..], ..], "biases": [..], "shifts": [..]},              one row of weights a unit
 *   "coefficients": {"weights": [[..], ..], "biases": [..], "shifts": [..]},        one row of weights a coefficient
 *   "response": {"basis": [[..], ..], "mean": [..], "mean_shift": 7},
 *   "storage_bytes": 807, "training": {"hash": "32 hexadecimal digits", ..}, "validation": {..} }
 * The arithmetic is that of poise/response_net.h. Scales and offsets are single-precision numbers; everything else is
 * whole. Unknown keys are passed over; a missing, misspelt or out-of-range value of a known key is an error that names
 * the file and the key. A file that response_model_write() wrote is written again with the same bytes.
 * "surface", the old name of "response" as a kind and as a part, is read until simulation model 5. */
#ifndef POISE_RESPONSE_MODEL_H
#define POISE_RESPONSE_MODEL_H
#include <stddef.h>
#include <stdio.h>
#include "poise/error.h"
#include "poise/model.h"
#include "poise/response_net.h"
struct json_t;

#define RESPONSE_SAMPLING_MAX 128
struct response_model {
    char name[MODEL_NAME_MAX];
    unsigned model_version; /* SIM_MODEL_VERSION of the simulator behind the training set; 0 where there was none */
    char features[RESPONSE_FEATURES_MAX]
                 [MODEL_NAME_MAX];        /* net.n_features names, in the order of the network's inputs */
    char sampling[RESPONSE_SAMPLING_MAX]; /* where features are sampled, in the engine's words (poise/sampling.h) */
    struct response_net net;
    struct json_t *training;   /* owned; an object with at least "hash" */
    struct json_t *validation; /* owned; an object, or NULL */
};
void response_model_fini(struct response_model *model);
/* On error *out holds nothing that needs response_model_fini(). */
int response_model_read(struct response_model *out, const char *path, struct error *err);
int response_model_parse(struct response_model *out, const char *name, const char *text, size_t size,
                         struct error *err);
/* The file's text, malloc'd, ending with a newline; refused where it could not be read back. */
int response_model_text(char **out, const struct response_model *model, const char *path, struct error *err);
int response_model_write(const struct response_model *model, const char *path, struct error *err);
/* The model as a C header that needs nothing but <stdint.h>: NAME_predict(x, W, &N, &p) and NAME_response(x, z), with
 * the same bits as response_net_best() and response_net_eval(). `prefix` begins every name: a C identifier. */
int response_model_export(const struct response_model *model, const char *prefix, FILE *out, struct error *err);
#endif
