#include "cli/choice_learn.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/choice_columns.h"
#include "cli/choice_data.h"
#include "poise/file.h"
#include "poise/gpu.h"
#include "poise/lab.h"

enum { TITLE_MAX = 64 };

static json_t *score_json(const struct choice_score *s)
{
    json_t *out = json_pack("{s:s,s:s,s:f,s:f,s:f,s:[ff],s:f,s:[ff],s:I}", "learner", s->learner, "columns", s->columns,
                            "regret", s->regret, "log_speedup", s->gain, "closed", s->closed, "interval",
                            s->interval[0], s->interval[1], "log_over_single", s->over, "over_interval",
                            s->over_interval[0], s->over_interval[1], "families_slower", (json_int_t)s->n_worse);
    if (!s->tried) return out;
    json_t *net = json_array();
    for (size_t l = 0; l < CHOICE_LENGTHS; l++)
        json_array_append_new(net, json_pack("{s:f,s:f,s:[ff]}", "cycles", choice_lengths[l], "closed", s->net[l],
                                             "interval", s->net_interval[l][0], s->net_interval[l][1]));
    json_object_set_new(out, "tried", json_integer((json_int_t)s->tried));
    json_object_set_new(out, "with_cost", net);
    return out;
}

static void print_head(void)
{
    printf("%-16s %-10s %8s %8s %8s %18s %8s %18s %6s\n", "learner", "columns", "speedup", "regret", "closed", "(95 %)",
           "single", "(95 %)", "slower");
}
static void print_score(const struct choice_score *s)
{
    printf("%-16s %-10s %8.3f %8.4f %8.3f (%7.3f, %7.3f) %8.3f (%7.3f, %7.3f) %6zu\n", s->learner, s->columns,
           exp(s->gain), s->regret, s->closed, s->interval[0], s->interval[1], exp(s->over), exp(s->over_interval[0]),
           exp(s->over_interval[1]), s->n_worse);
}

/* What is left of `closed` when trials cost what they cost. */
static void print_net_head(void)
{
    printf(
        "\nclosed with the cost of trials, of kernels whose launches together last so many core cycles under gto:\n");
    printf("%-16s %-10s", "learner", "columns");
    for (size_t l = 0; l < CHOICE_LENGTHS; l++) printf(" %6.0f M %18s", choice_lengths[l] / 1e6, "(95 %)");
    printf("\n");
}
static void print_net(const struct choice_score *s)
{
    if (!s->tried) return;
    printf("%-16s %-10s", s->learner, s->columns);
    for (size_t l = 0; l < CHOICE_LENGTHS; l++)
        printf(" %8.3f (%7.3f, %7.3f)", s->net[l], s->net_interval[l][0], s->net_interval[l][1]);
    printf("\n");
}

/* What is known before the launch, after the window, both, and the speeds of trials. */
enum { N_SETS = 4 };
struct sets {
    size_t columns[N_SETS][CHOICE_COLUMNS_MAX], n;
    struct choice_columns of[N_SETS];
    struct choice_trials trials;
};
static void sets_init(struct sets *s, const struct choice_rows_read *r)
{
    const size_t k = r->data.k;
    static const char *const names[N_SETS] = {"before", "window", "both", "trials"};
    for (size_t i = 0; i < N_SETS; i++) s->of[i] = (struct choice_columns){.name = names[i], .columns = s->columns[i]};
    for (size_t j = 0; j < k; j++) {
        const size_t own = j < CHOICE_w_l1_hit ? 0 : j < N_CHOICE_COLUMNS ? 1 : 3;
        s->columns[own][s->of[own].n++] = j;
        if (own < 2) s->columns[2][s->of[2].n++] = j;
    }
    s->of[3].are_trials = true;
    s->n = s->of[3].n ? N_SETS : N_SETS - 1;
    s->trials = (struct choice_trials){.set = &s->of[3], .cycles = (double)r->trial, .lasts = r->cycles};
}

static void print_training(const struct choice_rows_read *r, const struct choice_validation *v)
{
    printf("%zu launches of %zu families, each family left out; %zu policies, gto among them\n", r->data.n,
           r->data.n_groups, r->data.m);
    printf("best single policy of all: %.*s; the best of each launch: %.3f\n\n",
           choice_name_bytes(r->policies[v->single]), r->policies[v->single], exp(v->oracle));
    print_head();
    for (size_t i = 0; i < v->n; i++) print_score(&v->scores[i]);
    printf(
        "\nspeedup: over gto, geometric mean over families. regret: ln, to the best of each launch. closed: part of "
        "the best single\npolicy's regret that is gone. single: speedup over the best single policy, which is chosen "
        "on the other families.\nslower: families on which that is below 0.98. N trials: a shortlist of N policies, "
        "chosen on the other families.\n");
    if (!v->scores[v->n - 1].tried) return;
    print_net_head();
    for (size_t i = 0; i < v->n; i++) print_net(&v->scores[i]);
}

