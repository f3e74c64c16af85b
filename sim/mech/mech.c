#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "config/params.h"
#include "config/plugins.h"
#include "poise/sys/hooks.h"
#include "poise/file.h"
#include "poise/hash.h"

#define MECH(row) extern const struct mech_type mech_##row;
#include "mech_list.def"
#undef MECH
static const struct mech_type *const all[] = {
#define MECH(row) &mech_##row,
#include "mech_list.def"
#undef MECH
};

size_t mech_count(void)
{
    size_t n = 0;
    while (plugins_mech(n)) n++;
    return COUNT_OF(all) + n;
}

const struct mech_type *mech_at(size_t i) { return i < COUNT_OF(all) ? all[i] : plugins_mech(i - COUNT_OF(all)); }
const char *mech_name(const struct mech_type *type) { return type->name; }
bool mech_carries(const struct mech_type *type) { return type->carried != NULL; }
const char *mech_title(const struct mech_type *type) { return type->title; }
const char *mech_source(const struct mech_type *type) { return type->source; }
const struct param_table *mech_params(const struct mech_type *type) { return &type->params; }
const struct stat_table *mech_stats(const struct mech_type *type) { return &type->stats; }

/* The counter that stands at this place of the mechanism's statistics. */
static double counter_at(const struct mech_type *type, const json_t *stats, size_t offset)
{
    for (size_t r = 0; r < type->stats.n_rows; r++)
        if (type->stats.rows[r].offset == offset)
            return (double)json_integer_value(json_object_get(stats, type->stats.rows[r].name));
    return 0;
}

void mech_set_ratios(const struct mech_type *type, json_t *stats)
{
    for (size_t i = 0; i < type->n_ratios; i++) {
        const struct ratio_row *row = &type->ratios[i];
        const double den = counter_at(type, stats, row->den);
        json_object_set_new(stats, row->name, json_real(den > 0 ? counter_at(type, stats, row->num) / den : 0));
    }
}

/* Names that mechanisms had. Each goes with the second simulation model after the one that renamed it. */
static const struct {
    const char *was, *is;
} old_names[] = {{"surface", "learned"}}; /* until SIM_MODEL_VERSION 5 */

static const char *old_name(const char *name, const char **is)
{
    for (size_t i = 0; i < COUNT_OF(old_names); i++)
        if (strcmp(old_names[i].was, name) == 0) return *is = old_names[i].is, old_names[i].was;
    return NULL;
}

const struct mech_type *mech_find(const char *name)
{
    old_name(name, &name);
    const struct mech_type *type;
    for (size_t i = 0; (type = mech_at(i)); i++)
        if (strcmp(type->name, name) == 0) return type;
    return NULL;
}

int mech_new(struct mech_spec *out, const struct mech_type *type, struct error *err)
{
    out->type = type;
    out->called = NULL;
    out->params = calloc(1, type->params.size ? type->params.size : 1);
    if (!out->params) return error_set(err, ERR_MEMORY, "no memory for the parameters of %s", type->name);
    params_defaults(&type->params, out->params);
    return 0;
}

void mech_free(struct mech_spec *spec)
{
    free(spec->params);
    spec->params = NULL;
}

int mech_set(struct mech_spec *spec, const char *key, const char *value, struct error *err)
{
    return params_set(&spec->type->params, spec->params, key, value, err);
}

static int unknown_mech(const char *name, struct error *err)
{
    const char *names[COUNT_OF(all) + 64]; /* of more than so many no slip is recognised */
    size_t n = 0;
    for (; n < COUNT_OF(names) && mech_at(n); n++) names[n] = mech_at(n)->name;
    return error_set(err, ERR_USAGE, "no mechanism '%s'%s; `poise mechs` lists them", name,
                     did_you_mean(name, names, n, sizeof *names).text);
}

/* Among the pairs KEY '\0' VALUE '\0' before `key`? */
static bool is_given(const char *pairs, const char *key)
{
    for (const char *at = pairs; at < key; at += strlen(at) + 1, at += strlen(at) + 1)
        if (strcmp(at, key) == 0) return true;
    return false;
}

int mech_parse(struct mech_spec *out, const char *text, struct error *err)
{
    char copy[2048], *at = copy;
    out->params = NULL;
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        return error_set(err, ERR_USAGE, "a mechanism of more than 2047 characters");
    const char *name = strsep(&at, ","), *pairs = at;
    const struct mech_type *type = mech_find(name);
    if (!type) return unknown_mech(name, err);
    if (mech_new(out, type, err) < 0) return -1;
    out->called = old_name(name, &name);
    while (at) {
        char *key = strsep(&at, ","), *equals = strchr(key, '=');
        if (!equals) {
            error_set(err, ERR_USAGE, "%s: '%s' is not KEY=VALUE", name, key);
            goto failed;
        }
        *equals = '\0';
        if (is_given(pairs, key)) {
            error_set(err, ERR_USAGE, "%s: %s is given twice", name, key);
            goto failed;
        }
        if (mech_set(out, key, equals + 1, err) < 0) goto failed;
    }
    if (!type->check || type->check(out->params, err) == 0) return 0;
failed:
    mech_free(out);
    return -1;
}

