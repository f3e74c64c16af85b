/* Which settings a correction takes, and what its choices bring on groups that were left out. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/correction.h"
#include "poise/validate.h"

enum { INNER_FOLDS = 4, N_LAMBDAS = 3 };
static const double lambdas[N_LAMBDAS] = {30, 300, 3000};

/* Rows of some launches. Launches keep their numbers. */
struct part {
    struct correction_data data;
    double *x, *y;
    size_t *launch;
    bool *is_all;
};
static void part_fini(struct part *p)
{
    free(p->x);
    free(p->y);
    free(p->launch);
    free(p->is_all);
}

static int part_init(struct part *p, const struct correction_data *d, const bool *takes, struct error *err)
{
    *p = (struct part){.data = *d,
                       .x = malloc((d->n * d->k + 1) * sizeof *p->x),
                       .y = malloc((d->n + 1) * sizeof *p->y),
                       .launch = malloc((d->n + 1) * sizeof *p->launch),
                       .is_all = malloc((d->n + 1) * sizeof *p->is_all)};
    if (!p->x || !p->y || !p->launch || !p->is_all) {
        part_fini(p);
        return error_set(err, ERR_MEMORY, "out of memory for %zu rows", d->n);
    }
    p->data.x = p->x, p->data.y = p->y, p->data.launch = p->launch, p->data.is_all = p->is_all;
    p->data.n = 0;
    for (size_t i = 0; i < d->n; i++) {
        if (!takes[d->launch[i]]) continue;
        memcpy(p->x + p->data.n * d->k, d->x + i * d->k, d->k * sizeof *p->x);
        p->y[p->data.n] = d->y[i];
        p->launch[p->data.n] = d->launch[i];
        p->is_all[p->data.n++] = d->is_all[i];
    }
    return 0;
}

/* What the parts of a correction say of every row: of each penalty, and of the trees. */
struct views {
    double *line[N_LAMBDAS], *trees;
};
static void views_fini(struct views *v)
{
    for (size_t l = 0; l < N_LAMBDAS; l++) free(v->line[l]);
    free(v->trees);
}
static int views_init(struct views *v, size_t n, struct error *err)
{
    bool has = true;
    for (size_t l = 0; l < N_LAMBDAS; l++) has &= (v->line[l] = calloc(n + 1, sizeof(double))) != NULL;
    has &= (v->trees = calloc(n + 1, sizeof(double))) != NULL;
    return has ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu rows", n);
}

/* Fits to the launches of `learns`, and says what it thinks of those of `asks`. */
static int view(struct views *v, const struct correction_data *d, const bool *learns, const bool *asks,
                struct error *err)
{
    struct part p;
    if (part_init(&p, d, learns, err) < 0) return -1;
    int failed = 0;
    for (size_t l = 0; l < N_LAMBDAS && !failed; l++) {
        struct correction c;
        struct correction_settings s = correction_defaults;
        s.lambda = lambdas[l], s.share = 0;
        if (l) s.trees = 0; /* the same ones */
        failed = correction_fit(&c, &p.data, &s, err);
        for (size_t i = 0; i < d->n && !failed; i++) {
            if (!asks[d->launch[i]]) continue;
            c.settings.share = 0;
            v->line[l][i] = correction_predict(&c, d->x + i * d->k);
            c.settings.share = 1;
            if (l == 0) v->trees[i] = correction_predict(&c, d->x + i * d->k);
        }
        if (!failed) correction_fini(&c);
    }
    part_fini(&p);
    return failed;
}

static double value_of(const struct views *v, const struct correction_settings *s, size_t i)
{
    size_t l = 0;
    while (l + 1 < N_LAMBDAS && lambdas[l] != s->lambda) l++;
    return (1 - s->share) * v->line[l][i] + s->share * v->trees[i];
}

/* The rows of a launch. */
static size_t first_row(const struct correction_data *d, size_t launch)
{
    size_t i = 0;
    while (i < d->n && d->launch[i] < launch) i++;
    return i;
}
static size_t rows_of(const struct correction_data *d, size_t launch, size_t first)
{
    size_t n = 0;
    while (first + n < d->n && d->launch[first + n] == launch) n++;
    return n;
}

static size_t choose(const struct correction_data *d, const double *values, size_t launch, double margin)
{
    const size_t first = first_row(d, launch), n = rows_of(d, launch, first);
    size_t all = n - 1;
    for (size_t i = 0; i < n; i++)
        if (d->is_all[first + i]) all = i;
    return first + correction_choose(values + first, n, all, margin);
}

static double best_of(const struct correction_data *d, size_t launch)
{
    const size_t first = first_row(d, launch), n = rows_of(d, launch, first);
    double best = -INFINITY;
    for (size_t i = first; i < first + n; i++) best = fmax(best, d->y[i]);
    return best;
}

