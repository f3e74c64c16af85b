/* YAML -> struct tune. */
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/spec_format.h"
#include "workload/spec_read.h"
#include "studies/tune/tune_internal.h"

static const char *const method_names[] = {
#define M(id, doc) #id,
    TUNE_METHODS(M)
#undef M
};

const char *tune_name(const struct tune *tune) { return tune->name; }

double tune_grid_size(const struct tune *tune)
{
    double n = 1;
    for (size_t i = 0; i < tune->axes.n; i++) n *= (double)tune->axes.items[i].n;
    return n;
}

static void set_fini(struct tune_set *s)
{
    launches_fini(&s->launches);
    free(s->swl);
    for (int k = 0; k < TUNE_RUNGS; k++) {
        free(s->prefix_insts[k]);
        free(s->prefix_cycles[k]);
    }
}

void tune_free(struct tune *t)
{
    if (!t) return;
    for (unsigned i = 0; i < t->n_stack; i++) mech_free(&t->stack[i]);
    if (t->has_baseline) mech_free(&t->baseline);
    set_fini(&t->train);
    set_fini(&t->test);
    selections_fini(&t->kernels);
    selections_fini(&t->heldout);
    axes_fini(&t->axes);
    gpu_params_free(t->params);
    yaml_file_free(t->file);
    free(t->trials);
    free(t->seeds);
    free(t);
}

static int read_machine(struct tune *t, const struct yaml_node *root, const char *dir, struct error *err)
{
    char config[512] = "kepler32";
    struct error inner;
    if (spec_text(t->file, root, "config", false, config, sizeof config, err) < 0) return -1;
    if (!(t->params = gpu_params_new())) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (gpu_params_load(t->params, config, dir, &inner) < 0)
        return yaml_error(t->file, yaml_get(root, "config"), err, "%s", inner.text);
    const struct yaml_node *map = yaml_get(root, "set");
    if (map && map->kind != YAML_MAP)
        return yaml_error(t->file, map, err, "a map of parameters is needed here, as in {l1.ways: 8}");
    for (size_t i = 0; map && i < map->n; i++) {
        if (map->items[i]->kind != YAML_SCALAR)
            return yaml_error(t->file, map->items[i], err, "%s needs one value", map->keys[i]);
        if (gpu_params_set(t->params, map->keys[i], map->items[i]->text, &inner) < 0)
            return yaml_error(t->file, map->items[i], err, "%s", inner.text);
    }
    return 0;
}

static int read_stack(struct tune *t, const struct yaml_node *root, struct error *err)
{
    const struct yaml_node *node = yaml_get(root, "mech");
    const char *texts[MECH_STACK_MAX];
    char baseline[256] = "gto";
    struct error inner;
    size_t n = 0;
    if (!node) return yaml_error(t->file, root, err, "'mech' is missing: a mechanism or a list");
    if (spec_texts(t->file, node, texts, MECH_STACK_MAX, &n, err) < 0) return -1;
    for (size_t i = 0; i < n; i++, t->n_stack++)
        if (tune_parse_mech(&t->stack[i], t->swl_key[i], texts[i], &inner) < 0)
            return yaml_error(t->file, node, err, "%s", inner.text);
    if (spec_text(t->file, root, "baseline", false, baseline, sizeof baseline, err) < 0) return -1;
    if (mech_parse(&t->baseline, baseline, &inner) < 0)
        return yaml_error(t->file, yaml_get(root, "baseline"), err, "%s", inner.text);
    t->has_baseline = true;
    return 0;
}

