/* Kernels of a spec: names, globs, sizes, launches and inputs; and synthetic ones by their knobs. */
#include "studies/sweep/sweep_kernels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common/knob.h"
#include "others/synth/knobs.h"
#include "poise/number.h"
#include "poise/spec_format.h"
#include "poise/table.h"
#include "workload/spec_read.h"

int spec_size(const struct yaml_file *file, const struct yaml_node *map, int *out, struct error *err)
{
    char text[16] = "";
    if (spec_text(file, map, "size", false, text, sizeof text, err) < 0) return -1;
    if (*text && (*out = workload_size(text)) < 0)
        return yaml_error(file, yaml_get(map, "size"), err, "size '%s': choose test, small, eval or full", text);
    return 0;
}

int spec_limits(const struct yaml_file *file, const struct yaml_node *map, struct gpu_limits *out, struct error *err)
{
    if (!map) return 0;
    return spec_check(file, map, &spec_format_limits, "", err) < 0 ||
                   spec_u64(file, map, "max_cycles", false, 1, INT64_MAX, &out->max_cycles, err) < 0 ||
                   spec_u64(file, map, "max_insts", false, 1, INT64_MAX, &out->max_insts, err) < 0 ||
                   spec_f64(file, map, "early_end", 1e-6, 0.5, &out->early_end, err) < 0
               ? -1
               : 0;
}

static int read_list(const struct yaml_file *file, const struct yaml_node *node, int64_t max, int64_t out[64],
                     size_t *n, struct error *err)
{
    if (node->kind != YAML_LIST || node->n == 0 || node->n > 64)
        return yaml_error(file, node, err, "a list of 1 to 64 whole numbers is needed here");
    *n = node->n;
    for (size_t i = 0; i < node->n; i++)
        if (spec_whole(file, node->items[i], 0, max, &out[i], err) < 0) return -1;
    return 0;
}

#define K(id, ...) id,
enum { SYNTH_KNOBS(K) N_KNOBS };
#undef K
#define K(id, ...) [id] = {__VA_ARGS__},
static const struct wl_knob synth_knobs[N_KNOBS] = {SYNTH_KNOBS(K)};
#undef K
#define K(id, name, ...) name,
static const char *const knob_names[N_KNOBS] = {SYNTH_KNOBS(K)};
#undef K

/* The values of one knob of the map, or what the program has without it. */
static int read_knob(const struct yaml_file *file, const struct yaml_node *map, const struct wl_knob *knob,
                     uint32_t out[WL_KNOB_VALUES_MAX], size_t *n, struct error *err)
{
    const struct yaml_node *node = yaml_get(map, knob->name);
    *n = 1;
    out[0] = knob->value;
    if (!node || node->kind == YAML_MAP) return 0;
    const bool is_list = node->kind == YAML_LIST;
    if (is_list && node->n > WL_KNOB_VALUES_MAX)
        return yaml_error(file, node, err, "%s: at most %d values, one a phase", knob->name, WL_KNOB_VALUES_MAX);
    *n = is_list ? node->n : 1;
    for (size_t i = 0; i < *n; i++) {
        const struct yaml_node *value = is_list ? node->items[i] : node;
        uint64_t v = 0;
        if (value->kind != YAML_SCALAR || !whole_parse(value->text, knob->min, knob->max, &v))
            return yaml_error(file, value, err, "%s: a whole number from %u to %u is needed here", knob->name,
                              knob->min, knob->max);
        out[i] = (uint32_t)v;
    }
    return 0;
}

static int check_knobs(const struct yaml_file *file, const struct yaml_node *map, struct error *err)
{
    uint32_t values[N_KNOBS][WL_KNOB_VALUES_MAX];
    size_t n[N_KNOBS];
    if (spec_keys(file, map, knob_names, N_KNOBS, err) < 0) return -1;
    for (size_t k = 0; k < N_KNOBS; k++)
        if (read_knob(file, map, &synth_knobs[k], values[k], &n[k], err) < 0) return -1;
    for (uint32_t i = 0; i < values[PHASES][0]; i++) {
        const uint32_t lines = values[DIVERGENCE][i % n[DIVERGENCE]], distance = values[DISTANCE][i % n[DISTANCE]],
                       set = values[WORKING_SET][i % n[WORKING_SET]];
        if (!SYNTH_PHASE_KEEPS_RULE(lines, distance, set))
            return yaml_error(file, map, err, SYNTH_PHASE_RULE, i, distance, lines, set);
    }
    return 0;
}

