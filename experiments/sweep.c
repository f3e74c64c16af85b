/* YAML -> struct sweep -> launches and jobs. */
#include "poise/sweep.h"

#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/file.h"
#include "spec_read.h"
#include "sweep_axes.h"
#include "sweep_kernels.h"

struct variant { /* a stack with one combination of its axes */
    struct mech_spec stack[MECH_STACK_MAX];
    unsigned n;
    char text[1024];
};
struct setting { struct gpu_params *params; char text[512]; };
struct sweep {
    struct yaml_file *file;
    char name[128], config[512];
    int size;
    struct selections kernels;
    struct variant *variants;
    size_t n_variants, cap_variants;
    struct setting *settings;
    size_t n_settings;
    struct gpu_limits limits;
};

const char *sweep_name(const struct sweep *sweep) { return sweep->name; }
size_t sweep_n_stacks(const struct sweep *sweep) { return sweep->n_variants; }
const char *sweep_stack_text(const struct sweep *sweep, size_t i) { return sweep->variants[i].text; }
size_t sweep_n_configs(const struct sweep *sweep) { return sweep->n_settings; }
const struct gpu_params *sweep_config(const struct sweep *sweep, size_t i) { return sweep->settings[i].params; }
const char *sweep_config_text(const struct sweep *sweep, size_t i) { return sweep->settings[i].text; }

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

int sweep_launches(const struct sweep *sweep, const struct registry *registry, const struct lab_paths *paths,
                   struct launches *out, struct error *err)
{
    return selections_launches(&sweep->kernels, registry, paths, out, err);
}

/* ---- configurations ---- */

static int set_from_map(struct sweep *s, const struct yaml_node *map, struct gpu_params *params, struct error *err)
{
    if (!map) return 0;
    if (map->kind != YAML_MAP) return yaml_error(s->file, map, err, "a map of parameters is needed here, as in {l1.ways: 8}");
    for (size_t i = 0; i < map->n; i++) {
        struct error inner;
        if (map->items[i]->kind != YAML_SCALAR) return yaml_error(s->file, map->items[i], err, "%s needs one value", map->keys[i]);
        if (gpu_params_set(params, map->keys[i], map->items[i]->text, &inner) < 0)
            return yaml_error(s->file, map->items[i], err, "%s", inner.text);
    }
    return 0;
}

static int add_setting(struct sweep *s, const struct gpu_params *base, const struct axes *axes, size_t c, struct error *err)
{
    struct setting *out = &s->settings[s->n_settings];
    struct error inner;
    if (!(out->params = gpu_params_copy(base))) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    s->n_settings++;
    for (size_t i = 0; i < axes->n; i++) {
        const size_t used = strlen(out->text);
        const char *value = axes_value(axes, c, i);
        if (gpu_params_set(out->params, axes->items[i].name, value, &inner) < 0)
            return yaml_error(s->file, axes->items[i].node, err, "%s", inner.text);
        snprintf(out->text + used, sizeof out->text - used, "%s%s=%s", used ? " " : "", axes->items[i].name, value);
    }
    if (gpu_params_check(out->params, &inner) < 0)
        return yaml_error(s->file, axes->n ? axes->items[0].node : yaml_root(s->file), err, "%s%s%s", out->text, *out->text ? ": " : "", inner.text);
    return 0;
}

