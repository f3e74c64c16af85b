#include "cli/choice_ask.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/choice_columns.h"
#include "cli/choice_data.h"
#include "cli/cli_kernels.h"
#include "cli/sim_print.h"
#include "poise/choice_study.h"
#include "poise/lab.h"
#include "poise/say.h"

struct asker {
    struct choice_model model;
    struct gpu_params *machine;
    struct runner *runner;
    bool looks_before;                            /* the model has a column of the quick model */
    struct choice_made made[RESPONSE_POINTS_MAX]; /* the model's policies */
};

/* What a column is of: one of choice_columns.h, or N_CHOICE_COLUMNS + the policy of a trial. */
static int column_of(size_t *out, const struct choice_model *m, size_t column, const char *path, struct error *err)
{
    const char *name = m->columns[column];
    for (*out = 0; *out < N_CHOICE_COLUMNS; ++*out)
        if (strcmp(name, choice_column_names[*out]) == 0) return 0;
    for (size_t p = 0; p < m->m && strncmp(name, CHOICE_TRIAL, strlen(CHOICE_TRIAL)) == 0; p++, ++*out) {
        if (choice_is_named(m->policies[p], name + strlen(CHOICE_TRIAL))) return 0;
    }
    return error_set(err, ERR_INPUT, "%s: columns: there is no column '%s'", path, name);
}

/* The first cycles of a launch under a policy; the last one is the baseline. */
static int start_job(struct run_job *job, const struct asker *a, const struct launch *launch, size_t policy,
                     uint64_t cycles, struct error *err)
{
    const struct choice_made *made = &a->made[policy];
    *job = (struct run_job){.launch = launch, .params = made->params, .limits = {.max_cycles = cycles}};
    return stack_copy(job->stack, &job->n_stack, made->stack, made->n, err);
}

/* The columns that the model looks at: of the quick model, of a window, of trials. */
static int look(double x[N_CHOICE_COLUMNS + RESPONSE_POINTS_MAX], const struct asker *a, const struct launch *launch,
                struct error *err)
{
    const struct choice_model *m = &a->model;
    struct run_job jobs[RESPONSE_POINTS_MAX + 1];
    size_t n = 0;
    int failed = a->looks_before ? choice_columns_before(x, launch, a->machine, err) : 0;
    if (!failed && m->window) failed = start_job(&jobs[n++], a, launch, m->m - 1, m->window, err);
    for (size_t p = m->m; p-- > 0 && m->trial && !failed;) failed = start_job(&jobs[n++], a, launch, p, m->trial, err);
    if (!failed && n) failed = runner_run(a->runner, "look", jobs, n, err);
    if (!failed && n && jobs[0].result.err.code != ERR_NONE) *err = jobs[0].result.err, failed = -1;
    if (!failed && m->window) choice_columns_after(x, jobs[0].result.stats, gpu_launch_machine(a->machine).sms);
    for (size_t p = 0; p < m->m && m->trial && !failed; p++)
        x[N_CHOICE_COLUMNS + p] = choice_trial_value(choice_ratio(&jobs[n - 1 - p], &jobs[n - m->m]));
    for (size_t i = 0; i < n; i++) run_job_fini(&jobs[i]);
    return failed;
}

/* The policy over which gains are predicted: all its weights are 0. */
static size_t reference(const struct choice_model *m)
{
    for (size_t p = m->m; p-- > 0;) {
        size_t c = 0;
        while (c <= m->k && m->weights[p][c] == 0) c++;
        if (c > m->k) return p;
    }
    return m->m - 1;
}
static void name_of(char name[CHOICE_NAME_MAX], const struct choice_model *m, size_t policy)
{
    snprintf(name, CHOICE_NAME_MAX, "%.*s", choice_name_bytes(m->policies[policy]), m->policies[policy]);
}

static json_t *answer(const struct choice_model *m, const struct launch *launch, const double *x)
{
    double gains[RESPONSE_POINTS_MAX];
    char name[CHOICE_NAME_MAX], over[CHOICE_NAME_MAX];
    json_t *of = json_object();
    const size_t policy = choice_policy(m, x, gains);
    for (size_t p = 0; p < m->m; p++) {
        name_of(name, m, p);
        json_object_set_new(of, name, json_real(gains[p]));
    }
    const char *options = strstr(m->policies[policy], " --");
    name_of(name, m, policy);
    name_of(over, m, reference(m));
    return json_pack("{s:s,s:s,s:s,s:s,s:o}", "launch", launch->label, "policy", name, "options",
                     options ? options + 1 : "", "over", over, "predicted_log_speedup", of);
}

