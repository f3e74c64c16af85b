/* Poise and its rivals: Figs. 5.9-5.15, Tab. 5.3, §5.7.2, §5.7.9.   [THESIS §5.7] */
#include "studies/repro/repro_ch5.h"
#include "studies/repro/repro_own.h"

#include <string.h>

/* ---- reading a summary ---- */

struct ch5 ch5_of(const json_t *summary)
{
    const json_t *benchmarks = json_object_get(summary, "benchmarks");
    const size_t n = json_array_size(benchmarks);
    return (struct ch5){summary, benchmarks, n};
}

const char *ch5_name(const struct ch5 *c, size_t benchmark)
{
    return json_string_value(json_object_get(json_array_get(c->benchmarks, benchmark), "name"));
}

double ch5_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double ch5_value(const struct ch5 *c, size_t benchmark, const char *policy, const char *key)
{
    return ch5_number(json_object_get(json_object_get(json_array_get(c->benchmarks, benchmark), "policies"), policy),
                      key);
}

double ch5_speedup(const struct ch5 *c, size_t benchmark, const char *policy)
{
    return ch5_value(c, benchmark, policy, "speedup");
}
static double ch5_hit_percent(const struct ch5 *c, size_t benchmark, const char *policy)
{
    return 100 * ch5_value(c, benchmark, policy, "l1d_hit_rate");
}
static double ch5_aml_percent(const struct ch5 *c, size_t benchmark, const char *policy)
{
    return 100 * (ch5_value(c, benchmark, policy, "aml_cycles") / ch5_value(c, benchmark, "gto", "aml_cycles") - 1);
}

double ch5_rows(const struct ch5 *c, const char *policy, const char *title, ch5_figure *figure, enum repro_mean mean,
                double paper, const char *unit, bool each, struct repro_report *report)
{
    double values[CH5_MAX];
    for (size_t b = 0; b < c->n; b++) values[b] = figure(c, b, policy);
    const double ours = repro_mean(mean, values, c->n);
    repro_row(report, paper, ours, unit, "%s", title);
    for (size_t b = 0; b < c->n && each; b++) repro_cell(report, NAN, values[b], unit, ch5_name(c, b), "%s", title);
    return ours;
}

const json_t *ch5_launch(const struct ch5 *c, const char *benchmark)
{
    for (size_t b = 0; b < c->n; b++)
        if (strcmp(ch5_name(c, b), benchmark) == 0)
            return json_array_get(json_object_get(json_array_get(c->benchmarks, b), "profiled"), 0);
    return NULL;
}

/* ---- Figs. 5.9 to 5.11 ---- */

static const struct {
    const char *name, *title;
    double speedup, hits, aml;
} policies[] = {{"gto", "GTO", 1, 20.6, 0},
                {"lrr", "LRR", NAN, NAN, NAN},
                {"ccws", "CCWS", NAN, NAN, NAN},
                {"swl", "SWL", 1.218, 37.7, -10.7},
                {"swl_launch", "SWL per kernel", NAN, NAN, NAN},
                {"pcal", "PCAL (dynamic)", NAN, NAN, NAN},
                {"pcal_swl", "PCAL-SWL", 1.315, 27.1, 32.4},
                {"random_restart", "Random-restart search", NAN, NAN, NAN},
                {"static_best", "Static-Best", 1.528, 43.6, 14.1},
                {"poise", "Poise", 1.466, 40.1, 1.1},
                {"poise_thesis", "Poise, published weights", NAN, NAN, NAN}};
enum { N_POLICY_ROWS = COUNT_OF(policies) };

static double mean_of(const char *name, const double means[N_POLICY_ROWS])
{
    for (size_t i = 0; i < N_POLICY_ROWS; i++)
        if (strcmp(policies[i].name, name) == 0) return means[i];
    return NAN;
}

/* The largest difference of two policies' speedups on a benchmark: the thesis's "up to". */
static double most_difference(const struct ch5 *c, const char *policy, const char *rival)
{
    double most = NAN;
    for (size_t b = 0; b < c->n; b++) most = fmax(most, ch5_speedup(c, b, policy) - ch5_speedup(c, b, rival));
    return most;
}

