/* The table of poise cv: a row a model, then what the studies found. */
#include <jansson.h>
#include <string.h>
#include "studies/cv/cv.h"

static void cell(FILE *out, const json_t *object, const char *key, int width, int digits)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_number(value)) fprintf(out, " %*.*f", width, digits, json_number_value(value));
    else fprintf(out, " %*s", width, "-");
}

static const char *text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "-";
}

static void print_interval(FILE *out, const json_t *model, const char *metric)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(model, "ci95"), i, row) {
        if (strcmp(text(row, "metric"), metric) != 0 || !json_is_number(json_object_get(row, "low"))) continue;
        fprintf(out, " [%6.3f, %6.3f]", json_number_value(json_object_get(row, "low")),
                json_number_value(json_object_get(row, "high")));
        return;
    }
    fprintf(out, " %16s", "-");
}

static void print_models(const json_t *report, FILE *out)
{
    size_t i;
    json_t *row;
    fprintf(out, "%-14s %8s %16s %8s %8s %8s %8s %16s %8s\n", "model", "error N", "interval", "error p", "mae",
            "rank r", "regret", "interval", "searched");
    json_array_foreach(json_object_get(report, "models"), i, row) {
        fprintf(out, "%-14.14s", text(row, "name"));
        cell(out, row, "error_N", 8, 3);
        print_interval(out, row, "error_N");
        cell(out, row, "error_p", 8, 3);
        cell(out, row, "mae", 8, 3);
        cell(out, row, "spearman", 8, 3);
        cell(out, row, "regret", 8, 4);
        print_interval(out, row, "regret");
        cell(out, row, "regret_search", 8, 4);
        fputc('\n', out);
    }
}

static void print_rows(const json_t *list, const char *title, const char *name, const char *const *keys, size_t n,
                       FILE *out)
{
    size_t i;
    json_t *row;
    if (json_array_size(list) == 0) return;
    fprintf(out, "\n%-24s", title);
    for (size_t k = 0; k < n; k++) fprintf(out, " %13s", keys[k]);
    fputc('\n', out);
    json_array_foreach(list, i, row) {
        const json_t *own = json_object_get(row, name);
        if (json_is_number(own)) fprintf(out, "%-24g", json_number_value(own));
        else fprintf(out, "%-24.24s", text(row, name));
        for (size_t k = 0; k < n; k++) cell(out, row, keys[k], 13, 4);
        fputc('\n', out);
    }
}

static void print_studies(const json_t *studies, FILE *out)
{
    static const char *const ablation[] = {"difference", "low", "high", "p", "p_groups", "slowdown"}, *const noise[] = {
                                                                                                          "error_N",
                                                                                                          "error_p",
                                                                                                          "regret"};
    static const char *const stability[] = {"mean", "sd", "low", "high", "sign_agreement"}, *const steps[] = {
                                                                                                "features", "loss",
                                                                                                "hardware_bits"};
    static const char *const lasso[] = {"features_used", "loss", "hardware_bits"}, *const calibration[] = {
                                                                                       "level", "coverage",
                                                                                       "mean_width", "pit_distance"};
    const json_t *selection = json_object_get(studies, "selection");
    print_rows(json_object_get(studies, "ablation"), "retrained without", "dropped", ablation, COUNT_OF(ablation), out);
    print_rows(json_object_get(studies, "importance"), "permuted: increase of", "feature", noise, COUNT_OF(noise), out);
    print_rows(json_object_get(studies, "learning_curve"), "share of training rows", "train_fraction", noise,
               COUNT_OF(noise), out);
    print_rows(json_object_get(studies, "noise"), "noise of the features", "sigma", noise, COUNT_OF(noise), out);
    print_rows(json_object_get(studies, "stability"), "weights over the folds", "feature", stability,
               COUNT_OF(stability), out);
    print_rows(json_object_get(selection, "steps"), "selection: added", "added", steps, COUNT_OF(steps), out);
    if (selection) {
        fprintf(out,
                "%s of the spec's features %.4f; of selection as a whole, on benchmarks that it had not seen %.4f: ",
                text(selection, "metric"), json_number_value(json_object_get(selection, "features_of_spec")),
                json_number_value(json_object_get(selection, "nested_loss")));
        fputs(json_is_true(json_object_get(selection, "is_better")) ? "selecting is better\n"
                                                                    : "no better vector is found\n",
              out);
    }
    print_rows(json_object_get(studies, "lasso"), "lasso: penalty", "lambda", lasso, COUNT_OF(lasso), out);
    print_rows(json_object_get(studies, "calibration"), "intervals of", "target", calibration, COUNT_OF(calibration),
               out);
}

void cv_print(const json_t *report, FILE *out)
{
    size_t i;
    json_t *row;
    fprintf(out, "%s: %lld rows of %lld groups; intervals by bootstrap of each %s\n", text(report, "name"),
            (long long)json_integer_value(json_object_get(report, "rows")),
            (long long)json_integer_value(json_object_get(report, "groups")), text(report, "bootstrap_unit"));
    print_models(report, out);
    fprintf(out, "\n%-14s %-14s %-14s %11s %11s %11s %9s %9s\n", "model", "against", "metric", "difference", "low",
            "high", "p", "p groups");
    json_array_foreach(json_object_get(report, "paired"), i, row) {
        fprintf(out, "%-14.14s %-14.14s %-14s", text(row, "model"), text(row, "against"), text(row, "metric"));
        cell(out, row, "difference", 11, 4), cell(out, row, "low", 11, 4), cell(out, row, "high", 11, 4),
            cell(out, row, "p", 9, 4), cell(out, row, "p_groups", 9, 4);
        fputc('\n', out);
    }
    print_studies(json_object_get(report, "studies"), out);
}
