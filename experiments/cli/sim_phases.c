#include "cli/sim_phases.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/choice_columns.h"
#include "cli/choice_data.h"
#include "poise/file.h"
#include "poise/number.h"
#include "poise/say.h"

static const char FASTEST[] = "fastest";

/* ---- what is chosen ---- */

static double speed(const struct gpu_phase_seen *seen)
{
    return seen->cycles ? (double)seen->insts / (double)seen->cycles : 0;
}

/* The most instructions a cycle; of equals the first. */
static unsigned fastest(const void *self, const struct gpu_phase_seen *seen)
{
    const struct sim_phases *p = self;
    unsigned best = p->first_trial;
    for (unsigned i = best + 1; i < p->gpu.n; i++)
        if (speed(&seen[i]) > speed(&seen[best])) best = i;
    return best;
}

/* By gains over the model's last policy: to add the same to all trials changes nothing (choice_train_few). */
static unsigned by_model(const void *self, const struct gpu_phase_seen *seen)
{
    const struct sim_phases *p = self;
    double x[RESPONSE_FEATURES_MAX];
    const struct gpu_phase_seen *trials = seen + p->first_trial, *base = &trials[p->model.m - 1];
    for (size_t j = 0; j < p->model.k; j++)
        x[j] = choice_trial_value(log(speed(&trials[p->policy_of[j]]) / speed(base)));
    return p->first_trial + (unsigned)choice_policy(&p->model, x, NULL);
}

/* ---- policies ---- */

static int add(struct sim_phases *p, const struct cli *cli, const char *name, const char *policy, uint64_t cycles,
               const struct gpu_params *machine, struct error *err)
{
    const unsigned i = p->gpu.n;
    if (i == GPU_PHASES_MAX)
        return error_set(err, ERR_USAGE, "a run has at most %d policies one after another", GPU_PHASES_MAX);
    struct choice_made *made = &p->made[i];
    if (choice_made_init(made, policy, machine, cli->paths.configs, err) < 0) return -1;
    p->gpu.n++;
    snprintf(p->names[i], sizeof p->names[i], "%s", name);
    p->items[i] = (struct gpu_phase){
        .name = p->names[i], .params = made->params, .stack = made->stack, .n_stack = made->n, .cycles = cycles};
    return 0;
}

/* "20000 --mech ccn", or without a number for the last one. */
static int add_text(struct sim_phases *p, const struct cli *cli, const char *text, const struct gpu_params *machine,
                    struct error *err)
{
    char number[32], policy[CHOICE_TEXT_MAX + 1];
    uint64_t cycles = 0;
    const size_t digits = strcspn(text, " ");
    const char *options = text;
    if (strncmp(text, "--", 2) != 0) {
        snprintf(number, sizeof number, "%.*s", (int)digits, text);
        if (digits >= sizeof number || !whole_parse(number, 1, INT32_MAX, &cycles))
            return error_set(err, ERR_USAGE,
                             "--phase '%s': core cycles from 1 to %d and a policy are needed, as '20000 --mech ccn'; "
                             "without cycles it lasts to the end",
                             text, INT32_MAX);
        options = text + digits + strspn(text + digits, " ");
    }
    if (strncmp(options, "--", 2) != 0 || strlen(options) + 1 >= sizeof policy)
        return error_set(err, ERR_USAGE, "--phase '%s': the policy is --mech M, --set K=V, or several of them", text);
    snprintf(policy, sizeof policy, " %s", options);
    return add(p, cli, options, policy, cycles, machine, err) < 0 ? error_while(err, "--phase '%s'", text) : 0;
}

/* ---- a model ---- */

static int column_policy(uint32_t *out, const struct choice_model *m, size_t column, const char *path,
                         struct error *err)
{
    const char *name = m->columns[column];
    const size_t n = strlen(CHOICE_TRIAL);
    for (*out = 0; *out < m->m && strncmp(name, CHOICE_TRIAL, n) == 0; ++*out)
        if (choice_is_named(m->policies[*out], name + n)) return 0;
    return error_set(err, ERR_INPUT,
                     "%s: column '%s' is of no trial: within a launch a model chooses by trials alone, as "
                     "models/choice.json",
                     path, name);
}

