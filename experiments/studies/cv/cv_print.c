/* The table of poise cv: a row a model, then what the studies found. Every line fits 80 columns. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "studies/cv/cv.h"

/* A column: the key of its values, and what stands above them. */
struct column {
    const char *key, *title;
};

/* As many digits as the width holds, at most `digits` behind the point. */
static void print_number(FILE *out, double value, int width, int digits)
{
    char text[64];
    while (snprintf(text, sizeof text, "%.*f", digits, value) > width && digits > 0) digits--;
    fprintf(out, " %*s", width, text);
}

static void cell(FILE *out, const json_t *object, const char *key, int width, int digits)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value)) print_number(out, json_number_value(value), width, 0);
    else if (json_is_number(value)) print_number(out, json_number_value(value), width, digits);
    else fprintf(out, " %*s", width, "-");
}

static const char *text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "-";
}

static const struct column intervals[] = {{"error_N", "error N"}, {"error_p", "error p"}, {"regret", "regret"}};

static void print_interval(FILE *out, const json_t *model, const char *metric)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(model, "ci95"), i, row) {
        if (strcmp(text(row, "metric"), metric) != 0) continue;
        if (json_is_number(json_object_get(row, "low")))
            fprintf(out, "  [%7.3f, %7.3f]", json_number_value(json_object_get(row, "low")),
                    json_number_value(json_object_get(row, "high")));
        else fprintf(out, "  %18s", json_object_get(row, "why") ? "too few groups" : "-");
        return;
    }
    fprintf(out, "  %18s", "-");
}

static void print_models(const json_t *report, FILE *out)
{
    size_t i;
    json_t *row;
    bool has_intervals = false;
    fprintf(out, "%-18s %9s %9s %9s %9s %9s %9s\n", "model", "error N", "error p", "mae", "rank r", "regret",
            "searched");
    json_array_foreach(json_object_get(report, "models"), i, row) {
        fprintf(out, "%-18.18s", text(row, "name"));
        cell(out, row, "error_N", 9, 3);
        cell(out, row, "error_p", 9, 3);
        cell(out, row, "mae", 9, 3);
        cell(out, row, "spearman", 9, 3);
        cell(out, row, "regret", 9, 4);
        cell(out, row, "regret_search", 9, 4);
        fputc('\n', out);
        has_intervals |= json_array_size(json_object_get(row, "ci95")) > 0;
    }
    if (!has_intervals) return;
    fprintf(out, "\n%-18s", "interval of");
    for (size_t k = 0; k < COUNT_OF(intervals); k++) fprintf(out, "  %18s", intervals[k].title);
    fputc('\n', out);
    json_array_foreach(json_object_get(report, "models"), i, row) {
        fprintf(out, "%-18.18s", text(row, "name"));
        for (size_t k = 0; k < COUNT_OF(intervals); k++) print_interval(out, row, intervals[k].key);
        fputc('\n', out);
    }
}

/* The row's name: a number, a text, and before it the output that it belongs to: "N: h_o". */
static void print_name(const json_t *row, const char *name, int width, FILE *out)
{
    const json_t *own = json_object_get(row, name), *target = json_object_get(row, "target");
    char whole[160];
    if (json_is_number(own)) snprintf(whole, sizeof whole, "%g", json_number_value(own));
    else if (target && own != target)
        snprintf(whole, sizeof whole, "%.40s: %.80s", text(row, "target"), text(row, name));
    else snprintf(whole, sizeof whole, "%.120s", text(row, name));
    fprintf(out, "%-*.*s", width, width, whole);
}

/* The end of a message is what went wrong; before it stand the model, the fold and the file. */
static const char *why(const char *message)
{
    for (const char *next; (next = strstr(message, ": "));) message = next + 2;
    return message;
}

static void print_rows(const json_t *list, const char *title, const char *name, const struct column *columns, size_t n,
                       FILE *out)
{
    enum { LINE = 80, TITLE = 24 };
    const int width = (LINE - TITLE) / (int)n - 1 < 12 ? (LINE - TITLE) / (int)n - 1 : 12;
    size_t i;
    json_t *row;
    if (json_array_size(list) == 0) return;
    fprintf(out, "\n%-*s", TITLE, title);
    for (size_t k = 0; k < n; k++) fprintf(out, " %*s", width, columns[k].title);
    fputc('\n', out);
    json_array_foreach(list, i, row) {
        print_name(row, name, TITLE, out);
        if (json_object_get(row, "failed")) fprintf(out, "  %.*s", LINE - TITLE - 2, why(text(row, "failed")));
        for (size_t k = 0; k < n && !json_object_get(row, "failed"); k++) cell(out, row, columns[k].key, width, 4);
        fputc('\n', out);
    }
}

json_t *cv_learning_curve(const json_t *rows, bool by_groups)
{
    json_t *out = json_array(), *row;
    size_t i;
    json_int_t most = 0;
    json_array_foreach(rows, i, row) {
        const json_int_t n = json_integer_value(json_object_get(row, "train_groups"));
        if (n > most) most = n;
    }
    json_array_foreach(rows, i, row) {
        const bool is_fewer = json_integer_value(json_object_get(row, "train_groups")) < most,
                   is_whole = json_number_value(json_object_get(row, "train_fraction")) >= 1 && !is_fewer;
        if (is_whole || is_fewer == by_groups) json_array_append(out, row);
    }
    for (size_t k = 0; by_groups && k + 1 < json_array_size(out); k++) /* all groups stand first: they go last */
        if (json_integer_value(json_object_get(json_array_get(out, k), "train_groups")) == most) {
            json_array_append(out, json_array_get(out, k));
            json_array_remove(out, k);
            break;
        }
    return out;
}

