/* Is there a better feature vector? Forward selection and the LASSO path over the registry's candidates, judged by
 * cross-validated regret (without a profile: by relative error). The figure of a selected vector is optimistic,
 * because the same rows chose it; so selection is validated as a whole, too: chosen anew without each benchmark,
 * judged on that benchmark. That figure answers the question. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "studies/cv/cv.h"

struct search {
    const struct cv_spec *spec;
    const struct cv_data *data;
    const struct cv_params *params;
};

/* select_forward() counts candidates; the data set counts columns. A vector that cannot be fitted is infinitely bad,
 * not an error. */
static int loss_of_columns(const size_t *chosen, size_t n, double *loss, void *context, struct error *err)
{
    const struct search *s = context;
    size_t columns[CV_COLUMNS_MAX];
    struct cv_score score;
    struct error why = {0};
    for (size_t i = 0; i < n; i++) columns[i] = s->data->candidates[chosen[i]];
    const struct cv_task task = {.model = &s->spec->models[0], .columns = columns, .k = n};
    if (cv_score_init(&score, s->data, s->params, &task, &why) < 0) {
        *loss = INFINITY;
        return why.code == ERR_MEMORY ? *err = why, -1 : 0;
    }
    *loss = cv_decide(&score);
    cv_score_fini(&score);
    return 0;
}

static int forward(const struct search *s, struct selection_step *steps, size_t *n, struct error *err)
{
    bool forced[CV_COLUMNS_MAX] = {false};
    size_t constants = 0;
    for (size_t c = 0; c < s->data->n_candidates; c++)
        constants += forced[c] = cv_is_constant(s->data, s->data->candidates[c]);
    return select_forward(steps, n, s->data->n_candidates, forced, constants + s->params->most_features,
                          loss_of_columns, (void *)(uintptr_t)s, err);
}

/* The rows of some groups as a data set of their own; borrows the table. */
static int part_init(struct cv_data *part, const struct cv_data *data, size_t without, struct glm_subset *subset,
                     double **y, size_t **rows, struct error *err)
{
    size_t n = 0;
    *part = *data;
    *rows = malloc((data->n + 1) * sizeof **rows);
    *y = malloc((2 * data->n + 1) * sizeof **y);
    part->launches = data->launches ? malloc((data->n + 1) * sizeof *part->launches) : NULL;
    part->groups.of = malloc((data->n + 1) * sizeof *part->groups.of);
    if (!*rows || !*y || (data->launches && !part->launches) || !part->groups.of)
        return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < data->n; i++) {
        const size_t g = data->groups.of[i];
        if (g == without) continue;
        (*rows)[n] = i;
        part->groups.of[n] = g < without ? g : g - 1;
        if (data->launches) part->launches[n] = data->launches[i];
        for (size_t t = 0; t < data->n_targets; t++) (*y)[t * data->n + n] = data->y[t][i];
        n++;
    }
    for (size_t t = 0; t < data->n_targets; t++) part->y[t] = *y + t * data->n;
    part->n = part->groups.n = n;
    part->groups.n_groups = data->groups.n_groups - 1;
    if (glm_subset_init(subset, &data->set.data, *rows, n, NULL, 0, err) < 0) return -1;
    part->set.data = subset->data;
    return 0;
}

/* Selected on the other benchmarks, fitted on them, judged on this one: adds to the losses of its rows. */
static int judge(const struct search *s, size_t group, const size_t *columns, size_t k, double *losses,
                 struct error *err)
{
    struct cv_score score;
    const struct cv_task task = {.model = &s->spec->models[0], .columns = columns, .k = k};
    struct cv_params params = *s->params;
    params.kind = 0;
    /* the fold of `group` is trained without it */
    if (cv_score_init(&score, s->data, &params, &task, err) < 0) return -1;
    for (size_t i = 0; i < s->data->n; i++) {
        if (s->data->groups.of[i] != group) continue;
        if (score.regret) losses[i] = score.regret[i];
        else
            for (size_t t = 0; t < s->data->n_targets; t++)
                losses[i] += loss_of(LOSS_RELATIVE, score.y[t][i], score.predicted[t][i]) / (double)s->data->n_targets;
    }
    cv_score_fini(&score);
    return 0;
}

static int nested(const struct search *s, size_t group, double *losses, json_t *rows, struct error *err)
{
    struct cv_data part;
    struct glm_subset subset = {0};
    struct selection_step steps[CV_COLUMNS_MAX + 1];
    struct cv_params params = *s->params;
    double *y = NULL;
    size_t *kept = NULL, n = 0, best = 0, columns[CV_COLUMNS_MAX], k = 0;
    params.kind = 0;
    int failed = part_init(&part, s->data, group, &subset, &y, &kept, err);
    const struct search inner = {s->spec, &part, &params};
    if (!failed) failed = forward(&inner, steps, &n, err);
    for (size_t i = 1; i < n && !failed; i++)
        if (steps[i].loss < steps[best].loss) best = i;
    json_t *names = json_array();
    for (size_t c = 0; c < s->data->n_candidates && !failed && n > 0; c++) {
        bool is_in = cv_is_constant(s->data, s->data->candidates[c]);
        for (size_t i = 0; i <= best; i++) is_in |= steps[i].column == c;
        if (is_in)
            columns[k++] = s->data->candidates[c],
            json_array_append_new(names, json_string(s->data->set.data.names[s->data->candidates[c]]));
    }
    if (!failed && k == 0)
        failed =
            error_set(err, ERR_RUN, "no vector of features could be fitted without %s", s->data->groups.names[group]);
    if (!failed) failed = judge(s, group, columns, k, losses, err);
    if (!failed)
        json_array_append_new(rows, json_pack("{s:s,s:O,s:o}", "without", s->data->groups.names[group], "features",
                                              names, "inner_loss", json_or_null(steps[best].loss)));
    json_decref(names);
    glm_subset_fini(&subset);
    free(part.launches);
    free(part.groups.of);
    free(y);
    free(kept);
    return failed;
}

