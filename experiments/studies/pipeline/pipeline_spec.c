/* YAML -> struct pipeline_spec. */
#include <string.h>
#include "poise/spec_format.h"
#include "studies/pipeline/pipeline_internal.h"
#include "workload/spec_read.h"

static void defaults(struct pipeline_spec *s)
{
    *s = (struct pipeline_spec){.size = 1, .points = {POINTS_COARSE_TO_FINE, POINTS_BUDGET}, .family = GLM_NB2};
    params_defaults(&dataset_param_table, &s->dataset);
    snprintf(s->config, sizeof s->config, "kepler32");
    s->n_features = N_POISE_FEATURES;
    for (size_t i = 0; i < N_POISE_FEATURES; i++)
        snprintf(s->features[i], MODEL_NAME_MAX, "%s", poise_feature_names[i]);
}

enum { NAMES_MAX = 32 };
/* Short texts into a list that has room for `max`. */
static int read_names(const struct yaml_file *file, const struct yaml_node *node, char (*out)[64], size_t max,
                      size_t *n, struct error *err)
{
    const char *texts[NAMES_MAX];
    if (spec_names(file, node, texts, max, n, err) < 0) return -1;
    if (*n > max) return yaml_error(file, node, err, "too many values: at most %zu", max);
    for (size_t i = 0; i < *n; i++)
        if ((size_t)snprintf(out[i], 64, "%s", texts[i]) >= 64)
            return yaml_error(file, node, err, "'%s' is too long", texts[i]);
    return 0;
}

/* A name or a glob, or {trace: ..}, {program: ..}, {name: .., synth: {pattern: ..}}. */
static int read_kernel(struct pipeline_spec *s, const struct yaml_file *file, const struct yaml_node *node,
                       bool is_training, char (*out)[64], size_t *n, struct error *err)
{
    if (!own_kernel_is(node) && yaml_get(node, "synth"))
        return yaml_error(file, node, err,
                          "a pipeline's synthetic kernels have a pattern: synth: {pattern: scan, ...}");
    if (!own_kernel_is(node)) {
        size_t one;
        if (node->kind != YAML_SCALAR || !*node->text)
            return yaml_error(file, node, err, "a name of a kernel is needed here, or a map of a kernel of your own");
        if (*n == NAMES_MAX) return yaml_error(file, node, err, "too many values: at most %d", NAMES_MAX);
        if (read_names(file, node, out + *n, 1, &one, err) < 0) return -1;
        s->name_at[is_training][*n][0] = node->line;
        s->name_at[is_training][*n][1] = node->column;
        for (size_t i = 0; i < *n; i++)
            if (strcmp(out[i], out[*n]) == 0) return yaml_error(file, node, err, "'%s' is in the list twice", out[i]);
        *n += one;
        return 0;
    }
    if (s->n_own[is_training] == OWN_KERNELS_MAX)
        return yaml_error(file, node, err, "at most %d traces and programs: a glob stands for many traces",
                          OWN_KERNELS_MAX);
    return own_kernel_read(&s->own[is_training][s->n_own[is_training]++], file, node, err);
}

static int read_kernels(struct pipeline_spec *s, const struct yaml_file *file, const struct yaml_node *root,
                        const char *key, bool is_training, char (*out)[64], size_t *n, struct error *err)
{
    const struct yaml_node *node = yaml_get(root, key);
    if (!node) {
        snprintf(out[0], 64, "*");
        *n = 1;
        return 0;
    }
    const bool is_list = node->kind == YAML_LIST;
    for (size_t i = 0; i < (is_list ? node->n : 1); i++)
        if (read_kernel(s, file, is_list ? node->items[i] : node, is_training, out, n, err) < 0) return -1;
    return *n + s->n_own[is_training] ? 0 : yaml_error(file, node, err, "'%s' names no benchmark", key);
}

static int read_with(struct pipeline_spec *s, const struct yaml_file *file, const struct yaml_node *node,
                     struct error *err)
{
    const char *texts[COUNT_OF(s->with)];
    if (!node) return 0;
    if (spec_texts(file, node, texts, COUNT_OF(texts), &s->n_with, err) < 0) return -1;
    for (size_t i = 0; i < s->n_with; i++) {
        struct mech_spec spec;
        struct error inner;
        if (mech_parse(&spec, texts[i], &inner) < 0) return yaml_error(file, node, err, "%s", inner.text);
        mech_free(&spec);
        if ((size_t)snprintf(s->with[i], sizeof s->with[i], "%s", texts[i]) >= sizeof s->with[i])
            return yaml_error(file, node, err, "'%s' is too long", texts[i]);
    }
    return 0;
}

