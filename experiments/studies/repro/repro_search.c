/* Studies that search a profile of warp tuples: PCAL's trap on ii, THESIS Fig. 5.2, where a climb along p = 1 ends;
 * and the best constant of all tuples on the development set, learned-gate. Both read a pipeline's summary. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/points.h"
#include "studies/repro/repro_own.h"

struct ch5 {
    const json_t *benchmarks;
    size_t n;
};

static struct ch5 ch5_of(const json_t *summary)
{
    const json_t *benchmarks = json_object_get(summary, "benchmarks");
    return (struct ch5){benchmarks, json_array_size(benchmarks)};
}

static const char *ch5_name(const struct ch5 *c, size_t benchmark)
{
    return json_string_value(json_object_get(json_array_get(c->benchmarks, benchmark), "name"));
}

static double ch5_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double ch5_speedup(const struct ch5 *c, size_t benchmark, const char *policy)
{
    const json_t *policies = json_object_get(json_array_get(c->benchmarks, benchmark), "policies");
    return ch5_number(json_object_get(policies, policy), "speedup");
}

static const json_t *first_launch(const struct ch5 *c, size_t b)
{
    return json_array_get(json_object_get(json_array_get(c->benchmarks, b), "profiled"), 0);
}

static double at(const json_t *tuple, size_t k) { return json_number_value(json_array_get(tuple, k)); }

/* ---- Fig. 5.2: PCAL's trap on ii ---- */

/* The speedup at (N, p) in a launch's profile; NAN where it was not simulated. */
static double point(const json_t *launch, uint32_t N, uint32_t p)
{
    const json_t *each;
    size_t i;
    json_array_foreach(json_object_get(launch, "points_of_profile"), i, each)
        if ((uint32_t)at(each, 0) == N && (uint32_t)at(each, 1) == p) return at(each, 2);
    return NAN;
}

/* Part b: the profile along p = N and along p = 1, and where a climb along p = 1 from the best point of the diagonal
 * ends. */
static void add_lines(struct repro_report *report, const json_t *launch, uint32_t W, uint32_t start)
{
    double best = 0;
    uint32_t end = start, valley = 0;
    for (uint32_t N = 1; N <= W; N++) {
        char name[16];
        const double diagonal = point(launch, N, N), low = point(launch, N, 1);
        snprintf(name, sizeof name, "N = %u", (unsigned)N);
        if (isfinite(diagonal)) repro_cell(report, N == 2 ? 1.07 : NAN, diagonal, "x", name, "p = N");
        if (isfinite(low)) repro_cell(report, N == 2 ? 1.35 : N == 15 ? 1.45 : NAN, low, "x", name, "p = 1");
        if (low > best) best = low;
        if (!isfinite(low)) valley = W; /* not the whole line */
    }
    if (valley) {
        repro_deviation(report, "part b has the points of quick mode only: a climb along p = 1 needs all (--mode full; "
                                "the tables have them)");
        return;
    }
    while (end < W && point(launch, end + 1, 1) > point(launch, end, 1)) end++;
    repro_row(report, 2, end, "warps", "N where a climb from there along p = 1 ends");
    repro_row(report, 1.35, point(launch, end, 1), "x", "its speedup");
    repro_row(report, 1.45, best, "x", "best with p = 1");
    repro_check(report, best > point(launch, end, 1), "a climb in N at p = 1 ends in a local optimum");
}

