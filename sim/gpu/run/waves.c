#include "run/waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "config/params.h"
#include "plan/plan.h"
#include "poise/table.h"
#include "run/steady.h"

/* ---- what waves say of others ---- */

/* Student's t for 95 %, two-sided. */
static double t_95(uint32_t df)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
    if (df == 0) return INFINITY;
    return df <= COUNT_OF(t) ? t[df - 1] : 1.96 + 2.5 / df;
}

uint32_t waves_warm_up(const struct wave *w, uint32_t n)
{
    struct warm_up found = {.least = INFINITY, .n = n, .end = WAVES_WARM_UP};
    for (uint32_t i = n; i-- > WAVES_WARM_UP;) warm_up_tell(&found, i, w[i].insts > 0 ? w[i].cycles / w[i].insts : 0);
    return found.end;
}

/* Residuals of values over sizes, and what their order shows. */
struct series {
    double rate, variance, inflation; /* a unit of size; of a residual; of the variance of a mean, by correlation */
    double trend, middle;             /* of a residual from wave to wave, where it is no chance; the mean place */
};
static struct series series_of(const struct wave *w, const double *values, uint32_t n)
{
    struct series s = {.inflation = 1};
    double insts = 0, value = 0, products = 0, squares = 0, before = 0, xx = 0, xy = 0;
    for (uint32_t i = 0; i < n; i++) {
        insts += w[i].insts;
        value += values[i];
        s.middle += (double)w[i].at / n;
    }
    s.rate = insts > 0 ? value / insts : 0;
    for (uint32_t i = 0; i < n; i++) {
        const double e = values[i] - s.rate * w[i].insts, x = w[i].at - s.middle;
        squares += e * e;
        xx += x * x;
        xy += x * e;
        if (i) products += e * before;
        before = e;
    }
    s.variance = squares / (n - 1);
    const double correlation = squares > 0 ? fmin(0.9, products / squares) : 0;
    if (correlation > 0) s.inflation = (1 + correlation) / (1 - correlation);
    const double trend = xx > 0 ? xy / xx : 0, left = fmax(0, squares - trend * xy);
    if (n > 2 && fabs(trend) > t_95(n - 2) * sqrt(left / (n - 2) / xx)) s.trend = trend;
    return s;
}

/* Who looks again and again until an interval is narrow stops where it is narrow by chance: as in learn/stratified.c */
static const double FACTOR = 1.2;

struct wave_prediction waves_predict(const struct wave *w, const double *values, uint32_t n_seen, double insts,
                                     double n, double at)
{
    if (n_seen < 2) return (struct wave_prediction){0, INFINITY};
    const struct series s = series_of(w, values, n_seen);
    const double noise = sqrt(s.variance * s.inflation * (n * n / n_seen + n));
    return (struct wave_prediction){s.rate * insts,
                                    FACTOR * t_95(n_seen - 1) * noise + n * fabs(s.trend * (at - s.middle))};
}

/* ---- waves as the trace has them ---- */

struct shape { /* of the CTAs of a wave */
    double requests, longest;
};

/* Of each whole wave; insts[c]: instructions of the first c CTAs. */
static void read_shapes(const struct plan *plan, uint32_t room, uint32_t n, struct shape *shapes, double *insts)
{
    const uint32_t warps = plan->launch.warps_per_cta;
    for (uint32_t i = 0; i < plan->launch.n_ctas; i++) {
        insts[i + 1] = insts[i];
        for (uint32_t v = i * warps; v < (i + 1) * warps; v++) {
            const struct plan_warp *warp = &plan->warps[v];
            const struct plan_step *step = plan->steps + warp->first_step;
            insts[i + 1] += warp->n_steps;
            if (i / room >= n) continue;
            struct shape *s = &shapes[i / room];
            s->longest = fmax(s->longest, warp->n_steps);
            for (const struct plan_step *end = step + warp->n_steps; step < end; step++)
                if (plan_step_has_lines(plan, step)) s->requests += step->n;
        }
    }
}

static bool is_between(double x, const double range[2])
{
    const double SLACK = 0.05;
    return x >= (1 - SLACK) * range[0] && x <= (1 + SLACK) * range[1];
}

