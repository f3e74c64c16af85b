/* The regression: weights with intervals, rootogram, residuals, calibration. The training rows are fitted again for
 * what a model file does not hold (errors, residuals); the weights must come out as the file has them, and the
 * report says whether they do. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/glm_report.h"
#include "poise/model.h"

static void id_of(char *out, size_t size, const char *what, const char *target)
{
    char slug[64];
    snprintf(out, size, "%s-%s", what, report_slug(target, slug, sizeof slug));
}

/* ---- figures of one fit ---- */

static void add_weights(json_t *section, const char *target, const struct glm_fit *fit, const struct glm_report *report,
                        const struct glm_data *data)
{
    char id[100], title[160];
    id_of(id, sizeof id, "weights", target);
    snprintf(title, sizeof title, "Weights of %s", target);
    json_t *figure = report_figure(section, "points", id, title,
                                   "Change of log target with one standard deviation of the feature, 95 % Wald "
                                   "intervals. The intercept is in the table.");
    json_t *labels = json_array(), *values = json_array(), *low = json_array(), *high = json_array();
    for (size_t i = 0; i < fit->k; i++) {
        const double sd = report_deviation_of(&data->x[i * data->n], data->n);
        if (strcmp(fit->coef[i].name, "intercept") == 0 || fit->coef[i].is_aliased) continue;
        json_array_append_new(labels, json_string(fit->coef[i].name));
        json_array_append_new(values, report_number(sd * fit->coef[i].value));
        json_array_append_new(low, report_number(sd * report->coef[i].low));
        json_array_append_new(high, report_number(sd * report->coef[i].high));
    }
    json_object_set_new(figure, "labels", labels);
    json_object_set_new(figure, "reference", json_real(0));
    report_axis(figure, "y", "change of log target", "number");
    report_series(figure, target, values);
    report_intervals(figure, low, high);
}

static void add_rootogram(json_t *section, const char *target, const struct glm_report *report)
{
    char id[100], title[160];
    double counts[ROOTOGRAM_BINS];
    id_of(id, sizeof id, "rootogram", target);
    snprintf(title, sizeof title, "Rootogram of %s", target);
    for (size_t i = 0; i < report->n_bins; i++) counts[i] = (double)i;
    json_t *figure = report_figure(section, "rootogram", id, title,
                                   "Square roots of how often each count occurs, hung from what the model expects: "
                                   "bars that end above or below 0 are counts seen too rarely or too often.");
    json_object_set_new(figure, "counts", report_numbers(counts, report->n_bins));
    json_object_set_new(figure, "observed", report_numbers(report->observed, report->n_bins));
    json_object_set_new(figure, "expected", report_numbers(report->expected, report->n_bins));
    report_axis(figure, "x", target, "whole");
    report_axis(figure, "y", "square root of rows", "number");
}

static void add_residuals(json_t *section, const char *target, const struct glm_report *report,
                          const struct glm_data *data, const struct report_input *input)
{
    const struct table_csv *t = &input->dataset;
    char label[160];
    char id[100], title[160];
    id_of(id, sizeof id, "residuals", target);
    snprintf(title, sizeof title, "Residuals of %s", target);
    json_t *figure = report_scatter(section, id, title,
                                    "Randomised quantile residuals over the fitted mean: standard normal, without a "
                                    "pattern, if the model is right.",
                                    "fitted mean", "quantile residual", "number");
    json_object_set_new(figure, "reference", json_real(0));
    for (size_t i = 0; i < report->n; i++)
        report_dot(figure, report->rows[i].mu, report->rows[i].quantile, report_cell_at(t, "benchmark", i),
                   report_row_label(input, i, label, sizeof label));
    id_of(id, sizeof id, "calibration", target);
    snprintf(title, sizeof title, "Calibration of %s", target);
    figure = report_scatter(
        section, id, title,
        "The target over what the model makes of it on the rows it was fitted to; on the diagonal it is right.",
        "fitted", "target", "number");
    json_object_set_new(figure, "diagonal", json_true());
    for (size_t i = 0; i < report->n; i++)
        report_dot(figure, report->rows[i].mu, data->y[i], report_cell_at(t, "benchmark", i),
                   report_row_label(input, i, label, sizeof label));
}

static json_t *coef_table(json_t *section, const char *id, const char *title)
{
    json_t *table = report_table(section, id, title);
    static const char *const heads[][2] = {
        {"target", "text"},          {"feature", "text"},      {"weight", "number"},
        {"se (expected)", "number"}, {"se (joint)", "number"}, {"low 95 %", "number"},
        {"high 95 %", "number"},     {"z", "number"},          {"P(>|z|)", "number"}};
    for (size_t i = 0; i < COUNT_OF(heads); i++) report_column(table, heads[i][0], heads[i][1]);
    return table;
}

static void coef_row(json_t *table, const char *target, const char *name, const double values[7])
{
    json_t *row = report_row(table);
    report_cell_text(row, "%s", target);
    report_cell_text(row, "%s", name);
    for (size_t i = 0; i < 7; i++) report_cell(row, values[i]);
}

static void add_coefs(json_t *table, const char *target, const struct glm_fit *fit, const struct glm_report *report)
{
    for (size_t i = 0; i < fit->k; i++) {
        const struct glm_coef *c = &fit->coef[i];
        coef_row(
            table, target, c->name,
            (double[]){c->value, c->se_expected, c->se_joint, report->coef[i].low, report->coef[i].high, c->z, c->p});
    }
}

/* ---- fitting again ---- */

