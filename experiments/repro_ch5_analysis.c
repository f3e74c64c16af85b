/* Why Poise: the solution space, the analytical model, scoring, the case study, the cost.       [THESIS §5.3.3, §5.5, §5.7.8-9] */
#include "repro_ch5.h"

#include <string.h>
#include "poise/analytic.h"

static double at(const json_t *tuple, size_t k) { return json_number_value(json_array_get(tuple, k)); }

/* ---- Fig. 5.2: PCAL's trap on ii ---- */

static void tell_5_2(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    const json_t *launch = ch5_launch(&c, "ii");
    (void)study;
    for (size_t b = 0; b < c.n && launch; b++) {
        if (strcmp(ch5_name(&c, b), "ii") != 0) continue;
        const double diagonal = ch5_number(launch, "diagonal_speedup"), best = ch5_number(launch, "best_speedup"), pcal = ch5_value(&c, b, "pcal_swl", "speedup");
        repro_row(report, 1.07, diagonal, "x", "best on the diagonal");
        repro_row(report, 2, at(json_object_get(launch, "diagonal"), 0), "warps", "its N");
        repro_row(report, 1.45, best, "x", "best of all");
        repro_row(report, 15, at(json_object_get(launch, "static_best"), 0), "warps", "its N");
        repro_row(report, 1, at(json_object_get(launch, "static_best"), 1), "warps", "its p");
        repro_row(report, 1.35, pcal, "x", "PCAL-SWL");
        repro_row(report, 1.07, ch5_value(&c, b, "ccws", "speedup"), "x", "CCWS");
        repro_check(report, best > 1.02 * diagonal, "the best tuple lies off the diagonal");
        repro_check(report, best > pcal, "PCAL stays below the best tuple");
        repro_check(report, pcal > diagonal, "PCAL is above the best point of the diagonal");
    }
    repro_deviation(report, "the thesis's is kernel 112 of its ii, ours the scan of the text: launch 0");
}

/* ---- Fig. 5.5: the objective function against speedup ---- */

static double pearson(const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) mx += x[i] / (double)n, my += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) xx += (x[i] - mx) * (x[i] - mx), yy += (y[i] - my) * (y[i] - my), xy += (x[i] - mx) * (y[i] - my);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

static const json_t *locality_of(const struct ch5 *c, size_t b, const char *contender)
{
    return json_object_get(json_object_get(json_object_get(json_array_get(c->benchmarks, b), "policies"), contender), "locality");
}

static double ratio(const json_t *stats, const char *over, const char *under) { return ch5_number(stats, over) / ch5_number(stats, under); }

/* mu_{p/np} of a benchmark at (W, 1), Eq. 5.11, from what its runs measured. */
static double objective(const struct ch5 *c, size_t b)
{
    const json_t *split = locality_of(c, b, "one_pollutes"), *launch = json_array_get(json_object_get(json_array_get(c->benchmarks, b), "profiled"), 0);
    const struct analytic a = {
        .N = ch5_number(launch, "W"), .p = 1, .h_o = ch5_value(c, b, "gto", "l1d_hit_rate"), .h_p = ratio(split, "p_hits", "p_accesses"),
        .h_np = ratio(split, "np_hits", "np_accesses"), .L_o = ch5_value(c, b, "gto", "aml_cycles"), .L_prime = ch5_value(c, b, "one_pollutes", "aml_cycles"),
        .I_d = ch5_number(json_object_get(launch, "features"), "I_n") + 1, .T_pipe = 1, .K_mshr = 32};
    return analytic_mu_p_np(&a);
}

static void tell_5_5(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    double mu[CH5_MAX], speedup[CH5_MAX], norm = NAN;
    size_t n = 0;
    (void)study;
    for (size_t b = 0; b < c.n; b++)
        if (strcmp(ch5_name(&c, b), "syr2k") == 0) norm = objective(&c, b);
    for (size_t b = 0; b < c.n; b++) {
        const double m = objective(&c, b);
        repro_row(report, NAN, ch5_speedup(&c, b, "one_pollutes"), "x", "%s speedup at (W, 1)", ch5_name(&c, b));
        repro_row(report, NAN, m / norm, "1", "%s mu_p/np over syr2k's", ch5_name(&c, b));
        if (!isfinite(m)) continue;
        mu[n] = m;
        speedup[n++] = ch5_speedup(&c, b, "one_pollutes");
    }
    const double r = pearson(mu, speedup, n);
    repro_row(report, 0.87, r, "1", "Pearson correlation of both");
    repro_check(report, r > 0.5, "the objective function and the speedup at (W, 1) correlate");
    repro_deviation(report, "I_d is taken as instructions between loads plus one, T_pipe as 1; %zu of %zu benchmarks have a finite mu", n, c.n);
}

