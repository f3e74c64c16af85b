#include "cli/policies_sample.h"

#include <inttypes.h>
#include <jansson.h>
#include "poise/lab.h"

static const struct error *failure_of(const struct run_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i].result.err.code != ERR_NONE) return &jobs[i].result.err;
    return NULL;
}

/* Cycles, and speedup over the first policy, which has been simulated on the same launches. */
static int estimate(struct stratified_estimate out[2], const struct program_sample *s, const struct run_job *base,
                    const struct run_job *jobs, struct error *err)
{
    const struct sample_part above = sample_cycles(base), mine = sample_cycles(jobs);
    if (program_sample_estimate(&out[0], s, &mine, NULL, err) < 0) return -1;
    out[1] = (struct stratified_estimate){.value = 1, .low = 1, .high = 1};
    return jobs == base ? 0 : program_sample_estimate(&out[1], s, &above, &mine, err);
}

static void print_row(const char *name, const struct stratified_estimate e[2])
{
    printf("%-32s %14.0f %14.0f %14.0f %9.4f %9.4f %9.4f\n", name, e[0].value, e[0].low, e[0].high, e[1].value,
           e[1].low, e[1].high);
}

static void print_head(const struct sample_work *w)
{
    printf("%zu of %zu launches in %zu clusters, %" PRIu64 " of %" PRIu64 " warp instructions, simulated%s\n",
           w->simulated, w->launches, w->clusters, w->warp_insts_simulated, w->warp_insts,
           w->is_whole ? ": nothing is estimated" : "");
    printf("%-32s %14s %14s %14s %9s %9s %9s\n", "policy", "cycles", "low (95 %)", "high", "speedup", "low", "high");
}

int policies_sample(struct runner *runner, const struct launches *launches, const struct gpu_params *params,
                    struct run_job *jobs, const char *const *names, size_t n_policies,
                    const struct sample_options *options, bool json, struct error *err)
{
    struct program_sample *s = NULL;
    json_t *list = json_array();
    int result = program_sample_new(&s, runner, launches, params, options, err);
    if (result == 0) result = program_sample_run(s, "policies", jobs, n_policies, err);
    const struct error *failed = result == 0 ? failure_of(jobs, launches->n) : NULL;
    if (failed) *err = *failed, result = -1; /* without the baseline there is nothing to compare with */
    if (result == 0 && !json) print_head(program_sample_work(s));
    for (size_t k = 0; k < n_policies && result == 0; k++) {
        const struct run_job *mine = &jobs[k * launches->n];
        struct stratified_estimate e[2];
        if ((failed = failure_of(mine, launches->n))) {
            json_array_append_new(list, json_pack("{s:s,s:s}", "mech", names[k], "error", failed->text));
            if (!json) printf("%-32s failed: %s\n", names[k], failed->text);
            continue;
        }
        if ((result = estimate(e, s, jobs, mine, err)) < 0) break;
        json_array_append_new(list, json_pack("{s:s,s:{s:o,s:o}}", "mech", names[k], "estimate", "core_cycles",
                                              program_sample_estimate_json(&e[0]), "speedup",
                                              program_sample_estimate_json(&e[1])));
        if (!json) print_row(names[k], e);
    }
    if (result == 0 && json) {
        json_t *out = lab_json();
        json_object_set(out, "policies", list);
        json_object_set_new(out, "sample", program_sample_work_json(s));
        json_object_set_new(out, "share_of_work", json_real(sample_share_of_work(program_sample_work(s))));
        result = cli_print_json(out, err);
    }
    json_decref(list);
    program_sample_free(s);
    return result;
}
