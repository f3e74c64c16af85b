/* YAML -> struct choice_study -> launches and runs. */
#include "poise/choice_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/choice.h"
#include "poise/lab.h"
#include "poise/spec_format.h"
#include "poise/sys/hooks.h"
#include "poise/validate.h"
#include "studies/sweep/sweep_kernels.h"
#include "workload/spec_read.h"

/* A learner takes a trial of each policy as a column. */
enum { POLICIES_MAX = RESPONSE_FEATURES_MAX, TEXT_MAX = 512 };
struct policy_row {
    char text[TEXT_MAX];
    struct choice_made made;
};
struct choice_study {
    struct yaml_file *file;
    char name[128];
    struct selections kernels;
    struct gpu_params *machine;
    struct mech_spec baseline;
    struct policy_row policies[POLICIES_MAX];
    size_t n_policies;
    uint64_t min_insts, cap, window, trial, seed, one_in;
};

const char *choice_study_name(const struct choice_study *s) { return s->name; }
const struct gpu_params *choice_study_machine(const struct choice_study *s) { return s->machine; }
size_t choice_study_n(const struct choice_study *s) { return s->n_policies; }
const char *choice_study_policy(const struct choice_study *s, size_t policy) { return s->policies[policy].text; }

void choice_study_free(struct choice_study *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n_policies; i++) choice_made_fini(&s->policies[i].made);
    if (s->baseline.type) mech_free(&s->baseline);
    gpu_params_free(s->machine);
    selections_fini(&s->kernels);
    yaml_file_free(s->file);
    free(s);
}

/* ---- policies ---- */

void choice_made_fini(struct choice_made *m)
{
    for (unsigned k = 0; k < m->n; k++) mech_free(&m->stack[k]);
    gpu_params_free(m->params);
    *m = (struct choice_made){.n = 0};
}

/* "mech swl,N=2" or "set l1.ways=8" */
static int take_option(struct choice_made *m, char *option, const char *configs_dir, struct error *err)
{
    char text[LAB_MECH_TEXT], *equals = strchr(option, '=');
    if (strncmp(option, "set ", 4) == 0 && equals) {
        *equals = '\0';
        return gpu_params_set(m->params, option + 4, equals + 1, err);
    }
    if (strncmp(option, "mech ", 5) != 0 || m->n == MECH_STACK_MAX)
        return error_set(err, ERR_INPUT, "'--%s': --mech M or --set K=V, at most %d mechanisms", option,
                         MECH_STACK_MAX);
    lab_models_in(text, sizeof text, option + 5, configs_dir);
    if (mech_parse(&m->stack[m->n], text, err) < 0) return -1;
    m->n++;
    return 0;
}

int choice_made_init(struct choice_made *out, const char *policy, const struct gpu_params *machine,
                     const char *configs_dir, struct error *err)
{
    char text[TEXT_MAX];
    *out = (struct choice_made){.params = gpu_params_copy(machine)};
    int failed = out->params ? 0 : error_set(err, ERR_MEMORY, "out of memory for a machine");
    snprintf(text, sizeof text, "%s", policy);
    char *at = strstr(text, " --");
    while (at && !failed) {
        char *next = strstr(at + 3, " --");
        if (next) *next = '\0';
        failed = take_option(out, at + 3, configs_dir, err);
        at = next;
    }
    char gto[] = "mech gto";
    if (!failed && out->n == 0) failed = take_option(out, gto, configs_dir, err);
    if (!failed) failed = gpu_params_check(out->params, err) < 0 ? -1 : hooks_check(out->stack, out->n, err);
    if (failed) choice_made_fini(out);
    return failed;
}

static int append(struct choice_study *s, struct policy_row *p, const struct yaml_node *node, const char *option,
                  const char *text, struct error *err)
{
    const size_t used = strlen(p->text);
    if (strstr(text, " --")) return yaml_error(s->file, node, err, "'%s': ' --' would begin another option", text);
    const int n = snprintf(p->text + used, sizeof p->text - used, " %s %s", option, text);
    return n > 0 && (size_t)n < sizeof p->text - used ? 0 : yaml_error(s->file, node, err, "this policy is too long");
}