/* Files of one folder: a spec means the same wherever it is read. */
static int read_profiles(const struct yaml_file *file, const struct yaml_node *node, char (*out)[64], size_t max,
                         size_t *n, struct error *err)
{
    if (!node) return 0;
    if (read_names(file, node, out, max, n, err) < 0) return -1;
    for (size_t i = 0; i < *n; i++)
        if (strchr(out[i], '/'))
            return yaml_error(file, node, err, "'%s': a file of the folder datasets/profiles is needed", out[i]);
    return 0;
}

/* What is too much to simulate but for whole grids that tables have: both lists grow at their ends. */
static int read_whole(struct pipeline_spec *s, const struct yaml_file *file, const struct yaml_node *whole,
                      struct error *err)
{
    if (!whole) return 0;
    if (spec_check(file, whole, &spec_format_pipeline, "whole.", err) < 0) return -1;
    const struct yaml_node *training = yaml_get(whole, "training");
    if (training && read_names(file, training, s->training + s->n_training, COUNT_OF(s->training) - s->n_training,
                               &s->n_whole_training, err) < 0)
        return -1;
    if (s->n_whole_training == 0)
        return yaml_error(file, training ? training : whole, err,
                          "'whole' names no benchmark that joins: training: [...]");
    return read_profiles(file, yaml_get(whole, "profiles"), s->profiles + s->n_profiles,
                         COUNT_OF(s->profiles) - s->n_profiles, &s->n_whole_profiles, err);
}

static int read_learning(struct pipeline_spec *s, const struct yaml_file *file, const struct yaml_node *root,
                         struct error *err)
{
    const struct yaml_node *dataset = yaml_get(root, "dataset"), *features = yaml_get(root, "features");
    const char *texts[MODEL_FEATURES_MAX];
    const struct yaml_node *retrain = yaml_get(root, "retrain");
    char family[32] = "nb2", from[16] = "runs", penalty[64] = "none";
    if (dataset && yaml_params(file, dataset, &dataset_param_table, &s->dataset, err) < 0) return -1;
    if (features) {
        if (spec_names(file, features, texts, MODEL_FEATURES_MAX, &s->n_features, err) < 0) return -1;
        for (size_t i = 0; i < s->n_features; i++) {
            if (!feature_find(texts[i])) return yaml_error(file, features, err, "no feature '%s'", texts[i]);
            snprintf(s->features[i], MODEL_NAME_MAX, "%s", texts[i]);
        }
        if (s->n_features == 0) return yaml_error(file, features, err, "no feature is left to learn from");
    }
    if (retrain && spec_names(file, retrain, texts, MODEL_FEATURES_MAX, &s->n_retrain, err) < 0) return -1;
    for (size_t i = 0; i < s->n_retrain; i++) {
        size_t f = 0;
        while (f < s->n_features && strcmp(s->features[f], texts[i]) != 0) f++;
        if (f == s->n_features)
            return yaml_error(file, retrain, err, "the models have no feature '%s' to leave out", texts[i]);
        snprintf(s->retrain[i], MODEL_NAME_MAX, "%s", texts[i]);
    }
    if (spec_text(file, root, "features_from", false, from, sizeof from, err) < 0) return -1;
    s->from_windows = strcmp(from, "windows") == 0;
    if (!s->from_windows && strcmp(from, "runs") != 0)
        return yaml_error(file, yaml_get(root, "features_from"), err, "features_from '%s': choose runs or windows",
                          from);
    s->windows = s->from_windows;
    if (yaml_get(root, "windows")) {
        char yes[8] = "";
        if (spec_text(file, root, "windows", false, yes, sizeof yes, err) < 0) return -1;
        if (strcmp(yes, "true") != 0 && strcmp(yes, "false") != 0)
            return yaml_error(file, yaml_get(root, "windows"), err, "windows: true or false");
        s->windows = s->from_windows || strcmp(yes, "true") == 0;
    }
    if (spec_text(file, root, "family", false, family, sizeof family, err) < 0 ||
        spec_text(file, root, "model", false, s->model, sizeof s->model, err) < 0)
        return -1;
    if (spec_text(file, root, "beside", false, s->beside, sizeof s->beside, err) < 0) return -1;
    if (strchr(s->beside, '/'))
        return yaml_error(file, yaml_get(root, "beside"), err, "'%s': a file of the folder models is needed",
                          s->beside);
    struct error inner;
    if (glm_family_parse(&s->family, family, &inner) < 0)
        return yaml_error(file, yaml_get(root, "family"), err, "%s", inner.text);
    if (spec_text(file, root, "penalty", false, penalty, sizeof penalty, err) < 0) return -1;
    if (glm_penalty_parse(&s->penalty, &s->penalty_is_chosen, penalty, &inner) < 0)
        return yaml_error(file, yaml_get(root, "penalty"), err, "%s: %s", inner.text, inner.hint);
    return 0;
}

