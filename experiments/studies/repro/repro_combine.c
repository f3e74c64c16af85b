#include "studies/repro/repro_internal.h"

#include <string.h>
#include "poise/sweep.h"
#include "poise/sys/hooks.h"
#include "workload/spec_read.h"

/* What has been put together of a point so far. */
struct mixture {
    struct gpu_params *params;
    struct mech_spec stack[MECH_STACK_MAX];
    char limit_keys[MECH_STACK_MAX][32];
    unsigned n_stack;
    const char *marking;
};

static int no_memory(struct error *err) { return error_set(err, ERR_MEMORY, "out of memory for a combination"); }

/* The member before `at` whose machine has this text in this row. */
static const char *who_set(const struct repro_spec *s, const struct repro_combined *of, size_t at, size_t offset,
                           const struct param_row *row, const char *text)
{
    for (size_t i = 0; i < at; i++) {
        char own[PARAM_TEXT_MAX];
        params_text(row, (const char *)s->params[of->members[i]] + offset, own, sizeof own);
        if (strcmp(own, text) == 0) return s->points[of->members[i]];
    }
    return s->points[of->members[0]];
}

/* What the member's machine changes of the unchanged one. Two that change one parameter must agree. */
static int add_machine(struct mixture *m, const struct repro_spec *s, const struct repro_combined *of, size_t at,
                       struct error *why)
{
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    const struct gpu_params *point = s->params[of->members[at]];
    for (size_t g = 0; g < n; g++)
        for (size_t r = 0; r < groups[g].table.n_rows; r++) {
            const struct param_row *row = &groups[g].table.rows[r];
            const size_t offset = groups[g].offset;
            char base[PARAM_TEXT_MAX], own[PARAM_TEXT_MAX], have[PARAM_TEXT_MAX], dotted[128];
            params_text(row, (const char *)s->params[0] + offset, base, sizeof base);
            params_text(row, (const char *)point + offset, own, sizeof own);
            params_text(row, (const char *)m->params + offset, have, sizeof have);
            if (strcmp(own, base) == 0 || strcmp(own, have) == 0) continue;
            snprintf(dotted, sizeof dotted, "%s.%s", groups[g].table.owner, row->name);
            if (strcmp(have, base) != 0)
                return error_set(why, ERR_USAGE, "%s sets %s to %.40s and %s to %.40s; a machine has one of them",
                                 who_set(s, of, at, offset, row, have), dotted, have, s->points[of->members[at]], own);
            if (gpu_params_set(m->params, dotted, own, why) < 0) return -1;
        }
    return 0;
}

/* The member's mechanisms behind those that are there; gto, the schedule without a mechanism, is left out. */
static int add_stack(struct mixture *m, const struct repro_spec *s, size_t point, struct error *err)
{
    for (unsigned k = 0; k < s->n_stacks[point]; k++) {
        const struct mech_spec *mech = &s->stacks[point][k];
        unsigned n = 0;
        if (strcmp(mech_name(mech->type), "gto") == 0) continue;
        if (m->n_stack == MECH_STACK_MAX)
            return error_set(err, ERR_USAGE, "a stack of more than %d mechanisms", MECH_STACK_MAX);
        if (stack_copy(&m->stack[m->n_stack], &n, mech, 1, err) < 0) return -1;
        memcpy(m->limit_keys[m->n_stack++], s->limit_keys[point][k], sizeof m->limit_keys[0]);
    }
    return 0;
}

/* -1: `why` says what cannot be put together; its code is ERR_MEMORY where memory ran out. */
static int mix(struct mixture *m, const struct repro_spec *s, const struct repro_combined *of, struct error *why)
{
    if (!(m->params = gpu_params_copy(s->params[0]))) return no_memory(why);
    for (size_t i = 0; i < of->n; i++) {
        const char *marking = s->markings[of->members[i]];
        if (add_machine(m, s, of, i, why) < 0 || add_stack(m, s, of->members[i], why) < 0) return -1;
        if (*marking && m->marking && strcmp(m->marking, marking) != 0)
            return error_set(why, ERR_USAGE, "two markings of one trace");
        if (*marking) m->marking = marking;
    }
    if (m->n_stack == 0 && stack_copy(m->stack, &m->n_stack, s->stacks[0], s->n_stacks[0], why) < 0) return -1;
    return gpu_params_check(m->params, why) < 0 ? -1 : hooks_check(m->stack, m->n_stack, why);
}

static void mixture_fini(struct mixture *m)
{
    for (unsigned k = 0; k < m->n_stack; k++) mech_free(&m->stack[k]);
    gpu_params_free(m->params);
}

/* The first line of the reason. */
static void refuse(struct repro_spec *s, const char *name, const struct repro_combined *of, const char *why)
{
    struct repro_refusal *refusal = &s->refusals[s->n_refusals++];
    refusal->of = *of;
    snprintf(refusal->name, sizeof refusal->name, "%s", name);
    snprintf(refusal->why, sizeof refusal->why, "%.*s", (int)strcspn(why, "\n"), why);
}

