/* The evaluation from a sample: of each program the launches that are not profiled are sampled, the same under GTO,
 * the engine and every contender; the profiled ones are all simulated.       [experiments/sampling/README.md]
 *
 * Every figure of a benchmark is made of sums over its launches. A launch that was simulated counts for as many as it
 * stands for, and one that was not counts nothing; so the figures come about as they do from all launches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/pipeline/pipeline_internal.h"
#include "poise/lab.h"

enum { SUBJECT_GTO, SUBJECT_ENGINE, SUBJECT_CONTENDERS }; /* what runs on each launch of the sample */

/* What an interval belongs to: the policies of poise/policy.h, then the contenders. */
struct policy_estimate {
    struct stratified_estimate cycles, speedup, hit_rate, aml;
};
struct benchmark_sample {
    struct program_sample *sample;
    struct launches launches; /* borrowed */
    bool *always;
    struct policy_estimate *policies;
};

void benchmark_sample_free(struct benchmark_sample *s)
{
    if (!s) return;
    program_sample_free(s->sample);
    free(s->always);
    free(s->policies);
    free(s);
}

/* ---- runs ---- */

static int make_jobs(const struct pipeline *p, const struct contender_setup *setup, const struct benchmark *b,
                     struct run_job *jobs, struct error *err)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct profile *q = &b->profiles[i];
        const uint16_t W = (uint16_t)q->plan.warps_per_scheduler;
        if (pipeline_tuple_job(p, &jobs[SUBJECT_GTO * b->n + i], q, (struct warp_tuple){W, W}, err) < 0 ||
            pipeline_engine_job(p, q, &jobs[SUBJECT_ENGINE * b->n + i], err) < 0)
            return -1;
        for (size_t c = 0; c < p->spec->n_contenders; c++)
            if (contender_job(p, setup, c, b, q, &jobs[(SUBJECT_CONTENDERS + c) * b->n + i], err) < 0) return -1;
    }
    return 0;
}

/* The launches' results, each counted for as many as it stands for. */
static int take(const struct pipeline *p, struct benchmark *b, const struct run_job *jobs, const double *weights,
                struct error *err)
{
    for (size_t i = 0; i < b->n; i++) {
        struct profile *q = &b->profiles[i];
        const uint16_t W = (uint16_t)q->plan.warps_per_scheduler;
        const bool is_there = weights[i] != 0;
        if (!q->launch->is_profiled &&
            profile_add_run(q, (struct warp_tuple){W, W}, is_there ? jobs[SUBJECT_GTO * b->n + i].result.stats : NULL,
                            weights[i], err) < 0)
            return -1;
        if (!is_there) continue;
        pipeline_take_engine(q, &jobs[SUBJECT_ENGINE * b->n + i].result, weights[i]);
        for (size_t c = 0; c < p->spec->n_contenders; c++)
            contender_take(p, b, c, &jobs[(SUBJECT_CONTENDERS + c) * b->n + i].result, weights[i]);
    }
    return 0;
}

/* ---- intervals ---- */

/* What each launch of the sample gave under a policy. Without a profile SWL and Static-Best run all warps. */
static struct measure measure_of(const struct benchmark *b, const struct run_job *jobs, size_t policy, size_t i)
{
    const struct profile *q = &b->profiles[i];
    const uint32_t N = (uint32_t)b->totals[POLICY_swl].N;
    const struct launch_runs runs = {.W = q->plan.warps_per_scheduler, .points = q->runs, .n_points = q->n_runs};
    const struct tuple_run *own = NULL;
    size_t subject = SUBJECT_GTO;
    if (policy == POLICY_poise) subject = SUBJECT_ENGINE;
    if (policy >= N_POLICIES) subject = SUBJECT_CONTENDERS + policy - N_POLICIES;
    if (q->launch->is_profiled && policy == POLICY_swl) own = launch_diagonal(&runs, N);
    if (q->launch->is_profiled && policy == POLICY_static_best) own = launch_best(&runs);
    struct measure m = {0};
    const struct run_result *result = &jobs[subject * b->n + i].result;
    if (own) m = own->m;
    else if (result->stats) measure_stats(&m, result->stats);
    return m;
}

/* Columns of counters, a value a launch. */
enum { CYCLES, ACCESSES, HITS, LATENCY, MISSES, N_COLUMNS };
static void fill_columns(const struct benchmark *b, const struct run_job *jobs, size_t policy, double *out)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct measure m = measure_of(b, jobs, policy, i);
        const double values[N_COLUMNS] = {[CYCLES] = (double)m.cycles,
                                          [ACCESSES] = (double)m.l1_accesses,
                                          [HITS] = (double)m.l1_hits,
                                          [LATENCY] = (double)m.latency_sum,
                                          [MISSES] = (double)m.latency_count};
        for (int c = 0; c < N_COLUMNS; c++) out[(size_t)c * b->n + i] = values[c];
    }
}

