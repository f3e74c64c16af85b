/* YAML -> struct sweep -> launches and jobs. */
#include "poise/sweep.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/kernel_name.h"
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/spec_format.h"
#include "poise/sys/hooks.h"
#include "store/run_columns.h"
#include "studies/sweep/metric.h"
#include "workload/spec_read.h"
#include "studies/sweep/sweep_axes.h"
#include "studies/sweep/sweep_kernels.h"
#include "studies/sweep/sweep_units.h"

struct variant { /* a stack with one combination of its axes */
    struct mech_spec stack[MECH_STACK_MAX];
    unsigned n;
    uint64_t hash;
    char text[1024];
};
struct setting {
    struct gpu_params *params;
    char text[512];
};
enum { METRICS_MAX = 32, MACHINES_MAX = 32 };
struct sweep {
    struct yaml_file *file;
    const char *configs_dir; /* while the file is read */
    char name[128];
    int size;
    size_t reference_config, reference_stack; /* what speeds of machines are relative to */
    struct condition filters[CONDITIONS_MAX];
    size_t n_filters;
    struct metric metrics[METRICS_MAX];
    size_t n_metrics;
    struct selections kernels;
    struct variant *variants;
    size_t n_variants, cap_variants;
    struct setting *settings;
    size_t n_settings;
    struct gpu_limits limits;
    uint64_t cap;     /* of each program, warp instructions over its launches in order; 0: all */
    char sample[200]; /* as --sample has it; "": none */
};

const char *sweep_name(const struct sweep *sweep) { return sweep->name; }
size_t sweep_n_stacks(const struct sweep *sweep) { return sweep->n_variants; }
const char *sweep_stack_text(const struct sweep *sweep, size_t i) { return sweep->variants[i].text; }
size_t sweep_n_configs(const struct sweep *sweep) { return sweep->n_settings; }
const char *sweep_config_text(const struct sweep *sweep, size_t i) { return sweep->settings[i].text; }

const char *sweep_sample(const struct sweep *sweep) { return *sweep->sample ? sweep->sample : NULL; }

void sweep_reference(const struct sweep *sweep, size_t *config, size_t *stack)
{
    *config = sweep->reference_config;
    *stack = sweep->reference_stack;
}

static size_t find_config(const struct sweep *s, const char *text)
{
    size_t c = 0;
    while (c < s->n_settings && strcmp(s->settings[c].text, text) != 0) c++;
    return c;
}

/* One machine without axes needs no name. */
static const char *shown(const char *machine) { return *machine ? machine : ":STACK"; }

int sweep_set_reference(struct sweep *s, const char *text, struct error *err)
{
    char machine[512];
    const char *colon = strrchr(text, ':');
    size_t c = find_config(s, text), v = 0;
    if (c == s->n_settings && colon) {
        snprintf(machine, sizeof machine, "%.*s", (int)(colon - text), text);
        c = find_config(s, machine);
        while (v < s->n_variants && strcmp(s->variants[v].text, colon + 1) != 0) v++;
    }
    if (c == s->n_settings) {
        error_set(err, ERR_USAGE, "relative to '%s': the sweep has no such machine; its first is '%s', its last '%s'",
                  text, shown(s->settings[0].text), shown(s->settings[c - 1].text));
        return error_at(err, NULL, 0, -1,
                        "a machine as sweep.csv's column config has it; a stack may follow, as in l1.ways=8:gto");
    }
    if (v == s->n_variants)
        return error_set(err, ERR_USAGE, "relative to '%s': the sweep has no stack '%s'; its first is '%s'", text,
                         colon + 1, s->variants[0].text);
    s->reference_config = c;
    s->reference_stack = v;
    return 0;
}

void sweep_free(struct sweep *sweep)
{
    if (!sweep) return;
    for (size_t i = 0; i < sweep->n_variants; i++)
        for (unsigned k = 0; k < sweep->variants[i].n; k++) mech_free(&sweep->variants[i].stack[k]);
    for (size_t i = 0; i < sweep->n_settings; i++) gpu_params_free(sweep->settings[i].params);
    free(sweep->variants);
    free(sweep->settings);
    selections_fini(&sweep->kernels);
    yaml_file_free(sweep->file);
    free(sweep);
}

