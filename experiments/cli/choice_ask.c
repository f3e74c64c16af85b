#include "cli/choice_ask.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/choice_columns.h"
#include "cli/cli_kernels.h"
#include "cli/sim_print.h"
#include "poise/choice.h"
#include "poise/lab.h"
#include "poise/say.h"

enum { WINDOW_CYCLES = 20000 }; /* as in specs of kind choice that name none */

static int columns_of_model(size_t columns[RESPONSE_FEATURES_MAX], const struct choice_model *m, const char *path,
                            struct error *err)
{
    for (size_t j = 0; j < m->k; j++) {
        size_t c = 0;
        while (c < N_CHOICE_COLUMNS && strcmp(m->columns[j], choice_column_names[c]) != 0) c++;
        if (c == N_CHOICE_COLUMNS)
            return error_set(err, ERR_INPUT, "%s: columns: there is no column '%s'", path, m->columns[j]);
        columns[j] = c;
    }
    return 0;
}

static int window_of(struct run_job *job, struct runner *runner, const struct launch *launch,
                     const struct gpu_params *machine, struct error *err)
{
    *job = (struct run_job){.launch = launch, .params = machine, .limits = {.max_cycles = WINDOW_CYCLES}};
    if (mech_parse(&job->stack[0], "gto", err) < 0) return -1;
    job->n_stack = 1;
    if (runner_run(runner, "window", job, 1, err) < 0) return -1;
    if (job->result.err.code == ERR_NONE) return 0;
    *err = job->result.err;
    return -1;
}

static int ask_launch(const struct choice_model *m, const size_t *columns, struct runner *runner,
                      const struct launch *launch, const struct gpu_params *machine, json_t *list, struct error *err)
{
    struct run_job job;
    double all[N_CHOICE_COLUMNS], x[RESPONSE_FEATURES_MAX], gains[RESPONSE_POINTS_MAX];
    int failed = window_of(&job, runner, launch, machine, err);
    if (!failed) failed = choice_columns_before(all, launch, machine, err);
    if (!failed) choice_columns_after(all, job.result.stats, gpu_launch_machine(machine).sms);
    run_job_fini(&job);
    if (failed) return -1;
    for (size_t j = 0; j < m->k; j++) x[j] = all[columns[j]];
    const size_t policy = choice_policy(m, x, gains);
    const char *text = m->policies[policy], *colon = strchr(text, ':');
    const int width = (int)(colon ? colon - text : (ptrdiff_t)strlen(text));
    json_t *of = json_object();
    for (size_t p = 0; p < m->m; p++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(m->policies[p], ":"), m->policies[p]);
        json_object_set_new(of, name, json_real(gains[p]));
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", width, text);
    json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:f,s:o}", "launch", launch->label, "policy", name, "options",
                                          colon ? colon + 1 + (colon[1] == ' ') : "", "speedup", exp(gains[policy]),
                                          "log_speedup", of));
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
        printf("%-24s %-12s %6.2f times gto's speed is expected   poise sim %s\n",
               json_string_value(json_object_get(row, "launch")), json_string_value(json_object_get(row, "policy")),
               json_number_value(json_object_get(row, "speedup")), json_string_value(json_object_get(row, "options")));
    return 0;
}

int choice_ask(struct cli *cli, const struct choice_options *o, const char *path, struct error *err)
{
    const struct texts none = {.n = 0};
    const struct kernel_choice choice = {&o->kernel, &o->trace, NULL, &none, o->size};
    struct registry registry = {0};
    struct launches launches = {0};
    struct choice_model m;
    struct gpu_params *machine = NULL;
    struct runner *runner = NULL;
    struct runner_options options;
    size_t columns[RESPONSE_FEATURES_MAX];
    json_t *list = json_array();
    if (!o->kernel.n && !o->trace.n)
        return json_decref(list), error_set(err, ERR_USAGE, "poise choice ask needs --kernel NAME or --trace FILE");
    if (choice_model_read(&m, path, err) < 0) return json_decref(list), -1;
    if (m.model_version != SIM_MODEL_VERSION)
        say_note(stderr, "%s was learned from model version %u, this is %d", path, m.model_version, SIM_MODEL_VERSION);
    cli_runner_options(cli, &options, o->threads);
    options.progress = NULL;
    int failed = columns_of_model(columns, &m, path, err);
    if (!failed) failed = sim_config(&machine, cli, NULL, &none, err);
    if (!failed) failed = cli_launches(&launches, &registry, cli, &choice, err);
    if (!failed) failed = runner_new(&runner, NULL, &options, err);
    for (size_t i = 0; i < launches.n && !failed; i++) {
        if (*cli->stop) failed = error_set(err, ERR_INTERRUPTED, "interrupted: %zu launches were done", i);
        else failed = ask_launch(&m, columns, runner, &launches.items[i], machine, list, err);
    }
    if (!failed) failed = print_answers(list, o->json, err);
    json_decref(list);
    runner_free(runner);
    launches_fini(&launches);
    registry_fini(&registry);
    gpu_params_free(machine);
    choice_model_fini(&m);
    return failed;
}
