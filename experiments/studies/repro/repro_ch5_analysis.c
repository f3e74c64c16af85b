/* Why Poise: the solution space, the analytical model, scoring, the case study, the cost.
 * [THESIS §5.3.3, §5.5, §5.7.8-9] */
#include "studies/repro/repro_ch5.h"

#include <string.h>
#include "poise/analytic.h"
#include "poise/features.h"
#include "studies/repro/repro_own.h"

#define CH5_FEATURES_MAX 64 /* of both outputs of a model */

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
    const json_t *launch = ch5_launch(&c, "ii");
    (void)study;
    for (size_t b = 0; b < c.n && launch; b++) {
        if (strcmp(ch5_name(&c, b), "ii") != 0) continue;
        /* everything of this launch but the rivals, which are measured on the benchmark */
        const double diagonal = ch5_number(launch, "diagonal_speedup"), best = ch5_number(launch, "best_speedup"),
                     pcal = ch5_value(&c, b, "pcal_swl", "speedup"), ccws = ch5_value(&c, b, "ccws", "speedup"),
                     swl = ch5_value(&c, b, "swl", "speedup"), whole = ch5_value(&c, b, "static_best", "speedup");
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

/* ---- Fig. 5.5: the objective function against speedup ---- */

static double pearson(const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) mx += x[i] / (double)n, my += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        xx += (x[i] - mx) * (x[i] - mx), yy += (y[i] - my) * (y[i] - my), xy += (x[i] - mx) * (y[i] - my);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

static const json_t *locality_of(const struct ch5 *c, size_t b, const char *contender)
{
    return json_object_get(json_object_get(json_object_get(json_array_get(c->benchmarks, b), "policies"), contender),
                           "locality");
}

static double ratio(const json_t *stats, const char *over, const char *under)
{
    return ch5_number(stats, over) / ch5_number(stats, under);
}

/* What the baseline's counters say of all launches of a benchmark together. */
static const json_t *features_of(const struct ch5 *c, size_t b)
{
    return json_object_get(json_array_get(c->benchmarks, b), "features");
}

/* mu_{p/np} of a benchmark at (W, 1), Eq. 5.11. Every term is of all its launches, as the speedup is. */
static double objective(const struct ch5 *c, size_t b)
{
    const json_t *split = locality_of(c, b, "one_pollutes"), *features = features_of(c, b);
    const struct analytic a = {.N = ch5_number(features, "W"),
                               .p = 1,
                               .h_o = ch5_value(c, b, "gto", "l1d_hit_rate"),
                               .h_p = ratio(split, "p_hits", "p_accesses"),
                               .h_np = ratio(split, "np_hits", "np_accesses"),
                               .L_o = ch5_value(c, b, "gto", "aml_cycles"),
                               .L_prime = ch5_value(c, b, "one_pollutes", "aml_cycles"),
                               .I_d = ch5_number(features, "I_n") + 1,
                               .T_pipe = 1,
                               .K_mshr = 32};
    return analytic_mu_p_np(&a);
}

/* mu has a pole where the warps that may not pollute add no memory time, and is negative where they save some: good
 * there, bad by its sign. 1/mu is the same criterion (Eq. 5.10) without the pole: the memory time added for each
 * cycle made busy, less is better. */
static void add_inverse(struct repro_report *report, const double *mu, const double *speedup, size_t n)
{
    double inverse[CH5_MAX] = {0}, positive[CH5_MAX] = {0}, of_positive[CH5_MAX] = {0};
    size_t n_positive = 0;
    for (size_t i = 0; i < n; i++) {
        inverse[i] = 1 / mu[i];
        if (mu[i] > 0) positive[n_positive] = mu[i], of_positive[n_positive++] = speedup[i];
    }
    repro_row(report, NAN, (double)(n - n_positive), "benchmarks", "with a negative mu: memory time saved");
    repro_row(report, NAN, pearson(inverse, speedup, n), "1", "Pearson of 1/mu and speedup (less is better)");
    repro_row(report, NAN, pearson(positive, of_positive, n_positive), "1", "Pearson where mu is positive");
    if (n_positive < n)
        repro_deviation(report,
                        "m_np L' is below m_o L_o on %zu of %zu benchmarks: one polluting warp shortens everybody's "
                        "latency, which puts mu "
                        "behind its pole; the thesis normalises by syr2k's, which is negative here, and plots no pole",
                        n - n_positive, n);
}

static void tell_5_5(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    double mu[CH5_MAX] = {0}, speedup[CH5_MAX] = {0};
    size_t n = 0;
    (void)study;
    for (size_t b = 0; b < c.n; b++) {
        const double m = objective(&c, b);
        repro_cell(report, NAN, ch5_speedup(&c, b, "one_pollutes"), "x", ch5_name(&c, b), "speedup at (W, 1)");
        repro_cell(report, NAN, m, "1", ch5_name(&c, b), "mu_p/np");
        repro_cell(report, NAN, 1 / m, "1", ch5_name(&c, b), "1 / mu_p/np");
        if (!isfinite(m)) continue;
        mu[n] = m;
        speedup[n++] = ch5_speedup(&c, b, "one_pollutes");
    }
    const double r = pearson(mu, speedup, n);
    repro_row(report, 0.87, r, "1", "Pearson correlation of both");
    repro_check(report, r > 0.5, "the objective function and the speedup at (W, 1) correlate");
    repro_deviation(report,
                    "every term is of all launches of a benchmark, W weighted by GTO's cycles; I_d is taken as "
                    "instructions between loads plus one, T_pipe as 1; %zu of %zu benchmarks have a finite mu",
                    n, c.n);
    add_inverse(report, mu, speedup, n);
}

/* ---- Tab. 5.4, and the best tuples of Fig. 5.15 ---- */

static double tuple_of(const char *name, size_t k)
{
    static const struct {
        const char *name;
        double tuple[2];
    } published[] = {{"bfs", {5, 5}}, {"ii", {3, 1}}};
    for (size_t i = 0; i < COUNT_OF(published); i++)
        if (strcmp(published[i].name, name) == 0) return published[i].tuple[k];
    return NAN;
}

/* NULL: no launch of the benchmark is profiled. */
static const json_t *longest_profiled(const struct ch5 *c, size_t b)
{
    const json_t *launch, *longest = NULL;
    size_t i;
    json_array_foreach(json_object_get(json_array_get(c->benchmarks, b), "profiled"), i, launch)
        if (!longest || ch5_number(launch, "gto_cycles") > ch5_number(longest, "gto_cycles")) longest = launch;
    return longest;
}

static void tell_tab_5_4(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const struct {
        const char *name;
        double best;
    } published[] = {{"syr2k", 14.13}, {"syrk", 9.03}, {"mm", 6.20},   {"ii", 5.94},  {"gsmv", 3.23},  {"mvt", 2.97},
                     {"bicg", 2.93},   {"ss", 2.85},   {"atax", 2.73}, {"bfs", 1.55}, {"kmeans", 1.42}};
    const struct ch5 c = ch5_of(summary);
    double rates[CH5_MAX] = {0};
    size_t sensitive = 0;
    (void)study;
    for (size_t b = 0; b < c.n; b++) rates[b] = 100 * ch5_value(&c, b, "gto", "l1d_hit_rate");
    repro_row(report, 20.6, repro_mean(MEAN_ARITHMETIC, rates, c.n), "%", "mean L1 hit rate under GTO");
    for (size_t b = 0; b < c.n; b++) {
        const char *name = ch5_name(&c, b);
        const json_t *best = json_object_get(longest_profiled(&c, b), "static_best");
        double paper = NAN;
        for (size_t i = 0; i < COUNT_OF(published); i++)
            if (strcmp(published[i].name, name) == 0) paper = published[i].best;
        repro_cell(report, paper, ch5_speedup(&c, b, "l1_64x"), "x", name, "P_best");
        repro_cell(report, NAN, rates[b], "%", name, "L1 hit rate");
        for (size_t k = 0; k < 2; k++)
            repro_cell(report, tuple_of(name, k), at(best, k), "warps", name, "best %c", k ? 'p' : 'N');
        sensitive += ch5_speedup(&c, b, "l1_64x") > 1.4;
    }
    repro_deviation(report, "best N and p: of the profiled launch that takes most cycles under GTO");
    repro_check(report, sensitive == c.n,
                "every evaluation benchmark is memory-sensitive: P_best above 1.4 (%zu of %zu)", sensitive, c.n);
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
            repro_cell(report, is_ii ? 1.08 : NAN, best, "x", label, "best");
            repro_cell(report, is_ii ? 1.06 : NAN, target, "x", label, "scored target");
            for (int k = 0; k < 2; k++) {
                repro_cell(report, NAN, at(json_object_get(launch, "static_best"), (size_t)k), "warps", label,
                           "best %c", k ? 'p' : 'N');
                repro_cell(report, NAN, at(json_object_get(launch, "target"), (size_t)k), "warps", label, "target %c",
                           k ? 'p' : 'N');
            }
            n++;
            lower += target <= best;
        }
    }
    repro_check(report, lower == n, "a scored target is never faster than the best point");
    repro_deviation(
        report,
        "the thesis shows two kernels of its ii: (6, 5) -> (8, 8), 8 -> 6 %%, and (11, 4) -> (7, 6), 15 -> 14 %%");
}

