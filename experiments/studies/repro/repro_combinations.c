/* Points put together: what each two (and some three) of them give, beside what they give alone.
 *
 * The interaction of a combination on a program is the logarithm of its speedup less the sum of those of its members:
 * 0 where the speedups multiply. Its interval, and that of the mean over programs, is drawn over families
 * (datasets/FAMILIES.md). By it a combination is one of
 *   add          the interval holds 0
 *   amplify      it lies above
 *   substitutes  it lies below, and the combination is not slower than its best member by more than chance
 *   fight        it lies below, and the combination is slower than its best member
 *   unknown      too few families for an interval
 *   refused      no machine has both, or no run of it succeeded
 * The counter named beside it is the one whose own interaction (its value less what the members change of it, one by
 * one) goes best with that of the speedup from program to program. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "poise/validate.h"
#include "studies/repro/figure.h"

/* What may explain an interaction: quotients of counters. */
static const struct cause {
    const char *title, *of, *by;
} causes[] = {{"L1 hit rate", "l1d_load_hits", "l1d_load_accesses"},
              {"misses without the pollute bit", "l1d_no_allocate", "l1d_misses"},
              {"loads around L1", "l1d_bypassed", "line_requests"},
              {"L1 cycles lost to MSHRs", "l1d_fail_mshr_cycles", "core_cycles"},
              {"L1 cycles lost to the miss queue", "l1d_fail_queue_cycles", "core_cycles"},
              {"average memory latency", "miss_latency_sum", "l1d_fills"},
              {"request flits an instruction", "request_flits", "warp_insts"},
              {"reply flits an instruction", "reply_flits", "warp_insts"},
              {"L2 hit rate", "l2_hits", "l2_accesses"},
              {"L2 access queues full", "l2_access_queue_full_cycles", "core_cycles"},
              {"DRAM bursts an instruction", "dram_reads", "warp_insts"},
              {"DRAM queues full", "dram_queue_full_cycles", "core_cycles"},
              {"slots lost to throttling", "stall_throttled", "issue_slots"},
              {"slots lost to the load-store unit", "stall_str_mem", "issue_slots"}};
enum { CAUSE_PROGRAMS_MIN = 4 };

struct matrix {
    const struct repro_data *data;
    struct groups families;
    double *work; /* of each benchmark: speedups, energies, interactions, distances, another two */
    json_t *json;
    struct repro_report *report;
    size_t n_intervals, n_out; /* drawn for combinations; of these, without 0 */
};
enum { WORK_SPEEDUP, WORK_ENERGY, WORK_INTERACTION, WORK_DISTANCE, WORK_CAUSE, N_WORK };
static double *work_of(const struct matrix *m, int what) { return m->work + (size_t)what * m->data->n; }

/* ---- figures of one benchmark ---- */

static double log_speedup(const struct repro_data *data, size_t b, size_t p)
{
    const double speedup = repro_speedup(data, b, p);
    return speedup > 0 ? log(speedup) : NAN;
}

/* The logarithm of the energy an instruction takes over that of the unchanged machine. */
static double log_energy(const struct repro_data *data, size_t b, size_t p)
{
    const double own = repro_value(data, b, p, "energy_j") / repro_value(data, b, p, "warp_insts"),
                 base = repro_value(data, b, 0, "energy_j") / repro_value(data, b, 0, "warp_insts");
    return own > 0 && base > 0 ? log(own / base) : NAN;
}

static double cause_value(const struct repro_data *data, size_t b, size_t p, const struct cause *cause)
{
    const double by = repro_value(data, b, p, cause->by);
    return by > 0 ? repro_value(data, b, p, cause->of) / by : NAN;
}

/* What a value of the combination is beyond what its members change of it. */
static double cause_interaction(const struct repro_data *data, size_t b, size_t p, const struct cause *cause)
{
    const struct repro_combined *of = &data->combined[p];
    const double base = cause_value(data, b, 0, cause);
    double sum = cause_value(data, b, p, cause) - base;
    for (size_t i = 0; i < of->n; i++) sum -= cause_value(data, b, of->members[i], cause) - base;
    return sum;
}

/* ---- means and intervals ---- */

static double mean_of(const size_t *rows, size_t n, void *values)
{
    double sum = 0, used = 0;
    for (size_t i = 0; i < n; i++) {
        const double v = ((const double *)values)[rows ? rows[i] : i];
        if (isfinite(v)) sum += v, used++;
    }
    return used > 0 ? sum / used : NAN;
}

static double mean_with(const struct matrix *m, double *values, double ci[2])
{
    repro_bootstrap(&m->families, mean_of, values, ci);
    return mean_of(NULL, m->data->n, values);
}

static json_t *json_ci(const double ci[2]) { return json_pack("[oo]", json_or_null(ci[0]), json_or_null(ci[1])); }

/* The mean of logarithms and its interval as factors. */
static double factor_with(const struct matrix *m, double *logs, double ci[2])
{
    const double mean = mean_with(m, logs, ci);
    ci[0] = exp(ci[0]), ci[1] = exp(ci[1]);
    return exp(mean);
}

