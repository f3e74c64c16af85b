/* Kernels of a spec: names, globs, sizes, launches and inputs. */
#include "sweep_kernels.h"

#include <stdlib.h>
#include <string.h>
#include "spec_read.h"

int spec_size(const struct yaml_file *file, const struct yaml_node *map, int *out, struct error *err)
{
    char text[16] = "";
    if (spec_text(file, map, "size", false, text, sizeof text, err) < 0) return -1;
    if (*text && (*out = workload_size(text)) < 0)
        return yaml_error(file, yaml_get(map, "size"), err, "size '%s': choose test, small or full", text);
    return 0;
}

int spec_limits(const struct yaml_file *file, const struct yaml_node *map, struct gpu_limits *out, struct error *err)
{
    static const char *const keys[] = {"max_cycles", "max_insts", "early_end"};
    if (!map) return 0;
    return spec_keys(file, map, keys, COUNT_OF(keys), err) < 0 || spec_u64(file, map, "max_cycles", false, 1, INT64_MAX, &out->max_cycles, err) < 0 ||
                   spec_u64(file, map, "max_insts", false, 1, INT64_MAX, &out->max_insts, err) < 0 ||
                   spec_f64(file, map, "early_end", 1e-6, 0.5, &out->early_end, err) < 0 ? -1 : 0;
}

static int read_list(const struct yaml_file *file, const struct yaml_node *node, int64_t max, int64_t out[64], size_t *n, struct error *err)
{
    if (node->kind != YAML_LIST || node->n == 0 || node->n > 64)
        return yaml_error(file, node, err, "a list of 1 to 64 whole numbers is needed here");
    *n = node->n;
    for (size_t i = 0; i < node->n; i++)
        if (spec_whole(file, node->items[i], 0, max, &out[i], err) < 0) return -1;
    return 0;
}

static int read_selection(const struct yaml_file *file, const struct yaml_node *node, int size, struct selection *out, struct error *err)
{
    static const char *const keys[] = {"name", "size", "launches", "inputs"};
    int64_t numbers[64];
    out->size = size;
    if (node->kind == YAML_SCALAR) {
        out->pattern = node->text;
        return 0;
    }
    if (spec_keys(file, node, keys, COUNT_OF(keys), err) < 0 || spec_size(file, node, &out->size, err) < 0) return -1;
    const struct yaml_node *name = yaml_get(node, "name"), *launches = yaml_get(node, "launches"), *inputs = yaml_get(node, "inputs");
    if (!name || name->kind != YAML_SCALAR) return yaml_error(file, name ? name : node, err, "'name' is missing: a kernel or a glob");
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

int selections_read(struct selections *out, const struct yaml_file *file, const struct yaml_node *root, const char *key, int size,
                    struct error *err)
{
    const struct yaml_node *list = yaml_get(root, key);
    *out = (struct selections){0};
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_error(file, list ? list : root, err, "'%s' must be a list of names, globs or {name, size, launches, inputs}", key);
    out->items = calloc(list->n, sizeof *out->items);
    if (!out->items) return error_set(err, ERR_MEMORY, "out of memory for %zu kernels", list->n);
    for (size_t i = 0; i < list->n; i++, out->n++)
        if (read_selection(file, list->items[i], size, &out->items[i], err) < 0) return -1;
    return 0;
}

void selections_fini(struct selections *s)
{
    free(s->items);
    *s = (struct selections){0};
}

int selections_launches(const struct selections *selections, const struct registry *registry, const struct lab_paths *paths,
                        struct launches *out, struct error *err)
{
    for (size_t i = 0; i < selections->n; i++) {
        const struct selection *s = &selections->items[i];
        if (select_launches(out, registry, paths, s->pattern, s->size, s->inputs, s->n_inputs, s->indices, s->n_indices,
                            s->profiled_only, err) < 0)
            return -1;
    }
    return 0;
}
