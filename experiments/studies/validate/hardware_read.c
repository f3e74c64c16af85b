/* hardware.yaml -> struct hardware. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "poise/file.h"
#include "poise/hardware.h"
#include "poise/spec_format.h"
#include "workload/spec_read.h"

static int read_arguments(struct suite_arguments *out, const struct yaml_file *file, const struct yaml_node *node,
                          struct error *err)
{
    const char *texts[128];
    size_t n = 0;
    if (!node) return 0;
    out->is_given = true;
    if (spec_texts(file, node, texts, COUNT_OF(texts), &n, err) < 0) return -1;
    for (size_t i = 0; i < n; i++)
        if (suite_arguments_add(out, texts[i]) < 0)
            return yaml_error(file, node, err, "arguments: at most %zu bytes of arguments", sizeof out->text);
    return 0;
}

static int read_launches(struct hardware_row *r, const struct yaml_file *file, const struct yaml_node *node,
                         struct error *err)
{
    if (!node) return 0;
    if (node->kind != YAML_LIST || node->n == 0 || node->n > HARDWARE_LAUNCHES_MAX)
        return yaml_error(file, node, err, "launches: a list of 1 to %d launch numbers", HARDWARE_LAUNCHES_MAX);
    for (size_t i = 0; i < node->n; i++) {
        int64_t number;
        if (spec_whole(file, node->items[i], 0, INT32_MAX, &number, err) < 0) return -1;
        for (size_t k = 0; k < r->n_launches; k++)
            if (r->launches[k] == (uint32_t)number)
                return yaml_error(file, node->items[i], err, "launches: %lld is given twice", (long long)number);
        r->launches[r->n_launches++] = (uint32_t)number;
    }
    return 0;
}

static int read_value(struct hardware_row *r, const struct yaml_file *file, const struct yaml_node *map, size_t i,
                      struct error *err)
{
    const char *name = map->keys[i];
    double value = NAN;
    if (spec_f64(file, map, name, 0, 1e18, &value, err) < 0) return -1;
    if (strcmp(name, "cycles") == 0) {
        if (!(value > 0)) return yaml_error(file, map->items[i], err, "cycles: a number above 0 is needed");
        r->cycles = value;
        return 0;
    }
    if (!hardware_has_counter(name)) {
        yaml_error(file, map->items[i], err, "measured: no counter '%.80s'%s", name, hardware_near_counter(name).text);
        return error_at(err, yaml_name(file), map->items[i]->line, -1,
                        "'poise validate --counters' and 'poise stats' list counters");
    }
    struct hardware_measured *m = &r->measured[r->n_measured++];
    snprintf(m->name, sizeof m->name, "%s", name);
    m->value = value;
    return 0;
}

static int read_measured(struct hardware_row *r, const struct yaml_file *file, const struct yaml_node *row,
                         struct error *err)
{
    const struct yaml_node *map = yaml_get(row, "measured");
    r->cycles = NAN;
    if (!map || map->kind != YAML_MAP || map->n == 0)
        return yaml_error(file, map ? map : row, err, "measured: a map of counters and numbers is needed");
    r->measured = calloc(map->n, sizeof *r->measured);
    if (!r->measured) return error_set(err, ERR_MEMORY, "out of memory for %zu counters", map->n);
    for (size_t i = 0; i < map->n; i++)
        if (read_value(r, file, map, i, err) < 0) return -1;
    return 0;
}

static bool is_path(const char *program) { return *program == '/' || *program == '.'; }

static int read_row(struct hardware_row *r, const struct yaml_file *file, const struct yaml_node *map,
                    struct error *err)
{
    char fitted[8] = "false";
    r->line = map->line;
    r->column = map->column;
    if (spec_check(file, map, &spec_format_hardware, "rows.", err) < 0 ||
        spec_text(file, map, "program", true, r->program, sizeof r->program, err) < 0 ||
        spec_text(file, map, "kernel", false, r->kernel, sizeof r->kernel, err) < 0 ||
        spec_text(file, map, "size", false, r->size, sizeof r->size, err) < 0 ||
        spec_text(file, map, "fitted", false, fitted, sizeof fitted, err) < 0)
        return -1;
    if (strcmp(fitted, "true") != 0 && strcmp(fitted, "false") != 0)
        return yaml_error(file, yaml_get(map, "fitted"), err, "fitted: true or false is needed");
    r->is_fitted = strcmp(fitted, "true") == 0;
    if (!*r->program) return yaml_error(file, yaml_get(map, "program"), err, "program: a name or a path is needed");
    const bool is_ours = !is_path(r->program) && !strchr(r->program, '/');
    if (is_ours && yaml_get(map, "arguments"))
        return yaml_error(file, yaml_get(map, "arguments"), err,
                          "arguments: '%s' is a workload, whose data 'size' says", r->program);
    if (is_path(r->program) && *r->size)
        return yaml_error(file, yaml_get(map, "size"), err, "size: '%s' is an executable; 'arguments' says its data",
                          r->program);
    if (*r->size && workload_size(r->size) < 0)
        return yaml_error(file, yaml_get(map, "size"), err, "size: '%s': choose test, small, eval or full", r->size);
    snprintf(r->name, sizeof r->name, "%.60s%s%.30s", r->program, *r->kernel ? " " : "", r->kernel);
    return spec_text(file, map, "name", false, r->name, sizeof r->name, err) < 0 ||
                   read_arguments(&r->arguments, file, yaml_get(map, "arguments"), err) < 0 ||
                   read_launches(r, file, yaml_get(map, "launches"), err) < 0
               ? -1
               : read_measured(r, file, map, err);
}

static int read_hardware(struct hardware *out, const struct yaml_file *file, struct error *err)
{
    const struct yaml_node *root = yaml_root(file);
    if (spec_begin(file, &spec_format_hardware, err) < 0 ||
        spec_text(file, root, "gpu", true, out->gpu, sizeof out->gpu, err) < 0 ||
        spec_text(file, root, "machine", true, out->machine, sizeof out->machine, err) < 0 ||
        spec_text(file, root, "source", false, out->source, sizeof out->source, err) < 0)
        return -1;
    const struct yaml_node *list = yaml_get(root, "rows");
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_error(file, list ? list : root, err, "'rows' must be a list with at least one row");
    out->rows = calloc(list->n, sizeof *out->rows);
    if (!out->rows) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", list->n);
    for (size_t i = 0; i < list->n; i++) {
        out->n++;
        if (read_row(&out->rows[i], file, list->items[i], err) < 0) return -1;
        for (size_t k = 0; k < i; k++)
            if (strcmp(out->rows[k].name, out->rows[i].name) == 0)
                return yaml_error(file, list->items[i], err, "a row '%s' is at line %d already; give each a 'name'",
                                  out->rows[i].name, out->rows[k].line);
    }
    return 0;
}

int hardware_parse(struct hardware *out, const char *name, const char *text, size_t size, struct error *err)
{
    struct yaml_file *file;
    *out = (struct hardware){0};
    if (yaml_parse(&file, name, text, size, err) < 0) return -1;
    snprintf(out->file, sizeof out->file, "%s", name);
    const int result = read_hardware(out, file, err);
    yaml_file_free(file);
    if (result < 0) hardware_fini(out);
    return result;
}

int hardware_load(struct hardware *out, const char *path, struct error *err)
{
    char file[4200], *text;
    size_t size;
    struct stat st;
    *out = (struct hardware){0};
    snprintf(file, sizeof file, stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? "%.4000s/hardware.yaml" : "%.4000s",
             path);
    if (file_read(&text, &size, file, err) < 0) return -1;
    const int result = hardware_parse(out, file, text, size, err);
    free(text);
    return result;
}

void hardware_fini(struct hardware *hardware)
{
    for (size_t i = 0; i < hardware->n; i++) free(hardware->rows[i].measured);
    free(hardware->rows);
    *hardware = (struct hardware){0};
}

/* _Z10findRangeKl.. and _ZN3abc5thingE..: the last name before the arguments. */
static bool has_source_name(const char *kernel, const char *wanted)
{
    if (strncmp(kernel, "_Z", 2) != 0) return false;
    const char *at = kernel + 2, *name = NULL;
    size_t length = 0;
    const bool is_nested = *at == 'N';
    if (is_nested) at++;
    do {
        char *end;
        const unsigned long n = strtoul(at, &end, 10);
        if (end == at || n == 0 || n > strlen(end)) break;
        name = end, length = n;
        at = end + n;
    } while (is_nested);
    return name && strlen(wanted) == length && strncmp(name, wanted, length) == 0;
}

bool hardware_is_kernel(const char *kernel, const char *wanted)
{
    return !*wanted || strcmp(kernel, wanted) == 0 || fnmatch(wanted, kernel, 0) == 0 ||
           has_source_name(kernel, wanted);
}