/* Waves passed over between two parts of the series. */
struct gap {
    uint32_t seen, n; /* waves of the series before it; its own, and the first behind it */
    double insts, places;
};
struct waves {
    struct simulation *sim;
    uint32_t room, n, n_ctas; /* CTAs of a wave; whole waves; CTAs of the launch */
    double eps, total;        /* instructions of the launch */
    struct shape *shapes;
    double *of_ctas;     /* instructions of the first so many CTAs */
    double ranges[3][2]; /* of the shapes of waves simulated */
    struct wave *seen;
    double *values;   /* n_rows of each wave seen */
    uint32_t n_seen;  /* waves of the series, warm-up included */
    double *column;   /* room: one counter of the series */
    double *left_out; /* counters of waves behind those that were passed over */
    struct gap *gaps;
    uint32_t n_gaps, from; /* from: first wave of the series behind the warm-up */
    struct snapshot *room_of_stats;
    struct gpu_stats last;
    double last_insts;
};

static void traits_of(const struct waves *w, uint32_t wave, double out[3])
{
    out[0] = w->of_ctas[(wave + 1) * w->room] - w->of_ctas[wave * w->room];
    out[1] = w->shapes[wave].requests;
    out[2] = w->shapes[wave].longest;
}

static void see_shape(struct waves *w, uint32_t wave)
{
    double of[3];
    if (wave >= w->n) return;
    traits_of(w, wave, of);
    for (int i = 0; i < 3; i++) {
        w->ranges[i][0] = fmin(w->ranges[i][0], of[i]);
        w->ranges[i][1] = fmax(w->ranges[i][1], of[i]);
    }
}

static bool is_alike(const struct waves *w, uint32_t wave)
{
    double of[3];
    traits_of(w, wave, of);
    return is_between(of[0], w->ranges[0]) && is_between(of[1], w->ranges[1]) && is_between(of[2], w->ranges[2]);
}

/* What the series on both sides of gap `i` says of it: where its pace is another behind the gap than before it, that is
 * noise, correlation and trend, and nothing is known. Of a gap at the end of the series: what is before it. */
static struct wave_prediction predict_gap(const struct waves *w, const double *column, uint32_t i,
                                          const struct gap *gap)
{
    const uint32_t first = i ? w->gaps[i - 1].seen : w->from,
                   last = i + 1 < w->n_gaps ? w->gaps[i + 1].seen : w->n_seen;
    return waves_predict(w->seen + first, column + first, last - first, gap->insts, gap->n, gap->places / gap->n);
}

/* All gaps, and `next` (NULL: there is none) at the end. Two gaps side by side rest on the same waves in part. */
static struct wave_prediction predict(struct waves *w, const size_t *row, const struct gap *next)
{
    struct wave_prediction sum = {0, 0};
    for (uint32_t i = w->from; i < w->n_seen; i++)
        w->column[i] = row ? w->values[i * gpu_stat_table.n_rows + *row] : w->seen[i].cycles;
    for (uint32_t i = 0; i < w->n_gaps + (next != NULL); i++) {
        const struct wave_prediction p = predict_gap(w, w->column, i, i < w->n_gaps ? &w->gaps[i] : next);
        sum.value += p.value;
        sum.half = hypot(sum.half, p.half);
    }
    if (w->n_gaps + (next != NULL) > 1) sum.half *= sqrt(2);
    return sum;
}

/* Instructions of the next `n` waves. */
static double insts_of_next(const struct waves *w, uint32_t n)
{
    const uint32_t begun = simulation_ctas(w->sim);
    return w->of_ctas[begun + n * w->room] - w->of_ctas[begun];
}

static struct gap gap_of(const struct waves *w, uint32_t at, uint32_t n)
{
    return (struct gap){w->n_seen, n, insts_of_next(w, n), n * (at + (n - 1) / 2.0)};
}

/* What no wave that was seen tells: CTAs drift apart while a machine runs, and where waves are passed over they do not.
 * As a share of the launch, with `next` (NULL: there is none) passed over too. Measured:
 * experiments/sampling/README.md. */
static double unseen(const struct waves *w, const struct gap *next)
{
    const double OF_PASSED = 0.01;
    double insts = next ? next->insts : 0;
    for (uint32_t i = 0; i < w->n_gaps; i++) insts += w->gaps[i].insts;
    return OF_PASSED * insts / w->total;
}

