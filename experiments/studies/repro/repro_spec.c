/* YAML -> struct repro_spec: points as configurations. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/program_sample.h"
#include "poise/repro.h"
#include "studies/repro/repro_internal.h"
#include "studies/sweep/warp_limit.h"
#include "workload/spec_read.h"

const char *const repro_mode_names[N_REPRO_MODES] = {"quick", "full"};

void repro_spec_fini(struct repro_spec *spec)
{
    for (size_t i = 0; i < spec->n_points; i++) {
        gpu_params_free(spec->params[i]);
        for (unsigned k = 0; k < spec->n_stacks[i]; k++) mech_free(&spec->stacks[i][k]);
        spec->n_stacks[i] = 0;
    }
    spec->n_points = 0;
}

void repro_spec_points(const struct repro_spec *spec, struct repro_data *data)
{
    data->n_points = spec->n_points;
    memcpy(data->points, spec->points, sizeof data->points);
    for (size_t p = 0; p < spec->n_points; p++) {
        data->params[p] = spec->params[p];
        data->stacks[p] = spec->stacks[p];
        data->n_stacks[p] = spec->n_stacks[p];
    }
    if (*spec->chosen.name) snprintf(data->points[data->n_points++], sizeof data->points[0], "%s", spec->chosen.name);
}

/* ---- points ---- */

/* In proportion, as a whole number that the row allows. */
static uint32_t in_proportion(const struct param_row *row, uint32_t to, uint32_t from, uint32_t point)
{
    double value = round((double)to * point / from);
    value = fmin(fmax(value, row->min), row->max);
    return (uint32_t)value;
}

/* What `point` changes of `from`, applied to `to`. */
static int transfer(struct gpu_params *to, const struct gpu_params *from, const struct gpu_params *point,
                    struct error *err)
{
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    for (size_t g = 0; g < n; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            const char *a = (const char *)from + groups[g].offset, *b = (const char *)point + groups[g].offset;
            const char *t = (const char *)to + groups[g].offset;
            char before[PARAM_TEXT_MAX], after[PARAM_TEXT_MAX], dotted[128];
            params_text(row, a, before, sizeof before);
            params_text(row, b, after, sizeof after);
            if (strcmp(before, after) == 0) continue;
            if (row->type == VALUE_U32) {
                uint32_t was, is, have;
                memcpy(&was, a + row->offset, sizeof was);
                memcpy(&is, b + row->offset, sizeof is);
                memcpy(&have, t + row->offset, sizeof have);
                if (was) snprintf(after, sizeof after, "%u", (unsigned)in_proportion(row, have, was, is));
            }
            snprintf(dotted, sizeof dotted, "%s.%s", groups[g].table.owner, row->name);
            if (gpu_params_set(to, dotted, after, err) < 0) return -1;
        }
    return 0;
}

/* Says of the point being added where rounding or a row's range left more than a tenth of the ratio. */
static void note_kept(struct repro_spec *s, const struct gpu_params *own, const struct gpu_params *point,
                      const struct gpu_params *got)
{
    size_t n;
    char name[REPRO_NAME_MAX];
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    memcpy(name, s->points[s->n_points], sizeof name);
    for (size_t g = 0; g < n; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            uint32_t was, is, have, is_now;
            if (row->type != VALUE_U32) continue;
            memcpy(&was, (const char *)own + groups[g].offset + row->offset, sizeof was);
            memcpy(&is, (const char *)point + groups[g].offset + row->offset, sizeof is);
            memcpy(&have, (const char *)s->params[0] + groups[g].offset + row->offset, sizeof have);
            memcpy(&is_now, (const char *)got + groups[g].offset + row->offset, sizeof is_now);
            const double exact = was ? (double)have * is / was : is_now;
            if (was == is || fabs(is_now - exact) <= 0.1 * exact) continue;
            if (s->n_kept++ >= COUNT_OF(s->kept)) continue;
            snprintf(s->kept[s->n_kept - 1], sizeof s->kept[0], "point %s: %s.%s is %u, in proportion it would be %g",
                     name, groups[g].table.owner, row->name, (unsigned)is_now, exact);
        }
}

