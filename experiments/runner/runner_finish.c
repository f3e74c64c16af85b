/* What becomes of a run of a batch that has ended: totals, its row in the store, progress. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/mech.h"
#include "poise/table.h"
#include "runner/runner_internal.h"

struct hash bounded_key(const struct run_job *job)
{
    struct {
        struct hash key;
        uint64_t bound;
    } of = {job->key, job->bound_cycles};
    return hash_bytes(&of, sizeof of);
}

json_t *run_stack_json(const struct mech_spec *stack, unsigned n)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s,s:o,s:{}}", "name", mech_name(stack[i].type), "params",
                                              params_json(mech_params(stack[i].type), stack[i].params), "stats"));
    return list;
}

static char *limits_json(struct runner *runner, const struct run_job *job)
{
    const struct gpu_limits *limits = &job->limits;
    char *text = NULL, insts[48] = "", warmup[48] = "", bound[48] = "", early[160] = "", build[60] = "";
    if (limits->max_insts) snprintf(insts, sizeof insts, ",\"max_insts\":%llu", (unsigned long long)limits->max_insts);
    if (limits->warmup_cycles)
        snprintf(warmup, sizeof warmup, ",\"warmup_cycles\":%llu", (unsigned long long)limits->warmup_cycles);
    if (job->result.err.code == ERR_CRASH) snprintf(build, sizeof build, ",\"build\":\"%s\"", runner_build(runner));
    if (job->result.is_bounded)
        snprintf(bound, sizeof bound, ",\"bound_cycles\":%llu", (unsigned long long)job->bound_cycles);
    if (limits->early_end > 0 || limits->sample > 0) {
        const bool is_sample = limits->sample > 0;
        char share[40];
        number_text(is_sample ? limits->sample : limits->early_end, share, sizeof share);
        const int used = snprintf(early, sizeof early, ",\"%s\":%s", is_sample ? "sample" : "early_end", share);
        const struct gpu_estimate *e = &job->result.estimate;
        char cycles[40], error[40]; /* all digits, so that a run from the store is the run */
        if (e->cycles > 0)
            snprintf(early + used, sizeof early - (size_t)used, ",\"estimated_cycles\":%s,\"estimate_error\":%s",
                     number_text(e->cycles, cycles, sizeof cycles), number_text(e->error, error, sizeof error));
    }
    return asprintf(&text, "{\"max_cycles\":%llu%s%s%s%s%s}", (unsigned long long)limits->max_cycles, insts, warmup,
                    bound, early, build) < 0
               ? NULL
               : text;
}

static int keep(struct batch *b, const struct run_job *job, double seconds, struct error *err)
{
    struct runner *runner = b->runner;
    if (!runner->store) return 0;
    struct store_run row = {.complete = job->result.complete, .code = job->result.err.code, .seconds = seconds};
    const struct hash key = job->result.is_bounded ? bounded_key(job) : job->key;
    hash_text(&key, row.key);
    hash_text(&job->key, row.claim);
    hash_text(&job->launch->hash, row.trace);
    if (b->hashed != job->params) { /* many runs have one configuration, and its text is long */
        b->hashed = NULL;
        if (config_hash(job->params, b->hashed_text, NULL, err) < 0) return -1;
        b->hashed = job->params;
    }
    memcpy(row.config, b->hashed_text, sizeof row.config);
    char nothing[] = "{}";
    char *stats = job->result.stats ? stats_to_json(job->result.stats) : NULL;
    json_t *stack = job->result.mechs ? json_incref(job->result.mechs) : run_stack_json(job->stack, job->n_stack);
    char *mechs = json_dumps(stack, JSON_COMPACT), *limits = limits_json(runner, job);
    row.stats = stats ? stats : nothing;
    row.mechs = mechs;
    row.limits = limits;
    row.message = (char *)(uintptr_t)(row.code != ERR_NONE ? job->result.err.text : "");
    const int result = store_put(runner->store, &row, err);
    json_decref(stack);
    free(stats);
    free(mechs);
    free(limits);
    return result;
}

/* It reached its bound, not a limit of its own. */
static bool is_bounded(const struct run_job *job)
{
    const struct run_result *r = &job->result;
    return job->bound_cycles && r->err.code == ERR_NONE && !r->complete && r->stats &&
           gpu_stats_value(r->stats, "core_cycles") >= (double)job->bound_cycles &&
           (!job->limits.max_cycles || job->bound_cycles < job->limits.max_cycles);
}

void batch_finish(struct batch *b, size_t i, double seconds)
{
    struct run_job *job = &b->jobs[i];
#pragma omp critical(runner_state)
    {
        struct runner_totals *t = &b->runner->totals;
        const bool has_failed = job->result.err.code != ERR_NONE;
        const uint64_t insts = has_failed ? 0 : job->launch->warp_insts;
        job->result.is_done = true;
        job->result.is_bounded = is_bounded(job);
        b->n_done++;
        t->simulated++;
        t->failed += has_failed;
        t->warp_insts += insts;
        if (!b->has_failed && keep(b, job, seconds, &b->fatal) < 0) b->has_failed = true;
        progress_step(&b->progress, job->cost, insts, has_failed);
    }
}

void batch_take(struct batch *b, size_t i)
{
    const bool has_failed = b->jobs[i].result.err.code != ERR_NONE;
    b->n_done++;
    b->runner->totals.reused++;
    b->runner->totals.failed += has_failed;
    progress_step(&b->progress, b->jobs[i].cost, 0, has_failed);
}

bool batch_is_stopped(const struct batch *b)
{
    bool stop = b->runner->options.stop && *b->runner->options.stop;
#pragma omp critical(runner_state)
    stop |= b->has_failed;
    return stop;
}
