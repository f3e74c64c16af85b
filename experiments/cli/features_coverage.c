/* How far evaluation launches lie outside of what the learned response surface was trained on, and synthetic kernels
 * for the gap, from tables of samplings: nothing is simulated. */
#include "cli/features_coverage.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/propose_pattern.h"
#include "poise/coverage.h"
#include "poise/lab.h"
#include "poise/response_table.h"

static const double QUANTILE = 0.99;

static bool is_split(const struct response_table *t, size_t row, enum workload_split split)
{
    return strcmp(t->split[row], workload_splits[split]) == 0;
}

struct reference { /* one training set */
    bool *in;
    struct coverage coverage;
    struct coverage_own own;
};

/* The training split of the first table, and, where `with_added`, all rows of the tables after it. */
static int reference_init(struct reference *r, const struct response_table *t, bool with_added, struct error *err)
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

static struct distance distance_of(const struct reference *r, const struct response_table *t, size_t row)
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

static json_t *distance_json(const struct reference *r, const struct distance *d, const struct response_table *t)
{
    return json_pack("{s:f,s:f,s:s,s:b}", "mahalanobis", d->mahalanobis, "nearest", d->nearest, "nearest_launch",
                     r->in[d->row] ? t->launch[d->row] : "", "is_beyond", d->is_beyond);
}

struct judged {
    const struct response_table *table;
    const struct reference *alone, *with; /* with NULL: nothing is added */
    size_t n, beyond, beyond_with;
};

static void judge_row(struct judged *j, size_t row, json_t *list)
{
    const struct response_table *t = j->table;
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
    const struct response_table *t = j->table;
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
    struct response_table t;
    struct reference alone, with;
    if (response_table_read(&t, paths, n, err) < 0) return -1;
    int result = reference_init(&alone, &t, false, err);
    if (result == 0 && n > 1 && (result = reference_init(&with, &t, true, err)) < 0) free(alone.in);
    if (result == 0) {
        struct judged j = {.table = &t, .alone = &alone, .with = n > 1 ? &with : NULL};
        result = judge_launches(&j, json, err);
        free(alone.in);
        if (n > 1) free(with.in);
    }
    response_table_fini(&t);
    return result;
}
