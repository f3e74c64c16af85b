/* A launch beside another: their plans, and what of a result is whose. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/trace.h"
#include "runner/runner_internal.h"

/* ---- one program or two ---- */

static json_t *provenance_of(const struct launch *l, struct error *err)
{
    struct trace *trace;
    if (trace_open(&trace, l->path, NULL, err) < 0) return NULL;
    json_t *json = json_loads(trace->provenance ? trace->provenance : "{}", 0, NULL);
    trace_close(trace);
    return json ? json : json_object();
}

int launches_are_of_one_program(bool *out, const struct launch *a, const struct launch *b, struct error *err)
{
    *out = memcmp(&a->hash, &b->hash, sizeof a->hash) == 0;
    if (*out) return 0;
    json_t *of_a = provenance_of(a, err), *of_b = of_a ? provenance_of(b, err) : NULL;
    const json_t *program = json_object_get(of_a, "program");
    *out = program && json_equal(program, json_object_get(of_b, "program")) &&
           json_equal(json_object_get(of_a, "args"), json_object_get(of_b, "args"));
    const int result = of_a && of_b ? 0 : -1;
    json_decref(of_a);
    json_decref(of_b);
    return result;
}

/* ---- plans ---- */

/* Each of a machine of as many SMs as its launch has. */
static int take(struct plan_pool *pool, const struct launch *launch, const struct gpu_params *params, unsigned which,
                uint64_t first_line, struct plan_use *use, const struct plan **plan, struct error *err)
{
    char sms[16];
    if (gpu_beside_sms(params, which) == 0)
        return error_set(err, ERR_USAGE, "core.sms = 1: two launches side by side need an SM each");
    struct gpu_params *half = gpu_params_copy(params);
    if (!half) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    snprintf(sms, sizeof sms, "%u", gpu_beside_sms(params, which));
    int result = gpu_params_set(half, "core.sms", sms, err);
    if (result == 0) result = plan_pool_reserve(pool, launch, 1, err);
    if (result == 0) result = plan_pool_take_from(pool, launch, half, first_line, use, plan, err);
    gpu_params_free(half);
    return result;
}

static int take_both(struct beside_plans *out, struct plan_pool *pool, const struct run_job *job, uint64_t first_line,
                     struct error *err)
{
    if (take(pool, job->launch, job->params, 0, first_line, &out->uses[0], &out->plans[0], err) < 0) return -1;
    if (take(pool, job->beside, job->params, 1, first_line, &out->uses[1], &out->plans[1], err) == 0) return 0;
    plan_pool_give(pool, &out->uses[0]);
    return -1;
}

int beside_plans_take(struct beside_plans *out, struct plan_pool *pool, const struct run_job *job, struct error *err)
{
    uint64_t first_line;
    if (take_both(out, pool, job, 0, err) < 0) return -1;
    if (!job->limits.beside->is_same_program) return 0;
    const struct plan_lines lines[] = {plan_lines(out->plans[0]), plan_lines(out->plans[1])};
    const int result = plan_lines_join(&first_line, lines, 2, job->params, err);
    beside_plans_give(out, pool);
    return result == 0 ? take_both(out, pool, job, first_line, err) : -1;
}

void beside_plans_give(struct beside_plans *plans, struct plan_pool *pool)
{
    for (size_t i = 0; i < 2; i++) plan_pool_give(pool, &plans->uses[i]);
}

/* ---- results ---- */

/* Counters of what both launches share are the run's. */
static json_t *own_stats(const struct gpu_stats *stats)
{
    static const char *const shared[] = {"xbar", "l2", "dram"};
    json_t *out = gpu_stats_json(stats);
    json_object_del(out, "full_cycles");
    for (size_t g = 0; g < n_gpu_stat_groups; g++)
        for (size_t k = 0; k < COUNT_OF(shared); k++)
            for (size_t r = 0; strcmp(gpu_stat_groups[g].name, shared[k]) == 0 && r < gpu_stat_groups[g].n; r++)
                json_object_del(out, gpu_stat_table.rows[gpu_stat_groups[g].first + r].name);
    for (size_t i = 0; i < n_gpu_ratio_rows; i++) {
        const struct stat_row *num, *den;
        gpu_ratio_parts(&gpu_ratio_rows[i], &num, &den);
        if (!json_object_get(out, num->name) || !json_object_get(out, den->name))
            json_object_del(out, gpu_ratio_rows[i].name);
    }
    for (size_t i = 0; i < n_gpu_sum_rows; i++) {
        const struct gpu_sum_row *sum = &gpu_sum_rows[i];
        if (json_object_get(out, sum->terms[0]) && json_object_get(out, sum->terms[1]))
            json_object_set_new(out, sum->name, json_integer((json_int_t)gpu_stats_value(stats, sum->name)));
    }
    return out;
}

json_t *beside_json(const struct gpu_result *from)
{
    json_t *launches = json_array();
    for (unsigned i = 0; i < from->n_launches; i++) {
        const struct gpu_launch_result *l = &from->launches[i];
        json_t *mechs = json_array();
        for (unsigned k = 0; k < l->n_mechs; k++) json_array_append(mechs, l->mechs[k]);
        json_array_append_new(launches, json_pack("{s:I,s:I,s:b,s:o,s:o}", "cycles", (json_int_t)l->cycles, "sms",
                                                  (json_int_t)l->sms, "complete", (int)l->complete, "stats",
                                                  own_stats(l->stats), "mech", mechs));
    }
    return json_pack("{s:s,s:{},s:{},s:o}", "name", "beside", "params", "stats", "launches", launches);
}

const json_t *run_result_launch(const struct run_result *result, size_t which)
{
    const size_t n = json_array_size(result->mechs);
    return n ? json_array_get(json_object_get(json_array_get(result->mechs, n - 1), "launches"), which) : NULL;
}
