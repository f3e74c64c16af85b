/* Points -> runs -> scores; of a sampled tuning points -> estimates (tune_sample.c). The store answers what it has;
 * everything else goes to the runner in one batch. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/tune/tune_internal.h"

const struct trial *tune_find(const struct tune *t, size_t point, unsigned rung)
{
    for (size_t i = 0; i < t->n_trials; i++)
        if (t->trials[i].point == point && t->trials[i].rung == rung) return &t->trials[i];
    return NULL;
}

size_t tune_n_full(const struct tune *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_trials; i++) n += t->trials[i].rung == 0;
    return n;
}

const struct trial *tune_best(const struct tune *t)
{
    const struct trial *best = NULL;
    for (size_t i = 0; i < t->n_trials; i++)
        if (t->trials[i].rung == 0 && isfinite(t->trials[i].score) && (!best || t->trials[i].score > best->score))
            best = &t->trials[i];
    return best;
}

static int run_jobs(struct tune *t, struct tune_jobs *l, struct error *err)
{
    t->runs += l->n;
    return runner_run(t->runner, t->name, l->jobs, l->n, err);
}

/* The baseline of a set at a rung, once. Its own figures are what speedups and prefixes refer to. */
static int need_baseline(struct tune *t, struct tune_set *set, unsigned rung, struct error *err)
{
    if (set->base[rung]) return 0;
    if (rung && need_baseline(t, set, 0, err) < 0) return -1;
    struct tune_jobs l;
    int result = tune_jobs_new(&l, set, 1, err);
    if (result == 0) result = tune_jobs_add_baseline(t, set, &l, t->params, rung, err);
    if (result == 0) result = run_jobs(t, &l, err);
    for (size_t i = 0; i < l.n && result == 0; i++)
        if (l.jobs[i].result.err.code != ERR_NONE) {
            *err = l.jobs[i].result.err;
            result = error_while(err, "the baseline on %s", l.jobs[i].launch->label);
        }
    if (result < 0) {
        tune_jobs_fini(&l);
        return result;
    }
    set->base[rung] = l.jobs;
    free(l.params); /* none: the machine is the spec's */
    return 0;
}

/* ---- metrics ---- */

static bool is_first_of_benchmark(const struct tune_set *set, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (is_same_benchmark(&set->launches.items[i], &set->launches.items[k])) return false;
    return true;
}

size_t tune_benchmarks(const struct tune_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->launches.n; i++) n += is_first_of_benchmark(set, i);
    return n;
}

/* Harmonic mean over benchmarks of throughput over that of `base`: for complete runs that is the ratio of times, and of
 * cycles where the clock is the same. */
static double speedup(const struct tune_set *set, const struct run_job *base, const struct run_job *jobs)
{
    double inverse = 0, n = 0;
    for (size_t i = 0; i < set->launches.n; i++) {
        const struct launch *first = &set->launches.items[i];
        if (!is_first_of_benchmark(set, i)) continue;
        double insts = 0, cycles = 0, base_insts = 0, base_cycles = 0;
        for (size_t k = i; k < set->launches.n; k++) {
            if (!is_same_benchmark(first, &set->launches.items[k])) continue;
            insts += gpu_stats_value(jobs[k].result.stats, "warp_insts");
            cycles += gpu_stats_value(jobs[k].result.stats, "core_cycles") *
                      (energy_cycle_us(jobs[k].params) / energy_cycle_us(base[k].params));
            base_insts += gpu_stats_value(base[k].result.stats, "warp_insts");
            base_cycles += gpu_stats_value(base[k].result.stats, "core_cycles");
        }
        if (!(insts > 0 && base_insts > 0)) return NAN;
        inverse += cycles / insts * (base_insts / base_cycles);
        n++;
    }
    return n / inverse;
}

static double objective_of(const struct tune *t, const struct tune_set *set, const struct run_job *jobs, unsigned rung,
                           size_t objective)
{
    const struct objective *o = &t->objectives[objective];
    double sum = 0;
    if (o->is_speedup) return speedup(set, set->base[rung], jobs);
    for (size_t i = 0; i < set->launches.n; i++) {
        const struct metric_run run = {jobs[i].result.stats, run_energy(&jobs[i])},
                                base = {set->base[rung][i].result.stats, run_energy(&set->base[rung][i])};
        sum += metric_value(&o->formula, &run, &base, NULL);
    }
    return sum / (double)set->launches.n;
}

/* Of each objective; NAN where a run failed. */
static void metrics_of(struct tune *t, const struct tune_set *set, const struct run_job *jobs, unsigned rung,
                       double *metrics)
{
    for (size_t i = 0; i < set->launches.n; i++)
        if (jobs[i].result.err.code != ERR_NONE || !jobs[i].result.stats) {
            if (t->failure.code == ERR_NONE) t->failure = jobs[i].result.err;
            t->has_failed = true;
            for (size_t k = 0; k < t->n_objectives; k++) metrics[k] = NAN;
            return;
        }
    for (size_t k = 0; k < t->n_objectives; k++) metrics[k] = objective_of(t, set, jobs, rung, k);
}

