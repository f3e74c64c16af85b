/* The files of figures, and the list of all studies, which are their figures. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "poise/spec_format.h"
#include "poise/table.h"
#include "studies/repro/figure.h"
#include "workload/spec_read.h"

struct repro_list {
    struct yaml_file *files[64];
    size_t n_files;
    struct repro_study *figures; /* of all files, one after another; they point into the files */
    size_t n_figures;
    const struct repro_study **all; /* by id */
    size_t n;
};

/* ---- reading ---- */

static int read_mean(const struct yaml_file *file, const struct yaml_node *map, enum repro_mean *out, struct error *err)
{
    const struct yaml_node *node = yaml_get(map, "mean");
    *out = MEAN_ARITHMETIC;
    for (size_t i = 0; node && i < N_REPRO_MEANS; i++)
        if (node->kind == YAML_SCALAR && strcmp(node->text, repro_mean_names[i]) == 0) {
            *out = (enum repro_mean)i;
            return 0;
        }
    return node ? yaml_error(file, node, err, "mean: arithmetic, harmonic or geometric") : 0;
}

static const char *text_of(const struct yaml_file *file, const struct yaml_node *map, const char *key,
                           struct error *err)
{
    const struct yaml_node *node = yaml_get(map, key);
    if (node && node->kind == YAML_SCALAR && *node->text) return node->text;
    yaml_error(file, node ? node : map, err, "a figure needs '%s', a text", key);
    return NULL;
}

static bool is_text(const struct yaml_node *node, const char *text)
{
    return node->kind == YAML_SCALAR && strcmp(node->text, text) == 0;
}

static int read_flag(bool *out, const struct yaml_file *file, const struct yaml_node *map, const char *key,
                     struct error *err)
{
    const struct yaml_node *node = yaml_get(map, key);
    if (node && !is_text(node, "true")) return yaml_error(file, node, err, "%s: true, or leave it out", key);
    *out = node != NULL;
    return 0;
}

static int read_figure(struct repro_study *out, const struct yaml_file *file, const struct yaml_node *node,
                       struct error *err)
{
    static const char *const keys[] = {"id",
                                       "title",
                                       "at",
                                       "mean",
                                       "over",
                                       "papers",
                                       "spec",
                                       "labels",
                                       "groups",
                                       "values",
                                       "defs",
                                       "rows",
                                       "checks",
                                       "notes",
                                       "doc",
                                       "l2_hits",
                                       "atomics_in_order",
                                       "whole_programs",
                                       "pipeline",
                                       "mixes",
                                       "maps",
                                       "programs",
                                       "learn",
                                       "choose",
                                       "windows",
                                       "pairs",
                                       "lengths",
                                       "combinations"};
    const struct yaml_node *pipeline = yaml_get(node, "pipeline");
    if (node->kind != YAML_MAP) return yaml_error(file, node, err, "a figure is a map: {id, title, at, spec, rows}");
    *out = (struct repro_study){.file = file, .figure = node};
    if (spec_keys(file, node, keys, COUNT_OF(keys), err) < 0 || !(out->id = text_of(file, node, "id", err)) ||
        !(out->title = text_of(file, node, "title", err)) || !(out->source = text_of(file, node, "at", err)) ||
        !(out->spec = text_of(file, node, "spec", err)) || read_mean(file, node, &out->mean, err) < 0)
        return -1;
    if (pipeline && !is_text(pipeline, "true") && !is_text(pipeline, "launches"))
        return yaml_error(file, pipeline, err, "pipeline: true or launches, or leave it out");
    if (pipeline) out->tell = figure_tell;
    if (read_flag(&out->runs_programs, file, node, "whole_programs", err) < 0) return -1;
    if (read_flag(&out->has_pairs, file, node, "pairs", err) < 0 ||
        read_flag(&out->is_of_lengths, file, node, "lengths", err) < 0 ||
        read_flag(&out->has_combinations, file, node, "combinations", err) < 0)
        return -1;
    return read_flag(&out->has_mixes, file, node, "mixes", err);
}

/* The figures of a file; the list keeps the file. */
static int add_file(struct repro_list *list, struct yaml_file *file, struct error *err)
{
    static const char *const keys[] = {"schema", "kind",   "doc",  "over",  "papers", "labels",
                                       "groups", "values", "defs", "notes", "figures"};
    const struct yaml_node *root = yaml_root(file), *figures = yaml_get(root, "figures");
    uint64_t schema;
    char kind[32];
    list->files[list->n_files++] = file;
    if (!root || root->kind != YAML_MAP)
        return error_set(err, ERR_INPUT, "%s: a file of figures is a map with schema: 1, kind: figures and figures",
                         yaml_name(file));
    if (spec_keys(file, root, keys, COUNT_OF(keys), err) < 0 ||
        spec_u64(file, root, "schema", true, 1, 1, &schema, err) < 0 ||
        spec_text(file, root, "kind", true, kind, sizeof kind, err) < 0)
        return -1;
    if (strcmp(kind, "figures") != 0)
        return yaml_error(file, yaml_get(root, "kind"), err, "kind '%s': a file of figures is of kind figures", kind);
    if (!figures || figures->kind != YAML_LIST)
        return yaml_error(file, figures ? figures : root, err, "'figures' is a list, each {id, title, at, spec, rows}");
    struct repro_study *more = realloc(list->figures, (list->n_figures + figures->n + 1) * sizeof *more);
    if (!more) return error_set(err, ERR_MEMORY, "out of memory for %zu figures", figures->n);
    list->figures = more;
    for (size_t i = 0; i < figures->n; i++, list->n_figures++)
        if (read_figure(&more[list->n_figures], file, figures->items[i], err) < 0) return -1;
    return 0;
}