/* The policy as options of 'poise sim'. */
static int spell(struct choice_study *s, struct policy_row *p, const struct yaml_node *node, struct error *err)
{
    const struct yaml_node *mech = yaml_get(node, "mech"), *set = yaml_get(node, "set");
    const char *texts[MECH_STACK_MAX];
    size_t n = 0;
    if (!mech && !set)
        return yaml_error(s->file, node, err, "'mech' or 'set' is missing: a policy that is not the baseline");
    if (mech && spec_mechs(s->file, mech, texts, MECH_STACK_MAX, &n, err) < 0) return -1;
    for (size_t i = 0; i < n; i++)
        if (append(s, p, mech, "--mech", texts[i], err) < 0) return -1;
    if (set && set->kind != YAML_MAP)
        return yaml_error(s->file, set, err, "a map of parameters is needed here, as in {l1.ways: 8}");
    for (size_t i = 0; set && i < set->n; i++) {
        char text[128];
        if (set->items[i]->kind != YAML_SCALAR)
            return yaml_error(s->file, set->items[i], err, "%s needs one value", set->keys[i]);
        snprintf(text, sizeof text, "%s=%s", set->keys[i], set->items[i]->text);
        if (append(s, p, set->items[i], "--set", text, err) < 0) return -1;
    }
    return 0;
}

/* The i-th beside those before it. */
static int check_policy(const struct choice_study *s, size_t i, const struct yaml_node *node, struct error *err)
{
    const char *texts[POLICIES_MAX], *options = strchr(s->policies[i].text, ':');
    size_t which;
    for (size_t k = 0; k <= i; k++) texts[k] = s->policies[k].text;
    const char *problem = choice_policies_problem(texts, i + 1, &which);
    if (problem) return yaml_error(s->file, node, err, "'%s' %s", texts[i], problem);
    if (strcmp(options, ": --mech gto") == 0) return yaml_error(s->file, node, err, "this policy is the baseline");
    for (size_t k = 0; k < i; k++)
        if (strcmp(strchr(texts[k], ':'), options) == 0)
            return yaml_error(s->file, node, err, "this is what policy %zu is", k + 1);
    return 0;
}

static int read_policies(struct choice_study *s, const char *configs_dir, struct error *err)
{
    const struct yaml_node *root = yaml_root(s->file), *list = yaml_get(root, "policies");
    if (!list || list->kind != YAML_LIST || list->n == 0 || list->n > POLICIES_MAX)
        return yaml_error(s->file, list ? list : root, err,
                          "'policies' must be a list of 1 to %d maps {name, mech, set}", POLICIES_MAX);
    for (size_t i = 0; i < list->n; i++) {
        struct policy_row *p = &s->policies[s->n_policies++];
        char name[CHOICE_NAME_MAX];
        if (spec_check(s->file, list->items[i], &spec_format_choice, "policies.", err) < 0 ||
            spec_name(s->file, list->items[i], "name", name, sizeof name, err) < 0)
            return -1;
        snprintf(p->text, sizeof p->text, "%s:", name);
        if (strcmp(name, "gto") == 0)
            return yaml_error(s->file, list->items[i], err, "'gto' is the baseline's name: give this policy another");
        if (spell(s, p, list->items[i], err) < 0 || check_policy(s, i, list->items[i], err) < 0) return -1;
        struct error inner;
        if (choice_made_init(&p->made, p->text, s->machine, configs_dir, &inner) < 0)
            return yaml_error(s->file, list->items[i], err, "%s", inner.text);
    }
    return 0;
}

/* ---- the rest of the spec ---- */

static int read_sealed(struct choice_study *s, struct error *err)
{
    const struct yaml_node *map = yaml_get(yaml_root(s->file), "sealed");
    if (!map) return 0;
    return spec_check(s->file, map, &spec_format_choice, "sealed.", err) < 0 ||
                   spec_u64(s->file, map, "seed", true, 0, INT64_MAX, &s->seed, err) < 0 ||
                   spec_u64(s->file, map, "one_in", true, 1, 1000, &s->one_in, err) < 0
               ? -1
               : 0;
}

