/* How far evaluation launches lie outside of what the learned surface was trained on, and synthetic kernels for the
 * gap; which further training kernels help. All from tables of samplings: nothing is simulated. */
#include "cli/features_coverage.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/propose_pattern.h"
#include "poise/coverage.h"
#include "poise/lab.h"
#include "poise/surface_additions.h"
#include "poise/surface_table.h"

static const double QUANTILE = 0.99;

static bool is_split(const struct surface_table *t, size_t row, enum workload_split split)
{
    return strcmp(t->split[row], workload_splits[split]) == 0;
}

/* ---- coverage ---- */

struct reference { /* one training set */
    bool *in;
    struct coverage coverage;
    struct coverage_own own;
};

/* The training split of the first table, and, where `with_added`, all rows of the tables after it. */
static int reference_init(struct reference *r, const struct surface_table *t, bool with_added, struct error *err)
{
    *r = (struct reference){.in = calloc(t->data.n + 1, sizeof *r->in)};
    if (!r->in) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", t->data.n);
    for (size_t i = 0; i < t->data.n; i++) r->in[i] = t->file[i] == 0 ? is_split(t, i, SPLIT_TRAINING) : with_added;
    if (coverage_init(&r->coverage, &t->data, r->in, err) == 0 &&
        coverage_own(&r->own, &r->coverage, &t->data, r->in, QUANTILE, err) == 0)
        return 0;
    free(r->in);
    return error_while(err, "the training split of %s", t->files[0].source);
}

struct distance {
    double mahalanobis, nearest;
    size_t row; /* the nearest one */
    bool is_beyond;
};

static struct distance distance_of(const struct reference *r, const struct surface_table *t, size_t row)
{
    const double *x = t->data.x + row * t->data.k;
    struct distance d = {.row = row, .mahalanobis = coverage_mahalanobis(&r->coverage, x)};
    d.nearest = coverage_nearest(&r->coverage, &t->data, r->in, x, SIZE_MAX, &d.row);
    d.is_beyond = d.mahalanobis > r->own.mahalanobis || d.nearest > r->own.nearest;
    return d;
}

/* The feature that lies most standard deviations from the training set's mean. */
static size_t strangest(const struct coverage *c, const double *x, double *deviations)
{
    size_t most = 0;
    for (size_t j = 0; j < c->k; j++)
        if (fabs(x[j] - c->mean[j]) / c->sd[j] > fabs(x[most] - c->mean[most]) / c->sd[most]) most = j;
    *deviations = (x[most] - c->mean[most]) / c->sd[most];
    return most;
}

static json_t *distance_json(const struct reference *r, const struct distance *d, const struct surface_table *t)
{
    return json_pack("{s:f,s:f,s:s,s:b}", "mahalanobis", d->mahalanobis, "nearest", d->nearest, "nearest_launch",
                     r->in[d->row] ? t->launch[d->row] : "", "is_beyond", d->is_beyond);
}

struct judged {
    const struct surface_table *table;
    const struct reference *alone, *with; /* with NULL: nothing is added */
    size_t n, beyond, beyond_with;
};

static void judge_row(struct judged *j, size_t row, json_t *list)
{
    const struct surface_table *t = j->table;
    const struct distance alone = distance_of(j->alone, t, row);
    const struct distance with = j->with ? distance_of(j->with, t, row) : alone;
    const double *x = t->data.x + row * t->data.k;
    char knobs[PROPOSAL_MAX] = "";
    double deviations;
    const size_t feature = strangest(&j->alone->coverage, x, &deviations);
    if (alone.is_beyond) propose_pattern(knobs, sizeof knobs, t, row);
    j->n++;
    j->beyond += alone.is_beyond;
    j->beyond_with += j->with && with.is_beyond;
    if (list) {
        json_t *one = json_pack("{s:s,s:s,s:I,s:s,s:f,s:s,s:o}", "launch", t->launch[row], "family",
                                t->families.names[t->data.group[row]], "state", (json_int_t)t->state[row], "feature",
                                t->data.names[feature], "deviations", deviations, "proposal", knobs, "training",
                                distance_json(j->alone, &alone, t));
        if (j->with) json_object_set_new(one, "with_added", distance_json(j->with, &with, t));
        json_array_append_new(list, one);
        return;
    }
    printf("%-18s %-18s %6.1f%c %5.1f%c  %-16s", t->launch[row], t->families.names[t->data.group[row]],
           alone.mahalanobis, alone.mahalanobis > j->alone->own.mahalanobis ? '*' : ' ', alone.nearest,
           alone.nearest > j->alone->own.nearest ? '*' : ' ', t->launch[alone.row]);
    if (j->with)
        printf(" %6.1f%c %5.1f%c  %-16s", with.mahalanobis, with.mahalanobis > j->with->own.mahalanobis ? '*' : ' ',
               with.nearest, with.nearest > j->with->own.nearest ? '*' : ' ', t->launch[with.row]);
    printf(" %s %+.1f\n", t->data.names[feature], deviations);
    if (*knobs) printf("    poise trace synth %s\n", knobs);
}