static json_t *validation_json(const struct choice_rows_read *r, const struct choice_validation *v)
{
    json_t *scores = json_array();
    char single[TITLE_MAX];
    snprintf(single, sizeof single, "%.*s", choice_name_bytes(r->policies[v->single]), r->policies[v->single]);
    for (size_t i = 0; i < v->n; i++) json_array_append_new(scores, score_json(&v->scores[i]));
    return json_pack("{s:I,s:I,s:I,s:s,s:f,s:o}", "launches", (json_int_t)r->data.n, "families",
                     (json_int_t)r->data.n_groups, "policies", (json_int_t)r->data.m, "single", single,
                     "oracle_log_speedup", v->oracle, "scores", scores);
}

/* Which set --columns names. */
static int find_set(size_t *out, const struct choice_options *o, const struct sets *sets, struct error *err)
{
    const char *name = o->columns ? o->columns : "trials";
    for (*out = 0; *out < sets->n; ++*out)
        if (strcmp(sets->of[*out].name, name) == 0) return 0;
    return error_set(err, ERR_USAGE, "--columns %s: before, window, both or, of a table with trials, trials", name);
}

/* --trials K: a shortlist, of columns of trials. */
static int check_trials(const struct choice_options *o, const struct choice_rows_read *r,
                        const struct choice_columns *set, struct error *err)
{
    if (!o->trials || (set->are_trials && o->trials >= 2 && o->trials <= r->data.m)) return 0;
    return error_set(err, ERR_USAGE, "--trials %llu: 2 to %zu policies, from columns of trials",
                     (unsigned long long)o->trials, r->data.m);
}

static int write_model(const struct choice_options *o, const struct choice_rows_read *r,
                       const struct choice_columns *set, json_t *validation, struct error *err)
{
    struct choice_model model;
    int failed = o->trials ? choice_train_few(&model, &r->data, r->policies, set, o->trials, err)
                           : choice_train(&model, &r->data, r->policies, set, err);
    if (!failed) {
        snprintf(model.name, sizeof model.name, "%s", o->name ? o->name : "choice");
        model.model_version = SIM_MODEL_VERSION;
        model.window = set->are_trials || strcmp(set->name, "before") == 0 ? 0 : r->window;
        model.trial = set->are_trials ? r->trial : 0;
        model.validation = json_incref(validation);
        failed = choice_model_write(&model, o->out, err);
    }
    choice_model_fini(&model);
    return failed;
}

int choice_learn(const struct choice_options *o, const char *table, struct error *err)
{
    struct choice_rows_read r;
    struct choice_validation v = {0};
    struct sets sets;
    size_t set = 0;
    if (cli_check_model_name(o->name, err) < 0 || choice_rows_read(&r, table, "training", o->min_cycles, err) < 0)
        return -1;
    sets_init(&sets, &r);
    int failed = o->out || o->columns || o->trials ? find_set(&set, o, &sets, err) : 0;
    if (!failed) failed = check_trials(o, &r, &sets.of[set], err);
    if (!failed)
        failed = choice_validate(&v, &r.data, sets.of, sets.n, sets.n == N_SETS ? &sets.trials : NULL, o->seed, err);
    json_t *validation = failed ? NULL : validation_json(&r, &v);
    if (!failed && o->out) failed = write_model(o, &r, &sets.of[set], validation, err);
    if (!failed && o->json) {
        json_t *out = lab_json();
        json_object_update(out, validation);
        failed = cli_print_json(out, err);
    } else if (!failed) {
        print_training(&r, &v);
    }
    json_decref(validation);
    choice_validation_fini(&v);
    choice_rows_fini(&r);
    return failed;
}

