/* The whole of poise cv: every model scored, compared with the first, every study; as JSON, as a table, as files to
 * draw from. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/cv/cv.h"
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/hash.h"
#include "poise/lab.h"

/* The figures of one model over all rows, with intervals. */
static int score_json(json_t **out, const struct cv_spec *spec, const struct cv_model *model,
                      const struct cv_score *score, struct error *err)
{
    json_t *row = json_pack("{s:s,s:s,s:b}", "name", model->name, "family", model->family->name, "tuned", model->tunes),
           *ci = json_array();
    json_object_set_new(row, "settings", params_json(model->family->settings, &model->settings));
    int failed = 0;
    for (int m = 0; m < N_CV_METRICS && !failed; m++) {
        double interval[2];
        const enum cv_metric metric = (enum cv_metric)m;
        json_object_set_new(row, cv_metric_names[m], json_or_null(cv_metric_value(score, metric, NULL, score->m)));
        failed = cv_metric_interval(score, &spec->params, metric, interval, err);
        if (!cv_metric_exists(score, metric)) continue;
        json_t *one = json_pack("{s:s,s:o,s:o}", "metric", cv_metric_names[m], "low", json_or_null(interval[0]), "high",
                                json_or_null(interval[1]));
        if (spec->params.bootstrap && isnan(interval[0]))
            json_object_set_new(one, "why", json_string(CV_TOO_FEW_GROUPS));
        json_array_append_new(ci, one);
    }
    json_object_set_new(row, "ci95", ci);
    for (size_t t = 0; t < score->data->n_targets; t++) {
        size_t covered = 0;
        char key[96];
        for (size_t i = 0; i < score->m; i++)
            covered += score->low[t][i] <= score->y[t][i] && score->y[t][i] <= score->high[t][i];
        snprintf(key, sizeof key, "coverage_%s", spec->targets[t]);
        json_object_set_new(row, key, json_or_null((double)covered / (double)score->m));
    }
    if (score->data->is_tuple)
        json_object_set_new(row, "outside_range",
                            json_or_null((double)score->outside / (double)(score->m * score->data->n_targets)));
    if (score->regret) json_object_set_new(row, "exact_lookups", json_or_null((double)score->exact / (double)score->m));
    *out = row;
    return failed;
}

static size_t rows_of_group(const struct cv_score *score, size_t group, size_t *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < score->m; i++)
        if (score->groups.of[i] == group) rows[n++] = i;
    return n;
}

static int folds_json(json_t **out, const struct cv_spec *spec, const struct cv_score *scores, struct error *err)
{
    size_t *rows = malloc((scores[0].m + 1) * sizeof *rows);
    *out = json_array();
    if (!rows) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t g = 0; g < scores[0].groups.n_groups; g++) {
        const size_t n = rows_of_group(&scores[0], g, rows);
        json_t *models = json_object();
        for (size_t k = 0; k < spec->n_models; k++) {
            json_t *figures = json_object();
            for (int m = 0; m < N_CV_METRICS; m++)
                json_object_set_new(figures, cv_metric_names[m],
                                    json_or_null(cv_metric_value(&scores[k], (enum cv_metric)m, rows, n)));
            json_object_set_new(models, spec->models[k].name, figures);
        }
        json_array_append_new(*out, json_pack("{s:s,s:I,s:o}", "group", scores[0].groups.names[g], "rows",
                                              (json_int_t)n, "models", models));
    }
    free(rows);
    return 0;
}

/* Every model against the first, metric by metric. */
static int paired_json(json_t **out, const struct cv_spec *spec, const struct cv_score *scores, struct error *err)
{
    static const enum cv_metric metrics[] = {CV_ERROR_N, CV_ERROR_P, CV_MAE, CV_REGRET, CV_REGRET_SEARCH};
    const size_t m = scores[0].m;
    double *losses = calloc(2 * m + 1, sizeof *losses);
    int failed = losses ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    const struct bootstrap plan = {&scores[0].groups, spec->params.bootstrap, spec->params.level, spec->params.seed};
    *out = json_array();
    for (size_t k = 1; k < spec->n_models && !failed; k++)
        for (size_t i = 0; i < COUNT_OF(metrics) && !failed; i++) {
            struct paired p;
            if (!cv_metric_exists(&scores[0], metrics[i])) continue;
            cv_losses(&scores[0], metrics[i], losses);
            cv_losses(&scores[k], metrics[i], losses + m);
            failed = paired_compare(&p, losses + m, losses, &plan, err);
            if (!failed)
                json_array_append_new(*out,
                                      json_pack("{s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:I}", "model", spec->models[k].name,
                                                "against", spec->models[0].name, "metric", cv_metric_names[metrics[i]],
                                                "difference", json_or_null(p.difference), "low", json_or_null(p.low),
                                                "high", json_or_null(p.high), "p", json_or_null(p.p), "p_groups",
                                                json_or_null(p.p_groups), "units", (json_int_t)p.units));
        }
    free(losses);
    return failed;
}