int stack_copy(struct mech_spec *out, unsigned *n_out, const struct mech_spec *from, unsigned n, struct error *err)
{
    *n_out = 0;
    for (unsigned i = 0; i < n; i++) {
        if (mech_new(&out[i], from[i].type, err) < 0) return -1;
        ++*n_out;
        const size_t size = mech_params(from[i].type)->size;
        if (size) memcpy(out[i].params, from[i].params, size);
    }
    return 0;
}

/* ---- kernels ---- */

enum { WARP_INSTS, BLOCKS, THREADS, LAUNCH, INPUT, N_PROPERTIES };
static const char *const properties[N_PROPERTIES] = {"warp_insts", "blocks", "threads", "launch", "input"};

static bool passes(const struct sweep *s, const struct launch *l)
{
    const double blocks = (double)l->grid[0] * l->grid[1] * l->grid[2];
    const double values[N_PROPERTIES] = {(double)l->warp_insts, blocks,
                                         blocks * l->block[0] * l->block[1] * l->block[2], l->index, l->input};
    char texts[N_PROPERTIES][64];
    struct axes axes = {.n = N_PROPERTIES};
    for (int i = 0; i < N_PROPERTIES; i++) {
        number_text(values[i], texts[i], sizeof texts[i]);
        axes.items[i] = (struct axis){.values = &texts[i], .n = 1};
    }
    return conditions_hold(s->filters, s->n_filters, &axes, 0);
}

static int read_filters(struct sweep *s, const struct yaml_node *node, struct error *err)
{
    struct axes axes = {
        .n = N_PROPERTIES, .what = "warp_insts, blocks, threads, launch, input", .example = "warp_insts <= 1e6"};
    for (int i = 0; i < N_PROPERTIES; i++) axes.items[i].name = properties[i];
    return conditions_read(s->filters, &s->n_filters, &axes, s->file, node, err);
}

int sweep_launches(struct sweep *sweep, const struct registry *registry, const struct lab_paths *paths,
                   struct launches *out, struct error *err)
{
    const size_t first = out->n;
    size_t kept = first;
    if (selections_launches(&sweep->kernels, registry, paths, out, err) < 0) return -1;
    for (size_t i = first; i < out->n; i++)
        if (passes(sweep, &out->items[i])) out->items[kept++] = out->items[i];
    const size_t n = out->n - first;
    struct launches mine = {.items = out->items + first, .n = kept - first};
    launches_cap(&mine, sweep->cap);
    out->n = first + mine.n;
    if (kept > first || n == 0) return 0;
    return yaml_error(sweep->file, yaml_get(yaml_root(sweep->file), "filters"), err,
                      "the filters leave none of %zu launches", n);
}

/* ---- configurations ---- */

static int set_from_map(struct sweep *s, const struct yaml_node *map, struct gpu_params *params, struct error *err)
{
    if (!map) return 0;
    if (map->kind != YAML_MAP)
        return yaml_error(s->file, map, err, "a map of parameters is needed here, as in {l1.ways: 8}");
    for (size_t i = 0; i < map->n; i++) {
        struct error inner;
        if (map->items[i]->kind != YAML_SCALAR)
            return yaml_error(s->file, map->items[i], err, "%s needs one value", map->keys[i]);
        if (gpu_params_set(params, map->keys[i], map->items[i]->text, &inner) < 0)
            return yaml_error(s->file, map->items[i], err, "%s", inner.text);
    }
    return 0;
}

/* `machine`: the preset's name where the spec has several; else "". */
static int add_setting(struct sweep *s, const struct gpu_params *base, const char *machine, const struct axes *axes,
                       size_t c, struct error *err)
{
    struct setting *out = &s->settings[s->n_settings];
    struct error inner;
    if (!(out->params = gpu_params_copy(base))) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    s->n_settings++;
    snprintf(out->text, sizeof out->text, "%s", machine);
    for (size_t i = 0; i < axes->n; i++) {
        const size_t used = strlen(out->text);
        const char *value = axes_value(axes, c, i);
        if (gpu_params_set(out->params, axes->items[i].name, value, &inner) < 0)
            return yaml_error(s->file, axes->items[i].node, err, "%s", inner.text);
        snprintf(out->text + used, sizeof out->text - used, "%s%s=%s", used ? " " : "", axes->items[i].name, value);
    }
    if (gpu_params_check(out->params, &inner) < 0)
        return yaml_error(s->file, axes->n ? axes->items[0].node : yaml_root(s->file), err, "%s%s%s", out->text,
                          *out->text ? ": " : "", inner.text);
    return 0;
}