static int ask_launch(const struct asker *a, const size_t *columns, const struct launch *launch, json_t *list,
                      struct error *err)
{
    double all[N_CHOICE_COLUMNS + RESPONSE_POINTS_MAX] = {0}, x[RESPONSE_FEATURES_MAX];
    if (look(all, a, launch, err) < 0) return error_while(err, "%s", launch->label);
    for (size_t j = 0; j < a->model.k; j++) x[j] = all[columns[j]];
    json_array_append_new(list, answer(&a->model, launch, x));
    return 0;
}

static int print_answers(json_t *list, bool is_json, struct error *err)
{
    size_t i;
    json_t *row;
    if (is_json) {
        json_t *out = lab_json();
        json_object_set(out, "launches", list);
        return cli_print_json(out, err);
    }
    json_array_foreach(list, i, row)
        printf("%-24s %-12s poise sim %s\n", json_string_value(json_object_get(row, "launch")),
               json_string_value(json_object_get(row, "policy")), json_string_value(json_object_get(row, "options")));
    return 0;
}

static int asker_init(struct asker *a, struct cli *cli, const struct choice_options *o, const char *path,
                      size_t *columns, struct error *err)
{
    const struct texts none = {.n = 0};
    struct runner_options options;
    if (choice_model_read(&a->model, path, err) < 0) return -1;
    if (a->model.model_version != SIM_MODEL_VERSION)
        say_note(stderr, "%s was learned from model version %u, this is %d", path, a->model.model_version,
                 SIM_MODEL_VERSION);
    for (size_t j = 0; j < a->model.k; j++) {
        if (column_of(&columns[j], &a->model, j, path, err) < 0) return -1;
        const bool is_trial = columns[j] >= N_CHOICE_COLUMNS, is_before = columns[j] < CHOICE_w_l1_hit;
        if (is_trial ? a->model.trial == 0 : !is_before && a->model.window == 0)
            return error_set(err, ERR_INPUT, "%s: column '%s' needs the length of its %s", path, a->model.columns[j],
                             is_trial ? "trial" : "window");
        a->looks_before |= is_before;
    }
    if (sim_config(&a->machine, cli, NULL, &none, err) < 0) return -1;
    for (size_t p = 0; p < a->model.m; p++)
        if (choice_made_init(&a->made[p], a->model.policies[p], a->machine, cli->paths.configs, err) < 0)
            return error_while(err, "%s: policy %zu", path, p + 1);
    cli_runner_options(cli, &options, o->threads);
    options.progress = options.notes = NULL;
    return runner_new(&a->runner, NULL, &options, err);
}

static void asker_free(struct asker *a)
{
    runner_free(a->runner);
    for (size_t p = 0; p < a->model.m; p++) choice_made_fini(&a->made[p]);
    gpu_params_free(a->machine);
    choice_model_fini(&a->model);
    free(a);
}

int choice_ask(struct cli *cli, const struct choice_options *o, const char *path, struct error *err)
{
    const struct texts none = {.n = 0};
    const struct kernel_choice choice = {&o->kernel, &o->trace, NULL, &none, o->size};
    struct registry registry = {0};
    struct launches launches = {0};
    size_t columns[RESPONSE_FEATURES_MAX];
    if (!o->kernel.n && !o->trace.n)
        return error_set(err, ERR_USAGE, "poise choice ask needs --kernel NAME or --trace FILE");
    struct asker *a = calloc(1, sizeof *a);
    if (!a) return error_set(err, ERR_MEMORY, "out of memory");
    json_t *list = json_array();
    int failed = asker_init(a, cli, o, path, columns, err);
    if (!failed) failed = cli_launches(&launches, &registry, cli, &choice, err);
    for (size_t i = 0; i < launches.n && !failed; i++) {
        if (*cli->stop) failed = error_set(err, ERR_INTERRUPTED, "interrupted: %zu launches were done", i);
        else failed = ask_launch(a, columns, &launches.items[i], list, err);
    }
    if (!failed) failed = print_answers(list, o->json, err);
    json_decref(list);
    launches_fini(&launches);
    registry_fini(&registry);
    asker_free(a);
    return failed;
}