/* ---- causes ---- */

static double correlation(const double *x, const double *y, size_t n, size_t *used)
{
    double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0, k = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i])) continue;
        sx += x[i], sy += y[i], k++;
    }
    *used = (size_t)k;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i])) continue;
        xx += (x[i] - sx / k) * (x[i] - sx / k);
        yy += (y[i] - sy / k) * (y[i] - sy / k);
        xy += (x[i] - sx / k) * (y[i] - sy / k);
    }
    return xx > 1e-18 && yy > 1e-18 ? xy / sqrt(xx * yy) : NAN;
}

static json_t *cause_of(const struct matrix *m, size_t p)
{
    double *values = work_of(m, WORK_CAUSE), most = 0, change = NAN, r = NAN;
    const struct cause *best = NULL;
    for (size_t c = 0; c < COUNT_OF(causes); c++) {
        size_t used;
        for (size_t b = 0; b < m->data->n; b++) values[b] = cause_interaction(m->data, b, p, &causes[c]);
        const double own = correlation(values, work_of(m, WORK_INTERACTION), m->data->n, &used);
        if (!isfinite(own) || used < CAUSE_PROGRAMS_MIN || fabs(own) <= most) continue;
        best = &causes[c], most = fabs(own), r = own, change = mean_of(NULL, m->data->n, values);
    }
    return best ? json_pack("{s:s,s:s,s:s,s:o,s:o}", "title", best->title, "counter", best->of, "by", best->by,
                            "interaction", json_or_null(change), "correlation", json_or_null(r))
                : json_null();
}

/* ---- one combination ---- */

static json_t *names_of(const struct repro_data *data, const struct repro_combined *of)
{
    json_t *names = json_array();
    for (size_t i = 0; i < of->n; i++) json_array_append_new(names, json_string(data->points[of->members[i]]));
    return names; /* empty: a point that the machine cannot be */
}

/* Fills the rows of speedup, energy, interaction and the distance to the member that is fastest in the mean. */
static void measure(const struct matrix *m, size_t p)
{
    const struct repro_combined *of = &m->data->combined[p];
    size_t best = of->members[0];
    double most = -INFINITY;
    for (size_t i = 0; i < of->n; i++) {
        double *values = work_of(m, WORK_DISTANCE);
        for (size_t b = 0; b < m->data->n; b++) values[b] = log_speedup(m->data, b, of->members[i]);
        const double mean = mean_of(NULL, m->data->n, values);
        if (mean > most) most = mean, best = of->members[i];
    }
    for (size_t b = 0; b < m->data->n; b++) {
        const double own = work_of(m, WORK_SPEEDUP)[b] = log_speedup(m->data, b, p);
        double sum = own;
        for (size_t i = 0; i < of->n; i++) sum -= log_speedup(m->data, b, of->members[i]);
        work_of(m, WORK_ENERGY)[b] = log_energy(m->data, b, p);
        work_of(m, WORK_INTERACTION)[b] = sum;
        work_of(m, WORK_DISTANCE)[b] = own - log_speedup(m->data, b, best);
    }
}

static const char *class_of(const double ci[2], const double to_best[2])
{
    if (!isfinite(ci[0]) || !isfinite(ci[1])) return "unknown";
    if (ci[0] > 0) return "amplify";
    if (ci[1] >= 0) return "add";
    return to_best[1] < 0 ? "fight" : "substitutes";
}

static json_t *programs_of(const struct matrix *m)
{
    json_t *programs = json_object();
    for (size_t b = 0; b < m->data->n; b++)
        json_object_set_new(programs, m->data->benchmarks[b].name,
                            json_pack("{s:o,s:o,s:o}", "speedup", json_or_null(exp(work_of(m, WORK_SPEEDUP)[b])),
                                      "energy", json_or_null(exp(work_of(m, WORK_ENERGY)[b])), "interaction",
                                      json_or_null(work_of(m, WORK_INTERACTION)[b])));
    return programs;
}