/* A TEXT parameter in the unit "path" names a file: its content is what counts. */
static int file_key(const struct param_row *row, const void *params, char *text, size_t size, struct error *err)
{
    char path[PARAM_TEXT_MAX], digits[HASH_TEXT_SIZE], *data;
    size_t bytes;
    params_text(row, params, path, sizeof path);
    if (!*path) return snprintf(text, size, "none"), 0;
    if (file_read(&data, &bytes, path, err) < 0) return error_while(err, "%s", row->name);
    const struct hash hash = hash_bytes(data, bytes);
    free(data);
    hash_text(&hash, digits);
    snprintf(text, size, "%s", digits);
    return 0;
}

int mech_key(const struct mech_spec *spec, char *text, size_t size, struct error *err)
{
    const struct param_table *table = &spec->type->params;
    const struct plugin_file *plugin = plugins_of_mech(spec->type);
    char digits[HASH_TEXT_SIZE] = "";
    if (plugin) hash_text(&plugin->hash, digits);
    size_t used = (size_t)snprintf(text, size, "%s%s%s{", spec->type->name, plugin ? "@" : "", digits);
    for (size_t i = 0; i < table->n_rows; i++) {
        char value[PARAM_TEXT_MAX];
        if (strcmp(table->rows[i].unit, "path") != 0) params_text(&table->rows[i], spec->params, value, sizeof value);
        else if (file_key(&table->rows[i], spec->params, value, sizeof value, err) < 0) return -1;
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", i ? "," : "", table->rows[i].name, value);
    }
    if (used < size) used += (size_t)snprintf(text + used, size - used, "}");
    return used < size
               ? 0
               : error_set(err, ERR_USAGE, "%s: parameters of more than %zu characters", spec->type->name, size);
}

/* As much of it as a machine without a launch has. */
static struct mech_env env_of(const struct gpu_params *machine)
{
    return (struct mech_env){.sms = machine->core.sms,
                             .schedulers = machine->core.schedulers,
                             .W = machine->core.max_warps / machine->core.schedulers,
                             .warps = machine->core.max_warps,
                             .l1_mshrs = machine->l1.mshrs,
                             .l2_banks = machine->l2.banks,
                             .l2_sets = machine->l2.sets,
                             .l2_ways = l2_own_ways(machine),
                             .l2_frames = machine->l2.banks * machine->l2.sets * l2_own_ways(machine),
                             .l1_line_bytes = machine->l1.line_bytes,
                             .line_bytes = l2_line_bytes(machine)};
}

size_t mech_costs(const struct mech_spec *spec, const struct gpu_params *machine, struct mech_cost out[MECH_COSTS_MAX],
                  uint32_t *sms)
{
    const struct mech_env env = env_of(machine);
    *sms = env.sms;
    return spec->type->cost ? spec->type->cost(spec->params, &env, out) : 0;
}

size_t mech_events(const struct mech_spec *spec, const struct gpu_params *machine,
                   struct mech_event out[MECH_EVENTS_MAX])
{
    const struct mech_env env = env_of(machine);
    return spec->type->events ? spec->type->events(spec->params, &env, out) : 0;
}

uint64_t mech_stack_hash(const struct mech_spec *stack, unsigned n)
{
    uint64_t hash = n;
    for (unsigned k = 0; k < n; k++) {
        const struct mech_type *type = stack[k].type;
        const uint64_t parts[] = {hash, (uint64_t)(uintptr_t)type, hash_checksum(stack[k].params, type->params.size)};
        hash = hash_checksum(parts, sizeof parts);
    }
    return hash;
}

json_t *mech_spec_json(const struct mech_spec *spec)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(spec->type->name));
    json_object_set_new(object, "params", params_json(&spec->type->params, spec->params));
    const struct plugin_file *plugin = plugins_of_mech(spec->type);
    char digits[HASH_TEXT_SIZE];
    if (plugin) hash_text(&plugin->hash, digits);
    if (plugin) json_object_set_new(object, "plugin", json_string(digits));
    return object;
}

