/* Files of response models: strict JSON in, canonical JSON out (fixed order of keys, a line for each row of numbers).
 *  */
#include "poise/response_model.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model_error.h"
#include "poise/file.h"
#include "poise/hash.h"

#define SCHEMA 1
#define HINT "learn/include/poise/response_model.h describes the file"
#define bad(err, file, key, ...) model_error(err, file, key, HINT, __VA_ARGS__)

static int get_text(char out[MODEL_NAME_MAX], const json_t *item, const char *key, const char *file, struct error *err)
{
    const char *text = json_string_value(item);
    if (!text || !*text || strlen(text) >= MODEL_NAME_MAX)
        return bad(err, file, key, "must be a text of 1 to %d bytes", MODEL_NAME_MAX - 1);
    snprintf(out, MODEL_NAME_MAX, "%s", text);
    return 0;
}

static int get_whole(long *out, const json_t *item, const char *key, long low, long high, const char *file,
                     struct error *err)
{
    if (!json_is_integer(item) || json_integer_value(item) < low || json_integer_value(item) > high)
        return bad(err, file, key, "must be a whole number from %ld to %ld", low, high);
    *out = (long)json_integer_value(item);
    return 0;
}

/* A list of n whole numbers, each within low..high, into elements of `size` bytes: 1 (int8_t or uint8_t) or 4
 * (int32_t). */
struct whole_list {
    void *out;
    size_t n, size;
    long low, high;
};
static int get_list(const struct whole_list *list, const json_t *item, const char *key, const char *file,
                    struct error *err)
{
    if (!json_is_array(item) || json_array_size(item) != list->n)
        return bad(err, file, key, "must be a list of %zu whole numbers, not %zu", list->n, json_array_size(item));
    for (size_t i = 0; i < list->n; i++) {
        char where[96];
        long v = 0;
        snprintf(where, sizeof where, "%.64s[%zu]", key, i);
        if (get_whole(&v, json_array_get(item, i), where, list->low, list->high, file, err) < 0) return -1;
        if (list->size == 1) ((uint8_t *)list->out)[i] = (uint8_t)v;
        else ((int32_t *)list->out)[i] = (int32_t)v;
    }
    return 0;
}

/* `rows` lists of n weights in int8_t, rows `stride` bytes apart. */
static int get_rows(int8_t *out, size_t stride, size_t rows, size_t n, const json_t *item, const char *key,
                    const char *file, struct error *err)
{
    for (size_t r = 0; r < rows; r++) {
        char where[96];
        const struct whole_list list = {out + r * stride, n, 1, -127, 127};
        snprintf(where, sizeof where, "%.64s[%zu]", key, r);
        if (get_list(&list, json_array_get(item, r), where, file, err) < 0) return -1;
    }
    return 0;
}

static int get_floats(float *out, size_t n, const json_t *item, const char *key, const char *file, struct error *err)
{
    if (!json_is_array(item) || json_array_size(item) != n)
        return bad(err, file, key, "must be a list of %zu numbers, one for each feature, not %zu", n,
                   json_array_size(item));
    for (size_t i = 0; i < n; i++) {
        const json_t *number = json_array_get(item, i);
        const double v = json_number_value(number);
        char where[96];
        snprintf(where, sizeof where, "%.64s[%zu]", key, i);
        if (!json_is_number(number) || !isfinite(v) || fabs(v) > (double)FLT_MAX || (double)(float)v != v)
            return bad(err, file, where, "must be a number that single precision holds exactly");
        out[i] = (float)v;
    }
    return 0;
}

static int get_features(struct response_model *out, const json_t *list, const char *file, struct error *err)
{
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > RESPONSE_FEATURES_MAX)
        return bad(err, file, "features", "must be a list of 1 to %d names", RESPONSE_FEATURES_MAX);
    out->net.n_features = (uint32_t)json_array_size(list);
    for (size_t i = 0; i < out->net.n_features; i++) {
        char where[96];
        snprintf(where, sizeof where, "features[%zu]", i);
        if (get_text(out->features[i], json_array_get(list, i), where, file, err) < 0) return -1;
        for (size_t j = 0; j < i; j++)
            if (strcmp(out->features[i], out->features[j]) == 0)
                return bad(err, file, where, "'%s' is given twice", out->features[i]);
    }
    return 0;
}

static int get_sampling(struct response_model *out, const json_t *item, const char *file, struct error *err)
{
    const char *text = json_string_value(item);
    if (!text || !*text || strlen(text) >= sizeof out->sampling)
        return bad(err, file, "sampling", "must be a text of 1 to %zu characters", sizeof out->sampling - 1);
    snprintf(out->sampling, sizeof out->sampling, "%s", text);
    return 0;
}