/* Every combination of the axes on one preset. */
static int add_machine(struct sweep *s, const struct yaml_node *root, const struct yaml_node *node, const char *name,
                       bool is_one, const struct axes *axes, const char *dir, struct error *err)
{
    struct error inner;
    struct gpu_params *base = gpu_params_new();
    if (!base) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    int result = gpu_params_load(base, name, dir, &inner) < 0 ? yaml_error(s->file, node, err, "%s", inner.text) : 0;
    if (result == 0) result = set_from_map(s, yaml_get(root, "set"), base, err);
    for (size_t c = 0; c < axes_combinations(axes) && result == 0; c++)
        result = add_setting(s, base, is_one ? "" : name, axes, c, err);
    gpu_params_free(base);
    return result;
}

static int read_configs(struct sweep *s, const struct yaml_node *root, const char *dir, struct error *err)
{
    const struct yaml_node *node = yaml_get(root, "config");
    const char *names[MACHINES_MAX] = {"kepler32"};
    struct axes axes = {0};
    size_t n = 1;
    if (node && spec_names(s->file, node, names, MACHINES_MAX, &n, err) < 0) return -1;
    if (n == 0) return yaml_error(s->file, node, err, "'config' names no machine");
    int result = axes_read(&axes, s->file, yaml_get(root, "axes"), err);
    const struct yaml_node *set = yaml_get(root, "set");
    for (size_t a = 0; a < axes.n && result == 0; a++)
        if (set && set->kind == YAML_MAP && yaml_get(set, axes.items[a].name))
            result = yaml_error(s->file, yaml_get(set, axes.items[a].name), err,
                                "%s is an axis as well, whose values take the place of this one", axes.items[a].name);
    if (result == 0 && !(s->settings = calloc(n * axes_combinations(&axes), sizeof *s->settings)))
        result = error_set(err, ERR_MEMORY, "out of memory for %zu configurations", n * axes_combinations(&axes));
    for (size_t i = 0; i < n && result == 0; i++) {
        const struct yaml_node *at = node && node->kind == YAML_LIST ? node->items[i] : node;
        result = add_machine(s, root, at, names[i], n == 1, &axes, dir, err);
    }
    axes_fini(&axes);
    return result;
}

/* ---- stacks ---- */

/* "param" or "mech.param": the mechanism of the stack that has it. */
static int set_axis(struct sweep *s, struct variant *v, const struct axis *axis, const char *value, struct error *err)
{
    const char *dot = strchr(axis->name, '.'), *param = dot ? dot + 1 : axis->name;
    struct mech_spec *owner = NULL;
    for (unsigned k = 0; k < v->n; k++) {
        const char *name = mech_name(v->stack[k].type);
        if (dot && (strlen(name) != (size_t)(dot - axis->name) || strncmp(name, axis->name, strlen(name)) != 0))
            continue;
        if (!dot && v->n > 1 && !params_find(mech_params(v->stack[k].type), param)) continue;
        if (owner)
            return yaml_error(s->file, axis->node, err, "%s: two mechanisms have it; write %s.%s", param, name, param);
        owner = &v->stack[k];
    }
    if (!owner)
        return yaml_error(s->file, axis->node, err, "no mechanism of this stack has a parameter '%s'", axis->name);
    struct error inner;
    if (mech_set(owner, param, value, &inner) < 0) return yaml_error(s->file, axis->node, err, "%s", inner.text);
    const size_t used = strlen(v->text);
    snprintf(v->text + used, sizeof v->text - used, ",%s=%s", axis->name, value);
    return 0;
}