static int is_yaml(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    return n > 5 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 5, ".yaml") == 0;
}

static int add_folder(struct repro_list *list, const char *dir, struct error *err)
{
    struct dirent **entries;
    const int n = scandir(dir, &entries, is_yaml, versionsort);
    int result = n < 0 ? error_set(err, ERR_INPUT, "%s: the folder of figures cannot be read: %m", dir) : 0;
    for (int i = 0; i < n; i++) {
        char path[1600];
        struct yaml_file *file;
        if (result == 0 && list->n_files == COUNT_OF(list->files))
            result = error_set(err, ERR_INPUT, "%s: more than %zu files of figures", dir, COUNT_OF(list->files));
        snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        if (result == 0) result = yaml_load(&file, path, err) < 0 ? -1 : add_file(list, file, err);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return result;
}

/* ---- the list ---- */

static int by_id(const void *a, const void *b)
{
    const struct repro_study *const *x = a, *const *y = b;
    return strverscmp((*x)->id, (*y)->id);
}

static int sort_all(struct repro_list *list, struct error *err)
{
    list->n = list->n_figures;
    if (!(list->all = calloc(list->n + 1, sizeof *list->all)))
        return error_set(err, ERR_MEMORY, "out of memory for the list of studies");
    for (size_t i = 0; i < list->n_figures; i++) list->all[i] = &list->figures[i];
    qsort(list->all, list->n, sizeof *list->all, by_id);
    for (size_t i = 1; i < list->n; i++) {
        const struct repro_study *b = list->all[i];
        if (strcmp(list->all[i - 1]->id, b->id) == 0)
            return yaml_error(b->file, b->figure, err, "a second study '%s': choose another id", b->id);
    }
    return 0;
}

int repro_list_load(struct repro_list **out, const char *configs_dir, struct error *err)
{
    char dir[1200];
    struct repro_list *list = calloc(1, sizeof *list);
    *out = NULL;
    if (!list) return error_set(err, ERR_MEMORY, "out of memory for the list of studies");
    snprintf(dir, sizeof dir, "%s/../figures", configs_dir);
    if (add_folder(list, dir, err) < 0 || sort_all(list, err) < 0) {
        repro_list_free(list);
        return -1;
    }
    *out = list;
    return 0;
}

void repro_list_free(struct repro_list *list)
{
    for (size_t i = 0; list && i < list->n_files; i++) yaml_file_free(list->files[i]);
    if (list) {
        free(list->figures);
        free(list->all);
    }
    free(list);
}

size_t repro_list_n(const struct repro_list *list) { return list->n; }
const struct repro_study *repro_list_at(const struct repro_list *list, size_t i) { return list->all[i]; }

int repro_list_find(const struct repro_list *list, const char *id, const struct repro_study **out, struct error *err)
{
    const char **ids = calloc(list->n + 1, sizeof *ids);
    if (!ids) return error_set(err, ERR_MEMORY, "out of memory for the list of studies");
    *out = NULL;
    for (size_t i = 0; i < list->n; i++) {
        ids[i] = list->all[i]->id;
        if (strcmp(ids[i], id) == 0) *out = list->all[i];
    }
    if (!*out) {
        error_set(err, ERR_USAGE, "no study '%s'%s", id, did_you_mean(id, ids, list->n, sizeof *ids).text);
        error_at(err, NULL, 0, -1, "'poise repro --list' lists them");
    }
    free(ids);
    return *out ? 0 : -1;
}

int repro_report(const struct repro_study *study, const struct repro_data *data, struct repro_report *report,
                 struct error *err)
{
    if (study->has_combinations && data->n) repro_report_combinations(data, report);
    return figure_report(study, data, report, err);
}

int repro_check_figure_over(const struct repro_study *study, const struct repro_data *points, struct error *err)
{
    struct repro_report nothing = {0};
    const int result = repro_report(study, points, &nothing, err);
    repro_report_fini(&nothing);
    return result;
}

int repro_check_figure(const struct repro_study *study, const struct repro_spec *spec, struct error *err)
{
    struct repro_data data = {.n_points = 0};
    if (spec) repro_spec_points(spec, &data);
    return repro_check_figure_over(study, &data, err);
}

/* ---- trying a text ---- */

int repro_figures_try(const char *name, const char *text, size_t size, const char *const *points, size_t n_points,
                      struct error *err)
{
    struct repro_list list = {.n_files = 0};
    struct repro_data data = {.n_points = n_points < REPRO_POINTS_MAX ? n_points : REPRO_POINTS_MAX};
    struct yaml_file *file;
    for (size_t p = 0; p < data.n_points; p++) snprintf(data.points[p], sizeof data.points[p], "%s", points[p]);
    int result = yaml_parse(&file, name, text, size, err) < 0 ? -1 : add_file(&list, file, err);
    for (size_t i = 0; result == 0 && i < list.n_figures; i++) {
        struct repro_report report = {0};
        result = figure_report(&list.figures[i], &data, &report, err);
        repro_report_fini(&report);
    }
    for (size_t i = 0; i < list.n_files; i++) yaml_file_free(list.files[i]);
    free(list.figures);
    return result;
}