static int get_lattice(struct response_net *net, const json_t *list, const char *file, struct error *err)
{
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > RESPONSE_LEVELS_MAX)
        return bad(err, file, "lattice", "must be a list of 1 to %d levels", RESPONSE_LEVELS_MAX);
    net->n_levels = (uint32_t)json_array_size(list);
    const struct whole_list levels = {net->levels, net->n_levels, 1, 1, RESPONSE_LEVEL_MAX};
    if (get_list(&levels, list, "lattice", file, err) < 0) return -1;
    for (size_t i = 1; i < net->n_levels; i++)
        if (net->levels[i] <= net->levels[i - 1]) return bad(err, file, "lattice", "levels must ascend");
    return 0;
}

/* One layer: weights, biases and shifts. */
struct layer {
    const char *key;
    int8_t *weights;
    int32_t *biases;
    uint8_t *shifts;
    uint32_t *rows;
    size_t stride, most, n;
};
static int get_layer(const struct layer *layer, const json_t *object, const char *file, struct error *err)
{
    char where[96];
    const json_t *weights = json_object_get(object, "weights");
    snprintf(where, sizeof where, "%s.weights", layer->key);
    if (!json_is_array(weights) || json_array_size(weights) < 1 || json_array_size(weights) > layer->most)
        return bad(err, file, where, "must be a list of 1 to %zu lists", layer->most);
    const size_t rows = json_array_size(weights);
    *layer->rows = (uint32_t)rows;
    if (get_rows(layer->weights, layer->stride, rows, layer->n, weights, where, file, err) < 0) return -1;
    const struct whole_list biases = {layer->biases, rows, sizeof *layer->biases, -RESPONSE_BIAS_MAX,
                                      RESPONSE_BIAS_MAX};
    const struct whole_list shifts = {layer->shifts, rows, 1, 0, RESPONSE_SHIFT_MAX};
    snprintf(where, sizeof where, "%s.biases", layer->key);
    if (get_list(&biases, json_object_get(object, "biases"), where, file, err) < 0) return -1;
    snprintf(where, sizeof where, "%s.shifts", layer->key);
    return get_list(&shifts, json_object_get(object, "shifts"), where, file, err);
}

/* `kind` is the name of this part too. */
static int get_response(struct response_net *net, const json_t *root, const char *kind, const char *file,
                        struct error *err)
{
    const size_t m = response_points(net->n_levels);
    const json_t *object = json_object_get(root, kind), *basis = json_object_get(object, "basis");
    const struct whole_list mean = {net->mean, m, 1, -127, 127};
    char basis_key[32], mean_key[32], shift_key[32];
    long shift = 0;
    snprintf(basis_key, sizeof basis_key, "%s.basis", kind);
    snprintf(mean_key, sizeof mean_key, "%s.mean", kind);
    snprintf(shift_key, sizeof shift_key, "%s.mean_shift", kind);
    if (json_array_size(basis) != net->n_coefs)
        return bad(err, file, basis_key, "must be a list of %u lists, one for each coefficient", net->n_coefs);
    if (get_rows(&net->basis[0][0], sizeof net->basis[0], net->n_coefs, m, basis, basis_key, file, err) < 0 ||
        get_list(&mean, json_object_get(object, "mean"), mean_key, file, err) < 0 ||
        get_whole(&shift, json_object_get(object, "mean_shift"), shift_key, 0, RESPONSE_MEAN_SHIFT_MAX, file, err) < 0)
        return -1;
    net->mean_shift = (uint8_t)shift;
    return 0;
}

static int get_net(struct response_net *net, const json_t *root, const char *kind, const char *file, struct error *err)
{
    const json_t *quantisation = json_object_get(root, "quantisation");
    const struct layer hidden = {"hidden",          &net->w1[0][0],      net->b1,        net->shift1, &net->n_hidden,
                                 sizeof net->w1[0], RESPONSE_HIDDEN_MAX, net->n_features};
    long margin = 0, fraction = 0, bytes = 0;
    if (get_lattice(net, json_object_get(root, "lattice"), file, err) < 0) return -1;
    if (get_whole(&fraction, json_object_get(root, "fraction_bits"), "fraction_bits", RESPONSE_FRACTION_BITS,
                  RESPONSE_FRACTION_BITS, file, err) < 0 ||
        get_whole(&margin, json_object_get(root, "margin"), "margin", 0, RESPONSE_MARGIN_MAX, file, err) < 0)
        return -1;
    net->margin = (int32_t)margin;
    if (get_floats(net->scale, net->n_features, json_object_get(quantisation, "scale"), "quantisation.scale", file,
                   err) < 0 ||
        get_floats(net->offset, net->n_features, json_object_get(quantisation, "offset"), "quantisation.offset", file,
                   err) < 0 ||
        get_layer(&hidden, json_object_get(root, "hidden"), file, err) < 0)
        return -1;
    const struct layer coefs = {"coefficients",    &net->w2[0][0],     net->b2,      net->shift2, &net->n_coefs,
                                sizeof net->w2[0], RESPONSE_COEFS_MAX, net->n_hidden};
    if (get_layer(&coefs, json_object_get(root, "coefficients"), file, err) < 0) return -1;
    if (get_response(net, root, kind, file, err) < 0) return -1;
    if (response_net_check(net, err) < 0) return error_while(err, "%s", file);
    const long counted = (long)response_net_bytes(net);
    if (get_whole(&bytes, json_object_get(root, "storage_bytes"), "storage_bytes", 1, RESPONSE_NET_BYTES_MAX, file,
                  err) < 0)
        return -1;
    return bytes == counted ? 0 : bad(err, file, "storage_bytes", "is %ld, but the network takes %ld", bytes, counted);
}

