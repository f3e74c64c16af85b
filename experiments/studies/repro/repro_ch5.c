/* Weights and prediction errors of a pipeline, Tab. 5.3 and §5.7.2, and what chapter 5 reads of its summary. [THESIS
 * §5.7] */
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
const json_t *ch5_launch(const struct ch5 *c, const char *benchmark)
{
    for (size_t b = 0; b < c->n; b++)
        if (strcmp(ch5_name(c, b), benchmark) == 0)
            return json_array_get(json_object_get(json_array_get(c->benchmarks, b), "profiled"), 0);
    return NULL;
}

#define EVALUATION "thesis-ch5/evaluation.yaml"

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
