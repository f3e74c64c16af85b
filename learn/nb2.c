/* NB2: beta and the dispersion alpha = 1 / theta together.
 *
 * 1. alpha for the Poisson means: Newton on the profile likelihood in log alpha, bracketed by the sign of the score.
 * 2. A few rounds of beta given alpha, alpha given beta, until alpha settles to a tenth.
 * 3. Joint Newton in (beta, log alpha) with the observed information: the block of beta by QR, alpha by its Schur
 *    complement, the step halved until the likelihood rises. Where the Schur complement is not positive, one more
 *    round of 2.
 * Everything is written in alpha with log1p, so that it stays exact as alpha -> 0, and for counts above COUNTS_SMALL
 * with count_terms.h, so that it stays exact as they grow. */
#include "fit.h"

#include <math.h>
#include "count_terms.h"

#define LOG_ALPHA_MIN (-27.6) /* theta = 1e12: nothing tells it from Poisson, for means up to COUNTS_SMALL */
#define LOG_ALPHA_MAX 18.0    /* theta = 1.5e-8 */
#define STEP_MAX 2.0          /* in log alpha */
#define ROUNDS 12
#define START 0.02 /* in log alpha: near enough for the joint steps, which converge quadratically */
#define HALVINGS 40

/* g(t) = (log(1+t) - t/(1+t)) / t^2 and g'(t); by series where the difference would cancel. */
static void log_term(double t, double g[2])
{
    if (t < 0.1) { /* sum over n >= 2 of (-1)^n (n-1)/n t^(n-2) */
        g[0] = g[1] = 0;
        for (int n = 20; n >= 2; n--) {
            const double c = (n % 2 ? -1.0 : 1.0) * (n - 1) / n;
            g[1] = g[1] * t + g[0];
            g[0] = g[0] * t + c;
        }
        return;
    }
    g[0] = (log1p(t) - t / (1 + t)) / (t * t);
    g[1] = 1 / (t * (1 + t) * (1 + t)) - 2 * g[0] / t;
}

void nb2_alpha_derivatives(const struct problem *problem, const struct point *point, double d[2])
{
    const double alpha = point->alpha;
    double sums[2], first = 0, second = 0;
    counts_derivatives(problem->counts, alpha, sums);
    for (size_t i = 0; i < problem->n; i++) {
        const double y = problem->y[i], mu = point->mu[i], w = problem->weight ? problem->weight[i] : 1;
        if (problem->counts->is_large) {
            count_deviance_derivatives(y, mu, alpha, d);
            if (w > 0) first += w * d[0], second += w * d[1];
            continue;
        }
        const double m = mu / (1 + alpha * mu);
        double g[2];
        log_term(alpha * mu, g);
        first += w * (mu * mu * g[0] - y * m);
        second += w * (mu * mu * mu * g[1] + y * m * m);
    }
    d[0] = sums[0] + first;
    d[1] = sums[1] + second;
}

/* Below this log alpha the variance exceeds the mean by less than one part in 2e8. */
static double log_alpha_floor(const struct problem *problem)
{
    return LOG_ALPHA_MIN - fmax(0, log(problem->counts->mean / COUNTS_SMALL));
}

/* Maximises over log alpha, the means held fixed, to `tolerance` in log alpha. */
static void profile_alpha(const struct problem *problem, struct point *point, double tolerance)
{
    double low = log_alpha_floor(problem), high = LOG_ALPHA_MAX, t = log(point->alpha);
    for (int iteration = 0; iteration < 60; iteration++) {
        double d[2];
        point->alpha = exp(t);
        nb2_alpha_derivatives(problem, point, d);
        const double score = point->alpha * d[0], curvature = -(point->alpha * point->alpha * d[1] + score);
        if (score > 0) low = t;
        else high = t;
        double step = curvature > 0 ? score / curvature : (score > 0 ? 1 : -1);
        if (step > STEP_MAX) step = STEP_MAX;
        if (step < -STEP_MAX) step = -STEP_MAX;
        double next = t + step;
        if (!(next > low && next < high)) next = (low + high) / 2;
        const double moved = fabs(next - t);
        t = next;
        if (moved < tolerance || high - low < 1e-6) break;
    }
    point->alpha = exp(t);
}