static void tell_5_6(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const struct { const char *name; double intra, distance; } published[] = {{"ii", 97, NAN}, {"syr2k", 40, NAN}, {"bfs", NAN, 1136}};
    const struct ch5 c = ch5_of(summary);
    size_t higher = 0, n = 0;
    (void)study;
    for (size_t b = 0; b < c.n; b++) {
        const json_t *split = locality_of(&c, b, "one_pollutes"), *base = locality_of(&c, b, "base");
        const json_t *launch = json_array_get(json_object_get(json_array_get(c.benchmarks, b), "profiled"), 0);
        double intra = NAN, distance = NAN;
        for (size_t i = 0; i < COUNT_OF(published); i++)
            if (strcmp(published[i].name, ch5_name(&c, b)) == 0) intra = published[i].intra, distance = published[i].distance;
        const double h_o = 100 * ch5_value(&c, b, "gto", "l1d_hit_rate"), h_p = 100 * ratio(split, "p_hits", "p_accesses");
        repro_row(report, NAN, h_p, "%", "%s h_p", ch5_name(&c, b));
        repro_row(report, NAN, 100 * ratio(split, "np_hits", "np_accesses"), "%", "%s h_np", ch5_name(&c, b));
        repro_row(report, NAN, h_o, "%", "%s h_o", ch5_name(&c, b));
        repro_row(report, intra, 100 * ch5_number(json_object_get(launch, "features"), "intra_of_hits"), "%", "%s intra-warp, of baseline's hits", ch5_name(&c, b));
        repro_row(report, distance, ratio(base, "intra_distance", "intra_reuses"), "accesses", "%s reuse distance within warps", ch5_name(&c, b));
        n++;
        higher += h_p > h_o;
    }
    repro_check(report, 2 * higher > n, "the polluting warp hits more than the baseline's warps (%zu of %zu)", higher, n);
    repro_deviation(report, "reuse distance: load accesses of the SM between two of a warp to one line; the thesis does not define its own");
}

/* ---- Tab. 5.4 ---- */

static void tell_tab_5_4(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const struct { const char *name; double best; } published[] = {{"syr2k", 14.13}, {"syrk", 9.03}, {"mm", 6.20}, {"ii", 5.94}, {"gsmv", 3.23},
        {"mvt", 2.97}, {"bicg", 2.93}, {"ss", 2.85}, {"atax", 2.73}, {"bfs", 1.55}, {"kmeans", 1.42}};
    const struct ch5 c = ch5_of(summary);
    size_t sensitive = 0;
    (void)study;
    for (size_t b = 0; b < c.n; b++) {
        double paper = NAN;
        for (size_t i = 0; i < COUNT_OF(published); i++)
            if (strcmp(published[i].name, ch5_name(&c, b)) == 0) paper = published[i].best;
        repro_row(report, paper, ch5_speedup(&c, b, "l1_64x"), "x", "%s P_best", ch5_name(&c, b));
        sensitive += ch5_speedup(&c, b, "l1_64x") > 1.4;
    }
    repro_check(report, sensitive == c.n, "every evaluation benchmark is memory-sensitive: P_best above 1.4 (%zu of %zu)", sensitive, c.n);
}

/* ---- Figs. 5.7 and 5.15, §5.7.9 ---- */

static void tell_5_7(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    size_t lower = 0, n = 0;
    (void)study;
    for (size_t b = 0; b < c.n; b++) {
        const json_t *profiled = json_object_get(json_array_get(c.benchmarks, b), "profiled"), *launch;
        size_t i;
        json_array_foreach(profiled, i, launch) {
            const bool is_ii = strcmp(ch5_name(&c, b), "ii") == 0;
            const double best = ch5_number(launch, "best_speedup"), target = ch5_number(launch, "target_speedup");
            const char *label = json_string_value(json_object_get(launch, "launch"));
            repro_row(report, is_ii ? 1.08 : NAN, best, "x", "%s best", label);
            repro_row(report, is_ii ? 1.06 : NAN, target, "x", "%s scored target", label);
            for (int k = 0; k < 2; k++) {
                repro_row(report, NAN, at(json_object_get(launch, "static_best"), (size_t)k), "warps", "%s best %c", label, k ? 'p' : 'N');
                repro_row(report, NAN, at(json_object_get(launch, "target"), (size_t)k), "warps", "%s target %c", label, k ? 'p' : 'N');
            }
            n++;
            lower += target <= best;
        }
    }
    repro_check(report, lower == n, "a scored target is never faster than the best point");
    repro_deviation(report, "the thesis shows two kernels of its ii: (6, 5) -> (8, 8), 8 -> 6 %%, and (11, 4) -> (7, 6), 15 -> 14 %%");
}