static struct variant *new_variant(struct sweep *s, struct error *err)
{
    if (s->n_variants == COMBINATIONS_MAX) {
        error_set(err, ERR_INPUT, "%s: more than %d stacks; split the sweep", yaml_name(s->file), COMBINATIONS_MAX);
        return NULL;
    }
    if (s->n_variants == s->cap_variants) {
        const size_t capacity = s->cap_variants ? 2 * s->cap_variants : 64;
        struct variant *variants = realloc(s->variants, capacity * sizeof *variants);
        if (!variants) {
            error_set(err, ERR_MEMORY, "out of memory for %zu stacks", capacity);
            return NULL;
        }
        s->variants = variants;
        s->cap_variants = capacity;
    }
    struct variant *v = &s->variants[s->n_variants++];
    memset(v, 0, sizeof *v);
    return v;
}

static int add_variant(struct sweep *s, const struct yaml_node *at, const char *const *mechs, size_t n_mechs,
                       const struct axes *axes, size_t c, struct error *err)
{
    struct variant *v = new_variant(s, err);
    struct error inner;
    if (!v) return -1;
    for (size_t i = 0; i < n_mechs; i++) {
        const size_t used = strlen(v->text);
        char text[LAB_MECH_TEXT];
        lab_models_in(text, sizeof text, mechs[i], s->configs_dir);
        if (mech_parse(&v->stack[v->n], text, &inner) < 0) return yaml_error(s->file, at, err, "%s", inner.text);
        v->n++;
        snprintf(v->text + used, sizeof v->text - used, "%s%s", used ? " + " : "", mechs[i]);
    }
    for (size_t i = 0; i < axes->n; i++)
        if (set_axis(s, v, &axes->items[i], axes_value(axes, c, i), err) < 0) return -1;
    if (hooks_check(v->stack, v->n, &inner) < 0) return yaml_error(s->file, at, err, "%s", inner.text);
    v->hash = mech_stack_hash(v->stack, v->n);
    for (const struct variant *before = s->variants; before < v; before++)
        if (before->hash == v->hash) return yaml_error(s->file, at, err, "stack '%s' is in the list twice", v->text);
    return 0;
}

static int read_stack(struct sweep *s, const struct yaml_node *node, struct error *err)
{
    const char *mechs[MECH_STACK_MAX] = {0};
    size_t n_mechs = 0, n_conditions = 0, kept = 0;
    struct axes axes = {0};
    struct condition conditions[CONDITIONS_MAX];
    const struct yaml_node *mech = node;
    if (node->kind == YAML_MAP) {
        if (spec_check(s->file, node, &spec_format_sweep, "stacks.", err) < 0) return -1;
        if (!(mech = yaml_get(node, "mech"))) return yaml_error(s->file, node, err, "'mech' is missing");
    }
    if (spec_mechs(s->file, mech, mechs, MECH_STACK_MAX, &n_mechs, err) < 0) return -1;
    int result = axes_read(&axes, s->file, yaml_get(node, "axes"), err);
    if (result == 0) result = conditions_read(conditions, &n_conditions, &axes, s->file, yaml_get(node, "where"), err);
    const size_t n = result == 0 ? axes_combinations(&axes) : 0;
    for (size_t c = 0; c < n && result == 0; c++)
        if (conditions_hold(conditions, n_conditions, &axes, c)) {
            result = add_variant(s, mech, mechs, n_mechs, &axes, c, err);
            kept++;
        }
    if (result == 0 && kept == 0)
        result = yaml_error(s->file, yaml_get(node, "where"), err, "the conditions leave nothing of this stack");
    axes_fini(&axes);
    return result;
}

static bool is_column(const char *name)
{
    for (size_t i = 0; i < N_SWEEP_IDENTITIES; i++)
        if (strcmp(name, sweep_identities[i].name) == 0) return true;
    for (size_t i = 0; i < N_SWEEP_FIGURES; i++)
        if (strcmp(name, sweep_figures[i]) == 0) return true;
    return strcmp(name, "estimate_error") == 0;
}

