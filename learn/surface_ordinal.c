/* Ordinal regression of the best levels of N and of p, and the surfaces that go with them.     [McCullagh 1980]
 *   P(best level <= l | x) = 1 / (1 + exp(-(t_l - b . x)))       proportional odds, one model for N and one for p
 * Rows count by what is at stake, the span of their surface: where every tuple is as good as another, the best one says
 * nothing. The surface is a ridge regression on the probabilities of both models, so that each level has surfaces of
 * its own and a row between two levels gets a mixture. Levels that are best in no row are left out. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>
#include "surface_parts.h"

#define SETTINGS(P) \
    P(F64, decay, 0.01, 0, 1e6, "1", "assumed", "penalty on half the squared weights of both ordinal models") \
    P(U32, iterations, 200, 1, 100000, "evaluations", "assumed", "of the likelihood in the fit of one model")
PARAM_STRUCT(ordinal_settings, SETTINGS);
#define ROW(...) PARAM_ROW_OF(ordinal_settings, __VA_ARGS__)
static const struct param_row settings_rows[] = {SETTINGS(ROW)};
#undef ROW
static const struct param_table table = {"ordinal", settings_rows, COUNT_OF(settings_rows),
                                         sizeof(struct ordinal_settings)};
static const struct family_axis axes[] = {{"decay", 4, {"0.001", "0.01", "0.1", "1"}}};

/* One model: `levels` levels, weights b, thresholds t[levels - 1]. */
enum { LEVELS_MAX = 16 };
struct odds {
    size_t k, levels;
    double weights[K_MAX], thresholds[LEVELS_MAX];
};
struct ordinal_state {
    struct surface_scaler scaler, shares_scaler;
    struct odds N, p;
    size_t m, shares;
    double *weights;
};

static double logistic(double v) { return v >= 0 ? 1 / (1 + exp(-v)) : exp(v) / (1 + exp(v)); }

static void probabilities(const struct odds *o, const double *x, double *out)
{
    double score = 0, below = 0;
    for (size_t i = 0; i < o->k; i++) score += o->weights[i] * x[i];
    for (size_t l = 0; l < o->levels; l++) {
        const double up_to = l + 1 < o->levels ? logistic(o->thresholds[l] - score) : 1;
        out[l] = up_to - below;
        below = up_to;
    }
}

/* Parameters: k weights, the first threshold, logarithms of the steps to the next ones. */
static void take(struct odds *o, const double *theta)
{
    memcpy(o->weights, theta, o->k * sizeof *theta);
    for (size_t l = 0; l + 1 < o->levels; l++)
        o->thresholds[l] = l ? o->thresholds[l - 1] + exp(theta[o->k + l]) : theta[o->k];
}

struct likelihood {
    struct odds *odds;
    const struct surface_rows *rows;
    const double *stake; /* n, their sum is 1 */
    const size_t *best;  /* n levels */
    double decay, best_value, *best_theta;
};

/* One row's part of the loss and of its derivatives by the score and the thresholds. */
static double row_loss(const struct odds *o, double score, size_t level, double stake, double *by_score,
                       double *by_threshold)
{
    const bool has_high = level + 1 < o->levels, has_low = level > 0;
    const double high = has_high ? logistic(o->thresholds[level] - score) : 1;
    const double low = has_low ? logistic(o->thresholds[level - 1] - score) : 0;
    const double share = fmax(high - low, 1e-12), d_high = high * (1 - high), d_low = low * (1 - low);
    *by_score += stake * (d_high - d_low) / share;
    if (has_high) by_threshold[level] -= stake * d_high / share;
    if (has_low) by_threshold[level - 1] += stake * d_low / share;
    return -stake * log(share);
}

