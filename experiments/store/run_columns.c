#include "store/run_columns.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/gpu.h"
#include "poise/mech.h"
#include "poise/workload.h"

struct names {
    char **items;
    size_t n, capacity;
};
enum { CHANGES_SAID_MAX = 4 }; /* parameters that a machine's name tells; more are told in a table of machines */
struct machine {
    char key[HASH_TEXT_SIZE], name[72], *text;
    struct gpu_params *params, *preset; /* preset: of this name; NULL where there is none */
};
struct axis { /* a parameter in which machines differ */
    const struct gpu_param_group *group;
    const struct param_row *row;
    char name[128];
};
struct run_columns {
    struct lab_paths paths;
    struct machine *machines;
    size_t n_machines, cap_machines;
    struct axis *axes;
    size_t n_axes;
    struct names params;
    json_t *reserved; /* a set: column -> true */
    bool is_sorted;   /* machines, by key */
    bool has_names;   /* machines of several names */
};

static size_t names_find(const struct names *list, const char *name)
{
    size_t i = 0;
    while (i < list->n && strcmp(list->items[i], name) != 0) i++;
    return i;
}

static int names_add(struct names *list, const char *name, struct error *err)
{
    if (names_find(list, name) < list->n) return 0;
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 32;
        char **items = realloc(list->items, capacity * sizeof *items);
        if (!items) return error_set(err, ERR_MEMORY, "out of memory for columns");
        list->items = items;
        list->capacity = capacity;
    }
    if (!(list->items[list->n] = strdup(name))) return error_set(err, ERR_MEMORY, "out of memory for columns");
    list->n++;
    return 0;
}

static void names_fini(struct names *list)
{
    for (size_t i = 0; i < list->n; i++) free(list->items[i]);
    free(list->items);
}

int run_columns_new(struct run_columns **out, struct error *err)
{
    static const char *const fixed[] = {"key",     "trace",   "workload",  "kernel",    "size",     "input",
                                        "launch",  "mechs",   "limits",    "config",    "complete", "error",
                                        "message", "machine", "benchmark", "mechanism", "time_us",  "energy_j"};
    struct run_columns *c = *out = calloc(1, sizeof *c);
    if (!c) return error_set(err, ERR_MEMORY, "out of memory for columns");
    lab_paths_init(&c->paths);
    c->reserved = json_object();
    for (size_t i = 0; i < COUNT_OF(fixed); i++) run_columns_reserve(c, fixed[i]);
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++) run_columns_reserve(c, gpu_stat_table.rows[i].name);
    return 0;
}

void run_columns_free(struct run_columns *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->n_machines; i++) {
        gpu_params_free(c->machines[i].params);
        gpu_params_free(c->machines[i].preset);
        free(c->machines[i].text);
    }
    free(c->machines);
    free(c->axes);
    json_decref(c->reserved);
    names_fini(&c->params);
    free(c);
}

void run_columns_reserve(struct run_columns *c, const char *name)
{
    json_object_set_new(c->reserved, name, json_true());
}

/* ---- machines ---- */

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct machine *)a)->key, ((const struct machine *)b)->key);
}

static struct machine *machine_of(const struct run_columns *c, const char *key)
{
    struct machine wanted = {.text = NULL};
    if (!c->n_machines) return NULL;
    snprintf(wanted.key, sizeof wanted.key, "%s", key);
    if (c->is_sorted) return bsearch(&wanted, c->machines, c->n_machines, sizeof wanted, by_key);
    for (size_t i = 0; i < c->n_machines; i++)
        if (strcmp(c->machines[i].key, wanted.key) == 0) return &c->machines[i];
    return NULL;
}

bool run_columns_knows(const struct run_columns *c, const char *key) { return machine_of(c, key) != NULL; }

int run_columns_machine(struct run_columns *c, const char *key, const struct gpu_params *params, struct error *err)
{
    struct error none;
    if (machine_of(c, key)) return 0;
    if (c->n_machines == c->cap_machines) {
        const size_t capacity = c->cap_machines ? 2 * c->cap_machines : 16;
        struct machine *machines = realloc(c->machines, capacity * sizeof *machines);
        if (!machines) return error_set(err, ERR_MEMORY, "out of memory for %zu machines", capacity);
        c->machines = machines;
        c->cap_machines = capacity;
    }
    struct machine *m = &c->machines[c->n_machines];
    *m = (struct machine){.params = gpu_params_copy(params), .preset = gpu_params_new()};
    c->n_machines++;
    c->is_sorted = false;
    if (!m->params || !m->preset) return error_set(err, ERR_MEMORY, "out of memory for a machine");
    snprintf(m->key, sizeof m->key, "%s", key);
    json_t *json = gpu_params_json(params);
    const char *name = json_string_value(json_object_get(json, "name"));
    snprintf(m->name, sizeof m->name, "%s", name ? name : "");
    json_decref(json);
    if (strchr(m->name, '/') || gpu_params_load(m->preset, m->name, c->paths.configs, &none) < 0) {
        gpu_params_free(m->preset);
        m->preset = NULL;
    }
    c->has_names |= strcmp(c->machines[0].name, m->name) != 0;
    return 0;
}