/* Statements about single benchmarks. [THESIS §5.7.4] */
static void check_benchmarks(const struct ch5 *c, struct repro_report *report)
{
    static const char *const surpass[] = {"atax", "gsmv", "mvt", "syrk"}, *const lose[] = {"syr2k", "bicg"};
    size_t n[2] = {0}, seen[2] = {0};
    for (size_t b = 0; b < c->n; b++) {
        const double poise = ch5_speedup(c, b, "poise"),
                     rival = fmax(ch5_speedup(c, b, "swl"), ch5_speedup(c, b, "pcal_swl"));
        for (size_t i = 0; i < COUNT_OF(surpass); i++)
            if (strcmp(ch5_name(c, b), surpass[i]) == 0) seen[0]++, n[0] += poise > ch5_speedup(c, b, "static_best");
        for (size_t i = 0; i < COUNT_OF(lose); i++)
            if (strcmp(ch5_name(c, b), lose[i]) == 0) seen[1]++, n[1] += rival > poise;
    }
    if (seen[0])
        repro_check(report, n[0] == seen[0],
                    "Poise is faster than Static-Best on atax, gsmv, mvt and syrk (%zu of %zu)", n[0], seen[0]);
    if (seen[1])
        repro_check(report, n[1] == seen[1], "SWL or PCAL-SWL is faster than Poise on syr2k and bicg (%zu of %zu)",
                    n[1], seen[1]);
}

static void tell_5_9(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    double means[N_POLICY_ROWS];
    for (size_t i = 0; i < N_POLICY_ROWS; i++)
        means[i] = ch5_rows(&c, policies[i].name, policies[i].title, ch5_speedup, study->mean, policies[i].speedup, "x",
                            i > 0, report);
    const double poise = mean_of("poise", means), best = mean_of("static_best", means);
    repro_row(report, (1.466 - 1) / (1.528 - 1), (poise - 1) / (best - 1), "1", "Poise's part of Static-Best's gain");
    repro_row(report, NAN, (mean_of("poise_thesis", means) - 1) / (best - 1), "1",
              "the same with the published weights");
    repro_row(report, 2.94, 1 + most_difference(&c, "poise", "gto"), "x",
              "most that Poise gains on a benchmark (paper: mm)");
    repro_row(report, 141.1, 100 * most_difference(&c, "poise", "pcal_swl"), "%",
              "most above PCAL-SWL, of GTO (paper: mm)");
    repro_row(report, 49.4, 100 * most_difference(&c, "poise", "swl"), "%", "most above SWL, of GTO (paper: syrk)");
    repro_check(report, poise > 1, "Poise is faster than GTO");
    repro_check(report, poise > mean_of("swl", means), "Poise is faster than SWL");
    repro_check(report, poise > mean_of("pcal_swl", means), "Poise is faster than PCAL-SWL");
    repro_check(report, best > poise, "Static-Best is faster than Poise");
    check_benchmarks(&c, report);
    repro_check(report, mean_of("pcal_swl", means) > mean_of("swl", means), "PCAL-SWL is faster than SWL");
    repro_check(report, poise > mean_of("random_restart", means), "Poise is faster than random-restart search");
    repro_check(report, mean_of("swl", means) > mean_of("ccws", means), "SWL is faster than CCWS");
    repro_check(report, mean_of("pcal_swl", means) > mean_of("pcal", means), "PCAL-SWL is faster than dynamic PCAL");
}

static void tell_5_10(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    double means[N_POLICY_ROWS];
    for (size_t i = 0; i < N_POLICY_ROWS; i++)
        means[i] = ch5_rows(&c, policies[i].name, policies[i].title, ch5_hit_percent, study->mean, policies[i].hits,
                            "%", true, report);
    repro_check(report, mean_of("poise", means) > mean_of("gto", means), "Poise hits more than GTO");
    repro_check(report, mean_of("poise", means) > mean_of("pcal_swl", means), "Poise hits more than PCAL-SWL");
    repro_check(report, mean_of("poise", means) > mean_of("swl", means), "Poise hits more than SWL");
    repro_check(report, mean_of("static_best", means) > mean_of("poise", means), "Static-Best hits more than Poise");
    repro_check(report, mean_of("swl", means) > mean_of("pcal_swl", means), "SWL hits more than PCAL-SWL");
}