static int read_configs(struct sweep *s, const struct yaml_node *root, const char *dir, struct error *err)
{
    struct axes axes = {0};
    struct error inner;
    int result = -1;
    snprintf(s->config, sizeof s->config, "kepler32");
    if (spec_text(s->file, root, "config", false, s->config, sizeof s->config, err) < 0) return -1;
    struct gpu_params *base = gpu_params_new();
    if (!base) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (gpu_params_load(base, s->config, dir, &inner) < 0) {
        yaml_error(s->file, yaml_get(root, "config"), err, "%s", inner.text);
        goto done;
    }
    if (set_from_map(s, yaml_get(root, "set"), base, err) < 0 || axes_read(&axes, s->file, yaml_get(root, "axes"), err) < 0) goto done;
    const size_t n = axes_combinations(&axes);
    if (!(s->settings = calloc(n, sizeof *s->settings))) {
        error_set(err, ERR_MEMORY, "out of memory for %zu configurations", n);
        goto done;
    }
    for (size_t c = 0; c < n; c++)
        if (add_setting(s, base, &axes, c, err) < 0) goto done;
    result = 0;
done:
    axes_fini(&axes);
    gpu_params_free(base);
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
        if (dot && (strlen(name) != (size_t)(dot - axis->name) || strncmp(name, axis->name, strlen(name)) != 0)) continue;
        if (!dot && v->n > 1 && !params_find(mech_params(v->stack[k].type), param)) continue;
        if (owner) return yaml_error(s->file, axis->node, err, "%s: two mechanisms have it; write %s.%s", param, name, param);
        owner = &v->stack[k];
    }
    if (!owner) return yaml_error(s->file, axis->node, err, "no mechanism of this stack has a parameter '%s'", axis->name);
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

static int add_variant(struct sweep *s, const struct yaml_node *at, const char *const *mechs, size_t n_mechs, const struct axes *axes,
                       size_t c, struct error *err)
{
    struct variant *v = new_variant(s, err);
    if (!v) return -1;
    for (size_t i = 0; i < n_mechs; i++) {
        struct error inner;
        const size_t used = strlen(v->text);
        if (mech_parse(&v->stack[v->n], mechs[i], &inner) < 0) return yaml_error(s->file, at, err, "%s", inner.text);
        v->n++;
        snprintf(v->text + used, sizeof v->text - used, "%s%s", used ? " + " : "", mechs[i]);
    }
    for (size_t i = 0; i < axes->n; i++)
        if (set_axis(s, v, &axes->items[i], axes_value(axes, c, i), err) < 0) return -1;
    return 0;
}

static int read_stack(struct sweep *s, const struct yaml_node *node, struct error *err)
{
    static const char *const keys[] = {"mech", "axes", "where"};
    const char *mechs[MECH_STACK_MAX] = {0};
    size_t n_mechs = 0, n_conditions = 0, kept = 0;
    struct axes axes = {0};
    struct condition conditions[CONDITIONS_MAX];
    const struct yaml_node *mech = node;
    if (node->kind == YAML_MAP) {
        if (spec_keys(s->file, node, keys, COUNT_OF(keys), err) < 0) return -1;
        if (!(mech = yaml_get(node, "mech"))) return yaml_error(s->file, node, err, "'mech' is missing");
    }
    if (spec_texts(s->file, mech, mechs, MECH_STACK_MAX, &n_mechs, err) < 0) return -1;
    int result = axes_read(&axes, s->file, yaml_get(node, "axes"), err);
    if (result == 0) result = conditions_read(conditions, &n_conditions, &axes, s->file, yaml_get(node, "where"), err);
    const size_t n = result == 0 ? axes_combinations(&axes) : 0;
    for (size_t c = 0; c < n && result == 0; c++)
        if (conditions_hold(conditions, n_conditions, &axes, c)) {
            result = add_variant(s, mech, mechs, n_mechs, &axes, c, err);
            kept++;
        }
    if (result == 0 && kept == 0) result = yaml_error(s->file, yaml_get(node, "where"), err, "the conditions leave nothing of this stack");
    axes_fini(&axes);
    return result;
}

