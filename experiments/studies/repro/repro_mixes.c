/* Runs a study over mixes: each program and each kernel alone on the machine of the base, then every mix under every
 * point. All runs are the runner's: what the store has is not simulated again, so that a study goes on where it was
 * interrupted. */
#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/mix.h"
#include "poise/suite.h"
#include "poise/sweep.h"
#include "studies/repro/figure.h"
#include "studies/repro/repro_internal.h"

enum { MIX_SEED = 8, KERNELS_MAX = 64, PROGRAMS_MAX = 64 };

struct study {
    struct repro_spec spec;
    struct registry registry;
    struct launches launches; /* one a kernel */
    struct launch *marked;    /* the same with marked traces, a row a point: where a point names a marking */
    const char *kernels[KERNELS_MAX], *programs[PROGRAMS_MAX];
    struct cpu_stream *streams[PROGRAMS_MAX];
    enum cpu_class classes[PROGRAMS_MAX];
    struct mix mixes[REPRO_MIXES_MAX];
    size_t n_mixes, n_programs, n_jobs;
    struct gpu_cpu_programs *beside; /* one a job */
    struct run_job *jobs;            /* kernels alone, programs alone, mixes by points */
};

/* The first launch of each kernel that is profiled. */
static int find_kernels(struct study *s, const struct repro_options *o, struct error *err)
{
    if (registry_load(&s->registry, o->paths.kernels, err) < 0 ||
        suite_cast_apply(o->paths.cast, &s->registry, err) < 0)
        return -1;
    repro_only(o->only, s->spec.kernels, &s->spec.n_kernels, COUNT_OF(s->spec.kernels));
    for (size_t i = 0; i < s->spec.n_kernels && i < KERNELS_MAX; i++) {
        struct launches all = {0};
        const struct workload *w;
        int result = registry_find(&s->registry, s->spec.kernels[i], &w, err);
        if (result == 0)
            result = select_launches(&all, &s->registry, &o->paths, w->name, s->spec.scopes[o->mode].size, w->inputs, 1,
                                     NULL, 0, s->spec.scopes[o->mode].is_profiled_only, err);
        if (result == 0) result = launches_add(&s->launches, &all.items[0], err);
        launches_fini(&all);
        if (result < 0) return -1;
        s->kernels[i] = s->spec.kernels[i];
    }
    return 0;
}

/* Their classes are those on the machine of the base. */
static int find_programs(struct study *s, const struct repro_options *o, struct error *err)
{
    const size_t n = s->spec.n_programs ? s->spec.n_programs : n_cpu_programs;
    for (size_t i = 0; i < n; i++) {
        struct cpu_locality locality;
        const struct cpu_program *p = s->spec.n_programs ? cpu_program_find(s->spec.programs[i]) : &cpu_programs[i];
        if (!p)
            return error_set(err, ERR_INPUT, "%s: programs: no CPU program '%s' (`poise cpu list` names them)",
                             s->spec.name, s->spec.programs[i]);
        if (o->runner.progress) fprintf(o->runner.progress, "CPU program %s\n", p->name);
        if (cpu_program_open(&s->streams[i], p, s->spec.scopes[o->mode].insts, &o->paths, NULL, err) < 0) return -1;
        s->programs[i] = p->name;
        s->n_programs++;
        if (cpu_locality_of(&locality, s->streams[i], s->spec.params[0], err) < 0) return -1;
        s->classes[i] = cpu_class_of(&locality);
    }
    return 0;
}

/* The kernels' traces with the markings that points name. */
static int mark_kernels(struct study *s, const struct repro_options *o, struct error *err)
{
    s->marked = calloc(s->spec.n_points * s->launches.n + 1, sizeof *s->marked);
    if (!s->marked) return error_set(err, ERR_MEMORY, "out of memory for markings");
    for (size_t p = 0; p < s->spec.n_points; p++)
        for (size_t k = 0; *s->spec.markings[p] && k < s->launches.n; k++) {
            char dir[600];
            const struct launch *from = &s->launches.items[k];
            repro_path_beside(dir, sizeof dir, o->store, "marked", s->kernels[k], s->spec.points[p], "");
            if (repro_mark_launches(&s->marked[p * s->launches.n + k], &from, 1, s->spec.markings[p], dir, err) < 0)
                return -1;
        }
    return 0;
}

