/* The registry datasets/kernels/list.yaml: which CUDA programs there are, and which of their launches are profiled. */
#include "poise/workload.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "suite/suite_internal.h"
#include "workload/spec_read.h"

const char *const workload_sizes[WORKLOAD_SIZES] = {"test", "small", "full", "eval"};
const char *const workload_sets[WORKLOAD_SETS] = {"training", "evaluation", "further", "variant"};
const char *const workload_splits[WORKLOAD_SPLITS] = {"", "development", "training", "sealed"};

int workload_size(const char *name)
{
    for (int i = 0; i < WORKLOAD_SIZES; i++)
        if (strcmp(workload_sizes[i], name) == 0) return i;
    return -1;
}

/* PREFIX/bin/poise knows PREFIX/share/poise/..., so that an installed tree may be moved. */
static bool path_installed(char *out, size_t size, const char *below)
{
    char self[512];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return false;
    self[n] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (!slash) return false;
        *slash = '\0';
    }
    return (size_t)snprintf(out, size, "%s/%s", self, below) < size && access(out, R_OK) == 0;
}

void lab_path(char *out, size_t size, const char *variable, const char *below, const char *otherwise)
{
    const char *set = getenv(variable);
    if (set && *set) snprintf(out, size, "%s", set);
    else if (!path_installed(out, size, below)) snprintf(out, size, "%s", otherwise);
}

