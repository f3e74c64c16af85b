/* YAML -> struct tune. */
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/spec_format.h"
#include "workload/spec_read.h"
#include "studies/tune/tune_internal.h"

#define POINTS_MAX 9e18 /* a point is one whole number */

static const char *const method_names[] = {
#define M(id, doc) #id,
    TUNE_METHODS(M)
#undef M
};

int tune_method_find(const char *name)
{
    for (int i = 0; i < N_TUNE_METHODS; i++)
        if (strcmp(name, method_names[i]) == 0) return i;
    return -1;
}

const char *tune_method_name(enum tune_method method) { return method_names[method]; }

const char *tune_name(const struct tune *tune) { return tune->name; }

static void set_fini(struct tune_set *s)
{
    for (int k = 0; k < TUNE_RUNGS; k++) {
        for (size_t i = 0; s->base[k] && i < s->launches.n; i++) run_job_fini(&s->base[k][i]);
        free(s->base[k]);
    }
    tune_samples_free(s->samples);
    launches_fini(&s->launches);
    free(s->swl);
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
    for (size_t k = 0; k < MECH_STACK_MAX; k++) t->presence[k] = -1;
    if (!node) return yaml_error(t->file, root, err, "'mech' is missing: a mechanism or a list");
    if (spec_mechs(t->file, node, texts, MECH_STACK_MAX, &n, err) < 0) return -1;
    for (size_t i = 0; i < n; i++, t->n_stack++)
        if (warp_limit_parse(&t->stack[i], t->swl_key[i], texts[i], &inner) < 0)
            return yaml_error(t->file, node, err, "%s", inner.text);
    if (spec_text(t->file, root, "baseline", false, baseline, sizeof baseline, err) < 0) return -1;
    if (mech_parse(&t->baseline, baseline, &inner) < 0)
        return yaml_error(t->file, yaml_get(root, "baseline"), err, "%s", inner.text);
    t->has_baseline = true;
    return 0;
}

/* The name of a mechanism of the stack: whether it is in it, {bucl: [on, off]}. */
static int resolve_presence(struct tune *t, size_t a, unsigned mech, struct error *err)
{
    static const char *const words[] = {"on", "off", "true", "false", "yes", "no"};
    const struct axis *axis = &t->axes.items[a];
    for (size_t i = 0; i < axis->n; i++) {
        size_t w = 0;
        while (w < COUNT_OF(words) && strcmp(words[w], axis->values[i]) != 0) w++;
        if (w == COUNT_OF(words))
            return yaml_error(t->file, axis->node, err, "%s is a mechanism of the stack: [on, off] leaves it in or out",
                              axis->name);
    }
    t->target[a] = (int)mech;
    t->presence[mech] = (int)a;
    return 0;
}