/* The mean over groups of the mean regret of their launches. */
static double group_regret(const struct correction_data *d, const size_t *chosen, const bool *takes)
{
    double sum = 0;
    size_t groups = 0;
    for (size_t g = 0; g < d->n_groups; g++) {
        double own = 0;
        size_t n = 0;
        for (size_t l = 0; l < d->n_launches; l++)
            if (d->group[l] == g && takes[l]) own += best_of(d, l) - d->y[chosen[l]], n++;
        if (n) sum += own / (double)n, groups++;
    }
    return groups ? sum / (double)groups : 0;
}

/* How far values are off at the tuples that they choose: the median over groups of the mean over their launches. No
 * gain that is smaller tells a tuple from all warps. */
static int error_of(double *out, const struct correction_data *d, const double *values, const bool *takes,
                    struct error *err)
{
    double *errors = calloc(d->n_groups + 1, sizeof *errors);
    size_t groups = 0;
    if (!errors) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t g = 0; g < d->n_groups; g++) {
        double own = 0;
        size_t n = 0;
        for (size_t l = 0; l < d->n_launches; l++) {
            if (d->group[l] != g || !takes[l]) continue;
            const size_t i = choose(d, values, l, 0);
            if (!d->is_all[i]) own += fabs(values[i] - d->y[i]), n++;
        }
        if (n) errors[groups++] = own / (double)n;
    }
    gsl_sort(errors, 1, groups);
    *out = groups ? gsl_stats_median_from_sorted_data(errors, 1, groups) : 0;
    free(errors);
    return 0;
}

/* The penalty with the least regret on launches that views have not learned from, of equals the first; and their error
 * there as the margin. The share of the trees is not chosen: with so few families a choice by regret is mostly noise.
 * Nor is the margin, by which regret hardly changes: it is there to do no harm. */
static int choose_settings(struct correction_settings *out, const struct correction_data *d, const struct views *v,
                           const bool *takes, double *values, size_t *chosen, struct error *err)
{
    double least = INFINITY;
    *out = correction_defaults;
    for (size_t a = 0; a < N_LAMBDAS; a++) {
        struct correction_settings s = correction_defaults;
        s.lambda = lambdas[a];
        for (size_t i = 0; i < d->n; i++) values[i] = value_of(v, &s, i);
        for (size_t l = 0; l < d->n_launches; l++)
            if (takes[l]) chosen[l] = choose(d, values, l, 0);
        const double regret = group_regret(d, chosen, takes);
        if (error_of(&s.margin, d, values, takes, err) < 0) return -1;
        if (regret < least - 1e-12) least = regret, *out = s;
    }
    return 0;
}

/* Settings for the launches of `takes`: their groups are dealt to folds, each left out in turn. */
static int tune(struct correction_settings *out, const struct correction_data *d, const bool *takes, struct error *err)
{
    struct views v = {0};
    bool *learns = calloc(2 * d->n_launches + 1, sizeof *learns), *asks = learns + d->n_launches;
    double *values = calloc(d->n + 1, sizeof *values);
    size_t *chosen = calloc(d->n_launches + 1, sizeof *chosen), *fold = calloc(d->n_groups + 1, sizeof *fold), next = 0;
    int failed =
        learns && values && chosen && fold ? views_init(&v, d->n, err) : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t g = 0; g < d->n_groups && !failed; g++) {
        bool has = false;
        for (size_t l = 0; l < d->n_launches; l++) has |= takes[l] && d->group[l] == g;
        if (has) fold[g] = next++ % INNER_FOLDS;
    }
    for (size_t f = 0; f < INNER_FOLDS && !failed; f++) {
        for (size_t l = 0; l < d->n_launches; l++) {
            asks[l] = takes[l] && fold[d->group[l]] == f;
            learns[l] = takes[l] && !asks[l];
        }
        failed = view(&v, d, learns, asks, err);
    }
    if (!failed) failed = choose_settings(out, d, &v, takes, values, chosen, err);
    views_fini(&v);
    free(learns);
    free(values);
    free(chosen);
    free(fold);
    return failed;
}

static struct correction_score score(const struct correction_data *d, const size_t *chosen)
{
    struct correction_score s = {.worst = INFINITY};
    bool *all = calloc(d->n_launches + 1, sizeof *all);
    double slow = 0, least = 0;
    for (size_t l = 0; l < d->n_launches; l++) {
        const double speedup = exp(d->y[chosen[l]]);
        if (all) all[l] = true;
        slow += 1 / speedup, least += exp(-best_of(d, l));
        s.worst = fmin(s.worst, speedup);
        s.n_below += speedup < 0.98;
    }
    s.harmonic = (double)d->n_launches / slow, s.best = (double)d->n_launches / least;
    s.part = (s.harmonic - 1) / (s.best - 1), s.log_part = log(s.harmonic) / log(s.best);
    if (all) s.regret = group_regret(d, chosen, all);
    free(all);
    return s;
}