int tune_figures(struct tune *t, struct tune_set *set, const struct tune_place *at, bool is_exact,
                 struct tune_figures *out, struct error *err)
{
    const size_t n = set->launches.n;
    struct tune_jobs l;
    if (t->is_sampled && !is_exact) return tune_estimate_figures(t, set, at, out, err);
    if (need_baseline(t, set, 0, err) < 0 || tune_need_swl(t, set, err) < 0) return -1;
    int result = tune_jobs_new(&l, set, 2, err);
    if (result == 0) result = tune_jobs_add(t, set, &l, at, 0, err);
    if (result == 0) result = tune_jobs_add_baseline(t, set, &l, l.params[0], 0, err);
    if (result == 0) result = run_jobs(t, &l, err);
    if (result == 0) {
        double metrics[2][TUNE_OBJECTIVES_MAX];
        metrics_of(t, set, l.jobs, 0, metrics[0]);
        metrics_of(t, set, l.jobs + n, 0, metrics[1]);
        *out = TUNE_NO_FIGURES;
        out->metric.value = metrics[0][0];
        out->machine_alone.value = metrics[1][0];
        if (t->objectives[0].is_speedup && isfinite(metrics[0][0]) && isfinite(metrics[1][0]))
            out->over_same_machine.value = speedup(set, l.jobs + n, l.jobs);
    }
    tune_jobs_fini(&l);
    return result;
}

int tune_score(struct tune *t, struct tune_set *set, const size_t *points, size_t n, unsigned rung, bool in_store_only,
               bool *is_known, double *metrics, struct error *err)
{
    if (n == 0 || set->launches.n == 0) return 0;
    if (need_baseline(t, set, rung, err) < 0 || tune_need_swl(t, set, err) < 0) return -1;
    struct tune_jobs l;
    int result = tune_jobs_new(&l, set, n, err);
    for (size_t i = 0; i < n && result == 0; i++) {
        const struct tune_place at = {.point = &points[i]};
        result = tune_jobs_add(t, set, &l, &at, rung, err);
    }
    struct batch *batch = NULL;
    struct runner_estimate e = {0};
    if (result == 0) result = batch_new(&batch, t->runner, l.jobs, l.n, err);
    if (result == 0 && in_store_only) {
        result = batch_estimate(batch, &e, err);
        *is_known = result == 0 && e.missing == 0;
    }
    if (result == 0 && (!in_store_only || *is_known)) {
        t->runs += l.n;
        result = batch_run(batch, t->name, err);
        for (size_t i = 0; i < n && result == 0; i++)
            metrics_of(t, set, l.jobs + i * set->launches.n, rung, metrics + i * t->n_objectives);
    }
    batch_free(batch);
    tune_jobs_fini(&l);
    return result;
}

int tune_add_trial(struct tune *t, size_t point, unsigned rung, const double *metrics, struct error *err)
{
    if (t->n_trials == t->cap_trials) {
        const size_t capacity = 2 * t->n_trials + 64;
        struct trial *trials = realloc(t->trials, capacity * sizeof *trials);
        if (!trials) return error_set(err, ERR_MEMORY, "out of memory for %zu trials", capacity);
        t->trials = trials, t->cap_trials = capacity;
    }
    struct trial *trial = &t->trials[t->n_trials++];
    *trial = (struct trial){.point = point, .rung = rung, .low = NAN, .high = NAN};
    memcpy(trial->metrics, metrics, t->n_objectives * sizeof *metrics);
    trial->score = !isfinite(metrics[0]) ? NAN : t->objectives[0].is_min ? -metrics[0] : metrics[0];
    return 0;
}

int tune_try(struct tune *t, const size_t *points, size_t n, unsigned rung, struct error *err)
{
    if (t->outside) return t->outside(t, points, n, rung, err);
    size_t *fresh = calloc(n + 1, sizeof *fresh), n_fresh = 0;
    double *metrics = calloc(n * t->n_objectives + 1, sizeof *metrics);
    struct tune_value *values = calloc(n + 1, sizeof *values);
    int result = fresh && metrics && values ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu points", n);
    for (size_t i = 0; i < n && result == 0; i++) {
        bool is_new = !tune_find(t, points[i], rung);
        for (size_t k = 0; k < n_fresh; k++) is_new &= fresh[k] != points[i];
        if (is_new) fresh[n_fresh++] = points[i];
    }
    if (result == 0 && t->is_sampled) result = tune_estimate(t, &t->train, fresh, n_fresh, values, err);
    else if (result == 0) result = tune_score(t, &t->train, fresh, n_fresh, rung, false, NULL, metrics, err);
    for (size_t i = 0; i < n_fresh && result == 0; i++) {
        result =
            tune_add_trial(t, fresh[i], rung, t->is_sampled ? &values[i].value : metrics + i * t->n_objectives, err);
        if (result < 0 || !t->is_sampled) continue;
        t->trials[t->n_trials - 1].low = values[i].low;
        t->trials[t->n_trials - 1].high = values[i].high;
    }
    free(values);
    free(fresh);
    free(metrics);
    return result;
}