static int make_jobs(struct study *s, struct error *err)
{
    const size_t alone = s->launches.n + s->n_programs;
    s->n_jobs = alone + s->n_mixes * s->spec.n_points;
    s->jobs = calloc(s->n_jobs, sizeof *s->jobs);
    s->beside = calloc(s->n_jobs, sizeof *s->beside);
    if (!s->jobs || !s->beside) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", s->n_jobs);
    for (size_t j = 0; j < s->n_jobs; j++) {
        const size_t point = j < alone ? 0 : (j - alone) % s->spec.n_points;
        struct run_job *job = &s->jobs[j];
        struct gpu_cpu_programs *beside = &s->beside[j];
        job->launch = &s->launches.items[j < s->launches.n ? j : 0];
        job->params = s->spec.params[point];
        if (j >= s->launches.n && j < alone) {
            *beside =
                (struct gpu_cpu_programs){.streams = {s->streams[j - s->launches.n]}, .n = 1, .without_gpu = true};
        } else if (j >= alone) {
            const struct mix *m = &s->mixes[(j - alone) / s->spec.n_points];
            job->launch = *s->spec.markings[point] ? &s->marked[point * s->launches.n + m->kernel]
                                                   : &s->launches.items[m->kernel];
            beside->n = m->n;
            for (unsigned i = 0; i < m->n; i++) beside->streams[i] = s->streams[m->programs[i]];
        }
        if (beside->n) job->limits.cpu = beside;
        if (stack_copy(job->stack, &job->n_stack, s->spec.stacks[point], s->spec.n_stacks[point], err) < 0) return -1;
    }
    return 0;
}

/* ---- figures of mixes: each is a benchmark, and what is known of it at a point are these ---- */

static json_t *values_of(const struct mix *m, const struct mix_result *r)
{
    double programs = 0;
    if (r->failed) return json_pack("{s:i,s:s}", "programs", (int)m->n, "failed", r->why);
    for (unsigned i = 0; i < m->n; i++) programs += log(r->speedups[i]) / m->n;
    return json_pack("{s:f,s:f,s:f,s:f,s:i,s:f,s:f}", "weighted", r->score.weighted, "harmonic", r->score.harmonic,
                     "fairness", r->score.fairness, "access_ratio", r->access_ratio, "programs", (int)m->n,
                     "program_speed", exp(programs), "kernel_speed", r->speedups[m->n]);
}

/* A point's weighted speedup over the base's; NAN where a run failed. */
static double gain_of(const struct mix_data *d, size_t m, size_t point)
{
    const struct mix_result *r = mix_at(d, m, point), *base = mix_at(d, m, 0);
    return r->failed || base->failed ? NAN : r->score.weighted / base->score.weighted;
}

static bool shares_a_member(const struct mix *a, const struct mix *b)
{
    if (a->kernel == b->kernel) return true;
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned k = 0; k < b->n; k++)
            if (a->programs[i] == b->programs[k]) return true;
    return false;
}

/* The mean gain of a point, in logarithms, over the mixes that have no program and no kernel in common with mix `m`. */
static double gain_without(const struct mix_data *d, size_t m, size_t point, size_t *n)
{
    double sum = 0;
    *n = 0;
    for (size_t other = 0; other < d->n; other++) {
        const double gain = gain_of(d, other, point);
        if (other == m || shares_a_member(&d->mixes[m], &d->mixes[other]) || isnan(gain)) continue;
        sum += log(gain);
        ++*n;
    }
    return *n ? sum / (double)*n : NAN;
}

/* Of equals the first. */
static json_t *chosen_for(const struct mix_data *d, size_t m)
{
    size_t best = d->spec->n_points, chosen_on = 0;
    double most = NAN;
    for (size_t p = 1; p < d->spec->n_points; p++) {
        size_t n;
        if (fnmatch(d->spec->chosen.among, d->spec->points[p], 0) != 0) continue;
        const double gain = gain_without(d, m, p, &n);
        if (best < d->spec->n_points && !(gain > most) && !(isnan(most) && !isnan(gain))) continue;
        best = p;
        most = gain;
        chosen_on = n;
    }
    json_t *values = values_of(&d->mixes[m], mix_at(d, m, best));
    json_object_set_new(values, "chosen_on", json_integer((json_int_t)chosen_on));
    return values;
}

