/* How did each policy do, and how honest is the model: the headline and THESIS Figs. 5.9 to 5.11. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/policy.h"

/* [THESIS 5.7.2] mean prediction error of N and of p on unseen kernels, as fractions of the target */
enum { THESIS_ERROR_N_PERCENT = 16, THESIS_ERROR_P_PERCENT = 26 };

/* What the spec lets compete beside the four has its title in the summary. */
static const char *policy_title(const json_t *summary, const char *policy)
{
    const json_t *contender;
    size_t i;
    json_array_foreach(json_object_get(summary, "contenders"), i, contender)
        if (strcmp(report_string(contender, "name"), policy) == 0 && *report_string(contender, "title"))
            return report_string(contender, "title");
    for (int k = 0; k < N_POLICIES; k++)
        if (strcmp(policy_names[k], policy) == 0) return policy_titles[k];
    return policy;
}

/* What the three figures draw. */
struct chart {
    const char *id, *title, *caption, *label, *format, *key, *mean, *paper;
    double reference;
};
static const struct chart charts[] = {
    {"speedup", "Speedup over GTO",
     "Baseline cycles over policy cycles, summed over a benchmark's launches. Mean: harmonic, as in THESIS Fig. 5.9.",
     "speedup over GTO", "ratio", "speedup", "hmean", "hmean", 1},
    {"hit-rate", "L1 hit rate",
     "Load hits over load accesses; merges are not hits. Mean: arithmetic, as in THESIS Fig. 5.10.", "L1 hit rate",
     "percent", "l1d_hit_rate", "mean_l1d_hit_rate", "l1d_hit_rate", NAN},
    {"aml", "Average memory latency against GTO",
     "Cycles from an L1 miss to its data, over GTO's. Mean: arithmetic, as in THESIS Fig. 5.11.", "AML over GTO's",
     "ratio", "aml_cycles", "mean_aml_change", "aml_change", 1},
};

static double value_of(const struct chart *chart, const json_t *benchmark, const char *policy)
{
    const json_t *policies = json_object_get(benchmark, "policies");
    const double v = report_get(json_object_get(policies, policy), chart->key);
    if (strcmp(chart->key, "aml_cycles") != 0) return v;
    const double gto = report_get(json_object_get(policies, "gto"), chart->key);
    return gto > 0 ? v / gto : NAN;
}

/* Speedups of a contender are over what its spec names, GTO or another contender. */
static void add_contenders(const struct chart *chart, json_t *figure, const json_t *summary)
{
    const json_t *benchmarks = json_object_get(summary, "benchmarks"), *paper = json_object_get(summary, "paper"),
                 *contender, *benchmark;
    const double plus = strcmp(chart->key, "aml_cycles") == 0 ? 1 : 0;
    size_t c, i;
    json_array_foreach(json_object_get(summary, "contenders"), c, contender) {
        const char *name = report_string(contender, "name"), *over = report_string(contender, "over");
        char title[200];
        json_t *values = json_array();
        json_array_foreach(benchmarks, i, benchmark)
            json_array_append_new(values, report_number(value_of(chart, benchmark, name)));
        json_array_append_new(values,
                              report_number(report_get(contender, plus > 0 ? "aml_change" : chart->paper) + plus));
        if (json_object_size(paper))
            json_array_append_new(values, report_number(report_get(json_object_get(paper, name), chart->paper) + plus));
        snprintf(title, sizeof title, "%.120s%s%.60s", policy_title(summary, name),
                 *over && strcmp(over, "gto") != 0 ? ", over " : "",
                 *over && strcmp(over, "gto") != 0 ? policy_title(summary, over) : "");
        report_series(figure, title, values);
    }
}

