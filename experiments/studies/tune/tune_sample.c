/* Trials that are estimated: the launches of a benchmark are one program, of which some are simulated under the
 * baseline and, the same ones, under every point. [experiments/sampling/README.md]
 *
 * A speedup is the ratio of two estimated totals with its interval; the harmonic mean over benchmarks has the interval
 * that follows from theirs, as benchmarks are sampled independently. A sample grows from trial to trial, as the
 * intervals ask for; a trial keeps the estimate that it had. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "studies/tune/tune_internal.h"

struct tune_program {
    size_t *at, n; /* its launches among those of the set */
    struct launches launches;
    struct program_sample *sample;
};
struct tune_samples {
    struct tune_program *programs;
    size_t n;
    struct tune_jobs base;    /* the baseline on each launch of the set; those drawn have a result */
    uint64_t insts, of_insts; /* of the points: simulated, and all */
};

void tune_samples_free(struct tune_samples *s)
{
    if (!s) return;
    for (size_t p = 0; s->programs && p < s->n; p++) {
        program_sample_free(s->programs[p].sample);
        free(s->programs[p].launches.items);
        free(s->programs[p].at);
    }
    free(s->programs);
    tune_jobs_fini(&s->base);
    free(s);
}

int tune_check_sample(const struct tune *t, struct error *err)
{
    const char *why = t->n_objectives > 1 || !t->objectives[0].is_speedup ? "it estimates one metric, speedup"
                      : t->method == TUNE_halving ? "halving runs prefixes: choose another method"
                      : t->wants_regret           ? "regret asks for exact runs of the whole grid"
                      : t->limits.max_cycles || t->limits.max_insts || t->limits.warmup_cycles
                          ? "it estimates whole programs, and the spec has limits"
                          : NULL;
    return why ? error_set(err, ERR_INPUT, "%s: sample: %s", t->name, why) : 0;
}

struct tune_value tune_trial_value(const struct trial *trial)
{
    return (struct tune_value){trial->metrics[0], trial->low, trial->high};
}

void tune_set_value(json_t *out, const char *key, const struct tune_value *v)
{
    char name[64];
    json_object_set_new(out, key, json_or_null(v->value));
    if (!isfinite(v->value) || !isfinite(v->low)) return;
    snprintf(name, sizeof name, "%s_low", key);
    json_object_set_new(out, name, json_or_null(v->low));
    snprintf(name, sizeof name, "%s_high", key);
    json_object_set_new(out, name, json_or_null(v->high));
    json_object_set_new(out, "is_estimate", json_true());
}

/* ---- programs of a set ---- */

static int add_program(struct tune *t, struct tune_set *set, size_t first, struct error *err)
{
    struct tune_program *p = &set->samples->programs[set->samples->n++];
    const struct launch *all = set->launches.items;
    p->at = calloc(set->launches.n + 1, sizeof *p->at);
    p->launches.items = calloc(set->launches.n + 1, sizeof *p->launches.items);
    if (!p->at || !p->launches.items) return error_set(err, ERR_MEMORY, "out of memory for a sample");
    for (size_t i = first; i < set->launches.n; i++) {
        if (!is_same_benchmark(&all[first], &all[i])) continue;
        p->launches.items[p->n] = all[i]; /* borrowed */
        p->at[p->n++] = i;
    }
    p->launches.n = p->n;
    return program_sample_new(&p->sample, t->runner, &p->launches, t->params, &t->sampling, err);
}

static int need_samples(struct tune *t, struct tune_set *set, struct error *err)
{
    if (set->samples) return 0;
    set->samples = calloc(1, sizeof *set->samples);
    if (set->samples) set->samples->programs = calloc(set->launches.n + 1, sizeof *set->samples->programs);
    if (!set->samples || !set->samples->programs) return error_set(err, ERR_MEMORY, "out of memory for a sample");
    for (size_t i = 0; i < set->launches.n; i++) {
        bool is_first = true;
        for (size_t k = 0; k < i && is_first; k++)
            is_first = !is_same_benchmark(&set->launches.items[k], &set->launches.items[i]);
        if (is_first && add_program(t, set, i, err) < 0) return -1;
    }
    return tune_jobs_new(&set->samples->base, set, 1, err) < 0
               ? -1
               : tune_jobs_add_baseline(t, set, &set->samples->base, t->params, 0, err);
}

/* ---- estimates ---- */

/* Policies: 0 is the baseline on the spec's machine, k + 1 the k-th of the jobs. A pair is the speed of the second over
 * the first. */
struct pair {
    size_t from, to;
};
struct sums {
    double inverse, square; /* of 1/speedup, and of half of its interval */
    bool is_lost, is_exact;
};

/* The sample wants the jobs of a program beside each other: these are exchanged for those of the set, and back. */
static void exchange(struct tune_set *set, const struct tune_program *p, struct tune_jobs *l, size_t n_policies,
                     struct run_job *mine, bool back)
{
    for (size_t k = 0; k <= n_policies; k++)
        for (size_t i = 0; i < p->n; i++) {
            struct run_job *job =
                k == 0 ? &set->samples->base.jobs[p->at[i]] : &l->jobs[(k - 1) * set->launches.n + p->at[i]];
            if (back) *job = mine[k * p->n + i];
            else mine[k * p->n + i] = *job;
        }
}

static const struct error *failure_of(const struct run_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i].result.err.code != ERR_NONE) return &jobs[i].result.err;
    return NULL;
}

