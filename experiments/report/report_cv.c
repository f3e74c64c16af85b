/* Cross-validation: what models do on benchmarks that they have not seen. */
#include "report/report_internal.h"
#include "studies/cv/cv.h"

#include <math.h>
#include <string.h>

struct metric {
    const char *key, *title, *name, *format;
};
static const struct metric metrics[] = {
    {"regret", "Regret of the prediction", "regret", "percent"},
    {"regret_search", "Regret after the engine's search", "regret after search", "percent"},
    {"error_N", "Error of N over the target", "error of N", "percent"},
    {"error_p", "Error of p over the target", "error of p", "percent"},
};

static void interval_of(const json_t *model, const char *metric, double *low, double *high)
{
    const json_t *ci;
    size_t i;
    *low = *high = NAN;
    json_array_foreach(json_object_get(model, "ci95"), i, ci)
        if (strcmp(report_string(ci, "metric"), metric) == 0)
            *low = report_get(ci, "low"), *high = report_get(ci, "high");
}

/* A points figure with one series from a list of objects. */
static json_t *points_of(json_t *section, const json_t *list, const char *id, const char *title, const char *caption,
                         const char *label_key, const char *value_key, const char *low_key, const char *high_key,
                         const char *axis, const char *format)
{
    json_t *figure = report_figure(section, "points", id, title, caption);
    json_t *labels = json_array(), *values = json_array(), *low = json_array(), *high = json_array();
    const json_t *item;
    size_t i;
    json_array_foreach(list, i, item) {
        char label[160];
        const char *target = report_string(item, "target");
        snprintf(label, sizeof label, "%s%s%s", target, *target ? ": " : "", report_string(item, label_key));
        json_array_append_new(labels, json_string(label));
        json_array_append_new(values, report_number(report_get(item, value_key)));
        if (!low_key) continue;
        json_array_append_new(low, report_number(report_get(item, low_key)));
        json_array_append_new(high, report_number(report_get(item, high_key)));
    }
    json_object_set_new(figure, "labels", labels);
    report_axis(figure, "y", axis, format);
    report_series(figure, value_key, values);
    report_intervals(figure, low, high);
    return figure;
}

static void add_models(json_t *section, const json_t *cv)
{
    const json_t *models = json_object_get(cv, "models"), *model;
    size_t i;
    for (size_t m = 0; m < COUNT_OF(metrics); m++) {
        char id[100], slug[80];
        snprintf(id, sizeof id, "cv-%s", report_slug(metrics[m].key, slug, sizeof slug));
        json_t *figure =
            report_figure(section, "points", id, metrics[m].title,
                          m < 2 ? "Share of the static best's speedup that is lost; 95 % bootstrap intervals."
                                : "Mean over held-out rows; 95 % bootstrap intervals.");
        bool is_short = false;
        json_t *labels = json_array(), *values = json_array(), *lows = json_array(), *highs = json_array();
        json_array_foreach(models, i, model) {
            double low, high;
            interval_of(model, metrics[m].key, &low, &high);
            is_short |= isnan(low) && isfinite(report_get(model, metrics[m].key)) &&
                        report_get(cv, "groups") < BOOTSTRAP_GROUPS_MIN;
            json_array_append(labels, json_object_get(model, "name"));
            json_array_append_new(values, report_number(report_get(model, metrics[m].key)));
            json_array_append_new(lows, report_number(low));
            json_array_append_new(highs, report_number(high));
        }
        json_object_set_new(figure, "labels", labels);
        if (is_short)
            report_note(section, "%s: %.0f groups are %s.", metrics[m].title, report_get(cv, "groups"),
                        CV_TOO_FEW_GROUPS);
        report_axis(figure, "y", metrics[m].name, metrics[m].format);
        report_series(figure, metrics[m].name, values);
        report_intervals(figure, lows, highs);
    }
}