static void add_chart(const struct chart *chart, json_t *section, const json_t *summary)
{
    const json_t *benchmarks = json_object_get(summary, "benchmarks"), *benchmark,
                 *paper = json_object_get(summary, "paper");
    const double plus = strcmp(chart->key, "aml_cycles") == 0 ? 1 : 0; /* changes become ratios */
    json_t *figure = report_figure(section, "bars", chart->id, chart->title, chart->caption),
           *categories = json_array(), *value;
    const char *policy;
    size_t i;
    json_array_foreach(benchmarks, i, benchmark) json_array_append(categories, json_object_get(benchmark, "name"));
    json_array_append_new(categories, json_string("mean"));
    if (json_object_size(paper)) json_array_append_new(categories, json_string("mean, thesis"));
    json_object_set_new(figure, "categories", categories);
    /* so many at the end are no kernels */
    json_object_set_new(figure, "apart", json_integer(json_object_size(paper) ? 2 : 1));
    json_object_foreach(json_object_get(summary, chart->mean), policy, value) {
        json_t *values = json_array();
        json_array_foreach(benchmarks, i, benchmark)
            json_array_append_new(values, report_number(value_of(chart, benchmark, policy)));
        json_array_append_new(values, report_number(report_value(value) + plus));
        if (json_object_size(paper))
            json_array_append_new(values,
                                  report_number(report_get(json_object_get(paper, policy), chart->paper) + plus));
        report_series(figure, policy_title(summary, policy), values);
    }
    add_contenders(chart, figure, summary);
    report_axis(figure, "y", chart->label, chart->format);
    if (!isnan(chart->reference)) json_object_set_new(figure, "reference", json_real(chart->reference));
}

/* ---- a sample of launches ---- */

/* The interval of a policy's speedup on a benchmark; of the mean where `benchmark` is NULL; NULL: there is none. */
static const json_t *interval_of(const json_t *summary, const json_t *benchmark, const char *policy)
{
    const json_t *of = json_object_get(json_object_get(benchmark, "policies"), policy);
    return benchmark ? json_object_get(json_object_get(of, "estimate"), "speedup")
                     : json_object_get(json_object_get(json_object_get(summary, "sample"), "hmean"), policy);
}

static void add_interval(json_t *const lists[3], const json_t *interval)
{
    static const char *const keys[3] = {"value", "low", "high"};
    for (int i = 0; i < 3; i++) json_array_append_new(lists[i], report_number(report_get(interval, keys[i])));
}

static void add_intervals(json_t *section, const json_t *summary)
{
    const json_t *benchmarks = json_object_get(summary, "benchmarks"), *benchmark, *mean;
    const char *policy;
    size_t i;
    if (!json_object_get(summary, "sample")) return;
    json_t *labels = json_array();
    json_t *figure = report_figure(section, "points", "speedup-intervals", "Intervals of the speedups",
                                   "Estimates from all profiled launches and a sample of the others, with intervals of "
                                   "95 %. An interval that contains 1 shows no difference from the baseline.");
    json_array_foreach(benchmarks, i, benchmark) json_array_append(labels, json_object_get(benchmark, "name"));
    json_array_append_new(labels, json_string("mean"));
    json_object_set_new(figure, "labels", labels);
    report_axis(figure, "y", "speedup", "ratio");
    json_object_set_new(figure, "reference", json_real(1));
    json_object_set_new(figure, "zero", json_false()); /* intervals are narrow */
    json_object_foreach(json_object_get(json_object_get(summary, "sample"), "hmean"), policy, mean) {
        json_t *const lists[3] = {json_array(), json_array(), json_array()};
        json_array_foreach(benchmarks, i, benchmark) add_interval(lists, interval_of(summary, benchmark, policy));
        add_interval(lists, mean);
        const bool is_shown = strcmp(policy, "gto") != 0; /* 1 by definition */
        if (is_shown) {
            report_series(figure, policy_title(summary, policy), lists[0]);
            report_intervals(figure, lists[1], lists[2]);
        }
        for (int k = 0; k < 3 && !is_shown; k++) json_decref(lists[k]);
    }
}

/* " (1.01 to 1.03)" of a mean that is an estimate, or "". Returns `text`. */
static const char *interval_text(const json_t *interval, char *text, size_t size)
{
    *text = '\0';
    if (interval) snprintf(text, size, " (%.3f to %.3f)", report_get(interval, "low"), report_get(interval, "high"));
    return text;
}

