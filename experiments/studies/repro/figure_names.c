/* What the names in a figure mean: what it and its file say, and the workloads, programs and families of benchmarks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/validate.h"
#include "studies/repro/figure.h"

/* ---- what a figure and its file say, as everybody who reads them asks for it ---- */

/* A variable's text in place of $NAME, of which the longest name counts; *at moves behind it. */
static const char *variable(const struct figure_scope *s, const char **at)
{
    size_t longest = 0, found = 0;
    for (size_t i = 0; i < s->n_vars; i++) {
        const size_t n = strlen(s->vars[i].name);
        if (n >= longest && n > 0 && strncmp(s->vars[i].name, *at + 1, n) == 0) longest = n, found = i;
    }
    if (longest == 0) return NULL;
    *at += longest + 1;
    return s->vars[found].text;
}

int figure_text(const struct figure_scope *s, const struct yaml_node *node, char *out, size_t size)
{
    size_t used = 0;
    if (node->kind != YAML_SCALAR) return figure_complain(s, node, "a text is needed here");
    for (const char *at = node->text; *at;) {
        const char *part = *at == '$' && at[1] != '{' ? variable(s, &at) : NULL;
        if (*at == '$' && at[1] != '{' && !part)
            return figure_complain(s, node, "'$' names a list of 'each' around this item, as in $point");
        const size_t n = part ? strlen(part) : 1;
        if (used + n + 1 > size) return figure_complain(s, node, "this text is too long");
        memcpy(out + used, part ? part : at++, n);
        used += n;
    }
    out[used] = '\0';
    return 0;
}

int figure_complain(const struct figure_scope *s, const struct yaml_node *node, const char *what)
{
    return yaml_error(s->file, node, s->err, "%s", what);
}

const struct yaml_node *figure_entry(const struct figure_scope *s, const char *map, const char *name)
{
    const struct yaml_node *own = yaml_get(yaml_get(s->figure, map), name);
    return own ? own : yaml_get(yaml_get(s->root, map), name);
}

const struct yaml_node *figure_setting(const struct figure_scope *s, const char *key)
{
    const struct yaml_node *own = yaml_get(s->figure, key);
    return own ? own : yaml_get(s->root, key);
}

/* ---- benchmarks ---- */

static bool is_named(const struct repro_data *data, size_t b, const char *name, size_t length)
{
    return strlen(data->benchmarks[b].name) == length && memcmp(data->benchmarks[b].name, name, length) == 0;
}

size_t figure_find(const struct repro_data *data, const char *names)
{
    while (*names) {
        const size_t length = strcspn(names, "|");
        for (size_t b = 0; b < data->n; b++)
            if (is_named(data, b, names, length)) return b;
        names += length + (names[length] == '|');
    }
    return data->n;
}

const char *figure_program(const struct figure_scope *s, size_t b)
{
    const struct repro_benchmark *of = &s->data->benchmarks[b];
    const char *name = of->workload ? of->workload->name : of->name;
    const struct yaml_node *other = yaml_get(figure_setting(s, "programs"), name);
    return other && other->kind == YAML_SCALAR ? other->text : name;
}

const char *figure_family_of(const struct figure_scope *s, size_t b)
{
    const struct repro_benchmark *of = &s->data->benchmarks[b];
    return of->workload ? workload_family(of->workload) : of->name;
}

int repro_families(struct groups *out, const struct repro_data *data, struct error *err)
{
    const char **names = calloc(data->n + 1, sizeof *names);
    if (!names) return error_set(err, ERR_MEMORY, "out of memory for the families of %zu benchmarks", data->n);
    for (size_t i = 0; i < data->n; i++) names[i] = figure_family_of(&(struct figure_scope){.data = data}, i);
    const int result = groups_init(out, names, data->n, err);
    free(names);
    return result;
}

void repro_bootstrap(const struct groups *groups, repro_statistic *statistic, void *context, double ci[2])
{
    const struct bootstrap plan = {.groups = groups, .replicates = 2000, .level = 0.95, .seed = 1};
    struct error ignored;
    if (bootstrap_interval(&plan, statistic, context, ci, &ignored) < 0) ci[0] = ci[1] = NAN;
}