static int estimate(const struct pipeline *p, struct benchmark *b, const struct run_job *jobs, struct error *err)
{
    struct benchmark_sample *s = b->sample;
    const size_t n_policies = N_POLICIES + p->spec->n_contenders, n = b->n;
    double *columns = calloc(N_COLUMNS * n + 1, sizeof *columns), *over = calloc(n_policies * n + 1, sizeof *over);
    int result = 0;
    s->policies = calloc(n_policies, sizeof *s->policies);
    if (!columns || !over || !s->policies) result = error_set(err, ERR_MEMORY, "out of memory for intervals");
    for (size_t k = 0; k < n_policies && result == 0; k++) {
        const int named = k < N_POLICIES ? -1 : contender_over(p->spec, k - N_POLICIES);
        const size_t base = named < 0 ? (size_t)POLICY_gto : (size_t)N_POLICIES + (size_t)named;
        struct policy_estimate *e = &s->policies[k];
        fill_columns(b, jobs, k, columns);
        memcpy(&over[k * n], &columns[CYCLES * n], n * sizeof *over);
        program_sample_values(&e->cycles, s->sample, &over[k * n], NULL);
        if (k == base) e->speedup = (struct stratified_estimate){.value = 1, .low = 1, .high = 1};
        else program_sample_values(&e->speedup, s->sample, &over[base * n], &over[k * n]);
        program_sample_values(&e->hit_rate, s->sample, &columns[HITS * n], &columns[ACCESSES * n]);
        program_sample_values(&e->aml, s->sample, &columns[LATENCY * n], &columns[MISSES * n]);
    }
    free(columns);
    free(over);
    return result;
}

/* ---- a benchmark ---- */

static int new_sample(struct pipeline *p, struct benchmark *b, struct error *err)
{
    struct sample_options options = p->spec->sample;
    struct benchmark_sample *s = b->sample = calloc(1, sizeof *s);
    if (s) s->always = calloc(b->n + 1, sizeof *s->always);
    if (!s || !s->always) return error_set(err, ERR_MEMORY, "out of memory for a sample");
    for (size_t i = 0; i < b->n; i++) s->always[i] = b->profiles[i].launch->is_profiled;
    options.is_by_launch = true;
    options.always = s->always;
    s->launches = (struct launches){.items = &p->launches.items[b->profiles - p->profiles], .n = b->n};
    return program_sample_new(&s->sample, p->runner, &s->launches, p->params, &options, err);
}

static int run_benchmark(struct pipeline *p, const struct contender_setup *setup, struct benchmark *b,
                         struct error *err)
{
    const size_t n_subjects = SUBJECT_CONTENDERS + p->spec->n_contenders, n_jobs = n_subjects * b->n;
    struct run_job *jobs = calloc(n_jobs + 1, sizeof *jobs);
    double *weights = calloc(b->n + 1, sizeof *weights);
    int result = jobs && weights ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu runs", n_jobs);
    if (result == 0) result = new_sample(p, b, err);
    if (result == 0) result = pipeline_total(b, err); /* SWL's N, which contenders may name: of profiled launches */
    if (result == 0) result = make_jobs(p, setup, b, jobs, err);
    if (result == 0) result = program_sample_run(b->sample->sample, b->workload->name, jobs, n_subjects, err);
    if (result == 0) result = pipeline_take_jobs(p, jobs, n_jobs, err);
    if (result == 0) result = program_sample_weights(b->sample->sample, weights, err);
    if (result == 0) result = take(p, b, jobs, weights, err);
    if (result == 0) result = pipeline_total(b, err);
    if (result == 0) contenders_total(p, b);
    if (result == 0) result = estimate(p, b, jobs, err);
    for (size_t i = 0; jobs && i < n_jobs; i++) run_job_fini(&jobs[i]);
    free(jobs);
    free(weights);
    return result;
}

int pipeline_evaluate_sampled(struct pipeline *p, struct error *err)
{
    struct contender_setup setup;
    if (pipeline_write_model(p, err) < 0) return -1;
    int result = contenders_begin(&setup, p, err);
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks && result == 0; i++)
        if ((result = run_benchmark(p, &setup, &p->benchmarks[i], err)) < 0)
            error_while(err, "%s", p->benchmarks[i].workload->name);
    contenders_end(&setup);
    return result;
}

/* ---- what is told ---- */

