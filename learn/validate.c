/* Cross-validation: each fold is predicted by a model that saw nothing of it; settings are chosen inside the
 * training part alone. */
#include "poise/validate.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GRID_MAX 4096
#define INNER_FOLDS 5

void cv_result_fini(struct cv_result *r)
{
    for (size_t f = 0; r->predictors && f < r->n_folds; f++) predictor_free(r->predictors[f]);
    free(r->predictors);
    free(r->chosen);
    free(r->predicted);
    memset(r, 0, sizeof *r);
}

static int result_init(struct cv_result *r, size_t n, size_t k, size_t folds, struct error *err)
{
    *r = (struct cv_result){.n = n,
                            .k = k,
                            .n_folds = folds,
                            .predicted = calloc(4 * n + 1, sizeof(double)),
                            .predictors = calloc(folds + 1, sizeof *r->predictors),
                            .chosen = calloc(folds + 1, sizeof *r->chosen)};
    if (!r->predicted || !r->predictors || !r->chosen) {
        cv_result_fini(r);
        return error_set(err, ERR_MEMORY, "out of memory for cross-validation of %zu rows", n);
    }
    r->low = r->predicted + n;
    r->high = r->low + n;
    r->pit = r->high + n;
    return 0;
}

static void row_of(const struct glm_data *data, size_t row, double *x)
{
    for (size_t j = 0; j < data->k; j++) x[j] = data->x[j * data->n + row];
}

/* The randomised probability integral transform: uniform when the distribution is right. Whole targets of a
 * continuous distribution stand for the interval of half a unit on either side. */
static double pit_of(const struct predictor *p, const double *x, double offset, double y, double u)
{
    const bool is_discrete = predictor_family(p)->is_discrete, is_whole = y == floor(y);
    const double half = is_discrete ? 0 : is_whole ? 0.5 : 0;
    const double top = predictor_cdf(p, x, offset, y + half);
    const double bottom = is_discrete || is_whole ? predictor_cdf(p, x, offset, is_discrete ? y - 1 : y - half) : top;
    return bottom + u * (top - bottom);
}

static size_t grid_size(const struct family_axis *axes, size_t n)
{
    size_t size = 1;
    for (size_t a = 0; a < n && size <= GRID_MAX; a++) size *= axes[a].n;
    return size;
}

static int grid_settings(struct family_settings *out, const struct family *family, const struct family_settings *base,
                         const struct family_axis *axes, size_t n_axes, size_t at, struct error *err)
{
    *out = *base;
    for (size_t a = 0; a < n_axes; a++) {
        if (family_set(family, out, axes[a].setting, axes[a].values[at % axes[a].n], err) < 0) return -1;
        at /= axes[a].n;
    }
    return 0;
}

int tune_settings(struct family_settings *settings, const struct family *family, const struct glm_data *data,
                  const struct groups *groups, const struct family_axis *axes, size_t n_axes, size_t n_folds,
                  enum loss_kind loss, uint64_t seed, struct error *err)
{
    struct folds folds;
    struct family_settings best = *settings, at;
    double best_loss = INFINITY;
    if (n_axes == 0 || groups->n_groups < 2) return 0;
    if (n_folds == 0) n_folds = INNER_FOLDS;
    if (n_folds > groups->n_groups) n_folds = groups->n_groups;
    const size_t size = grid_size(axes, n_axes);
    if (size > GRID_MAX)
        return error_set(err, ERR_INPUT, "the grid of %s has more than %d points", family->name, GRID_MAX);
    if (folds_of_groups(&folds, groups, n_folds, seed, err) < 0) return -1;
    int failed = 0;
    for (size_t g = 0; g < size && !failed; g++) {
        struct cv_result result;
        struct cv_options options = {.family = family, .loss = loss, .seed = seed};
        double sum = 0;
        failed = grid_settings(&at, family, settings, axes, n_axes, g, err);
        options.settings = at;
        if (!failed && params_find(family->settings, "residual_folds")) /* no distribution is needed here */
            failed = family_set(family, &options.settings, "residual_folds", "0", err);
        if (failed || (failed = cross_validate(&result, data, groups, &folds, &options, err))) break;
        for (size_t i = 0; i < data->n; i++)
            sum += (data->weight ? data->weight[i] : 1) * loss_of(loss, data->y[i], result.predicted[i]);
        if (sum < best_loss) best_loss = sum, best = at;
        cv_result_fini(&result);
    }
    folds_fini(&folds);
    if (!failed) *settings = best;
    return failed;
}

/* The rows a fold trains on: not its own, and for learning curves only some groups and a share of each. */
static size_t training_rows(const struct groups *groups, const struct folds *folds, size_t fold,
                            const struct cv_options *o, size_t *rows, size_t *order, bool *is_in)
{
    struct random random = {o->seed * 1000003 + fold};
    size_t n_groups = 0, n = 0;
    for (size_t g = 0; g < groups->n_groups; g++) is_in[g] = false;
    for (size_t i = 0; i < folds->n; i++) {
        const size_t g = groups->of[i];
        if (folds->of[i] != fold && !is_in[g]) is_in[g] = true, order[n_groups++] = g;
    }
    if (o->train_groups > 0 && o->train_groups < n_groups) {
        random_shuffle(&random, order, n_groups);
        for (size_t g = o->train_groups; g < n_groups; g++) is_in[order[g]] = false;
    }
    for (size_t i = 0; i < folds->n; i++)
        if (folds->of[i] != fold && is_in[groups->of[i]]) rows[n++] = i;
    if (!(o->train_fraction > 0 && o->train_fraction < 1)) return n;
    random_shuffle(&random, rows, n);
    const size_t kept = (size_t)(o->train_fraction * (double)n + 0.5);
    return kept < 1 ? 1 : kept;
}