static void say_fit(json_t *section, const struct model_output *output, const struct glm_fit *fit,
                    const struct glm_report *report, size_t n)
{
    double largest = 0;
    char theta[100];
    for (size_t i = 0; i < fit->k && i < output->n_features; i++)
        largest = fmax(largest, fabs(fit->coef[i].value - output->weights[i]));
    if (isinf(fit->theta)) snprintf(theta, sizeof theta, "infinite");
    else snprintf(theta, sizeof theta, "%.4g (95 %%: %.4g to %.4g)", fit->theta, report->theta_low, report->theta_high);
    report_note(section,
                "%s: %s, %zu rows, %zu weights; theta %s; deviance %.4g of %.4g without features; AIC %.5g; McFadden's "
                "R2 %.3f; Pearson dispersion %.3f; %s.",
                output->name, glm_family_name(fit->family), n, fit->k, theta, fit->deviance, fit->null_deviance,
                fit->aic, report->mcfadden, report->dispersion, fit->status);
    if (largest > 1e-6)
        report_note(section,
                    "%s: the weights of this fit differ from the model file's by up to %.3g: the file was fitted to "
                    "other rows.",
                    output->name, largest);
    for (size_t i = 0; i < fit->n_warnings; i++) report_note(section, "%s: %s", output->name, fit->warnings[i]);
}

static int fit_output(json_t *section, json_t *table, const struct model_output *output,
                      const struct report_input *input, struct error *err)
{
    const struct table_csv *t = &input->dataset;
    const char *names[MODEL_FEATURES_MAX];
    struct training_set set;
    struct glm_fit fit;
    struct glm_report report;
    struct glm_options options = {.penalty = {output->penalty_lambda, output->penalty_mix}};
    const struct glm_report_options want = {.level = 0.95, .seed = 1};
    for (size_t f = 0; f < output->n_features; f++) names[f] = output->features[f];
    const struct training_choice choice = {.target = output->name, .features = names, .n_features = output->n_features};
    if (glm_family_parse(&options.family, output->family, err) < 0 || training_set_init(&set, t, &choice, err) < 0)
        return -1;
    int result = glm_fit(&fit, &set.data, &options, err);
    if (result == 0) {
        result = glm_report_init(&report, &fit, &set.data, &options, &want, err);
        if (result == 0) {
            add_weights(section, output->name, &fit, &report, &set.data);
            add_rootogram(section, output->name, &report);
            add_residuals(section, output->name, &report, &set.data, input);
            add_coefs(table, output->name, &fit, &report);
            say_fit(section, output, &fit, &report, set.data.n);
            glm_report_fini(&report);
        }
        glm_fit_fini(&fit);
    }
    training_set_fini(&set);
    return result;
}

/* ---- fits of poise train --json ---- */

static void add_train_fit(json_t *section, json_t *table, const json_t *fit, size_t index)
{
    char id[100], title[160], target[64];
    const json_t *coef;
    size_t i;
    snprintf(target, sizeof target, "%.60s", *report_string(fit, "target") ? report_string(fit, "target") : "fit");
    snprintf(id, sizeof id, "train-%zu", index + 1);
    snprintf(title, sizeof title, "Weights of %s (poise train)", target);
    json_t *figure = report_figure(section, "points", id, title, "95 % Wald intervals.");
    json_t *labels = json_array(), *values = json_array(), *low = json_array(), *high = json_array();
    json_array_foreach(json_object_get(fit, "coef"), i, coef) {
        const double value = report_get(coef, "value"), se = report_get(coef, "se_expected");
        const double bounds[] = {value - 1.959964 * se, value + 1.959964 * se};
        coef_row(table, target, report_string(coef, "name"),
                 (double[]){value, se, report_get(coef, "se_joint"), bounds[0], bounds[1], report_get(coef, "z"),
                            report_get(coef, "p")});
        if (strcmp(report_string(coef, "name"), "intercept") == 0) continue;
        json_array_append(labels, json_object_get(coef, "name"));
        json_array_append_new(values, report_number(value));
        json_array_append_new(low, report_number(bounds[0]));
        json_array_append_new(high, report_number(bounds[1]));
    }
    json_object_set_new(figure, "labels", labels);
    json_object_set_new(figure, "reference", json_real(0));
    report_axis(figure, "y", "weight", "number");
    report_series(figure, target, values);
    report_intervals(figure, low, high);
}

int report_add_fit(const struct report_context *c, struct error *err)
{
    const struct report_input *input = c->input;
    struct model model = {0};
    struct error failed = {0};
    size_t i;
    const json_t *fit;
    const bool can_fit = input->model && input->dataset.n_rows;
    if (!can_fit && json_array_size(input->fits) == 0) return 0;
    json_t *section = report_open(
        c, "fit", "The fit",
        "The regression from features to warp tuples: what it weighs, and where its distribution is wrong.");
    json_t *table = coef_table(section, "weight-table", "Weights");
    char *text = can_fit ? json_dumps(input->model, 0) : NULL;
    const int parsed = text ? model_parse(&model, "model.json", text, strlen(text), err) : 0;
    free(text);
    if (parsed < 0) return -1;
    for (size_t o = 0; o < model.n_outputs; o++)
        if (fit_output(section, table, &model.outputs[o], input, &failed) < 0)
            report_note(section, "%s: not fitted again: %s", model.outputs[o].name, failed.text);
    json_array_foreach(input->fits, i, fit) add_train_fit(section, table, fit, i);
    return 0;
}