/* beta given alpha and alpha given beta, once each. */
static void alternate(const struct problem *problem, struct workspace *work, struct point *point, double tolerance)
{
    point_update(problem, point);
    irls(problem, work, point, 1e3 * tolerance);
    profile_alpha(problem, point, tolerance);
    point_update(problem, point);
}

/* One joint Newton step. False where the information is not positive or no part of the step helps. */
static bool joint_step(const struct problem *problem, struct workspace *work, struct point *point)
{
    struct wls *wls = &work->wls;
    struct point *trial = &work->trial;
    double d[2];
    if (!point_factor(problem, point, INFORMATION_OBSERVED, wls)) return false;
    nb2_alpha_derivatives(problem, point, d);
    /* in t = log alpha; right-hand side 1 of the factorisation is the cross information per unit of alpha */
    const double alpha = point->alpha, score = alpha * d[0], curvature = -(alpha * alpha * d[1] + score);
    const double schur = curvature - alpha * alpha * wls->products[1][1];
    const double rest = score - alpha * wls->products[0][1];
    if (!(schur > 1e-12 * fabs(curvature))) return false;
    const double t = rest / schur;
    point->decrement = sqrt(wls->products[0][0] + rest * rest / schur);
    double part = fabs(t) > STEP_MAX ? STEP_MAX / fabs(t) : 1;
    const bool is_whole = part == 1;
    for (int halvings = 0; halvings < HALVINGS; halvings++, part /= 2) {
        for (size_t j = 0; j < problem->r; j++)
            trial->beta[j] = point->beta[j] + part * (wls->steps[0][j] - alpha * t * wls->steps[1][j]);
        trial->alpha = alpha * exp(part * t);
        point_update(problem, trial);
        if (point_is_worse(trial, point)) continue;
        trial->decrement = point->decrement;
        trial->iterations = point->iterations + 1;
        trial->converged = is_whole && halvings == 0 && point_is_near(point, CONVERGED);
        point_copy(problem, point, trial);
        return true;
    }
    return false;
}

static double moment_alpha(const struct problem *problem, const struct point *point)
{
    double squares = 0;
    for (size_t i = 0; i < problem->n; i++)
        squares += (problem->weight ? problem->weight[i] : 1) * point->mu[i] * point->mu[i];
    const double alpha = 2 * poisson_score_alpha(problem, point) / squares;
    return alpha > 1e-8 ? (alpha < 1e3 ? alpha : 1e3) : 1e-8;
}

bool nb2_polish(const struct problem *problem, struct workspace *work, struct point *point)
{
    point->converged = false;
    for (int iteration = 0; iteration < problem->max_iterations && !point->converged; iteration++) {
        if (!joint_step(problem, work, point)) {
            alternate(problem, work, point, 1e-6);
            point->converged = false;
        }
        if (log(point->alpha) < log_alpha_floor(problem) + 1) return false;
    }
    return true;
}

bool nb2_fit(const struct problem *problem, struct workspace *work, struct point *point)
{
    point->alpha = moment_alpha(problem, point);
    profile_alpha(problem, point, START);
    for (int round = 0; round < ROUNDS; round++) {
        const double before = log(point->alpha);
        alternate(problem, work, point, START);
        if (log(point->alpha) < log_alpha_floor(problem) + 1) return false;
        if (fabs(log(point->alpha) - before) < 0.1) break;
    }
    return nb2_polish(problem, work, point);
}

double nb2_deviance(const struct problem *problem, const struct point *point)
{
    double sum = 0;
    for (size_t i = 0; i < problem->n; i++) {
        const double w = problem->weight ? problem->weight[i] : 1;
        if (w > 0) sum += w * count_half_deviance(problem->y[i], point->mu[i], point->alpha);
    }
    return 2 * sum;
}

double nb2_pearson(const struct problem *problem, const struct point *point)
{
    double sum = 0;
    for (size_t i = 0; i < problem->n; i++) {
        const double e = problem->y[i] - point->mu[i], v = point->mu[i] * (1 + point->alpha * point->mu[i]);
        if (v > 0) sum += (problem->weight ? problem->weight[i] : 1) * e * e / v;
    }
    return sum;
}
