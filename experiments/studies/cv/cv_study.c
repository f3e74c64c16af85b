/* What a model's figures owe to what: columns taken away, permuted or blurred, training rows left out, weights from
 * fold to fold, and whether its intervals hold. All on the spec's first model.
 * [THESIS §5.7.7, Fig. 5.14] */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "studies/cv/cv.h"

/* Columns of the reference that vary: the constant is never taken away. */
static size_t varying(const struct cv_data *data, size_t *out)
{
    size_t n = 0;
    for (size_t c = 0; c < data->n_columns; c++)
        if (!cv_is_constant(data, data->columns[c])) out[n++] = c;
    return n;
}

static json_t *figures(const struct cv_score *score)
{
    json_t *out = json_object();
    for (int m = 0; m < N_CV_METRICS; m++)
        json_object_set_new(out, cv_metric_names[m],
                            json_or_null(cv_metric_value(score, (enum cv_metric)m, NULL, score->m)));
    return out;
}

static double harmonic(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += 1 / values[i];
    return (double)n / sum;
}

/* Retrained without one column; as Fig. 5.14, without correction: slowdown = 1 - HM(speedup without) / HM(speedup
 * with). */
static int cv_study_ablation(const struct cv_spec *spec, const struct cv_data *data, const struct cv_score *reference,
                             json_t **out, struct error *err)
{
    size_t which[CV_COLUMNS_MAX], n = varying(data, which), columns[CV_COLUMNS_MAX];
    const enum cv_metric metric = cv_deciding(reference);
    double *losses = calloc(2 * reference->m + 1, sizeof *losses);
    int failed = losses ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    *out = json_array();
    if (!failed) cv_losses(reference, metric, losses);
    for (size_t w = 0; w < n && !failed; w++) {
        struct cv_score score;
        struct paired paired;
        size_t k = 0;
        for (size_t c = 0; c < data->n_columns; c++)
            if (c != which[w]) columns[k++] = data->columns[c];
        const struct cv_task task = {.model = &spec->models[0], .columns = columns, .k = k};
        if (k == 0 || (failed = cv_score_init(&score, data, &spec->params, &task, err))) break;
        const struct bootstrap plan = {&score.groups, spec->params.bootstrap, spec->params.level, spec->params.seed};
        cv_losses(&score, metric, losses + reference->m);
        failed = paired_compare(&paired, losses + reference->m, losses, &plan, err);
        json_t *row = figures(&score);
        json_object_set_new(row, "dropped", json_string(data->set.data.names[data->columns[which[w]]]));
        json_object_set_new(row, "metric", json_string(cv_metric_names[metric]));
        json_object_set_new(row, "difference", json_or_null(paired.difference));
        json_object_set_new(row, "low", json_or_null(paired.low));
        json_object_set_new(row, "high", json_or_null(paired.high));
        json_object_set_new(row, "p", json_or_null(paired.p));
        json_object_set_new(row, "p_groups", json_or_null(paired.p_groups));
        json_object_set_new(row, "slowdown",
                            score.speedup ? json_or_null(1 - harmonic(score.speedup, score.m) /
                                                                 harmonic(reference->speedup, reference->m))
                                          : json_null());
        json_array_append_new(*out, row);
        cv_score_fini(&score);
    }
    free(losses);
    return failed;
}

/* The reference's columns as a copy that may be altered; column c starts at values + c * n. */
static int altered_columns(struct glm_subset *part, const struct cv_data *data, struct error *err)
{
    return glm_subset_init(part, &data->set.data, NULL, 0, data->columns, data->n_columns, err);
}

/* Increase of the figures when a column's values are dealt to other rows: what held-out predictions owe to it,
 * without retraining. */