static int read_metrics(struct sweep *s, const struct yaml_node *map, struct error *err)
{
    if (!map) return 0;
    if (map->kind != YAML_MAP) return yaml_error(s->file, map, err, "metrics are a map: name: a formula");
    if (map->n > METRICS_MAX) return yaml_error(s->file, map, err, "%zu metrics: at most %d", map->n, METRICS_MAX);
    for (; s->n_metrics < map->n; s->n_metrics++) {
        const char *name = map->keys[s->n_metrics];
        const struct yaml_node *item = map->items[s->n_metrics];
        if (is_column(name))
            return yaml_error(s->file, item, err, "sweep.csv has a column '%s' already: give the metric another name",
                              name);
        if (metric_read(&s->metrics[s->n_metrics], name, s->file, item, err) < 0) return -1;
    }
    return 0;
}

static int read_reference(struct sweep *s, const struct yaml_node *root, struct error *err)
{
    char text[512] = "";
    struct error inner;
    if (spec_text(s->file, root, "relative_to", false, text, sizeof text, err) < 0) return -1;
    return *text && sweep_set_reference(s, text, &inner) < 0
               ? yaml_error(s->file, yaml_get(root, "relative_to"), err, "%s", inner.text)
               : 0;
}

static int read_sample(struct sweep *s, const struct yaml_node *root, struct error *err)
{
    struct sample_options options;
    struct error inner;
    if (spec_text(s->file, root, "sample", false, s->sample, sizeof s->sample, err) < 0) return -1;
    return *s->sample && sample_options_parse(&options, s->sample, &inner) < 0
               ? yaml_error(s->file, yaml_get(root, "sample"), err, "%s", inner.text)
               : 0;
}

static int read_sweep(struct sweep *s, const char *configs_dir, struct error *err)
{
    const struct yaml_node *root = yaml_root(s->file);
    if (spec_begin(s->file, &spec_format_sweep, err) < 0 || spec_plugins(s->file, err) < 0 ||
        spec_name(s->file, root, "name", s->name, sizeof s->name, err) < 0)
        return -1;
    const struct yaml_node *limits = yaml_get(root, "limits"), *stacks = yaml_get(root, "stacks");
    if (spec_limits(s->file, limits, &s->limits, err) < 0 ||
        spec_u64(s->file, root, "cap", false, 1, INT64_MAX, &s->cap, err) < 0 ||
        spec_u64(s->file, root, "warmup", false, 1, INT32_MAX, &s->limits.warmup_cycles, err) < 0 ||
        read_sample(s, root, err) < 0 || read_filters(s, yaml_get(root, "filters"), err) < 0 ||
        read_metrics(s, yaml_get(root, "metrics"), err) < 0)
        return -1;
    if (s->cap && (s->limits.max_insts || s->limits.early_end > 0))
        return yaml_error(s->file, yaml_get(root, "cap"), err, "'cap' goes without max_insts and early_end");
    if (s->cap && *s->sample) return yaml_error(s->file, yaml_get(root, "cap"), err, "'cap' goes without sample");
    s->size = workload_size("small");
    if (spec_size(s->file, root, &s->size, err) < 0 ||
        selections_read(&s->kernels, s->file, root, "kernels", s->size, err) < 0 ||
        read_configs(s, root, configs_dir, err) < 0)
        return -1;
    if (!stacks || stacks->kind != YAML_LIST || stacks->n == 0)
        return yaml_error(s->file, stacks ? stacks : root, err,
                          "'stacks' must be a list of mechanisms or {mech, axes, where}");
    for (size_t i = 0; i < stacks->n; i++)
        if (read_stack(s, stacks->items[i], err) < 0) return -1;
    return read_reference(s, root, err);
}

static int sweep_from(struct sweep **out, struct yaml_file *file, const char *configs_dir, struct error *err)
{
    struct sweep *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) {
        yaml_file_free(file);
        return error_set(err, ERR_MEMORY, "out of memory for a sweep");
    }
    s->file = file;
    s->configs_dir = configs_dir;
    if (read_sweep(s, configs_dir, err) < 0) {
        sweep_free(s);
        return -1;
    }
    *out = s;
    return 0;
}