static int point_change(const struct yaml_file *file, const struct yaml_node *node, struct gpu_params *params,
                        const char *configs_dir, struct error *err)
{
    const struct yaml_node *set = yaml_get(node, "set"), *machine = yaml_get(node, "machine"),
                           *config = machine ? machine : yaml_get(node, "config");
    struct error inner;
    if (config && config->kind != YAML_SCALAR)
        return yaml_error(file, config, err, "config: the name of a preset is needed here");
    if (config && gpu_params_load(params, config->text, configs_dir, &inner) < 0)
        return yaml_error(file, config, err, "%s", inner.text);
    if (set && set->kind != YAML_MAP)
        return yaml_error(file, set, err, "a map of parameters is needed here, as in {l1.ways: 8}");
    for (size_t i = 0; set && i < set->n; i++) {
        if (set->items[i]->kind != YAML_SCALAR)
            return yaml_error(file, set->items[i], err, "%s needs one value", set->keys[i]);
        if (gpu_params_set(params, set->keys[i], set->items[i]->text, &inner) < 0)
            return yaml_error(file, set->items[i], err, "%s", inner.text);
    }
    return 0;
}

/* The point's own stack, else the spec's, else gto. "@models/" is the folder of the models that come with the
 * program. */
static int point_stack(struct repro_spec *s, const struct yaml_file *file, const struct yaml_node *node, size_t point,
                       const char *configs_dir, struct error *err)
{
    const struct yaml_node *own = yaml_get(node, "mech"), *from = own ? own : yaml_get(yaml_root(file), "mech");
    const char *texts[MECH_STACK_MAX] = {"gto"};
    size_t n = 1;
    struct error inner;
    if (from && spec_mechs(file, from, texts, MECH_STACK_MAX, &n, err) < 0) return -1;
    for (size_t i = 0; i < n; i++, s->n_stacks[point]++) {
        char text[LAB_MECH_TEXT];
        lab_models_in(text, sizeof text, texts[i], configs_dir);
        if (warp_limit_parse(&s->stacks[point][i], s->limit_keys[point][i], text, &inner) < 0)
            return yaml_error(file, from, err, "%s", inner.text);
    }
    return 0;
}

/* A marking lies below experiments/specs. */
static int point_marking(struct repro_spec *s, const struct yaml_file *file, const struct yaml_node *node, size_t point,
                         const char *configs_dir, struct error *err)
{
    char name[128] = "";
    char *out = s->markings[point];
    if (spec_text(file, node, "marking", false, name, sizeof name, err) < 0) return -1;
    if (*name &&
        snprintf(out, sizeof s->markings[0], "%s/../specs/%s", configs_dir, name) >= (int)sizeof s->markings[0])
        return yaml_error(file, yaml_get(node, "marking"), err, "the path of this marking is too long");
    return 0;
}