static void add_folds(json_t *section, const json_t *cv)
{
    const json_t *folds = json_object_get(cv, "folds"), *fold, *model;
    json_t *figure = report_figure(section, "bars", "cv-folds", "Regret per fold",
                                   "Each benchmark held out in turn: the prediction's regret on its launches.");
    json_t *categories = json_array();
    size_t i, m;
    json_array_foreach(folds, i, fold) json_array_append(categories, json_object_get(fold, "group"));
    json_object_set_new(figure, "categories", categories);
    report_axis(figure, "y", "regret", "percent");
    json_array_foreach(json_object_get(cv, "models"), m, model) {
        json_t *values = json_array();
        json_array_foreach(folds, i, fold)
            json_array_append_new(
                values, report_number(report_get(
                            json_object_get(json_object_get(fold, "models"), report_string(model, "name")), "regret")));
        report_series(figure, report_string(model, "name"), values);
    }
}

static void add_model_table(json_t *section, const json_t *cv)
{
    static const struct report_head heads[] = {{"model", "text", "name"},
                                               {"family", "text", "family"},
                                               {"regret", "percent", "regret"},
                                               {"after search", "percent", "regret_search"},
                                               {"error N", "percent", "error_N"},
                                               {"error p", "percent", "error_p"},
                                               {"MAE", "number", "mae"},
                                               {"Spearman", "number", "spearman"},
                                               {"coverage N", "percent", "coverage_N"},
                                               {"coverage p", "percent", "coverage_p"},
                                               {"exact look-ups", "percent", "exact_lookups"}};
    report_table_of_list(section, "cv-models", "Models", json_object_get(cv, "models"), heads, COUNT_OF(heads));
}

static void add_paired(json_t *section, const json_t *cv)
{
    static const struct report_head heads[] = {
        {"model", "text", "model"},    {"against", "text", "against"},
        {"metric", "text", "metric"},  {"difference", "number", "difference"},
        {"low 95 %", "number", "low"}, {"high 95 %", "number", "high"},
        {"p", "number", "p"},          {"p, whole benchmarks", "number", "p_groups"},
        {"units", "whole", "units"}};
    const json_t *paired = json_object_get(cv, "paired");
    if (json_array_size(paired) == 0) return;
    report_table_of_list(section, "cv-paired", "Models compared in pairs", paired, heads, COUNT_OF(heads));
}

/* Curves of the four metrics over a key of the study's rows. */
static void add_curves(json_t *section, const json_t *study, const char *id, const char *title, const char *caption,
                       const char *key, const char *label, const char *format)
{
    const json_t *item;
    size_t i;
    if (json_array_size(study) < 2) return;
    json_t *figure = report_figure(section, "line", id, title, caption);
    report_axis(figure, "x", label, format);
    report_axis(figure, "y", "error, regret", "percent");
    for (size_t m = 0; m < COUNT_OF(metrics); m++) {
        json_t *x = json_array(), *y = json_array();
        json_array_foreach(study, i, item) {
            json_array_append_new(x, report_number(report_get(item, key)));
            json_array_append_new(y, report_number(report_get(item, metrics[m].key)));
        }
        report_series(figure, metrics[m].name, y);
        json_object_set_new(report_last_series(figure), "x", x);
    }
}

static void add_calibration(json_t *section, const json_t *study)
{
    const json_t *item, *bin;
    size_t i, k;
    json_t *figure = NULL;
    json_array_foreach(study, i, item) {
        const json_t *histogram = json_object_get(item, "pit_histogram");
        double sum = 0;
        json_t *values = json_array(), *categories = json_array();
        json_array_foreach(histogram, k, bin) sum += report_value(bin);
        json_array_foreach(histogram, k, bin) {
            char label[24];
            snprintf(label, sizeof label, "%.1f", (double)k / (double)json_array_size(histogram));
            json_array_append_new(categories, json_string(label));
            json_array_append_new(values, report_number(sum > 0 ? report_value(bin) / sum : NAN));
        }
        if (!figure) {
            figure = report_figure(section, "bars", "cv-calibration", "Calibration of held-out intervals",
                                   "Histogram of the probability that the model gave to what came (PIT): flat if its "
                                   "intervals are honest.");
            json_object_set_new(figure, "reference", json_real(1 / fmax(1, (double)json_array_size(histogram))));
            json_object_set(figure, "categories", categories);
            report_axis(figure, "y", "share of rows", "percent");
        }
        json_decref(categories);
        report_series(figure, report_string(item, "target"), values);
        report_note(section, "%s: %.0f %% intervals hold %.1f %% of held-out targets; mean width %.3g warps.",
                    report_string(item, "target"), 100 * report_get(item, "level"), 100 * report_get(item, "coverage"),
                    report_get(item, "mean_width"));
    }
}