int sweep_load(struct sweep **out, const char *path, const char *configs_dir, struct error *err)
{
    struct yaml_file *file;
    *out = NULL;
    return yaml_load(&file, path, err) < 0 ? -1 : sweep_from(out, file, configs_dir, err);
}

int sweep_parse(struct sweep **out, const char *name, const char *text, size_t size, const char *configs_dir,
                struct error *err)
{
    struct yaml_file *file;
    *out = NULL;
    return yaml_parse(&file, name, text, size, err) < 0 ? -1 : sweep_from(out, file, configs_dir, err);
}

int sweep_jobs(const struct sweep *sweep, const struct launches *launches, struct run_job **out, size_t *n,
               struct error *err)
{
    const size_t total = launches->n * sweep->n_settings * sweep->n_variants;
    struct run_job *jobs = calloc(total + 1, sizeof *jobs);
    *out = jobs;
    *n = 0;
    if (!jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", total);
    for (size_t l = 0; l < launches->n; l++)
        for (size_t c = 0; c < sweep->n_settings; c++)
            for (size_t v = 0; v < sweep->n_variants; v++) {
                struct run_job *job = &jobs[(*n)++];
                job->launch = &launches->items[l];
                job->params = sweep->settings[c].params;
                job->limits = sweep->limits;
                if (sweep->cap) job->limits.max_insts = launches_left(launches, l, sweep->cap);
                job->index = *n - 1;
                if (stack_copy(job->stack, &job->n_stack, sweep->variants[v].stack, sweep->variants[v].n, err) < 0)
                    return -1;
            }
    return 0;
}

/* Figures of the whole launch, also where the run ended early; NULL: there are none. The caller's. */
static struct gpu_stats *stats_of(const struct run_job *job)
{
    const struct run_result *r = &job->result;
    return r->stats && r->err.code == ERR_NONE && !r->is_bounded ? stats_of_launch(r, job->launch->warp_insts) : NULL;
}

static struct metric_run metric_run_of(const struct run_job *job)
{
    return job ? (struct metric_run){stats_of(job), run_energy(job)} : (struct metric_run){.stats = NULL};
}

/* The run of the first stack on the same launch and configuration; NULL: it is in another shard. */
static const struct run_job *baseline_of(const struct sweep *s, const struct run_job *jobs, size_t i)
{
    const size_t wanted = jobs[i].index - jobs[i].index % s->n_variants;
    for (size_t k = i + 1; k-- > 0 && jobs[k].index >= wanted;)
        if (jobs[k].index == wanted) return &jobs[k];
    return NULL;
}

/* That of the same launch and stack on the machine that others are relative to; NULL: it is in another shard. */
static const struct run_job *reference_of(const struct sweep *s, const struct run_job *jobs, size_t n, size_t i)
{
    const size_t v = jobs[i].index % s->n_variants, launch = jobs[i].index / s->n_variants / s->n_settings;
    const size_t wanted = (launch * s->n_settings + s->reference_config) * s->n_variants + v;
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (jobs[middle].index < wanted) low = middle + 1;
        else high = middle;
    }
    return low < n && jobs[low].index == wanted ? &jobs[low] : NULL;
}

static void print_figures(const struct sweep *s, const struct run_job *jobs, size_t n, size_t i, FILE *out)
{
    const struct metric_run run = metric_run_of(&jobs[i]),
                            base = metric_run_of(s->n_metrics ? baseline_of(s, jobs, i) : NULL),
                            beside = metric_run_of(s->n_metrics ? reference_of(s, jobs, n, i) : NULL);
    const struct gpu_stats *stats = run.stats;
    char number[40];
    for (size_t f = 0; f < N_SWEEP_FIGURES; f++)
        fprintf(out, ",%s",
                stats ? number_text(run_value(&run.of, stats, sweep_figures[f]), number, sizeof number) : "");
    if (s->limits.early_end > 0)
        fprintf(out, ",%s", stats ? number_text(jobs[i].result.estimate.error, number, sizeof number) : "");
    for (size_t m = 0; m < s->n_metrics; m++) {
        const double v = stats ? metric_value(&s->metrics[m], &run, &base, &beside) : NAN;
        fprintf(out, ",%s", isfinite(v) ? number_text(v, number, sizeof number) : "");
    }
    free((void *)(uintptr_t)run.stats);
    free((void *)(uintptr_t)base.stats);
    free((void *)(uintptr_t)beside.stats);
}