/* [XDG Base Directory Specification]: a relative XDG_CACHE_HOME is none. */
static bool path_cache(char *out, size_t size)
{
    const char *set = getenv("POISE_TRACES"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (set && *set) snprintf(out, size, "%s", set);
    else if (cache && *cache == '/') snprintf(out, size, "%s/poise/traces", cache);
    else if (home && *home == '/') snprintf(out, size, "%s/.cache/poise/traces", home);
    else snprintf(out, size, "results/traces");
    return !(set && *set);
}

void lab_paths_init(struct lab_paths *out)
{
    *out = (struct lab_paths){0};
    lab_path(out->kernels, sizeof out->kernels, "POISE_KERNELS", "share/poise/datasets/kernels/list.yaml",
             POISE_KERNELS_DEFAULT);
    lab_path(out->programs, sizeof out->programs, "POISE_PROGRAMS", "lib/poise/programs", POISE_PROGRAMS_DEFAULT);
    lab_path(out->configs, sizeof out->configs, "POISE_CONFIGS", "share/poise/experiments/configs",
             POISE_CONFIGS_DEFAULT);
    lab_path(out->cuda_lib, sizeof out->cuda_lib, "POISE_CUDA_LIB", "lib/poise/cuda", POISE_CUDA_LIB_DEFAULT);
    out->is_cache = path_cache(out->traces, sizeof out->traces);
}

void lab_profiles(char *out, size_t size, const char *configs)
{
    snprintf(out, size, "%s/../../datasets/profiles", configs);
}
void lab_models(char *out, size_t size, const char *configs) { snprintf(out, size, "%s/../../models", configs); }
void lab_models_in(char *out, size_t size, const char *text, const char *configs)
{
    char models[600];
    const char *at = strstr(text, "@models/");
    lab_models(models, sizeof models, configs);
    if (at) snprintf(out, size, "%.*s%s/%s", (int)(at - text), text, models, at + strlen("@models/"));
    else snprintf(out, size, "%s", text);
}

enum { NUMBERS_MAX = 1024 };

static int read_numbers(const struct yaml_file *file, const struct yaml_node *list, int64_t max,
                        int64_t out[NUMBERS_MAX], size_t *n, struct error *err)
{
    if (list->kind != YAML_LIST) return yaml_error(file, list, err, "a list of whole numbers is needed here");
    if (list->n > NUMBERS_MAX) return yaml_error(file, list, err, "%zu numbers: at most %d", list->n, NUMBERS_MAX);
    *n = list->n;
    for (size_t i = 0; i < list->n; i++)
        if (spec_whole(file, list->items[i], 0, max, &out[i], err) < 0) return -1;
    return 0;
}

static int add_profiled(const struct yaml_file *file, const struct yaml_node *list, struct workload *w, int size,
                        int32_t input, struct error *err)
{
    int64_t numbers[NUMBERS_MAX];
    size_t n;
    if (read_numbers(file, list, UINT32_MAX, numbers, &n, err) < 0) return -1;
    struct profiled_launch *all = realloc(w->profiled, (w->n_profiled + n + 1) * sizeof *all);
    if (!all) return error_set(err, ERR_MEMORY, "out of memory for %zu profiled launches", n);
    w->profiled = all;
    for (size_t i = 0; i < n; i++) all[w->n_profiled++] = (struct profiled_launch){size, input, (uint32_t)numbers[i]};
    return 0;
}

/* [0, 2]: of every input; [[0, 2], [1]]: of the first input, of the second; {3: [0, 2]}: of input 3. */
static int read_size_profiled(const struct yaml_file *file, const struct yaml_node *node, struct workload *w, int size,
                              struct error *err)
{
    const bool is_by_input =
        node->kind == YAML_MAP || (node->kind == YAML_LIST && node->n && node->items[0]->kind == YAML_LIST);
    if (!is_by_input) return add_profiled(file, node, w, size, -1, err);
    for (size_t i = 0; i < node->n; i++) {
        int64_t input = i < w->n_inputs ? w->inputs[i] : -1;
        if (node->kind == YAML_MAP) {
            char *end;
            input = strtol(node->keys[i], &end, 10);
            if (*end || end == node->keys[i]) input = -1;
        }
        bool is_known = false;
        for (size_t k = 0; k < w->n_inputs; k++) is_known |= w->inputs[k] == input && input >= 0;
        if (!is_known)
            return yaml_error(file, node->items[i], err,
                              "%s: profiled launches of an input that 'inputs' does not name", w->name);
        if (add_profiled(file, node->items[i], w, size, (int32_t)input, err) < 0) return -1;
    }
    return 0;
}

static int read_profiled(const struct yaml_file *file, const struct yaml_node *map, struct workload *w,
                         struct error *err)
{
    if (spec_keys(file, map, workload_sizes, WORKLOAD_SIZES, err) < 0) return -1;
    for (int size = 0; size < WORKLOAD_SIZES; size++) {
        const struct yaml_node *node = yaml_get(map, workload_sizes[size]);
        if (node && read_size_profiled(file, node, w, size, err) < 0) return -1;
    }
    return 0;
}

/* family: the recurrence's name; split: development, training or sealed. Both or neither. */
static int read_family(const struct yaml_file *file, const struct yaml_node *map, struct workload *w, struct error *err)
{
    char split[32] = "";
    if (spec_text(file, map, "family", false, w->family, sizeof w->family, err) < 0 ||
        spec_text(file, map, "split", false, split, sizeof split, err) < 0)
        return -1;
    while (w->split < WORKLOAD_SPLITS && strcmp(split, workload_splits[w->split]) != 0) w->split++;
    if (w->split == WORKLOAD_SPLITS)
        return yaml_error(file, yaml_get(map, "split"), err, "split '%s': choose development, training or sealed",
                          split);
    if (!*w->family != !*split) return yaml_error(file, map, err, "%s: family and split stand together", w->name);
    return 0;
}

static int read_workload(const struct yaml_file *file, const struct yaml_node *map, struct workload *w,
                         struct error *err)
{
    static const char *const keys[] = {"name", "suite", "set",       "program",  "profiled", "inputs",
                                       "doc",  "class", "benchmark", "launches", "family",   "split"};
    char set[32] = "";
    uint64_t max_launches = 0;
    if (spec_keys(file, map, keys, COUNT_OF(keys), err) < 0 ||
        spec_name(file, map, "name", w->name, sizeof w->name, err) < 0 ||
        spec_text(file, map, "suite", true, w->suite, sizeof w->suite, err) < 0 ||
        spec_text(file, map, "set", true, set, sizeof set, err) < 0 ||
        spec_name(file, map, "program", w->program, sizeof w->program, err) < 0 ||
        spec_text(file, map, "class", false, w->class, sizeof w->class, err) < 0 ||
        spec_text(file, map, "doc", false, w->doc, sizeof w->doc, err) < 0 ||
        (yaml_get(map, "benchmark") && spec_name(file, map, "benchmark", w->benchmark, sizeof w->benchmark, err) < 0) ||
        spec_u64(file, map, "launches", false, 1, UINT32_MAX, &max_launches, err) < 0)
        return -1;
    if (read_family(file, map, w, err) < 0) return -1;
    w->max_launches = (uint32_t)max_launches;
    if (!w->benchmark[0]) memcpy(w->benchmark, w->name, sizeof w->benchmark);
    while (w->set < WORKLOAD_SETS && strcmp(set, workload_sets[w->set]) != 0) w->set++;
    if (w->set == WORKLOAD_SETS)
        return yaml_error(file, yaml_get(map, "set"), err, "set '%s': choose training, evaluation, further or variant",
                          set);
    if (strchr(w->program, '/') || strchr(w->name, '/'))
        return yaml_error(file, map, err, "%s: name and program must not contain '/'", w->name);
    w->n_inputs = 1;
    w->inputs[0] = -1;
    const struct yaml_node *inputs = yaml_get(map, "inputs"), *profiled = yaml_get(map, "profiled");
    if (inputs) {
        int64_t numbers[NUMBERS_MAX];
        if (read_numbers(file, inputs, INT32_MAX, numbers, &w->n_inputs, err) < 0) return -1;
        if (w->n_inputs == 0 || w->n_inputs > COUNT_OF(w->inputs))
            return yaml_error(file, inputs, err, "%s: %zu inputs: 1 to %zu", w->name, w->n_inputs, COUNT_OF(w->inputs));
        for (size_t i = 0; i < w->n_inputs; i++) w->inputs[i] = (int32_t)numbers[i];
    }
    return profiled ? read_profiled(file, profiled, w, err) : 0;
}

static int read_registry(struct registry *out, const struct yaml_file *file, struct error *err)
{
    static const char *const keys[] = {"schema", "workloads"};
    uint64_t schema = 0;
    const struct yaml_node *root = yaml_root(file);
    if (spec_keys(file, root, keys, COUNT_OF(keys), err) < 0 ||
        spec_u64(file, root, "schema", true, 1, 1, &schema, err) < 0)
        return -1;
    const struct yaml_node *list = yaml_get(root, "workloads");
    if (!list || list->kind != YAML_LIST)
        return yaml_error(file, list ? list : root, err, "'workloads' must be a list");
    out->workloads = calloc(list->n + 1, sizeof *out->workloads);
    if (!out->workloads) return error_set(err, ERR_MEMORY, "out of memory for %zu workloads", list->n);
    for (size_t i = 0; i < list->n; i++) {
        out->n++; /* also of a workload that fails half-way: registry_fini frees it */
        if (read_workload(file, list->items[i], &out->workloads[i], err) < 0) return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(out->workloads[k].name, out->workloads[i].name) == 0)
                return yaml_error(file, list->items[i], err, "workload '%s' is given twice", out->workloads[i].name);
        for (size_t k = 0; k < i; k++)
            if (*out->workloads[i].family && strcmp(out->workloads[k].family, out->workloads[i].family) == 0 &&
                out->workloads[k].split != out->workloads[i].split)
                return yaml_error(
                    file, list->items[i], err,
                    "family '%s' is in split %s with %s and in split %s with %s: a family is in one split alone",
                    out->workloads[i].family, workload_splits[out->workloads[k].split], out->workloads[k].name,
                    workload_splits[out->workloads[i].split], out->workloads[i].name);
    }
    return 0;
}