/* "mech.param", "param" of the one mechanism that has it, or "group.param" of the machine. */
static int resolve(struct tune *t, size_t a, struct error *err)
{
    const struct axis *axis = &t->axes.items[a];
    const char *dot = strchr(axis->name, '.');
    struct error inner;
    t->target[a] = -1;
    t->key[a] = axis->name;
    for (unsigned k = 0; k < t->n_stack; k++) {
        const char *name = mech_name(t->stack[k].type);
        if (dot ? strlen(name) != (size_t)(dot - axis->name) || strncmp(name, axis->name, strlen(name)) != 0
                : t->n_stack > 1 && !params_find(mech_params(t->stack[k].type), axis->name))
            continue;
        if (t->target[a] >= 0)
            return yaml_error(t->file, axis->node, err, "%s: two mechanisms have it; write %s.%s", axis->name, name,
                              t->key[a]);
        t->target[a] = (int)k;
        if (dot) t->key[a] = dot + 1;
    }
    for (size_t i = 0; i < axis->n; i++) { /* every level is tried on a copy, so that a wrong one is found before
                                            * hours of runs */
        int result;
        if (t->target[a] >= 0) {
            struct mech_spec copy;
            unsigned n;
            result = stack_copy(&copy, &n, &t->stack[t->target[a]], 1, &inner);
            if (result == 0) result = mech_set(&copy, t->key[a], axis->values[i], &inner);
            if (n) mech_free(&copy);
        } else {
            struct gpu_params *copy = gpu_params_copy(t->params);
            result = copy ? gpu_params_set(copy, t->key[a], axis->values[i], &inner)
                          : error_set(&inner, ERR_MEMORY, "out of memory");
            gpu_params_free(copy);
        }
        if (result < 0) return yaml_error(t->file, axis->node, err, "%s", inner.text);
    }
    return 0;
}

static int read_parameters(struct tune *t, const struct yaml_node *root, struct error *err)
{
    const struct yaml_node *map = yaml_get(root, "parameters");
    if (!map || map->kind != YAML_MAP || map->n == 0)
        return yaml_error(t->file, map ? map : root, err, "'parameters' must be a map: name: a list or a range");
    if (axes_read_each(&t->axes, t->file, map, 9e15, err) < 0) return -1;
    for (size_t a = 0; a < t->axes.n; a++)
        if (resolve(t, a, err) < 0) return -1;
    return conditions_read(t->conditions, &t->n_conditions, &t->axes, t->file, yaml_get(root, "where"), err);
}