/* `own` is the spec's configuration, point 0 the one in use. */
static int add_point(struct repro_spec *s, const struct yaml_file *file, const struct yaml_node *node,
                     const struct gpu_params *own, const char *configs_dir, bool is_own, struct error *err)
{
    static const char *const keys[] = {"name", "config", "machine", "set", "mech", "marking", "doc"};
    struct error inner;
    if (s->n_points == REPRO_POINTS_MAX)
        return yaml_error(file, node, err, "more than %d points", REPRO_POINTS_MAX - 1);
    is_own |= yaml_get(node, "machine") != NULL; /* as it is, whatever the configuration in use */
    char *name = s->points[s->n_points];
    if (spec_keys(file, node, keys, COUNT_OF(keys), err) < 0 ||
        spec_text(file, node, "name", true, name, REPRO_NAME_MAX, err) < 0 ||
        point_marking(s, file, node, s->n_points, configs_dir, err) < 0)
        return -1;
    for (size_t i = 0; i < s->n_points; i++)
        if (strcmp(s->points[i], name) == 0) return yaml_error(file, node, err, "a second point '%s'", name);
    struct gpu_params *point = gpu_params_copy(own), *params = is_own ? point : gpu_params_copy(s->params[0]);
    int result = point && params ? 0 : error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (result == 0) result = point_change(file, node, point, configs_dir, err);
    if (result == 0 && !is_own && transfer(params, own, point, &inner) < 0)
        result = yaml_error(file, node, err, "%s", inner.text);
    if (result == 0 && gpu_params_check(params, &inner) < 0) {
        if (!is_own && repro_refuse_point(s, file, name, &inner)) {
            gpu_params_free(point);
            gpu_params_free(params);
            return 0;
        }
        result = yaml_error(file, node, err, "point %s: %s", name, inner.text);
    }
    if (result == 0 && !is_own) note_kept(s, own, point, params);
    if (!is_own) gpu_params_free(point);
    if (result < 0) {
        gpu_params_free(params);
        return -1;
    }
    s->params[s->n_points++] = params;
    return point_stack(s, file, node, s->n_points - 1, configs_dir, err);
}

static int read_points(struct repro_spec *s, const struct yaml_file *file, const char *configs_dir, const char *config,
                       struct error *err)
{
    const struct yaml_node *root = yaml_root(file), *list = yaml_get(root, "points");
    struct error inner;
    char own_name[128];
    if (spec_text(file, root, "config", true, own_name, sizeof own_name, err) < 0) return -1;
    if (config && strlen(config) >= sizeof s->config)
        return error_set(err, ERR_USAGE, "--config: this name is too long");
    snprintf(s->config, sizeof s->config, "%s", config ? config : own_name);
    struct gpu_params *own = gpu_params_new(), *base = gpu_params_new();
    int result = own && base ? 0 : error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (result == 0 && gpu_params_load(own, own_name, configs_dir, &inner) < 0)
        result = yaml_error(file, yaml_get(root, "config"), err, "%s", inner.text);
    if (result == 0) result = gpu_params_load(base, s->config, configs_dir, err);
    if (result < 0) {
        gpu_params_free(base);
    } else {
        snprintf(s->points[0], REPRO_NAME_MAX, "base");
        s->params[s->n_points++] = base;
        result = point_stack(s, file, root, 0, configs_dir, err);
        if (result == 0 && list && list->kind != YAML_LIST)
            result = yaml_error(file, list, err, "points are a list of {name, config, set}");
        for (size_t i = 0; list && result == 0 && i < list->n; i++)
            result = add_point(s, file, list->items[i], own, configs_dir, strcmp(own_name, s->config) == 0, err);
        if (result == 0) result = repro_combine(s, file, err);
    }
    gpu_params_free(own);
    return result;
}

/* ---- scopes and kernels ---- */

static int read_choice(const struct yaml_file *file, const struct yaml_node *map, const char *key, const char *yes,
                       const char *no, bool *out, struct error *err)
{
    char text[16];
    snprintf(text, sizeof text, "%s", no);
    if (spec_text(file, map, key, false, text, sizeof text, err) < 0) return -1;
    *out = strcmp(text, yes) == 0;
    return *out || strcmp(text, no) == 0 ? 0 : yaml_error(file, yaml_get(map, key), err, "%s: %s or %s", key, yes, no);
}