static void tell_5_11(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    double means[N_POLICY_ROWS];
    for (size_t i = 1; i < N_POLICY_ROWS; i++)
        means[i] = ch5_rows(&c, policies[i].name, policies[i].title, ch5_aml_percent, study->mean, policies[i].aml, "%",
                            true, report);
    repro_check(report, mean_of("swl", means) < 0, "SWL lowers AML");
    repro_check(report, mean_of("pcal_swl", means) > mean_of("poise", means), "PCAL-SWL raises AML more than Poise");
    repro_check(report, fabs(mean_of("poise", means)) < 10, "Poise leaves AML within a tenth");
    repro_check(report, mean_of("static_best", means) > mean_of("poise", means),
                "Static-Best tolerates a higher AML than Poise");
}

#define EVALUATION "thesis-ch5/evaluation.yaml"
const struct repro_study repro_thesis_5_9 = {.id = "thesis-5.9",
                                             .title = "performance of Poise and its rivals over GTO",
                                             .source = "THESIS Fig. 5.9",
                                             .mean = MEAN_HARMONIC,
                                             .spec = EVALUATION,
                                             .tell = tell_5_9};
const struct repro_study repro_thesis_5_10 = {.id = "thesis-5.10",
                                              .title = "L1 hit rates",
                                              .source = "THESIS Fig. 5.10",
                                              .mean = MEAN_ARITHMETIC,
                                              .spec = EVALUATION,
                                              .tell = tell_5_10};
const struct repro_study repro_thesis_5_11 = {.id = "thesis-5.11",
                                              .title = "average memory latency, change over GTO",
                                              .source = "THESIS Fig. 5.11",
                                              .mean = MEAN_ARITHMETIC,
                                              .spec = EVALUATION,
                                              .tell = tell_5_11};

/* ---- Tab. 5.3, §5.7.2 ---- */

static void tell_tab_5_3(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const struct {
        const char *feature;
        double N, p;
    } published[] = {{"h_o", 0.517687, 3.786126},     {"h_prime", -0.000261, 0.483576},
                     {"eta_o", 7.209138, -6.386444},  {"eta_prime", -5.977480, 10.320107},
                     {"deta2", -8.906397, -6.533500}, {"In_deta2", 1.976725, -0.900944},
                     {"dLm2", 0.004668, 0.079856},    {"intercept", 1.667111, -2.189887}};
    const json_t *model = json_object_get(summary, "model");
    size_t same = 0, signs = 0;
    (void)study;
    for (int k = 0; k < 2; k++) {
        const char *target = k ? "p" : "N";
        const json_t *fit = json_object_get(model, target), *weights = json_object_get(fit, "weights");
        for (size_t i = 0; i < COUNT_OF(published); i++) {
            const double paper = k ? published[i].p : published[i].N, ours = ch5_number(weights, published[i].feature);
            repro_cell(report, paper, ours, "1", published[i].feature, "%s", target);
            if (isnan(ours)) continue;
            signs++;
            same += (paper > 0) == (ours > 0);
        }
        if (fit)
            repro_deviation(
                report, "%s: fitted to %lld kernels by maximum likelihood, %s", target,
                (long long)json_integer_value(json_object_get(json_object_get(summary, "training"), "used")),
                json_string_value(json_object_get(fit, "status")));
    }
    repro_check(report, 2 * same > signs, "most weights have the published sign (%zu of %zu)", same, signs);
    repro_deviation(report, "x_7 is divided by 10^5 in both; features that go together share their weight arbitrarily, "
                            "so that single signs say little: 'poise cv' gives their stability");
}