static int study_importance(const struct cv_spec *spec, const struct cv_data *data, const struct cv_score *reference,
                            json_t **out, struct error *err)
{
    size_t which[CV_COLUMNS_MAX], n = varying(data, which), *order = malloc((data->n + 1) * sizeof *order);
    struct random random = {spec->params.seed};
    int failed = order ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    *out = json_array();
    for (size_t w = 0; w < n && !failed; w++) {
        double sums[N_CV_METRICS] = {0};
        for (uint32_t time = 0; time < spec->params.permutations && !failed; time++) {
            struct glm_subset part;
            struct cv_score score;
            if ((failed = altered_columns(&part, data, err))) break;
            const double *from = data->set.data.x + data->columns[which[w]] * data->n;
            for (size_t i = 0; i < data->n; i++) order[i] = i;
            random_shuffle(&random, order, data->n);
            for (size_t i = 0; i < data->n; i++) part.memory[which[w] * data->n + i] = from[order[i]];
            failed = cv_score_again(&score, reference, &spec->params, &part.data, err);
            for (int m = 0; m < N_CV_METRICS && !failed; m++)
                sums[m] += cv_metric_value(&score, (enum cv_metric)m, NULL, score.m) -
                           cv_metric_value(reference, (enum cv_metric)m, NULL, reference->m);
            if (!failed) cv_score_fini(&score);
            glm_subset_fini(&part);
        }
        json_t *row = json_pack("{s:s}", "feature", data->set.data.names[data->columns[which[w]]]);
        for (int m = 0; m < N_CV_METRICS; m++)
            json_object_set_new(row, cv_metric_names[m], json_or_null(sums[m] / spec->params.permutations));
        json_array_append_new(*out, row);
    }
    free(order);
    return failed;
}