int pipeline_spec_sample(struct pipeline_spec *s, const char *text, struct error *err)
{
    s->is_sampled = true;
    return sample_options_parse(&s->sample, text, err);
}

static int read_sample(struct pipeline_spec *s, const struct yaml_file *file, const struct yaml_node *root,
                       struct error *err)
{
    char text[200] = "";
    struct error inner;
    if (spec_text(file, root, "sample", false, text, sizeof text, err) < 0) return -1;
    return *text && pipeline_spec_sample(s, text, &inner) < 0
               ? yaml_error(file, yaml_get(root, "sample"), err, "%s", inner.text)
               : 0;
}

static int read_pipeline(struct pipeline_spec *s, const struct yaml_file *file, struct error *err)
{
    const struct yaml_node *root = yaml_root(file), *points = yaml_get(root, "points");
    char size[16] = "small";
    snprintf(s->file, sizeof s->file, "%s", yaml_name(file));
    if (spec_begin(file, &spec_format_pipeline, err) < 0 || spec_plugins(file, err) < 0 ||
        spec_name(file, root, "name", s->name, sizeof s->name, err) < 0 ||
        spec_text(file, root, "size", false, size, sizeof size, err) < 0 ||
        spec_text(file, root, "config", false, s->config, sizeof s->config, err) < 0)
        return -1;
    if ((s->size = workload_size(size)) < 0)
        return yaml_error(file, yaml_get(root, "size"), err, "size '%s': choose test, small, eval or full", size);
    if (points && (points->kind != YAML_SCALAR || points_way_parse(&s->points, points->text) < 0))
        return yaml_error(file, points, err,
                          "points: all, active, lattice, coarse-to-fine, or a number from 3 to 2080");
    if (read_kernels(s, file, root, "training", true, s->training, &s->n_training, err) < 0 ||
        read_kernels(s, file, root, "evaluation", false, s->evaluation, &s->n_evaluation, err) < 0)
        return -1;
    if (read_profiles(file, yaml_get(root, "profiles"), s->profiles, COUNT_OF(s->profiles), &s->n_profiles, err) < 0 ||
        read_whole(s, file, yaml_get(root, "whole"), err) < 0)
        return -1;
    if (read_with(s, file, yaml_get(root, "with"), err) < 0 ||
        pipeline_read_set(s->set, COUNT_OF(s->set), &s->n_set, file, yaml_get(root, "set"), err) < 0 ||
        read_learning(s, file, root, err) < 0 || read_sample(s, file, root, err) < 0)
        return -1;
    const struct yaml_node *response = yaml_get(root, "response"), *old = yaml_get(root, "surface");
    if (response && old) return yaml_error(file, old, err, "surface is the old name of response: give one of them");
    s->says_surface = old != NULL;
    if (response_spec_read(&s->response, file, old ? old : response, err) < 0) return -1;
    return contenders_read(s, file, yaml_get(root, "contenders"), err);
}

int pipeline_spec_parse(struct pipeline_spec *out, const char *name, const char *text, size_t size, struct error *err)
{
    struct yaml_file *file;
    defaults(out);
    if (yaml_parse(&file, name, text, size, err) < 0) return -1;
    const int result = read_pipeline(out, file, err);
    yaml_file_free(file);
    return result;
}

int pipeline_spec_load(struct pipeline_spec *out, const char *path, struct error *err)
{
    struct yaml_file *file;
    defaults(out);
    if (yaml_load(&file, path, err) < 0) return -1;
    const int result = read_pipeline(out, file, err);
    yaml_file_free(file);
    return result;
}
