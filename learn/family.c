/* The list of families, and what a predictor is around the state of one. */
#include "poise/family.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model_error.h"
#include "poise/file.h"
#include "poise/numerics.h"
#include "state.h"

const struct family *const families[] = {&family_nb2, &family_poisson, &family_ols, &family_ridge,
                                         &family_svr, &family_nusvr,   &family_knn, &family_mean};
const size_t n_families = COUNT_OF(families);

const struct family *family_find(const char *name)
{
    for (size_t i = 0; i < n_families; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

int family_parse(const struct family **out, const char *name, struct error *err)
{
    *out = family_find(name);
    if (*out) return 0;
    char known[200] = "";
    for (size_t i = 0; i < n_families && strlen(known) + 40 < sizeof known; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
                 i == 0                ? ""
                 : i + 1 == n_families ? " or "
                                       : ", ",
                 families[i]->name);
    return error_set(err, ERR_USAGE, "no family '%s': choose %s", name, known);
}

void family_defaults(const struct family *family, struct family_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    params_defaults(family->settings, settings);
}

int family_set(const struct family *family, struct family_settings *settings, const char *name, const char *text,
               struct error *err)
{
    if (family->settings->n_rows == 0)
        return error_set(err, ERR_INPUT, "family %s has no settings: '%s' is none", family->name, name);
    return params_set(family->settings, settings, name, text, err);
}

double family_number(const struct family *family, const struct family_settings *settings, const char *name)
{
    json_t *own = params_json(family->settings, settings);
    const double value = json_number_value(json_object_get(own, name));
    json_decref(own);
    return value;
}

int family_set_number(const struct family *family, struct family_settings *settings, const char *name, double value,
                      struct error *err)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return family_set(family, settings, name, text, err);
}

struct predictor {
    const struct family *family;
    struct family_settings settings;
    size_t k;
    bool has_offset;
    char (*names)[MODEL_NAME_MAX];
    void *state;
};

static struct predictor *predictor_new(const struct family *family, size_t k, struct error *err)
{
    struct predictor *p = calloc(1, sizeof *p);
    numerics_set_up();
    if (p) {
        p->family = family;
        p->k = k;
        p->names = calloc(k + 1, sizeof *p->names);
        p->state = calloc(1, family->state_size);
        if (p->names && p->state) return p;
        free(p->names);
        free(p->state);
        free(p);
    }
    error_set(err, ERR_MEMORY, "out of memory");
    return NULL;
}

void predictor_free(struct predictor *p)
{
    if (!p) return;
    p->family->fini(p->state);
    free(p->state);
    free(p->names);
    free(p);
}

int predictor_fit(struct predictor **out, const struct family *family, const struct glm_data *data,
                  const struct family_settings *settings, struct error *err)
{
    *out = NULL;
    for (size_t j = 0; j < data->k; j++)
        if (strlen(data->names[j]) >= MODEL_NAME_MAX)
            return error_set(err, ERR_INPUT, "column '%.80s': the name is longer than %d bytes", data->names[j],
                             MODEL_NAME_MAX - 1);
    struct predictor *p = predictor_new(family, data->k, err);
    if (!p) return -1;
    p->has_offset = data->offset != NULL;
    if (settings) p->settings = *settings;
    else family_defaults(family, &p->settings);
    for (size_t j = 0; j < data->k; j++) snprintf(p->names[j], MODEL_NAME_MAX, "%s", data->names[j]);
    if (family->fit(p->state, data, &p->settings, err) < 0) {
        predictor_free(p);
        return error_while(err, "%s", family->name);
    }
    *out = p;
    return 0;
}

const struct family *predictor_family(const struct predictor *p) { return p->family; }
size_t predictor_columns(const struct predictor *p) { return p->k; }
const char *predictor_column(const struct predictor *p, size_t column) { return p->names[column]; }
bool predictor_has_offset(const struct predictor *p) { return p->has_offset; }
const double *predictor_weights(const struct predictor *p)
{
    return p->family->weights ? p->family->weights(p->state) : NULL;
}

double predictor_predict(const struct predictor *p, const double *x, double offset)
{
    return p->family->predict(p->state, x, offset);
}
double predictor_cdf(const struct predictor *p, const double *x, double offset, double y)
{
    return p->family->cdf(p->state, x, offset, y);
}
double predictor_quantile(const struct predictor *p, const double *x, double offset, double probability)
{
    return p->family->quantile(p->state, x, offset, probability);
}

json_t *predictor_json(const struct predictor *p)
{
    json_t *root = json_object(), *names = json_array(), *state = json_object();
    for (size_t j = 0; j < p->k; j++) json_array_append_new(names, json_string(p->names[j]));
    p->family->save(p->state, state);
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "kind", json_string("predictor"));
    json_object_set_new(root, "family", json_string(p->family->name));
    json_object_set_new(root, "settings", params_json(p->family->settings, &p->settings));
    json_object_set_new(root, "features", names);
    if (p->has_offset) json_object_set_new(root, "offset", json_true());
    json_object_set_new(root, "state", state);
    return root;
}