/* How many waves from place `at` on may be passed over now: all that are like those seen, or half of them, or a
 * quarter, so that the interval is narrow enough. What comes behind the last gap is seen too, and the tail. */
static uint32_t may_pass(struct waves *w, uint32_t at)
{
    const uint32_t left = (w->n_ctas - simulation_ctas(w->sim)) / w->room, behind = 1 + WAVES_SEEN_LEAST;
    uint32_t most = left > behind ? left - behind : 0, n = 0;
    if (w->n_gaps == 0) w->from = w->n_seen ? waves_warm_up(w->seen, w->n_seen) : 0;
    const uint32_t series = w->n_seen - w->from;
    if (w->n_seen <= w->from || series < WAVES_SEEN_LEAST) return 0;
    most = most < WAVES_PASSED * series ? most : WAVES_PASSED * series;
    while (n < most && at + n < w->n && is_alike(w, at + n)) n++;
    const double whole = (double)simulation_now(w->sim) * w->total / fmax(1, w->last_insts);
    for (; n > 1; n /= 2) {
        const struct gap gap = gap_of(w, at, n);
        if (hypot(predict(w, NULL, &gap).half, unseen(w, &gap) * whole) <= w->eps * whole) return n;
    }
    return 0;
}

/* What becomes of a wave's figures. One behind waves that were passed over finds old lines in L1: it counts as passed
 * over itself. */
enum wave_use { WAVE_NONE, WAVE_JOINS, WAVE_BEHIND_GAP };
static int look(struct waves *w, uint32_t at, enum wave_use as, struct error *err)
{
    struct gpu_stats now;
    const uint64_t cycles = simulation_now(w->sim);
    if (simulation_stats(w->sim, &w->room_of_stats, &now, err) < 0) return -1;
    const double insts = (double)simulation_insts(w->sim);
    double *values = &w->values[w->n_seen * gpu_stat_table.n_rows];
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        values[i] =
            (double)stats_get(&gpu_stat_table.rows[i], &now) - (double)stats_get(&gpu_stat_table.rows[i], &w->last);
    if (as == WAVE_JOINS) {
        const double before = (double)w->last.core_cycles;
        w->seen[w->n_seen++] = (struct wave){at, insts - w->last_insts, (double)cycles - before};
    } else if (as == WAVE_BEHIND_GAP) {
        for (size_t i = 0; i < gpu_stat_table.n_rows; i++) w->left_out[i] += values[i];
        struct gap *gap = &w->gaps[w->n_gaps - 1];
        gap->insts += insts - w->last_insts;
        gap->places += at;
        gap->n++;
    }
    w->last = now;
    w->last_insts = insts;
    return 0;
}

/* Wave by wave; 1: the launch is done. Waves may come in a pattern, as where a row of CTAs is two waves: what is seen
 * at a time is several waves in a row. */
static int advance(struct waves *w, struct error *err)
{
    uint32_t to_see = 0; /* before more are passed over */
    for (;;) {
        const uint32_t begun = simulation_ctas(w->sim), at = begun / w->room;
        if (begun + w->room > w->n_ctas) return simulation_run(w->sim, 0, err);
        const int result = simulation_run_to_cta(w->sim, begun + w->room, err);
        if (result != 0) return result;
        if (simulation_ctas(w->sim) < begun + w->room) return 0; /* a limit */
        if (look(w, at, to_see <= WAVES_SEEN_LEAST ? WAVE_JOINS : WAVE_BEHIND_GAP, err) < 0) return -1;
        see_shape(w, at - 1);
        if (to_see && --to_see) continue;
        const uint32_t next = simulation_ctas(w->sim) / w->room, n = may_pass(w, next);
        if (n < 2) continue;
        w->gaps[w->n_gaps] = gap_of(w, next, n);
        w->n_gaps++;
        if (simulation_pass_over(w->sim, n * w->room, err) < 0) return -1;
        to_see = 1 + WAVES_SEEN_LEAST;
    }
}

/* Phases that only show in time are not seen: no interval of an estimate is narrower than a tenth of what was asked
 * for. */
static double error_of(const struct waves *w, double half, double value)
{
    return value > 0 ? fmax(hypot(half / value, unseen(w, NULL)), w->eps / 10) : 0;
}

