/* A model on some columns, validated: predictions of every row by models that saw none of its benchmark, what the
 * predicted tuples are worth on the profiles, and the figures of both.
 * [THESIS §5.7.2, §5.7.7] */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/cv/cv.h"
#include "poise/regret.h"

const char *const cv_metric_names[N_CV_METRICS] = {"error_N", "error_p",  "error_N_of_scale", "error_p_of_scale",
                                                   "mae",     "spearman", "regret",           "regret_search"};

void cv_score_fini(struct cv_score *s)
{
    for (size_t r = 0; r < s->repeats; r++) {
        if (s->folds) folds_fini(&s->folds[r]);
        for (size_t t = 0; t < CV_TARGETS; t++)
            if (s->results[t]) cv_result_fini(&s->results[t][r]);
    }
    for (size_t t = 0; t < CV_TARGETS; t++) free(s->results[t]);
    free(s->folds);
    free(s->memory);
    groups_fini(&s->groups);
    memset(s, 0, sizeof *s);
}

static int make_room(struct cv_score *s, const struct cv_data *data, size_t repeats, struct error *err)
{
    const size_t m = repeats * data->n;
    memset(s, 0, sizeof *s);
    s->data = data;
    s->m = m;
    s->memory = calloc((5 * CV_TARGETS + 4) * m + 1, sizeof *s->memory);
    s->groups = (struct groups){.n = m,
                                .n_groups = data->groups.n_groups,
                                .of = calloc(m + 1, sizeof(size_t)),
                                .names = calloc(data->groups.n_groups + 1, sizeof *s->groups.names)};
    if (!s->memory || !s->groups.of || !s->groups.names) {
        cv_score_fini(s);
        return error_set(err, ERR_MEMORY, "out of memory for %zu predictions", m);
    }
    double *at = s->memory;
    for (size_t t = 0; t < data->n_targets; t++) {
        double **const parts[] = {&s->y[t], &s->predicted[t], &s->low[t], &s->high[t], &s->pit[t]};
        for (size_t p = 0; p < COUNT_OF(parts); p++) *parts[p] = at, at += m;
        for (size_t i = 0; i < m; i++) s->y[t][i] = data->y[t][i % data->n];
    }
    if (data->has_profile) s->regret = at, s->regret_search = at + m, s->speedup = at + 2 * m, s->best = at + 3 * m;
    for (size_t i = 0; i < m; i++) s->groups.of[i] = data->groups.of[i % data->n];
    memcpy(s->groups.names, data->groups.names, data->groups.n_groups * sizeof *s->groups.names);
    return 0;
}

/* The most that row i's targets can be. */
static double range_of(const struct cv_data *d, size_t i) { return d->W ? d->W[i % d->n] : d->scale; }

/* Tuples as the engine uses them: a prediction outside 1 .. range is taken to the nearer end, as are the ends of its
 * interval. (A log link extrapolates without bound: one benchmark unlike the others would make every mean error
 * meaningless.) */
static void clamp(struct cv_score *s)
{
    s->outside = 0;
    for (size_t t = 0; s->data->is_tuple && t < s->data->n_targets; t++)
        for (size_t i = 0; i < s->m; i++) {
            double *const values[] = {&s->predicted[t][i], &s->low[t][i], &s->high[t][i]};
            const double most = range_of(s->data, i);
            s->outside += !(s->predicted[t][i] >= 1 && s->predicted[t][i] <= most);
            for (size_t v = 0; v < COUNT_OF(values); v++)
                *values[v] = isnan(*values[v]) ? most : fmin(fmax(*values[v], 1), most);
        }
}

/* Looks every predicted tuple up. */
static void look_up(struct cv_score *s, const struct cv_params *params)
{
    clamp(s);
    s->exact = 0;
    for (size_t i = 0; s->regret && i < s->m; i++) {
        const struct cv_launch *l = &s->data->launches[i % s->data->n];
        uint32_t N, p;
        warps_unscale((float)s->predicted[0][i], (float)s->predicted[1][i], l->W, (float)s->data->scale, &N, &p);
        const struct tuple_value v = profile_value(l->points, l->n, N, p);
        const struct tuple_value found =
            profile_search(l->points, l->n, l->W, N, p, params->stride_N, params->stride_p);
        s->exact += v.is_exact;
        s->speedup[i] = v.speedup;
        s->best[i] = profile_best(l->points, l->n).speedup;
        s->regret[i] = profile_regret(l->points, l->n, v.speedup);
        s->regret_search[i] = profile_regret(l->points, l->n, found.speedup);
    }
}

static int validate_target(struct cv_score *s, const struct cv_params *params, const struct cv_task *task,
                           size_t repeat, size_t t, const struct glm_data *part, struct error *err)
{
    struct glm_data own = *part;
    struct cv_result *r = &s->results[t][repeat];
    const struct cv_model *model = task->model;
    const struct cv_options options = {.family = model->family,
                                       .settings = model->settings,
                                       .axes = model->axes,
                                       .n_axes = model->tunes ? model->n_axes : 0,
                                       .inner_folds = params->inner_folds,
                                       .loss = LOSS_RELATIVE,
                                       .level = params->level,
                                       .train_fraction = task->train_fraction,
                                       .train_groups = task->train_groups,
                                       .seed = params->seed + repeat};
    own.y = s->data->y[t];
    if (cross_validate(r, &own, &s->data->groups, &s->folds[repeat], &options, err) < 0)
        return error_while(err, "model %s", model->name);
    double *const to[] = {s->predicted[t], s->low[t], s->high[t], s->pit[t]}, *const from[] = {r->predicted, r->low,
                                                                                               r->high, r->pit};
    for (size_t p = 0; p < COUNT_OF(to); p++) memcpy(to[p] + repeat * s->data->n, from[p], s->data->n * sizeof **from);
    return 0;
}

