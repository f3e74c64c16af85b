/* YAML -> struct cv_spec. Paths are relative to the spec's own folder. */
#include <stdlib.h>
#include <string.h>
#include "studies/cv/cv.h"
#include "poise/file.h"
#include "poise/spec_format.h"
#include "workload/spec_read.h"

#define ROW(...) PARAM_ROW_OF(cv_params, __VA_ARGS__)
static const struct param_row rows[] = {CV_PARAMS(ROW)};
#undef ROW
const struct param_table cv_param_table = {"validation", rows, COUNT_OF(rows), sizeof(struct cv_params)};
const char *const cv_study_names[N_CV_STUDIES] = {
#define S(id) #id,
    CV_STUDIES(S)
#undef S
};

static int read_axes(struct cv_model *model, const struct yaml_file *file, const struct yaml_node *map,
                     struct error *err)
{
    if (map->kind != YAML_MAP || map->n > COUNT_OF(model->axes))
        return yaml_error(file, map, err, "a map of at most %zu settings to lists of values is needed here",
                          COUNT_OF(model->axes));
    for (size_t a = 0; a < map->n; a++) {
        struct family_axis *axis = &model->axes[a];
        struct family_settings scratch = model->settings;
        axis->setting = map->keys[a];
        if (spec_names(file, map->items[a], axis->values, COUNT_OF(axis->values), &axis->n, err) < 0) return -1;
        if (axis->n == 0) return yaml_error(file, map->items[a], err, "no value to try");
        for (size_t v = 0; v < axis->n; v++) {
            struct error inner;
            if (family_set(model->family, &scratch, axis->setting, axis->values[v], &inner) < 0)
                return yaml_error(file, map->items[a], err, "%.500s", inner.text);
        }
    }
    model->n_axes = map->n;
    model->tunes = true;
    return 0;
}

static int read_model(struct cv_spec *s, const struct yaml_file *file, const struct yaml_node *map, struct error *err)
{
    struct cv_model *model = &s->models[s->n_models];
    const struct yaml_node *settings, *tune;
    struct error inner;
    char family[32];
    if (spec_check(file, map, &spec_format_cv, "models.", err) < 0 ||
        spec_text(file, map, "family", true, family, sizeof family, err) < 0)
        return -1;
    if (family_parse(&model->family, family, &inner) < 0)
        return yaml_error(file, yaml_get(map, "family"), err, "%.500s", inner.text);
    family_defaults(model->family, &model->settings);
    snprintf(model->name, sizeof model->name, "%s", family);
    if (yaml_get(map, "name") && spec_name(file, map, "name", model->name, sizeof model->name, err) < 0) return -1;
    for (size_t i = 0; i < s->n_models; i++)
        if (strcmp(s->models[i].name, model->name) == 0)
            return yaml_error(file, map, err, "two models are called '%s'", model->name);
    if ((settings = yaml_get(map, "settings"))) {
        if (settings->kind != YAML_MAP)
            return yaml_error(file, settings, err, "a map of settings is needed here, as in {C: 10}");
        for (size_t i = 0; i < settings->n; i++) {
            if (settings->items[i]->kind != YAML_SCALAR)
                return yaml_error(file, settings->items[i], err, "one value is needed here");
            if (family_set(model->family, &model->settings, settings->keys[i], settings->items[i]->text, &inner) < 0)
                return yaml_error(file, settings->items[i], err, "%.500s", inner.text);
        }
    }
    if ((tune = yaml_get(map, "tune"))) {
        if (tune->kind == YAML_MAP) {
            if (read_axes(model, file, tune, err) < 0) return -1;
        } else if (tune->kind == YAML_SCALAR && (strcmp(tune->text, "true") == 0 || strcmp(tune->text, "false") == 0)) {
            model->tunes = strcmp(tune->text, "true") == 0;
            model->n_axes = model->tunes ? model->family->n_axes : 0;
            for (size_t a = 0; a < model->n_axes; a++) model->axes[a] = model->family->axes[a];
        } else {
            return yaml_error(file, tune, err, "true, false, or a map of settings to lists of values");
        }
    }
    s->n_models++;
    return 0;
}

static int read_models(struct cv_spec *s, const struct yaml_file *file, const struct yaml_node *list, struct error *err)
{
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_error(file, list ? list : yaml_root(file), err,
                          "'models' needs a list, as in [{family: nb2}, {family: mean}]");
    if (list->n > CV_MODELS_MAX) return yaml_error(file, list, err, "%zu models: at most %d", list->n, CV_MODELS_MAX);
    for (size_t i = 0; i < list->n; i++)
        if (read_model(s, file, list->items[i], err) < 0) return -1;
    return 0;
}