static void tell_5_2(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    const json_t *launch = NULL;
    (void)study;
    for (size_t b = 0; b < c.n && !launch; b++) {
        if (strcmp(ch5_name(&c, b), "ii") != 0 || !(launch = first_launch(&c, b))) continue;
        /* everything of this launch but the rivals, which are measured on the benchmark */
        const double diagonal = ch5_number(launch, "diagonal_speedup"), best = ch5_number(launch, "best_speedup"),
                     pcal = ch5_speedup(&c, b, "pcal_swl"), ccws = ch5_speedup(&c, b, "ccws"),
                     swl = ch5_speedup(&c, b, "swl"), whole = ch5_speedup(&c, b, "static_best");
        repro_row(report, 1.07, diagonal, "x", "launch: best on the diagonal");
        repro_row(report, 2, at(json_object_get(launch, "diagonal"), 0), "warps", "its N");
        repro_row(report, 1.45, best, "x", "launch: best of all");
        repro_row(report, 15, at(json_object_get(launch, "static_best"), 0), "warps", "its N");
        repro_row(report, 1, at(json_object_get(launch, "static_best"), 1), "warps", "its p");
        repro_row(report, 1.07, swl, "x", "benchmark: SWL");
        repro_row(report, 1.07, ccws, "x", "benchmark: CCWS");
        repro_row(report, 1.35, pcal, "x", "benchmark: PCAL-SWL");
        repro_row(report, 1.45, whole, "x", "benchmark: Static-Best");
        repro_check(report, best > 1.02 * diagonal, "the best tuple lies off the diagonal");
        repro_check(report, whole > pcal, "PCAL stays below the best tuple");
        repro_check(report, pcal > swl, "PCAL is above the best point of the diagonal");
        add_lines(report, launch, (uint32_t)ch5_number(launch, "W"),
                  (uint32_t)at(json_object_get(launch, "diagonal"), 0));
    }
    repro_deviation(report,
                    "the thesis's is kernel 112 of its ii, ours the scan of the text: %s; part a is the launch's map "
                    "in 'poise report'",
                    launch ? json_string_value(json_object_get(launch, "launch")) : "not among these benchmarks");
}

const struct repro_study repro_thesis_5_2 = {.id = "thesis-5.2",
                                             .title = "the solution space of ii and PCAL's trap",
                                             .source = "THESIS Fig. 5.2",
                                             .mean = MEAN_ARITHMETIC,
                                             .spec = "thesis-ch5/evaluation.yaml",
                                             .tell = tell_5_2};

/* ---- learned-gate ---- */

enum { LEVELS = RESPONSE_LEVELS_MAX, TUPLES = RESPONSE_POINTS_MAX };

/* What is known of each benchmark: one launch each at size eval. */
struct launches_of {
    size_t n;
    const char *name[REPRO_TOLD_MAX], *family[REPRO_TOLD_MAX];
    double best[REPRO_TOLD_MAX], diagonal[REPRO_TOLD_MAX], at[REPRO_TOLD_MAX][TUPLES];
    unsigned best_N[REPRO_TOLD_MAX], best_p[REPRO_TOLD_MAX];
};

static const char *family_of(const struct ch5 *c, size_t b)
{
    const char *family = json_string_value(json_object_get(json_array_get(c->benchmarks, b), "family"));
    return family ? family : "";
}

/* Speedups of a launch at the lattice's tuples, each clamped to W, and its best ones. */
static void take_launch(struct launches_of *l, const json_t *launch)
{
    const size_t b = l->n;
    const uint32_t W = (uint32_t)ch5_number(launch, "W");
    size_t i;
    const json_t *point;
    for (size_t t = 0; t < TUPLES; t++) l->at[b][t] = NAN;
    l->best[b] = l->diagonal[b] = 0;
    json_array_foreach(json_object_get(launch, "points_of_profile"), i, point) {
        const unsigned N = (unsigned)json_integer_value(json_array_get(point, 0)),
                       p = (unsigned)json_integer_value(json_array_get(point, 1));
        const double speedup = json_number_value(json_array_get(point, 2));
        if (speedup > l->best[b]) l->best[b] = speedup, l->best_N[b] = N, l->best_p[b] = p;
        if (N == p && speedup > l->diagonal[b]) l->diagonal[b] = speedup;
        for (size_t t = 0; t < TUPLES; t++) {
            const struct response_tuple at = response_clamp(response_point(response_levels, t), W);
            if (at.N == N && at.p == p) l->at[b][t] = speedup;
        }
    }
}

static void take_launches(struct launches_of *l, const struct ch5 *c)
{
    for (size_t b = 0; b < c->n; b++) {
        l->name[l->n] = ch5_name(c, b);
        l->family[l->n] = family_of(c, b);
        take_launch(l, first_launch(c, b));
        l->n++;
    }
}

static size_t families_in(const struct launches_of *l)
{
    size_t n = 0;
    for (size_t b = 0; b < l->n; b++) {
        size_t before = 0;
        while (before < b && strcmp(l->family[before], l->family[b]) != 0) before++;
        n += before == b;
    }
    return n;
}

