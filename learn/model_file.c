/* Model files: strict JSON in, canonical JSON out (fixed key order, shortest width that gives the double back).
 * A weight that single precision cannot hold is refused here, because the inference engine computes in it. */
#include "poise/model.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model_error.h"
#include "poise/file.h"

#define SCHEMA 1
#define SCALE_MAX 1024.0
#define HINT "write model files with 'poise train', or see learn/include/poise/model.h for the schema"
#define bad(err, file, key, ...) model_error(err, file, key, HINT, __VA_ARGS__)

static int get_text(char out[MODEL_NAME_MAX], const json_t *object, const char *path, const char *key, const char *file,
                    struct error *err)
{
    char where[192];
    snprintf(where, sizeof where, "%s%s", path, key);
    const char *text = json_string_value(json_object_get(object, key));
    if (!text || text[0] == '\0') return bad(err, file, where, "must be a text that is not empty");
    if (strlen(text) >= MODEL_NAME_MAX) return bad(err, file, where, "longer than %d bytes", MODEL_NAME_MAX - 1);
    snprintf(out, MODEL_NAME_MAX, "%s", text);
    return 0;
}

static int get_features(struct model_output *out, const json_t *list, const char *path, const char *file,
                        struct error *err)
{
    char where[192];
    snprintf(where, sizeof where, "%sfeatures", path);
    if (!json_is_array(list) || json_array_size(list) == 0)
        return bad(err, file, where, "must be a list of feature names");
    if (json_array_size(list) > MODEL_FEATURES_MAX)
        return bad(err, file, where, "%zu features, at most %d", json_array_size(list), MODEL_FEATURES_MAX);
    out->n_features = json_array_size(list);
    for (size_t i = 0; i < out->n_features; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        snprintf(where, sizeof where, "%sfeatures[%zu]", path, i);
        if (!name || name[0] == '\0' || strlen(name) >= MODEL_NAME_MAX)
            return bad(err, file, where, "must be a name of 1 to %d bytes", MODEL_NAME_MAX - 1);
        for (size_t j = 0; j < i; j++)
            if (strcmp(out->features[j], name) == 0) return bad(err, file, where, "'%s' is given twice", name);
        snprintf(out->features[i], MODEL_NAME_MAX, "%s", name);
    }
    return 0;
}

static int get_weights(struct model_output *out, const json_t *list, const char *path, const char *file,
                       struct error *err)
{
    char where[192];
    snprintf(where, sizeof where, "%sweights", path);
    if (!json_is_array(list) || json_array_size(list) != out->n_features)
        return bad(err, file, where, "must be a list of %zu numbers, one for each feature, not %zu", out->n_features,
                   json_array_size(list));
    for (size_t i = 0; i < out->n_features; i++) {
        const json_t *item = json_array_get(list, i);
        const double w = json_number_value(item);
        snprintf(where, sizeof where, "%sweights[%zu]", path, i);
        if (!json_is_number(item))
            return bad(err, file, where, "the weight of '%s' must be a number", out->features[i]);
        if (!isfinite(w) || fabs(w) > (double)FLT_MAX)
            return bad(err, file, where, "the weight of '%s' is not finite in single precision", out->features[i]);
        out->weights[i] = w;
    }
    return 0;
}

/* What a prediction's uncertainty needs; published models do not have it. */
static int get_covariance(struct model_output *out, const json_t *list, const char *path, const char *file,
                          struct error *err)
{
    char where[192];
    const size_t k = out->n_features;
    snprintf(where, sizeof where, "%scovariance", path);
    if (!list) return 0;
    if (!json_is_array(list) || json_array_size(list) != k * k)
        return bad(err, file, where, "must be a list of %zu numbers, %zu for each of %zu features", k * k, k, k);
    for (size_t i = 0; i < k * k; i++) {
        const json_t *item = json_array_get(list, i);
        out->covariance[i] = json_number_value(item);
        if (!json_is_number(item) || !isfinite(out->covariance[i]) || (i % (k + 1) == 0 && out->covariance[i] < 0))
            return bad(err, file, where, "entry %zu must be a finite number, and a variance not negative", i);
    }
    out->has_covariance = true;
    return 0;
}