#define bad(err, file, key, why) model_error(err, file, key, "write predictor files with 'poise train'", "%s", why)

static int read_settings(struct predictor *p, const json_t *settings, const char *file, struct error *err)
{
    const char *name;
    json_t *value;
    family_defaults(p->family, &p->settings);
    if (!settings) return 0;
    if (!json_is_object(settings)) return bad(err, file, "settings", "must be an object");
    json_object_foreach((json_t *)(uintptr_t)settings, name, value) {
        char text[64];
        if (json_is_string(value)) snprintf(text, sizeof text, "%s", json_string_value(value));
        else if (json_is_boolean(value)) snprintf(text, sizeof text, "%s", json_is_true(value) ? "true" : "false");
        else if (json_is_integer(value)) snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
        else if (json_is_real(value)) snprintf(text, sizeof text, "%.17g", json_real_value(value));
        else return bad(err, file, "settings", "values are numbers, words or true and false");
        if (family_set(p->family, &p->settings, name, text, err) < 0) return error_while(err, "%s: settings", file);
    }
    return 0;
}

static int read_root(struct predictor **out, const json_t *root, const char *file, struct error *err)
{
    const json_t *schema = json_object_get(root, "schema"), *names = json_object_get(root, "features");
    const char *kind = json_string_value(json_object_get(root, "kind")),
               *name = json_string_value(json_object_get(root, "family"));
    if (!json_is_integer(schema) || json_integer_value(schema) != 1) return bad(err, file, "schema", "must be 1");
    if (!kind || strcmp(kind, "predictor") != 0) return bad(err, file, "kind", "must be \"predictor\"");
    const struct family *family = name ? family_find(name) : NULL;
    if (!family) return bad(err, file, "family", "no such family");
    const size_t k = json_array_size(names);
    if (k == 0 || k > 100000) return bad(err, file, "features", "must be a list of column names");
    struct predictor *p = predictor_new(family, k, err);
    if (!p) return -1;
    int failed = 0;
    for (size_t j = 0; j < k && !failed; j++) {
        const char *text = json_string_value(json_array_get(names, j));
        if (!text || !*text || strlen(text) >= MODEL_NAME_MAX)
            failed = bad(err, file, "features", "a name is empty or too long");
        else snprintf(p->names[j], MODEL_NAME_MAX, "%s", text);
    }
    const json_t *offset = json_object_get(root, "offset");
    if (!failed && offset && !json_is_boolean(offset)) failed = bad(err, file, "offset", "must be true or false");
    p->has_offset = json_is_true(offset);
    if (!failed) failed = read_settings(p, json_object_get(root, "settings"), file, err);
    if (!failed) failed = family->load(p->state, json_object_get(root, "state"), k, file, err);
    if (failed) predictor_free(p);
    else *out = p;
    return failed;
}

int predictor_parse(struct predictor **out, const char *name, const char *text, size_t size, struct error *err)
{
    *out = NULL;
    json_t *root = model_json_load(name, text, size, NULL, err);
    if (!root) return -1;
    const int failed = read_root(out, root, name, err);
    json_decref(root);
    return failed;
}

int predictor_read(struct predictor **out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    *out = NULL;
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "predictor file");
    const int failed = predictor_parse(out, path, text, size, err);
    free(text);
    return failed;
}

int predictor_write(const struct predictor *p, const char *path, struct error *err)
{
    json_t *root = predictor_json(p);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    if (!text)
        return error_set(err, ERR_INPUT, "%s: the predictor cannot be written as JSON (a name that is not UTF-8?)",
                         path);
    const size_t size = strlen(text);
    text[size] = '\n';
    const int failed = file_write(path, text, size + 1, err);
    free(text);
    return failed;
}