static void tell_5_15(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const struct {
        const char *name;
        double N, p;
    } cases[] = {{"bfs", 5, 5}, {"ii", 3, 1}};
    const struct ch5 c = ch5_of(summary);
    (void)study;
    for (size_t k = 0; k < COUNT_OF(cases); k++)
        for (size_t b = 0; b < c.n; b++) {
            if (strcmp(ch5_name(&c, b), cases[k].name) != 0) continue;
            const json_t *launch = ch5_launch(&c, cases[k].name), *best = json_object_get(launch, "static_best");
            const json_t *tuples = json_object_get(
                json_object_get(json_object_get(json_array_get(c.benchmarks, b), "policies"), "poise"), "tuples");
            const double W = ch5_number(launch, "W");
            static const struct {
                const char *title, *keys[2];
            } rows[] = {{"predicted", {"predicted_N", "predicted_p"}},
                        {"corrected", {"corrected_N", "corrected_p"}},
                        {"in force", {"N", "p"}}};
            for (size_t i = 0; i < 2; i++) {
                repro_cell(report, i ? cases[k].p : cases[k].N, at(best, i), "warps", cases[k].name, "best %c",
                           i ? 'p' : 'N');
                for (size_t r = 0; r < COUNT_OF(rows); r++)
                    repro_cell(report, NAN, ch5_number(tuples, rows[r].keys[i]), "warps", cases[k].name, "%s %c",
                               rows[r].title, i ? 'p' : 'N');
            }
            repro_check(report, ch5_number(tuples, "predicted_N") < W / 2, "%s: predictions lie in the lower half of N",
                        cases[k].name);
            repro_check(report,
                        fabs(ch5_number(tuples, "corrected_N") - at(best, 0)) <=
                            fabs(ch5_number(tuples, "predicted_N") - at(best, 0)),
                        "%s: correction does not lead away from the best N", cases[k].name);
        }
    repro_deviation(report, "predicted, corrected, in force: means over SMs and periods of the benchmark; 'poise sim "
                            "--mech poise --timeline FILE' has each of them");
}

