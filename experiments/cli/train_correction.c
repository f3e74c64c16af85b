#include "cli/train_correction.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "workload/hint_columns.h"
#include "cli/options.h"
#include "poise/correction.h"
#include "poise/gpu.h"
#include "poise/lab.h"
#include "poise/validate.h"

/* A table of `poise hint --table`, in the learner's terms; the target is the table's own. */
struct tuples {
    struct correction_data data;
    double *x;
    size_t *launch;
    bool *is_all;
    const char *names[RESPONSE_FEATURES_MAX];
    struct groups groups;
};
static void tuples_fini(struct tuples *t)
{
    free(t->x);
    free(t->launch);
    free(t->is_all);
    groups_fini(&t->groups);
}

static int needed(const struct table_column **out, const struct table_csv *table, const char *name, bool is_number,
                  struct error *err)
{
    *out = table_csv_find(table, name);
    if (!*out || (is_number && (*out)->numbers < table->n_rows)) {
        error_set(err, ERR_INPUT, *out ? "%s: column '%s' has cells that are no numbers" : "%s: no column '%s'",
                  table->source, name);
        return error_at(err, table->source, 0, -1,
                        "'poise hint --table FILE.csv --profile PROFILE.csv' writes such a table");
    }
    return 0;
}

static int take_columns(struct tuples *t, const struct table_csv *table, const struct correction_request *r,
                        struct error *err)
{
    const char *const *names = r->features ? r->features : hint_column_names;
    const size_t k = r->features ? r->n_features : N_HINT_COLUMNS, n = table->n_rows;
    bool has_base = false;
    if (k > RESPONSE_FEATURES_MAX)
        return error_set(err, ERR_USAGE, "--features: at most %d columns", RESPONSE_FEATURES_MAX);
    t->x = malloc((n * k + 1) * sizeof *t->x);
    if (!t->x) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", n);
    for (size_t j = 0; j < k; j++) {
        const struct table_column *column;
        if (needed(&column, table, names[j], true, err) < 0) return -1;
        for (size_t i = 0; i < n; i++) t->x[i * k + j] = column->values[i];
        t->names[j] = names[j];
        if (strcmp(names[j], "quick") == 0) t->data.base = j, has_base = true;
    }
    if (!has_base) return error_set(err, ERR_USAGE, "--features: 'quick', which is corrected, must be among them");
    t->data.k = k, t->data.names = t->names, t->data.x = t->x;
    return 0;
}

/* Rows of a launch stand together. */
static int take_launches(struct tuples *t, const struct table_csv *table, struct error *err)
{
    const struct table_column *launch, *group, *N, *p, *W;
    const size_t n = table->n_rows;
    const char **of = calloc(n + 1, sizeof *of);
    t->launch = malloc((n + 1) * sizeof *t->launch);
    t->is_all = malloc((n + 1) * sizeof *t->is_all);
    int failed = of && t->launch && t->is_all ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed) failed = needed(&launch, table, "launch", false, err);
    if (!failed) failed = needed(&group, table, "group", false, err);
    if (!failed) failed = needed(&N, table, "N", true, err);
    if (!failed) failed = needed(&p, table, "p", true, err);
    if (!failed) failed = needed(&W, table, "W", true, err);
    for (size_t i = 0; i < n && !failed; i++) {
        if (i == 0 || strcmp(launch->texts[i], launch->texts[i - 1]) != 0 ||
            N->values[i] < N->values[i - 1]) /* a second one of the same name begins again at (1, 1) */
            of[t->data.n_launches++] = group->texts[i];
        t->launch[i] = t->data.n_launches - 1;
        t->is_all[i] = N->values[i] == W->values[i] && p->values[i] == W->values[i];
    }
    if (!failed) failed = groups_init(&t->groups, of, t->data.n_launches, err);
    free(of);
    t->data.launch = t->launch, t->data.is_all = t->is_all, t->data.group = t->groups.of;
    t->data.n_groups = t->groups.n_groups;
    return failed;
}

