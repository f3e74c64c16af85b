/* The methods. Each tries points until the budget of full runs is spent or every allowed point is known. */
#include <gsl/gsl_qrng.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>
#include "poise/numerics.h"
#include "studies/tune/tune_internal.h"

enum { CANDIDATES_MAX = 4096, STARTS_MAX = 20 };

static int no_memory(struct error *err) { return error_set(err, ERR_MEMORY, "out of memory for the search"); }

/* Up to `want` allowed points that have no trial at `rung`, each once: random, along Sobol's sequence, or in the
 * grid's order. */
static size_t draw(const struct tune *t, enum tune_method how, gsl_rng *rng, gsl_qrng *sobol, unsigned rung,
                   size_t *out, size_t want)
{
    const double grid = tune_grid_size(t);
    size_t n = 0;
    for (uint64_t tries = 0; n < want && tries < 200 * (uint64_t)want + 20000; tries++) {
        double x[AXES_MAX];
        size_t point = (size_t)tries;
        if (how == TUNE_grid) {
            if ((double)tries >= grid) break;
        } else {
            if (how == TUNE_sobol) gsl_qrng_get(sobol, x);
            else
                for (size_t i = 0; i < t->axes.n; i++) x[i] = gsl_rng_uniform(rng);
            point = tune_canonical(t, point_at(&t->axes, x));
        }
        bool is_new = tune_allows(t, point) && !tune_find(t, point, rung);
        for (size_t k = 0; k < n && is_new; k++) is_new = out[k] != point;
        if (is_new) out[n++] = point;
    }
    return n;
}

/* What is left of `want` points in full: seeds and points that were known are some of them. */
static size_t left_of(const struct tune *t, uint64_t want)
{
    const size_t known = tune_n_full(t), most = (size_t)(want < t->budget ? want : t->budget);
    return most > known ? most - known : 0;
}

static int try_drawn(struct tune *t, enum tune_method how, gsl_rng *rng, gsl_qrng *sobol, size_t want,
                     struct error *err)
{
    size_t *points = calloc(want + 1, sizeof *points);
    if (!points) return no_memory(err);
    const int result = tune_try(t, points, draw(t, how, rng, sobol, 0, points, want), 0, err);
    free(points);
    return result;
}

/* ---- NLopt: the unit cube, rounded to levels. Points that are known cost nothing ---- */

/* The allowed point nearest to x; where conditions leave a part of the cube, a flat penalty outside would tell a
 * method nothing. */
static size_t nearest_allowed(const struct tune *t, const double *x)
{
    const size_t point = tune_canonical(t, point_at(&t->axes, x));
    if (tune_allows(t, point) || tune_grid_size(t) > COMBINATIONS_MAX) return point;
    double least = INFINITY;
    size_t best = point;
    for (size_t p = 0; p < (size_t)tune_grid_size(t); p++) {
        double y[AXES_MAX], distance = 0;
        if (!tune_allows(t, p)) continue;
        point_coordinates(&t->axes, p, y);
        for (size_t i = 0; i < t->axes.n; i++) distance += (y[i] - x[i]) * (y[i] - x[i]);
        if (distance < least) least = distance, best = p;
    }
    return best;
}

struct followed {
    struct tune *t;
    nlopt_opt opt;
    struct error *err;
    bool has_failed;
    double worst;
    unsigned calls;
};

static double objective(unsigned n, const double *x, double *gradient, void *data)
{
    struct followed *o = data;
    (void)n, (void)gradient;
    const size_t point = nearest_allowed(o->t, x);
    const struct trial *trial = tune_find(o->t, point, 0);
    if (++o->calls > 50 * o->t->budget + 1000 || (!trial && tune_n_full(o->t) >= o->t->budget)) {
        nlopt_force_stop(o->opt);
        return o->worst;
    }
    if (!tune_allows(o->t, point)) return o->worst;
    if (!trial) {
        if (tune_try(o->t, &point, 1, 0, o->err) < 0) {
            o->has_failed = true;
            nlopt_force_stop(o->opt);
            return o->worst;
        }
        trial = tune_find(o->t, point, 0);
    }
    const double value = isnan(trial->score) ? o->worst : -trial->score;
    if (value > o->worst) o->worst = value;
    return value;
}