/* The features that either output of the study's model reads; how many there are. */
static size_t model_features(const json_t *summary, const char *names[CH5_FEATURES_MAX])
{
    static const char *const outputs[] = {"N", "p"};
    size_t n = 0;
    for (size_t k = 0; k < COUNT_OF(outputs); k++) {
        const json_t *output = json_object_get(json_object_get(summary, "model"), outputs[k]);
        const char *name;
        json_t *weight;
        json_object_foreach((json_t *)(uintptr_t)json_object_get(output, "weights"), name, weight)
            if (n < CH5_FEATURES_MAX) names[n++] = name;
    }
    return n;
}

/* Counters and state of an SM: of the thesis as §5.7.9 counts them, of ours as the rows of its features do. */
static void tell_cost(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const char *names[CH5_FEATURES_MAX];
    const size_t n = model_features(summary, names);
    const struct engine_storage ours = features_engine_storage(names, n);
    const double sms = ch5_number(json_object_get(json_object_get(summary, "config"), "core"), "sms");
    const double bytes = n ? engine_storage_bytes(&ours, sms) : NAN; /* no model was learnt */
    (void)study;
    repro_row(report, 128, n ? (double)ours.counter_bits : NAN, "bits", "performance counters of an SM");
    repro_row(report, 6, ours.state_bits, "bits", "state registers of an SM");
    repro_row(report, 536, bytes, "bytes", "all SMs");
    const double bits = n ? 8 * bytes : 0, mm2 = storage_mm2(STORAGE_REGISTER, (uint64_t)bits, 40).value;
    repro_row(report, NAN, n ? mm2 : NAN, "mm2", "area of all SMs' registers at 40 nm");
    repro_row(report, 0.01, n ? 100 * mm2 / 700 : NAN, "%", "part of a die of 700 mm2");
    repro_check(report, bytes <= 536, "the engine's storage is no more than the published 536 B");
    repro_deviation(report,
                    "the thesis counts four 32-bit counters (intra-warp hits, L1 hits, AML, instructions a load); "
                    "here a rate or a mean is a sum and a count, and each is a counter: %u",
                    ours.counter_bits / FEATURE_COUNTER_BITS);
    repro_deviation(report, "counted on neither side: monitor and pollute bits, 2 a warp slot, and what the search "
                            "remembers");
}

#define EVALUATION "thesis-ch5/evaluation.yaml"
#define ANALYSIS "thesis-ch5/analysis.yaml"
#define STUDY(id_, text, title_, source_, spec_) \
    const struct repro_study repro_thesis_##id_ = { \
        .id = text, .title = title_, .source = source_, .mean = MEAN_ARITHMETIC, .spec = spec_, .tell = tell_##id_}
STUDY(5_2, "thesis-5.2", "the solution space of ii and PCAL's trap", "THESIS Fig. 5.2", EVALUATION);
STUDY(5_5, "thesis-5.5", "objective function against speedup at (W, 1)", "THESIS Fig. 5.5", ANALYSIS);
STUDY(5_7, "thesis-5.7", "scored targets against best points", "THESIS Fig. 5.7", EVALUATION);
STUDY(tab_5_4, "thesis-tab-5.4", "speedup with a 64 times larger L1", "THESIS Tab. 5.4", ANALYSIS);
STUDY(5_15, "thesis-5.15", "predicted and corrected tuples of bfs and ii", "THESIS Fig. 5.15", EVALUATION);
const struct repro_study repro_thesis_5_7_9 = {.id = "thesis-5.7.9",
                                               .title = "storage of the engine",
                                               .source = "THESIS §5.7.9",
                                               .mean = MEAN_ARITHMETIC,
                                               .spec = EVALUATION,
                                               .tell = tell_cost};
