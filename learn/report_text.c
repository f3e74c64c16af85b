/* A report as JSON, as text to read, as CSV. */
#include <jansson.h>
#include <math.h>
#include "poise/glm_report.h"
#include "state.h"

/* clang-format off */
#define COEF_FIELDS(F) \
    F(low) F(high) F(profile_low) F(profile_high) F(se_hc0) F(se_cluster) F(vif) F(vif_design) F(lr) F(lr_p) \
    F(effect) F(se_effect)
/* clang-format on */
/* clang-format off */
#define ROW_FIELDS(F) \
    F(eta) F(mu) F(response) F(pearson) F(deviance) F(working) F(hat) F(cooks) F(rstandard) F(rstudent) F(dffits) \
    F(quantile)
/* clang-format on */
/* clang-format off */
#define REPORT_FIELDS(F) \
    F(level) F(theta_low) F(theta_high) F(mcfadden) F(dispersion) F(lr_null) F(lr_null_df) F(lr_null_p) \
    F(lr_poisson) F(lr_poisson_p) \
    F(nb1_z) F(nb1_p) F(nb1_alpha) F(nb2_alpha) F(nb2_t) F(nb2_p) F(dean) F(dean_p)
/* clang-format on */

static const char nothing[] = "these columns explain nothing that chance would not: a constant predicts as well";
static bool explains_nothing(const struct glm_report *report)
{
    return report->lr_null_df > 0 && report->lr_null_p > 0.05; /* the test against the intercept alone */
}

json_t *glm_report_json(const struct glm_report *report, const struct glm_fit *fit)
{
    json_t *root = glm_fit_json(fit), *coef = json_object_get(root, "coef"), *bins = json_array(),
           *quantiles = json_array();
    for (size_t j = 0; j < report->k; j++) {
        json_t *object = json_array_get(coef, j);
        const struct glm_report_coef *c = &report->coef[j];
#define F(field) state_put(object, #field, c->field);
        COEF_FIELDS(F)
#undef F
    }
#define F(field) state_put(root, #field, report->field);
    REPORT_FIELDS(F)
#undef F
    if (explains_nothing(report)) json_array_append_new(json_object_get(root, "warnings"), json_string(nothing));
    for (size_t b = 0; b < report->n_bins; b++)
        json_array_append_new(bins, json_pack("{s:I,s:f,s:f}", "count", (json_int_t)b, "observed", report->observed[b],
                                              "expected", report->expected[b]));
    for (int q = 0; q < 5; q++) json_array_append_new(quantiles, state_number(report->deviance_quantiles[q]));
    json_object_set_new(root, "rootogram", bins);
    json_object_set_new(root, "deviance_residual_quantiles", quantiles);
    json_object_set_new(root, "se_convention",
                        json_string("se_expected: expected information, theta held; se_joint: observed information "
                                    "of weights and theta; se_hc0, se_cluster: sandwich"));
    return root;
}

static double largest_cook(const struct glm_report *report, size_t *row)
{
    double above = 0;
    *row = 0;
    for (size_t i = 0; i < report->n; i++) {
        if (report->rows[i].cooks > 4 / report->observations) above += report->rows[i].copies;
        if (report->rows[i].cooks > report->rows[*row].cooks || isnan(report->rows[*row].cooks)) *row = i;
    }
    return above;
}

void glm_report_print(const struct glm_report *report, const struct glm_fit *fit, FILE *out)
{
    glm_fit_print(fit, out);
    fprintf(out, "\n%-24s %12s %12s %12s %12s %8s %12s\n", "", "interval", "", "se (HC0)", "se (groups)", "vif",
            "effect");
    for (size_t j = 0; j < report->k; j++) {
        const struct glm_report_coef *c = &report->coef[j];
        if (fit->coef[j].is_aliased) continue;
        fprintf(out, "%-24s %12.5g %12.5g %12.5g %12.5g %8.3g %12.5g\n", fit->coef[j].name, c->low, c->high, c->se_hc0,
                c->se_cluster, c->vif, c->effect);
    }
    fprintf(out, "intervals hold %g %% (Wald); effect: change of the mean for one unit\n", 100 * report->level);
    fprintf(out, "McFadden R2 %.4f, against the intercept alone: chi-squared %.4g of %g, p %.3g\n", report->mcfadden,
            report->lr_null, report->lr_null_df, report->lr_null_p);
    if (explains_nothing(report)) fprintf(out, "warning: %s\n", nothing);
    fprintf(out, "Pearson dispersion %.4g", report->dispersion);
    if (isfinite(report->lr_poisson))
        fprintf(out, ", against Poisson: chi-squared %.4g, p %.3g", report->lr_poisson, report->lr_poisson_p);
    fputc('\n', out);
    if (isfinite(report->nb1_z))
        fprintf(out,
                "overdispersion (Cameron-Trivedi on the Poisson fit): NB1 z %.3f, p %.3g; NB2 alpha %.4g, t %.3f, p "
                "%.3g; Dean %.3f, p %.3g\n",
                report->nb1_z, report->nb1_p, report->nb2_alpha, report->nb2_t, report->nb2_p, report->dean,
                report->dean_p);
    const double *q = report->deviance_quantiles;
    fprintf(out, "deviance residuals: least %.3f, quartiles %.3f %.3f %.3f, largest %.3f\n", q[0], q[1], q[2], q[3],
            q[4]);
    size_t row;
    const double above = largest_cook(report, &row);
    fprintf(out,
            "influence: %.15g rows with Cook's distance above 4/n; the largest is row %zu with %.3g (leverage %.3g)\n",
            above, row + 1, report->rows[row].cooks, report->rows[row].hat);
}

static void cell(FILE *out, double value)
{
    if (isfinite(value)) fprintf(out, ",%.17g", value);
    else fputs(isnan(value) ? "," : value > 0 ? ",inf" : ",-inf", out);
}

void glm_report_coef_csv(const struct glm_report *report, const struct glm_fit *fit, FILE *out)
{
    fputs("name,value,se_expected,se_joint,z,p", out);
#define F(field) fputs("," #field, out);
    COEF_FIELDS(F)
#undef F
    fputc('\n', out);
    for (size_t j = 0; j < report->k; j++) {
        const struct glm_coef *own = &fit->coef[j];
        const struct glm_report_coef *c = &report->coef[j];
        fputs(own->name, out);
        cell(out, own->value), cell(out, own->se_expected), cell(out, own->se_joint), cell(out, own->z),
            cell(out, own->p);
#define F(field) cell(out, c->field);
        COEF_FIELDS(F)
#undef F
        fputc('\n', out);
    }
}

void glm_report_rows_csv(const struct glm_report *report, const struct glm_fit *fit, const struct glm_data *data,
                         FILE *out)
{
    (void)fit;
    fputs("row,y", out);
#define F(field) fputs("," #field, out);
    ROW_FIELDS(F)
#undef F
    fputc('\n', out);
    for (size_t i = 0; i < report->n; i++) {
        const struct glm_report_row *r = &report->rows[i];
        fprintf(out, "%zu", i + 1);
        cell(out, data->y[i]);
#define F(field) cell(out, r->field);
        ROW_FIELDS(F)
#undef F
        fputc('\n', out);
    }
}