/* synth: {divergence: 8, distance: [16, 4]}: a list has a value for each phase. */
static int read_knobs(const struct yaml_file *file, const struct yaml_node *map, char *out, size_t size,
                      struct error *err)
{
    size_t used = 0;
    if (map->kind != YAML_MAP || map->n == 0 || map->n > WL_KNOBS_MAX)
        return yaml_error(file, map, err,
                          "synth: one to 16 knobs of the synthetic kernel, as in {divergence: 8, reuse: 4}");
    for (size_t i = 0; i < map->n; i++) {
        const struct yaml_node *node = map->items[i];
        const size_t n = node->kind == YAML_LIST ? node->n : 1;
        if (node->kind == YAML_MAP || n == 0)
            return yaml_error(file, node, err, "%s: a number or a list of numbers is needed here", map->keys[i]);
        for (size_t k = 0; k < n; k++) {
            const struct yaml_node *value = node->kind == YAML_LIST ? node->items[k] : node;
            if (value->kind != YAML_SCALAR || strpbrk(value->text, " ,="))
                return yaml_error(file, value, err, "%s: a number is needed here", map->keys[i]);
            if (k == 0)
                used += (size_t)snprintf(out + used, size - used, "%s%s=%s", i ? " " : "", map->keys[i], value->text);
            else used += (size_t)snprintf(out + used, size - used, ",%s", value->text);
            if (used >= size)
                return yaml_error(file, value, err, "synth: these knobs are too long: at most %zu characters",
                                  size - 1);
        }
    }
    return check_knobs(file, map, err);
}

static int read_synth(const struct yaml_file *file, const struct yaml_node *node, struct selection *out,
                      struct error *err)
{
    struct workload *w = out->synth = calloc(1, sizeof *w);
    if (!w) return error_set(err, ERR_MEMORY, "out of memory for a synthetic kernel");
    *w = (struct workload){
        .suite = "synthetic", .program = "synth", .set = WORKLOAD_FURTHER, .inputs = {-1}, .n_inputs = 1};
    if (spec_check(file, node, &spec_format_kernels, "synth: ", err) < 0 ||
        spec_name(file, node, "name", w->name, sizeof w->name, err) < 0 ||
        (yaml_get(node, "benchmark") &&
         spec_name(file, node, "benchmark", w->benchmark, sizeof w->benchmark, err) < 0) ||
        spec_size(file, node, &out->size, err) < 0)
        return -1;
    if (!w->benchmark[0]) memcpy(w->benchmark, w->name, sizeof w->benchmark);
    out->pattern = w->name;
    return read_knobs(file, yaml_get(node, "synth"), w->knobs, sizeof w->knobs, err);
}

static int read_own(const struct yaml_file *file, const struct yaml_node *node, struct selection *out,
                    struct error *err)
{
    out->own = calloc(1, sizeof *out->own);
    return out->own ? own_kernel_read(out->own, file, node, err)
                    : error_set(err, ERR_MEMORY, "out of memory for a kernel");
}

static int read_selection(const struct yaml_file *file, const struct yaml_node *node, int size, struct selection *out,
                          struct error *err)
{
    int64_t numbers[64];
    out->size = size;
    out->node = node;
    if (node->kind == YAML_SCALAR) {
        out->pattern = node->text;
        return 0;
    }
    if (own_kernel_is(node)) return read_own(file, node, out, err);
    if (yaml_get(node, "synth")) return read_synth(file, node, out, err);
    if (spec_check(file, node, &spec_format_kernels, "name: ", err) < 0 || spec_size(file, node, &out->size, err) < 0)
        return -1;
    const struct yaml_node *name = yaml_get(node, "name"), *launches = yaml_get(node, "launches"),
                           *inputs = yaml_get(node, "inputs");
    if (!name || name->kind != YAML_SCALAR)
        return yaml_error(file, name ? name : node, err, "'name' is missing: a kernel or a glob");
    out->pattern = name->text;
    if (launches && launches->kind == YAML_SCALAR) {
        out->profiled_only = strcmp(launches->text, "profiled") == 0;
        if (!out->profiled_only && strcmp(launches->text, "all") != 0)
            return yaml_error(file, launches, err, "launches: a list of indices, profiled or all");
    } else if (launches) {
        if (read_list(file, launches, UINT32_MAX, numbers, &out->n_indices, err) < 0) return -1;
        for (size_t i = 0; i < out->n_indices; i++) out->indices[i] = (uint32_t)numbers[i];
    }
    if (inputs) {
        if (read_list(file, inputs, INT32_MAX, numbers, &out->n_inputs, err) < 0) return -1;
        for (size_t i = 0; i < out->n_inputs; i++) out->inputs[i] = (int32_t)numbers[i];
    }
    return 0;
}