static int read_rule(struct sim_phases *p, const char *path, struct error *err)
{
    char *text, digits[HASH_TEXT_SIZE];
    size_t size;
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "--choice");
    const struct hash hash = hash_bytes(text, size);
    hash_text(&hash, digits);
    snprintf(p->rule, sizeof p->rule, "choice %s", digits);
    const int failed = choice_model_parse(&p->model, path, text, size, err);
    free(text);
    return failed;
}

/* A policy of the model for as long as a trial lasts. */
static int add_policy(struct sim_phases *p, const struct cli *cli, size_t policy, const char *after,
                      const struct gpu_params *machine, struct error *err)
{
    char name[CHOICE_NAME_MAX + 16];
    const char *text = p->model.policies[policy];
    snprintf(name, sizeof name, "%.*s%s", choice_name_bytes(text), text, after);
    return add(p, cli, name, text, p->model.trial, machine, err);
}

/* The trials of the model's policies. A launch begins unlike it goes on, which the first of them must not show: before
 * that the phases there are run, or as long the best single policy. */
static int add_model(struct sim_phases *p, const struct cli *cli, const char *path, const struct gpu_params *machine,
                     struct error *err)
{
    struct choice_model *m = &p->model;
    if (read_rule(p, path, err) < 0) return -1;
    if (m->trial == 0) return error_set(err, ERR_INPUT, "%s: trial: is 0, but trials are what it chooses by", path);
    for (size_t j = 0; j < m->k; j++)
        if (column_policy(&p->policy_of[j], m, j, path, err) < 0) return -1;
    if (m->model_version != SIM_MODEL_VERSION)
        say_note(stderr, "%s was learned from model version %u, this is %d", path, m->model_version, SIM_MODEL_VERSION);
    int failed = p->gpu.n ? 0 : add_policy(p, cli, m->single, ", start", machine, err);
    p->first_trial = p->gpu.n;
    for (size_t i = 0; i < m->m && !failed; i++) failed = add_policy(p, cli, i, "", machine, err);
    if (failed) return error_while(err, "%s", path);
    p->gpu.decide = by_model;
    return 0;
}

int sim_phases_begin(struct sim_phases *p, const struct cli *cli, const struct texts *phases, const char *choice,
                     const struct gpu_params *machine, struct error *err)
{
    p->gpu = (struct gpu_phases){.items = p->items, .self = p};
    for (size_t i = 0; i < phases->n; i++)
        if (add_text(p, cli, phases->items[i], machine, err) < 0) return -1;
    if (!choice) return 0;
    snprintf(p->rule, sizeof p->rule, "%s", FASTEST);
    p->gpu.rule = p->rule;
    p->gpu.decide = fastest;
    if (strcmp(choice, FASTEST) != 0) return add_model(p, cli, choice, machine, err);
    return p->gpu.n >= 2 ? 0 : error_set(err, ERR_USAGE, "--choice fastest chooses among two --phase or more");
}

int sim_phases_into(const struct sim_phases *p, struct run_job *job, struct error *err)
{
    const struct gpu_phase *first = p->items;
    job->params = first->params;
    job->limits.phases = &p->gpu;
    return stack_copy(job->stack, &job->n_stack, first->stack, first->n_stack, err);
}

void sim_phases_end(struct sim_phases *p)
{
    for (unsigned i = 0; i < p->gpu.n; i++) choice_made_fini(&p->made[i]);
    choice_model_fini(&p->model);
}

/* ---- what is said of them ---- */

void sim_phases_print(const struct run_job *job)
{
    const json_t *all = run_result_phases(&job->result), *chosen = json_object_get(all, "chosen"), *phase;
    size_t i;
    if (!all) return;
    printf("  %-48s %11s %8s %11s %9s\n", "policy", "cycles", "drain", "warp insts", "a cycle");
    json_array_foreach(json_object_get(all, "phases"), i, phase) {
#define VALUE(key) json_number_value(json_object_get(phase, key))
        const double cycles = VALUE("cycles") - VALUE("drain_cycles");
        printf("  %-48.48s %11.0f %8.0f %11.0f %9.3f\n", json_string_value(json_object_get(phase, "policy")),
               VALUE("cycles"), VALUE("drain_cycles"), VALUE("warp_insts"),
               cycles > 0 ? VALUE("warp_insts") / cycles : 0);
#undef VALUE
    }
    if (json_is_string(chosen)) printf("  chosen: %s\n", json_string_value(chosen));
}