static int add_pair(struct tune *t, const struct tune_program *p, const struct run_job *jobs, const struct pair *pair,
                    struct sums *sums, struct error *err)
{
    const struct run_job *from = &jobs[pair->from * p->n], *to = &jobs[pair->to * p->n];
    const struct error *failed = failure_of(to, p->n) ? failure_of(to, p->n) : failure_of(from, p->n);
    struct stratified_estimate e;
    if (failed) {
        if (t->failure.code == ERR_NONE) t->failure = *failed;
        t->has_failed = sums->is_lost = true;
        return 0;
    }
    const struct sample_part above = sample_cycles(from), below = sample_cycles(to);
    if (program_sample_estimate(&e, p->sample, &above, &below, err) < 0) return -1;
    const double clock = energy_cycle_us(from->params) / energy_cycle_us(to->params), speedup = e.value * clock,
                 half = (e.high - e.low) / 2 * clock;
    sums->inverse += 1 / speedup;
    sums->square += half / (speedup * speedup) * (half / (speedup * speedup));
    sums->is_exact &= program_sample_work(p->sample)->is_whole;
    return 0;
}

static int estimate_program(struct tune *t, struct tune_set *set, const struct tune_program *p, struct tune_jobs *l,
                            size_t n_policies, const struct pair *pairs, size_t n_pairs, struct sums *sums,
                            struct error *err)
{
    struct run_job *jobs = calloc((n_policies + 1) * p->n + 1, sizeof *jobs);
    if (!jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu estimates", n_policies);
    exchange(set, p, l, n_policies, jobs, false);
    int result = program_sample_run(p->sample, t->name, jobs, n_policies + 1, err);
    const struct error *failed = result == 0 ? failure_of(jobs, p->n) : NULL;
    if (failed) {
        *err = *failed;
        result = error_while(err, "the baseline on %s", p->launches.items[0].label);
    }
    for (size_t k = 0; k < n_pairs && result == 0; k++) result = add_pair(t, p, jobs, &pairs[k], &sums[k], err);
    exchange(set, p, l, n_policies, jobs, true);
    free(jobs);
    const struct sample_work *w = program_sample_work(p->sample);
    set->samples->insts += n_policies * w->warp_insts_simulated;
    set->samples->of_insts += n_policies * w->warp_insts;
    t->runs += n_policies * w->simulated;
    return result;
}

static int estimate(struct tune *t, struct tune_set *set, struct tune_jobs *l, size_t n_policies,
                    const struct pair *pairs, size_t n_pairs, struct tune_value *out, struct error *err)
{
    struct sums *sums = calloc(n_pairs + 1, sizeof *sums);
    const double n = (double)set->samples->n;
    int result = sums ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu estimates", n_pairs);
    for (size_t k = 0; k < n_pairs && result == 0; k++) sums[k].is_exact = true;
    for (size_t p = 0; p < set->samples->n && result == 0; p++)
        result = estimate_program(t, set, &set->samples->programs[p], l, n_policies, pairs, n_pairs, sums, err);
    for (size_t k = 0; k < n_pairs && result == 0; k++) {
        const double value = n / sums[k].inverse, half = value * value / n * sqrt(sums[k].square);
        out[k] = sums[k].is_lost    ? TUNE_NO_VALUE
                 : sums[k].is_exact ? (struct tune_value){value, NAN, NAN}
                                    : (struct tune_value){value, value - half, value + half};
    }
    free(sums);
    return result;
}

int tune_estimate(struct tune *t, struct tune_set *set, const size_t *points, size_t n, struct tune_value *out,
                  struct error *err)
{
    struct tune_jobs l;
    if (n == 0 || set->launches.n == 0) return 0;
    if (need_samples(t, set, err) < 0 || tune_need_swl(t, set, err) < 0) return -1;
    struct pair *pairs = calloc(n, sizeof *pairs);
    int result = tune_jobs_new(&l, set, n, err);
    if (result == 0 && !pairs) result = error_set(err, ERR_MEMORY, "out of memory for %zu points", n);
    for (size_t i = 0; i < n && result == 0; i++) {
        const struct tune_place at = {.point = &points[i]};
        pairs[i] = (struct pair){0, i + 1};
        result = tune_jobs_add(t, set, &l, &at, 0, err);
    }
    if (result == 0) result = estimate(t, set, &l, n, pairs, n, out, err);
    tune_jobs_fini(&l);
    free(pairs);
    return result;
}

int tune_estimate_figures(struct tune *t, struct tune_set *set, const struct tune_place *at, struct tune_figures *out,
                          struct error *err)
{
    static const struct pair pairs[] = {{0, 1}, {0, 2}, {2, 1}}; /* the point; its machine alone; one over the other */
    struct tune_value values[COUNT_OF(pairs)];
    struct tune_jobs l;
    if (need_samples(t, set, err) < 0 || tune_need_swl(t, set, err) < 0) return -1;
    int result = tune_jobs_new(&l, set, 2, err);
    if (result == 0) result = tune_jobs_add(t, set, &l, at, 0, err);
    if (result == 0) result = tune_jobs_add_baseline(t, set, &l, l.params[0], 0, err);
    if (result == 0) result = estimate(t, set, &l, 2, pairs, COUNT_OF(pairs), values, err);
    if (result == 0) *out = (struct tune_figures){values[0], values[1], values[2]};
    tune_jobs_fini(&l);
    return result;
}

json_t *tune_sample_json(const struct tune *t)
{
    const struct tune_samples *s = t->train.samples;
    json_t *out = json_pack("{s:f,s:I,s:b}", "error", t->sampling.error, "seed", (json_int_t)t->sampling.seed,
                            "is_checked", !t->is_unchecked);
    if (!s) return out;
    json_object_set_new(out, "warp_insts_simulated", json_integer((json_int_t)s->insts));
    json_object_set_new(out, "warp_insts", json_integer((json_int_t)s->of_insts));
    json_object_set_new(out, "share_of_work", json_or_null(s->of_insts ? (double)s->insts / (double)s->of_insts : NAN));
    return out;
}