static int get_provenance(struct response_model *out, const json_t *root, const char *file, struct error *err)
{
    json_t *training = json_object_get(root, "training"), *validation = json_object_get(root, "validation");
    const char *hash = json_string_value(json_object_get(training, "hash"));
    if (!hash || strlen(hash) != HASH_TEXT_SIZE - 1 || strspn(hash, "0123456789abcdef") != HASH_TEXT_SIZE - 1)
        return bad(err, file, "training.hash", "must be %d hexadecimal digits", HASH_TEXT_SIZE - 1);
    if (validation && !json_is_object(validation)) return bad(err, file, "validation", "must be an object");
    out->training = json_incref(training);
    out->validation = json_incref(validation);
    return 0;
}

static int get_model(struct response_model *out, const json_t *root, const char *file, struct error *err)
{
    long schema = 0, version = 0;
    const char *kind = json_string_value(json_object_get(root, "kind"));
    const json_t *model_version = json_object_get(root, "model_version");
    if (!json_is_object(root)) return bad(err, file, "the file", "must hold one JSON object");
    if (get_whole(&schema, json_object_get(root, "schema"), "schema", SCHEMA, SCHEMA, file, err) < 0) return -1;
    if (!kind ||
        (strcmp(kind, "response") != 0 && strcmp(kind, "surface") != 0)) /* surface: until simulation model 5 */
        return bad(err, file, "kind", "must be \"response\"");
    if (model_version && get_whole(&version, model_version, "model_version", 0, INT32_MAX, file, err) < 0) return -1;
    out->model_version = (unsigned)version;
    if (get_text(out->name, json_object_get(root, "name"), "name", file, err) < 0 ||
        get_features(out, json_object_get(root, "features"), file, err) < 0 ||
        get_sampling(out, json_object_get(root, "sampling"), file, err) < 0 ||
        get_net(&out->net, root, kind, file, err) < 0)
        return -1;
    return get_provenance(out, root, file, err);
}

void response_model_fini(struct response_model *model)
{
    json_decref(model->training);
    json_decref(model->validation);
    memset(model, 0, sizeof *model);
}

int response_model_parse(struct response_model *out, const char *name, const char *text, size_t size, struct error *err)
{
    memset(out, 0, sizeof *out);
    json_t *root = model_json_load(name, text, size, HINT, err);
    if (!root) {
        model_other_text(err, name, text, size, "response");
        return -1;
    }
    const int failed = model_other_json(err, name, root, "response") < 0 ? -1 : get_model(out, root, name, err);
    json_decref(root);
    if (failed) response_model_fini(out);
    return failed;
}

int response_model_read(struct response_model *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "response model");
    const int failed = response_model_parse(out, path, text, size, err);
    free(text);
    return failed;
}

static json_t *bytes_json(const void *values, size_t n, bool is_signed)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_integer(is_signed ? ((const int8_t *)values)[i] : ((const uint8_t *)values)[i]));
    return list;
}
static json_t *rows_json(const int8_t *values, size_t stride, size_t rows, size_t n)
{
    json_t *list = json_array();
    for (size_t r = 0; r < rows; r++) json_array_append_new(list, bytes_json(values + r * stride, n, true));
    return list;
}
static json_t *whole_json(const int32_t *values, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_integer(values[i]));
    return list;
}
static json_t *floats_json(const float *values, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_real((double)values[i]));
    return list;
}
static json_t *layer_json(json_t *weights, const int32_t *biases, const uint8_t *shifts, size_t n)
{
    json_t *object = json_object();
    json_object_set_new(object, "weights", weights);
    json_object_set_new(object, "biases", whole_json(biases, n));
    json_object_set_new(object, "shifts", bytes_json(shifts, n, false));
    return object;
}