/* "mech.param", "param" of the one mechanism that has it, "group.param" of the machine, or a mechanism. */
static int resolve(struct tune *t, size_t a, struct error *err)
{
    const struct axis *axis = &t->axes.items[a];
    const char *dot = strchr(axis->name, '.');
    struct error inner;
    t->target[a] = -1;
    t->key[a] = axis->name;
    for (unsigned k = 0; k < t->n_stack; k++)
        if (strcmp(mech_name(t->stack[k].type), axis->name) == 0) return resolve_presence(t, a, k, err);
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

/* {l1.tsc_private_bits: l1.organisation == tsc}: a condition or a list of them for each. */
static int read_whens(struct tune *t, const struct yaml_node *map, struct error *err)
{
    if (map && map->kind != YAML_MAP)
        return yaml_error(t->file, map, err,
                          "when is a map: {PARAMETER: CONDITION}, as {l1.dsc_tags: l1.organisation == dsc}");
    for (size_t i = 0; map && i < map->n; i++) {
        const struct yaml_node *node = map->items[i];
        size_t a = 0;
        while (a < t->axes.n && strcmp(t->axes.items[a].name, map->keys[i]) != 0) a++;
        if (a == t->axes.n)
            return yaml_error(t->file, node, err, "when: %s is no parameter of this tuning", map->keys[i]);
        for (size_t k = 0; k < (node->kind == YAML_LIST ? node->n : 1); k++) {
            if (t->n_whens == WHENS_MAX) return yaml_error(t->file, node, err, "more than %d conditions", WHENS_MAX);
            struct condition *condition = &t->whens[t->n_whens];
            if (condition_read(condition, &t->axes, t->file, node->kind == YAML_LIST ? node->items[k] : node, err) < 0)
                return -1;
            if (condition->left == (int)a || condition->right == (int)a)
                return yaml_error(t->file, node, err, "when: %s cannot exist by its own value", map->keys[i]);
            t->when_axis[t->n_whens++] = a;
        }
    }
    return 0;
}

static int check_whens(const struct tune *t, const struct yaml_node *map, struct error *err)
{
    for (size_t a = 0; a < t->axes.n; a++) {
        const struct axis *axis = &t->axes.items[a];
        const struct yaml_node *when = map ? yaml_get(map, axis->name) : NULL, *at = when ? when : axis->node;
        if (tune_asks_itself(t, a))
            return yaml_error(t->file, at, err, "when: whether %s exists hangs, through others, on its own value",
                              axis->name);
        if (tune_exists_nowhere(t, a))
            return yaml_error(t->file, at, err,
                              "%s exists at no point: its mechanism is off, or what 'when' asks for is never so",
                              axis->name);
    }
    return 0;
}

static int read_parameters(struct tune *t, const struct yaml_node *root, struct error *err)
{
    const struct yaml_node *map = yaml_get(root, "parameters");
    if (!map || map->kind != YAML_MAP || map->n == 0)
        return yaml_error(t->file, map ? map : root, err, "'parameters' must be a map: name: a list or a range");
    if (axes_read_each(&t->axes, t->file, map, POINTS_MAX, err) < 0) return -1;
    for (size_t a = 0; a < t->axes.n; a++)
        if (resolve(t, a, err) < 0) return -1;
    if (read_whens(t, yaml_get(root, "when"), err) < 0 || check_whens(t, yaml_get(root, "when"), err) < 0) return -1;
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
    const int method = tune_method_find(name);
    if (method >= 0) {
        t->method = (enum tune_method)method;
        return 0;
    }
    char known[160] = "";
    for (int i = 0; i < N_TUNE_METHODS && strlen(known) + 40 < sizeof known; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s",
                 i == 0                    ? ""
                 : i + 1 == N_TUNE_METHODS ? " or "
                                           : ", ",
                 method_names[i]);
    return yaml_error(t->file, yaml_get(map, "name"), err, "no method '%s'%s: choose %s", name,
                      did_you_mean(name, method_names, N_TUNE_METHODS, sizeof *method_names).text, known);
}

/* One objective; `goal` empty: as its figure says, else max. */
static int read_objective(struct tune *t, const struct yaml_node *node, const char *text, const char *goal,
                          struct error *err)
{
    struct objective *o = &t->objectives[t->n_objectives++];
    const struct energy_value_row *figure = energy_value_find(text);
    if (snprintf(o->text, sizeof o->text, "%s", text) >= (int)sizeof o->text)
        return yaml_error(t->file, node, err, "this metric is too long");
    o->is_speedup = strcmp(text, "speedup") == 0;
    o->is_min = *goal ? strcmp(goal, "min") == 0 : figure && figure->is_better_small;
    if (o->is_speedup) return 0;
    if (metric_read(&o->formula, o->text, t->file, node, err) < 0) return -1;
    if (o->formula.has_reference)
        return yaml_error(t->file, node, err,
                          "'reference.' is for sweeps over machines; here baseline.X is that of the baseline on the "
                          "spec's machine");
    for (size_t i = 0; i < o->formula.n; i++)
        if (o->formula.ops[i].kind == METRIC_STAT) return 0;
    return yaml_error(t->file, node, err, "no statistic of the points is in '%s': it is the same at all of them", text);
}

static int read_metric(struct tune *t, const struct yaml_node *root, struct error *err)
{
    const struct yaml_node *metric = yaml_get(root, "metric"), *goal = yaml_get(root, "goal");
    const char *texts[TUNE_OBJECTIVES_MAX] = {"speedup"}, *goals[TUNE_OBJECTIVES_MAX] = {"", "", "", ""};
    size_t n = 1, n_goals = 0;
    if (metric && spec_names(t->file, metric, texts, TUNE_OBJECTIVES_MAX, &n, err) < 0) return -1;
    if (goal && spec_texts(t->file, goal, goals, TUNE_OBJECTIVES_MAX, &n_goals, err) < 0) return -1;
    if (n == 0) return yaml_error(t->file, metric, err, "metric: speedup, a formula, or a list of them");
    if (n_goals && n_goals != n)
        return yaml_error(t->file, goal, err, "%zu goals for %zu metrics: one for each, or none", n_goals, n);
    for (size_t i = 0; i < n; i++) {
        const struct yaml_node *node = metric && metric->kind == YAML_LIST ? metric->items[i] : metric;
        if (i < n_goals && strcmp(goals[i], "max") != 0 && strcmp(goals[i], "min") != 0)
            return yaml_error(t->file, goal, err, "goal: max or min");
        if (read_objective(t, node, texts[i], goals[i], err) < 0) return -1;
    }
    return 0;
}

/* Those that follow one score cannot follow several. */
bool tune_method_takes(const struct tune *t, enum tune_method method)
{
    return t->n_objectives == 1 || method == TUNE_grid || method == TUNE_random || method == TUNE_sobol ||
           method == TUNE_gp;
}

static int check_method(const struct tune *t, const struct yaml_node *root, struct error *err)
{
    if (tune_method_takes(t, t->method)) return 0;
    return yaml_error(t->file, yaml_get(yaml_get(root, "method"), "name"), err,
                      "%s follows one metric; several need gp, random, sobol or grid", method_names[t->method]);
}

int tune_set_sample(struct tune *t, const char *text, struct error *err)
{
    if (sample_options_parse(&t->sampling, text, err) < 0) return -1;
    t->is_sampled = true;
    return tune_check_sample(t, err);
}

bool tune_is_sampled(const struct tune *tune) { return tune->is_sampled; }
void tune_leave_unchecked(struct tune *tune) { tune->is_unchecked = true; }

static int read_sample(struct tune *t, const struct yaml_node *root, struct error *err)
{
    char text[200] = "";
    struct error inner;
    if (spec_text(t->file, root, "sample", false, text, sizeof text, err) < 0) return -1;
    return *text && tune_set_sample(t, text, &inner) < 0
               ? yaml_error(t->file, yaml_get(root, "sample"), err, "%s", inner.text)
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
    t->folds_are_families = strcmp(folds, "family") == 0;
    t->has_folds = t->folds_are_families || strcmp(folds, "benchmark") == 0;
    if (!t->has_folds && *folds)
        return yaml_error(t->file, yaml_get(root, "folds"), err, "folds: benchmark or family, or leave it out");
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
    if (read_metric(t, root, err) < 0 || read_method(t, root, err) < 0 || check_method(t, root, err) < 0) return -1;
    return read_sample(t, root, err);
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

int tune_load_again(struct tune **out, const struct tune *of, const char *path, const char *configs_dir,
                    struct error *err)
{
    if (tune_load(out, path, configs_dir, err) < 0) return -1;
    (*out)->is_sampled = of->is_sampled;
    (*out)->sampling = of->sampling;
    return 0;
}

int tune_parse(struct tune **out, const char *name, const char *text, size_t size, const char *configs_dir,
               struct error *err)
{
    struct yaml_file *file;
    *out = NULL;
    return yaml_parse(&file, name, text, size, err) < 0 ? -1 : tune_from(out, file, configs_dir, err);
}

/* What is tuned on and held out would say nothing: a trace, or a benchmark that the user's own kernels belong to. */
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
