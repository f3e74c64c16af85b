/* Estimates of a program from the launches simulated. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "sampling/sample_internal.h"

static int fill(const struct program_sample *s, const struct sample_part *part, double *out, struct error *err)
{
    for (size_t u = 0; u < s->n_units; u++) {
        const struct run_result *r = &part->jobs[s->units[u].first].result;
        out[u] = 0;
        if (!sample_unit_is_drawn(s, u)) continue;
        if (!r->stats) return error_set(err, ERR_INPUT, "a launch of the sample has no result");
        out[u] = s->units[u].weight * part->value(r->stats, part->what);
    }
    return 0;
}

/* Launches that were not seen may differ where all that were seen agree, as under a policy that acts in few launches:
 * no interval of an estimate is narrower than a tenth of what was asked for. */
static void widen(struct stratified_estimate *e, double least)
{
    const double half = fmax((e->high - e->low) / 2, least * fabs(e->value));
    e->low = e->value - half;
    e->high = e->value + half;
}

/* Half of the interval of a counter of one launch, absolutely: 0 where all of it was simulated. */
static double own_half(const struct run_result *result, const char *counter)
{
    const json_t *part = run_result_sampled(result);
    if (!part) return 0;
    return gpu_stats_value(result->stats, counter) *
           json_number_value(json_object_get(json_object_get(part, "stats"), counter));
}

/* Square of half of the interval that launches simulated in part add to a total: each stands for N_h / n_h of its
 * cluster. [Cochran 11.24, the last term] */
static double own_square(const struct program_sample *s, const struct sample_part *part)
{
    double sum = 0;
    for (size_t u = 0; u < s->n_units && s->has_parts; u++) {
        if (!sample_unit_is_drawn(s, u)) continue;
        const size_t h = s->cluster_of[u];
        const double half = s->units[u].weight * own_half(&part->jobs[s->units[u].first].result, part->counter);
        sum += (double)(s->strata.start[h + 1] - s->strata.start[h]) / (double)s->drawn.drawn[h] * half * half;
    }
    return sum;
}

static void add_own(struct stratified_estimate *e, const struct program_sample *s, const struct sample_part *above,
                    const struct sample_part *below)
{
    double square = own_square(s, above), total = 1;
    if (below) {
        total = stratified_total(&s->drawn, s->below).value;
        square += e->value * e->value * own_square(s, below);
    }
    if (!(square > 0) || total == 0) return;
    const double half = hypot((e->high - e->low) / 2, sqrt(square) / fabs(total));
    e->low = e->value - half;
    e->high = e->value + half;
}

int program_sample_estimate(struct stratified_estimate *out, const struct program_sample *s,
                            const struct sample_part *above, const struct sample_part *below, struct error *err)
{
    if (fill(s, above, s->above, err) < 0 || (below && fill(s, below, s->below, err) < 0)) return -1;
    *out = below ? stratified_ratio(&s->drawn, s->above, s->below) : stratified_total(&s->drawn, s->above);
    add_own(out, s, above, below);
    if (!stratified_is_whole(&s->drawn)) widen(out, s->options.error / 10);
    return 0;
}

int program_sample_weights(const struct program_sample *s, double *weights, struct error *err)
{
    double *units = calloc(s->n_units + 1, sizeof *units);
    if (!units) return error_set(err, ERR_MEMORY, "out of memory for weights of %zu launches", s->n);
    const int result = stratified_weights(&s->drawn, units, err);
    memset(weights, 0, s->n * sizeof *weights);
    for (size_t u = 0; u < s->n_units && result == 0; u++) weights[s->units[u].first] = s->units[u].weight * units[u];
    free(units);
    return result;
}

void program_sample_values(struct stratified_estimate *out, const struct program_sample *s, const double *values,
                           const double *below)
{
    for (size_t u = 0; u < s->n_units; u++) {
        const bool is_drawn = sample_unit_is_drawn(s, u);
        s->above[u] = is_drawn ? s->units[u].weight * values[s->units[u].first] : 0;
        s->below[u] = is_drawn && below ? s->units[u].weight * below[s->units[u].first] : 0;
    }
    *out = below ? stratified_ratio(&s->drawn, s->above, s->below) : stratified_total(&s->drawn, s->above);
    if (!stratified_is_whole(&s->drawn)) widen(out, s->options.error / 10);
}

static double cycles_value(const struct gpu_stats *stats, const void *what)
{
    (void)what;
    return gpu_stats_value(stats, "core_cycles");
}

struct sample_part sample_cycles(const struct run_job *jobs)
{
    return (struct sample_part){jobs, cycles_value, NULL, "core_cycles"};
}

static double row_value(const struct gpu_stats *stats, const void *row) { return (double)stats_get(row, stats); }

static const struct stat_row *row_named(const char *name)
{
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0) return &gpu_stat_table.rows[i];
    return NULL;
}

int program_sample_stat(struct stratified_estimate *out, const struct program_sample *s, const struct run_job *jobs,
                        const char *name, struct error *err)
{
    const struct stat_row *num = row_named(name), *den = NULL;
    const bool is_ratio = !num;
    for (size_t i = 0; !num && i < n_gpu_ratio_rows; i++)
        if (strcmp(gpu_ratio_rows[i].name, name) == 0) gpu_ratio_parts(&gpu_ratio_rows[i], &num, &den);
    if (!num || num->kind != STAT_SUM || (is_ratio && (!den || den->kind != STAT_SUM)))
        return error_set(err, ERR_USAGE, "%s is no counter or ratio of sums", name);
    const struct sample_part above = {jobs, row_value, num, num->name},
                             below = {jobs, row_value, den, den ? den->name : NULL};
    return program_sample_estimate(out, s, &above, den ? &below : NULL, err);
}

json_t *program_sample_estimate_json(const struct stratified_estimate *e)
{
    return json_pack("{s:f,s:f,s:f}", "value", e->value, "low", e->low, "high", e->high);
}

double sample_share_of_work(const struct sample_work *w)
{
    return w->warp_insts ? (double)w->warp_insts_simulated / (double)w->warp_insts : 1;
}

json_t *program_sample_work_json(const struct program_sample *s)
{
    const struct sample_work *w = &s->work;
    return json_pack("{s:f,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:b}", "error", s->options.error, "seed",
                     (json_int_t)s->options.seed, "launches", (json_int_t)w->launches, "launches_simulated",
                     (json_int_t)w->simulated, "clusters", (json_int_t)w->clusters, "warp_insts",
                     (json_int_t)w->warp_insts, "warp_insts_simulated", (json_int_t)w->warp_insts_simulated,
                     "requests_replayed", (json_int_t)w->replayed, "is_whole", w->is_whole);
}
