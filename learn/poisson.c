/* Log-link regression with the dispersion held fixed, by iteratively reweighted least squares; Poisson is alpha = 0.
 *
 *   l       = sum w [ sum_{j<y} log(1 + alpha j) - log y! + y eta - y log(1 + alpha mu) - log(1 + alpha mu) / alpha ]
 *   score   = sum w x (y - mu) / (1 + alpha mu)
 *   -d2l    = X' diag( w mu (1 + alpha y) / (1 + alpha mu)^2 ) X      observed: positive, so l is concave in beta
 *             X' diag( w mu / (1 + alpha mu) ) X                      expected
 * Each step solves the weighted least-squares problem by QR and is halved until the likelihood rises. */
#include "fit.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "count_terms.h"

#define HALVINGS 40

/* A large mean is known to the rounding of eta times itself, which may be more than a step changes. */
static void estimate_noise(const struct problem *problem, struct point *point)
{
    double squares = 0;
    point->noise = point->noise_decrement = 0;
    if (!problem->counts->is_large) return;
    for (size_t j = 0; j < problem->r; j++) squares += point->beta[j] * point->beta[j];
    const double typical = sqrt(squares / (double)problem->n); /* of a column's share: columns have length 1 */
    squares = 0;
    for (size_t i = 0; i < problem->n; i++) {
        const double mu = point->mu[i], w = problem->weight ? problem->weight[i] : 1, rise = 1 + point->alpha * mu;
        const double rounding = DBL_EPSILON * (1 + fabs(point->eta[i]) + typical);
        if (!(w > 0) || !isfinite(mu)) continue;
        point->noise += w * fabs(problem->y[i] - mu) / rise * rounding;
        squares += w * mu / rise * rounding * rounding;
    }
    point->noise_decrement = fmin(sqrt(squares), 1e-2);
}

static void set_means(const struct problem *problem, struct point *point)
{
    const size_t n = problem->n;
    for (size_t i = 0; i < n; i++) point->eta[i] = problem->offset ? problem->offset[i] : 0;
    for (size_t j = 0; j < problem->r; j++) {
        const double *column = problem->columns[j], b = point->beta[j] * problem->scales[j];
        for (size_t i = 0; i < n; i++) point->eta[i] += column[i] * b;
    }
    for (size_t i = 0; i < n; i++) point->mu[i] = exp(point->eta[i]);
}

/* With large counts each mean is right to its last digit: e^30 would lose another two to the rounding of 30. */
static void set_means_wide(const struct problem *problem, struct point *point)
{
    for (size_t i = 0; i < problem->n; i++) {
        long double eta = problem->offset ? (long double)problem->offset[i] : 0;
        for (size_t j = 0; j < problem->r; j++)
            eta += (long double)problem->columns[j][i] * (long double)(point->beta[j] * problem->scales[j]);
        point->eta[i] = (double)eta;
        point->mu[i] = (double)expl(eta);
    }
}

void point_update(const struct problem *problem, struct point *point)
{
    const size_t n = problem->n;
    const double alpha = point->alpha;
    if (problem->counts->is_large) set_means_wide(problem, point);
    else set_means(problem, point);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double y = problem->y[i], eta = point->eta[i], mu = point->mu[i];
        const double w = problem->weight ? problem->weight[i] : 1;
        if (w == 0) continue;
        if (problem->counts->is_large) {
            sum -= w * count_half_deviance(y, mu, alpha);
        } else if (alpha == 0) {
            sum += w * (y * eta - mu);
        } else {
            const double log_term = log1p(alpha * mu);
            sum += w * (y * eta - y * log_term - log_term / alpha);
        }
    }
    sum += counts_loglik(problem->counts, alpha);
    point->loglik = isfinite(sum) ? sum : -INFINITY;
    point->penalty = 0;
    for (size_t j = 0; problem->ridge && j < problem->r; j++)
        point->penalty += problem->ridge[j] * point->beta[j] * point->beta[j] / 2;
    estimate_noise(problem, point);
}

bool point_is_worse(const struct point *trial, const struct point *than)
{
    const double noise = fmin(trial->noise + than->noise, 1), before = than->loglik - than->penalty;
    return !(trial->loglik - trial->penalty >= before - SLACK * (1 + fabs(than->loglik)) - noise);
}

void point_copy(const struct problem *problem, struct point *to, const struct point *from)
{
    const struct point was = *to;
    *to = *from;
    to->beta = was.beta, to->eta = was.eta, to->mu = was.mu;
    memcpy(to->beta, from->beta, problem->r * sizeof(double));
    memcpy(to->eta, from->eta, problem->n * sizeof(double));
    memcpy(to->mu, from->mu, problem->n * sizeof(double));
}

static void add_penalty(const struct problem *problem, const struct point *point, struct wls *wls)
{
    const size_t r = problem->r;
    for (size_t j = 0; problem->ridge && j < r; j++) {
        double *row = wls_rows(wls, 1);
        const double root = sqrt(problem->ridge[j]);
        for (size_t c = 0; c < r + WLS_RHS; c++) row[c * wls->ld] = 0;
        row[j * wls->ld] = root;
        row[r * wls->ld] = -root * point->beta[j];
    }
}