static const char *value_of(const struct gpu_params *params, const struct gpu_param_group *group,
                            const struct param_row *row, char *text)
{
    return params_text(row, (const char *)params + group->offset, text, PARAM_TEXT_MAX);
}

static bool differ(const struct gpu_params *a, const struct gpu_params *b, const struct gpu_param_group *group,
                   const struct param_row *row)
{
    char x[PARAM_TEXT_MAX], y[PARAM_TEXT_MAX];
    return strcmp(value_of(a, group, row, x), value_of(b, group, row, y)) != 0;
}

static int find_axes(struct run_columns *c, struct error *err)
{
    size_t n_groups;
    const struct gpu_param_group *groups = gpu_param_groups(&n_groups);
    c->n_axes = 0;
    for (size_t g = 0; g < n_groups; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            size_t i = 1;
            while (i < c->n_machines && !differ(c->machines[0].params, c->machines[i].params, &groups[g], row)) i++;
            if (i >= c->n_machines) continue;
            struct axis *axes = realloc(c->axes, (c->n_axes + 1) * sizeof *axes);
            if (!axes) return error_set(err, ERR_MEMORY, "out of memory for columns");
            c->axes = axes;
            axes[c->n_axes] = (struct axis){.group = &groups[g], .row = row};
            snprintf(axes[c->n_axes].name, sizeof axes[c->n_axes].name, "%s.%s", groups[g].table.owner, row->name);
            run_columns_reserve(c, axes[c->n_axes++].name);
        }
    return 0;
}

/* How many parameters tell `m` from `other`, and the first of them as " l1.ways=8" to `out`. */
static size_t add_changes(const struct machine *m, const struct gpu_params *other, FILE *out)
{
    size_t n_groups, n = 0;
    char value[PARAM_TEXT_MAX];
    const struct gpu_param_group *groups = gpu_param_groups(&n_groups);
    for (size_t g = 0; g < n_groups; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            if (!differ(other, m->params, &groups[g], row)) continue;
            if (n++ < CHANGES_SAID_MAX)
                fprintf(out, " %s.%s=%s", groups[g].table.owner, row->name,
                        value_of(m->params, &groups[g], row, value));
        }
    return n;
}

static int set_text(struct machine *m, const char *name, const struct gpu_params *other, struct error *err)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for a machine");
    fputs(name, out);
    const size_t n = other ? add_changes(m, other, out) : 0;
    if (fclose(out) != 0) {
        free(text);
        return error_set(err, ERR_MEMORY, "out of memory for a machine");
    }
    if (n > CHANGES_SAID_MAX) text[strlen(name)] = '\0';
    free(m->text);
    m->text = text;
    return 0;
}

/* Another machine of the same text, before or behind; NULL: none. */
static const struct machine *namesake(const struct run_columns *c, const struct machine *m)
{
    for (size_t i = 0; i < c->n_machines; i++)
        if (&c->machines[i] != m && strcmp(c->machines[i].name, m->name) == 0 &&
            strcmp(c->machines[i].text, m->text) == 0)
            return &c->machines[i];
    return NULL;
}

/* Of machines that would have one name: what all machines differ in, where that is little, or the key's first digits:
 * "mine l1.ways=8", "mine #2a32". */
static int tell_apart(const struct run_columns *c, struct machine *m, struct error *err)
{
    char name[100 + CHANGES_SAID_MAX * 60], value[PARAM_TEXT_MAX];
    size_t used = (size_t)snprintf(name, sizeof name, "%s", m->name);
    if (c->n_axes > CHANGES_SAID_MAX) snprintf(name + used, sizeof name - used, " #%.4s", m->key);
    for (size_t i = 0; c->n_axes <= CHANGES_SAID_MAX && i < c->n_axes && used < sizeof name; i++)
        used += (size_t)snprintf(name + used, sizeof name - used, " %s=%s", c->axes[i].name,
                                 value_of(m->params, c->axes[i].group, c->axes[i].row, value));
    return set_text(m, name, NULL, err);
}