static bool is_refused(const struct repro_spec *s, const char *name)
{
    for (size_t i = 0; i < s->n_refusals; i++)
        if (strcmp(s->refusals[i].name, name) == 0) return true;
    return false;
}

bool repro_refuse_point(struct repro_spec *s, const struct yaml_file *file, const char *name, const struct error *why)
{
    if (!yaml_get(yaml_root(file), "combine") || s->n_refusals == REPRO_POINTS_MAX) return false;
    refuse(s, name, &(struct repro_combined){.n = 0}, why->text);
    return true;
}

static int add_combination(struct repro_spec *s, const struct yaml_file *file, const struct yaml_node *node,
                           const struct repro_combined *of, struct error *err)
{
    struct mixture m = {0};
    struct error why = {0};
    const size_t p = s->n_points;
    char name[REPRO_TOGETHER_MAX * (REPRO_NAME_MAX + sizeof REPRO_JOINT)] = "";
    for (size_t i = 0; i < of->n; i++)
        snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s", i ? REPRO_JOINT : "",
                 s->points[of->members[i]]);
    if (strlen(name) >= REPRO_NAME_MAX) return yaml_error(file, node, err, "the name '%s' is too long", name);
    if (p == REPRO_POINTS_MAX || s->n_refusals == REPRO_POINTS_MAX)
        return yaml_error(file, node, err, "more than %d points, combinations among them", REPRO_POINTS_MAX - 1);
    if (mix(&m, s, of, &why) < 0) {
        mixture_fini(&m);
        if (why.code == ERR_MEMORY) return *err = why, -1;
        refuse(s, name, of, why.text);
        return 0;
    }
    memcpy(s->points[p], name, sizeof s->points[p]);
    s->params[p] = m.params;
    memcpy(s->stacks[p], m.stack, sizeof m.stack);
    memcpy(s->limit_keys[p], m.limit_keys, sizeof m.limit_keys);
    s->n_stacks[p] = m.n_stack;
    s->combined[p] = *of;
    if (m.marking) snprintf(s->markings[p], sizeof s->markings[p], "%s", m.marking);
    s->n_points++;
    return 0;
}

/* [A, B]: points by their names, n of them. out->n is 0 where the machine in use cannot be one of them. */
static int read_members(struct repro_combined *out, const struct repro_spec *s, size_t n_named,
                        const struct yaml_file *file, const struct yaml_node *node, size_t n, struct error *err)
{
    const char *names[REPRO_TOGETHER_MAX];
    size_t n_names = 0;
    if (node->kind != YAML_LIST || node->n != n)
        return yaml_error(file, node, err, "a list of %zu points is needed here", n);
    if (spec_texts(file, node, names, n, &n_names, err) < 0) return -1;
    *out = (struct repro_combined){.n = n};
    for (size_t i = 0; i < n; i++)
        if (is_refused(s, names[i])) return out->n = 0, 0;
    for (size_t i = 0; i < n; i++) {
        size_t p = 1;
        while (p < n_named && strcmp(s->points[p], names[i]) != 0) p++;
        if (p == n_named) return yaml_error(file, node->items[i], err, "no point '%s'", names[i]);
        for (size_t k = 0; k < i; k++)
            if (out->members[k] == p) return yaml_error(file, node->items[i], err, "'%s' twice", names[i]);
        out->members[i] = p;
    }
    return 0;
}

static int add_listed(struct repro_spec *s, size_t n_named, const struct yaml_file *file, const struct yaml_node *list,
                      size_t n, struct error *err)
{
    if (list && list->kind != YAML_LIST)
        return yaml_error(file, list, err, "a list of lists of %zu points is needed here, or, of pairs, 'all'", n);
    for (size_t i = 0; list && i < list->n; i++) {
        struct repro_combined of;
        if (read_members(&of, s, n_named, file, list->items[i], n, err) < 0) return -1;
        if (of.n && add_combination(s, file, list->items[i], &of, err) < 0) return -1;
    }
    return 0;
}

int repro_combine(struct repro_spec *s, const struct yaml_file *file, struct error *err)
{
    static const char *const keys[] = {"pairs", "triples"};
    const struct yaml_node *map = yaml_get(yaml_root(file), "combine"), *pairs = yaml_get(map, "pairs");
    const size_t n = s->n_points;
    if (!map) return 0;
    if (map->kind != YAML_MAP) return yaml_error(file, map, err, "combine is a map: {pairs: all}");
    if (yaml_get(yaml_root(file), "mech"))
        return yaml_error(file, map, err, "combine puts stacks together: name 'mech' in the points, not beside them");
    if (spec_keys(file, map, keys, COUNT_OF(keys), err) < 0) return -1;
    const bool is_all = pairs && pairs->kind == YAML_SCALAR && strcmp(pairs->text, "all") == 0;
    for (size_t a = 1; a < n && is_all; a++)
        for (size_t b = a + 1; b < n; b++)
            if (add_combination(s, file, pairs, &(struct repro_combined){.members = {a, b}, .n = 2}, err) < 0)
                return -1;
    if (!is_all && add_listed(s, n, file, pairs, 2, err) < 0) return -1;
    return add_listed(s, n, file, yaml_get(map, "triples"), 3, err);
}
