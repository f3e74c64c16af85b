/* Nested validation of learners of response surfaces. The outer loop leaves one group out; the inner one, within the
 * rest, chooses settings and rule by the regret of groups left out there. Each fit is a cell of an array that is filled
 * in any order and added up in one, so that results are the same at any number of threads. */
#include "poise/response_validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "response_parts.h"

#define GRID_MAX 1024
#define REPLICATES 2000
static const struct response_rule no_rule = {0, 0};

static size_t grid_size(const struct response_cv_options *o)
{
    size_t size = 1;
    for (size_t a = 0; a < o->n_axes && size <= GRID_MAX; a++) size *= o->axes[a].n;
    return size;
}

static int grid_settings(struct family_settings *out, const struct response_cv_options *o, size_t at, struct error *err)
{
    *out = o->settings;
    for (size_t a = 0; a < o->n_axes; a++) {
        if (response_set(o->family, out, o->axes[a].setting, o->axes[a].values[at % o->axes[a].n], err) < 0) return -1;
        at /= o->axes[a].n;
    }
    return 0;
}

/* fold_of[g] of the groups that have rows with weight, SIZE_MAX of others. Returns the number of folds. */
static size_t deal_groups(const struct response_data *d, size_t folds, uint64_t seed, size_t *fold_of, size_t *order)
{
    struct random random = {seed};
    size_t n = 0;
    for (size_t g = 0; g < d->n_groups; g++) fold_of[g] = SIZE_MAX;
    for (size_t i = 0; i < d->n; i++) {
        const size_t g = d->group[i];
        if (fold_of[g] != SIZE_MAX || !(d->w == NULL || d->w[i] > 0)) continue;
        fold_of[g] = 0;
    }
    for (size_t g = 0; g < d->n_groups; g++)
        if (fold_of[g] == 0) order[n++] = g;
    if (folds == 0 || folds >= n) folds = n; /* leave one group out */
    else random_shuffle(&random, order, n);
    for (size_t i = 0; i < n; i++) fold_of[order[i]] = i % folds;
    return n < 2 ? 0 : folds;
}

/* Rows of which the group's fold is (or is not) the one given. */
static size_t rows_of(const struct response_data *d, const size_t *fold_of, size_t fold, bool is_in, size_t *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++) {
        const size_t own = fold_of[d->group[i]];
        if (own != SIZE_MAX && (own == fold) == is_in) rows[n++] = i;
    }
    return n;
}

/* One fit of the inner loop: regrets[rule * n + row] of the fold's rows. */
struct inner {
    const struct response_data *data;
    const struct response_cv_options *options;
    const struct response_rule *rules;
    const size_t *fold_of;
    size_t n_rules, n_folds;
    double *regrets; /* grid x rules x rows */
};

static int fit_cell(const struct inner *in, size_t at, size_t fold, struct error *err)
{
    const struct response_data *d = in->data;
    struct family_settings settings;
    struct response_predictor *p = NULL;
    struct response_subset part = {0};
    size_t *rows = malloc((d->n + 1) * sizeof *rows);
    double mean[M_MAX], spread[M_MAX];
    int failed = rows ? grid_settings(&settings, in->options, at, err) : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed) failed = response_subset_init(&part, d, rows, rows_of(d, in->fold_of, fold, false, rows), err);
    if (!failed) failed = response_fit(&p, in->options->family, &part.data, &settings, err);
    const size_t n = failed ? 0 : rows_of(d, in->fold_of, fold, true, rows);
    bool is_cautious = false;
    for (size_t r = 0; r < in->n_rules; r++) is_cautious |= in->rules[r].caution != 0;
    for (size_t i = 0; i < n; i++) {
        const size_t row = rows[i];
        response_predict(p, d->x + row * d->k, mean, is_cautious ? spread : NULL);
        for (size_t r = 0; r < in->n_rules; r++) {
            const size_t choice = response_choose(d->tuples, d->m, mean, is_cautious ? spread : NULL, &in->rules[r],
                                                  d->W ? d->W[row] : 0);
            in->regrets[(at * in->n_rules + r) * d->n + row] = response_regret(d->z + row * d->m, d->m, choice);
        }
    }
    response_predictor_free(p);
    response_subset_fini(&part);
    free(rows);
    return failed;
}

static int fit_cells(const struct inner *in, size_t grid, struct error *err)
{
    size_t first = SIZE_MAX; /* of the cells that failed: its error is told */
#pragma omp parallel for schedule(dynamic)
    for (size_t cell = 0; cell < grid * in->n_folds; cell++) {
        struct error own = {0};
        if (fit_cell(in, cell / in->n_folds, cell % in->n_folds, &own) == 0) continue;
#pragma omp critical(response_validate_error)
        {
            if (cell < first) *err = own, first = cell;
        }
    }
    return first == SIZE_MAX ? 0 : -1;
}

