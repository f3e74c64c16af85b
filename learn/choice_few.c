/* Trials of a few policies: which to try, what they cost, and a model that compares them (poise/choice.h). */
#include <math.h>
#include <stdlib.h>
#include "choice_parts.h"

const double choice_lengths[CHOICE_LENGTHS] = {1e6, 3e6, 1e7, 3e7};

int choice_shortlist(size_t *out, size_t n, const struct response_data *d, struct error *err)
{
    double *best = calloc(2 * d->n + 1, sizeof *best), *with = best + d->n;
    bool is_in[RESPONSE_POINTS_MAX] = {false};
    if (!best) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", d->n);
    for (size_t i = 0; i < d->n; i++) best[i] = -INFINITY;
    for (size_t s = 0; s < n; s++) {
        double most = -INFINITY;
        for (size_t j = d->m; j-- > 0;) { /* of equals the first, but the baseline before all */
            if (is_in[j]) continue;
            for (size_t i = 0; i < d->n; i++) with[i] = fmax(best[i], d->z[i * d->m + j]);
            const double mean = response_group_mean(d, with, NULL);
            if (mean > most || (mean == most && out[s] + 1 != d->m)) most = mean, out[s] = j;
        }
        is_in[out[s]] = true;
        for (size_t i = 0; i < d->n; i++) best[i] = fmax(best[i], d->z[i * d->m + out[s]]);
    }
    free(best);
    return 0;
}

/* What a policy gained over the baseline in its trial. */
static double trial_of(const struct response_data *d, const struct choice_columns *set, size_t row, size_t policy)
{
    return policy + 1 == d->m ? 0 : d->x[row * d->k + set->columns[policy]];
}

double choice_net(const struct response_data *d, const struct choice_trials *t, size_t row, size_t choice,
                  double length)
{
    const size_t *tried = t->tried ? t->tried + d->group[row] * t->stride : NULL;
    double cycles = 0, left = length; /* of work, in cycles of the baseline */
    for (size_t s = 0; s < (tried ? t->n : d->m); s++) {
        const double speed = exp(trial_of(d, t->set, row, tried ? tried[s] : s));
        const double work = fmin(fmin(t->cycles * speed, t->lasts[row]), left);
        cycles += work / speed, left -= work;
    }
    return log(length / (cycles + left / exp(d->z[row * d->m + choice])));
}

int choice_take_few(struct choice_taken *out, const struct response_data *d, const struct choice_columns *set,
                    const size_t *policies, size_t n, struct error *err)
{
    *out = (struct choice_taken){.data = *d,
                                 .x = malloc((d->n * (2 * n - 1) + 1) * sizeof *out->x),
                                 .names = malloc((n + 1) * sizeof *out->names)};
    if (!out->x || !out->names) {
        choice_taken_fini(out);
        return error_set(err, ERR_MEMORY, "out of memory for %zu rows", d->n);
    }
    double *z = out->x + d->n * (n - 1);
    for (size_t i = 0; i < d->n; i++)
        for (size_t s = 0; s < n; s++) {
            z[i * n + s] = d->z[i * d->m + policies[s]] - d->z[i * d->m + policies[0]];
            if (s) out->x[i * (n - 1) + s - 1] = trial_of(d, set, i, policies[s]) - trial_of(d, set, i, policies[0]);
        }
    for (size_t s = 1; s < n; s++)
        out->names[s - 1] = policies[s] + 1 == d->m ? "baseline" : d->names[set->columns[policies[s]]];
    out->data.k = n - 1, out->data.m = n;
    out->data.x = out->x, out->data.z = z, out->data.names = out->names;
    return 0;
}

/* ---- a model ---- */

/* Where the model has the policies of the shortlist: in their order, the baseline last, which has no column. */
static void place(struct choice_model *m, size_t *places, const struct response_data *d,
                  const struct choice_columns *set, const size_t *list, const char *const *policies)
{
    size_t at = 0;
    for (size_t s = 0; s < m->m; s++) {
        if (list[s] + 1 == d->m) {
            places[s] = m->m - 1;
        } else {
            snprintf(m->columns[at], sizeof m->columns[at], "%s", d->names[set->columns[list[s]]]);
            places[s] = at++;
        }
        snprintf(m->policies[places[s]], sizeof m->policies[0], "%s", policies[list[s]]);
    }
    m->k = at, m->single = places[0];
}

/* Weights of what the others' trials gained over the first's become weights of each trial. */
static void place_weights(struct choice_model *m, const struct choice_model *fitted, const size_t *places)
{
    for (size_t j = 0; j < m->m; j++) {
        double *own = m->weights[places[j]];
        own[m->k] = fitted->weights[j][fitted->k];
        for (size_t s = 1; s < m->m; s++) {
            const double weight = fitted->weights[j][s - 1];
            if (places[s] < m->k) own[places[s]] += weight;
            if (places[0] < m->k) own[places[0]] -= weight;
        }
    }
}

int choice_train_few(struct choice_model *out, const struct response_data *d, const char *const *policies,
                     const struct choice_columns *set, size_t n, struct error *err)
{
    struct choice_model fitted;
    struct choice_taken taken;
    size_t list[RESPONSE_POINTS_MAX], places[RESPONSE_POINTS_MAX] = {0};
    *out = (struct choice_model){.m = n};
    if (choice_shortlist(list, n, d, err) < 0 || choice_take_few(&taken, d, set, list, n, err) < 0) return -1;
    const int failed = choice_fit(&fitted, &taken.data, err);
    if (!failed) {
        place(out, places, d, set, list, policies);
        place_weights(out, &fitted, places);
        out->training = fitted.training;
    }
    choice_taken_fini(&taken);
    return failed;
}
