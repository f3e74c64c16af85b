/* Layouts that other trackers read: an MLflow run in a tracking folder of files, and DVC's params.yaml, metrics.json
 * and plots/. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/hash.h"

/* ---- what both have: flat names with values ---- */

/* Names in paths and YAML: letters, digits and "_-./ "; everything else becomes '_'. */
static const char *safe_name(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++) {
        const char c = *text;
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                              c == '-' || c == '.';
        out[n++] = is_plain ? c : '_';
    }
    out[n] = '\0';
    if (strcmp(out, "..") == 0 || strcmp(out, ".") == 0 || n == 0) snprintf(out, size, "_");
    return out;
}

typedef int take_metric(const char *name, double value, void *context, struct error *err);

/* Every value of bars and points figures, by figure, category and series; at most what a tracker's page can show. */
static int each_metric(const json_t *document, take_metric *take, void *context, struct error *err)
{
    const json_t *section, *figure, *series;
    size_t s, f, i;
    char name[400], parts[3][120];
    json_array_foreach(json_object_get(document, "sections"), s, section)
        json_array_foreach(json_object_get(section, "figures"), f, figure) {
            const bool is_bars = strcmp(report_string(figure, "kind"), "bars") == 0,
                       is_points = strcmp(report_string(figure, "kind"), "points") == 0;
            const json_t *labels = json_object_get(figure, is_bars ? "categories" : "labels");
            if (!is_bars && !is_points) continue;
            json_array_foreach(json_object_get(figure, "series"), i, series)
                for (size_t k = 0; k < json_array_size(labels); k++) {
                    const double value = report_value(json_array_get(json_object_get(series, "values"), k));
                    const char *label = json_string_value(json_array_get(labels, k));
                    if (!isfinite(value)) continue;
                    snprintf(name, sizeof name, "%s.%s.%s",
                             safe_name(report_string(figure, "id"), parts[0], sizeof parts[0]),
                             safe_name(label ? label : "", parts[1], sizeof parts[1]),
                             safe_name(report_string(series, "name"), parts[2], sizeof parts[2]));
                    if (take(name, value, context, err) < 0) return -1;
                }
        }
    return 0;
}

typedef int take_param(const char *name, const char *value, void *context, struct error *err);

/* Parameters of the machine, from Provenance. */
static int each_param(const json_t *document, take_param *take, void *context, struct error *err)
{
    const json_t *section, *table, *row;
    size_t s, t, r;
    char name[120];
    json_t *seen = json_object();
    int result = 0;
    json_array_foreach(json_object_get(document, "sections"), s, section)
        json_array_foreach(json_object_get(section, "tables"), t, table) {
            if (strncmp(report_string(table, "id"), "machine", 7) != 0) continue;
            json_array_foreach(json_object_get(table, "rows"), r, row) {
                const char *key = json_string_value(json_array_get(row, 0)),
                           *value = json_string_value(json_array_get(row, 1));
                if (!key || !value || json_object_get(seen, key) || result < 0) continue;
                json_object_set_new(seen, key, json_true());
                result = take(safe_name(key, name, sizeof name), value, context, err);
            }
        }
    json_decref(seen);
    return result;
}

static int write_text(const char *dir, const char *name, const char *text, struct error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", dir, name) < 0) return error_set(err, ERR_MEMORY, "out of memory");
    const int result = file_write(path, text, strlen(text), err);
    free(path);
    return result;
}

static int make_folder(char *out, size_t size, const char *dir, const char *name, struct error *err)
{
    if ((size_t)snprintf(out, size, "%s/%s", dir, name) >= size)
        return error_set(err, ERR_INPUT, "%s: the path is too long", dir);
    return file_make_folders(out, err);
}

/* ---- MLflow: DIR/0/meta.yaml, DIR/0/RUN/{meta.yaml, metrics/, params/, tags/, artifacts/} ---- */

struct run_folder {
    const char *dir;
};

static int mlflow_metric(const char *name, double value, void *context, struct error *err)
{
    char text[64], number[40];
    /* time, value, step: the same bytes for the same results */
    snprintf(text, sizeof text, "0 %s 0\n", number_text(value, number, sizeof number));
    return write_text(((struct run_folder *)context)->dir, name, text, err);
}

static int mlflow_param(const char *name, const char *value, void *context, struct error *err)
{
    return write_text(((struct run_folder *)context)->dir, name, value, err);
}

static int mlflow_meta(const json_t *document, const char *dir, const char *experiment, const char *run, const char *id,
                       struct error *err)
{
    char *text = NULL, name[160];
    int result = asprintf(&text,
                          "artifact_location: %s\ncreation_time: 0\nexperiment_id: '0'\nlast_update_time: "
                          "0\nlifecycle_stage: active\nname: Default\n",
                          experiment);
    (void)dir;
    if (result < 0) return error_set(err, ERR_MEMORY, "out of memory");
    result = write_text(experiment, "meta.yaml", text, err);
    free(text);
    if (result < 0) return -1;
    result = asprintf(&text,
                      "artifact_uri: %s/artifacts\nend_time: 0\nentry_point_name: ''\nexperiment_id: "
                      "'0'\nlifecycle_stage: active\nrun_id: %s\nrun_name: '%s'\n"
                      "run_uuid: %s\nsource_name: ''\nsource_type: 4\nsource_version: ''\nstart_time: 0\nstatus: "
                      "3\ntags: []\nuser_id: poise\n",
                      run, id, safe_name(report_string(document, "title"), name, sizeof name), id);
    if (result < 0) return error_set(err, ERR_MEMORY, "out of memory");
    result = write_text(run, "meta.yaml", text, err);
    free(text);
    return result;
}