int response_tune(struct family_settings *settings, struct response_rule *rule, const struct response_data *data,
                  const struct response_cv_options *options, struct error *err)
{
    struct inner in = {.data = data,
                       .options = options,
                       .rules = options->n_rules ? options->rules : &no_rule,
                       .n_rules = options->n_rules ? options->n_rules : 1};
    const size_t grid = grid_size(options);
    double least = INFINITY;
    if (grid > GRID_MAX)
        return error_set(err, ERR_INPUT, "the grid of %s has more than %d points", options->family->name, GRID_MAX);
    if (response_data_check(data, err) < 0 || grid_settings(settings, options, 0, err) < 0) return -1;
    *rule = in.rules[0];
    if (grid * in.n_rules == 1) return 0;
    size_t *fold_of = malloc(2 * data->n_groups * sizeof *fold_of);
    in.regrets = calloc(grid * in.n_rules * data->n, sizeof *in.regrets);
    int failed = fold_of && in.regrets ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed) {
        in.fold_of = fold_of;
        in.n_folds = deal_groups(data, options->inner_folds, options->seed, fold_of, fold_of + data->n_groups);
        failed = fit_cells(&in, grid, err);
    }
    for (size_t c = 0; c < grid * in.n_rules && !failed && in.n_folds > 0; c++) {
        const double regret = response_group_mean(data, in.regrets + c * data->n, NULL);
        if (!(regret < least)) continue; /* ties: the first */
        least = regret;
        *rule = in.rules[c % in.n_rules];
        failed = grid_settings(settings, options, c / in.n_rules, err);
    }
    free(in.regrets);
    free(fold_of);
    return failed;
}

/* What one outer group was predicted with. `by_net` holds the regrets of the distilled networks. */
struct outer {
    const struct response_data *data;
    const struct response_cv_options *options;
    struct response_cv *cv;
    double *by_net;
};

static void answer(const struct outer *o, size_t row, const struct response_predictor *p,
                   const struct response_rule *rule, const struct response_net *net)
{
    const struct response_data *d = o->data;
    const uint32_t W = d->W ? d->W[row] : 0;
    const double *x = d->x + row * d->k, *z = d->z + row * d->m;
    double *mean = o->cv->predicted + row * d->m, spread[M_MAX];
    response_predict(p, x, mean, spread);
    o->cv->choice[row] = response_choose(d->tuples, d->m, mean, spread, rule, W);
    o->cv->regret[row] = response_regret(z, d->m, o->cv->choice[row]);
    if (net) o->by_net[row] = response_regret(z, d->m, response_distilled_choose(net, d->tuples, x, W));
}

/* Leaves group g out. */
static int leave_out(const struct outer *o, size_t g, struct error *err)
{
    const struct response_data *d = o->data;
    struct response_cv_group *own = &o->cv->groups[g];
    struct response_predictor *p = NULL;
    struct response_subset part = {0};
    struct response_distilled distilled;
    size_t *rows = malloc((d->n + 1) * sizeof *rows), n = 0;
    int failed = rows ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; !failed && i < d->n; i++)
        if (d->group[i] != g) rows[n++] = i;
    if (!failed) failed = response_subset_init(&part, d, rows, n, err);
    if (!failed) failed = response_tune(&own->settings, &own->rule, &part.data, o->options, err);
    if (!failed) failed = response_fit(&p, o->options->family, &part.data, &own->settings, err);
    if (!failed && o->options->distil) {
        struct response_distil_options how = *o->options->distil;
        how.rule = own->rule;
        failed = response_distil(&distilled, p, &part.data, &how, err);
        if (!failed) own->net_bytes = distilled.bytes;
    }
    for (size_t i = 0; !failed && i < d->n; i++)
        if (d->group[i] == g) answer(o, i, p, &own->rule, o->options->distil ? &distilled.net : NULL);
    response_predictor_free(p);
    response_subset_fini(&part);
    free(rows);
    return failed ? error_while(err, "group %zu left out", g) : 0;
}

void response_cv_fini(struct response_cv *cv)
{
    free(cv->groups);
    free(cv->predicted);
    free(cv->choice);
    free(cv->regret);
    memset(cv, 0, sizeof *cv);
}