static int read_mixes(size_t out[3], const struct yaml_file *file, const struct yaml_node *list, struct error *err)
{
    size_t sum = 0;
    bool is_right = !list || (list->kind == YAML_LIST && list->n == 3);
    for (size_t i = 0; list && is_right && i < 3; i++) {
        char *end = NULL;
        out[i] = list->items[i]->kind == YAML_SCALAR ? strtoul(list->items[i]->text, &end, 10) : 0;
        is_right = end && !*end && out[i] <= REPRO_MIXES_MAX && (sum += out[i]) <= REPRO_MIXES_MAX;
    }
    if (is_right && (!list || sum)) return 0;
    return yaml_error(file, list, err,
                      "mixes: how many with 1, 2 and 4 CPU programs, as in [6, 5, 5]; together at most %d",
                      REPRO_MIXES_MAX);
}

static int read_chosen(struct repro_spec *s, const struct yaml_file *file, struct error *err)
{
    static const char *const keys[] = {"name", "among"};
    const struct yaml_node *node = yaml_get(yaml_root(file), "chosen");
    if (!node) return 0;
    if (node->kind != YAML_MAP) return yaml_error(file, node, err, "chosen: {name: NAME, among: \"GLOB\"}");
    if (s->n_points == REPRO_POINTS_MAX)
        return yaml_error(file, node, err, "more than %d points", REPRO_POINTS_MAX - 1);
    if (spec_keys(file, node, keys, COUNT_OF(keys), err) < 0 ||
        spec_text(file, node, "name", true, s->chosen.name, sizeof s->chosen.name, err) < 0 ||
        spec_text(file, node, "among", true, s->chosen.among, sizeof s->chosen.among, err) < 0)
        return -1;
    bool is_any = false;
    for (size_t p = 0; p < s->n_points; p++) {
        is_any |= p > 0 && fnmatch(s->chosen.among, s->points[p], 0) == 0;
        if (strcmp(s->points[p], s->chosen.name) == 0)
            return yaml_error(file, node, err, "a second point '%s'", s->chosen.name);
    }
    return is_any ? 0 : yaml_error(file, node, err, "no point is called like '%s'", s->chosen.among);
}

static int read_scope(struct repro_scope *out, const struct yaml_file *file, const char *mode, struct error *err)
{
    static const char *const keys[] = {"size", "launches", "inputs", "max_cycles", "from_cycle", "insts", "mixes"};
    const struct yaml_node *map = yaml_get(yaml_root(file), mode);
    char size[16] = "small";
    out->insts = REPRO_INSTS_DEFAULT;
    if (!map || map->kind != YAML_MAP)
        return yaml_error(file, map ? map : yaml_root(file), err,
                          "'%s' must be a map {size, launches, inputs, max_cycles, from_cycle, insts, mixes}", mode);
    if (spec_keys(file, map, keys, COUNT_OF(keys), err) < 0 ||
        spec_text(file, map, "size", false, size, sizeof size, err) < 0 ||
        spec_u64(file, map, "max_cycles", false, 1, INT64_MAX, &out->max_cycles, err) < 0 ||
        spec_u64(file, map, "from_cycle", false, 1, INT64_MAX, &out->from_cycle, err) < 0 ||
        spec_u64(file, map, "insts", false, 1000, INT64_MAX, &out->insts, err) < 0 ||
        read_choice(file, map, "launches", "profiled", "all", &out->is_profiled_only, err) < 0 ||
        read_choice(file, map, "inputs", "first", "all", &out->is_first_input, err) < 0 ||
        read_mixes(out->mixes, file, yaml_get(map, "mixes"), err) < 0)
        return -1;
    if (out->from_cycle && out->from_cycle >= out->max_cycles)
        return yaml_error(file, yaml_get(map, "from_cycle"), err,
                          "from_cycle must be below max_cycles, at which runs end");
    if ((out->size = workload_size(size)) < 0)
        return yaml_error(file, yaml_get(map, "size"), err, "size '%s': choose test, small, eval or full", size);
    return 0;
}

enum { KERNELS_MAX = sizeof(((struct repro_spec *)0)->kernels) / sizeof(((struct repro_spec *)0)->kernels[0]) };