int registry_parse(struct registry *out, const char *name, const char *text, size_t size, struct error *err)
{
    struct yaml_file *file;
    *out = (struct registry){0};
    if (yaml_parse(&file, name, text, size, err) < 0) return -1;
    const int result = read_registry(out, file, err);
    if (result < 0) registry_fini(out);
    yaml_file_free(file);
    return result;
}

void own_workloads_fini(struct own_workloads *workloads)
{
    for (size_t i = 0; i < workloads->n; i++) free(workloads->items[i]);
    free(workloads->items);
    *workloads = (struct own_workloads){0};
}

void registry_fini(struct registry *registry)
{
    for (size_t i = 0; i < registry->n; i++) {
        free(registry->workloads[i].profiled);
        free(registry->workloads[i].of_suite);
    }
    free(registry->workloads);
    own_workloads_fini(&registry->own);
    *registry = (struct registry){0};
}

const char *workload_family(const struct workload *w) { return *w->family ? w->family : w->name; }

bool workload_is_meant(const struct workload *w, const char *pattern, int size)
{
    if (!strpbrk(pattern, "*?[")) return strcmp(pattern, w->name) == 0;
    if (w->split == SPLIT_SEALED || w->set == WORKLOAD_VARIANT || fnmatch(pattern, w->name, FNM_PATHNAME) != 0)
        return false;
    if (w->of_suite) return true;
    for (size_t i = 0; i < w->n_profiled; i++)
        if (w->profiled[i].size == size) return true;
    return false;
}