static int hash_of(const char *path, char hash[HASH_TEXT_SIZE], struct error *err)
{
    char *text;
    size_t size;
    if (file_read(&text, &size, path, err) < 0) return -1;
    const struct hash h = hash_bytes(text, size);
    free(text);
    hash_text(&h, hash);
    return 0;
}

/* Rows that a chart reads: one file a list of flat objects. Lists and objects inside are left to the JSON. */
static int write_list(const json_t *list, const char *dir, const char *name, struct error *err)
{
    char path[1200], *text = NULL, number[64];
    size_t size = 0, i;
    const json_t *first = json_array_get(list, 0), *row;
    const char *key;
    json_t *value;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory");
    snprintf(path, sizeof path, "%s/%s.csv", dir, name);
    bool is_next = false;
    json_object_foreach((json_t *)(uintptr_t)first, key, value)
        if (!json_is_array(value) && !json_is_object(value)) {
            if (is_next) fputc(',', out);
            csv_print(out, key);
            is_next = true;
        }
    fputc('\n', out);
    json_array_foreach(list, i, row) {
        is_next = false;
        json_object_foreach((json_t *)(uintptr_t)first, key, value) {
            const json_t *own = json_object_get(row, key);
            if (json_is_array(value) || json_is_object(value)) continue;
            if (is_next) fputc(',', out);
            is_next = true;
            if (json_is_string(own)) csv_print(out, json_string_value(own));
            else if (json_is_boolean(own)) fputs(json_is_true(own) ? "true" : "false", out);
            else if (json_is_integer(own)) fprintf(out, "%lld", (long long)json_integer_value(own));
            else if (json_is_number(own)) fputs(number_text(json_number_value(own), number, sizeof number), out);
        }
        fputc('\n', out);
    }
    int failed = fclose(out) != 0 ? error_set(err, ERR_MEMORY, "out of memory") : 0;
    if (!failed) failed = file_write(path, text, size, err);
    free(text);
    return failed;
}

/* Every held-out prediction: what scatter plots, residual plots and calibration plots draw. */
static json_t *predictions(const struct cv_spec *spec, const struct cv_score *scores)
{
    json_t *out = json_array();
    for (size_t k = 0; k < spec->n_models; k++)
        for (size_t i = 0; i < scores[k].m; i++) {
            const struct cv_score *s = &scores[k];
            json_t *row =
                json_pack("{s:s,s:s,s:I,s:I}", "model", spec->models[k].name, "group", s->groups.names[s->groups.of[i]],
                          "row", (json_int_t)(i % s->data->n) + 1, "repeat", (json_int_t)(i / s->data->n) + 1);
            for (size_t t = 0; t < s->data->n_targets; t++) {
                const struct {
                    const char *key;
                    double value;
                } values[] = {{"target", s->y[t][i]},
                              {"predicted", s->predicted[t][i]},
                              {"low", s->low[t][i]},
                              {"high", s->high[t][i]},
                              {"pit", s->pit[t][i]}};
                for (size_t v = 0; v < COUNT_OF(values); v++) {
                    char key[96];
                    snprintf(key, sizeof key, "%s_%s", values[v].key, spec->targets[t]);
                    json_object_set_new(row, key, json_or_null(values[v].value));
                }
            }
            if (s->regret)
                json_object_set_new(row, "regret", json_or_null(s->regret[i])),
                    json_object_set_new(row, "regret_search", json_or_null(s->regret_search[i]));
            json_array_append_new(out, row);
        }
    return out;
}

