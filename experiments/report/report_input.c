/* What a result folder holds: every file is known by its keys, not by its name. */
#include "report/report_internal.h"
#include "store/run_columns.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "poise/file.h"
#include "poise/hash.h"
#include "poise/model.h"

enum { JSON_BYTES_MAX = 256 << 20 };

/* ---- JSON files ---- */

/* A kind of file: the keys that all must be there, each with what it must be: a list, an object, a text, a number or
 * anything. Another program's file may have the same names. The first kind that fits wins. */
struct signature {
    const char *what;
    struct {
        const char *name;
        char is;
    } keys[3];
    size_t slot;
    bool is_list;
};
#define SLOT(field) offsetof(struct report_input, field)
static const struct signature signatures[] = {
    {"evaluation summary", {{"benchmarks", 'l'}, {"hmean", 'o'}, {"training", 'o'}}, SLOT(summary), false},
    {"cross-validation", {{"folds", 'l'}, {"models", 'l'}, {"validation", 'o'}}, SLOT(cv), false},
    {"tuning", {{"trials", 'l'}, {"best", 'o'}, {"train_metric", '*'}}, SLOT(tune), false},
    {"reproduction", {{"id", 't'}, {"rows", 'l'}, {"direction_ok", '*'}}, SLOT(repros), true},
    {"validation against reference cases", {{"cases", 'l'}, {"overall", 'o'}}, SLOT(validate), false},
    {"measurements of a GPU", {{"kernels", 'l'}, {"overall", 'o'}, {"gpu", 't'}}, SLOT(hardware), false},
    {"fit", {{"coef", 'l'}, {"theta", '*'}, {"loglik", '*'}}, SLOT(fits), true},
    {"simulation", {{"launches", 'l'}, {"mech", 'l'}, {"stats", 'o'}}, SLOT(sims), true},
    {"model", {{"outputs", 'o'}, {"scale", 'n'}}, SLOT(model), false},
    {"run information", {{"runs_simulated", 'n'}, {"runs_reused", 'n'}}, SLOT(run_info), false},
};

static bool is_a(const json_t *value, char is)
{
    switch (is) {
    case 'l': return json_is_array(value);
    case 'o': return json_is_object(value);
    case 't': return json_is_string(value);
    case 'n': return json_is_number(value);
    default: return value != NULL;
    }
}

static const struct signature *recognise(const json_t *json)
{
    for (size_t i = 0; i < COUNT_OF(signatures); i++) {
        bool fits = true;
        for (size_t k = 0; k < COUNT_OF(signatures[i].keys) && signatures[i].keys[k].name; k++)
            fits &= is_a(json_object_get(json, signatures[i].keys[k].name), signatures[i].keys[k].is);
        if (fits) return &signatures[i];
    }
    return NULL;
}

static void remember(struct report_input *input, const char *file, const char *what, const void *data, size_t size)
{
    const struct hash h = hash_bytes(data, size);
    char hash[HASH_TEXT_SIZE];
    hash_text(&h, hash);
    json_array_append_new(input->files, json_pack("{s:s,s:s,s:I,s:s}", "file", file, "what", what, "bytes",
                                                  (json_int_t)size, "hash", hash));
}

static int check_model(const char *path, const char *text, size_t size, struct error *err)
{
    struct model model;
    return model_parse(&model, path, text, size, err);
}

static int take_json(struct report_input *input, const char *path, const char *file, struct error *err)
{
    char *text;
    size_t size;
    json_error_t where;
    if (file_read(&text, &size, path, err) < 0) return -1;
    json_t *json = json_loadb(text, size, 0, &where);
    const struct signature *s = json_is_object(json) ? recognise(json) : NULL;
    int result = json ? 0 : error_set(err, ERR_INPUT, "%s: line %d: %s", path, where.line, where.text);
    if (result < 0)
        error_at(err, path, where.line, where.position, "write the file again, or move it out of the folder");
    if (s && s->slot == SLOT(model)) result = check_model(path, text, size, err);
    if (result == 0) remember(input, file, s ? s->what : "JSON of another kind: not shown", text, size);
    free(text);
    if (result == 0 && s) {
        json_t **slot = (json_t **)(void *)((char *)input + s->slot);
        if (s->is_list) json_array_append(*slot, json);
        else if (!*slot) *slot = json_incref(json);
    }
    json_decref(json);
    return result;
}

/* ---- CSV files: those that commands leave beside their JSON ---- */

static int take_csv(struct report_input *input, const char *path, const char *file, struct error *err)
{
    static const struct {
        const char *file, *columns[3], *what;
        size_t slot;
    } known[] = {
        {"profile.csv", {"benchmark", "N", "speedup"}, "profile: simulated warp tuples", SLOT(profile)},
        {"dataset.csv", {"benchmark", "trace", "cycles"}, "training rows", SLOT(dataset)},
        {"predictions.csv", {"model", "target_N", "predicted_N"}, "held-out predictions", SLOT(predictions)},
        {"sweep.csv", {"kernel", "mechs", "core_cycles"}, "runs of a sweep", SLOT(sweep)},
        {"estimates.csv", {"program", "mechs", "core_cycles_low"}, "estimates of whole programs", SLOT(estimates)},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        if (strcmp(file, known[i].file) != 0) continue;
        struct table_csv *table = (struct table_csv *)(void *)((char *)input + known[i].slot);
        char *text;
        size_t size;
        if (file_read(&text, &size, path, err) < 0) return -1;
        int result = table_csv_parse(table, path, text, size, err);
        for (size_t k = 0; k < COUNT_OF(known[i].columns) && result == 0; k++)
            if (!table_csv_find(table, known[i].columns[k])) {
                result = error_set(err, ERR_INPUT, "%s: no column '%s'", path, known[i].columns[k]);
                table_csv_fini(table);
            }
        if (result < 0) *table = (struct table_csv){0};
        else remember(input, file, known[i].what, text, size);
        free(text);
        return result;
    }
    return 0;
}