/* Evaluation launches as the engine first sees them: their samplings at the start. */
static int judge_launches(struct judged *j, bool json, struct error *err)
{
    const struct surface_table *t = j->table;
    json_t *list = json ? json_array() : NULL;
    if (!json)
        printf("%-18s %-18s %7s %6s  %-16s%s  farthest feature\n", "launch", "family", "Mahal.", "near", "nearest row",
               j->with ? "  Mahal.   near  with what is added" : "");
    for (size_t i = 0; i < t->data.n; i++)
        if (t->file[i] == 0 && is_split(t, i, SPLIT_DEVELOPMENT) && t->state[i] == 0) judge_row(j, i, list);
    if (!json) {
        printf("%-18s %-18s %6.1f  %5.1f", "training set", "its 99th percentile", j->alone->own.mahalanobis,
               j->alone->own.nearest);
        if (j->with) printf("  %-16s %6.1f  %5.1f", "", j->with->own.mahalanobis, j->with->own.nearest);
        printf("\n%zu of %zu launches lie beyond (*) %zu families of training", j->beyond, j->n,
               j->alone->coverage.n_groups);
        if (j->with) printf(", %zu beyond these and what is added", j->beyond_with);
        putchar('\n');
        return 0;
    }
    json_t *out = lab_json();
    json_object_set_new(out, "launches", list);
    json_object_set_new(
        out, "percentile_99",
        json_pack("{s:f,s:f}", "mahalanobis", j->alone->own.mahalanobis, "nearest", j->alone->own.nearest));
    if (j->with)
        json_object_set_new(
            out, "percentile_99_with_added",
            json_pack("{s:f,s:f}", "mahalanobis", j->with->own.mahalanobis, "nearest", j->with->own.nearest));
    return cli_print_json(out, err);
}

int features_coverage(const char *const *paths, size_t n, bool json, struct error *err)
{
    struct surface_table t;
    struct reference alone, with;
    if (surface_table_read(&t, paths, n, err) < 0) return -1;
    int result = reference_init(&alone, &t, false, err);
    if (result == 0 && n > 1 && (result = reference_init(&with, &t, true, err)) < 0) free(alone.in);
    if (result == 0) {
        struct judged j = {.table = &t, .alone = &alone, .with = n > 1 ? &with : NULL};
        result = judge_launches(&j, json, err);
        free(alone.in);
        if (n > 1) free(with.in);
    }
    surface_table_fini(&t);
    return result;
}

/* ---- additions ---- */

static const double LEAST = 0.002; /* regret that a further family must take off */
enum { MOST = 12 };

struct roles { /* by family */
    bool *train, *development, *added, *all;
};

static int roles_init(struct roles *r, const struct surface_table *t, struct error *err)
{
    const size_t n = t->data.n_groups;
    *r = (struct roles){.train = calloc(4 * n + 1, sizeof *r->train)};
    if (!r->train) return error_set(err, ERR_MEMORY, "out of memory for %zu families", n);
    r->development = r->train + n, r->added = r->train + 2 * n, r->all = r->train + 3 * n;
    for (size_t i = 0; i < t->data.n; i++) {
        const size_t g = t->data.group[i];
        r->train[g] |= t->file[i] == 0 && is_split(t, i, SPLIT_TRAINING);
        r->development[g] |= t->file[i] == 0 && is_split(t, i, SPLIT_DEVELOPMENT);
        r->added[g] |= t->file[i] > 0;
    }
    for (size_t g = 0; g < n; g++) {
        if (r->added[g] && (r->train[g] || r->development[g])) {
            error_set(err, ERR_INPUT, "family '%s' is in %s and in what is added: it would be judged by itself",
                      t->families.names[g], t->files[0].source);
            free(r->train);
            return -1;
        }
        r->all[g] = r->train[g] || r->development[g];
    }
    return 0;
}

