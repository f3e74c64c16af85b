/* Studies of whole programs by a sample of their launches, the same under every point. [experiments/sampling/README.md]
 *
 * Every counter of a benchmark is a sum over its launches, so that one weight a launch estimates all of them, and the
 * figure's formulas are worked out over estimates as they are over sums. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/program_sample.h"
#include "poise/yaml.h"
#include "studies/repro/repro_sample.h"
#include "studies/repro/repro_sums.h"

struct program {
    size_t *at, n; /* its launches among the study's */
    struct launches launches;
    struct program_sample *sample;
    double *weights; /* of its launches */
};
struct repro_sample {
    struct program *programs;
    size_t n, n_points;
    const struct run_job *jobs; /* the study's: a launch's points side by side */
    struct sample_options options;
};

/* Runs of its own, or figures of what is learned and chosen from runs: no sums over launches. */
static bool has_more_than_sums(const struct repro_study *study)
{
    return study->tell || study->has_mixes || study->has_pairs || study->is_of_lengths || study->has_combinations ||
           yaml_get(study->figure, "learn") || yaml_get(study->figure, "choose") || yaml_get(study->figure, "windows");
}

int repro_sample_check(const struct repro_study *study, const struct repro_options *o, struct error *err)
{
    const char *why = has_more_than_sums(study)
                          ? "it estimates figures of whole programs, and this study computes something of its own"
                      : study->runs_programs || o->carries_l2 ? "launches begin with a cold L2"
                      : o->mode != REPRO_FULL                 ? "it estimates whole programs: add --mode full"
                      : o->shard || o->is_dry
                          ? "which launches are run is known only while they are: leave out --shard "
                            "and --dry-run"
                      : o->n_on || o->cap ? "leave out --on and --cap"
                                          : NULL;
    return why ? error_set(err, ERR_USAGE, "poise repro %s --sample: %s", study->id, why) : 0;
}

static int check_spec(const struct repro_spec *spec, enum repro_mode mode, struct error *err)
{
    const char *why = spec->is_by_launch                                       ? "it reports launches one by one"
                      : spec->scopes[mode].max_cycles                          ? "its runs have a limit"
                      : spec->n_points && spec->combined[spec->n_points - 1].n ? "it puts points together"
                                                                               : NULL;
    for (size_t p = 0; p < spec->n_points && !why; p++)
        for (unsigned m = 0; m < spec->n_stacks[p]; m++)
            if (*spec->limit_keys[p][m]) why = "it finds warp limits by runs of every launch";
    return why ? error_set(err, ERR_USAGE, "poise repro %s --sample: %s", spec->name, why) : 0;
}

int repro_sample_choose(struct repro_options *o, const struct repro_study *study, const struct repro_spec *spec,
                        struct error *err)
{
    if (!o->sample && *spec->sample && o->mode == REPRO_FULL && !o->is_exact) {
        o->sample = spec->sample;
        if (repro_sample_check(study, o, err) < 0) return -1;
    }
    return o->sample ? check_spec(spec, o->mode, err) : 0;
}

void repro_sample_free(struct repro_sample *s)
{
    if (!s) return;
    for (size_t k = 0; s->programs && k < s->n; k++) {
        program_sample_free(s->programs[k].sample);
        free(s->programs[k].launches.items);
        free(s->programs[k].at);
        free(s->programs[k].weights);
    }
    free(s->programs);
    free(s);
}

/* ---- runs ---- */

/* The sample wants the jobs of a program point by point: these are exchanged for the study's, and back. */
static void exchange(const struct program *p, size_t n_points, struct run_job *jobs, struct run_job *mine, bool back)
{
    for (size_t k = 0; k < n_points; k++)
        for (size_t i = 0; i < p->n; i++) {
            struct run_job *job = &jobs[p->at[i] * n_points + k];
            if (back) *job = mine[k * p->n + i];
            else mine[k * p->n + i] = *job;
        }
}