/* Its line of the table, and its object. */
static void add_combination(struct matrix *m, size_t p)
{
    const char *name = m->data->points[p];
    double ci[4][2], values[4];
    measure(m, p);
    for (int what = WORK_SPEEDUP; what <= WORK_ENERGY; what++)
        values[what] = factor_with(m, work_of(m, what), ci[what]);
    for (int what = WORK_INTERACTION; what <= WORK_DISTANCE; what++)
        values[what] = mean_with(m, work_of(m, what), ci[what]);
    if (!isfinite(values[WORK_INTERACTION])) return; /* among the refusals */
    const char *class = class_of(ci[WORK_INTERACTION], ci[WORK_DISTANCE]);
    static const char *const titles[] = {"speedup", "energy", "interaction"};
    for (int what = WORK_SPEEDUP; what <= WORK_INTERACTION; what++) {
        repro_cell(m->report, NAN, values[what], what == WORK_INTERACTION ? "ln" : "x", name, "%s", titles[what]);
        repro_interval(m->report, ci[what]);
    }
    m->n_intervals += isfinite(ci[WORK_INTERACTION][0]);
    m->n_out += strcmp(class, "add") != 0 && strcmp(class, "unknown") != 0;
    json_array_append_new(json_object_get(m->json, "combinations"),
                          json_pack("{s:s,s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", name, "of",
                                    names_of(m->data, &m->data->combined[p]), "class", class, "speedup",
                                    json_or_null(values[WORK_SPEEDUP]), "speedup_ci95", json_ci(ci[WORK_SPEEDUP]),
                                    "energy", json_or_null(values[WORK_ENERGY]), "energy_ci95",
                                    json_ci(ci[WORK_ENERGY]), "interaction", json_or_null(values[WORK_INTERACTION]),
                                    "ci95", json_ci(ci[WORK_INTERACTION]), "over_best",
                                    json_or_null(values[WORK_DISTANCE]), "over_best_ci95", json_ci(ci[WORK_DISTANCE]),
                                    "because", cause_of(m, p), "programs", programs_of(m)));
}

/* One that no program has; where some programs have it, it has its line, and the report says whose runs failed. */
static void add_refusal(struct matrix *m, const struct repro_refusal *refusal)
{
    const char *name = refusal->name;
    const size_t p = repro_point(m->data, name);
    bool is_measured = false;
    for (size_t b = 0; b < m->data->n && p < m->data->n_points; b++)
        is_measured |= isfinite(log_speedup(m->data, b, p));
    if (is_measured) {
        repro_deviation(m->report, "%.100s has not every program: %.180s", name, refusal->why);
        return;
    }
    repro_cell(m->report, NAN, NAN, "ln", name, "interaction");
    repro_failed(m->report, refusal->why);
    json_array_append_new(json_object_get(m->json, "combinations"),
                          json_pack("{s:s,s:o,s:s,s:s}", "name", name, "of", names_of(m->data, &refusal->of), "class",
                                    "refused", "why", refusal->why));
}

/* ---- the report ---- */

static void add_single(struct matrix *m, size_t p)
{
    double ci[2], ci_energy[2];
    for (size_t b = 0; b < m->data->n; b++) {
        work_of(m, WORK_SPEEDUP)[b] = log_speedup(m->data, b, p);
        work_of(m, WORK_ENERGY)[b] = log_energy(m->data, b, p);
        work_of(m, WORK_INTERACTION)[b] = NAN;
    }
    const double speedup = factor_with(m, work_of(m, WORK_SPEEDUP), ci),
                 energy = factor_with(m, work_of(m, WORK_ENERGY), ci_energy);
    repro_row(m->report, NAN, speedup, "x", "%s, speedup", m->data->points[p]);
    repro_interval(m->report, ci);
    repro_row(m->report, NAN, energy, "x", "%s, energy", m->data->points[p]);
    repro_interval(m->report, ci_energy);
    json_array_append_new(json_object_get(m->json, "policies"),
                          json_pack("{s:s,s:o,s:o,s:o,s:o,s:o}", "name", m->data->points[p], "speedup",
                                    json_or_null(speedup), "speedup_ci95", json_ci(ci), "energy", json_or_null(energy),
                                    "energy_ci95", json_ci(ci_energy), "programs", programs_of(m)));
}

static void fill(struct matrix *m)
{
    const struct repro_data *data = m->data;
    for (size_t p = 1; p < data->n_points; p++)
        if (data->combined[p].n == 0) add_single(m, p);
    for (size_t p = 1; p < data->n_points; p++)
        if (data->combined[p].n) add_combination(m, p);
    for (size_t i = 0; i < data->n_refusals; i++) add_refusal(m, &data->refusals[i]);
    repro_deviation(m->report,
                    "interaction: the logarithm of the speedup together less the sum of those alone; intervals of 95 "
                    "%% over %zu families; of %zu, %zu leave 0 out, and about %.0f would by chance alone",
                    m->families.n_groups, m->n_intervals, m->n_out, 0.05 * (double)m->n_intervals);
    repro_deviation(m->report, "energy is that of an instruction, over the unchanged machine; 'because' is the counter "
                               "whose interaction goes best with that of the speedup from program to program");
}

void repro_report_combinations(const struct repro_data *data, struct repro_report *report)
{
    struct matrix m = {.data = data, .report = report};
    struct error err;
    if (data->n == 0) return;
    m.work = calloc(N_WORK * (data->n + 1), sizeof *m.work);
    if (!m.work || repro_families(&m.families, data, &err) < 0) {
        report->out_of_memory = true;
    } else {
        m.json = json_pack("{s:[],s:[],s:[]}", "policies", "combinations", "families");
        for (size_t i = 0; i < m.families.n_groups; i++)
            json_array_append_new(json_object_get(m.json, "families"), json_string(m.families.names[i]));
        if (data->combined) fill(&m);
        report->matrix = m.json;
        report->n_families = m.families.n_groups;
        groups_fini(&m.families);
    }
    free(m.work);
}