/* What a launch's tuple should be and what each model says of it, from whole runs and from the engine's windows. */
static void add_tuples(struct repro_report *report, const json_t *launch)
{
    static const struct {
        const char *key, *title;
    } tuples[] = {{"target", "target"},
                  {"predicted", "predicted"},
                  {"predicted_from_windows", "from windows"},
                  {"predicted_beside", "published weights"},
                  {"predicted_beside_from_windows", "published, windows"}};
    for (size_t k = 0; k < COUNT_OF(tuples); k++)
        for (size_t i = 0; i < 2; i++) {
            const json_t *tuple = json_object_get(launch, tuples[k].key);
            if (tuple)
                repro_cell(report, NAN, json_number_value(json_array_get(tuple, i)), "warps",
                           json_string_value(json_object_get(launch, "launch")), "%s %c", tuples[k].title,
                           i ? 'p' : 'N');
        }
}

static void tell_errors(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const json_t *errors = json_object_get(summary, "prediction_error");
    const double N = 100 * ch5_number(json_object_get(errors, "N"), "over_target"),
                 p = 100 * ch5_number(json_object_get(errors, "p"), "over_target");
    size_t moved = 0, launches = 0;
    const struct ch5 c = ch5_of(summary);
    (void)study;
    repro_row(report, 16, N, "%", "N, of the target");
    repro_row(report, 26, p, "%", "p, of the target");
    repro_row(report, 16, 100 * ch5_number(json_object_get(errors, "N"), "over_scale"), "%", "N, of 24 warps");
    repro_row(report, 26, 100 * ch5_number(json_object_get(errors, "p"), "over_scale"), "%", "p, of 24 warps");
    const json_t *beside = json_object_get(summary, "prediction_error_beside");
    if (beside) {
        repro_row(report, NAN, 100 * ch5_number(json_object_get(beside, "N"), "over_target"), "%",
                  "N with the published weights, of the target");
        repro_row(report, NAN, 100 * ch5_number(json_object_get(beside, "p"), "over_target"), "%",
                  "p with the published weights, of the target");
    }
    for (size_t b = 0; b < c.n; b++) {
        const json_t *profiled = json_object_get(json_array_get(c.benchmarks, b), "profiled"), *launch;
        size_t i;
        json_array_foreach(profiled, i, launch) {
            add_tuples(report, launch);
            launches++;
            moved +=
                !json_equal(json_object_get(launch, "predicted"), json_object_get(launch, "predicted_from_windows"));
        }
    }
    repro_check(report, p >= N, "p is predicted less well than N");
    repro_deviation(
        report, "the thesis does not say what its percentages are of; of the target and of 24 warps are both given");
    repro_deviation(report,
                    "features of whole runs train the model, the engine sees windows of 10,000 cycles: the prediction "
                    "differs on %zu of %zu launches",
                    moved, launches);
}

const struct repro_study repro_thesis_tab_5_3 = {.id = "thesis-tab-5.3",
                                                 .title = "feature weights",
                                                 .source = "THESIS Tab. 5.3",
                                                 .mean = MEAN_ARITHMETIC,
                                                 .spec = EVALUATION,
                                                 .tell = tell_tab_5_3};
const struct repro_study repro_thesis_5_7_2 = {.id = "thesis-5.7.2",
                                               .title = "offline prediction errors on unseen kernels",
                                               .source = "THESIS §5.7.2",
                                               .mean = MEAN_ARITHMETIC,
                                               .spec = EVALUATION,
                                               .tell = tell_errors};

/* ---- Figs. 5.12 to 5.14 ---- */

static void tell_5_12(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const struct {
        const char *name, *title;
        double paper;
    } rows[] = {{"poise_16k", "16 KB, linear index", 1.48},
                {"poise_32k", "32 KB", NAN},
                {"poise_48k", "48 KB", NAN},
                {"poise_64k", "64 KB", 1.367}};
    const struct ch5 c = ch5_of(summary);
    double means[COUNT_OF(rows)];
    bool all = true;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        means[i] =
            ch5_rows(&c, rows[i].name, rows[i].title, ch5_speedup, study->mean, rows[i].paper, "x", true, report);
        all = all && means[i] > 1;
    }
    repro_check(report, all, "Poise gains at every L1 size");
    repro_check(report, means[3] < means[0], "a larger L1 leaves less to gain");
    repro_deviation(report, "32 and 48 KB are ours: the thesis's text gives 16 and 64");
}

