/* What a fit says: JSON (CONTRACTS.md, `poise train --json`), a table to read, one output of a model file. */
#include "poise/glm.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* JSON has no NaN: null; infinity is the text "inf". */
static json_t *number(double value)
{
    if (isnan(value)) return json_null();
    if (isinf(value)) return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

static json_t *coef_json(const struct glm_coef *coef)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(coef->name));
    json_object_set_new(object, "value", number(coef->value));
    json_object_set_new(object, "se_expected", number(coef->se_expected));
    json_object_set_new(object, "se_joint", number(coef->se_joint));
    json_object_set_new(object, "z", number(coef->z));
    json_object_set_new(object, "p", number(coef->p));
    json_object_set_new(object, "aliased", json_boolean(coef->is_aliased));
    return object;
}

struct json_t *glm_fit_json(const struct glm_fit *fit)
{
    json_t *root = json_object(), *coef = json_array(), *warnings = json_array();
    for (size_t j = 0; j < fit->k; j++) json_array_append_new(coef, coef_json(&fit->coef[j]));
    for (size_t i = 0; i < fit->n_warnings; i++) json_array_append_new(warnings, json_string(fit->warnings[i]));
    const struct {
        const char *key;
        double value;
    } values[] = {
        {"theta", fit->theta},       {"se_theta", fit->se_theta},           {"loglik", fit->loglik},
        {"deviance", fit->deviance}, {"null_deviance", fit->null_deviance}, {"aic", fit->aic},
        {"bic", fit->bic},
    };
    const struct {
        const char *key;
        double value;
    } more[] = {
        {"se_theta_mu_fixed", fit->se_theta_mu_fixed},
        {"loglik_null", fit->loglik_null},
        {"theta_null", fit->theta_null},
        {"pearson", fit->pearson},
        {"df_residual", fit->df_residual},
        {"effective_parameters", fit->effective},
        {"score_alpha_at_zero", fit->score_alpha_at_zero},
        {"condition", fit->condition},
    };
    json_object_set_new(root, "coef", coef);
    if (fit->penalty.lambda > 0)
        json_object_set_new(root, "penalty",
                            json_pack("{s:f,s:f}", "lambda", fit->penalty.lambda, "mix", fit->penalty.mix));
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        json_object_set_new(root, values[i].key, number(values[i].value));
    json_object_set_new(root, "converged", json_boolean(fit->converged));
    json_object_set_new(root, "status", json_string(fit->status));
    json_object_set_new(root, "warnings", warnings);
    json_object_set_new(root, "family", json_string(glm_family_name(fit->family)));
    json_object_set_new(root, "rows", json_integer((json_int_t)fit->observations));
    json_object_set_new(root, "columns", json_integer((json_int_t)fit->k));
    json_object_set_new(root, "rank", json_integer((json_int_t)fit->rank));
    json_object_set_new(root, "iterations", json_integer(fit->iterations));
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        json_object_set_new(root, more[i].key, number(more[i].value));
    return root;
}

static const char *stars(double p) { return p < 0.001 ? "***" : p < 0.01 ? "**" : p < 0.05 ? "*" : p < 0.1 ? "." : ""; }

void glm_fit_print(const struct glm_fit *fit, FILE *out)
{
    fprintf(out, "%s, log link: %.15g rows, %zu columns, rank %zu, %.15g degrees of freedom left\n",
            glm_family_name(fit->family), fit->observations, fit->k, fit->rank, fit->df_residual);
    if (fit->penalty.lambda > 0)
        fprintf(out, "penalty: lambda %g, share of the lasso %g; %.3f effective parameters\n", fit->penalty.lambda,
                fit->penalty.mix, fit->effective);
    fprintf(out, "%-24s %14s %12s %12s %9s %11s\n", "", "weight", "se", "se (joint)",
            fit->family == GLM_OLS ? "t" : "z", "p");
    for (size_t j = 0; j < fit->k; j++) {
        const struct glm_coef *c = &fit->coef[j];
        if (c->is_aliased) fprintf(out, "%-24s %14s\n", c->name, "(dependent)");
        else if (isnan(c->z))
            fprintf(out, "%-24s %14.6g %12.5g %12.5g\n", c->name, c->value, c->se_expected, c->se_joint);
        else
            fprintf(out, "%-24s %14.6g %12.5g %12.5g %9.3f %11.4g %s\n", c->name, c->value, c->se_expected, c->se_joint,
                    c->z, c->p, stars(c->p));
    }
    if (fit->theta_is_fitted)
        fprintf(out, "theta %.6g, se %.4g (means held fixed: %.4g)\n", fit->theta, fit->se_theta,
                fit->se_theta_mu_fixed);
    else if (isfinite(fit->theta)) fprintf(out, "theta %.6g, held\n", fit->theta);
    else if (fit->family == GLM_OLS) fprintf(out, "residual standard deviation of the logarithm %.6g\n", fit->sigma);
    else fprintf(out, "theta infinite\n");
    fprintf(out, "log-likelihood %.6f (intercept alone %.6f), AIC %.3f, BIC %.3f\n", fit->loglik, fit->loglik_null,
            fit->aic, fit->bic);
    fprintf(out, "deviance %.6g, null deviance %.6g, Pearson chi-squared %.6g, condition number %.3g\n", fit->deviance,
            fit->null_deviance, fit->pearson, fit->condition);
    fprintf(out, "status: %s, %d iterations\n", fit->status, fit->iterations);
    for (size_t i = 0; i < fit->n_warnings; i++) fprintf(out, "warning: %s\n", fit->warnings[i]);
}

int glm_fit_output(const struct glm_fit *fit, const char *name, struct model_output *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    if (fit->k > MODEL_FEATURES_MAX)
        return error_set(err, ERR_INPUT, "output %s: %zu columns, a model file holds at most %d", name, fit->k,
                         MODEL_FEATURES_MAX);
    for (size_t j = 0; j < fit->k; j++) {
        if (!(fabs(fit->coef[j].value) <= (double)FLT_MAX))
            return error_set(err, ERR_INPUT, "output %s: the weight of '%s' is %g, not finite in single precision",
                             name, fit->coef[j].name, fit->coef[j].value);
        snprintf(out->features[j], sizeof out->features[j], "%s", fit->coef[j].name);
        out->weights[j] = fit->coef[j].value;
    }
    out->n_features = fit->k;
    out->has_covariance = fit->covariance != NULL;
    for (size_t i = 0; i < fit->k * fit->k && out->has_covariance; i++) {
        out->covariance[i] = fit->covariance[i];
        out->has_covariance = isfinite(fit->covariance[i]);
    }
    out->theta = fit->theta;
    out->penalty_lambda = fit->penalty.lambda;
    out->penalty_mix = fit->penalty.mix;
    out->has_offset = fit->has_offset;
    snprintf(out->name, sizeof out->name, "%s", name);
    snprintf(out->status, sizeof out->status, "%s", fit->status);
    snprintf(out->family, sizeof out->family, "%s", glm_family_name(fit->family));
    return 0;
}