int report_mlflow(const json_t *document, const char *dir, struct error *err)
{
    char experiment[600], run[700], folder[800], id[HASH_TEXT_SIZE];
    char *text = json_dumps(document, JSON_COMPACT);
    if (!text) return error_set(err, ERR_MEMORY, "out of memory for %s", dir);
    const struct hash h = hash_bytes(text, strlen(text)); /* the same results are the same run */
    hash_text(&h, id);
    struct run_folder at = {.dir = folder};
    int result = make_folder(experiment, sizeof experiment, dir, "0", err);
    if (result == 0) result = make_folder(run, sizeof run, experiment, id, err);
    if (result == 0) result = mlflow_meta(document, dir, experiment, run, id, err);
    if (result == 0) result = make_folder(folder, sizeof folder, run, "metrics", err);
    if (result == 0) result = each_metric(document, mlflow_metric, &at, err);
    if (result == 0) result = make_folder(folder, sizeof folder, run, "params", err);
    if (result == 0) result = each_param(document, mlflow_param, &at, err);
    if (result == 0) result = make_folder(folder, sizeof folder, run, "tags", err);
    if (result == 0) result = write_text(folder, "poise.version", report_string(document, "version"), err);
    if (result == 0) result = make_folder(folder, sizeof folder, run, "artifacts", err);
    if (result == 0) result = write_text(folder, "report.json", text, err);
    free(text);
    return result;
}

/* ---- DVC: params.yaml, metrics.json (nested), plots/FIGURE.csv, dvc.yaml that names them ---- */

static int dvc_metric(const char *name, double value, void *context, struct error *err)
{
    char parts[400];
    json_t *at = context;
    (void)err;
    snprintf(parts, sizeof parts, "%s", name);
    char *save = NULL, *part = strtok_r(parts, ".", &save);
    for (char *next; (next = strtok_r(NULL, ".", &save)) != NULL; part = next) {
        json_t *inner = json_object_get(at, part);
        if (!json_is_object(inner)) json_object_set_new(at, part, inner = json_object());
        at = json_object_get(at, part);
    }
    json_object_set_new(at, part, report_number(value));
    return 0;
}

static int dvc_param(const char *name, const char *value, void *context, struct error *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
    FILE *out = context;
    (void)err;
    if (strspn(value, plain) == strlen(value)) {
        fprintf(out, "%s: %s\n", name, value);
        return 0;
    }
    fprintf(out, "%s: '", name);
    for (; *value; value++) fprintf(out, *value == '\'' ? "''" : "%c", *value == '\n' ? ' ' : *value);
    fputs("'\n", out);
    return 0;
}

static int dvc_plot(const json_t *figure, const char *dir, FILE *list, struct error *err)
{
    const json_t *labels = json_object_get(figure, "categories") ? json_object_get(figure, "categories")
                                                                 : json_object_get(figure, "labels"),
                 *series;
    char *text = NULL, name[160], number[40];
    size_t size = 0, i;
    if (json_array_size(labels) == 0 || strcmp(report_string(figure, "kind"), "scatter") == 0) return 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for plots");
    fputs("label,series,value\n", out);
    json_array_foreach(json_object_get(figure, "series"), i, series)
        for (size_t k = 0; k < json_array_size(labels); k++) {
            const double value = report_value(json_array_get(json_object_get(series, "values"), k));
            const char *label = json_string_value(json_array_get(labels, k));
            if (!isfinite(value)) continue;
            csv_print(out, label ? label : "");
            fputc(',', out);
            csv_print(out, report_string(series, "name"));
            fprintf(out, ",%s\n", number_text(value, number, sizeof number));
        }
    const bool is_whole = fclose(out) == 0;
    snprintf(name, sizeof name, "%.150s.csv", report_string(figure, "id"));
    const int result =
        is_whole ? write_text(dir, name, text, err) : error_set(err, ERR_MEMORY, "out of memory for plots");
    fprintf(list, "  - plots/%s:\n      x: label\n      y: value\n", name);
    free(text);
    return result;
}

int report_dvc(const json_t *document, const char *dir, struct error *err)
{
    const json_t *section, *figure;
    char plots[800], *yaml = NULL, *list = NULL;
    size_t s, f, yaml_size = 0, list_size = 0;
    json_t *metrics = json_object();
    FILE *params = open_memstream(&yaml, &yaml_size), *names = open_memstream(&list, &list_size);
    int result = params && names ? make_folder(plots, sizeof plots, dir, "plots", err)
                                 : error_set(err, ERR_MEMORY, "out of memory for %s", dir);
    if (result == 0) result = each_metric(document, dvc_metric, metrics, err);
    if (result == 0) result = each_param(document, dvc_param, params, err);
    if (names) fputs("params:\n  - params.yaml\nmetrics:\n  - metrics.json\nplots:\n", names);
    json_array_foreach(json_object_get(document, "sections"), s, section)
        json_array_foreach(json_object_get(section, "figures"), f, figure)
            if (result == 0) result = dvc_plot(figure, plots, names, err);
    bool is_cut = params && fclose(params) != 0;
    if (names && fclose(names) != 0) is_cut = true;
    if (is_cut && result == 0) result = error_set(err, ERR_MEMORY, "out of memory for %s", dir);
    char *text = json_dumps(metrics, JSON_INDENT(1) | JSON_SORT_KEYS);
    if (result == 0)
        result = text ? write_text(dir, "metrics.json", text, err)
                      : error_set(err, ERR_MEMORY, "out of memory for metrics.json");
    if (result == 0) result = write_text(dir, "params.yaml", yaml, err);
    if (result == 0) result = write_text(dir, "dvc.yaml", list, err);
    free(text);
    free(yaml);
    free(list);
    json_decref(metrics);
    return result;
}