static int read_sweep(struct sweep *s, const char *configs_dir, struct error *err)
{
    static const char *const keys[] = {"schema", "kind", "name", "doc", "size", "kernels", "config", "set", "axes", "stacks", "limits"};
    static const char *const limit_keys[] = {"max_cycles"};
    const struct yaml_node *root = yaml_root(s->file);
    uint64_t schema;
    char kind[32];
    if (spec_keys(s->file, root, keys, COUNT_OF(keys), err) < 0 || spec_u64(s->file, root, "schema", true, 1, 1, &schema, err) < 0 ||
        spec_text(s->file, root, "kind", true, kind, sizeof kind, err) < 0 ||
        spec_text(s->file, root, "name", true, s->name, sizeof s->name, err) < 0)
        return -1;
    if (strcmp(kind, "sweep") != 0)
        return yaml_error(s->file, yaml_get(root, "kind"), err, "kind '%s': this command runs sweeps ('poise run' runs pipelines)", kind);
    const struct yaml_node *limits = yaml_get(root, "limits"), *stacks = yaml_get(root, "stacks");
    if (limits && (spec_keys(s->file, limits, limit_keys, COUNT_OF(limit_keys), err) < 0 ||
                   spec_u64(s->file, limits, "max_cycles", false, 1, INT64_MAX, &s->limits.max_cycles, err) < 0))
        return -1;
    s->size = workload_size("small");
    if (spec_size(s->file, root, &s->size, err) < 0 || selections_read(&s->kernels, s->file, root, "kernels", s->size, err) < 0 || read_configs(s, root, configs_dir, err) < 0) return -1;
    if (!stacks || stacks->kind != YAML_LIST || stacks->n == 0)
        return yaml_error(s->file, stacks ? stacks : root, err, "'stacks' must be a list of mechanisms or {mech, axes, where}");
    for (size_t i = 0; i < stacks->n; i++)
        if (read_stack(s, stacks->items[i], err) < 0) return -1;
    return 0;
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

int sweep_parse(struct sweep **out, const char *name, const char *text, size_t size, const char *configs_dir, struct error *err)
{
    struct yaml_file *file;
    *out = NULL;
    return yaml_parse(&file, name, text, size, err) < 0 ? -1 : sweep_from(out, file, configs_dir, err);
}

int sweep_jobs(const struct sweep *sweep, const struct launches *launches, struct run_job **out, size_t *n, struct error *err)
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
                job->index = *n - 1;
                if (stack_copy(job->stack, &job->n_stack, sweep->variants[v].stack, sweep->variants[v].n, err) < 0) return -1;
            }
    return 0;
}

int sweep_write_csv(const struct sweep *sweep, const struct run_job *jobs, size_t n, const char *path, struct error *err)
{
    static const char *const figures[] = {"core_cycles", "warp_insts", "ipc", "l1d_hit_rate", "l2_hit_rate", "aml_cycles"};
    char *text = NULL, number[40], hash[HASH_TEXT_SIZE];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for %s", path);
    fprintf(out, "kernel,launch,trace,config,mechs,complete,error");
    for (size_t f = 0; f < COUNT_OF(figures); f++) fprintf(out, ",%s", figures[f]);
    fputc('\n', out);
    for (size_t i = 0; i < n; i++) {
        const struct run_job *job = &jobs[i];
        hash_text(&job->launch->hash, hash);
        fprintf(out, "%s,%s,%s,", job->launch->kernel, job->launch->label, hash);
        csv_print(out, sweep->settings[job->index / sweep->n_variants % sweep->n_settings].text);
        fputc(',', out);
        csv_print(out, sweep->variants[job->index % sweep->n_variants].text);
        fprintf(out, ",%d,", job->result.complete);
        if (job->result.err.code != ERR_NONE) csv_print(out, job->result.err.text);
        for (size_t f = 0; f < COUNT_OF(figures); f++)
            fprintf(out, ",%s", job->result.stats && job->result.err.code == ERR_NONE
                                    ? number_text(gpu_stats_value(job->result.stats, figures[f]), number, sizeof number) : "");
        fputc('\n', out);
    }
    fclose(out);
    const int result = file_write(path, text, size, err);
    free(text);
    return result;
}