static int read_method(struct tune *t, const struct yaml_node *root, struct error *err)
{
    const struct yaml_node *map = yaml_get(root, "method");
    char name[32] = "gp", regret[8] = "false";
    t->budget = 24;
    t->seed = 1;
    if (map && (spec_check(t->file, map, &spec_format_tune, "method.", err) < 0 ||
                spec_text(t->file, map, "name", false, name, sizeof name, err) < 0 ||
                spec_u64(t->file, map, "budget", false, 1, 1000000, &t->budget, err) < 0 ||
                spec_u64(t->file, map, "initial", false, 2, 1000000, &t->initial, err) < 0 ||
                spec_u64(t->file, map, "seed", false, 0, UINT32_MAX, &t->seed, err) < 0 ||
                spec_text(t->file, map, "regret", false, regret, sizeof regret, err) < 0))
        return -1;
    t->wants_regret = strcmp(regret, "true") == 0;
    if (!t->wants_regret && strcmp(regret, "false") != 0)
        return yaml_error(t->file, yaml_get(map, "regret"), err, "regret: true or false");
    if (t->initial == 0) t->initial = 2 * t->axes.n + 2;
    for (int i = 0; i < N_TUNE_METHODS; i++)
        if (strcmp(name, method_names[i]) == 0) {
            t->method = (enum tune_method)i;
            return 0;
        }
    const char *near = nearest_name(name, method_names, N_TUNE_METHODS, sizeof *method_names);
    char known[160] = "";
    for (int i = 0; i < N_TUNE_METHODS && strlen(known) + 40 < sizeof known; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
                 i == 0                    ? ""
                 : i + 1 == N_TUNE_METHODS ? " or "
                                           : ", ",
                 method_names[i]);
    return yaml_error(t->file, yaml_get(map, "name"), err, "no method '%s'%s%s%s: choose %s", name,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

static int read_metric(struct tune *t, const struct yaml_node *root, struct error *err)
{
    char goal[8] = "max";
    snprintf(t->metric, sizeof t->metric, "speedup");
    if (spec_text(t->file, root, "metric", false, t->metric, sizeof t->metric, err) < 0) return -1;
    const struct energy_value_row *figure = energy_value_find(t->metric);
    if (figure && figure->is_better_small) strcpy(goal, "min");
    if (spec_text(t->file, root, "goal", false, goal, sizeof goal, err) < 0) return -1;
    t->is_min = strcmp(goal, "min") == 0;
    if (!t->is_min && strcmp(goal, "max") != 0)
        return yaml_error(t->file, yaml_get(root, "goal"), err, "goal: max or min");
    if (strcmp(t->metric, "speedup") == 0) return 0;
    if (metric_read(&t->formula, t->metric, t->file, yaml_get(root, "metric"), err) < 0) return -1;
    return t->formula.has_baseline || t->formula.has_reference
               ? yaml_error(t->file, yaml_get(root, "metric"), err,
                            "'speedup' is the metric that compares with the baseline")
               : 0;
}

static int read_tune(struct tune *t, const char *dir, struct error *err)
{
    const struct yaml_node *root = yaml_root(t->file), *limits = yaml_get(root, "limits");
    char folds[32] = "";
    if (spec_begin(t->file, &spec_format_tune, err) < 0 || spec_plugins(t->file, err) < 0 ||
        spec_name(t->file, root, "name", t->name, sizeof t->name, err) < 0)
        return -1;
    if (spec_text(t->file, root, "folds", false, folds, sizeof folds, err) < 0) return -1;
    t->has_folds = strcmp(folds, "benchmark") == 0;
    if (!t->has_folds && *folds)
        return yaml_error(t->file, yaml_get(root, "folds"), err, "folds: benchmark, or leave it out");
    if (spec_limits(t->file, limits, &t->limits, err) < 0) return -1;
    if (t->limits.early_end > 0)
        return yaml_error(t->file, limits, err, "early_end is for sweeps: a search would follow its errors");
    t->size = workload_size("small");
    if (spec_size(t->file, root, &t->size, err) < 0 ||
        selections_read(&t->kernels, t->file, root, "kernels", t->size, err) < 0 ||
        (yaml_get(root, "heldout") && selections_read(&t->heldout, t->file, root, "heldout", t->size, err) < 0))
        return -1;
    if (read_machine(t, root, dir, err) < 0 || read_stack(t, root, err) < 0 || read_parameters(t, root, err) < 0)
        return -1;
    if (tune_read_seeds(t, t->file, yaml_get(root, "seed_points"), err) < 0) return -1;
    return read_metric(t, root, err) < 0 || read_method(t, root, err) < 0 ? -1 : 0;
}

static int tune_from(struct tune **out, struct yaml_file *file, const char *dir, struct error *err)
{
    struct tune *t = calloc(1, sizeof *t);
    if (!t) {
        yaml_file_free(file);
        return error_set(err, ERR_MEMORY, "out of memory for a tuning");
    }
    t->file = file;
    if (read_tune(t, dir, err) < 0) {
        tune_free(t);
        return -1;
    }
    *out = t;
    return 0;
}

int tune_load(struct tune **out, const char *path, const char *configs_dir, struct error *err)
{
    struct yaml_file *file;
    *out = NULL;
    return yaml_load(&file, path, err) < 0 ? -1 : tune_from(out, file, configs_dir, err);
}

int tune_parse(struct tune **out, const char *name, const char *text, size_t size, const char *configs_dir,
               struct error *err)
{
    struct yaml_file *file;
    *out = NULL;
    return yaml_parse(&file, name, text, size, err) < 0 ? -1 : tune_from(out, file, configs_dir, err);
}

/* What is tuned on and held out would say nothing: a trace, or a benchmark of which the user's own kernels are a part.
 */
static int check_overlap(const struct tune *t, const struct launch *train, const struct launch *test, struct error *err)
{
    const char *a = train->workload->benchmark, *b = test->workload->benchmark;
    const bool is_own = train->workload->program[0] == '\0' || test->workload->program[0] == '\0';
    if (memcmp(&test->hash, &train->hash, sizeof test->hash) == 0)
        return error_set(err, ERR_INPUT,
                         "%s: %s is tuned on and held out (%s, the same trace): a figure on it would say nothing",
                         t->name, test->label, train->label);
    if (!is_own || strcmp(a, b) != 0) return 0;
    return error_set(err, ERR_INPUT,
                     "%s: %s is tuned on and %s is held out, both of benchmark %s: a figure on it would say nothing",
                     t->name, train->label, test->label, a);
}

int tune_launches(struct tune *t, const struct registry *registry, const struct lab_paths *paths, struct error *err)
{
    if (selections_launches(&t->kernels, registry, paths, &t->train.launches, err) < 0 ||
        selections_launches(&t->heldout, registry, paths, &t->test.launches, err) < 0)
        return -1;
    for (size_t i = 0; i < t->test.launches.n; i++)
        for (size_t k = 0; k < t->train.launches.n; k++)
            if (check_overlap(t, &t->train.launches.items[k], &t->test.launches.items[i], err) < 0) return -1;
    return 0;
}