static double objective(unsigned n, const double *theta, double *gradient, void *opaque)
{
    struct likelihood *like = opaque;
    struct odds *o = like->odds;
    const size_t k = o->k;
    double loss = 0, by_threshold[LEVELS_MAX] = {0}, by_weight[K_MAX] = {0};
    take(o, theta);
    for (size_t i = 0; i < like->rows->n; i++) {
        const double *x = like->rows->x + i * k;
        double score = 0, by_score = 0;
        for (size_t j = 0; j < k; j++) score += o->weights[j] * x[j];
        loss += row_loss(o, score, like->best[i], like->stake[i], &by_score, by_threshold);
        for (size_t j = 0; j < k; j++) by_weight[j] += by_score * x[j];
    }
    for (size_t j = 0; j < k; j++) loss += 0.5 * like->decay * theta[j] * theta[j];
    if (!isfinite(loss)) loss = 1e30;
    if (loss < like->best_value) like->best_value = loss, memcpy(like->best_theta, theta, n * sizeof *theta);
    if (!gradient) return loss;
    for (size_t j = 0; j < k; j++) gradient[j] = by_weight[j] + like->decay * theta[j];
    double above = 0; /* a step moves its threshold and all above it */
    for (size_t l = o->levels - 1; l-- > 0;) {
        above += by_threshold[l];
        gradient[k + l] = l ? above * exp(theta[k + l]) : above;
    }
    return loss;
}

static int fit_odds(struct likelihood *like, size_t iterations, struct error *err)
{
    struct odds *o = like->odds;
    const size_t n = o->k + o->levels - 1;
    double theta[K_MAX + LEVELS_MAX] = {0}, best[K_MAX + LEVELS_MAX] = {0}, low[K_MAX + LEVELS_MAX],
                         high[K_MAX + LEVELS_MAX], value;
    if (o->levels < 2) return 0;
    nlopt_opt search = nlopt_create(NLOPT_LD_LBFGS, (unsigned)n);
    if (!search) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++) {
        low[i] = i > o->k ? -10 : -1e3; /* of steps: their logarithms */
        high[i] = i > o->k ? 5 : 1e3;
    }
    theta[o->k] = -1;
    memcpy(best, theta, sizeof best);
    like->best_theta = best;
    like->best_value = INFINITY;
    nlopt_set_min_objective(search, objective, like);
    nlopt_set_lower_bounds(search, low);
    nlopt_set_upper_bounds(search, high);
    nlopt_set_ftol_rel(search, 1e-9);
    nlopt_set_maxeval(search, (int)iterations);
    const nlopt_result result = nlopt_optimize(search, theta, &value); /* a search that fails keeps its best point */
    nlopt_destroy(search);
    take(o, best);
    return result == NLOPT_OUT_OF_MEMORY ? error_set(err, ERR_MEMORY, "out of memory") : 0;
}

/* The best tuple's N or p of each row becomes a level: those that occur, in ascending order; the last level takes what
 * is above LEVELS_MAX of them. */
static size_t number_levels(const uint32_t *values, size_t n, size_t *best)
{
    size_t levels = 0;
    for (uint32_t from = 0; levels < LEVELS_MAX;) {
        uint32_t next = UINT32_MAX;
        for (size_t i = 0; i < n; i++)
            if (values[i] > from && values[i] < next) next = values[i];
        if (next == UINT32_MAX) break;
        for (size_t i = 0; i < n; i++)
            if (values[i] >= next) best[i] = levels; /* larger ones are numbered in the next rounds */
        levels++;
        from = next;
    }
    return levels;
}

static void measure_stakes(const struct surface_rows *rows, const struct surface_tuple *tuples, double *stake,
                           uint32_t *N, uint32_t *p)
{
    const struct surface_rule rule = {0, -INFINITY}; /* the best point, whatever it gains */
    double total = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const double *z = rows->z + i * rows->m;
        const size_t best = surface_choose(tuples, rows->m, z, NULL, &rule, 0);
        double least = z[0];
        for (size_t j = 0; j < rows->m; j++) least = fmin(least, z[j]);
        N[i] = tuples[best].N, p[i] = tuples[best].p;
        total += stake[i] = rows->w[i] * (z[best] - least);
    }
    for (size_t i = 0; i < rows->n; i++) stake[i] = total > 0 ? stake[i] / total : 1 / (double)rows->n;
}