/* Where the k-th start lies: the k-th best of the points known so far, and behind the last of them at random. */
static void start_at(const struct tune *t, size_t k, gsl_rng *rng, double *x)
{
    size_t chosen[STARTS_MAX];
    for (size_t i = 0; i <= k; i++) {
        const struct trial *best = NULL;
        for (size_t j = 0; j < t->n_trials; j++) {
            bool is_free = t->trials[j].rung == 0 && !isnan(t->trials[j].score);
            for (size_t m = 0; m < i && is_free; m++) is_free = chosen[m] != t->trials[j].point;
            if (is_free && (!best || t->trials[j].score > best->score)) best = &t->trials[j];
        }
        if (!best) {
            for (size_t a = 0; a < t->axes.n; a++) x[a] = gsl_rng_uniform(rng);
            return;
        }
        chosen[i] = best->point;
        point_coordinates(&t->axes, best->point, x);
    }
}

/* A Sobol design first, then the method from its best point, and again from the next. DIRECT and CRS look everywhere
 * by themselves. */
static int search_nlopt(struct tune *t, gsl_rng *rng, gsl_qrng *sobol, struct error *err)
{
    static const nlopt_algorithm algorithms[N_TUNE_METHODS] = {
        [TUNE_bobyqa] = NLOPT_LN_BOBYQA,         [TUNE_cobyla] = NLOPT_LN_COBYLA,   [TUNE_sbplx] = NLOPT_LN_SBPLX,
        [TUNE_neldermead] = NLOPT_LN_NELDERMEAD, [TUNE_direct] = NLOPT_GN_DIRECT_L, [TUNE_crs] = NLOPT_GN_CRS2_LM};
    /* BOBYQA's models need two dimensions; in one, COBYLA does the same. */
    const bool is_flat = t->method == TUNE_bobyqa && t->axes.n < 2;
    struct followed o = {.t = t, .err = err, .worst = 0};
    double x[AXES_MAX], value;
    const bool is_local = t->method != TUNE_direct && t->method != TUNE_crs;
    nlopt_srand((unsigned long)t->seed);
    if (is_local && try_drawn(t, TUNE_sobol, rng, sobol, left_of(t, t->initial), err) < 0) return -1;
    for (size_t start = 0; start < STARTS_MAX && tune_n_full(t) < t->budget && !o.has_failed; start++) {
        o.opt = nlopt_create(is_flat ? NLOPT_LN_COBYLA : algorithms[t->method], (unsigned)t->axes.n);
        if (!o.opt) return no_memory(err);
        nlopt_set_lower_bounds1(o.opt, 0);
        nlopt_set_upper_bounds1(o.opt, 1);
        nlopt_set_min_objective(o.opt, objective, &o);
        nlopt_set_initial_step1(o.opt, 0.25);
        nlopt_set_xtol_abs1(o.opt, 1e-3);
        nlopt_set_maxeval(o.opt, (int)(50 * t->budget < 100000 ? 50 * t->budget : 100000));
        if (is_local) start_at(t, start, rng, x);
        else
            for (size_t i = 0; i < t->axes.n; i++) x[i] = start == 0 ? 0.5 : gsl_rng_uniform(rng);
        o.calls = 0;
        const nlopt_result code = nlopt_optimize(o.opt, x, &value);
        nlopt_destroy(o.opt);
        if (code == NLOPT_OUT_OF_MEMORY) return no_memory(err);
        if (code == NLOPT_INVALID_ARGS)
            return error_set(err, ERR_RUN, "%s: NLopt refuses the search's settings", t->name);
    }
    return o.has_failed ? -1 : 0;
}

