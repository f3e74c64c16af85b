/* Networks of learned response surfaces for studies of simulated points: a pipeline makes them, each workload's jobs
 * take the one that saw nothing of its family. */
#include "studies/repro/repro_networks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/pipeline.h"
#include "studies/repro/repro_programs.h"

int repro_networks_make(const struct repro_spec *spec, const struct repro_options *o, char *dir, size_t size,
                        struct error *err)
{
    char path[1200];
    *dir = 0;
    if (!*spec->networks) return 0;
    struct pipeline_spec *pipeline = malloc(sizeof *pipeline);
    if (!pipeline) return error_set(err, ERR_MEMORY, "out of memory for a pipeline");
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, spec->networks);
    int result = pipeline_spec_load(pipeline, path, err);
    if (result == 0) {
        snprintf(dir, size, "%.*s%s-networks", repro_folder_length(o->store), o->store, pipeline->name);
        pipeline->n_contenders = 0;
        const struct pipeline_options p = {.runner = o->runner, .paths = o->paths, .out_dir = dir, .store = o->store};
        result = pipeline_run(pipeline, &p, err);
    }
    free(pipeline);
    return result;
}

int repro_networks_fill(struct run_job *job, const char *dir, struct error *err)
{
    if (!*dir) return 0;
    for (unsigned k = 0; k < job->n_stack; k++) {
        const struct param_row *row = params_find(mech_params(job->stack[k].type), "model");
        char text[PARAM_TEXT_MAX] = "", path[PARAM_TEXT_MAX];
        if (row) params_text(row, job->stack[k].params, text, sizeof text);
        if (strcmp(text, "@network") != 0) continue;
        pipeline_response_file(dir, workload_family(job->launch->workload), path, sizeof path);
        if (access(path, F_OK) != 0) pipeline_response_file(dir, NULL, path, sizeof path);
        if (mech_set(&job->stack[k], "model", path, err) < 0) return -1;
    }
    return 0;
}