static void shares_of(const struct ordinal_state *state, const double *x, double *shares)
{
    probabilities(&state->N, x, shares);
    probabilities(&state->p, x, shares + state->N.levels);
}

/* Ridge regression of the surfaces on the probabilities. */
static int fit_surfaces(struct ordinal_state *state, const struct surface_rows *rows, struct error *err)
{
    struct surface_rows own = *rows;
    double lambda;
    own.k = state->shares = state->N.levels + state->p.levels;
    own.x = malloc(rows->n * own.k * sizeof *own.x);
    state->weights = malloc((own.k + 1) * rows->m * sizeof *state->weights);
    int failed = own.x && state->weights ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < rows->n && !failed; i++) shares_of(state, rows->x + i * rows->k, own.x + i * own.k);
    if (!failed) {
        surface_scaler_init(&state->shares_scaler, own.x, own.w, own.n, own.k);
        for (size_t i = 0; i < rows->n; i++)
            surface_scaler_apply(&state->shares_scaler, own.x + i * own.k, own.x + i * own.k);
        failed = surface_ridge_choose(&lambda, &own, own.z, own.m, err);
        if (!failed) failed = surface_ridge_solve(state->weights, &own, own.z, own.m, lambda, err);
    }
    free(own.x);
    return failed;
}

static int ordinal_fit(void *opaque, const struct surface_data *data, const void *settings, struct error *err)
{
    struct ordinal_state *state = opaque;
    const struct ordinal_settings *s = settings;
    struct surface_rows rows;
    if (surface_rows_init(&rows, data, err) < 0) return -1;
    state->scaler = rows.scaler;
    state->m = data->m;
    double *stake = malloc(rows.n * sizeof *stake);
    uint32_t *N = malloc(2 * rows.n * sizeof *N), *p = N + rows.n;
    size_t *best = malloc(rows.n * sizeof *best);
    int failed = stake && N && best ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed) measure_stakes(&rows, data->tuples, stake, N, p);
    struct odds *const odds[] = {&state->N, &state->p};
    for (size_t o = 0; o < 2 && !failed; o++) {
        struct likelihood like = {.odds = odds[o], .rows = &rows, .stake = stake, .best = best, .decay = s->decay};
        odds[o]->k = rows.k;
        odds[o]->levels = number_levels(o ? p : N, rows.n, best);
        failed = fit_odds(&like, s->iterations, err);
    }
    if (!failed) failed = fit_surfaces(state, &rows, err);
    free(stake);
    free(N);
    free(best);
    surface_rows_fini(&rows);
    return failed;
}

static void ordinal_predict(const void *opaque, const double *x, double *mean, double *spread)
{
    const struct ordinal_state *state = opaque;
    double own[K_MAX], shares[2 * LEVELS_MAX];
    (void)spread;
    surface_scaler_apply(&state->scaler, x, own);
    shares_of(state, own, shares);
    surface_scaler_apply(&state->shares_scaler, shares, shares);
    surface_ridge_predict(state->weights, state->shares, state->m, shares, mean);
}

static void ordinal_fini(void *opaque) { free(((struct ordinal_state *)opaque)->weights); }

const struct surface_family surface_ordinal = {.name = "ordinal",
                                               .title = "ordinal regression of the best levels",
                                               .source = "McCullagh 1980",
                                               .settings = &table,
                                               .axes = axes,
                                               .n_axes = COUNT_OF(axes),
                                               .state_size = sizeof(struct ordinal_state),
                                               .fit = ordinal_fit,
                                               .predict = ordinal_predict,
                                               .fini = ordinal_fini};
