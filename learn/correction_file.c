/* Files of corrections: strict JSON in, canonical JSON out. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model_error.h"
#include "poise/correction.h"
#include "poise/file.h"

#define SCHEMA 1
#define HINT "'poise train TABLE.csv --family correction -o FILE' writes such a file (learn/include/poise/correction.h)"
#define bad(err, file, key, ...) model_error(err, file, key, HINT, __VA_ARGS__)
enum { NODES_MAX = 1 << 16, DEPTH_MAX = 64 };

static int get_number(double *out, const json_t *object, const char *key, double low, double high, const char *file,
                      struct error *err)
{
    const json_t *item = json_object_get(object, key);
    *out = json_number_value(item);
    if (json_is_number(item) && isfinite(*out) && *out >= low && *out <= high) return 0;
    return bad(err, file, key, "must be a number from %g to %g", low, high);
}

static int get_numbers(double *out, size_t n, const json_t *object, const char *key, const char *file,
                       struct error *err)
{
    const json_t *list = json_object_get(object, key);
    if (!json_is_array(list) || json_array_size(list) != n)
        return bad(err, file, key, "must be a list of %zu numbers", n);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        out[i] = json_number_value(item);
        if (!json_is_number(item) || !isfinite(out[i])) return bad(err, file, key, "must be a list of %zu numbers", n);
    }
    return 0;
}

static int get_names(struct correction *c, const json_t *root, const char *file, struct error *err)
{
    const json_t *list = json_object_get(root, "features");
    const char *base = json_string_value(json_object_get(root, "base")),
               *name = json_string_value(json_object_get(root, "name"));
    if (!name || !*name || strlen(name) >= MODEL_NAME_MAX) return bad(err, file, "name", "must be a short text");
    snprintf(c->name, sizeof c->name, "%s", name);
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > RESPONSE_FEATURES_MAX)
        return bad(err, file, "features", "must be a list of 1 to %d names", RESPONSE_FEATURES_MAX);
    c->k = c->base = json_array_size(list);
    for (size_t j = 0; j < c->k; j++) {
        const char *text = json_string_value(json_array_get(list, j));
        if (!text || !*text || strlen(text) >= MODEL_NAME_MAX)
            return bad(err, file, "features", "must be a list of short texts");
        snprintf(c->names[j], sizeof c->names[j], "%s", text);
        if (base && strcmp(base, text) == 0) c->base = j;
    }
    return c->base < c->k ? 0 : bad(err, file, "base", "must be one of the features");
}

static int get_whole(int64_t *out, const json_t *tree, const char *key, size_t i, int64_t low, int64_t high,
                     const char *file, struct error *err)
{
    const json_t *item = json_array_get(json_object_get(tree, key), i);
    *out = json_integer_value(item);
    if (json_is_integer(item) && *out >= low && *out <= high) return 0;
    return bad(err, file, "trees", "%s[%zu] must be a whole number from %lld to %lld", key, i, (long long)low,
               (long long)high);
}

/* Children stand behind their parent, so that every way down ends. */
static int get_tree(struct correction_tree *out, const struct correction *c, const json_t *tree, const char *file,
                    struct error *err)
{
    const size_t n = json_array_size(json_object_get(tree, "column"));
    if (n < 1 || n > NODES_MAX) return bad(err, file, "trees", "a tree has 1 to %d nodes", NODES_MAX);
    out->nodes = calloc(n, sizeof *out->nodes);
    if (!out->nodes) return error_set(err, ERR_MEMORY, "%s: out of memory for a tree", file);
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        int64_t column, left = 0, right = 0;
        const json_t *item = json_array_get(json_object_get(tree, "value"), i);
        const double value = json_number_value(item);
        if (get_whole(&column, tree, "column", i, -1, (int64_t)c->k - 1, file, err) < 0) return -1;
        if (column >= 0 && (get_whole(&left, tree, "left", i, (int64_t)i + 1, (int64_t)n - 1, file, err) < 0 ||
                            get_whole(&right, tree, "right", i, (int64_t)i + 1, (int64_t)n - 1, file, err) < 0))
            return -1;
        if (!json_is_number(item) || !(fabs(value) < 1e30))
            return bad(err, file, "trees", "value[%zu] is no number", i);
        out->nodes[i] = (struct correction_node){(int32_t)column, (uint32_t)left, (uint32_t)right, (float)value};
    }
    return 0;
}

static int get_trees(struct correction *c, const json_t *root, const char *file, struct error *err)
{
    const json_t *list = json_object_get(root, "trees");
    if (!json_is_array(list) || json_array_size(list) > CORRECTION_TREES_MAX)
        return bad(err, file, "trees", "must be a list of at most %d trees", CORRECTION_TREES_MAX);
    c->trees = calloc(json_array_size(list) + 1, sizeof *c->trees);
    if (!c->trees) return error_set(err, ERR_MEMORY, "%s: out of memory for trees", file);
    for (; c->n_trees < json_array_size(list);) {
        const size_t t = c->n_trees++; /* a part of it may be there */
        if (get_tree(&c->trees[t], c, json_array_get(list, t), file, err) < 0) return -1;
    }
    return 0;
}