static json_t *steps_json(const struct search *s, const struct selection_step *steps, size_t n)
{
    json_t *out = json_array();
    const char *names[CV_COLUMNS_MAX + 1];
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const char *name = steps[i].column < s->data->n_candidates
                               ? s->data->set.data.names[s->data->candidates[steps[i].column]]
                               : NULL;
        const struct feature_row *row = name ? feature_find(name) : NULL;
        if (name) names[used++] = name;
        json_array_append_new(out,
                              json_pack("{s:s?,s:s?,s:I,s:o,s:I}", "added", name, "formula", row ? row->formula : NULL,
                                        "features", (json_int_t)steps[i].n, "loss", json_or_null(steps[i].loss),
                                        "hardware_bits", (json_int_t)features_hardware_bits(names, used)));
    }
    return out;
}

int cv_study_selection(const struct cv_spec *spec, const struct cv_data *data, json_t **out, struct error *err)
{
    const struct search s = {spec, data, &spec->params};
    struct selection_step steps[CV_COLUMNS_MAX + 1];
    size_t n = 0;
    double baseline = NAN, *losses = calloc(data->n + 1, sizeof *losses);
    json_t *rows = json_array();
    struct cv_score score;
    const struct cv_task task = {.model = &spec->models[0], .columns = data->columns, .k = data->n_columns};
    int failed = losses ? forward(&s, steps, &n, err) : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed && (failed = cv_score_init(&score, data, &spec->params, &task, err)) == 0) {
        baseline = cv_decide(&score);
        cv_score_fini(&score);
    }
    for (size_t g = 0; g < data->groups.n_groups && data->groups.n_groups > 2 && !failed; g++)
        failed = nested(&s, g, losses, rows, err);
    const double honest = data->groups.n_groups > 2 && !failed ? metric_mean(losses, NULL, data->n) : NAN;
    *out = json_pack("{s:s,s:o,s:o,s:o,s:O,s:b}", "metric", data->has_profile ? "regret" : "relative_error",
                     "features_of_spec", json_or_null(baseline), "steps", steps_json(&s, steps, n), "nested_loss",
                     json_or_null(honest), "nested", rows, "is_better", isfinite(honest) && honest < baseline);
    json_decref(rows);
    free(losses);
    return failed;
}

/* Each penalty's columns (those of either target), fitted again by the first model and validated. */
static int lasso_row(const struct cv_spec *spec, const struct cv_data *data, double lambda, const bool *is_in,
                     json_t *rows, struct error *err)
{
    size_t columns[CV_COLUMNS_MAX], k = 0, n = 0;
    const char *texts[CV_COLUMNS_MAX];
    json_t *names = json_array(), *row;
    struct cv_score score;
    struct error why = {0};
    for (size_t c = 0; c < data->n_candidates; c++) {
        const bool is_constant = cv_is_constant(data, data->candidates[c]);
        if (!is_in[c] && !is_constant) continue;
        columns[k++] = data->candidates[c];
        n += !is_constant;
        texts[k - 1] = data->set.data.names[data->candidates[c]];
        json_array_append_new(names, json_string(texts[k - 1]));
    }
    const struct cv_task task = {.model = &spec->models[0], .columns = columns, .k = k};
    row = json_pack("{s:f,s:I,s:o,s:I}", "lambda", lambda, "features_used", (json_int_t)n, "features", names,
                    "hardware_bits", (json_int_t)features_hardware_bits(texts, k));
    json_array_append_new(rows, row);
    if (k == 0 || cv_score_init(&score, data, &spec->params, &task, &why) < 0) {
        if (why.code == ERR_MEMORY) return *err = why, -1;
        json_object_set_new(row, "loss", json_null());
        if (k > 0) json_object_set_new(row, "failed", json_string(why.text));
        return 0;
    }
    json_object_set_new(row, "loss", json_or_null(cv_decide(&score)));
    cv_score_fini(&score);
    return 0;
}

int cv_study_lasso(const struct cv_spec *spec, const struct cv_data *data, json_t **out, struct error *err)
{
    const size_t n = spec->params.lasso_points;
    struct lasso_point *points[CV_TARGETS] = {NULL};
    struct glm_subset part = {0};
    bool last[CV_COLUMNS_MAX] = {false}, is_first = true;
    json_t *rows = json_array();
    int failed = glm_subset_init(&part, &data->set.data, NULL, 0, data->candidates, data->n_candidates, err);
    for (size_t t = 0; t < data->n_targets && !failed; t++) {
        part.data.y = data->y[t];
        points[t] = calloc(n, sizeof *points[t]);
        failed = points[t] ? lasso_path(points[t], n, &part.data, err) : error_set(err, ERR_MEMORY, "out of memory");
    }
    for (size_t p = 0; p < n && !failed; p++) {
        bool is_in[CV_COLUMNS_MAX] = {false};
        for (size_t t = 0; t < data->n_targets; t++)
            for (size_t c = 0; c < data->n_candidates; c++) is_in[c] |= points[t][p].weights[c] != 0;
        if (!is_first && memcmp(is_in, last, sizeof last) == 0) continue; /* the same columns: the same model */
        failed = lasso_row(spec, data, points[0][p].lambda, is_in, rows, err);
        memcpy(last, is_in, sizeof last);
        is_first = false;
    }
    for (size_t t = 0; t < data->n_targets; t++) {
        if (points[t] && !failed) lasso_fini(points[t], n);
        free(points[t]);
    }
    glm_subset_fini(&part);
    *out = rows;
    return failed;
}
