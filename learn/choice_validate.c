/* What learners of a choice gain on groups that they saw nothing of, beside the best single policy (poise/choice.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/choice.h"
#include "response_parts.h"

enum { REPLICATES = 2000 };
#define WORSE 0.02

/* ---- scores of choices ---- */

size_t choice_single(const struct response_data *d)
{
    size_t best = d->m - 1;
    double most = 0;
    double *values = calloc(d->n + 1, sizeof *values);
    for (size_t j = 0; values && j < d->m; j++) {
        for (size_t i = 0; i < d->n; i++) values[i] = d->z[i * d->m + j];
        const double mean = response_group_mean(d, values, NULL);
        if (mean > most) most = mean, best = j;
    }
    free(values);
    return best;
}

/* The policy that is the best one of most groups' rows, each group one vote; of equals the first. */
static size_t most_frequent(const struct response_data *d, size_t without)
{
    double votes[RESPONSE_POINTS_MAX] = {0};
    size_t best = 0;
    for (size_t i = 0; i < d->n; i++) {
        size_t own = d->m - 1, size = 0;
        if (d->group[i] == without) continue;
        for (size_t j = 0; j < d->m; j++)
            if (d->z[i * d->m + j] > d->z[i * d->m + own]) own = j;
        for (size_t k = 0; k < d->n; k++) size += d->group[k] == d->group[i];
        votes[own] += 1 / (double)size;
    }
    for (size_t j = 0; j < d->m; j++)
        if (votes[j] > votes[best] + 1e-9) best = j;
    return best;
}

/* Mean gains of each group by a choice, and by the one that it is compared with. */
struct compared {
    const double *own, *other, *best;
};
static double closed_of(const size_t *rows, size_t n, void *context)
{
    const struct compared *c = context;
    double own = 0, other = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t g = rows ? rows[i] : i;
        own += c->best[g] - c->own[g], other += c->best[g] - c->other[g];
    }
    return other > 0 ? 1 - own / other : 0;
}
static double over_of(const size_t *rows, size_t n, void *context)
{
    const struct compared *c = context;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += c->own[rows ? rows[i] : i] - c->other[rows ? rows[i] : i];
    return sum / (double)n;
}

static double gain_of(const struct response_data *d, const size_t *choice, size_t row)
{
    return choice[row] < d->m ? d->z[row * d->m + choice[row]] : 0;
}
static double best_of(const struct response_data *d, size_t row)
{
    double most = 0;
    for (size_t j = 0; j < d->m; j++) most = fmax(most, d->z[row * d->m + j]);
    return most;
}

static int compare(struct choice_score *out, const struct response_data *d, const size_t *choice, const size_t *other,
                   double *by_group, uint64_t seed, struct error *err)
{
    const size_t n = d->n_groups;
    double *memory = calloc(3 * n + 3 * d->n + 1, sizeof *memory), *rows = memory + 3 * n;
    struct groups one = {.n = n, .n_groups = 1, .of = calloc(n + 1, sizeof(size_t))};
    const struct bootstrap plan = {&one, REPLICATES, 0.95, seed};
    int failed = memory && one.of ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    struct compared c = {memory, memory + n, memory + 2 * n};
    for (size_t i = 0; i < d->n && !failed; i++) {
        rows[i] = gain_of(d, choice, i), rows[d->n + i] = gain_of(d, other, i);
        rows[2 * d->n + i] = best_of(d, i);
    }
    if (!failed) {
        out->gain = response_group_mean(d, rows, memory);
        response_group_mean(d, rows + d->n, memory + n);
        out->regret = response_group_mean(d, rows + 2 * d->n, memory + 2 * n) - out->gain;
        out->closed = closed_of(NULL, n, &c), out->over = over_of(NULL, n, &c);
        for (size_t g = 0; g < n; g++) {
            out->n_worse += c.own[g] < c.other[g] - WORSE;
            if (by_group) by_group[g] = c.best[g] - c.own[g];
        }
        failed = bootstrap_interval(&plan, closed_of, &c, out->interval, err);
    }
    if (!failed) failed = bootstrap_interval(&plan, over_of, &c, out->over_interval, err);
    free(one.of);
    free(memory);
    return failed;
}

int choice_score(struct choice_score *out, const struct response_data *d, const size_t *choice, size_t single,
                 uint64_t seed, struct error *err)
{
    size_t *other = calloc(d->n + 1, sizeof *other);
    if (!other) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < d->n; i++) other[i] = single;
    *out = (struct choice_score){.learner = "", .columns = ""};
    const int failed = compare(out, d, choice, other, NULL, seed, err);
    free(other);
    return failed;
}

/* ---- learners ---- */

struct learner {
    const char *name;
    const struct response_family *family;
    const char *set[4][2];
    const struct family_axis *axes;
    size_t n_axes;
};
static const struct family_axis depths[] = {{"depth", 4, {"0", "1", "2", "4"}}};
static const struct learner learners[] = {
    {"one threshold", &response_policy, {{"depth", "1"}}, NULL, 0},
    {"policy tree", &response_policy, {{NULL}}, depths, 1},
    {"policy trees", &response_policy, {{"trees", "48"}, {"depth", "4"}, {"columns", "0.34"}}, NULL, 0},
    {"forest", &response_forest, {{"trees", "100"}}, NULL, 0},
    {"ridge", &response_ridge, {{NULL}}, NULL, 0},
    {"gp", &response_gp, {{NULL}}, NULL, 0},
};
enum { N_LEARNERS = sizeof learners / sizeof learners[0], N_FIXED = 2, INNER_FOLDS = 5 };