static void say_what_is_estimated(json_t *document, const json_t *summary)
{
    const json_t *sample = json_object_get(summary, "sample");
    char share[40];
    if (!sample || json_is_true(json_object_get(sample, "is_whole"))) return;
    report_finding(document,
                   "The benchmarks' figures are estimates: %.0f of %.0f launches were simulated, with %s of their warp "
                   "instructions; intervals are of 95 %%.",
                   report_get(sample, "launches_simulated"), report_get(sample, "launches"),
                   report_format("percent", report_get(sample, "share_of_work"), share, sizeof share));
}

static void add_table(json_t *section, const json_t *summary)
{
    const json_t *benchmark, *policy;
    const char *name;
    size_t i;
    json_t *table = report_table(section, "policy-table", "Every policy on every benchmark");
    static const char *const columns[][2] = {
        {"benchmark", "text"},      {"policy", "text"},         {"launches", "whole"},    {"speedup", "ratio"},
        {"L1 hit rate", "percent"}, {"AML (cycles)", "number"}, {"N", "number"},          {"p", "number"},
        {"cycles", "whole"},        {"speedup low", "ratio"},   {"speedup high", "ratio"}};
    const size_t n_columns = COUNT_OF(columns) - (json_object_get(summary, "sample") ? 0 : 2);
    for (size_t c = 0; c < n_columns; c++) report_column(table, columns[c][0], columns[c][1]);
    json_array_foreach(json_object_get(summary, "benchmarks"), i, benchmark) {
        void *iterator = json_object_iter(json_object_get(benchmark, "policies"));
        for (; iterator; iterator = json_object_iter_next(json_object_get(benchmark, "policies"), iterator)) {
            json_t *row = report_row(table);
            name = json_object_iter_key(iterator);
            policy = json_object_iter_value(iterator);
            report_cell_text(row, "%s", report_string(benchmark, "name"));
            report_cell_text(row, "%s", policy_title(summary, name));
            report_cell(row, report_get(benchmark, "launches"));
            report_cell(row, report_get(policy, "speedup"));
            report_cell(row, report_get(policy, "l1d_hit_rate"));
            report_cell(row, report_get(policy, "aml_cycles"));
            report_cell(row, report_get(policy, "N"));
            report_cell(row, report_get(policy, "p"));
            report_cell(row, report_get(policy, "cycles"));
            if (n_columns < COUNT_OF(columns)) continue;
            report_cell(row, report_get(interval_of(summary, benchmark, name), "low"));
            report_cell(row, report_get(interval_of(summary, benchmark, name), "high"));
        }
    }
}

/* ---- the headline ---- */

static void headline_policies(json_t *document, const json_t *summary)
{
    json_t *value;
    const char *policy;
    json_object_foreach(json_object_get(summary, "hmean"), policy, value) {
        char text[40], detail[160] = "", paper[40], interval[60];
        const double thesis = report_get(json_object_get(json_object_get(summary, "paper"), policy), "hmean");
        if (strcmp(policy, "gto") == 0) continue;
        snprintf(text, sizeof text, "%s\u00d7", report_format("ratio", report_value(value), paper, sizeof paper));
        interval_text(interval_of(summary, NULL, policy), interval, sizeof interval);
        if (!isnan(thesis))
            snprintf(detail, sizeof detail, "GTO's speed, harmonic mean%s; thesis %.3f\u00d7", interval, thesis);
        else snprintf(detail, sizeof detail, "GTO's speed, harmonic mean%s", interval);
        report_headline(document, policy_title(summary, policy), text, detail, policy);
    }
}