const char *report_cell_at(const struct table_csv *table, const char *column, size_t row)
{
    const struct table_column *c = table_csv_find(table, column);
    return c && c->texts[row] ? c->texts[row] : "";
}

double report_number_at(const struct table_csv *table, const char *column, size_t row)
{
    const struct table_column *c = table_csv_find(table, column);
    return c ? c->values[row] : NAN;
}

/* ---- folders ---- */

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static int take_file(struct report_input *input, const char *path, const char *file, struct error *err)
{
    struct stat st;
    if (stat(path, &st) != 0) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return 0;
    if (ends_with(file, ".json")) {
        if (st.st_size > JSON_BYTES_MAX)
            return error_set(err, ERR_INPUT, "%s: %lld bytes are more than a report reads", path,
                             (long long)st.st_size);
        return take_json(input, path, file, err);
    }
    if (ends_with(file, ".csv")) return take_csv(input, path, file, err);
    if (!ends_with(file, ".sqlite") || input->has_store) return 0;
    if (report_runs_read(&input->store, path, err) < 0) {
        report_runs_fini(&input->store);
        input->store = (struct report_runs){0};
        return -1;
    }
    input->has_store = true;
    if (report_machines_read(&input->machines, &input->store, err) < 0) return -1;
    json_array_append_new(input->files,
                          json_pack("{s:s,s:s,s:n,s:n}", "file", file, "what", "store of runs", "bytes", "hash"));
    return 0;
}

/* A folder may hold what is no result, or was cut short: it is named, and the rest is shown. The reason is kept without
 * the folder's path, so that equal folders give equal reports. */
static void pass_over(struct report_input *input, const char *path, const char *file, const struct error *why)
{
    const size_t n = strlen(path);
    const char *reason = why->text;
    char what[700];
    while (strncmp(reason, path, n) == 0 && strncmp(reason + n, ": ", 2) == 0) reason += n + 2;
    snprintf(what, sizeof what, "not read: %s", reason);
    json_array_append_new(input->files, json_pack("{s:s,s:s,s:n,s:n,s:s}", "file", file, "what", what, "bytes", "hash",
                                                  "unread", reason));
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int take_folder(struct report_input *input, struct error *err)
{
    struct dirent **list;
    const int n = scandir(input->path, &list, NULL, by_name);
    int result = n < 0 ? error_set(err, ERR_IO, "%s: %s", input->path, strerror(errno)) : 0;
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        if (result == 0 && list[i]->d_name[0] != '.') {
            if (asprintf(&path, "%s/%s", input->path, list[i]->d_name) < 0)
                result = error_set(err, ERR_MEMORY, "out of memory");
            else if ((result = take_file(input, path, list[i]->d_name, err)) < 0 && err->code != ERR_MEMORY)
                pass_over(input, path, list[i]->d_name, err), result = 0;
            free(path);
        }
        free(list[i]);
    }
    if (n >= 0) free(list);
    return result;
}

static char *last_name(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    size_t start = end;
    while (start && path[start - 1] != '/') start--;
    return strndup(path + start, end - start);
}

int report_input_read(struct report_input *out, const char *path, struct error *err)
{
    struct stat st;
    *out = (struct report_input){.path = strdup(path),
                                 .name = last_name(path),
                                 .repros = json_array(),
                                 .fits = json_array(),
                                 .sims = json_array(),
                                 .files = json_array()};
    if (!out->path || !out->name) return error_set(err, ERR_MEMORY, "out of memory for %s", path);
    if (stat(path, &st) != 0) {
        error_set(err, ERR_INPUT, "%s: %s", path, strerror(errno));
        return error_at(err, path, 0, -1,
                        "name a result folder, such as results/quickstart after experiments/quickstart.sh");
    }
    if (!S_ISDIR(st.st_mode)) return take_file(out, path, out->name, err);
    return take_folder(out, err);
}

void report_input_fini(struct report_input *input)
{
    json_t *const json[] = {input->summary,  input->run_info, input->model, input->cv,   input->tune, input->validate,
                            input->hardware, input->repros,   input->fits,  input->sims, input->files};
    for (size_t i = 0; i < COUNT_OF(json); i++) json_decref(json[i]);
    table_csv_fini(&input->profile);
    table_csv_fini(&input->dataset);
    table_csv_fini(&input->predictions);
    table_csv_fini(&input->sweep);
    table_csv_fini(&input->estimates);
    report_runs_fini(&input->store);
    run_columns_free(input->machines);
    free(input->path);
    free(input->name);
}