/* "kepler32 l1.ways=8": the preset, and what was changed in it where that is little. */
static int describe_all(struct run_columns *c, struct error *err)
{
    bool *is_shared = calloc(c->n_machines + 1, sizeof *is_shared);
    int result = is_shared ? 0 : error_set(err, ERR_MEMORY, "out of memory for machines");
    for (size_t i = 0; i < c->n_machines && result == 0; i++)
        result = set_text(&c->machines[i], c->machines[i].name, c->machines[i].preset, err);
    for (size_t i = 0; i < c->n_machines && result == 0; i++) is_shared[i] = namesake(c, &c->machines[i]) != NULL;
    for (size_t i = 0; i < c->n_machines && result == 0; i++)
        if (is_shared[i]) result = tell_apart(c, &c->machines[i], err);
    free(is_shared);
    return result;
}

/* ---- stacks ---- */

/* An element that is a mechanism, and no result of CPU programs beside the kernel. */
static bool is_mechanism(const json_t *mech)
{
    const char *name = json_string_value(json_object_get(mech, "name"));
    return name && strcmp(name, "cpu") != 0;
}

static size_t count_param(const json_t *stack, const char *name)
{
    size_t i, n = 0;
    const json_t *mech;
    json_array_foreach(stack, i, mech)
        n += is_mechanism(mech) && json_object_get(json_object_get(mech, "params"), name) != NULL;
    return n;
}

/* Its column: "N", or "tuple.N" where another mechanism of the stack or another column has the name. */
static const char *param_column(const struct run_columns *c, const json_t *stack, const json_t *mech, const char *name,
                                char *text, size_t size)
{
    const bool is_free = count_param(stack, name) == 1 && !json_object_get(c->reserved, name);
    if (is_free) snprintf(text, size, "%s", name);
    else snprintf(text, size, "%s.%s", json_string_value(json_object_get(mech, "name")), name);
    return text;
}

int run_columns_stack(struct run_columns *c, const json_t *stack, struct error *err)
{
    size_t i;
    json_t *mech, *value;
    const char *name;
    char column[200];
    json_array_foreach(stack, i, mech) {
        if (!is_mechanism(mech)) continue;
        json_object_foreach(json_object_get(mech, "params"), name, value)
            if (names_add(&c->params, param_column(c, stack, mech, name, column, sizeof column), err) < 0) return -1;
    }
    return 0;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* In an order that is not that of the rows: whichever run came first, the columns are the same. */
int run_columns_finish(struct run_columns *c, struct error *err)
{
    if (c->params.n) qsort(c->params.items, c->params.n, sizeof *c->params.items, by_name);
    if (c->n_machines) qsort(c->machines, c->n_machines, sizeof *c->machines, by_key);
    c->is_sorted = true;
    if (find_axes(c, err) < 0) return -1;
    return describe_all(c, err);
}

/* ---- output ---- */

const char *run_columns_label(const struct run_columns *c, const char *machine, char *text, size_t size)
{
    const struct machine *m = machine_of(c, machine);
    char value[PARAM_TEXT_MAX];
    size_t used = 0;
    snprintf(text, size, "%s", m && m->text ? m->text : machine);
    for (size_t i = 0; m && !c->has_names && c->n_axes <= CHANGES_SAID_MAX && i < c->n_axes && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used ? " " : "", c->axes[i].name,
                                 value_of(m->params, c->axes[i].group, c->axes[i].row, value));
    return text;
}

void run_columns_head(const struct run_columns *c, FILE *out)
{
    fputs("machine,benchmark,mechanism", out);
    for (size_t i = 0; i < c->n_axes; i++) fprintf(out, ",%s", c->axes[i].name);
    for (size_t i = 0; i < c->params.n; i++) {
        fputc(',', out);
        csv_print(out, c->params.items[i]);
    }
}

static void stack_name(const json_t *stack, char *out, size_t size)
{
    size_t i, used = 0;
    const json_t *mech;
    *out = '\0';
    json_array_foreach(stack, i, mech)
        if (is_mechanism(mech) && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "+" : "",
                                     json_string_value(json_object_get(mech, "name")));
    if (!*out) snprintf(out, size, "gto");
}

static void print_value(const json_t *value, FILE *out)
{
    char number[40];
    if (json_is_integer(value)) fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value)) fputs(number_text(json_real_value(value), number, sizeof number), out);
    else if (json_is_string(value)) csv_print(out, json_string_value(value));
    else if (json_is_boolean(value)) fputs(json_is_true(value) ? "true" : "false", out);
}

/* The parameters of a stack by their columns; the caller's. */
static json_t *params_of(const struct run_columns *c, const json_t *stack)
{
    size_t i;
    json_t *mech, *value, *out = json_object();
    const char *name;
    char column[200];
    json_array_foreach(stack, i, mech) {
        if (!is_mechanism(mech)) continue;
        json_object_foreach(json_object_get(mech, "params"), name, value)
            json_object_set(out, param_column(c, stack, mech, name, column, sizeof column), value);
    }
    return out;
}