static void say_how_poise_did(json_t *document, const json_t *summary)
{
    const json_t *benchmarks = json_object_get(summary, "benchmarks"), *b, *hmean = json_object_get(summary, "hmean");
    const double poise = report_get(hmean, "poise"), best = report_get(hmean, "static_best");
    double worst = INFINITY;
    const char *worst_name = "";
    size_t i, slower = 0;
    json_array_foreach(benchmarks, i, b) {
        const double s = report_get(json_object_get(json_object_get(b, "policies"), "poise"), "speedup");
        slower += s < 1;
        if (s < worst) worst = s, worst_name = report_string(b, "name");
    }
    if (isnan(poise)) return;
    report_finding(document,
                   "On %zu benchmarks that training never saw, Poise runs at %.3f times GTO's speed; the best static "
                   "warp tuple of the simulated points, found with hindsight, at %.3f times.",
                   json_array_size(benchmarks), poise, best);
    if (best > 1) {
        char text[40];
        report_format("percent", log(poise) / log(best), text, sizeof text);
        report_headline(document, "Of Static-Best's gain", text, "log speedup of Poise over log speedup of Static-Best",
                        "share");
        report_finding(document, "That is %s of what hindsight gains, in logarithms.", text);
    }
    if (slower)
        report_finding(document, "Poise is slower than GTO on %zu of %zu benchmarks; worst: %s, %.3f times.", slower,
                       json_array_size(benchmarks), worst_name, worst);
    else
        report_finding(document, "Poise is slower than GTO on none of them; least gain: %s, %.3f times.", worst_name,
                       worst);
}

static void say_how_honest_the_model_is(json_t *document, const json_t *summary)
{
    const json_t *error = json_object_get(summary, "prediction_error"),
                 *training = json_object_get(summary, "training"), *value;
    const double N = report_get(json_object_get(error, "N"), "over_target"),
                 p = report_get(json_object_get(error, "p"), "over_target");
    char text[80], detail[160], groups[300] = "";
    const char *name;
    void *iterator = json_object_iter(json_object_get(training, "rows_per_benchmark"));
    for (; iterator; iterator = json_object_iter_next(json_object_get(training, "rows_per_benchmark"), iterator)) {
        name = json_object_iter_key(iterator);
        value = json_object_iter_value(iterator);
        if (strlen(groups) + strlen(name) + 24 < sizeof groups)
            sprintf(groups + strlen(groups), "%s%s %lld", *groups ? ", " : "", name,
                    (long long)json_integer_value(value));
    }
    report_finding(document, "The model rests on %.0f rows of %.0f profiled launches (%s).",
                   report_get(training, "used"), report_get(training, "launches"), groups);
    if (isnan(N)) return;
    snprintf(text, sizeof text, "%.0f, %.0f %%", 100 * N, 100 * p);
    snprintf(detail, sizeof detail, "of the target N and p, on unseen kernels, before correction; thesis %d %%, %d %%",
             THESIS_ERROR_N_PERCENT, THESIS_ERROR_P_PERCENT);
    report_headline(document, "Offline error", text, detail, "error");
    report_finding(document,
                   "Before the engine corrects it, it misses the target N by %.0f %% and p by %.0f %% on unseen "
                   "kernels (thesis %d and %d %%, [THESIS 5.7.2]), which is %.0f and %.0f %% of the scale of warps.",
                   100 * N, 100 * p, THESIS_ERROR_N_PERCENT, THESIS_ERROR_P_PERCENT,
                   100 * report_get(json_object_get(error, "N"), "over_scale"),
                   100 * report_get(json_object_get(error, "p"), "over_scale"));
}

int report_add_policies(const struct report_context *c, struct error *err)
{
    const json_t *summary = c->input->summary;
    (void)err;
    if (!summary) return 0;
    char text[400];
    snprintf(text, sizeof text,
             "GTO runs every warp. SWL is one limit N for a benchmark; Static-Best one tuple (N, p) for a launch: both "
             "are chosen with hindsight among %s simulated points. "
             "Poise predicts and corrects while the kernel runs.",
             report_string(summary, "points_per_kernel"));
    json_t *section = report_open(c, "policies", "How each policy did", text);
    for (size_t i = 0; i < COUNT_OF(charts); i++) add_chart(&charts[i], section, summary);
    add_intervals(section, summary);
    add_table(section, summary);
    report_note(section,
                "The thesis' means are over its own kernels, inputs and simulator; ours over the benchmarks shown.");
    headline_policies(c->document, summary);
    say_what_is_estimated(c->document, summary);
    say_how_poise_did(c->document, summary);
    say_how_honest_the_model_is(c->document, summary);
    return 0;
}