static int run_program(const struct repro_spec *spec, struct program *p, struct runner *runner,
                       const struct sample_options *options, struct run_job *jobs, struct error *err)
{
    struct run_job *mine = calloc(spec->n_points * p->n + 1, sizeof *mine);
    if (!mine) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", spec->n_points * p->n);
    exchange(p, spec->n_points, jobs, mine, false);
    int result = program_sample_new(&p->sample, runner, &p->launches, spec->params[0], options, err);
    if (result == 0) result = program_sample_run(p->sample, spec->name, mine, spec->n_points, err);
    exchange(p, spec->n_points, jobs, mine, true);
    free(mine);
    return result == 0 ? program_sample_weights(p->sample, p->weights, err) : -1;
}

static int add_program(struct repro_sample *s, const struct launches *launches, size_t first, struct error *err)
{
    struct program *p = &s->programs[s->n++];
    p->at = calloc(launches->n + 1, sizeof *p->at);
    p->weights = calloc(launches->n + 1, sizeof *p->weights);
    p->launches.items = calloc(launches->n + 1, sizeof *p->launches.items);
    if (!p->at || !p->weights || !p->launches.items) return error_set(err, ERR_MEMORY, "out of memory for a sample");
    for (size_t i = first; i < launches->n; i++) {
        if (launches->items[i].workload != launches->items[first].workload) continue;
        p->launches.items[p->n] = launches->items[i]; /* borrowed */
        p->at[p->n++] = i;
    }
    p->launches.n = p->n;
    return 0;
}

int repro_sample_run(struct repro_sample **out, const struct repro_spec *spec, const struct launches *launches,
                     struct runner *runner, const struct sample_options *options, struct run_job *jobs,
                     struct error *err)
{
    struct repro_sample *s = *out = calloc(1, sizeof *s);
    if (s) s->programs = calloc(launches->n + 1, sizeof *s->programs);
    if (!s || !s->programs) return error_set(err, ERR_MEMORY, "out of memory for a sample");
    s->jobs = jobs;
    s->n_points = spec->n_points;
    s->options = *options;
    s->options.is_by_launch = true;
    for (size_t i = 0; i < launches->n; i++) {
        size_t k = 0;
        while (k < s->n && launches->items[s->programs[k].at[0]].workload != launches->items[i].workload) k++;
        if (k < s->n) continue;
        if (add_program(s, launches, i, err) < 0 ||
            run_program(spec, &s->programs[k], runner, &s->options, jobs, err) < 0)
            return error_while(err, "%s", launches->items[i].workload->name);
    }
    return 0;
}

/* ---- totals ---- */

static struct repro_benchmark *benchmark_of(const struct repro_data *data, const struct program *p)
{
    for (size_t i = 0; i < data->n; i++)
        if (data->benchmarks[i].workload == p->launches.items[0].workload) return &data->benchmarks[i];
    return NULL;
}

static void add_up(const struct repro_sample *s, const struct program *p, size_t point, const struct stat_row *row,
                   void *stats)
{
    double sum = 0;
    uint64_t peak = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct run_result *r = &s->jobs[p->at[i] * s->n_points + point].result;
        if (p->weights[i] == 0 || !r->stats) continue;
        const uint64_t value = stats_get(row, r->stats);
        sum += p->weights[i] * (double)value;
        if (value > peak) peak = value;
    }
    const uint64_t total = row->kind == STAT_SUM ? (uint64_t)llround(fmax(0, sum)) : peak;
    memcpy((char *)stats + row->offset, &total, sizeof total);
}

static void total_program(const struct repro_sample *s, const struct program *p, const struct repro_data *data)
{
    struct repro_benchmark *b = benchmark_of(data, p);
    for (size_t k = 0; b && k < s->n_points; k++) {
        for (size_t r = 0; r < gpu_stat_table.n_rows; r++) add_up(s, p, k, &gpu_stat_table.rows[r], b->stats[k]);
        json_object_clear(b->mechs[k]);
        for (size_t i = 0; i < p->n; i++)
            if (p->weights[i] != 0)
                repro_add_mechs(b->mechs[k], s->jobs[p->at[i] * s->n_points + k].result.mechs, p->weights[i]);
    }
}

void repro_sample_totals(const struct repro_sample *s, struct repro_data *data)
{
    for (size_t k = 0; k < s->n; k++) total_program(s, &s->programs[k], data);
}

/* ---- intervals ---- */