static int train_fold(struct cv_result *r, const struct glm_data *data, const struct groups *groups,
                      const struct folds *folds, size_t fold, const struct cv_options *o, struct error *err)
{
    struct glm_subset part;
    size_t *rows = malloc((data->n + groups->n_groups + 1) * sizeof *rows), *order = rows + data->n;
    bool *is_in = malloc((groups->n_groups + 1) * sizeof *is_in);
    int failed = rows && is_in ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    const size_t n = failed ? 0 : training_rows(groups, folds, fold, o, rows, order, is_in);
    if (!failed && n == 0) failed = error_set(err, ERR_INPUT, "no row is left to train on");
    if (!failed) failed = glm_subset_init(&part, data, rows, n, NULL, 0, err);
    if (!failed) {
        r->chosen[fold] = o->settings;
        if (o->n_axes > 0) {
            struct groups inner = {.n = n, .of = malloc(n * sizeof *inner.of), .names = groups->names};
            size_t *number = order; /* group -> 1 + its number here */
            memset(number, 0, groups->n_groups * sizeof *number);
            if (!inner.of) failed = error_set(err, ERR_MEMORY, "out of memory");
            for (size_t i = 0; !failed && i < n; i++) {
                const size_t g = groups->of[rows[i]];
                if (number[g] == 0) number[g] = ++inner.n_groups;
                inner.of[i] = number[g] - 1;
            }
            if (!failed)
                failed = tune_settings(&r->chosen[fold], o->family, &part.data, &inner, o->axes, o->n_axes,
                                       o->inner_folds, o->loss, o->seed + 1, err);
            free(inner.of);
        }
        if (!failed) failed = predictor_fit(&r->predictors[fold], o->family, &part.data, &r->chosen[fold], err);
        glm_subset_fini(&part);
    }
    free(rows);
    free(is_in);
    return failed ? error_while(err, "without %s", folds->names[fold]) : 0;
}

int cross_validate(struct cv_result *out, const struct glm_data *data, const struct groups *groups,
                   const struct folds *folds, const struct cv_options *o, struct error *err)
{
    const double tail = (1 - (o->level > 0 ? o->level : 0.95)) / 2;
    struct random random = {o->seed ^ 0x5851f42d4c957f2du};
    if (result_init(out, data->n, data->k, folds->n_folds, err) < 0) return -1;
    double *x = malloc((data->k + 1) * sizeof *x);
    int failed = x ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t f = 0; f < folds->n_folds && !failed; f++) failed = train_fold(out, data, groups, folds, f, o, err);
    for (size_t i = 0; i < data->n && !failed; i++) {
        const struct predictor *p = out->predictors[folds->of[i]];
        const double offset = data->offset ? data->offset[i] : 0, u = random_uniform(&random);
        row_of(data, i, x);
        out->predicted[i] = predictor_predict(p, x, offset);
        out->low[i] = predictor_quantile(p, x, offset, tail);
        out->high[i] = predictor_quantile(p, x, offset, 1 - tail);
        out->pit[i] = pit_of(p, x, offset, data->y[i], u);
    }
    free(x);
    if (failed) cv_result_fini(out);
    return failed;
}

void cv_repredict(const struct cv_result *r, const struct folds *folds, const struct glm_data *altered,
                  double *predicted)
{
    double *x = malloc((altered->k + 1) * sizeof *x);
    for (size_t i = 0; i < altered->n; i++) {
        predicted[i] = NAN;
        if (!x) continue;
        row_of(altered, i, x);
        predicted[i] = predictor_predict(r->predictors[folds->of[i]], x, altered->offset ? altered->offset[i] : 0);
    }
    free(x);
}

/* Rows of positive weight in the smallest fold, which leaves one group out. */
static size_t fewest_rows(const struct glm_data *data, const struct groups *groups)
{
    size_t fewest = SIZE_MAX;
    for (size_t g = 0; g < groups->n_groups; g++) {
        size_t rows = 0;
        for (size_t i = 0; i < data->n; i++) rows += groups->of[i] != g && (!data->weight || data->weight[i] > 0);
        fewest = rows < fewest ? rows : fewest;
    }
    return fewest;
}

int penalty_choose(struct glm_penalty *penalty, enum glm_family family, double theta, const struct glm_data *data,
                   const struct groups *groups, struct error *err)
{
    static const struct family_axis grids[] = {
        {"penalty", 8, {"0", "0.01", "0.03", "0.1", "0.3", "1", "3", "10"}},
        {"penalty", 7, {"0.01", "0.03", "0.1", "0.3", "1", "3", "10"}}, /* folds that 0 is not defined for */
    };
    const struct family *model = family_find(glm_family_name(family));
    struct family_settings settings;
    if (groups->n_groups < 2) {
        error_set(err, ERR_INPUT, "all rows are of one group: a penalty cannot be chosen by leaving groups out");
        return error_at(err, NULL, 0, -1, "give the penalty as a number, such as ridge=0.1");
    }
    const struct family_axis *grid = &grids[fewest_rows(data, groups) < data->k];
    family_defaults(model, &settings);
    if (family_set_number(model, &settings, "mix", penalty->mix, err) < 0 ||
        (theta > 0 && family_set_number(model, &settings, "theta", theta, err) < 0))
        return -1;
    if (tune_settings(&settings, model, data, groups, grid, 1, groups->n_groups, LOSS_RELATIVE, 1, err) < 0) return -1;
    penalty->lambda = family_number(model, &settings, "penalty");
    return 0;
}