static const struct column noise[] = {{"error_N", "error N"}, {"error_p", "error p"}, {"regret", "regret"}};

static void print_curves(const json_t *rows, FILE *out)
{
    json_t *by_rows = cv_learning_curve(rows, false), *by_groups = cv_learning_curve(rows, true);
    print_rows(by_rows, "share of training rows", "train_fraction", noise, COUNT_OF(noise), out);
    if (json_array_size(by_groups) > 1)
        print_rows(by_groups, "groups trained on", "train_groups", noise, COUNT_OF(noise), out);
    json_decref(by_rows);
    json_decref(by_groups);
}

static void print_studies(const json_t *studies, FILE *out)
{
    static const struct column ablation[] = {{"difference", "change"}, {"low", "low"},
                                             {"high", "high"},         {"p", "p"},
                                             {"p_groups", "p group"},  {"slowdown", "slowdown"}};
    static const struct column stability[] = {
        {"mean", "mean"}, {"sd", "sd"}, {"low", "low"}, {"high", "high"}, {"sign_agreement", "same sign"}};
    static const struct column steps[] = {{"features", "features"}, {"loss", "loss"}, {"hardware_bits", "bits"}};
    static const struct column lasso[] = {{"features_used", "features"}, {"loss", "loss"}, {"hardware_bits", "bits"}};
    static const struct column calibration[] = {
        {"level", "level"}, {"coverage", "coverage"}, {"mean_width", "mean width"}, {"pit_distance", "PIT dist."}};
    const json_t *selection = json_object_get(studies, "selection");
    print_rows(json_object_get(studies, "ablation"), "retrained without", "dropped", ablation, COUNT_OF(ablation), out);
    print_rows(json_object_get(studies, "importance"), "permuted: increase of", "feature", noise, COUNT_OF(noise), out);
    print_curves(json_object_get(studies, "learning_curve"), out);
    print_rows(json_object_get(studies, "noise"), "noise of the features", "sigma", noise, COUNT_OF(noise), out);
    print_rows(json_object_get(studies, "stability"), "weights over the folds", "feature", stability,
               COUNT_OF(stability), out);
    print_rows(json_object_get(selection, "steps"), "selection: added", "added", steps, COUNT_OF(steps), out);
    if (selection)
        fprintf(
            out,
            "%s of the spec's features %.4f;\nof selection as a whole, on benchmarks that it had not seen %.4f: %s\n",
            text(selection, "metric"), json_number_value(json_object_get(selection, "features_of_spec")),
            json_number_value(json_object_get(selection, "nested_loss")),
            json_is_true(json_object_get(selection, "is_better")) ? "selecting is better"
                                                                  : "no better vector is found");
    print_rows(json_object_get(studies, "lasso"), "lasso: penalty", "lambda", lasso, COUNT_OF(lasso), out);
    print_rows(json_object_get(studies, "calibration"), "intervals of", "target", calibration, COUNT_OF(calibration),
               out);
}

/* Is any interval missing for want of groups? */
static bool has_too_few(const json_t *report)
{
    size_t m, i;
    json_t *model, *row;
    json_array_foreach(json_object_get(report, "models"), m, model)
        json_array_foreach(json_object_get(model, "ci95"), i, row)
            if (json_object_get(row, "why")) return true;
    return false;
}

static void print_head(const json_t *report, FILE *out)
{
    const long long groups = (long long)json_integer_value(json_object_get(report, "groups"));
    fprintf(out, "%s: %lld rows of %lld groups; ", text(report, "name"),
            (long long)json_integer_value(json_object_get(report, "rows")), groups);
    if (has_too_few(report))
        fprintf(out, "%s: from %d on\ngroups are drawn, and of one row each there is nothing else to draw\n",
                CV_TOO_FEW_GROUPS, BOOTSTRAP_GROUPS_MIN);
    else fprintf(out, "intervals by bootstrap of each %s\n", text(report, "bootstrap_unit"));
}

void cv_print(const json_t *report, FILE *out)
{
    size_t i;
    json_t *row;
    const json_t *paired = json_object_get(report, "paired");
    print_head(report, out);
    print_models(report, out);
    if (json_array_size(paired))
        fprintf(out, "\n%-18s %-14s %9s %9s %9s %7s %7s\n", "model", "metric", "change", "low", "high", "p", "p group");
    json_array_foreach(paired, i, row) {
        fprintf(out, "%-18.18s %-14.14s", text(row, "model"), text(row, "metric"));
        cell(out, row, "difference", 9, 4), cell(out, row, "low", 9, 4), cell(out, row, "high", 9, 4),
            cell(out, row, "p", 7, 4), cell(out, row, "p_groups", 7, 4);
        fputc('\n', out);
    }
    if (json_array_size(paired))
        fprintf(out, "change: against %s; p group: the probability when whole groups are exchanged\n",
                text(json_array_get(paired, 0), "against"));
    print_studies(json_object_get(report, "studies"), out);
}