/* The rows with some of the columns. */
static int take_columns(struct response_data *out, double **x, const char ***names, const struct response_data *d,
                        const struct choice_columns *set, struct error *err)
{
    *x = malloc((d->n * set->n + 1) * sizeof **x);
    *names = malloc((set->n + 1) * sizeof **names);
    if (!*x || !*names) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", d->n);
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < set->n; j++) (*x)[i * set->n + j] = d->x[i * d->k + set->columns[j]];
    for (size_t j = 0; j < set->n; j++) (*names)[j] = d->names[set->columns[j]];
    *out = *d;
    out->k = set->n, out->x = *x, out->names = *names;
    return 0;
}

static int judge(struct choice_validation *v, const struct response_data *d, const struct choice_columns *set,
                 const struct learner *l, const size_t *single, uint64_t seed, struct error *err)
{
    struct response_cv cv = {0};
    struct response_data own;
    struct response_cv_options o = {
        .family = l->family, .axes = l->axes, .n_axes = l->n_axes, .inner_folds = INNER_FOLDS, .seed = seed};
    struct choice_score *score = &v->scores[v->n];
    double *x = NULL;
    const char **names = NULL;
    response_defaults(l->family, &o.settings);
    int failed = take_columns(&own, &x, &names, d, set, err);
    for (size_t i = 0; i < COUNT_OF(l->set) && l->set[i][0] && !failed; i++)
        failed = response_set(l->family, &o.settings, l->set[i][0], l->set[i][1], err);
    if (!failed) failed = response_validate(&cv, &own, &o, err);
    if (!failed) {
        *score = (struct choice_score){.learner = l->name, .columns = set->name};
        failed = compare(score, d, cv.choice, single, v->by_group + v->n++ * d->n_groups, seed, err);
        response_cv_fini(&cv);
    }
    free(x);
    free(names);
    return failed ? error_while(err, "%s", l->name) : 0;
}

/* Of each row the policy that is best, or most often best, of the other groups. */
static int judge_fixed(struct choice_validation *v, const struct response_data *d, size_t *single, uint64_t seed,
                       struct error *err)
{
    size_t *vote = calloc(d->n + 1, sizeof *vote), *rows = calloc(d->n + 1, sizeof *rows);
    int failed = vote && rows ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t g = 0; g < d->n_groups && !failed; g++) {
        struct response_subset part;
        size_t n = 0;
        for (size_t i = 0; i < d->n; i++)
            if (d->group[i] != g) rows[n++] = i;
        failed = response_subset_init(&part, d, rows, n, err);
        const size_t best = failed ? 0 : choice_single(&part.data), frequent = failed ? 0 : most_frequent(d, g);
        for (size_t i = 0; i < d->n; i++)
            if (d->group[i] == g) single[i] = best, vote[i] = frequent;
        response_subset_fini(&part);
    }
    static const char *const names[N_FIXED] = {"best single", "most often best"};
    for (size_t f = 0; f < N_FIXED && !failed; f++) {
        v->scores[v->n] = (struct choice_score){.learner = names[f], .columns = ""};
        failed = compare(&v->scores[v->n], d, f ? vote : single, single, v->by_group + v->n * d->n_groups, seed, err);
        v->n++;
    }
    free(vote);
    free(rows);
    return failed;
}

void choice_validation_fini(struct choice_validation *v)
{
    free(v->scores);
    free(v->by_group);
    memset(v, 0, sizeof *v);
}

int choice_validate(struct choice_validation *out, const struct response_data *d, const struct choice_columns *sets,
                    size_t n_sets, uint64_t seed, struct error *err)
{
    const size_t n = N_FIXED + N_LEARNERS * n_sets;
    size_t *single = calloc(d->n + 1, sizeof *single);
    double *best = calloc(d->n + 1, sizeof *best);
    *out = (struct choice_validation){.scores = calloc(n, sizeof *out->scores),
                                      .by_group = calloc(n * d->n_groups + 1, sizeof *out->by_group),
                                      .n_groups = d->n_groups};
    int failed = out->scores && out->by_group && single && best ? response_data_check(d, err)
                                                                : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed && d->n_groups < 3)
        failed = error_set(err, ERR_INPUT, "%zu families: three are needed, to leave one out and choose by the others",
                           d->n_groups);
    if (!failed) {
        for (size_t i = 0; i < d->n; i++) best[i] = best_of(d, i);
        out->oracle = response_group_mean(d, best, NULL);
        out->single = choice_single(d);
        failed = judge_fixed(out, d, single, seed, err);
    }
    for (size_t s = 0; s < n_sets; s++)
        for (size_t l = 0; l < N_LEARNERS && !failed; l++)
            failed = judge(out, d, &sets[s], &learners[l], single, seed, err);
    free(single);
    free(best);
    if (failed) choice_validation_fini(out);
    return failed;
}