/* Fewer training rows; fewer training groups. A size at which the model cannot be fitted is reported as such. */
static int study_learning_curve(const struct cv_spec *spec, const struct cv_data *data, json_t **out, struct error *err)
{
    static const double fractions[] = {0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    const size_t most = data->groups.n_groups - 1, n = COUNT_OF(fractions) + (most > 1 ? most - 1 : 0);
    *out = json_array();
    for (size_t i = 0; i < n; i++) {
        struct cv_score score;
        struct error why = {0};
        struct cv_task task = {.model = &spec->models[0], .columns = data->columns, .k = data->n_columns};
        if (i < COUNT_OF(fractions)) task.train_fraction = fractions[i];
        else task.train_groups = i - COUNT_OF(fractions) + 1;
        json_t *row;
        if (cv_score_init(&score, data, &spec->params, &task, &why) < 0) {
            if (why.code == ERR_MEMORY) return *err = why, -1;
            row = json_pack("{s:s}", "failed", why.text);
        } else {
            row = figures(&score);
            cv_score_fini(&score);
        }
        json_object_set_new(row, "train_fraction", json_or_null(task.train_fraction > 0 ? task.train_fraction : 1));
        json_object_set_new(row, "train_groups",
                            json_integer((json_int_t)(task.train_groups ? task.train_groups : most)));
        json_array_append_new(*out, row);
    }
    return 0;
}

/* Counters read in a short window are noisy: every feature times 1 + sigma g when predicting, the training data as
 * they are. */
static int study_noise(const struct cv_spec *spec, const struct cv_data *data, const struct cv_score *reference,
                       json_t **out, struct error *err)
{
    static const double sigmas[] = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
    size_t which[CV_COLUMNS_MAX], n = varying(data, which);
    int failed = 0;
    *out = json_array();
    for (size_t s = 0; s < COUNT_OF(sigmas) && !failed; s++) {
        double sums[N_CV_METRICS] = {0};
        struct random random = {spec->params.seed + s};
        const uint32_t times = s == 0 ? 1 : spec->params.permutations;
        for (uint32_t time = 0; time < times && !failed; time++) {
            struct glm_subset part;
            struct cv_score score;
            if ((failed = altered_columns(&part, data, err))) break;
            for (size_t w = 0; w < n; w++)
                for (size_t i = 0; i < data->n; i++)
                    part.memory[which[w] * data->n + i] *= 1 + sigmas[s] * random_normal(&random);
            failed = cv_score_again(&score, reference, &spec->params, &part.data, err);
            for (int m = 0; m < N_CV_METRICS && !failed; m++)
                sums[m] += cv_metric_value(&score, (enum cv_metric)m, NULL, score.m);
            if (!failed) cv_score_fini(&score);
            glm_subset_fini(&part);
        }
        json_t *row = json_pack("{s:f}", "sigma", sigmas[s]);
        for (int m = 0; m < N_CV_METRICS; m++)
            json_object_set_new(row, cv_metric_names[m], json_or_null(sums[m] / times));
        json_array_append_new(*out, row);
    }
    return failed;
}

/* The weights of each fold's model: a weight that changes its sign from fold to fold says nothing. */
static int study_stability(const struct cv_spec *spec, const struct cv_data *data, const struct cv_score *reference,
                           json_t **out, struct error *err)
{
    (void)err;
    *out = json_array();
    for (size_t t = 0; t < data->n_targets; t++)
        for (size_t c = 0; c < data->n_columns; c++) {
            double sum = 0, squares = 0, low = INFINITY, high = -INFINITY;
            size_t n = 0, positive = 0;
            for (size_t r = 0; r < reference->repeats; r++)
                for (size_t f = 0; f < reference->results[t][r].n_folds; f++) {
                    const double *w = predictor_weights(reference->results[t][r].predictors[f]);
                    if (!w) return 0; /* no weights: an empty list */
                    n++, sum += w[c], squares += w[c] * w[c], positive += w[c] > 0;
                    low = fmin(low, w[c]), high = fmax(high, w[c]);
                }
            const double mean = sum / (double)n, share = (double)positive / (double)n;
            json_array_append_new(
                *out,
                json_pack(
                    "{s:s,s:s,s:f,s:o,s:f,s:f,s:f,s:I}", "target", spec->targets[t], "feature",
                    data->set.data.names[data->columns[c]], "mean", mean, "sd",
                    json_or_null(n > 1 ? sqrt(fmax(0, (squares - (double)n * mean * mean) / (double)(n - 1))) : NAN),
                    "low", low, "high", high, "sign_agreement", fmax(share, 1 - share), "fits", (json_int_t)n));
        }
    return 0;
}

/* Do the intervals cover what they say, and is the probability of the target uniform? */
static int study_calibration(const struct cv_spec *spec, const struct cv_data *data, const struct cv_score *reference,
                             json_t **out, struct error *err)
{
    enum { BINS = 10 };
    (void)err;
    *out = json_array();
    for (size_t t = 0; t < data->n_targets; t++) {
        size_t bins[BINS] = {0}, covered = 0;
        double width = 0, farthest = 0, seen = 0;
        json_t *histogram = json_array();
        for (size_t i = 0; i < reference->m; i++) {
            const double pit = fmin(fmax(reference->pit[t][i], 0), 1 - 1e-12);
            bins[(size_t)(pit * BINS)]++;
            covered += reference->low[t][i] <= reference->y[t][i] && reference->y[t][i] <= reference->high[t][i];
            width += reference->high[t][i] - reference->low[t][i];
        }
        for (size_t b = 0; b < BINS; b++) {
            seen += (double)bins[b] / (double)reference->m;
            farthest = fmax(farthest, fabs(seen - (double)(b + 1) / BINS));
            json_array_append_new(histogram, json_integer((json_int_t)bins[b]));
        }
        json_array_append_new(*out, json_pack("{s:s,s:f,s:f,s:f,s:o,s:f}", "target", spec->targets[t], "level",
                                              spec->params.level, "coverage", (double)covered / (double)reference->m,
                                              "mean_width", width / (double)reference->m, "pit_histogram", histogram,
                                              "pit_distance", farthest));
    }
    return 0;
}

int cv_study(enum cv_study study, const struct cv_spec *spec, const struct cv_data *data,
             const struct cv_score *reference, json_t **out, struct error *err)
{
    *out = NULL;
    switch (study) {
    case CV_STUDY_ablation: return cv_study_ablation(spec, data, reference, out, err);
    case CV_STUDY_importance: return study_importance(spec, data, reference, out, err);
    case CV_STUDY_learning_curve: return study_learning_curve(spec, data, out, err);
    case CV_STUDY_noise: return study_noise(spec, data, reference, out, err);
    case CV_STUDY_stability: return study_stability(spec, data, reference, out, err);
    case CV_STUDY_selection: return cv_study_selection(spec, data, out, err);
    case CV_STUDY_lasso: return cv_study_lasso(spec, data, out, err);
    case CV_STUDY_calibration: return study_calibration(spec, data, reference, out, err);
    default: return error_set(err, ERR_USAGE, "no such study");
    }
}