bool point_factor(const struct problem *problem, const struct point *point, enum information kind, struct wls *wls)
{
    const double alpha = point->alpha;
    const size_t r = problem->r;
    double root[WLS_BLOCK];
    wls_begin(wls);
    for (size_t at = 0; at < problem->n; at += WLS_BLOCK) {
        const size_t count = problem->n - at < WLS_BLOCK ? problem->n - at : WLS_BLOCK;
        double *rows = wls_rows(wls, count), *score = rows + r * wls->ld, *cross = rows + (r + 1) * wls->ld;
        for (size_t i = 0; i < count; i++) {
            const double y = problem->y[at + i], mu = point->mu[at + i],
                         w = problem->weight ? problem->weight[at + i] : 1;
            const double d = 1 + alpha * mu;
            const double information = kind == INFORMATION_OBSERVED ? w * mu * (1 + alpha * y) / (d * d) : w * mu / d;
            root[i] = information > 1e-300 ? sqrt(information) : 0;
            score[i] = root[i] > 0 ? w * (y - mu) / d / root[i] : 0;
            cross[i] = root[i] > 0 ? w * (y - mu) * mu / (d * d) / root[i] : 0;
        }
        for (size_t j = 0; j < r; j++) {
            const double *column = problem->columns[j] + at, scale = problem->scales[j];
            double *to = rows + j * wls->ld;
            for (size_t i = 0; i < count; i++) to[i] = column[i] * scale * root[i];
        }
    }
    add_penalty(problem, point, wls);
    return wls_solve(wls);
}

void irls(const struct problem *problem, struct workspace *work, struct point *point, double tolerance)
{
    struct point *trial = &work->trial;
    point->converged = false;
    for (int iteration = 0; iteration < problem->max_iterations && !point->converged; iteration++) {
        if (!point_factor(problem, point, INFORMATION_OBSERVED, &work->wls)) return;
        point->decrement = sqrt(work->wls.products[0][0]);
        double part = 1;
        int halvings = 0;
        for (; halvings < HALVINGS; halvings++, part /= 2) {
            for (size_t j = 0; j < problem->r; j++) trial->beta[j] = point->beta[j] + part * work->wls.steps[0][j];
            trial->alpha = point->alpha;
            point_update(problem, trial);
            if (!point_is_worse(trial, point)) break;
        }
        point->iterations++;
        if (halvings == HALVINGS) return;
        trial->decrement = point->decrement;
        trial->iterations = point->iterations;
        trial->converged = point_is_near(point, tolerance) && halvings == 0 && isfinite(trial->loglik);
        point_copy(problem, point, trial);
    }
}

/* Least squares of log(y + 0.1) - offset with weights y + 0.1, into trial->beta. */
static bool regress_logarithms(const struct problem *problem, struct workspace *work)
{
    struct wls *wls = &work->wls;
    const size_t r = problem->r;
    wls_begin(wls);
    for (size_t at = 0; at < problem->n; at += WLS_BLOCK) {
        const size_t count = problem->n - at < WLS_BLOCK ? problem->n - at : WLS_BLOCK;
        double *rows = wls_rows(wls, count);
        for (size_t i = 0; i < count; i++) {
            const double mu = problem->y[at + i] + 0.1, w = problem->weight ? problem->weight[at + i] : 1;
            const double root = sqrt(w * mu), offset = problem->offset ? problem->offset[at + i] : 0;
            for (size_t j = 0; j < r; j++)
                rows[i + j * wls->ld] = problem->columns[j][at + i] * problem->scales[j] * root;
            rows[i + r * wls->ld] = root * (log(mu) - offset);
            rows[i + (r + 1) * wls->ld] = root; /* the regression of 1: an intercept in terms of these columns */
        }
    }
    return wls_solve(wls);
}

/* A first beta: one weighted regression on the logarithms, or the mean if that is better. */
static void irls_start(const struct problem *problem, struct workspace *work, struct point *point)
{
    double sum_y = 0, sum_mean = 0;
    for (size_t i = 0; i < problem->n; i++) {
        const double w = problem->weight ? problem->weight[i] : 1;
        sum_y += w * problem->y[i];
        sum_mean += w * (problem->offset ? exp(problem->offset[i]) : 1);
    }
    memset(point->beta, 0, problem->r * sizeof(double));
    const bool regressed = regress_logarithms(problem, work);
    struct point *trial = &work->trial;
    const double level = log(sum_y / sum_mean);
    for (size_t j = 0; regressed && isfinite(level) && j < problem->r; j++)
        point->beta[j] = work->wls.steps[1][j] * level;
    point_update(problem, point);
    if (!regressed) return;
    memcpy(trial->beta, work->wls.steps[0], problem->r * sizeof(double));
    trial->alpha = point->alpha;
    point_update(problem, trial);
    if (trial->loglik - trial->penalty > point->loglik - point->penalty) {
        const int iterations = point->iterations;
        point_copy(problem, point, trial);
        point->iterations = iterations;
    }
}

void poisson_fit(const struct problem *problem, struct workspace *work, struct point *point)
{
    point->alpha = 0;
    point->iterations = 0;
    irls_start(problem, work, point);
    irls(problem, work, point, CONVERGED);
}

double poisson_score_alpha(const struct problem *problem, const struct point *point)
{
    double sum = 0;
    for (size_t i = 0; i < problem->n; i++) {
        const double y = problem->y[i], e = y - point->mu[i];
        sum += (problem->weight ? problem->weight[i] : 1) * (e * e - y);
    }
    return sum / 2;
}