/* ---- successive halving [Jamieson and Talwalkar 2016]: three rungs, a third of the points goes on ---- */

static int by_score(const void *a, const void *b, void *tune)
{
    const struct trial *trials = ((struct tune *)tune)->trials, *x = &trials[*(const size_t *)a],
                       *y = &trials[*(const size_t *)b];
    const double s = isnan(x->score) ? -INFINITY : x->score, r = isnan(y->score) ? -INFINITY : y->score;
    return s != r ? (s < r ? 1 : -1) : (x->point > y->point) - (x->point < y->point);
}

static int search_halving(struct tune *t, gsl_rng *rng, gsl_qrng *sobol, struct error *err)
{
    size_t want = TUNE_RUNGS * (size_t)t->budget, *points = calloc(want + 1, sizeof *points),
           *order = calloc(want + 1, sizeof *order);
    int result = points && order ? 0 : no_memory(err);
    size_t n = result == 0 ? draw(t, TUNE_sobol, rng, sobol, TUNE_RUNGS - 1, points, want) : 0;
    for (unsigned rung = TUNE_RUNGS; rung-- > 0 && result == 0;) {
        const size_t first = t->n_trials;
        result = tune_try(t, points, n, rung, err);
        if (result < 0 || rung == 0) break;
        for (size_t i = 0; i < n; i++) order[i] = first + i;
        qsort_r(order, n, sizeof *order, by_score, t);
        n = (n + TUNE_ETA - 1) / TUNE_ETA;
        for (size_t i = 0; i < n; i++) points[i] = t->trials[order[i]].point;
    }
    free(points);
    free(order);
    return result;
}

/* ---- one parameter at a time ---- */

/* `point` with another level of an axis; false where conditions forbid it. */
static bool with_level(const struct tune *t, size_t point, size_t axis, size_t level, size_t *out)
{
    *out = tune_canonical(t, point_with_level(&t->axes, point, axis, level));
    return tune_allows(t, *out);
}

static double score_at(const struct tune *t, size_t point)
{
    const struct trial *trial = tune_find(t, point, 0);
    return trial && !isnan(trial->score) ? trial->score : -INFINITY;
}

/* The best level of a parameter, the others as they are in the centre. */
struct gain {
    size_t axis, level;
    double score;
};

static int by_gain(const void *a, const void *b)
{
    const struct gain *x = a, *y = b;
    return x->score != y->score ? (x->score < y->score ? 1 : -1) : (x->axis > y->axis) - (x->axis < y->axis);
}

static size_t gains_of(const struct tune *t, size_t centre, struct gain out[AXES_MAX])
{
    size_t n = 0, point;
    for (size_t a = 0; a < t->axes.n; a++) {
        struct gain best = {.axis = a, .level = point_level(&t->axes, centre, a), .score = score_at(t, centre)};
        const size_t own = best.level;
        for (size_t level = 0; level < t->axes.items[a].n; level++)
            if (with_level(t, centre, a, level, &point) && score_at(t, point) > best.score)
                best.level = level, best.score = score_at(t, point);
        if (best.level != own) out[n++] = best;
    }
    qsort(out, n, sizeof *out, by_gain);
    return n;
}

/* Parameters that do not exist give the same point. */
static bool is_among(const size_t *points, size_t n, size_t point)
{
    for (size_t i = 0; i < n; i++)
        if (points[i] == point) return true;
    return false;
}

/* Every level of every parameter by itself, in one batch. */
static int try_levels(struct tune *t, size_t centre, struct error *err)
{
    size_t most = 1, n = 0;
    for (size_t a = 0; a < t->axes.n; a++) most += t->axes.items[a].n;
    size_t *points = calloc(most, sizeof *points);
    if (!points) return no_memory(err);
    for (size_t a = 0; a < t->axes.n; a++)
        for (size_t level = 0; level < t->axes.items[a].n && n + tune_n_full(t) < t->budget; level++)
            if (with_level(t, centre, a, level, &points[n]) && !tune_find(t, points[n], 0) &&
                !is_among(points, n, points[n]))
                n++;
    const int result = tune_try(t, points, n, 0, err);
    free(points);
    return result;
}