/* What is written twice; patterns may overlap, and what two of them name is taken once. */
static bool is_same_selection(const struct selection *a, const struct selection *b)
{
    if (a->own || b->own)
        return a->own && b->own && strcmp(a->own->path, b->own->path) == 0 &&
               strcmp(a->own->benchmark, b->own->benchmark) == 0 && a->own->args_size == b->own->args_size &&
               memcmp(a->own->args, b->own->args, a->own->args_size) == 0 && a->own->n_launches == b->own->n_launches &&
               memcmp(a->own->launches, b->own->launches, a->own->n_launches * sizeof *a->own->launches) == 0;
    return strcmp(a->pattern, b->pattern) == 0 && a->size == b->size && a->profiled_only == b->profiled_only &&
           a->n_inputs == b->n_inputs && memcmp(a->inputs, b->inputs, a->n_inputs * sizeof *a->inputs) == 0 &&
           a->n_indices == b->n_indices && memcmp(a->indices, b->indices, a->n_indices * sizeof *a->indices) == 0;
}

int selections_read(struct selections *out, const struct yaml_file *file, const struct yaml_node *root, const char *key,
                    int size, struct error *err)
{
    const struct yaml_node *list = yaml_get(root, key);
    *out = (struct selections){0};
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_error(file, list ? list : root, err,
                          "'%s' must be a list of names, globs or {name, size, launches, inputs}, {trace, benchmark}, "
                          "{program, args, benchmark} or {name, synth, benchmark}",
                          key);
    out->items = calloc(list->n, sizeof *out->items);
    if (!out->items) return error_set(err, ERR_MEMORY, "out of memory for %zu kernels", list->n);
    out->file = file;
    for (size_t i = 0; i < list->n; i++) {
        out->n++; /* also of one that fails half-way: selections_fini frees it */
        if (read_selection(file, list->items[i], size, &out->items[i], err) < 0) return -1;
        for (size_t k = 0; k < i; k++)
            if (is_same_selection(&out->items[k], &out->items[i]))
                return yaml_error(file, list->items[i], err, "kernel '%s' is in the list twice",
                                  out->items[i].own ? out->items[i].own->path : out->items[i].pattern);
    }
    return 0;
}

void selections_fini(struct selections *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->items[i].synth);
        free(s->items[i].own);
    }
    free(s->items);
    own_workloads_fini(&s->workloads);
    *s = (struct selections){0};
}

/* All of the user's own at once, so that those of one benchmark stand together. */
static int own_selections(struct selections *selections, const struct registry *registry, const struct lab_paths *paths,
                          struct launches *out, struct error *err)
{
    size_t n = 0;
    struct own_kernel *kernels = calloc(selections->n + 1, sizeof *kernels);
    if (!kernels) return error_set(err, ERR_MEMORY, "out of memory for %zu kernels", selections->n);
    for (size_t i = 0; i < selections->n; i++)
        if (selections->items[i].own) kernels[n++] = *selections->items[i].own;
    const int result = own_launches(out, &selections->workloads, kernels, n, WORKLOAD_FURTHER, registry, paths, err);
    free(kernels);
    return result;
}

/* A kernel or a launch that there is not, at its place in the spec. */
static int at_selection(const struct yaml_file *file, const struct yaml_node *node, struct error *err)
{
    const struct error inner = *err;
    if (inner.code != ERR_INPUT && inner.code != ERR_USAGE) return -1;
    yaml_error(file, node, err, "%s", inner.text);
    return error_at(err, NULL, err->line, err->byte, *inner.hint ? inner.hint : NULL);
}

/* Of those behind `before`, what an earlier selection has already goes: patterns may overlap. */
static void drop_repeated(struct launches *all, size_t before)
{
    size_t kept = before;
    for (size_t i = before; i < all->n; i++) {
        const struct launch *l = &all->items[i];
        size_t k = 0;
        while (k < before && (all->items[k].index != l->index || all->items[k].size != l->size ||
                              !is_same_benchmark(&all->items[k], l)))
            k++;
        if (k == before) all->items[kept++] = *l;
    }
    all->n = kept;
}

int selections_launches(struct selections *selections, const struct registry *registry, const struct lab_paths *paths,
                        struct launches *out, struct error *err)
{
    for (size_t i = 0; i < selections->n; i++) {
        const struct selection *s = &selections->items[i];
        const size_t before = out->n;
        if (s->own) continue;
        if (s->synth) {
            if (workload_launches(out, paths, s->synth, s->size, -1, err) < 0) return -1;
            continue;
        }
        if (select_launches(out, registry, paths, s->pattern, s->size, s->inputs, s->n_inputs, s->indices, s->n_indices,
                            s->profiled_only, err) < 0)
            return at_selection(selections->file, s->node, err);
        drop_repeated(out, before);
    }
    return own_selections(selections, registry, paths, out, err);
}
