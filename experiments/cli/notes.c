#include "cli/notes.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/model_response.h"
#include "poise/kernel_name.h"
#include "poise/lab.h"
#include "poise/model_machine.h"
#include "poise/say.h"

/* A whole number of a mechanism's parameters; 0 where there is no such parameter. */
static uint32_t whole_of(const struct mech_spec *spec, const char *name)
{
    const struct param_row *row = params_find(mech_params(spec->type), name);
    char text[64];
    return row ? (uint32_t)strtoul(params_text(row, spec->params, text, sizeof text), NULL, 10) : 0;
}

/* Why a mechanism with these parameters changes nothing; NULL where it may change something. */
static const char *note_no_effect(const struct mech_spec *spec)
{
    const char *name = mech_name(spec->type);
    if (strcmp(name, "swl") == 0 && whole_of(spec, "N") == 0)
        return "swl without N limits no warp, so that it is gto; swl,N=4 lets four warps of a scheduler issue, 'poise "
               "policies' finds the best N";
    if (strcmp(name, "tuple") == 0 && whole_of(spec, "N") == 0 && whole_of(spec, "p") == 0)
        return "tuple without N and p is (W, W), so that it is gto; tuple,N=4,p=2 lets four warps of a scheduler issue "
               "and two of them allocate";
    const struct param_row *start = params_find(mech_params(spec->type), "start");
    char text[64];
    if (strcmp(name, "pcal") == 0 && whole_of(spec, "N") == 0 && start &&
        strcmp(params_text(start, spec->params, text, sizeof text), "swl") == 0)
        return "pcal without N starts its search from all warps; the paper's starts from SWL's limit: pcal,N=4, or "
               "pcal,start=ccws. 'poise policies' finds SWL's best N";
    return NULL;
}

/* The model of a run under its old kind. */
static bool has_old_model(const struct mech_spec *spec)
{
    const struct param_row *model = params_find(mech_params(spec->type), "model");
    char path[PARAM_TEXT_MAX];
    return strcmp(mech_name(spec->type), "learned") == 0 && model &&
           model_file_is(params_text(model, spec->params, path, sizeof path), "surface");
}

static void note_old_model(const struct run_job *jobs, size_t n, size_t step)
{
    for (size_t i = 0; i < n; i += step)
        for (unsigned k = 0; k < jobs[i].n_stack; k++)
            if (has_old_model(&jobs[i].stack[k])) {
                lab_note_old(stderr, "surface", "response");
                return;
            }
}

/* The first job whose model was trained on another machine. */
static void note_other_machine(const struct run_job *jobs, size_t n, size_t step)
{
    for (size_t i = 0; i < n; i += step)
        for (unsigned k = 0; k < jobs[i].n_stack; k++) {
            const struct param_row *model = params_find(mech_params(jobs[i].stack[k].type), "model");
            char path[PARAM_TEXT_MAX], differs[256];
            if (!model || !*params_text(model, jobs[i].stack[k].params, path, sizeof path)) continue;
            model_machine_differs(differs, sizeof differs, path, jobs[i].params);
            if (!*differs) continue;
            say_note(stderr,
                     "%s was trained on another machine (here %s): features and speedups depend on it, and "
                     "what the model gains there says little of this run",
                     path, differs);
            return;
        }
}

void note_jobs(const struct run_job *jobs, size_t n, size_t step)
{
    const char *told[8];
    size_t n_told = 0;
    note_old_model(jobs, n, step);
    note_other_machine(jobs, n, step);
    for (size_t i = 0; i < n; i += step)
        for (unsigned k = 0; k < jobs[i].n_stack; k++) {
            const char *text = note_no_effect(&jobs[i].stack[k]);
            bool is_told = !text;
            for (size_t t = 0; t < n_told; t++) is_told |= told[t] == text;
            if (is_told || n_told == COUNT_OF(told)) continue;
            say_note(stderr, "%s", text);
            told[n_told++] = text;
        }
}

static void note_skipped(const struct run_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char label[200];
        if (!jobs[i].launch || !jobs[i].launch->skipped[0]) continue;
        say_warning(stderr,
                    "%s: its program also called %s, whose kernels are in no trace: this is part of what "
                    "it does",
                    kernel_shown(jobs[i].launch->label, label, sizeof label), jobs[i].launch->skipped);
        return;
    }
}

void note_cores(const struct run_job *jobs, size_t n)
{
    char text[100];
    for (size_t i = 0; i < n; i++) {
        const char *why =
            gpu_sms_share(jobs[i].params, jobs[i].stack, jobs[i].n_stack, &jobs[i].limits, text, sizeof text);
        if (!why) continue;
        say_note(stderr, "one thread simulates the SMs: %s", why);
        return;
    }
}

void note_partial(const struct run_job *jobs, size_t n)
{
    note_skipped(jobs, n);
    for (size_t i = 0; i < n; i++) {
        char label[200];
        if (!jobs[i].launch || !jobs[i].launch->outside) continue;
        say_warning(stderr,
                    "%s: %" PRIu64 " accesses of its threads are outside every allocation; 'poise trace "
                    "info' names the first",
                    kernel_shown(jobs[i].launch->label, label, sizeof label), jobs[i].launch->outside);
        return;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct launch *const x = *(const struct launch *const *)a, *const y = *(const struct launch *const *)b;
    return (x > y) - (x < y);
}

int note_run_info(json_t *info, const struct run_job *jobs, size_t n, struct error *err)
{
    const struct launch **launches = calloc(n + 1, sizeof *launches);
    size_t n_partial = 0, n_outside = 0;
    uint64_t accesses = 0;
    if (!launches) return error_set(err, ERR_MEMORY, "out of memory for the launches of %zu runs", n);
    for (size_t i = 0; i < n; i++) launches[i] = jobs[i].launch;
    qsort(launches, n, sizeof *launches, by_address);
    for (size_t i = 0; i < n; i++) {
        if (!launches[i] || (i && launches[i] == launches[i - 1])) continue;
        n_partial += launches[i]->skipped[0] != '\0';
        n_outside += launches[i]->outside > 0;
        accesses += launches[i]->outside;
    }
    free(launches);
    if (n_partial) json_object_set_new(info, "partial_launches", json_integer((json_int_t)n_partial));
    if (n_outside)
        json_object_set_new(
            info, "outside_allocations",
            json_pack("{s:I,s:I}", "launches", (json_int_t)n_outside, "accesses", (json_int_t)accesses));
    return 0;
}