static int get_theta(double *theta, const json_t *item, const char *path, const char *file, struct error *err)
{
    char where[192];
    snprintf(where, sizeof where, "%stheta", path);
    const char *text = json_string_value(item);
    if (text && strcmp(text, "inf") == 0) {
        *theta = INFINITY;
        return 0;
    }
    *theta = json_number_value(item);
    if (!json_is_number(item) || !isfinite(*theta) || *theta <= 0)
        return bad(err, file, where, "must be a number above 0, or \"inf\"");
    return 0;
}

static int get_penalty(struct model_output *out, const json_t *item, const char *path, const char *file,
                       struct error *err)
{
    const json_t *lambda = json_object_get(item, "lambda"), *mix = json_object_get(item, "mix");
    if (!item) return 0;
    out->penalty_lambda = json_number_value(lambda);
    out->penalty_mix = json_number_value(mix);
    if (json_is_number(lambda) && json_is_number(mix) && out->penalty_lambda >= 0 && isfinite(out->penalty_lambda) &&
        out->penalty_mix >= 0 && out->penalty_mix <= 1)
        return 0;
    return bad(err, file, path, "penalty must be {\"lambda\": a number from 0, \"mix\": a number from 0 to 1}");
}

static int get_output(struct model_output *out, const char *name, const json_t *object, const char *file,
                      struct error *err)
{
    char path[128], link[MODEL_NAME_MAX];
    if (name[0] == '\0' || strlen(name) >= MODEL_NAME_MAX)
        return bad(err, file, "outputs", "an output's name has 1 to %d bytes", MODEL_NAME_MAX - 1);
    snprintf(path, sizeof path, "outputs.%s", name);
    if (!json_is_object(object)) return bad(err, file, path, "must be an object");
    snprintf(path, sizeof path, "outputs.%s.", name);
    snprintf(out->name, sizeof out->name, "%s", name);
    if (get_text(out->family, object, path, "family", file, err) < 0) return -1;
    if (get_text(link, object, path, "link", file, err) < 0) return -1;
    if (strcmp(link, "log") != 0) return bad(err, file, path, "link '%s': only \"log\" is known", link);
    if (get_features(out, json_object_get(object, "features"), path, file, err) < 0) return -1;
    if (get_weights(out, json_object_get(object, "weights"), path, file, err) < 0) return -1;
    if (get_theta(&out->theta, json_object_get(object, "theta"), path, file, err) < 0) return -1;
    if (get_covariance(out, json_object_get(object, "covariance"), path, file, err) < 0) return -1;
    const json_t *offset = json_object_get(object, "offset");
    if (offset && !json_is_boolean(offset)) return bad(err, file, path, "offset must be true or false");
    out->has_offset = json_is_true(offset);
    if (get_penalty(out, json_object_get(object, "penalty"), path, file, err) < 0) return -1;
    return get_text(out->status, object, path, "status", file, err);
}

static int get_model(struct model *out, const json_t *root, const char *file, struct error *err)
{
    if (!json_is_object(root)) return bad(err, file, "the file", "must hold one JSON object");
    const json_t *schema = json_object_get(root, "schema"), *version = json_object_get(root, "model_version");
    if (!json_is_integer(schema) || json_integer_value(schema) != SCHEMA)
        return bad(err, file, "schema", "must be %d, the only one this build reads", SCHEMA);
    if (version &&
        (!json_is_integer(version) || json_integer_value(version) < 0 || json_integer_value(version) > INT32_MAX))
        return bad(err, file, "model_version", "must be a whole number from 0");
    out->model_version = version ? (unsigned)json_integer_value(version) : 0;
    if (get_text(out->name, root, "", "name", file, err) < 0) return -1;
    const json_t *scale = json_object_get(root, "scale");
    out->scale = json_number_value(scale);
    if (!json_is_number(scale) || !(out->scale == 0 || (out->scale >= 1 && out->scale <= SCALE_MAX)))
        return bad(err, file, "scale", "must be a number of warps from 1 to %g, or 0 where targets are not scaled",
                   SCALE_MAX);
    json_t *outputs = json_object_get(root, "outputs");
    if (!json_is_object(outputs) || json_object_size(outputs) == 0)
        return bad(err, file, "outputs", "must be an object with one member for each output");
    if (json_object_size(outputs) > MODEL_OUTPUTS_MAX)
        return bad(err, file, "outputs", "%zu outputs, at most %d", json_object_size(outputs), MODEL_OUTPUTS_MAX);
    const char *name;
    json_t *object;
    json_object_foreach(outputs, name, object) {
        if (get_output(&out->outputs[out->n_outputs++], name, object, file, err) < 0) return -1;
    }
    return 0;
}