static int get_model(struct correction *c, const json_t *root, const char *file, struct error *err)
{
    const char *kind = json_string_value(json_object_get(root, "kind"));
    const json_t *settings = json_object_get(root, "settings");
    double schema, version, trees, depth, leaf, seed;
    if (!json_is_object(root)) return bad(err, file, "the file", "must hold one JSON object");
    if (!kind || strcmp(kind, "correction") != 0) return bad(err, file, "kind", "must be \"correction\"");
    if (get_number(&schema, root, "schema", SCHEMA, SCHEMA, file, err) < 0 ||
        get_number(&version, root, "model_version", 0, INT32_MAX, file, err) < 0 || get_names(c, root, file, err) < 0 ||
        get_numbers(c->mean, c->k, root, "mean", file, err) < 0 ||
        get_numbers(c->sd, c->k, root, "sd", file, err) < 0 ||
        get_numbers(c->ridge, c->k + 1, root, "ridge", file, err) < 0 ||
        get_number(&c->spread, root, "spread", 0, 100, file, err) < 0 ||
        get_number(&c->settings.lambda, settings, "lambda", 0, 1e12, file, err) < 0 ||
        get_number(&c->settings.share, settings, "share", 0, 1, file, err) < 0 ||
        get_number(&c->settings.margin, settings, "margin", 0, 100, file, err) < 0 ||
        get_number(&trees, settings, "trees", 0, CORRECTION_TREES_MAX, file, err) < 0 ||
        get_number(&depth, settings, "depth", 0, 1000, file, err) < 0 ||
        get_number(&leaf, settings, "min_leaf", 0, 1e9, file, err) < 0 ||
        get_number(&seed, settings, "seed", 0, 1e15, file, err) < 0 || get_trees(c, root, file, err) < 0)
        return -1;
    c->model_version = (unsigned)version;
    c->settings.trees = (uint32_t)trees, c->settings.depth = (uint32_t)depth, c->settings.min_leaf = (uint32_t)leaf;
    c->settings.seed = (uint64_t)seed;
    c->training = json_incref(json_object_get(root, "training"));
    c->validation = json_incref(json_object_get(root, "validation"));
    return json_is_object(c->training) ? 0 : bad(err, file, "training", "must be an object");
}

int correction_parse(struct correction *out, const char *name, const char *text, size_t size, struct error *err)
{
    memset(out, 0, sizeof *out);
    json_t *root = model_json_load(name, text, size, HINT, err);
    if (!root) return -1;
    const int failed = get_model(out, root, name, err);
    json_decref(root);
    if (failed) correction_fini(out);
    return failed;
}

int correction_read(struct correction *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "correction");
    const int failed = correction_parse(out, path, text, size, err);
    free(text);
    return failed;
}

static json_t *numbers_json(const double *values, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_real(values[i]));
    return list;
}

static json_t *tree_json(const struct correction_tree *tree)
{
    json_t *column = json_array(), *left = json_array(), *right = json_array(), *value = json_array();
    for (size_t i = 0; i < tree->n; i++) {
        json_array_append_new(column, json_integer(tree->nodes[i].column));
        json_array_append_new(left, json_integer(tree->nodes[i].left));
        json_array_append_new(right, json_integer(tree->nodes[i].right));
        json_array_append_new(value, json_real((double)tree->nodes[i].value));
    }
    return json_pack("{s:o,s:o,s:o,s:o}", "column", column, "left", left, "right", right, "value", value);
}

static json_t *correction_json(const struct correction *c)
{
    const struct correction_settings *s = &c->settings;
    json_t *features = json_array(), *trees = json_array();
    for (size_t j = 0; j < c->k; j++) json_array_append_new(features, json_string(c->names[j]));
    for (size_t t = 0; t < c->n_trees; t++) json_array_append_new(trees, tree_json(&c->trees[t]));
    json_t *settings =
        json_pack("{s:f,s:f,s:f,s:i,s:i,s:i,s:I}", "lambda", s->lambda, "share", s->share, "margin", s->margin, "trees",
                  (int)s->trees, "depth", (int)s->depth, "min_leaf", (int)s->min_leaf, "seed", (json_int_t)s->seed);
    json_t *root =
        json_pack("{s:i,s:s,s:s,s:I,s:o,s:s,s:o,s:o,s:o,s:o,s:f}", "schema", SCHEMA, "kind", "correction", "name",
                  c->name, "model_version", (json_int_t)c->model_version, "features", features, "base",
                  c->names[c->base], "mean", numbers_json(c->mean, c->k), "sd", numbers_json(c->sd, c->k), "ridge",
                  numbers_json(c->ridge, c->k + 1), "settings", settings, "spread", c->spread);
    if (c->training) json_object_set(root, "training", c->training);
    if (c->validation) json_object_set(root, "validation", c->validation);
    json_object_set_new(root, "trees", trees);
    return root;
}

int correction_write(const struct correction *c, const char *path, struct error *err)
{
    struct correction again;
    char *text = model_json_text(correction_json(c), path, err);
    if (!text) return -1;
    int failed = correction_parse(&again, path, text, strlen(text), err);
    if (failed) error_while(err, "refusing to write a correction that cannot be read back");
    else correction_fini(&again);
    if (!failed) failed = file_write(path, text, strlen(text), err);
    free(text);
    return failed;
}