static void tell_5_15(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const struct { const char *name; double N, p; } cases[] = {{"bfs", 5, 5}, {"ii", 3, 1}};
    const struct ch5 c = ch5_of(summary);
    (void)study;
    for (size_t k = 0; k < COUNT_OF(cases); k++)
        for (size_t b = 0; b < c.n; b++) {
            if (strcmp(ch5_name(&c, b), cases[k].name) != 0) continue;
            const json_t *launch = ch5_launch(&c, cases[k].name), *best = json_object_get(launch, "static_best");
            const json_t *tuples = json_object_get(json_object_get(json_object_get(json_array_get(c.benchmarks, b), "policies"), "poise"), "tuples");
            const double W = ch5_number(launch, "W");
            repro_row(report, cases[k].N, at(best, 0), "warps", "%s best N", cases[k].name);
            repro_row(report, cases[k].p, at(best, 1), "warps", "%s best p", cases[k].name);
            static const char *const rows[] = {"predicted_N", "predicted_p", "corrected_N", "corrected_p", "N", "p"};
            for (size_t r = 0; r < COUNT_OF(rows); r++) repro_row(report, NAN, ch5_number(tuples, rows[r]), "warps", "%s %s, mean", cases[k].name, rows[r]);
            repro_check(report, ch5_number(tuples, "predicted_N") < W / 2, "%s: predictions lie in the lower half of N", cases[k].name);
            repro_check(report, fabs(ch5_number(tuples, "corrected_N") - at(best, 0)) <= fabs(ch5_number(tuples, "predicted_N") - at(best, 0)),
                        "%s: correction does not lead away from the best N", cases[k].name);
        }
    repro_deviation(report, "means over SMs and periods; `poise sim --timeline` and the report show each of them");
}

/* Counters and state of an SM, as counted in §5.7.9; queue bits apart. */
static void tell_cost(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const double sms = ch5_number(json_object_get(json_object_get(summary, "config"), "core"), "sms"), counters = 4 * 32, state = 2 * 3;
    (void)study;
    repro_row(report, 128, counters, "bits", "performance counters of an SM");
    repro_row(report, 6, state, "bits", "state registers of an SM");
    repro_row(report, 536, sms * (counters + state) / 8, "bytes", "all SMs");
    repro_check(report, sms * (counters + state) / 8 == 536, "four 32-bit counters and two 3-bit registers an SM are 536 B");
    repro_deviation(report, "bits in the warp queues, not counted by the thesis: monitored and pollute, 2 a warp slot");
}

#define EVALUATION "thesis-ch5/evaluation.yaml"
#define ANALYSIS "thesis-ch5/analysis.yaml"
#define STUDY(id_, text, title_, source_, spec_) \
    const struct repro_study repro_thesis_##id_ = {.id = text, .title = title_, .source = source_, .mean = MEAN_ARITHMETIC, .spec = spec_, .tell = tell_##id_}
STUDY(5_2, "thesis-5.2", "the solution space of ii and PCAL's trap", "THESIS Fig. 5.2", EVALUATION);
STUDY(5_5, "thesis-5.5", "objective function against speedup at (W, 1)", "THESIS Fig. 5.5", ANALYSIS);
STUDY(5_6, "thesis-5.6", "L1 hit rates by kind of warp, and reuse", "THESIS Fig. 5.6", ANALYSIS);
STUDY(5_7, "thesis-5.7", "scored targets against best points", "THESIS Fig. 5.7", EVALUATION);
STUDY(tab_5_4, "thesis-tab-5.4", "speedup with a 64 times larger L1", "THESIS Tab. 5.4", ANALYSIS);
STUDY(5_15, "thesis-5.15", "predicted and corrected tuples of bfs and ii", "THESIS Fig. 5.15", EVALUATION);
const struct repro_study repro_thesis_5_7_9 = {.id = "thesis-5.7.9", .title = "storage of the engine", .source = "THESIS §5.7.9", .mean = MEAN_ARITHMETIC,
                                               .spec = EVALUATION, .tell = tell_cost};