/* The harmonic mean over benchmarks, which are sampled independently, has the interval that follows from theirs. */
static struct stratified_estimate mean_speedup(const struct pipeline *p, size_t policy)
{
    const double n = (double)(p->n_benchmarks - p->n_training_benchmarks);
    double inverse = 0, square = 0;
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++) {
        const struct stratified_estimate *e = &p->benchmarks[i].sample->policies[policy].speedup;
        const double half = (e->high - e->low) / 2 / (e->value * e->value);
        inverse += 1 / e->value;
        square += half * half;
    }
    const double mean = n / inverse, half = mean * mean / n * sqrt(square);
    return (struct stratified_estimate){.value = mean, .low = mean - half, .high = mean + half};
}

static json_t *interval_json(const struct stratified_estimate *e)
{
    return json_pack("{s:o,s:o,s:o}", "value", json_figure(e->value), "low", json_figure(e->low), "high",
                     json_figure(e->high));
}

static const char *policy_name(const struct pipeline *p, size_t policy)
{
    return policy < N_POLICIES ? policy_names[policy] : p->spec->contenders[policy - N_POLICIES].name;
}

static void add_benchmark(const struct pipeline *p, const struct benchmark *b, json_t *row)
{
    json_t *work = program_sample_work_json(b->sample->sample), *policies = json_object_get(row, "policies");
    json_object_del(work, "requests_replayed"); /* launches begin with a cold L2 */
    json_object_set_new(work, "share_of_work",
                        json_figure(sample_share_of_work(program_sample_work(b->sample->sample))));
    json_object_set_new(row, "sample", work);
    for (size_t k = 0; k < N_POLICIES + p->spec->n_contenders; k++) {
        const struct policy_estimate *e = &b->sample->policies[k];
        json_object_set_new(json_object_get(policies, policy_name(p, k)), "estimate",
                            json_pack("{s:o,s:o,s:o,s:o}", "cycles", interval_json(&e->cycles), "speedup",
                                      interval_json(&e->speedup), "l1d_hit_rate", interval_json(&e->hit_rate),
                                      "aml_cycles", interval_json(&e->aml)));
    }
}

static struct sample_work all_work(const struct pipeline *p)
{
    struct sample_work all = {.is_whole = true};
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++) {
        const struct sample_work *w = program_sample_work(p->benchmarks[i].sample->sample);
        all.launches += w->launches;
        all.simulated += w->simulated;
        all.warp_insts += w->warp_insts;
        all.warp_insts_simulated += w->warp_insts_simulated;
        all.is_whole &= w->is_whole;
    }
    return all;
}

void pipeline_sample_into(const struct pipeline *p, json_t *summary)
{
    const struct sample_work all = all_work(p);
    json_t *means = json_object(), *benchmarks = json_object_get(summary, "benchmarks");
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++)
        add_benchmark(p, &p->benchmarks[i], json_array_get(benchmarks, i - p->n_training_benchmarks));
    for (size_t k = 0; k < N_POLICIES + p->spec->n_contenders; k++) {
        const struct stratified_estimate mean = mean_speedup(p, k);
        json_object_set_new(means, policy_name(p, k), interval_json(&mean));
    }
    json_object_set_new(summary, "sample",
                        json_pack("{s:o,s:I,s:I,s:I,s:o,s:b,s:o}", "error", json_figure(p->spec->sample.error), "seed",
                                  (json_int_t)p->spec->sample.seed, "launches", (json_int_t)all.launches,
                                  "launches_simulated", (json_int_t)all.simulated, "share_of_work",
                                  json_figure(sample_share_of_work(&all)), "is_whole", all.is_whole, "hmean", means));
}

static void print_row(const char *name, const struct stratified_estimate *rows, FILE *out)
{
    fprintf(out, "%-16.16s", name);
    for (int k = POLICY_swl; k < N_POLICIES; k++) fprintf(out, "  %7.3f to %7.3f", rows[k].low, rows[k].high);
    fputc('\n', out);
}

void pipeline_sample_print(const struct pipeline *p, FILE *out)
{
    const struct sample_work all = all_work(p);
    struct stratified_estimate rows[N_POLICIES];
    if (all.is_whole) {
        fprintf(out, "Nothing is estimated: the sample has all launches.\n");
        return;
    }
    fprintf(out,
            "\nEstimates: %zu of %zu launches were simulated, with %.3g %% of their warp instructions. Speedups over "
            "GTO, intervals of 95 %%:\n%-16s",
            all.simulated, all.launches, 100 * sample_share_of_work(&all), "");
    for (int k = POLICY_swl; k < N_POLICIES; k++) fprintf(out, "  %18s", policy_titles[k]);
    fputc('\n', out);
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++) {
        for (size_t k = 0; k < N_POLICIES; k++) rows[k] = p->benchmarks[i].sample->policies[k].speedup;
        print_row(p->benchmarks[i].workload->name, rows, out);
    }
    for (size_t k = 0; k < N_POLICIES; k++) rows[k] = mean_speedup(p, k);
    print_row("mean, ours", rows, out);
}