static int write_files(const json_t *report, const struct cv_spec *spec, const struct cv_score *scores, const char *dir,
                       struct error *err)
{
    static const char *const lists[] = {"models", "paired"};
    char path[1200], *text;
    if (file_make_folders(dir, err) < 0) return -1;
    snprintf(path, sizeof path, "%s/cv.json", dir);
    if (!(text = json_dumps(report, JSON_INDENT(2) | JSON_REAL_PRECISION(12))))
        return error_set(err, ERR_MEMORY, "out of memory");
    int failed = file_write(path, text, strlen(text), err);
    free(text);
    for (size_t i = 0; i < COUNT_OF(lists) && !failed; i++)
        if (json_array_size(json_object_get(report, lists[i])))
            failed = write_list(json_object_get(report, lists[i]), dir, lists[i], err);
    const json_t *studies = json_object_get(report, "studies");
    for (size_t s = 0; s < N_CV_STUDIES && !failed; s++) {
        const json_t *study = json_object_get(studies, cv_study_names[s]), *steps = json_object_get(study, "steps");
        if (json_array_size(json_is_array(study) ? study : steps))
            failed = write_list(json_is_array(study) ? study : steps, dir, cv_study_names[s], err);
    }
    if (failed) return failed;
    json_t *rows = predictions(spec, scores);
    failed = write_list(rows, dir, "predictions", err);
    json_decref(rows);
    return failed;
}

/* Everything but the files. */
static int report_json(json_t *root, const struct cv_spec *spec, const struct cv_data *data,
                       const struct cv_score *scores, struct error *err)
{
    json_t *part, *models = json_array(), *studies = json_object(), *features = json_array(), *warnings = json_array();
    char hash[HASH_TEXT_SIZE];
    int failed = hash_of(spec->dataset, hash, err);
    if (!failed) json_object_set_new(root, "dataset", json_string(hash));
    if (!failed && spec->profile[0] && (failed = hash_of(spec->profile, hash, err)) == 0)
        json_object_set_new(root, "profile", json_string(hash));
    for (size_t c = 0; c < data->n_columns; c++)
        json_array_append_new(features, json_string(data->set.data.names[data->columns[c]]));
    json_object_set_new(root, "name", json_string(spec->name));
    json_object_set_new(root, "rows", json_integer((json_int_t)data->n));
    json_object_set_new(root, "groups", json_integer((json_int_t)data->groups.n_groups));
    json_object_set_new(root, "features", features);
    for (size_t i = 0; i < data->notes.n; i++) json_array_append_new(warnings, json_string(data->notes.texts[i]));
    json_object_set_new(root, "warnings", warnings);
    json_object_set_new(root, "validation", params_json(&cv_param_table, &spec->params));
    const struct bootstrap plan = {.groups = &data->groups};
    json_object_set_new(root, "bootstrap_unit",
                        json_string(bootstrap_draws_groups(&plan) ? "group" : "row within its group"));
    if (!failed && (failed = folds_json(&part, spec, scores, err)) == 0) json_object_set_new(root, "folds", part);
    for (size_t k = 0; k < spec->n_models && !failed; k++)
        if ((failed = score_json(&part, spec, &spec->models[k], &scores[k], err)) == 0)
            json_array_append_new(models, part);
    json_object_set_new(root, "models", models);
    if (!failed && (failed = paired_json(&part, spec, scores, err)) == 0) json_object_set_new(root, "paired", part);
    for (int s = 0; s < N_CV_STUDIES && !failed; s++) {
        if (!spec->studies[s]) continue;
        failed = cv_study((enum cv_study)s, spec, data, &scores[0], &part, err);
        if (failed) error_while(err, "study %s", cv_study_names[s]);
        json_object_set_new(studies, cv_study_names[s], part ? part : json_null());
    }
    json_object_set_new(root, "studies", studies);
    return failed;
}

int cv_run(json_t **out, const struct cv_spec *spec, const char *out_dir, struct error *err)
{
    struct cv_data data;
    struct cv_score *scores = calloc(spec->n_models, sizeof *scores);
    if (!scores) return error_set(err, ERR_MEMORY, "out of memory");
    if (cv_data_init(&data, spec, err) < 0) {
        free(scores);
        return -1;
    }
    size_t done = 0;
    int failed = 0;
    for (; done < spec->n_models && !failed; done++) {
        const struct cv_task task = {.model = &spec->models[done], .columns = data.columns, .k = data.n_columns};
        if ((failed = cv_score_init(&scores[done], &data, &spec->params, &task, err))) break;
    }
    json_t *root = lab_json();
    if (!failed) failed = report_json(root, spec, &data, scores, err);
    if (!failed && out_dir) failed = write_files(root, spec, scores, out_dir, err);
    if (failed) json_decref(root);
    else *out = root;
    for (size_t k = 0; k < done; k++) cv_score_fini(&scores[k]);
    cv_data_fini(&data);
    free(scores);
    return failed;
}