void run_columns_row(const struct run_columns *c, const char *machine, const char *benchmark, const json_t *stack,
                     FILE *out)
{
    const struct machine *m = machine_of(c, machine);
    char text[PARAM_TEXT_MAX];
    csv_print(out, m && m->text ? m->text : "");
    fputc(',', out);
    csv_print(out, benchmark);
    fputc(',', out);
    stack_name(stack, text, sizeof text);
    csv_print(out, text);
    for (size_t i = 0; i < c->n_axes; i++) {
        fputc(',', out);
        if (m) csv_print(out, value_of(m->params, c->axes[i].group, c->axes[i].row, text));
    }
    json_t *params = params_of(c, stack);
    for (size_t i = 0; i < c->params.n; i++) {
        fputc(',', out);
        print_value(json_object_get(params, c->params.items[i]), out);
    }
    json_decref(params);
}

/* ",N=2,p=1": what is not the default; of a mechanism that this build does not know, all. */
static size_t add_params(const json_t *mech, char *text, size_t size)
{
    struct mech_spec spec;
    struct error ignored;
    const struct mech_type *type = mech_find(json_string_value(json_object_get(mech, "name")));
    json_t *defaults = NULL, *value;
    const char *name;
    size_t used = 0;
    if (type && mech_new(&spec, type, &ignored) == 0) {
        defaults = mech_spec_json(&spec);
        mech_free(&spec);
    }
    json_object_foreach(json_object_get(mech, "params"), name, value) {
        char number[40];
        if (json_equal(value, json_object_get(json_object_get(defaults, "params"), name)) || used >= size) continue;
        if (json_is_integer(value)) snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else if (json_is_boolean(value)) snprintf(number, sizeof number, "%s", json_is_true(value) ? "true" : "false");
        else if (json_is_number(value)) number_text(json_number_value(value), number, sizeof number);
        const char *shown = json_is_string(value) ? json_string_value(value) : number;
        used += (size_t)snprintf(text + used, size - used, ",%s=%s", name, shown);
    }
    json_decref(defaults);
    return used;
}

const char *run_columns_policy(const json_t *stack, char *text, size_t size)
{
    size_t i, used = 0;
    const json_t *mech;
    *text = '\0';
    json_array_foreach(stack, i, mech) {
        if (!is_mechanism(mech) || used >= size) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " + " : "",
                                 json_string_value(json_object_get(mech, "name")));
        if (used < size) used += add_params(mech, text + used, size - used);
    }
    if (!*text) snprintf(text, size, "gto");
    return text;
}

/* ---- columns one by one ---- */

size_t run_columns_count(const struct run_columns *c) { return c->n_axes + c->params.n; }

/* The row that explains a mechanism's parameter: of the first mechanism that has it where the column names none. */
static const struct param_row *explained(const char *mech, size_t mech_length, const char *param)
{
    for (size_t i = 0; i < mech_count(); i++) {
        const char *name = mech_name(mech_at(i));
        const struct param_row *row = params_find(mech_params(mech_at(i)), param);
        if (row && (!mech_length || (strlen(name) == mech_length && strncmp(name, mech, mech_length) == 0))) return row;
    }
    return NULL;
}

void run_columns_at(const struct run_columns *c, size_t i, struct run_column *out)
{
    *out = (struct run_column){.is_axis = i < c->n_axes};
    if (out->is_axis) {
        const struct axis *axis = &c->axes[i];
        *out = (struct run_column){
            axis->name, true, axis->group->table.owner, strlen(axis->group->table.owner), axis->row->name,
            axis->row,  false};
        return;
    }
    const char *name = c->params.items[i - c->n_axes], *dot = strchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : 0;
    const char *param = dot ? dot + 1 : name;
    *out = (struct run_column){
        name, false, name, length, param, explained(name, length, param), json_object_get(c->reserved, param) != NULL};
}

int run_columns_param(struct run_columns *c, const char *column, struct error *err)
{
    return names_add(&c->params, column, err);
}

const char *run_columns_value(const struct run_columns *c, const char *machine, size_t axis, char *text)
{
    const struct machine *m = machine_of(c, machine);
    *text = '\0';
    return m && axis < c->n_axes ? value_of(m->params, c->axes[axis].group, c->axes[axis].row, text) : text;
}

const char *run_columns_machine_at(const struct run_columns *c, size_t i, const char **key)
{
    if (i >= c->n_machines) return NULL;
    *key = c->machines[i].key;
    return c->machines[i].text;
}

const struct gpu_params *run_columns_params_at(const struct run_columns *c, size_t i, const char **key)
{
    if (i >= c->n_machines) return NULL;
    *key = c->machines[i].key;
    return c->machines[i].params;
}