static int tuples_init(struct tuples *t, const struct table_csv *table, const struct correction_request *r,
                       struct error *err)
{
    const struct table_column *target;
    *t = (struct tuples){.data = {.n = table->n_rows}};
    if (needed(&target, table, r->target ? r->target : "log_speedup", true, err) < 0 ||
        take_columns(t, table, r, err) < 0 || take_launches(t, table, err) < 0)
        return -1;
    t->data.y = target->values;
    if (t->data.n_groups < 3)
        return error_set(err, ERR_INPUT, "%s: %zu groups; three are needed, to leave one out and choose by the others",
                         table->source, t->data.n_groups);
    return 0;
}

static json_t *score_json(const struct correction_score *s)
{
    return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:I}", "regret", s->regret, "harmonic_mean", s->harmonic, "best",
                     s->best, "part", s->part, "log_part", s->log_part, "worst", s->worst, "below_0_98",
                     (json_int_t)s->n_below);
}

static json_t *training_json(const struct tuples *t)
{
    char hash[HASH_TEXT_SIZE];
    const struct hash h[] = {hash_bytes(t->x, t->data.n * t->data.k * sizeof *t->x),
                             hash_bytes(t->data.y, t->data.n * sizeof *t->data.y)};
    const struct hash both = hash_bytes(h, sizeof h);
    hash_text(&both, hash);
    return json_pack("{s:s,s:I,s:I,s:I}", "hash", hash, "rows", (json_int_t)t->data.n, "launches",
                     (json_int_t)t->data.n_launches, "groups", (json_int_t)t->data.n_groups);
}

static void print_score(const char *what, const struct correction_score *s)
{
    printf("%-34s %7.3f %7.3f %7.3f %7.3f %7.3f %5zu\n", what, s->harmonic, s->part, s->log_part, s->regret, s->worst,
           s->n_below);
}

static void print(const struct correction *c, const struct correction_validation *v, const struct tuples *t)
{
    const struct correction_settings *s = &c->settings;
    printf("%zu tuples of %zu launches in %zu groups, each group left out\n\n", t->data.n, t->data.n_launches,
           t->data.n_groups);
    printf("%-34s %7s %7s %7s %7s %7s %5s\n", "choice of a tuple", "HM", "part", "log", "regret", "worst", "<.98");
    print_score("quick model", &v->plain);
    print_score("quick model, margin for (W, W)", &v->with_margin);
    print_score("corrected", &v->corrected);
    printf("%-34s %7.3f\n\n", "best of the table", v->corrected.best);
    printf("on all: penalty %g, share of trees %g, margin %.3f; margin of the quick model alone %.3f\n", s->lambda,
           s->share, s->margin, v->plain_margin);
}

int train_correction(const struct table_csv *table, const struct correction_request *r, struct error *err)
{
    struct tuples t;
    struct correction c = {0};
    struct correction_validation v = {0};
    int failed = tuples_init(&t, table, r, err);
    if (!failed) failed = correction_validate(&v, &t.data, err);
    if (!failed) failed = correction_train(&c, &t.data, err);
    if (!failed) {
        snprintf(c.name, sizeof c.name, "%s", r->name ? r->name : "hint");
        c.model_version = SIM_MODEL_VERSION;
        c.spread = v.spread;
        c.training = training_json(&t);
        c.validation =
            json_pack("{s:o,s:o,s:o,s:s}", "corrected", score_json(&v.corrected), "quick", score_json(&v.plain),
                      "quick_with_margin", score_json(&v.with_margin), "left_out", "group");
        if (r->out) failed = correction_write(&c, r->out, err);
    }
    if (!failed && r->json) {
        json_t *out = lab_json();
        json_object_set(out, "training", c.training);
        json_object_set(out, "validation", c.validation);
        json_object_set_new(out, "settings",
                            json_pack("{s:f,s:f,s:f}", "lambda", c.settings.lambda, "share", c.settings.share, "margin",
                                      c.settings.margin));
        failed = cli_print_json(out, err);
    } else if (!failed) {
        print(&c, &v, &t);
    }
    correction_validation_fini(&v);
    correction_fini(&c);
    tuples_fini(&t);
    return failed;
}