void hooks_attach(struct hooks *hooks, const struct mech_type *type, void *self)
{
#define ATTACH_MASK(hook) \
    if (type->hook) { \
        hooks->hook.at[hooks->hook.n].ask = type->hook; \
        hooks->hook.at[hooks->hook.n++].self = self; \
    }
#define ATTACH_TIMER(hook) \
    if (type->hook) { \
        hooks->hook.at[hooks->hook.n].call = type->hook; \
        hooks->hook.at[hooks->hook.n++].self = self; \
    }
#define ATTACH_TELL(hook, event) \
    if (type->hook) { \
        hooks->hook.at[hooks->hook.n].tell = type->hook; \
        hooks->hook.at[hooks->hook.n++].self = self; \
    }
#define ATTACH_ROUTE(hook, event) \
    if (type->hook) { \
        hooks->hook.at[hooks->hook.n].ask = type->hook; \
        hooks->hook.at[hooks->hook.n++].self = self; \
    }
#define ATTACH_OWNER(hook, ops) \
    if (type->hook) { \
        hooks->hook.call = type->hook; \
        hooks->hook.self = self; \
    }
    MECH_HOOKS(ATTACH_MASK, ATTACH_TIMER, ATTACH_TELL, ATTACH_ROUTE, ATTACH_OWNER)
#define ATTACH_L2_ONE(hook, answer, with) \
    if (type->hook) { \
        hooks->l2.n++; \
        hooks->l2.hook.ask = type->hook; \
        hooks->l2.hook.self = self; \
    }
#define ATTACH_L2_MANY(hook, answer, with) \
    if (type->hook) { \
        hooks->l2.n++; \
        hooks->l2.hook.at[hooks->l2.hook.n].ask = type->hook; \
        hooks->l2.hook.at[hooks->l2.hook.n++].self = self; \
    }
    MECH_L2_HOOKS(ATTACH_L2_ONE, ATTACH_L2_MANY, ATTACH_L2_MANY)
    if (type->l2_replacement) hooks->l2_replacement = type->l2_replacement;
}

/* The first mechanism of the stack that clears pollute bits, or n. */
static unsigned first_fetch(const struct mech_spec *stack, unsigned n)
{
    unsigned i = 0;
    while (i < n && !stack[i].type->fetch) i++;
    return i;
}

enum load_fetch hooks_fetch(const struct mech_spec *stack, unsigned n)
{
    const unsigned i = first_fetch(stack, n);
    return i < n ? stack[i].type->fetch(stack[i].params) : FETCH_SECTORS;
}

/* L1 has one way to fetch: if two mechanisms clear pollute bits, it cannot be told whose miss one is. */
static int check_fetch(const struct mech_spec *stack, unsigned n, struct error *err)
{
    static const char *const names[] = {"sectors", "line"};
    const enum load_fetch fetch = hooks_fetch(stack, n);
    for (unsigned i = 0; i < n; i++) {
        if (!stack[i].type->fetch || stack[i].type->fetch(stack[i].params) == fetch) continue;
        return error_set(err, ERR_USAGE, "%s has fetch=%s and %s fetch=%s: give both the same",
                         stack[first_fetch(stack, n)].type->name, names[fetch], stack[i].type->name, names[!fetch]);
    }
    return 0;
}

/* Counters of a run go by the names of mechanisms, and what a mechanism decides it decides once. */
static int check_twice(const struct mech_spec *stack, unsigned n, struct error *err)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < i; k++)
            if (stack[i].type == stack[k].type)
                return error_set(err, ERR_USAGE, "%s is in the stack twice; a stack has each mechanism once",
                                 stack[i].type->name);
    return 0;
}

static int check_replacement(const struct mech_spec *stack, unsigned n, struct error *err)
{
    const struct mech_type *first = NULL;
    for (unsigned i = 0; i < n; i++) {
        const struct mech_type *type = stack[i].type;
        if (!type->l2_replacement) continue;
        if (first && strcmp(first->l2_replacement, type->l2_replacement) != 0)
            return error_set(err, ERR_USAGE,
                             "%s builds on l2.replacement=%s and %s on %s; a stack can have one of them", first->name,
                             first->l2_replacement, type->name, type->l2_replacement);
        first = type;
    }
    return 0;
}

#define SKIP_ONE(hook)
#define SKIP_TWO(hook, event)
#define SKIP_THREE(hook, answer, with)
#define CHECK_OWNER(hook, ops) \
    for (unsigned i = 0, owner = n; i < n; i++) { \
        if (!stack[i].type->hook) continue; \
        if (owner < n) \
            return error_set(err, ERR_USAGE, \
                             "%s and %s both want to decide '" #hook "'; a stack can have one of them", \
                             stack[owner].type->name, stack[i].type->name); \
        owner = i; \
    }
#define CHECK_L2_ONE(hook, answer, with) CHECK_OWNER(hook, with)
int hooks_check(const struct mech_spec *stack, unsigned n, struct error *err)
{
    if (check_twice(stack, n, err) < 0) return -1;
    MECH_HOOKS(SKIP_ONE, SKIP_ONE, SKIP_TWO, SKIP_TWO, CHECK_OWNER)
    MECH_L2_HOOKS(CHECK_L2_ONE, SKIP_THREE, SKIP_THREE)
    if (check_replacement(stack, n, err) < 0) return -1;
    return check_fetch(stack, n, err);
}

size_t mech_waits(const struct mech_spec *spec, struct mech_wait out[MECH_WAITS_MAX])
{
    return spec->type->waits ? spec->type->waits(spec->params, out) : 0;
}

size_t mech_acts(const struct mech_spec *spec, struct mech_act out[MECH_ACTS_MAX])
{
    return spec->type->acts ? spec->type->acts(spec->params, out) : 0;
}
