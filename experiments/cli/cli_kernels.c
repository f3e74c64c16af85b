#include "cli/cli_kernels.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/number.h"
#include "poise/say.h"
#include "poise/sweep.h"
#include "poise/table_csv.h"

int cli_check_arguments(const char *command, const char *program, const struct texts *arguments, struct error *err)
{
    if (arguments->n == 0 || program) return 0;
    error_set(err, ERR_USAGE, "poise %s: '%s' is no option", command, arguments->items[0]);
    return error_at(err, NULL, 0, -1, "kernels are given with --kernel NAME, --trace FILE or --program FILE [-- ARGS]");
}

static int add_own(struct launches *out, struct registry *registry, const struct cli *cli,
                   const struct kernel_choice *choice, struct error *err)
{
    struct own_kernel *own = calloc(choice->traces->n + 1, sizeof *own);
    int result = own ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu traces", choice->traces->n);
    size_t n = 0;
    for (size_t i = 0; i < choice->traces->n && result == 0; i++)
        result = own_kernel_trace(&own[n++], choice->traces->items[i], err);
    if (result == 0 && choice->program)
        result = own_kernel_program(&own[n++], choice->program, choice->arguments->items, choice->arguments->n, err);
    if (result == 0) result = own_launches(out, &registry->own, own, n, WORKLOAD_FURTHER, registry, &cli->paths, err);
    free(own);
    return result;
}

int cli_launches(struct launches *out, struct registry *registry, const struct cli *cli,
                 const struct kernel_choice *choice, struct error *err)
{
    const int size = workload_size(choice->size ? choice->size : "small");
    if (size < 0) return error_set(err, ERR_USAGE, "--size %s: choose test, small, eval or full", choice->size);
    if (choice->size && choice->kernels->n == 0)
        return error_set(err, ERR_USAGE, "--size %s goes with --kernel: traces and programs have their size",
                         choice->size);
    if (registry->n == 0 && registry_load(registry, cli->paths.kernels, err) < 0) return -1;
    for (size_t i = 0; i < choice->kernels->n; i++)
        if (select_launches(out, registry, &cli->paths, choice->kernels->items[i], size, NULL, 0, NULL, 0, false, err) <
            0)
            return -1;
    return add_own(out, registry, cli, choice, err);
}

int sim_launches(struct launches *out, struct registry *registry, const struct cli *cli, const char *kernel,
                 const char *size_name, const char *input, const char *launch, struct error *err)
{
    const int size = size_name ? workload_size(size_name) : workload_size("small");
    const struct workload *w;
    uint64_t number = 0;
    int32_t inputs[1];
    uint32_t indices[1];
    if (size < 0) return error_set(err, ERR_USAGE, "--size %s: choose test, small, eval or full", size_name);
    if (registry_load(registry, cli->paths.kernels, err) < 0 || registry_find(registry, kernel, &w, err) < 0) return -1;
    inputs[0] = w->inputs[0];
    if (input && !whole_parse(input, 0, INT32_MAX, &number))
        return error_set(err, ERR_USAGE, "--input %s: a whole number is needed", input);
    if (input) inputs[0] = (int32_t)number;
    if (launch && !whole_parse(launch, 0, UINT32_MAX, &number))
        return error_set(err, ERR_USAGE, "--launch %s: a whole number is needed", launch);
    indices[0] = (uint32_t)number;
    return select_launches(out, registry, &cli->paths, kernel, size, inputs, 1, indices, launch ? 1 : 0, false, err);
}

/* ---- what a model was trained on ---- */

/* The table beside the model, if it is the one that the model names. */
static bool read_rows(struct table_csv *out, const char *model_path, const char *wanted)
{
    char path[1200], hash[HASH_TEXT_SIZE], *text;
    struct error ignored;
    size_t size;
    const char *slash = strrchr(model_path, '/');
    snprintf(path, sizeof path, "%.*sdataset.csv", slash ? (int)(slash - model_path) + 1 : 0, model_path);
    if (!wanted || file_read(&text, &size, path, &ignored) < 0) return false;
    const struct hash h = hash_bytes(text, size);
    hash_text(&h, hash);
    const bool is_read = strcmp(hash, wanted) == 0 && table_csv_parse(out, path, text, size, &ignored) == 0;
    free(text);
    return is_read;
}

/* The line of the table that has the launch's trace; 0: none. */
static long line_of(const struct table_csv *rows, const struct launch *launch)
{
    char hash[HASH_TEXT_SIZE];
    const struct table_column *traces = table_csv_find(rows, "trace");
    hash_text(&launch->hash, hash);
    for (size_t i = 0; traces && i < rows->n_rows; i++)
        if (strcmp(traces->texts[i], hash) == 0) return rows->lines[i];
    return 0;
}

static void tell(json_t *list, const struct launch *l, const char *why, const char *row)
{
    say_warning(stderr, "%s is not unseen: %s", l->label, why);
    json_array_append_new(list, json_pack("{s:s,s:s}", "launch", l->label, "row", row));
}

json_t *cli_warn_of_training(const char *model_path, const struct launches *launches)
{
    struct error ignored;
    json_t *list = json_array(), *root = file_read_json(model_path, &ignored);
    const json_t *training = json_object_get(root, "training"),
                 *named = json_object_get(training, "rows_per_benchmark");
    struct table_csv rows = {0};
    const bool has_rows = read_rows(&rows, model_path, json_string_value(json_object_get(training, "dataset")));
    for (size_t i = 0; i < launches->n; i++) {
        const struct launch *l = &launches->items[i];
        const struct workload *w = l->workload;
        char why[300], row[200];
        const long line = has_rows ? line_of(&rows, l) : 0;
        const json_int_t n = w ? json_integer_value(json_object_get(named, w->name)) : 0;
        const bool is_benchmark = n > 0 && (i == 0 || launches->items[i - 1].workload != w);
        if (line) {
            snprintf(why, sizeof why, "line %ld of the dataset.csv that %.100s was trained on has its trace", line,
                     model_path);
            snprintf(row, sizeof row, "dataset.csv:%ld", line);
            tell(list, l, why, row);
        } else if (is_benchmark) {
            snprintf(why, sizeof why, "%.100s has %lld training rows of benchmark %s", model_path, (long long)n,
                     w->name);
            tell(list, l, why, w->name);
        } else if (!named && w && w->set == WORKLOAD_TRAINING && (i == 0 || launches->items[i - 1].workload != w)) {
            snprintf(why, sizeof why, "%s is of the training set, and %.100s does not list its training rows", w->name,
                     model_path);
            tell(list, l, why, w->name);
        }
    }
    if (has_rows) table_csv_fini(&rows);
    json_decref(root);
    return list;
}

int cli_open_store(struct store **out, const char *path, struct error *err)
{
    char folder[1200];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 0, path);
    return *folder && file_make_folders(folder, err) < 0 ? -1 : store_open(out, path, err);
}
