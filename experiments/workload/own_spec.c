/* {trace: ..}, {program: ..} and {name: .., synth: {pattern: ..}} of a spec -> struct own_kernel. */
#include <string.h>
#include "poise/own_kernel.h"
#include "poise/spec_format.h"
#include "workload/spec_read.h"

bool own_kernel_is(const struct yaml_node *node)
{
    return yaml_get(node, "trace") || yaml_get(node, "program") ||
           (yaml_get(node, "synth") && yaml_get(yaml_get(node, "synth"), "pattern"));
}

/* Where a node stands, for complaints that come when its files are opened. */
static void keep_place(struct own_kernel *out, const struct yaml_file *file, const struct yaml_node *node)
{
    snprintf(out->file, sizeof out->file, "%s", yaml_name(file));
    out->line = node->line;
    out->column = node->column;
}

static int add_argument(struct own_kernel *out, const char *text)
{
    const size_t n = strlen(text) + 1;
    if (out->args_size + n > sizeof out->args) return -1;
    memcpy(out->args + out->args_size, text, n);
    out->args_size += n;
    out->n_args++;
    return 0;
}

/* Groups are columns of CSV files and names in reports. */
static int read_benchmark(struct own_kernel *out, const struct yaml_file *file, const struct yaml_node *map,
                          struct error *err)
{
    if (!yaml_get(map, "benchmark")) return 0;
    return spec_name(file, map, "benchmark", out->benchmark, sizeof out->benchmark, err);
}

static int read_arguments(struct own_kernel *out, const struct yaml_file *file, const struct yaml_node *node,
                          struct error *err)
{
    const char *texts[128];
    size_t n = 0;
    if (node && spec_texts(file, node, texts, COUNT_OF(texts), &n, err) < 0) return -1;
    for (size_t i = 0; i < n; i++)
        if (add_argument(out, texts[i]) < 0)
            return yaml_error(file, node, err, "args: at most %zu bytes of arguments", sizeof out->args);
    return 0;
}

static int read_launches(struct own_kernel *out, const struct yaml_file *file, const struct yaml_node *node,
                         struct error *err)
{
    if (!node) return 0;
    if (node->kind != YAML_LIST || node->n == 0 || node->n > OWN_LAUNCHES_MAX)
        return yaml_error(file, node, err, "launches: a list of 1 to %d launch numbers of the program",
                          OWN_LAUNCHES_MAX);
    for (size_t i = 0; i < node->n; i++) {
        int64_t number;
        if (spec_whole(file, node->items[i], 0, INT32_MAX, &number, err) < 0) return -1;
        out->launches[out->n_launches++] = (uint32_t)number;
    }
    return 0;
}

/* Values of a list are those of the streams. */
static int read_knob(struct own_kernel *out, const struct yaml_file *file, const char *name,
                     const struct yaml_node *node, struct error *err)
{
    const char *texts[PATTERN_STREAMS_MAX];
    char value[256];
    size_t n = 0, used = 0;
    struct error inner;
    if (spec_texts(file, node, texts, COUNT_OF(texts), &n, err) < 0) return -1;
    for (size_t i = 0; i < n && used < sizeof value; i++)
        used += (size_t)snprintf(value + used, sizeof value - used, "%s%s", i ? "," : "", texts[i]);
    if (n == 0 || used >= sizeof value)
        return yaml_error(file, node, err, "%s: a value, or one a stream, is needed here", name);
    return pattern_set(&out->pattern, name, value, &inner) < 0 ? yaml_error(file, node, err, "%s", inner.text) : 0;
}

static int read_pattern(struct own_kernel *out, const struct yaml_file *file, const struct yaml_node *map,
                        struct error *err)
{
    const struct yaml_node *knobs = yaml_get(map, "synth");
    struct error inner;
    out->is_pattern = true;
    pattern_defaults(&out->pattern);
    if (spec_check(file, map, &spec_format_kernels, "synth: ", err) < 0 ||
        spec_name(file, map, "name", out->path, sizeof out->benchmark, err) < 0)
        return -1;
    if (yaml_get(map, "size"))
        return yaml_error(file, yaml_get(map, "size"), err, "a pattern has no sizes: blocks, warps and loads say it");
    for (size_t i = 0; i < knobs->n; i++)
        if (read_knob(out, file, knobs->keys[i], knobs->items[i], err) < 0) return -1;
    if (pattern_check(&out->pattern, &inner) < 0) return yaml_error(file, knobs, err, "%s", inner.text);
    return 0;
}

int own_kernel_read(struct own_kernel *out, const struct yaml_file *file, const struct yaml_node *map,
                    struct error *err)
{
    *out = (struct own_kernel){.is_program = yaml_get(map, "program") != NULL};
    keep_place(out, file, map);
    if (yaml_get(map, "synth")) return read_pattern(out, file, map, err) < 0 ? -1 : read_benchmark(out, file, map, err);
    if (spec_check(file, map, &spec_format_kernels, out->is_program ? "program: " : "trace: ", err) < 0) return -1;
    const char *key = out->is_program ? "program" : "trace";
    if (spec_text(file, map, key, true, out->path, sizeof out->path, err) < 0) return -1;
    if (!out->path[0]) return yaml_error(file, yaml_get(map, key), err, "'%s' is empty", key);
    return read_benchmark(out, file, map, err) < 0 || read_arguments(out, file, yaml_get(map, "args"), err) < 0
               ? -1
               : read_launches(out, file, yaml_get(map, "launches"), err);
}

static int set_path(struct own_kernel *out, const char *path, struct error *err)
{
    if (strlen(path) >= sizeof out->path) return error_set(err, ERR_USAGE, "%.60s...: this path is too long", path);
    snprintf(out->path, sizeof out->path, "%s", path);
    return 0;
}

int own_kernel_trace(struct own_kernel *out, const char *path, struct error *err)
{
    *out = (struct own_kernel){.is_program = false};
    return set_path(out, path, err);
}

int own_kernel_program(struct own_kernel *out, const char *path, const char *const *args, size_t n_args,
                       struct error *err)
{
    *out = (struct own_kernel){.is_program = true};
    for (size_t i = 0; i < n_args; i++)
        if (add_argument(out, args[i]) < 0)
            return error_set(err, ERR_USAGE, "%s: at most %zu bytes of arguments", path, sizeof out->args);
    return set_path(out, path, err);
}