static int cv_init(struct response_cv *cv, const struct response_data *d, struct error *err)
{
    *cv = (struct response_cv){.n = d->n,
                               .m = d->m,
                               .n_groups = d->n_groups,
                               .groups = calloc(d->n_groups, sizeof *cv->groups),
                               .predicted = calloc(d->n * d->m, sizeof *cv->predicted),
                               .choice = calloc(d->n, sizeof *cv->choice),
                               .regret = calloc(d->n, sizeof *cv->regret)};
    if (!cv->groups || !cv->predicted || !cv->choice || !cv->regret) {
        response_cv_fini(cv);
        return error_set(err, ERR_MEMORY, "out of memory for the validation of %zu surfaces", d->n);
    }
    for (size_t i = 0; i < d->n; i++) {
        cv->choice[i] = d->m;
        cv->regret[i] = NAN;
        if (!d->w || d->w[i] > 0) cv->groups[d->group[i]].is_used = true;
    }
    for (size_t g = 0; g < d->n_groups; g++) cv->n_used += cv->groups[g].is_used;
    return 0;
}

/* Groups are what is drawn, however few there are. */
static double mean_of(const size_t *rows, size_t n, void *values) { return metric_mean(values, rows, n); }
static int draw_groups(double interval[2], double *values, size_t n, const struct response_cv_options *o,
                       struct error *err)
{
    struct groups one = {.n = n, .n_groups = 1, .of = calloc(n + 1, sizeof(size_t))};
    if (!one.of) return error_set(err, ERR_MEMORY, "out of memory for the bootstrap");
    const struct bootstrap plan = {&one, o->replicates ? o->replicates : REPLICATES, 0.95, o->seed};
    const int failed = bootstrap_interval(&plan, mean_of, values, interval, err);
    free(one.of);
    return failed;
}

static size_t keep_used(double *values, size_t n)
{
    size_t kept = 0;
    for (size_t g = 0; g < n; g++)
        if (!isnan(values[g])) values[kept++] = values[g];
    return kept;
}

static int summarise(struct response_cv *cv, const struct outer *o, struct error *err)
{
    const struct response_data *d = o->data;
    const size_t G = d->n_groups;
    double *memory = calloc(3 * G + d->n, sizeof *memory), *own = memory, *all = own + G, *net = all + G,
           *row = net + G;
    if (!memory) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < d->n; i++) {
        const struct response_rule never = {0, INFINITY}; /* all warps */
        const size_t choice = response_choose(d->tuples, d->m, d->z + i * d->m, NULL, &never, d->W ? d->W[i] : 0);
        row[i] = response_regret(d->z + i * d->m, d->m, choice);
    }
    cv->mean = response_group_mean(d, cv->regret, own);
    cv->mean_all_warps = response_group_mean(d, row, all);
    cv->mean_net = o->by_net ? response_group_mean(d, o->by_net, net) : NAN;
    for (size_t g = 0; g < G; g++) {
        cv->groups[g].regret = own[g];
        cv->groups[g].regret_all_warps = all[g];
        cv->groups[g].regret_net = o->by_net ? net[g] : NAN;
    }
    cv->interval_net[0] = cv->interval_net[1] = NAN;
    int failed = draw_groups(cv->interval, own, keep_used(own, G), o->options, err);
    if (!failed && o->by_net) failed = draw_groups(cv->interval_net, net, keep_used(net, G), o->options, err);
    free(memory);
    return failed;
}

int response_validate(struct response_cv *out, const struct response_data *data,
                      const struct response_cv_options *options, struct error *err)
{
    memset(out, 0, sizeof *out);
    if (response_data_check(data, err) < 0 || cv_init(out, data, err) < 0) return -1;
    struct outer o = {data, options, out, options->distil ? calloc(data->n, sizeof(double)) : NULL};
    size_t first = SIZE_MAX; /* of the groups that failed: its error is told */
    int failed = 0;
    if (options->distil && !o.by_net) failed = error_set(err, ERR_MEMORY, "out of memory");
    if (out->n_used < 2)
        failed = error_set(err, ERR_INPUT, "%zu group with weight: two are needed to leave one out", out->n_used);
#pragma omp parallel for schedule(dynamic)
    for (size_t g = 0; g < (failed ? 0 : data->n_groups); g++) {
        struct error own = {0};
        if (!out->groups[g].is_used || leave_out(&o, g, &own) == 0) continue;
#pragma omp critical(response_leave_out_error)
        {
            if (g < first) *err = own, first = g;
        }
    }
    if (!failed) failed = first != SIZE_MAX ? -1 : summarise(out, &o, err);
    free(o.by_net);
    if (failed) response_cv_fini(out);
    return failed;
}