static const double STEP = 0.25; /* of a launch's weight, up and down */

/* What the rows are where launch i of a program counts `times` its weight; out of rows that are not there: NAN. */
static int rows_where(const struct repro_sample *s, struct program *p, size_t i, double times, struct repro_data *data,
                      const struct repro_report *report, repro_sample_report *again, void *context, double *out,
                      struct error *err)
{
    struct repro_report other = {0};
    const double weight = p->weights[i];
    p->weights[i] = times * weight;
    total_program(s, p, data);
    const int result = again(context, data, &other, err);
    for (size_t r = 0; r < report->n_rows; r++)
        out[r] = result == 0 && r < other.n_rows && strcmp(other.rows[r].label, report->rows[r].label) == 0
                     ? other.rows[r].ours
                     : NAN;
    repro_report_fini(&other);
    p->weights[i] = weight;
    return result;
}

/* Adds the square of half of each row's interval that a program's sample accounts for. */
static int add_squares(const struct repro_sample *s, struct program *p, struct repro_data *data,
                       const struct repro_report *report, repro_sample_report *again, void *context, double *squares,
                       struct error *err)
{
    const size_t n = report->n_rows;
    double *worth = calloc(n * p->n + 1, sizeof *worth), *up = calloc(2 * n + 1, sizeof *up), *down = up + n;
    int result = worth && up ? 0 : error_set(err, ERR_MEMORY, "out of memory for intervals");
    for (size_t i = 0; i < p->n && result == 0; i++) {
        if (p->weights[i] == 0 || !program_sample_is_drawn_from(p->sample, i)) continue;
        result = rows_where(s, p, i, 1 + STEP, data, report, again, context, up, err);
        if (result == 0) result = rows_where(s, p, i, 1 - STEP, data, report, again, context, down, err);
        for (size_t r = 0; r < n; r++) worth[r * p->n + i] = (up[r] - down[r]) / (2 * STEP * p->weights[i]);
    }
    total_program(s, p, data);
    for (size_t r = 0; r < n && result == 0; r++) {
        struct stratified_estimate e;
        program_sample_values(&e, p->sample, &worth[r * p->n], NULL);
        squares[r] += (e.high - e.low) / 2 * ((e.high - e.low) / 2);
    }
    free(worth);
    free(up);
    return result;
}

int repro_sample_intervals(const struct repro_sample *s, struct repro_data *data, struct repro_report *report,
                           repro_sample_report *again, void *context, struct error *err)
{
    double *squares = calloc(report->n_rows + 1, sizeof *squares);
    bool is_estimate = false;
    int result = squares ? 0 : error_set(err, ERR_MEMORY, "out of memory for intervals");
    for (size_t k = 0; k < s->n && result == 0; k++) {
        if (program_sample_work(s->programs[k].sample)->is_whole || !benchmark_of(data, &s->programs[k])) continue;
        is_estimate = true;
        result = add_squares(s, &s->programs[k], data, report, again, context, squares, err);
    }
    for (size_t r = 0; r < report->n_rows && result == 0 && is_estimate; r++) {
        struct repro_row *row = &report->rows[r];
        if (!isfinite(row->ours)) continue;
        row->is_estimate = true;
        row->estimate[0] = row->ours - sqrt(squares[r]);
        row->estimate[1] = row->ours + sqrt(squares[r]);
    }
    free(squares);
    return result;
}

json_t *repro_sample_json(const struct repro_sample *s)
{
    struct sample_work all = {.is_whole = true};
    for (size_t k = 0; k < s->n; k++) {
        const struct sample_work *w = program_sample_work(s->programs[k].sample);
        all.launches += w->launches;
        all.simulated += w->simulated;
        all.warp_insts += w->warp_insts;
        all.warp_insts_simulated += w->warp_insts_simulated;
        all.is_whole &= w->is_whole;
    }
    return json_pack("{s:f,s:I,s:I,s:I,s:f,s:b}", "error", s->options.error, "seed", (json_int_t)s->options.seed,
                     "launches", (json_int_t)all.launches, "launches_simulated", (json_int_t)all.simulated,
                     "share_of_work", sample_share_of_work(&all), "is_whole", all.is_whole);
}