static void plain_values(double *values, const struct correction_data *d)
{
    for (size_t i = 0; i < d->n; i++) values[i] = d->x[i * d->k + d->base];
}

/* The margin of the model's own values, from launches of `takes`. */
static int plain_error(double *out, const struct correction_data *d, const bool *takes, struct error *err)
{
    double *values = calloc(d->n + 1, sizeof *values);
    if (!values) return error_set(err, ERR_MEMORY, "out of memory");
    plain_values(values, d);
    const int failed = error_of(out, d, values, takes, err);
    free(values);
    return failed;
}

/* One group left out: settings from the others, a fit to them, and choices on it; and of the model's own values their
 * margin. */
static int leave_out(struct correction_validation *out, double *values, double *margin, const struct correction_data *d,
                     size_t group, struct error *err)
{
    struct correction_settings s;
    struct correction c = {0};
    struct part p;
    double plain = 0;
    bool *learns = calloc(d->n_launches + 1, sizeof *learns);
    if (!learns) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t l = 0; l < d->n_launches; l++) learns[l] = d->group[l] != group;
    int failed = tune(&s, d, learns, err);
    if (!failed) failed = part_init(&p, d, learns, err);
    if (!failed) {
        failed = correction_fit(&c, &p.data, &s, err);
        part_fini(&p);
    }
    for (size_t i = 0; i < d->n && !failed; i++)
        if (!learns[d->launch[i]]) values[i] = correction_predict(&c, d->x + i * d->k);
    if (!failed) failed = plain_error(&plain, d, learns, err);
    for (size_t l = 0; l < d->n_launches && !failed; l++)
        if (!learns[l]) out->chosen[l] = choose(d, values, l, s.margin), margin[l] = plain;
    correction_fini(&c);
    free(learns);
    return failed;
}

void correction_validation_fini(struct correction_validation *v) { free(v->chosen), v->chosen = NULL; }

/* The model's own values, with margins or without. */
static struct correction_score score_plain(const struct correction_data *d, const double *margin, double *values,
                                           size_t *chosen)
{
    plain_values(values, d);
    for (size_t l = 0; l < d->n_launches; l++) chosen[l] = choose(d, values, l, margin ? margin[l] : 0);
    return score(d, chosen);
}

int correction_validate(struct correction_validation *out, const struct correction_data *d, struct error *err)
{
    *out = (struct correction_validation){.chosen = calloc(d->n_launches + 1, sizeof *out->chosen)};
    size_t *chosen = calloc(d->n_launches + 1, sizeof *chosen);
    double *values = calloc(d->n + d->n_launches + 1, sizeof *values), *margin = values + d->n, sum = 0;
    bool *all = calloc(d->n_launches + 1, sizeof *all);
    int failed = out->chosen && chosen && values && all ? 0 : error_set(err, ERR_MEMORY, "out of memory");
#pragma omp parallel for schedule(dynamic)
    for (size_t g = 0; g < d->n_groups; g++) {
        struct error own = {0};
        if (!failed && leave_out(out, values, margin, d, g, &own) < 0) {
#pragma omp critical(correction_error)
            {
                if (!failed) *err = own;
                failed = -1;
            }
        }
    }
    for (size_t l = 0; l < d->n_launches && !failed; l++) {
        const double off = values[out->chosen[l]] - d->y[out->chosen[l]];
        sum += off * off;
    }
    if (!failed) {
        out->spread = sqrt(sum / (double)d->n_launches);
        out->corrected = score(d, out->chosen);
        out->with_margin = score_plain(d, margin, values, chosen);
        out->plain = score_plain(d, NULL, values, chosen);
        for (size_t l = 0; l < d->n_launches; l++) all[l] = true;
        failed = plain_error(&out->plain_margin, d, all, err);
    }
    free(all);
    free(chosen);
    free(values);
    if (failed) correction_validation_fini(out);
    return failed;
}

int correction_train(struct correction *out, const struct correction_data *d, struct error *err)
{
    struct correction_settings s;
    bool *all = calloc(d->n_launches + 1, sizeof *all);
    if (!all) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t l = 0; l < d->n_launches; l++) all[l] = true;
    int failed = tune(&s, d, all, err);
    if (!failed) failed = correction_fit(out, d, &s, err);
    free(all);
    return failed;
}
