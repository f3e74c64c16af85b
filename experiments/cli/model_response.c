#include "cli/model_response.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/sampling.h"
#include "poise/response_model.h"

bool model_file_is(const char *path, const char *kind)
{
    struct error ignored;
    json_t *json = file_read_json(path, &ignored);
    const char *said = json_string_value(json_object_get(json, "kind"));
    const bool is = said && strcmp(said, kind) == 0;
    json_decref(json);
    return is;
}

bool response_file_is(const char *path)
{
    if (model_file_is(path, "response")) return true;
    if (!model_file_is(path, "surface")) return false;
    lab_note_old(stderr, "surface", "response");
    return true;
}

/* The model with its features and tuples as the engine understands them. */
static int read_checked(struct response_model *m, struct sampling_tuples *tuples, struct sampling_feature *features,
                        const char *path, struct error *err)
{
    const char *names[RESPONSE_FEATURES_MAX];
    if (response_model_read(m, path, err) < 0) return -1;
    for (size_t i = 0; i < m->net.n_features; i++) names[i] = m->features[i];
    if (sampling_tuples_parse(tuples, m->sampling, err) == 0 &&
        sampling_resolve(names, m->net.n_features, tuples->n, features, path, err) == 0)
        return 0;
    response_model_fini(m);
    return error_while(err, "%s", path);
}

void model_print_object(const char *title, const struct json_t *object)
{
    const char *key;
    json_t *value;
    if (object) printf("%s:\n", title);
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        printf("  %-20s %s\n", key, text ? text : "");
        free(text);
    }
}

int response_file_show(const char *path, bool is_json, struct error *err)
{
    struct response_model m;
    struct sampling_tuples tuples;
    struct sampling_feature features[RESPONSE_FEATURES_MAX];
    if (is_json) {
        json_t *raw = file_read_json(path, err);
        return raw ? cli_print_json(raw, err) : -1;
    }
    if (read_checked(&m, &tuples, features, path, err) < 0) return -1;
    printf("%s, a response surface over warp tuples, simulation model %u\n", m.name, m.model_version);
    printf("samples %s: %zu tuples in %zu rounds\n\nfeatures:\n", m.sampling, tuples.n, tuples.n_rounds);
    for (size_t i = 0; i < m.net.n_features; i++) printf("  %-12s %s\n", m.features[i], features[i].row->formula);
    printf("\nnetwork: %u features, %u hidden units, %u coefficients; %zu B for the whole GPU. A tuple must gain %.1f "
           "%% over all warps.\n",
           (unsigned)m.net.n_features, (unsigned)m.net.n_hidden, (unsigned)m.net.n_coefs, response_net_bytes(&m.net),
           100.0 * m.net.margin / (1 << RESPONSE_FRACTION_BITS));
    model_print_object("training", m.training);
    model_print_object("validation", m.validation);
    response_model_fini(&m);
    return 0;
}

int response_file_check(const char *path, bool is_json, struct error *err)
{
    struct response_model m;
    struct sampling_tuples tuples;
    struct sampling_feature features[RESPONSE_FEATURES_MAX];
    if (read_checked(&m, &tuples, features, path, err) < 0) return -1;
    response_model_fini(&m);
    if (is_json) {
        json_t *out = lab_json();
        json_object_set_new(out, "file", json_string(path));
        json_object_set_new(out, "ok", json_true());
        json_object_set_new(out, "engine_can_run", json_true());
        return cli_print_json(out, err);
    }
    printf("%s: sound; the mechanism learned can run it (--mech learned,model=%s)\n", path, path);
    return 0;
}

int response_file_export(const char *path, FILE *out, struct error *err)
{
    struct response_model m;
    if (response_model_read(&m, path, err) < 0) return -1;
    const int result = response_model_export(&m, "poise", out, err);
    response_model_fini(&m);
    return result;
}