static void print_single(const struct surface_table *t, const struct surface_additions *a)
{
    printf("%-20s %8s %8s %7s %6s\n", "added family", "regret", "change", "better", "worse");
    printf("%-20s %8.4f\n", "(none)", a->base);
    for (size_t g = 0; g < t->data.n_groups; g++)
        if (a->single[g].is_candidate)
            printf("%-20s %8.4f %+8.4f %7zu %6zu  %s\n", t->families.names[g], a->single[g].mean,
                   a->single[g].mean - a->base, a->single[g].better, a->single[g].worse,
                   a->single[g].mean < a->base - LEAST   ? "helps"
                   : a->single[g].mean > a->base + LEAST ? "hurts"
                                                         : "");
    for (size_t s = 0; s < a->n_steps; s++)
        printf("accepted %zu: %-20s %8.4f\n", s + 1, t->families.names[a->steps[s].group], a->steps[s].mean);
    if (a->rejected != SIZE_MAX)
        printf("stopped before %-17s %8.4f\n", t->families.names[a->rejected], a->rejected_mean);
}

static json_t *additions_json(const struct surface_table *t, const struct surface_additions *a)
{
    json_t *single = json_object(), *steps = json_array();
    for (size_t g = 0; g < t->data.n_groups; g++)
        if (a->single[g].is_candidate)
            json_object_set_new(single, t->families.names[g],
                                json_pack("{s:f,s:I,s:I}", "regret", a->single[g].mean, "better",
                                          (json_int_t)a->single[g].better, "worse", (json_int_t)a->single[g].worse));
    for (size_t s = 0; s < a->n_steps; s++)
        json_array_append_new(
            steps, json_pack("{s:s,s:f}", "family", t->families.names[a->steps[s].group], "regret", a->steps[s].mean));
    return json_pack("{s:f,s:o,s:o}", "regret_without", a->base, "alone", single, "accepted", steps);
}

/* What the accepted families, and all of them, are worth on the development families: regrets of the networks that
 * would be served, each family left out of a training on all others, and under the training split alone. */
enum { OUTCOMES = 6 };
struct outcome {
    double *by_family[OUTCOMES], mean[OUTCOMES]; /* others: without, accepted, all; training split: the same */
};

static void outcome_fini(struct outcome *out)
{
    for (int set = 0; set < OUTCOMES; set++) free(out->by_family[set]);
}

static int judge_development(struct outcome *out, const struct surface_table *t, const struct roles *r,
                             const struct surface_additions *a, const struct surface_cv_options *options,
                             struct error *err)
{
    const struct surface_distil_options distil = {.hidden = 11, .coefs = 8, .seed = 1}; /* as in learned.yaml */
    struct surface_cv_options served = *options;
    const size_t n = t->data.n_groups;
    bool *train = calloc(n + 1, sizeof *train);
    served.distil = &distil;
    int result = train ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu families", n);
    for (int set = 0; set < OUTCOMES && result == 0; set++) {
        const bool *base = set < 3 ? r->all : r->train;
        for (size_t g = 0; g < n; g++) train[g] = base[g] || (set % 3 == 2 && r->added[g]);
        for (size_t s = 0; set % 3 == 1 && s < a->n_steps; s++) train[a->steps[s].group] = true;
        out->by_family[set] = calloc(n + 1, sizeof(double));
        result = !out->by_family[set] ? error_set(err, ERR_MEMORY, "out of memory for %zu families", n)
                                      : surface_held_out(out->by_family[set], &out->mean[set], &t->data, train,
                                                         r->development, &served, err);
    }
    free(train);
    return result;
}

static void print_outcome(const struct surface_table *t, const struct roles *r, const struct outcome *out)
{
    printf("%-20s %26s  %26s\n", "", "trained on all others", "on the training split");
    printf("%-20s %8s %8s %8s  %8s %8s %8s\n", "development family", "without", "accepted", "all", "without",
           "accepted", "all");
    for (size_t g = 0; g <= t->data.n_groups; g++) {
        const bool is_mean = g == t->data.n_groups;
        if (!is_mean && !r->development[g]) continue;
        printf("%-20s", is_mean ? "mean" : t->families.names[g]);
        for (int set = 0; set < OUTCOMES; set++)
            printf(" %s%8.4f", set == 3 ? " " : "", is_mean ? out->mean[set] : out->by_family[set][g]);
        putchar('\n');
    }
}