/* Then what gained, one on another, the largest first, while that gains. */
static int search_round(struct tune *t, size_t *centre, struct error *err)
{
    struct gain gains[AXES_MAX];
    size_t point;
    if (try_levels(t, *centre, err) < 0) return -1;
    const size_t n = gains_of(t, *centre, gains);
    for (size_t i = 0; i < n; i++) {
        if (!with_level(t, *centre, gains[i].axis, gains[i].level, &point)) continue;
        if (!tune_find(t, point, 0)) {
            if (tune_n_full(t) >= t->budget) break;
            if (tune_try(t, &point, 1, 0, err) < 0) return -1;
        }
        if (score_at(t, point) > score_at(t, *centre)) *centre = point;
    }
    return 0;
}

static int search_coordinate(struct tune *t, struct error *err)
{
    size_t centre, axis = 0, before;
    if (!tune_own_point(t, &centre, &axis))
        return error_set(err, ERR_INPUT,
                         "%s: the method coordinate starts at the stack's own values: give %s its own among its levels",
                         t->name, t->axes.items[axis].name);
    if (tune_try(t, &centre, 1, 0, err) < 0) return -1;
    do {
        before = centre;
        if (search_round(t, &centre, err) < 0) return -1;
    } while (centre != before && tune_n_full(t) < t->budget);
    return 0;
}

/* ---- Gaussian process ---- */

/* The share of the variance of what was measured that is the estimates' own. */
static double noise_of(const struct tune *t)
{
    double noise = 0, sum = 0, squares = 0, n = 0;
    if (!t->is_sampled) return GP_EXACT;
    for (size_t i = 0; i < t->n_trials; i++) {
        const struct trial *trial = &t->trials[i];
        if (isnan(trial->score)) continue;
        const double half = isfinite(trial->low) ? (trial->high - trial->low) / 2 : 0;
        noise += half * half / (1.96 * 1.96);
        sum += trial->score, squares += trial->score * trial->score, n++;
    }
    const double variance = squares - sum * sum / n;
    return !(variance > 0) ? GP_EXACT : fmin(0.5, fmax(GP_EXACT, noise / variance));
}

/* `scores`: of each trial; larger is better. */
static int fit_trials(const struct tune *t, const double *scores, struct gp **out, struct error *err)
{
    const size_t d = t->axes.n;
    double *x = calloc(t->n_trials * d + 1, sizeof *x), *y = calloc(t->n_trials + 1, sizeof *y);
    size_t n = 0;
    int result = x && y ? 0 : no_memory(err);
    for (size_t i = 0; i < t->n_trials && result == 0; i++) {
        if (t->trials[i].rung || isnan(scores[i])) continue;
        point_coordinates(&t->axes, t->trials[i].point, x + n * d);
        y[n++] = scores[i];
    }
    if (result == 0) result = gp_fit(out, x, y, n, d, noise_of(t), err);
    free(x);
    free(y);
    return result;
}

/* Scores of the trials: of the one objective, or of several by weights that are drawn anew for each point. Returns the
 * best; NAN: there is none. */
static double scores_of(const struct tune *t, gsl_rng *rng, double *scores)
{
    double weights[TUNE_OBJECTIVES_MAX], sum = 0, best = NAN;
    for (size_t k = 0; k < t->n_objectives && t->n_objectives > 1; k++)
        sum += weights[k] = -log(gsl_rng_uniform_pos(rng)); /* even over all that sum to 1 */
    for (size_t k = 0; k < t->n_objectives && t->n_objectives > 1; k++) weights[k] /= sum;
    if (t->n_objectives > 1) tune_scalarise(t, weights, scores);
    for (size_t i = 0; i < t->n_trials; i++) {
        if (t->n_objectives == 1) scores[i] = t->trials[i].score;
        if (t->trials[i].rung == 0 && isfinite(scores[i]) && !(best >= scores[i])) best = scores[i];
    }
    return best;
}