/* All launches of a suite's program, or those that its file names. */
static bool is_profiled_in_suite(const struct suite_program *p, uint32_t launch)
{
    for (size_t i = 0; i < p->n_launches; i++)
        if (p->launches[i] == launch) return true;
    return p->n_launches == 0;
}

bool workload_is_profiled(const struct workload *w, int size, int32_t input, uint32_t launch)
{
    if (w->of_suite) return is_profiled_in_suite(&w->of_suite->program, launch);
    for (size_t i = 0; i < w->n_profiled; i++) {
        const struct profiled_launch *p = &w->profiled[i];
        if (p->size == size && p->launch == launch && (p->input == -1 || p->input == input)) return true;
    }
    return false;
}

int launches_add(struct launches *list, const struct launch *launch, struct error *err)
{
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 32;
        struct launch *items = realloc(list->items, capacity * sizeof *items);
        if (!items) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", capacity);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = *launch;
    return 0;
}

void launches_cap(struct launches *list, uint64_t cap)
{
    size_t kept = 0;
    uint64_t before = 0;
    const struct workload *workload = NULL;
    int32_t input = -1;
    for (size_t i = 0; cap && i < list->n; i++) {
        const struct launch *l = &list->items[i];
        if (l->workload != workload || l->input != input) before = 0;
        workload = l->workload;
        input = l->input;
        const uint64_t upto = before + l->warp_insts;
        if (before < cap) memmove(&list->items[kept++], l, sizeof *l);
        before = upto;
    }
    if (cap) list->n = kept;
}

uint64_t launches_left(const struct launches *list, size_t launch, uint64_t cap)
{
    const struct launch *at = &list->items[launch];
    uint64_t before = 0;
    /* the cap is reached in a program's last launch alone */
    if (cap == 0 || (launch + 1 < list->n && is_same_benchmark(at, at + 1))) return 0;
    for (size_t i = launch; i-- > 0 && is_same_benchmark(at, &list->items[i]);) before += list->items[i].warp_insts;
    return before < cap && before + at->warp_insts > cap ? cap - before : 0;
}

void launches_fini(struct launches *list)
{
    free(list->items);
    *list = (struct launches){0};
}