int repro_mixes_report(const struct repro_study *study, const struct mix_data *d, struct repro_report *report,
                       struct error *err)
{
    char(*names)[96] = calloc(d->n + 1, sizeof *names);
    struct repro_data data = {.benchmarks = calloc(d->n + 1, sizeof *data.benchmarks)};
    int result = names && data.benchmarks ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu mixes", d->n);
    data.n = result == 0 ? d->n : 0;
    repro_spec_points(d->spec, &data);
    for (size_t m = 0; m < data.n; m++) {
        const struct mix *mix = &d->mixes[m];
        size_t used = (size_t)snprintf(names[m], sizeof names[m], "%s", d->kernels[mix->kernel]);
        for (unsigned i = 0; i < mix->n && used < sizeof names[m]; i++)
            used += (size_t)snprintf(names[m] + used, sizeof names[m] - used, "+%s", d->programs[mix->programs[i]]);
        data.benchmarks[m].name = names[m];
        for (size_t p = 0; p < data.n_points; p++)
            data.benchmarks[m].mechs[p] = p < d->spec->n_points ? values_of(mix, mix_at(d, m, p)) : chosen_for(d, m);
    }
    if (result == 0) result = repro_report(study, &data, report, err);
    for (size_t m = 0; m < data.n; m++)
        for (size_t p = 0; p < data.n_points; p++) json_decref(data.benchmarks[m].mechs[p]);
    free(data.benchmarks);
    free(names);
    return result;
}

/* ---- what was measured ---- */

static const json_t *programs_of(const struct run_result *r)
{
    size_t i;
    const json_t *mech;
    json_array_foreach(r->mechs, i, mech)
        if (strcmp(json_string_value(json_object_get(mech, "name")), "cpu") == 0) return mech;
    return NULL;
}

static double core_value(const json_t *programs, size_t core, const char *name)
{
    return json_number_value(json_object_get(json_array_get(json_object_get(programs, "cores"), core), name));
}

static double core_counter(const json_t *programs, size_t core, const char *name)
{
    return json_number_value(
        json_object_get(json_object_get(json_array_get(json_object_get(programs, "cores"), core), "stats"), name));
}

static double access_ratio(const struct run_result *r, const json_t *programs, unsigned n)
{
    double kernel = gpu_stats_value(r->stats, "l2_accesses"), busiest = 0;
    for (unsigned i = 0; i < n; i++) {
        const double own = core_counter(programs, i, "cpu_llc_reads") + core_counter(programs, i, "cpu_writebacks");
        kernel -= own;
        busiest = own > busiest ? own : busiest;
    }
    return busiest > 0 ? kernel / busiest : 0;
}

static void fail_mix(struct mix_result *out, const char *run, const struct run_result *result)
{
    if (out->failed) return;
    out->failed = true;
    snprintf(out->why, sizeof out->why, "%s: %.*s", run, (int)strcspn(result->err.text, "\n"),
             result->err.code ? result->err.text : "its result does not tell of programs");
}

static void take_mix(const struct study *s, const struct mix *m, const struct run_job *job, struct mix_result *out)
{
    const json_t *programs = job->result.err.code ? NULL : programs_of(&job->result);
    const struct run_result *kernel = &s->jobs[m->kernel].result;
    if (!programs) fail_mix(out, "the mix", &job->result);
    if (kernel->err.code) fail_mix(out, "the kernel alone", kernel);
    for (unsigned i = 0; i < m->n && !out->failed; i++) {
        const struct run_result *alone = &s->jobs[s->launches.n + m->programs[i]].result;
        const json_t *own = alone->err.code ? NULL : programs_of(alone);
        if (own) out->speedups[i] = core_value(own, 0, "cycles") / core_value(programs, i, "cycles");
        else fail_mix(out, s->programs[m->programs[i]], alone);
    }
    if (out->failed) return;
    out->speedups[m->n] = gpu_stats_value(kernel->stats, "core_cycles") /
                          json_number_value(json_object_get(json_object_get(programs, "stats"), "gpu_cycles"));
    out->score = mix_score(out->speedups, m->n + 1);
    out->access_ratio = access_ratio(&job->result, programs, m->n);
}