/* Machines go by the numbers of their settings; stacks[v] are the variants. */
static int gather_columns(const struct sweep *s, struct run_columns *c, json_t **stacks, struct error *err)
{
    for (size_t m = 0; m < s->n_metrics; m++) run_columns_reserve(c, s->metrics[m].name);
    for (size_t f = 0; f < N_SWEEP_FIGURES; f++) run_columns_reserve(c, sweep_figures[f]);
    for (size_t i = 0; i < s->n_settings; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", i);
        if (run_columns_machine(c, key, s->settings[i].params, err) < 0) return -1;
    }
    for (size_t v = 0; v < s->n_variants; v++) {
        stacks[v] = run_stack_json(s->variants[v].stack, s->variants[v].n);
        if (!stacks[v]) return error_set(err, ERR_MEMORY, "out of memory for stacks");
        if (run_columns_stack(c, stacks[v], err) < 0) return -1;
    }
    return run_columns_finish(c, err);
}

static void print_rows(const struct sweep *sweep, const struct run_columns *c, json_t *const *stacks,
                       const struct run_job *jobs, size_t n, FILE *out)
{
    char hash[HASH_TEXT_SIZE], key[24];
    for (size_t i = 0; i < n; i++) {
        const struct run_job *job = &jobs[i];
        const size_t setting = job->index / sweep->n_variants % sweep->n_settings, v = job->index % sweep->n_variants;
        hash_text(&job->launch->hash, hash);
        char kernel[200];
        csv_print(out, kernel_name(job->launch->kernel, kernel, sizeof kernel));
        csv_next(out, job->launch->label);
        fprintf(out, ",%s,", hash);
        snprintf(key, sizeof key, "%zu", setting);
        run_columns_row(c, key, job->launch->workload ? job->launch->workload->name : "", stacks[v], out);
        csv_next(out, sweep->settings[setting].text);
        csv_next(out, sweep->variants[v].text);
        fprintf(out, ",%d,", job->result.complete);
        if (job->result.err.code != ERR_NONE) csv_print(out, job->result.err.text);
        print_figures(sweep, jobs, n, i, out);
        fputc('\n', out);
    }
}

int sweep_write_csv(const struct sweep *sweep, const struct run_job *jobs, size_t n, const char *path,
                    struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    struct run_columns *c = NULL;
    json_t **stacks = calloc(sweep->n_variants + 1, sizeof *stacks);
    FILE *out = open_memstream(&text, &size);
    int result = out && stacks ? 0 : error_set(err, ERR_MEMORY, "out of memory for %s", path);
    if (result == 0) result = run_columns_new(&c, err);
    if (result == 0) result = gather_columns(sweep, c, stacks, err);
    if (result == 0) {
        fprintf(out, "kernel,launch,trace,");
        run_columns_head(c, out);
        fprintf(out, ",config,mechs,complete,error");
        for (size_t f = 0; f < N_SWEEP_FIGURES; f++) fprintf(out, ",%s", sweep_figures[f]);
        if (sweep->limits.early_end > 0) fprintf(out, ",estimate_error");
        for (size_t m = 0; m < sweep->n_metrics; m++) csv_next(out, sweep->metrics[m].name);
        fputc('\n', out);
        print_rows(sweep, c, stacks, jobs, n, out);
    }
    for (size_t v = 0; stacks && v < sweep->n_variants; v++) json_decref(stacks[v]);
    free(stacks);
    const char *metrics[METRICS_MAX];
    for (size_t m = 0; m < sweep->n_metrics; m++) metrics[m] = sweep->metrics[m].name;
    if (result == 0) result = sweep_write_units(path, c, sweep->limits.early_end > 0, metrics, sweep->n_metrics, err);
    run_columns_free(c);
    if (result == 0) return file_write_stream(path, out, &text, &size, err);
    if (out) fclose(out);
    free(text);
    return -1;
}