static void add_selection(json_t *section, const json_t *selection, const json_t *lasso)
{
    const json_t *steps = json_object_get(selection, "steps"), *item;
    json_t *figure = NULL;
    size_t i;
    const struct {
        const json_t *list;
        const char *name, *x, *y;
    } curves[] = {{steps, "forward selection", "features", "loss"}, {lasso, "lasso path", "features_used", "loss"}};
    for (size_t c = 0; c < COUNT_OF(curves); c++) {
        if (json_array_size(curves[c].list) < 2) continue;
        if (!figure) {
            figure = report_figure(section, "line", "cv-selection", "How many features",
                                   "Cross-validated loss over the number of features. The choice itself saw these "
                                   "rows: what it is worth on unseen benchmarks is in the notes.");
            report_axis(figure, "x", "features", "whole");
            report_axis(figure, "y", "loss", "percent");
        }
        json_t *x = json_array(), *y = json_array();
        json_array_foreach(curves[c].list, i, item) {
            json_array_append_new(x, report_number(report_get(item, curves[c].x)));
            json_array_append_new(y, report_number(report_get(item, curves[c].y)));
        }
        report_series(figure, curves[c].name, y);
        json_object_set_new(report_last_series(figure), "x", x);
        json_object_set_new(report_last_series(figure), "is_path", json_true());
    }
    if (json_is_object(selection))
        report_note(
            section,
            "Selection as a whole, judged on benchmarks that it had not seen: %.1f %%; the spec's features: %.1f %%.",
            100 * report_get(selection, "nested_loss"), 100 * report_get(selection, "features_of_spec"));
}

static void add_studies(json_t *section, const json_t *studies)
{
    json_t *curve = cv_learning_curve(json_object_get(studies, "learning_curve"), false),
           *by_groups = cv_learning_curve(json_object_get(studies, "learning_curve"), true);
    const json_t *ablation = json_object_get(studies, "ablation"), *importance = json_object_get(studies, "importance"),
                 *stability = json_object_get(studies, "stability");
    if (json_array_size(ablation))
        json_object_set_new(points_of(section, ablation, "cv-ablation", "Ablation",
                                      "Change of regret when a feature is left out, 95 % intervals [THESIS Fig. 5.14].",
                                      "dropped", "difference", "low", "high", "change of regret", "percent"),
                            "reference", json_real(0));
    if (json_array_size(importance))
        json_object_set_new(points_of(section, importance, "cv-importance", "Permutation importance",
                                      "Increase of regret when a feature's held-out values are shuffled.", "feature",
                                      "regret", NULL, NULL, "increase of regret", "percent"),
                            "reference", json_real(0));
    add_curves(section, curve, "cv-learning", "Learning curve",
               "Held-out error over the share of training rows, with every training benchmark present.",
               "train_fraction", "share of training rows", "percent");
    add_curves(section, by_groups, "cv-learning-groups", "Learning curve of benchmarks",
               "Held-out error over the number of benchmarks trained on, with all of their rows.", "train_groups",
               "benchmarks trained on", "whole");
    add_curves(section, json_object_get(studies, "noise"), "cv-noise", "Noise of the features",
               "Held-out error when features are disturbed by a relative error of this size.", "sigma",
               "relative noise", "percent");
    if (json_array_size(stability))
        json_object_set_new(
            points_of(section, stability, "cv-stability", "Weights over the folds",
                      "Mean and range of each weight over the training parts: signs that change are not learnt.",
                      "feature", "mean", "low", "high", "weight", "number"),
            "reference", json_real(0));
    add_calibration(section, json_object_get(studies, "calibration"));
    add_selection(section, json_object_get(studies, "selection"), json_object_get(studies, "lasso"));
    json_decref(curve);
    json_decref(by_groups);
}