static int report(const struct repro_study *study, const struct study *s, const struct repro_options *o,
                  struct repro_result *out, struct error *err)
{
    const size_t alone = s->launches.n + s->n_programs, n = s->n_mixes * s->spec.n_points;
    size_t failed = 0;
    struct mix_data data = {
        s->mixes, s->n_mixes, &s->spec, s->programs, s->kernels, s->classes, calloc(n, sizeof(struct mix_result))};
    if (!data.results) return error_set(err, ERR_MEMORY, "out of memory for %zu mixes", n);
    for (size_t i = 0; i < n; i++) {
        take_mix(s, &s->mixes[i / s->spec.n_points], &s->jobs[alone + i], &data.results[i]);
        failed += data.results[i].failed;
    }
    if (failed == n) {
        error_set(err, ERR_RUN, "no mix could be run: %s", data.results[0].why);
        free(data.results);
        return -1;
    }
    out->report.n_runs = s->n_jobs;
    if (repro_mixes_report(study, &data, &out->report, err) < 0) {
        free(data.results);
        return -1;
    }
    repro_deviation(&out->report,
                    "%zu mixes of %zu CPU programs (Debian packages, %" PRIu64
                    " instructions each) and %zu kernels of this "
                    "tree, size %s, drawn with seed %d, "
                    "stratified over classes",
                    s->n_mixes, s->n_programs, s->spec.scopes[o->mode].insts, s->launches.n,
                    workload_sizes[s->spec.scopes[o->mode].size], MIX_SEED);
    repro_deviation(&out->report,
                    "recorded programs carry no dependences between registers: every %.0fth load is taken to need the "
                    "one before it",
                    repro_param(&(struct repro_data){.params = {s->spec.params[0]}, .n_points = 1}, 0, "cpu", "chain"));
    if (failed)
        repro_deviation(&out->report, "%zu of %zu runs of mixes failed: their rows say why, and means do not have them",
                        failed, n);
    free(data.results);
    return out->report.out_of_memory ? error_set(err, ERR_MEMORY, "out of memory for the report") : 0;
}

/* ---- running ---- */

static void study_fini(struct study *s)
{
    for (size_t i = 0; s->jobs && i < s->n_jobs; i++) run_job_fini(&s->jobs[i]);
    for (size_t i = 0; i < s->n_programs; i++) cpu_stream_free(s->streams[i]);
    free(s->jobs);
    free(s->beside);
    free(s->marked);
    launches_fini(&s->launches);
    registry_fini(&s->registry);
    repro_spec_fini(&s->spec);
    free(s);
}

static int run_jobs(const struct repro_study *study, struct study *s, const struct repro_options *o,
                    struct runner *runner, struct repro_result *out, struct error *err)
{
    struct batch *batch = NULL;
    out->has_report = !o->shard && !o->is_dry;
    if (out->has_report) {
        if (runner_run(runner, study->id, s->jobs, s->n_jobs, err) < 0) return -1;
        return report(study, s, o, out, err);
    }
    if (run_jobs_shard(o->shard, s->jobs, &s->n_jobs, err) < 0 ||
        batch_new(&batch, runner, s->jobs, s->n_jobs, err) < 0)
        return -1;
    const int result = o->is_dry ? batch_estimate(batch, &out->estimate, err) : batch_run(batch, study->id, err);
    batch_free(batch);
    return result;
}

static int prepare(const struct repro_study *study, struct study *s, const struct repro_options *o, struct error *err)
{
    char path[1200];
    if (o->runner.ranks)
        return error_set(err, ERR_USAGE, "%s: runs with CPU programs do not go to other ranks; use --shard I/N",
                         study->id);
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, study->spec);
    if (repro_spec_load(&s->spec, path, o->paths.configs, o->config, err) < 0) return -1;
    if (repro_refuse_keys(&s->spec, study->id, err) < 0) return -1;
    if (repro_check_figure(study, &s->spec, err) < 0) return -1;
    if (find_kernels(s, o, err) < 0 || mark_kernels(s, o, err) < 0 || find_programs(s, o, err) < 0) return -1;
    const size_t *counts = s->spec.scopes[o->mode].mixes;
    for (int i = 0; i < MIX_SIZES; i++) s->n_mixes += counts[i];
    if (s->n_mixes == 0)
        return error_set(err, ERR_INPUT, "%s: %s: mixes says how many with 1, 2 and 4 CPU programs, as in [6, 5, 5]",
                         path, repro_mode_names[o->mode]);
    mix_draw(s->mixes, counts, s->classes, s->n_programs, s->launches.n, MIX_SEED);
    return make_jobs(s, err);
}