int cv_score_init(struct cv_score *s, const struct cv_data *data, const struct cv_params *params,
                  const struct cv_task *task, struct error *err)
{
    const size_t repeats = params->kind == 0 ? 1 : params->repeats; /* leaving each group out is the same every time */
    struct glm_subset part;
    if (make_room(s, data, repeats, err) < 0) return -1;
    int failed = 0;
    s->repeats = repeats;
    s->folds = calloc(repeats, sizeof *s->folds);
    if (!s->folds) failed = error_set(err, ERR_MEMORY, "out of memory");
    for (size_t t = 0; t < data->n_targets && !failed; t++)
        if (!(s->results[t] = calloc(repeats, sizeof *s->results[t])))
            failed = error_set(err, ERR_MEMORY, "out of memory");
    if (!failed && (failed = glm_subset_init(&part, &data->set.data, NULL, 0, task->columns, task->k, err)) == 0) {
        for (size_t r = 0; r < repeats && !failed; r++) {
            failed = params->kind == 0
                         ? folds_leave_one_group_out(&s->folds[r], &data->groups, err)
                         : folds_of_groups(&s->folds[r], &data->groups, params->folds, params->seed + r, err);
            for (size_t t = 0; t < data->n_targets && !failed; t++)
                failed = validate_target(s, params, task, r, t, &part.data, err);
        }
        glm_subset_fini(&part);
    }
    if (failed) cv_score_fini(s);
    else look_up(s, params);
    return failed;
}

int cv_score_again(struct cv_score *out, const struct cv_score *score, const struct cv_params *params,
                   const struct glm_data *altered, struct error *err)
{
    if (make_room(out, score->data, score->repeats, err) < 0) return -1; /* repeats stays 0: it owns no predictors */
    for (size_t r = 0; r < score->repeats; r++)
        for (size_t t = 0; t < score->data->n_targets; t++)
            cv_repredict(&score->results[t][r], &score->folds[r], altered, out->predicted[t] + r * score->data->n);
    look_up(out, params);
    return 0;
}

bool cv_metric_exists(const struct cv_score *s, enum cv_metric metric)
{
    if (metric == CV_ERROR_P || metric == CV_SCALE_P) return s->data->n_targets > 1;
    if (metric == CV_REGRET || metric == CV_REGRET_SEARCH) return s->regret != NULL;
    return true;
}

static double error_of_range(const struct cv_score *s, size_t t, const size_t *rows, size_t m)
{
    if (!s->data->W) return metric_mae(s->y[t], s->predicted[t], rows, m) / s->data->scale;
    double sum = 0;
    for (size_t i = 0; i < m; i++) {
        const size_t at = rows ? rows[i] : i;
        sum += fabs(s->y[t][at] - s->predicted[t][at]) / range_of(s->data, at);
    }
    return sum / (double)m;
}

double cv_metric_value(const struct cv_score *s, enum cv_metric metric, const size_t *rows, size_t m)
{
    const size_t t = metric == CV_ERROR_P || metric == CV_SCALE_P, targets = s->data->n_targets;
    double sum = 0;
    if (!cv_metric_exists(s, metric)) return NAN;
    switch (metric) {
    case CV_ERROR_N:
    case CV_ERROR_P: return metric_relative(s->y[t], s->predicted[t], rows, m);
    case CV_SCALE_N:
    case CV_SCALE_P: return error_of_range(s, t, rows, m);
    case CV_REGRET: return metric_mean(s->regret, rows, m);
    case CV_REGRET_SEARCH: return metric_mean(s->regret_search, rows, m);
    default: break;
    }
    for (size_t each = 0; each < targets; each++)
        sum += metric == CV_MAE ? metric_mae(s->y[each], s->predicted[each], rows, m)
                                : metric_spearman(s->y[each], s->predicted[each], rows, m);
    return sum / (double)targets;
}

struct interval_context {
    const struct cv_score *score;
    enum cv_metric metric;
};
static double value_of(const size_t *rows, size_t n, void *context)
{
    const struct interval_context *c = context;
    return cv_metric_value(c->score, c->metric, rows, n);
}

int cv_metric_interval(const struct cv_score *s, const struct cv_params *params, enum cv_metric metric,
                       double interval[2], struct error *err)
{
    struct interval_context context = {s, metric};
    const struct bootstrap plan = {&s->groups, params->bootstrap, params->level, params->seed};
    interval[0] = interval[1] = NAN;
    if (!cv_metric_exists(s, metric)) return 0;
    return bootstrap_interval(&plan, value_of, &context, interval, err);
}

void cv_losses(const struct cv_score *s, enum cv_metric metric, double *losses)
{
    for (size_t i = 0; i < s->m; i++) losses[i] = cv_metric_value(s, metric, &i, 1);
}

enum cv_metric cv_deciding(const struct cv_score *s) { return s->regret ? CV_REGRET : CV_ERROR_N; }

double cv_decide(const struct cv_score *s)
{
    if (s->regret) return cv_metric_value(s, CV_REGRET, NULL, s->m);
    double sum = 0;
    for (size_t t = 0; t < s->data->n_targets; t++) sum += metric_relative(s->y[t], s->predicted[t], NULL, s->m);
    return sum / (double)s->data->n_targets;
}