static double part_of(const double *speedups, const double *best, size_t n)
{
    return (repro_mean(MEAN_HARMONIC, speedups, n) - 1) / (repro_mean(MEAN_HARMONIC, best, n) - 1);
}

/* Every constant's part; the largest, and which it is. */
static double largest_constant(const struct launches_of *l, size_t *which)
{
    double most = -INFINITY;
    for (size_t t = 0; t < TUPLES; t++) {
        double speedups[REPRO_TOLD_MAX];
        for (size_t b = 0; b < l->n; b++) speedups[b] = l->at[b][t];
        const double part = part_of(speedups, l->best, l->n);
        if (part > most) most = part, *which = t;
    }
    return most;
}

static const char *bin_of(const struct launches_of *l, size_t b)
{
    if (l->best[b] < 1.05) return "gains under 5 %";
    if (l->best_p[b] == l->best_N[b])
        return l->best_N[b] <= 2 ? "N = p up to 2" : l->best_N[b] <= 8 ? "N = p from 3 to 8" : "N = p above 8";
    return l->best_p[b] == 1 ? "p = 1 below N" : "1 < p < N";
}

static void tell_gate(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const char *const bins[] = {"gains under 5 %", "N = p up to 2", "N = p from 3 to 8",
                                       "N = p above 8",   "p = 1 below N", "1 < p < N"};
    const struct ch5 c = ch5_of(summary);
    struct launches_of *l = calloc(1, sizeof *l);
    size_t which = 0, worth = 0;
    (void)study;
    if (!l) {
        report->out_of_memory = true;
        return;
    }
    take_launches(l, &c);
    for (size_t b = 0; b < l->n; b++) worth += l->best[b] >= 1.05 * l->diagonal[b];
    const size_t count = families_in(l);
    const double most = largest_constant(l, &which), share = l->n ? (double)worth / (double)l->n : NAN;
    const struct response_tuple constant = response_point(response_levels, which);
    repro_row(report, NAN, (double)count, "1", "families");
    repro_row(report, NAN, (double)l->n, "1", "benchmarks");
    repro_row(report, NAN, most, "1", "largest part of a constant");
    repro_row(report, NAN, constant.N, "warps", "N of that constant");
    repro_row(report, NAN, constant.p, "warps", "p of that constant");
    repro_row(report, NAN, share, "1", "share of benchmarks where p gains 5 %%");
    repro_row(report, NAN, repro_mean(MEAN_HARMONIC, l->best, l->n), "x", "Static-Best, harmonic mean");
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++) {
        size_t n = 0;
        for (size_t b = 0; b < l->n; b++) n += strcmp(bin_of(l, b), bins[i]) == 0;
        repro_row(report, NAN, (double)n, "benchmarks", "optimum: %s", bins[i]);
    }
    for (size_t b = 0; b < l->n; b++) {
        repro_cell(report, NAN, l->best_N[b], "warps", l->name[b], "N");
        repro_cell(report, NAN, l->best_p[b], "warps", l->name[b], "p");
        repro_cell(report, NAN, l->best[b], "x", l->name[b], "Static-Best");
        repro_cell(report, NAN, l->diagonal[b], "x", l->name[b], "best with p = N");
        repro_cell(report, NAN, l->at[b][which], "x", l->name[b], "the constant");
    }
    repro_check(report, count >= 12 && l->n >= 30, "at least 30 benchmarks of at least 12 families (%zu of %zu)", l->n,
                count);
    repro_check(report, most <= 0.6, "no constant has more than 60 %% of Static-Best's gain (%.2f at (%u,%u))", most,
                constant.N, constant.p);
    repro_check(report, share >= 1.0 / 3, "p gains at least 5 %% over p = N on a third of the benchmarks (%zu of %zu)",
                worth, l->n);
    repro_deviation(report, "no paper has this set; constants and bests are points of the lattice, and bests those "
                            "around its best as well");
    free(l);
}

const struct repro_study repro_learned_gate = {.id = "learned-gate",
                                               .title = "can the development set tell policies apart",
                                               .source = "this project",
                                               .mean = MEAN_HARMONIC,
                                               .spec = "learned/learned.yaml",
                                               .tell = tell_gate};