static void tell_5_13(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const struct {
        const char *name, *title;
        double paper;
    } rows[] = {{"stride_0_0", "(0, 0)", 1.23},
                {"stride_1_1", "(1, 1)", 1.436},
                {"stride_2_2", "(2, 2)", 1.457},
                {"stride_4_4", "(4, 4)", 1.45},
                {"poise", "(2, 4)", 1.466}};
    const struct ch5 c = ch5_of(summary);
    double means[COUNT_OF(rows)], best = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        means[i] =
            ch5_rows(&c, rows[i].name, rows[i].title, ch5_speedup, study->mean, rows[i].paper, "x", true, report);
        if (i < 4) best = fmax(best, means[i]);
    }
    repro_check(report, means[0] > 1, "predictions alone gain");
    double swl[CH5_MAX];
    for (size_t b = 0; b < c.n; b++) swl[b] = ch5_speedup(&c, b, "swl");
    repro_check(report, means[0] > repro_mean(study->mean, swl, c.n), "predictions alone are faster than SWL");
    repro_check(report, means[1] > means[0] && means[4] > means[0], "correction gains");
    repro_check(report, means[4] >= best, "(2, 4) is the best stride");
}

static void tell_5_14(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    static const struct {
        const char *name, *title;
        double paper;
    } rows[] = {{"without_eta_o", "without x_3 eta_o", NAN},
                {"without_eta_prime", "without x_4 eta'", NAN},
                {"without_deta2", "without x_5", NAN},
                {"without_In_deta2", "without x_6", 1 - 0.217},
                {"without_dLm2", "without x_7", 1 - 0.015}};
    const struct ch5 c = ch5_of(summary);
    const double whole = ch5_rows(&c, "stride_0_0", "all features, uncorrected, over GTO", ch5_speedup, study->mean,
                                  1.23, "x", false, report);
    size_t loses = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double values[CH5_MAX];
        for (size_t b = 0; b < c.n; b++)
            values[b] = ch5_speedup(&c, b, rows[i].name) / ch5_speedup(&c, b, "stride_0_0");
        const double mean = repro_mean(study->mean, values, c.n);
        repro_row(report, rows[i].paper, mean, "x", "%s", rows[i].title);
        for (size_t b = 0; b < c.n; b++) repro_cell(report, NAN, values[b], "x", ch5_name(&c, b), "%s", rows[i].title);
        loses += mean < 1;
    }
    repro_check(report, whole > 1, "predictions with all features gain over GTO");
    repro_check(report, loses == COUNT_OF(rows), "removing any feature loses (%zu of %zu do)", loses, COUNT_OF(rows));
}

#define SENSITIVITY "thesis-ch5/sensitivity.yaml"
const struct repro_study repro_thesis_5_12 = {.id = "thesis-5.12",
                                              .title = "other L1 sizes with the weights trained at 16 KB",
                                              .source = "THESIS Fig. 5.12",
                                              .mean = MEAN_HARMONIC,
                                              .spec = SENSITIVITY,
                                              .tell = tell_5_12};
const struct repro_study repro_thesis_5_13 = {.id = "thesis-5.13",
                                              .title = "strides of the search",
                                              .source = "THESIS Fig. 5.13",
                                              .mean = MEAN_HARMONIC,
                                              .spec = SENSITIVITY,
                                              .tell = tell_5_13};
const struct repro_study repro_thesis_5_14 = {.id = "thesis-5.14",
                                              .title = "a feature removed, retrained, uncorrected",
                                              .source = "THESIS Fig. 5.14",
                                              .mean = MEAN_HARMONIC,
                                              .spec = SENSITIVITY,
                                              .tell = tell_5_14};