static void net_json(json_t *root, const struct response_net *net)
{
    const size_t m = response_points(net->n_levels);
    json_t *quantisation = json_object(), *response = json_object();
    json_object_set_new(root, "lattice", bytes_json(net->levels, net->n_levels, false));
    json_object_set_new(root, "fraction_bits", json_integer(RESPONSE_FRACTION_BITS));
    json_object_set_new(root, "margin", json_integer(net->margin));
    json_object_set_new(quantisation, "scale", floats_json(net->scale, net->n_features));
    json_object_set_new(quantisation, "offset", floats_json(net->offset, net->n_features));
    json_object_set_new(root, "quantisation", quantisation);
    json_object_set_new(root, "hidden",
                        layer_json(rows_json(&net->w1[0][0], sizeof net->w1[0], net->n_hidden, net->n_features),
                                   net->b1, net->shift1, net->n_hidden));
    json_object_set_new(root, "coefficients",
                        layer_json(rows_json(&net->w2[0][0], sizeof net->w2[0], net->n_coefs, net->n_hidden), net->b2,
                                   net->shift2, net->n_coefs));
    json_object_set_new(response, "basis", rows_json(&net->basis[0][0], sizeof net->basis[0], net->n_coefs, m));
    json_object_set_new(response, "mean", bytes_json(net->mean, m, true));
    json_object_set_new(response, "mean_shift", json_integer(net->mean_shift));
    json_object_set_new(root, "response", response);
    json_object_set_new(root, "storage_bytes", json_integer((json_int_t)response_net_bytes(net)));
}

static json_t *model_object(const struct response_model *model)
{
    json_t *root = json_object(), *features = json_array();
    for (size_t i = 0; i < model->net.n_features; i++) json_array_append_new(features, json_string(model->features[i]));
    json_object_set_new(root, "schema", json_integer(SCHEMA));
    json_object_set_new(root, "version", json_string(POISE_VERSION));
    json_object_set_new(root, "model_version", json_integer((json_int_t)model->model_version));
    json_object_set_new(root, "kind", json_string("response"));
    json_object_set_new(root, "name", json_string(model->name));
    json_object_set_new(root, "features", features);
    json_object_set_new(root, "sampling", json_string(model->sampling));
    net_json(root, &model->net);
    if (model->training) json_object_set(root, "training", model->training);
    if (model->validation) json_object_set(root, "validation", model->validation);
    return root;
}

static void print_key(FILE *out, const char *key)
{
    json_t *string = json_string(key);
    char *text = json_dumps(string, JSON_ENCODE_ANY);
    fprintf(out, "%s: ", text ? text : "null");
    free(text);
    json_decref(string);
}

/* Objects and lists of lists with a line for each member, everything else on one line. */
static void print_value(FILE *out, const json_t *value, int depth)
{
    const bool is_object = json_is_object(value) && json_object_size(value) > 0;
    const bool is_table = json_is_array(value) && json_is_array(json_array_get(value, 0));
    const char *key;
    json_t *member;
    size_t i, n = 0;
    if (!is_object && !is_table) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17) | JSON_COMPACT);
        fputs(text ? text : "null", out);
        free(text);
        return;
    }
    fputc(is_object ? '{' : '[', out);
    json_object_foreach((json_t *)(uintptr_t)value, key, member) {
        fprintf(out, "%s\n%*s", n++ ? "," : "", 2 * depth + 2, "");
        print_key(out, key);
        print_value(out, member, depth + 1);
    }
    json_array_foreach((json_t *)(uintptr_t)value, i, member) {
        fprintf(out, "%s\n%*s", i ? "," : "", 2 * depth + 2, "");
        print_value(out, member, depth + 1);
    }
    fprintf(out, "\n%*s%c", 2 * depth, "", is_object ? '}' : ']');
}

int response_model_text(char **out, const struct response_model *model, const char *path, struct error *err)
{
    struct response_model again;
    size_t size;
    FILE *stream = open_memstream(out, &size);
    if (!stream) return error_set(err, ERR_MEMORY, "out of memory");
    json_t *root = model_object(model);
    print_value(stream, root, 0);
    fputc('\n', stream);
    json_decref(root);
    const bool is_cut = ferror(stream) != 0;
    if (fclose(stream) != 0 || is_cut) {
        free(*out);
        return error_set(err, ERR_MEMORY, "out of memory");
    }
    /* A value that JSON cannot hold (a NaN, text that is not UTF-8) shows as a missing or null key when read back. */
    if (response_model_parse(&again, path, *out, size, err) < 0) {
        free(*out);
        *out = NULL;
        return error_while(err, "refusing to write a model that cannot be read back");
    }
    response_model_fini(&again);
    return 0;
}

int response_model_write(const struct response_model *model, const char *path, struct error *err)
{
    char *text;
    if (response_model_text(&text, model, path, err) < 0) return -1;
    const int failed = file_write(path, text, strlen(text), err);
    free(text);
    return failed;
}