int repro_run_mixes(const struct repro_study *study, const struct repro_options *o, struct repro_result *out,
                    struct error *err)
{
    struct study *s = calloc(1, sizeof *s);
    struct store *store = NULL;
    struct runner *runner = NULL;
    struct error later;
    if (!s) return error_set(err, ERR_MEMORY, "out of memory for a study");
    int result = prepare(study, s, o, err);
    if (result == 0) snprintf(out->config, sizeof out->config, "%s", s->spec.config);
    if (result == 0)
        result = !o->is_dry                    ? store_open(&store, o->store, err)
                 : access(o->store, R_OK) == 0 ? store_open_read(&store, o->store, err)
                                               : 0;
    if (result == 0) result = runner_new(&runner, store, &o->runner, err);
    if (result == 0) {
        result = run_jobs(study, s, o, runner, out, err);
        out->totals = *runner_totals(runner);
        out->notes = runner_notes(runner);
    }
    runner_free(runner);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    study_fini(s);
    if (result < 0) repro_result_fini(out);
    return result;
}

/* ---- drawing mixes, and their scores ---- */

const unsigned mix_sizes[MIX_SIZES] = {1, 2, 4};

static unsigned below(uint64_t *x, size_t n)
{
    *x = *x * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((*x >> 32) * n >> 32);
}

/* ---- decks: what is dealt does not come again before all others have ---- */

enum { DECK_MAX = 64 };
struct deck {
    unsigned cards[DECK_MAX], n, left;
};

static void shuffle(struct deck *d, uint64_t *x)
{
    for (unsigned i = d->n; i > 1; i--) {
        const unsigned k = below(x, i), card = d->cards[k];
        d->cards[k] = d->cards[i - 1];
        d->cards[i - 1] = card;
    }
    d->left = d->n;
}

static unsigned deal(struct deck *d, uint64_t *x)
{
    if (!d->left) shuffle(d, x);
    return d->cards[--d->left];
}

static void add_card(struct deck *d, unsigned card)
{
    if (d->n < DECK_MAX) d->cards[d->n++] = card;
}

/* ---- combinations of classes: how many of each, two bits a class and one more, in one number ---- */

enum { COUNT_BITS = 3 };
static void add_combinations(struct deck *out, const bool *has, unsigned class, unsigned left, unsigned combination)
{
    if (class == N_CPU_CLASSES) {
        if (!left) add_card(out, combination);
        return;
    }
    for (unsigned n = 0; n <= (has[class] ? left : 0); n++)
        add_combinations(out, has, class + 1, left - n, combination | n << COUNT_BITS * class);
}

static bool is_in(const struct mix *m, unsigned program)
{
    for (unsigned i = 0; i < m->n; i++)
        if (m->programs[i] == program) return true;
    return false;
}

static void draw_one(struct mix *m, unsigned combination, struct deck *programs, uint64_t *x)
{
    m->n = 0;
    for (unsigned class = 0; class < N_CPU_CLASSES; class ++)
        for (unsigned n = combination >> COUNT_BITS * class & ((1u << COUNT_BITS) - 1); n; n--) {
            unsigned program = deal(&programs[class], x);
            for (unsigned tries = 0; is_in(m, program) && tries < programs[class].n; tries++)
                program = deal(&programs[class], x);
            m->programs[m->n++] = program;
        }
}

void mix_draw(struct mix *out, const size_t counts[MIX_SIZES], const enum cpu_class *classes, size_t n_programs,
              size_t n_kernels, uint64_t seed)
{
    struct deck programs[N_CPU_CLASSES] = {0}, kernels = {0};
    bool has[N_CPU_CLASSES] = {false};
    uint64_t x = seed * 0x9e3779b97f4a7c15ull + 1;
    for (unsigned i = 0; i < n_programs; i++) {
        add_card(&programs[classes[i]], i);
        has[classes[i]] = true;
    }
    for (unsigned i = 0; i < n_kernels; i++) add_card(&kernels, i);
    for (int s = 0; s < MIX_SIZES; s++) {
        struct deck combinations = {0};
        add_combinations(&combinations, has, 0, mix_sizes[s], 0);
        for (size_t i = 0; i < counts[s]; i++, out++) {
            draw_one(out, deal(&combinations, &x), programs, &x);
            out->kernel = deal(&kernels, &x);
        }
    }
}

struct mix_score mix_score(const double *speedups, size_t n)
{
    double sum = 0, inverse = 0, least = speedups[0], most = speedups[0];
    for (size_t i = 0; i < n; i++) {
        sum += speedups[i];
        inverse += 1 / speedups[i];
        least = speedups[i] < least ? speedups[i] : least;
        most = speedups[i] > most ? speedups[i] : most;
    }
    return (struct mix_score){sum, (double)n / inverse, least / most};
}
