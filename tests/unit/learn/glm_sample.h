/* A sample of counts with known parameters, and how fits of it are compared. */
#ifndef TESTS_GLM_SAMPLE_H
#define TESTS_GLM_SAMPLE_H
#include "rig.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include "poise/glm.h"

#define ROWS 240
#define COLUMNS 4
static const char *const names[COLUMNS] = {"intercept", "a", "b", "c"};
static const double truth[COLUMNS] = {1.2, 0.5, -0.8, 0.3};

struct sample {
    double x[ROWS * COLUMNS], y[ROWS], offset[ROWS], weight[ROWS];
};

/* NB2 with theta = 3 and weights `truth`. */
static void draw(struct sample *s, unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, seed);
    for (size_t i = 0; i < ROWS; i++) {
        double eta = 0;
        for (size_t j = 0; j < COLUMNS; j++) {
            s->x[j * ROWS + i] = j ? gsl_ran_gaussian(rng, 1) : 1;
            eta += truth[j] * s->x[j * ROWS + i];
        }
        s->offset[i] = 0.3 * gsl_ran_gaussian(rng, 1);
        s->y[i] = gsl_ran_poisson(rng, exp(eta + s->offset[i]) * gsl_ran_gamma(rng, 3, 1.0 / 3));
        s->weight[i] = (double)(1 + gsl_rng_uniform_int(rng, 3));
    }
    gsl_rng_free(rng);
}

static struct glm_data data_of(const struct sample *s)
{
    return (struct glm_data){.n = ROWS, .k = COLUMNS, .x = s->x, .y = s->y, .names = names};
}

static void fit_ok(struct glm_fit *fit, const struct glm_data *data, enum glm_family family)
{
    struct error err;
    const struct glm_options options = {.family = family};
    assert_ok(glm_fit(fit, data, &options, &err), &err);
    assert_true(fit->converged);
}

static void near(double a, double b, double tolerance)
{
    if (a != b && !(fabs(a - b) <= tolerance * (1 + fabs(b)))) fail_msg("%.17g and %.17g differ", a, b);
}

static void same_fit(const struct glm_fit *a, const struct glm_fit *b, double tolerance)
{
    for (size_t j = 0; j < a->k; j++) {
        near(a->coef[j].value, b->coef[j].value, tolerance);
        near(a->coef[j].se_expected, b->coef[j].se_expected, tolerance);
        near(a->coef[j].se_joint, b->coef[j].se_joint, tolerance);
    }
    near(a->theta, b->theta, 100 * tolerance);
    near(a->loglik, b->loglik, tolerance);
    near(a->deviance, b->deviance, 100 * tolerance);
}
#endif