/* *n: how many there are where the spec names none, which is "*". */
static int read_kernels(char (*out)[64], size_t *n, const struct yaml_file *file, const char *key, struct error *err)
{
    const struct yaml_node *node = yaml_get(yaml_root(file), key);
    const char *texts[KERNELS_MAX] = {"*"};
    if (node && spec_texts(file, node, texts, COUNT_OF(texts), n, err) < 0) return -1;
    for (size_t i = 0; i < *n; i++) {
        if (strlen(texts[i]) >= sizeof out[i]) return yaml_error(file, node, err, "'%s' is too long", texts[i]);
        snprintf(out[i], sizeof out[i], "%s", texts[i]);
    }
    return 0;
}

static int read_sample(struct repro_spec *s, const struct yaml_file *file, struct error *err)
{
    const struct yaml_node *root = yaml_root(file);
    struct sample_options options;
    struct error inner;
    if (spec_text(file, root, "sample", false, s->sample, sizeof s->sample, err) < 0) return -1;
    return *s->sample && sample_options_parse(&options, s->sample, &inner) < 0
               ? yaml_error(file, yaml_get(root, "sample"), err, "%s", inner.text)
               : 0;
}

static int read_spec(struct repro_spec *s, const struct yaml_file *file, const char *configs_dir, const char *config,
                     struct error *err)
{
    static const char *const keys[] = {"schema",   "kind",     "name",          "doc",     "config", "mech",
                                       "by",       "kernels",  "paper_kernels", "quick",   "full",   "points",
                                       "networks", "programs", "chosen",        "combine", "sample"};
    const struct yaml_node *root = yaml_root(file);
    uint64_t schema;
    char kind[32];
    *s = (struct repro_spec){0};
    if (spec_keys(file, root, keys, COUNT_OF(keys), err) < 0 ||
        spec_u64(file, root, "schema", true, 1, 1, &schema, err) < 0 ||
        spec_text(file, root, "kind", true, kind, sizeof kind, err) < 0 ||
        spec_name(file, root, "name", s->name, sizeof s->name, err) < 0 ||
        spec_text(file, root, "networks", false, s->networks, sizeof s->networks, err) < 0)
        return -1;
    if (strcmp(kind, "repro") != 0)
        return yaml_error(file, yaml_get(root, "kind"), err, "kind '%s': a study's spec is of kind repro", kind);
    s->n_kernels = 1;
    if (read_kernels(s->kernels, &s->n_kernels, file, "kernels", err) < 0 ||
        read_kernels(s->paper_kernels, &s->n_paper_kernels, file, "paper_kernels", err) < 0 ||
        read_kernels(s->programs, &s->n_programs, file, "programs", err) < 0 ||
        read_choice(file, root, "by", "launch", "benchmark", &s->is_by_launch, err) < 0)
        return -1;
    for (size_t m = 0; m < N_REPRO_MODES; m++)
        if (read_scope(&s->scopes[m], file, repro_mode_names[m], err) < 0) return -1;
    if (read_sample(s, file, err) < 0) return -1;
    return read_points(s, file, configs_dir, config, err) < 0 ? -1 : read_chosen(s, file, err);
}

static int take_file(struct repro_spec *out, struct yaml_file *file, const char *configs_dir, const char *config,
                     struct error *err)
{
    const int result = read_spec(out, file, configs_dir, config, err);
    yaml_file_free(file);
    if (result < 0) repro_spec_fini(out);
    return result;
}

int repro_spec_load(struct repro_spec *out, const char *path, const char *configs_dir, const char *config,
                    struct error *err)
{
    struct yaml_file *file;
    return yaml_load(&file, path, err) < 0 ? -1 : take_file(out, file, configs_dir, config, err);
}

int repro_spec_parse(struct repro_spec *out, const char *name, const char *text, size_t size, const char *configs_dir,
                     const char *config, struct error *err)
{
    struct yaml_file *file;
    return yaml_parse(&file, name, text, size, err) < 0 ? -1 : take_file(out, file, configs_dir, config, err);
}