/* The table's column and policy of each of the model's. */
struct in_table {
    size_t columns[RESPONSE_FEATURES_MAX], policies[RESPONSE_POINTS_MAX];
};
static int find_in_table(struct in_table *out, const struct choice_model *m, const struct choice_rows_read *r,
                         const char *path, struct error *err)
{
    for (size_t j = 0; j < m->k; j++) {
        size_t c = 0;
        while (c < r->data.k && strcmp(m->columns[j], r->names[c]) != 0) c++;
        if (c == r->data.k)
            return error_set(err, ERR_INPUT, "%s: no column '%s', which %s needs", r->table.source, m->columns[j],
                             path);
        out->columns[j] = c;
    }
    if ((m->window && m->window != r->window) || (m->trial && m->trial != r->trial))
        return error_set(err, ERR_INPUT,
                         "%s: a window of %llu and trials of %llu core cycles; those of %s are %llu and %llu",
                         r->table.source, (unsigned long long)r->window, (unsigned long long)r->trial, path,
                         (unsigned long long)m->window, (unsigned long long)m->trial);
    for (size_t j = 0; j < m->m; j++) {
        size_t *p = &out->policies[j];
        for (*p = 0; *p < r->data.m && strcmp(m->policies[j], r->policies[*p]) != 0;) ++*p;
        if (*p == r->data.m)
            return error_set(err, ERR_INPUT, "%s: no policy '%s', which %s has", r->table.source, m->policies[j], path);
    }
    return 0;
}

static int score_rows(const struct choice_options *o, const struct choice_model *m, const struct choice_rows_read *r,
                      const struct in_table *at, struct error *err)
{
    const struct response_data *d = &r->data;
    size_t *choice = calloc(2 * d->n + 1, sizeof *choice), *single = choice + d->n;
    struct choice_score own, fixed;
    struct sets sets;
    if (!choice) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < d->n; i++) {
        double x[RESPONSE_FEATURES_MAX];
        for (size_t j = 0; j < m->k; j++) x[j] = d->x[i * d->k + at->columns[j]];
        choice[i] = at->policies[choice_policy(m, x, NULL)];
        single[i] = at->policies[m->single];
    }
    sets_init(&sets, r);
    sets.trials.tried = at->policies, sets.trials.n = m->m;
    int failed = choice_score(&own, d, choice, single[0], m->trial ? &sets.trials : NULL, o->seed, err);
    if (!failed) failed = choice_score(&fixed, d, single, single[0], NULL, o->seed, err);
    own.learner = m->name, fixed.learner = "best single";
    if (!failed && o->json) {
        json_t *out = lab_json(), *list = json_array();
        json_object_set_new(out, "families", json_integer((json_int_t)d->n_groups));
        json_object_set_new(out, "launches", json_integer((json_int_t)d->n));
        json_array_append_new(list, score_json(&fixed));
        json_array_append_new(list, score_json(&own));
        json_object_set_new(out, "scores", list);
        failed = cli_print_json(out, err);
    } else if (!failed) {
        printf("%zu launches of %zu families; best single policy of the training families: %.*s\n\n", d->n, d->n_groups,
               choice_name_bytes(m->policies[m->single]), m->policies[m->single]);
        print_head();
        print_score(&fixed);
        print_score(&own);
        if (m->trial) {
            print_net_head();
            print_net(&own);
        }
    }
    free(choice);
    return failed;
}

int choice_evaluate(const struct choice_options *o, const char *model, const char *table, struct error *err)
{
    struct choice_model m;
    struct choice_rows_read r;
    struct in_table at;
    const char *part = o->part ? o->part : "sealed";
    if (strcmp(part, "training") != 0 && strcmp(part, "sealed") != 0)
        return error_set(err, ERR_USAGE, "--part %s: training or sealed", part);
    if (choice_model_read(&m, model, err) < 0) return -1;
    int failed = choice_rows_read(&r, table, part, o->min_cycles, err);
    if (!failed) {
        failed = find_in_table(&at, &m, &r, model, err);
        if (!failed) failed = score_rows(o, &m, &r, &at, err);
        choice_rows_fini(&r);
    }
    choice_model_fini(&m);
    return failed;
}

int choice_export(const struct choice_options *o, const char *path, struct error *err)
{
    struct choice_model m;
    char *text = NULL;
    size_t size = 0;
    if (choice_model_read(&m, path, err) < 0) return -1;
    FILE *out = open_memstream(&text, &size);
    int failed = out ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed) {
        choice_model_export(&m, out);
        if (o->out) failed = file_write_stream(o->out, out, &text, &size, err);
        else if (fclose(out) == 0) fputs(text, stdout), free(text);
    }
    choice_model_fini(&m);
    return failed;
}