static int read_names(const struct yaml_file *file, const struct yaml_node *node,
                      char out[CV_COLUMNS_MAX][MODEL_NAME_MAX], size_t *n, struct error *err)
{
    const char *texts[CV_COLUMNS_MAX];
    if (!node) return 0;
    if (spec_names(file, node, texts, CV_COLUMNS_MAX, n, err) < 0) return -1;
    for (size_t i = 0; i < *n; i++) {
        if (strlen(texts[i]) >= MODEL_NAME_MAX)
            return yaml_error(file, node, err, "'%.80s' is too long a name", texts[i]);
        snprintf(out[i], MODEL_NAME_MAX, "%s", texts[i]);
    }
    return 0;
}

static int read_studies(struct cv_spec *s, const struct yaml_file *file, const struct yaml_node *node,
                        struct error *err)
{
    const char *texts[N_CV_STUDIES];
    size_t n;
    if (!node) return 0;
    if (node->kind == YAML_SCALAR && strcmp(node->text, "all") == 0) {
        for (size_t k = 0; k < N_CV_STUDIES; k++) s->studies[k] = true;
        return 0;
    }
    if (spec_names(file, node, texts, N_CV_STUDIES, &n, err) < 0) return -1;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < N_CV_STUDIES && strcmp(cv_study_names[k], texts[i]) != 0) k++;
        if (k == N_CV_STUDIES) {
            return yaml_error(file, node, err, "no study '%s'%s", texts[i],
                              did_you_mean(texts[i], cv_study_names, N_CV_STUDIES, sizeof *cv_study_names).text);
        }
        s->studies[k] = true;
    }
    return 0;
}

/* A path beside the spec. */
static int read_path(const struct yaml_file *file, const struct yaml_node *root, const char *key, bool needed,
                     char *out, size_t size, struct error *err)
{
    char text[512] = "";
    if (spec_text(file, root, key, needed, text, sizeof text, err) < 0) return -1;
    if (!*text) return needed ? yaml_error(file, yaml_get(root, key), err, "'%s' is empty", key) : 0;
    const char *name = yaml_name(file), *slash = strrchr(name, '/');
    const int folder = text[0] == '/' || !slash ? 0 : (int)(slash - name) + 1;
    if (snprintf(out, size, "%.*s%s", folder, name, text) >= (int)size)
        return yaml_error(file, yaml_get(root, key), err, "too long a path");
    return 0;
}

static int read_spec(struct cv_spec *s, const struct yaml_file *file, struct error *err)
{
    const struct yaml_node *root = yaml_root(file), *targets, *validation;
    const char *texts[CV_TARGETS];
    if (spec_begin(file, &spec_format_cv, err) < 0 || spec_name(file, root, "name", s->name, sizeof s->name, err) < 0)
        return -1;
    if (read_path(file, root, "dataset", true, s->dataset, sizeof s->dataset, err) < 0 ||
        read_path(file, root, "profile", false, s->profile, sizeof s->profile, err) < 0 ||
        spec_text(file, root, "group", false, s->group, sizeof s->group, err) < 0)
        return -1;
    char weights[32] = "frequency";
    struct error inner;
    if (spec_text(file, root, "weights", false, weights, sizeof weights, err) < 0) return -1;
    if (glm_weights_parse(&s->weights, weights, &inner) < 0)
        return yaml_error(file, yaml_get(root, "weights"), err, "%.200s: frequency or precision", inner.text);
    if ((targets = yaml_get(root, "targets"))) {
        if (spec_names(file, targets, texts, CV_TARGETS, &s->n_targets, err) < 0) return -1;
        if (s->n_targets == 0) return yaml_error(file, targets, err, "no target");
        for (size_t t = 0; t < s->n_targets; t++) snprintf(s->targets[t], sizeof s->targets[t], "%.63s", texts[t]);
    }
    if ((validation = yaml_get(root, "validation")) &&
        yaml_params(file, validation, &cv_param_table, &s->params, err) < 0)
        return -1;
    if (read_names(file, yaml_get(root, "features"), s->features, &s->n_features, err) < 0 ||
        read_names(file, yaml_get(root, "candidates"), s->candidates, &s->n_candidates, err) < 0)
        return -1;
    return read_models(s, file, yaml_get(root, "models"), err) < 0
               ? -1
               : read_studies(s, file, yaml_get(root, "studies"), err);
}

int cv_spec_parse(struct cv_spec *out, const char *name, const char *text, size_t size, struct error *err)
{
    memset(out, 0, sizeof *out);
    params_defaults(&cv_param_table, &out->params);
    snprintf(out->group, sizeof out->group, "benchmark");
    snprintf(out->targets[0], sizeof out->targets[0], "N");
    snprintf(out->targets[1], sizeof out->targets[1], "p");
    out->n_targets = 2;
    if (yaml_parse(&out->file, name, text, size, err) < 0) return -1;
    const int result = read_spec(out, out->file, err);
    if (result < 0) cv_spec_fini(out);
    return result;
}

void cv_spec_fini(struct cv_spec *spec)
{
    yaml_file_free(spec->file);
    spec->file = NULL;
}

int cv_spec_read(struct cv_spec *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int result = cv_spec_parse(out, path, text, size, err);
    free(text);
    return result;
}