static void add_predictions(json_t *section, const struct table_csv *t, const char *model)
{
    static const char *const targets[] = {"N", "p"};
    for (size_t k = 0; k < COUNT_OF(targets) && t->n_columns; k++) {
        char id[60], title[120], target[20], predicted[20];
        snprintf(id, sizeof id, "cv-held-out-%s", targets[k]);
        snprintf(title, sizeof title, "Held-out predictions of %s, %s", targets[k], model);
        snprintf(target, sizeof target, "target_%s", targets[k]);
        snprintf(predicted, sizeof predicted, "predicted_%s", targets[k]);
        json_t *figure = report_scatter(section, id, title,
                                        "Target over prediction, each row by a model that never saw its benchmark.",
                                        "predicted", "target", "number");
        json_object_set_new(figure, "diagonal", json_true());
        for (size_t row = 0; row < t->n_rows; row++)
            if (strcmp(report_cell_at(t, "model", row), model) == 0)
                report_dot(figure, report_number_at(t, predicted, row), report_number_at(t, target, row),
                           report_cell_at(t, "group", row), report_cell_at(t, "row", row));
    }
}

static void headline(const struct report_context *c, const json_t *cv)
{
    const json_t *first = json_array_get(json_object_get(cv, "models"), 0);
    double low, high;
    char text[40], detail[200];
    interval_of(first, "regret", &low, &high);
    if (isnan(report_get(first, "regret"))) return;
    snprintf(text, sizeof text, "%.1f %%", 100 * report_get(first, "regret"));
    snprintf(detail, sizeof detail, "%s, %.0f benchmarks held out; 95 %%: %.1f to %.1f %%; after search %.1f %%",
             report_string(first, "name"), report_get(cv, "groups"), 100 * low, 100 * high,
             100 * report_get(first, "regret_search"));
    report_headline(c->document, "Held-out regret", text, detail, "error");
    report_finding(c->document,
                   "Cross-validated over %.0f benchmarks and %.0f rows, %s loses %.1f %% of the static best's speedup "
                   "(95 %%: %.1f to %.1f), %.1f %% after the engine's search.",
                   report_get(cv, "groups"), report_get(cv, "rows"), report_string(first, "name"),
                   100 * report_get(first, "regret"), 100 * low, 100 * high, 100 * report_get(first, "regret_search"));
}

int report_add_cv(const struct report_context *c, struct error *err)
{
    const json_t *cv = c->input->cv;
    (void)err;
    if (!cv) return 0;
    char text[400];
    const double groups = report_get(cv, "groups");
    snprintf(text, sizeof text,
             "Whole benchmarks are held out (%.0f of them, %.0f rows); settings are searched inside each training "
             "part. Intervals draw by %s%s.",
             groups, report_get(cv, "rows"), report_string(cv, "bootstrap_unit"),
             groups < 6 ? "; with so few benchmarks they say nothing of benchmarks unlike these" : "");
    json_t *section = report_open(c, "cv", "Cross-validation", text);
    add_models(section, cv);
    add_folds(section, cv);
    add_studies(section, json_object_get(cv, "studies"));
    add_predictions(section, &c->input->predictions,
                    report_string(json_array_get(json_object_get(cv, "models"), 0), "name"));
    add_model_table(section, cv);
    add_paired(section, cv);
    headline(c, cv);
    return 0;
}