static int read_study(struct choice_study *s, const char *configs_dir, struct error *err)
{
    const struct yaml_node *root = yaml_root(s->file);
    char config[512] = "kepler32";
    int size = workload_size("small");
    struct error inner;
    s->window = 20000, s->trial = 20000;
    if (spec_begin(s->file, &spec_format_choice, err) < 0 ||
        spec_name(s->file, root, "name", s->name, sizeof s->name, err) < 0 ||
        spec_size(s->file, root, &size, err) < 0 ||
        selections_read(&s->kernels, s->file, root, "kernels", size, err) < 0 ||
        spec_u64(s->file, root, "min_insts", false, 0, INT64_MAX, &s->min_insts, err) < 0 ||
        spec_u64(s->file, root, "cap", false, 1, INT64_MAX, &s->cap, err) < 0 ||
        spec_u64(s->file, root, "window", false, 1, INT32_MAX, &s->window, err) < 0 ||
        spec_u64(s->file, root, "trial", false, 1, INT32_MAX, &s->trial, err) < 0 ||
        spec_text(s->file, root, "config", false, config, sizeof config, err) < 0 || read_sealed(s, err) < 0)
        return -1;
    if (!(s->machine = gpu_params_new())) return error_set(err, ERR_MEMORY, "out of memory for a machine");
    if (gpu_params_load(s->machine, config, configs_dir, &inner) < 0)
        return yaml_error(s->file, yaml_get(root, "config"), err, "%s", inner.text);
    return mech_parse(&s->baseline, "gto", err) < 0 ? -1 : read_policies(s, configs_dir, err);
}

static int study_from(struct choice_study **out, struct yaml_file *file, const char *configs_dir, struct error *err)
{
    struct choice_study *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) {
        yaml_file_free(file);
        return error_set(err, ERR_MEMORY, "out of memory for a spec");
    }
    s->file = file;
    if (read_study(s, configs_dir, err) < 0) {
        choice_study_free(s);
        return -1;
    }
    *out = s;
    return 0;
}

int choice_study_load(struct choice_study **out, const char *path, const char *configs_dir, struct error *err)
{
    struct yaml_file *file;
    *out = NULL;
    return yaml_load(&file, path, err) < 0 ? -1 : study_from(out, file, configs_dir, err);
}

int choice_study_parse(struct choice_study **out, const char *name, const char *text, size_t size,
                       const char *configs_dir, struct error *err)
{
    struct yaml_file *file;
    *out = NULL;
    return yaml_parse(&file, name, text, size, err) < 0 ? -1 : study_from(out, file, configs_dir, err);
}

/* ---- launches and runs ---- */

int choice_study_launches(struct choice_study *s, const struct registry *registry, const struct lab_paths *paths,
                          struct launches *out, struct error *err)
{
    size_t kept = 0;
    if (selections_launches(&s->kernels, registry, paths, out, err) < 0) return -1;
    for (size_t i = 0; i < out->n; i++)
        if (out->items[i].warp_insts >= s->min_insts) out->items[kept++] = out->items[i];
    out->n = kept;
    launches_cap(out, s->cap);
    const struct yaml_node *root = yaml_root(s->file);
    if (out->n == 0)
        return yaml_error(s->file, yaml_get(root, "min_insts"), err, "no launch has so many warp instructions");
    bool *is_sealed = calloc(out->n, sizeof *is_sealed), any = s->one_in == 0;
    if (!is_sealed) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", out->n);
    const int failed = choice_study_seal(s, out, is_sealed, err);
    for (size_t i = 0; i < out->n; i++) any |= is_sealed[i];
    free(is_sealed);
    return failed || any ? failed
                         : yaml_error(s->file, yaml_get(yaml_get(root, "sealed"), "one_in"), err,
                                      "there are fewer families, and none would be sealed");
}