int model_parse(struct model *out, const char *name, const char *text, size_t size, struct error *err)
{
    memset(out, 0, sizeof *out);
    json_t *root = model_json_load(name, text, size, HINT, err);
    if (!root) {
        model_other_text(err, name, text, size, "model");
        return -1;
    }
    const int failed = model_other_json(err, name, root, "model") < 0 ? -1 : get_model(out, root, name, err);
    json_decref(root);
    if (failed) memset(out, 0, sizeof *out);
    return failed;
}

int model_read(struct model *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "model file");
    const int failed = model_parse(out, path, text, size, err);
    free(text);
    return failed;
}

static json_t *output_json(const struct model_output *output)
{
    json_t *features = json_array(), *weights = json_array();
    for (size_t i = 0; i < output->n_features; i++) {
        json_array_append_new(features, json_string(output->features[i]));
        json_array_append_new(weights, json_real(output->weights[i]));
    }
    json_t *object = json_object();
    json_object_set_new(object, "family", json_string(output->family));
    json_object_set_new(object, "link", json_string("log"));
    json_object_set_new(object, "features", features);
    json_object_set_new(object, "weights", weights);
    json_object_set_new(object, "theta", isfinite(output->theta) ? json_real(output->theta) : json_string("inf"));
    json_object_set_new(object, "status", json_string(output->status));
    if (output->has_offset) json_object_set_new(object, "offset", json_true());
    if (output->penalty_lambda > 0)
        json_object_set_new(object, "penalty",
                            json_pack("{s:f,s:f}", "lambda", output->penalty_lambda, "mix", output->penalty_mix));
    if (!output->has_covariance) return object;
    json_t *covariance = json_array();
    for (size_t i = 0; i < output->n_features * output->n_features; i++)
        json_array_append_new(covariance, json_real(output->covariance[i]));
    json_object_set_new(object, "covariance", covariance);
    return object;
}

struct json_t *model_json(const struct model *model, struct json_t *training, struct json_t *validation)
{
    json_t *root = json_object(), *outputs = json_object();
    for (size_t i = 0; i < model->n_outputs; i++)
        json_object_set_new(outputs, model->outputs[i].name, output_json(&model->outputs[i]));
    json_object_set_new(root, "schema", json_integer(SCHEMA));
    json_object_set_new(root, "version", json_string(POISE_VERSION));
    json_object_set_new(root, "model_version", json_integer((json_int_t)model->model_version));
    json_object_set_new(root, "name", json_string(model->name));
    json_object_set_new(root, "outputs", outputs);
    json_object_set_new(root, "scale", json_real(model->scale));
    if (training) json_object_set(root, "training", training);
    if (validation) json_object_set(root, "validation", validation);
    return root;
}

int model_write(const struct model *model, struct json_t *training, struct json_t *validation, const char *path,
                struct error *err)
{
    struct model again;
    json_t *root = model_json(model, training, validation);
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(root);
    /* jansson cannot represent NaN: a value it dropped shows as a missing key when read back */
    if (!text)
        return error_set(err, ERR_INPUT, "%s: the model cannot be written as JSON (text that is not UTF-8?)", path);
    const size_t size = strlen(text);
    int failed = model_parse(&again, path, text, size, err);
    if (failed) error_while(err, "refusing to write a model that cannot be read back");
    text[size] = '\n'; /* in place of the terminator: file_write takes a length */
    if (!failed) failed = file_write(path, text, size + 1, err);
    free(text);
    return failed;
}

const struct model_output *model_find(const struct model *model, const char *output)
{
    for (size_t i = 0; i < model->n_outputs; i++)
        if (strcmp(model->outputs[i].name, output) == 0) return &model->outputs[i];
    return NULL;
}