static double left_out_of(const struct waves *w, const char *name)
{
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0) return w->left_out[i];
    return 0;
}

static int conclude(struct waves *w, struct wave_estimate *out, struct error *err)
{
    if (simulation_stats(w->sim, &w->room_of_stats, &out->stats, err) < 0) return -1;
    if (!w->n_gaps) return 0;
    if (!(out->errors = calloc(gpu_stat_table.n_rows, sizeof *out->errors)))
        return error_set(err, ERR_MEMORY, "out of memory for the intervals of counters");
    const struct wave_prediction cycles = predict(w, NULL, NULL);
    const double whole = (double)simulation_now(w->sim) - left_out_of(w, "core_cycles") + cycles.value;
    out->cycles = (struct gpu_estimate){round(whole), ceil(1e6 * error_of(w, cycles.half, whole)) / 1e6};
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++) {
        const struct stat_row *row = &gpu_stat_table.rows[i];
        if (row->kind != STAT_SUM) continue;
        const struct wave_prediction p = predict(w, &i, NULL);
        const double sum = fmax(0, (double)stats_get(row, &out->stats) - w->left_out[i] + p.value);
        *(uint64_t *)(void *)((char *)&out->stats + row->offset) = (uint64_t)llround(sum);
        const bool is_exact = strcmp(row->name, "warp_insts") == 0;
        out->errors[i] = is_exact ? 0 : error_of(w, p.half, sum);
        if (strcmp(row->name, "core_cycles") == 0) {
            out->stats.core_cycles = (uint64_t)out->cycles.cycles;
            out->errors[i] = out->cycles.error;
        }
    }
    return 0;
}

static int make_room(struct waves *w, const struct plan *plan, struct error *err)
{
    const size_t n = w->n + 1;
    w->shapes = calloc(n, sizeof *w->shapes);
    w->of_ctas = calloc(w->n_ctas + 1, sizeof *w->of_ctas);
    w->seen = calloc(n, sizeof *w->seen);
    w->values = calloc(n * gpu_stat_table.n_rows, sizeof *w->values);
    w->column = calloc(n, sizeof *w->column);
    w->left_out = calloc(gpu_stat_table.n_rows, sizeof *w->left_out);
    w->gaps = calloc(n, sizeof *w->gaps);
    if (!w->shapes || !w->of_ctas || !w->seen || !w->values || !w->column || !w->left_out || !w->gaps)
        return error_set(err, ERR_MEMORY, "out of memory for the waves of a launch");
    read_shapes(plan, w->room, w->n, w->shapes, w->of_ctas);
    return 0;
}

/* CTAs of a wave; 0: the launch has none. */
static uint32_t waves_ctas(const struct plan *plan, const struct gpu_params *params)
{
    const uint32_t room = plan->ctas_per_sm * params->core.sms, n = room ? plan->launch.n_ctas / room : 0;
    return room * ((n + WAVES_MOST - 1) / WAVES_MOST);
}

int waves_run(struct simulation *sim, const struct plan *plan, const struct gpu_params *params, double eps,
              struct wave_estimate *out, struct error *err)
{
    const uint32_t room = waves_ctas(plan, params), n = room ? plan->launch.n_ctas / room : 0;
    struct waves w = {.sim = sim, .room = room, .n = n, .n_ctas = plan->launch.n_ctas, .eps = eps};
    *out = (struct wave_estimate){.errors = NULL};
    if (n < WAVES_LEAST || plan->n_waits || simulation_decides_l2(sim)) return simulation_run(sim, 0, err);
    w.total = (double)plan_warp_insts(plan);
    for (int i = 0; i < 3; i++) w.ranges[i][0] = INFINITY, w.ranges[i][1] = -INFINITY;
    int result = make_room(&w, plan, err);
    if (result == 0) result = look(&w, 0, WAVE_NONE, err);
    if (result == 0) result = advance(&w, err);
    if (result >= 0 && simulation_is_done(sim) && conclude(&w, out, err) < 0) result = -1;
    snapshot_free(w.room_of_stats);
    free(w.shapes);
    free(w.of_ctas);
    free(w.seen);
    free(w.values);
    free(w.column);
    free(w.left_out);
    free(w.gaps);
    return result;
}