static json_t *outcome_json(const struct surface_table *t, const struct roles *r, const struct outcome *out, int first)
{
    json_t *by_family = json_object();
    for (size_t g = 0; g < t->data.n_groups; g++)
        if (r->development[g])
            json_object_set_new(by_family, t->families.names[g],
                                json_pack("[fff]", out->by_family[first][g], out->by_family[first + 1][g],
                                          out->by_family[first + 2][g]));
    return json_pack("{s:f,s:f,s:f,s:o}", "without", out->mean[first], "accepted", out->mean[first + 1], "all",
                     out->mean[first + 2], "by_family", by_family);
}

/* The choice itself, made anew without each training family. NULL without an error: it was not asked for. */
static int judge_choice(json_t **out, const struct surface_table *t, const struct roles *r,
                        const struct surface_cv_options *options, struct error *err)
{
    const size_t n = t->data.n_groups;
    double *by_family = calloc(n + 1, sizeof *by_family), mean = NAN;
    size_t *chosen = calloc(n + 1, sizeof *chosen);
    int result = by_family && chosen ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu families", n);
    if (result == 0)
        result = surface_additions_validate(by_family, &mean, chosen, &t->data, r->train, r->train, r->added, LEAST,
                                            MOST, options, err);
    if (result == 0) {
        json_t *counts = json_object();
        for (size_t g = 0; g < n; g++)
            if (chosen[g]) json_object_set_new(counts, t->families.names[g], json_integer((json_int_t)chosen[g]));
        *out = json_pack("{s:f,s:o}", "regret", mean, "chosen", counts);
    }
    free(by_family);
    free(chosen);
    return result;
}

static void print_choice(const json_t *choice)
{
    const char *name;
    json_t *count;
    printf("choice made anew without each training family: %8.4f\n",
           json_number_value(json_object_get(choice, "regret")));
    json_object_foreach(json_object_get(choice, "chosen"), name, count)
        printf("    %-20s chosen %d times\n", name, (int)json_integer_value(count));
}

static int judge_additions(const struct surface_table *t, const struct roles *r,
                           const struct surface_cv_options *options, bool nested, bool json, struct error *err)
{
    json_t *choice = NULL;
    struct surface_additions a;
    struct outcome outcome = {.mean = {0}};
    if (surface_additions_judge(&a, &t->data, r->train, r->train, r->added, LEAST, MOST, options, err) < 0) return -1;
    if (!json) print_single(t, &a), fflush(stdout);
    int result = nested ? judge_choice(&choice, t, r, options, err) : 0;
    if (choice && !json) print_choice(choice), fflush(stdout);
    if (result == 0) result = judge_development(&outcome, t, r, &a, options, err);
    if (result == 0 && json) {
        json_t *out = lab_json();
        if (choice) json_object_set(out, "choice", choice);
        json_object_set_new(out, "training", additions_json(t, &a));
        json_object_set_new(out, "development_by_all_others", outcome_json(t, r, &outcome, 0));
        json_object_set_new(out, "development_by_training", outcome_json(t, r, &outcome, 3));
        result = cli_print_json(out, err);
    } else if (result == 0) {
        print_outcome(t, r, &outcome);
    }
    outcome_fini(&outcome);
    json_decref(choice);
    surface_additions_fini(&a);
    return result;
}

int features_additions(const char *const *paths, size_t n, const char *learner, bool nested, bool json,
                       struct error *err)
{
    struct surface_cv_options options = {.inner_folds = 6, .seed = 1};
    struct surface_table t;
    struct roles roles;
    if (n < 2)
        return error_set(err, ERR_USAGE,
                         "poise features additions needs a table of samplings and one of what is added");
    if (surface_family_parse(&options.family, learner ? learner : "gp", err) < 0) return -1;
    surface_defaults(options.family, &options.settings);
    options.axes = options.family->axes, options.n_axes = options.family->n_axes;
    if (surface_table_read(&t, paths, n, err) < 0) return -1;
    int result = roles_init(&roles, &t, err);
    if (result == 0) {
        result = judge_additions(&t, &roles, &options, nested, json, err);
        free(roles.train);
    }
    surface_table_fini(&t);
    return result;
}