static const char *family_of(const struct launch *l) { return l->workload ? workload_family(l->workload) : l->label; }
static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

int choice_study_seal(const struct choice_study *s, const struct launches *launches, bool *is_sealed, struct error *err)
{
    const char **names = calloc(launches->n + 1, sizeof *names);
    size_t *order = calloc(launches->n + 1, sizeof *order), n = 0;
    struct random random = {s->seed};
    if (!names || !order) {
        free(names);
        free(order);
        return error_set(err, ERR_MEMORY, "out of memory for %zu launches", launches->n);
    }
    for (size_t i = 0; i < launches->n; i++) names[i] = family_of(&launches->items[i]);
    qsort(names, launches->n, sizeof *names, by_name);
    for (size_t i = 0; i < launches->n; i++)
        if (i == 0 || strcmp(names[i], names[n - 1]) != 0) names[n] = names[i], order[n] = n, n++;
    random_shuffle(&random, order, n);
    for (size_t i = 0; i < launches->n; i++) {
        is_sealed[i] = false;
        for (size_t d = 0; s->one_in && d < n / s->one_in; d++)
            is_sealed[i] |= strcmp(names[order[d]], family_of(&launches->items[i])) == 0;
    }
    free(names);
    free(order);
    return 0;
}

size_t choice_study_each(const struct choice_study *s) { return CHOICE_FIRST_POLICY + 2 * s->n_policies + 1; }

/* The trials begin with the baseline's. */
static size_t first_trial(const struct choice_study *s) { return CHOICE_FIRST_POLICY + s->n_policies; }

static int fill_job(struct run_job *job, const struct choice_study *s, size_t at, struct error *err)
{
    const size_t first = first_trial(s);
    const struct policy_row *p = NULL;
    if (at == CHOICE_WINDOW) job->limits = (struct gpu_limits){.max_cycles = s->window};
    if (at >= first) job->limits = (struct gpu_limits){.max_cycles = s->trial};
    if (at >= CHOICE_FIRST_POLICY && at < first) p = &s->policies[at - CHOICE_FIRST_POLICY];
    if (at > first) p = &s->policies[at - first - 1];
    job->params = p ? p->made.params : s->machine;
    return p ? stack_copy(job->stack, &job->n_stack, p->made.stack, p->made.n, err)
             : stack_copy(job->stack, &job->n_stack, &s->baseline, 1, err);
}

int choice_study_jobs(const struct choice_study *s, const struct launches *launches, struct run_job **out, size_t *n,
                      struct error *err)
{
    const size_t each = choice_study_each(s);
    struct run_job *jobs = calloc(launches->n * each + 1, sizeof *jobs);
    *out = jobs, *n = 0;
    if (!jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", launches->n * each);
    for (size_t i = 0; i < launches->n * each; i++) {
        struct run_job *job = &jobs[(*n)++];
        *job = (struct run_job){.launch = &launches->items[i / each], .index = i};
        if (s->cap) job->limits.max_insts = launches_left(launches, i / each, s->cap);
        if (fill_job(job, s, i % each, err) < 0) return -1;
    }
    return 0;
}

double choice_ratio(const struct run_job *run, const struct run_job *base)
{
    if (base->result.err.code != ERR_NONE || run->result.err.code != ERR_NONE) return NAN;
    struct measure a, b;
    measure_stats(&a, base->result.stats);
    measure_stats(&b, run->result.stats);
    if (!a.cycles || !b.cycles || !a.warp_insts || !b.warp_insts) return NAN;
    return log((double)b.warp_insts / (double)b.cycles) - log((double)a.warp_insts / (double)a.cycles);
}

double choice_study_gain(const struct run_job *jobs, size_t policy)
{
    return choice_ratio(&jobs[CHOICE_FIRST_POLICY + policy], &jobs[CHOICE_BASELINE]);
}

double choice_study_trial(const struct choice_study *s, const struct run_job *jobs, size_t policy)
{
    return choice_ratio(&jobs[first_trial(s) + 1 + policy], &jobs[first_trial(s)]);
}