/* The candidate from which the most improvement is expected. */
static int choose(const struct tune *t, gsl_rng *rng, const size_t *points, size_t n, size_t *choice, struct error *err)
{
    double *scores = calloc(t->n_trials + 1, sizeof *scores), most = -1;
    struct gp *gp = NULL;
    *choice = 0;
    if (!scores) return no_memory(err);
    const double best = scores_of(t, rng, scores);
    const int result = isfinite(best) ? fit_trials(t, scores, &gp, err) : 0;
    for (size_t i = 0; i < n && gp; i++) {
        double x[AXES_MAX];
        point_coordinates(&t->axes, points[i], x);
        const double gain = gp_expected_improvement(gp, x, best);
        if (gain > most) most = gain, *choice = i;
    }
    gp_free(gp);
    free(scores);
    return result;
}

static int search_gp(struct tune *t, gsl_rng *rng, gsl_qrng *sobol, struct error *err)
{
    size_t *points = calloc(CANDIDATES_MAX, sizeof *points), choice;
    if (!points) return no_memory(err);
    int result = try_drawn(t, TUNE_sobol, rng, sobol, left_of(t, t->initial), err);
    while (result == 0 && tune_n_full(t) < t->budget) {
        const size_t n = draw(t, tune_grid_size(t) <= CANDIDATES_MAX ? TUNE_grid : TUNE_random, rng, sobol, 0, points,
                              CANDIDATES_MAX);
        if (n == 0) break;
        result = choose(t, rng, points, n, &choice, err);
        if (result == 0) result = tune_try(t, &points[choice], 1, 0, err);
    }
    free(points);
    return result;
}

static int search(struct tune *t, struct error *err)
{
    numerics_set_up(); /* GSL would abort where memory runs out */
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_qrng *sobol = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)t->axes.n);
    int result = -1;
    if (!rng || !sobol) {
        no_memory(err);
    } else {
        double skipped[AXES_MAX];
        gsl_rng_set(rng, (unsigned long)t->seed);
        /* another seed, another part of the sequence */
        for (uint64_t i = 0; i < t->seed % 1024; i++) gsl_qrng_get(sobol, skipped);
        switch (t->method) {
        case TUNE_grid:
            if (tune_grid_size(t) > COMBINATIONS_MAX)
                error_set(err, ERR_INPUT, "%s: a grid of %.3g points: at most %d; another method needs fewer", t->name,
                          tune_grid_size(t), COMBINATIONS_MAX);
            else result = try_drawn(t, TUNE_grid, rng, sobol, (size_t)tune_grid_size(t), err);
            break;
        case TUNE_random:
        case TUNE_sobol: result = try_drawn(t, t->method, rng, sobol, left_of(t, t->budget), err); break;
        case TUNE_halving: result = search_halving(t, rng, sobol, err); break;
        case TUNE_coordinate: result = search_coordinate(t, err); break;
        case TUNE_gp: result = search_gp(t, rng, sobol, err); break;
        default: result = search_nlopt(t, rng, sobol, err); break;
        }
    }
    if (rng) gsl_rng_free(rng);
    if (sobol) gsl_qrng_free(sobol);
    return result;
}

static int try_named(struct tune *t, struct error *err)
{
    size_t points[N_TUNE_NAMED], n = 0;
    tune_find_named(t);
    for (int k = 0; k < N_TUNE_NAMED; k++)
        if (t->named[k].is_there && t->named[k].is_on_grid) points[n++] = t->named[k].point;
    return tune_try(t, points, n, 0, err);
}

int tune_search(struct tune *t, struct error *err)
{
    if (try_named(t, err) < 0) return -1;
    if (t->n_seeds && tune_try(t, t->seeds, t->n_seeds, 0, err) < 0) return -1;
    return search(t, err);
}
