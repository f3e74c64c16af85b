/* What learners of a choice gain on groups that they saw nothing of, beside the best single policy (poise/choice.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "choice_parts.h"

enum { REPLICATES = 2000 };
#define WORSE 0.02

/* ---- scores of choices ---- */

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
                   const struct choice_trials *trials, uint64_t seed, struct error *err)
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
        for (size_t g = 0; g < n; g++) out->n_worse += c.own[g] < c.other[g] - WORSE;
        failed = bootstrap_interval(&plan, closed_of, &c, out->interval, err);
    }
    if (!failed) failed = bootstrap_interval(&plan, over_of, &c, out->over_interval, err);
    for (size_t l = 0; l < CHOICE_LENGTHS && trials && !failed; l++) {
        out->tried = trials->tried ? trials->n : d->m;
        for (size_t i = 0; i < d->n; i++) rows[i] = choice_net(d, trials, i, choice[i], choice_lengths[l]);
        response_group_mean(d, rows, memory);
        out->net[l] = closed_of(NULL, n, &c);
        failed = bootstrap_interval(&plan, closed_of, &c, out->net_interval[l], err);
    }
    free(one.of);
    free(memory);
    return failed;
}

int choice_score(struct choice_score *out, const struct response_data *d, const size_t *choice, size_t single,
                 const struct choice_trials *trials, uint64_t seed, struct error *err)
{
    size_t *other = calloc(d->n + 1, sizeof *other);
    if (!other) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < d->n; i++) other[i] = single;
    *out = (struct choice_score){.learner = "", .columns = ""};
    const int failed = compare(out, d, choice, other, trials, seed, err);
    free(other);
    return failed;
}

/* ---- learners ---- */

struct learner {
    const char *name;
    const struct response_family *family; /* NULL: the sum of those in the mean, or the highest column */
    const char *set[4][2];
    const struct family_axis *axes;
    size_t n_axes;
    bool in_mean, is_highest;
};
static const struct family_axis depths[] = {{"depth", 4, {"0", "1", "2", "4"}}};
static const struct learner learners[] = {
    {.name = "one threshold", .family = &response_policy, .set = {{"depth", "1"}}},
    {.name = "policy tree", .family = &response_policy, .axes = depths, .n_axes = COUNT_OF(depths)},
    {.name = "policy trees",
     .family = &response_policy,
     .set = {{"trees", "48"}, {"depth", "6"}, {"columns", "0.34"}, {"min_groups", "2"}}},
    {.name = "forest", .family = &response_forest, .set = {{"trees", "100"}}, .in_mean = true},
    {.name = "ridge", .family = &response_ridge, .in_mean = true},
    {.name = "gp", .family = &response_gp, .in_mean = true},
    {.name = "mean of three"},
    {.name = "fastest trial", .is_highest = true}, /* of sets of trials alone */
};
enum { N_LEARNERS = COUNT_OF(learners), N_FIXED = 2, INNER_FOLDS = 5 };

struct judge {
    struct choice_validation *out;
    const struct response_data *data;
    const struct choice_columns *set;
    const struct choice_trials *trials;
    const size_t *single;
    size_t *choice;
    double *sums; /* of each row's gains, as learners in the mean predict them */
    uint64_t seed;
};

/* The policy that has the highest value, of the first n; the baseline's is 0 where n leaves it out. */
static size_t highest(const double *values, size_t n, size_t m)
{
    size_t best = m - 1;
    double most = n == m ? values[best] : 0;
    for (size_t j = 0; j < n; j++)
        if (values[j] > most) best = j, most = values[j];
    return best;
}

static int learned_choices(const struct judge *j, const struct learner *l, struct error *err)
{
    struct response_cv cv;
    struct choice_taken own;
    struct response_cv_options o = {
        .family = l->family, .axes = l->axes, .n_axes = l->n_axes, .inner_folds = INNER_FOLDS, .seed = j->seed};
    const struct response_data *d = j->data;
    response_defaults(l->family, &o.settings);
    if (choice_take(&own, d, j->set, err) < 0) return -1;
    int failed = 0;
    for (size_t i = 0; i < COUNT_OF(l->set) && l->set[i][0] && !failed; i++)
        failed = response_set(l->family, &o.settings, l->set[i][0], l->set[i][1], err);
    if (!failed) failed = response_validate(&cv, &own.data, &o, err);
    if (!failed) {
        memcpy(j->choice, cv.choice, d->n * sizeof *j->choice);
        for (size_t i = 0; i < d->n * d->m && l->in_mean; i++) j->sums[i] += cv.predicted[i];
        response_cv_fini(&cv);
    }
    choice_taken_fini(&own);
    return failed;
}

static int judge(const struct judge *j, const struct learner *l, struct error *err)
{
    const struct response_data *d = j->data;
    struct choice_score *score = &j->out->scores[j->out->n];
    if (l->is_highest && !j->set->are_trials) return 0;
    if (l->family && learned_choices(j, l, err) < 0) return error_while(err, "%s", l->name);
    for (size_t i = 0; i < d->n && l->is_highest; i++) {
        double x[RESPONSE_POINTS_MAX];
        for (size_t c = 0; c + 1 < d->m; c++) x[c] = d->x[i * d->k + j->set->columns[c]];
        j->choice[i] = highest(x, d->m - 1, d->m);
    }
    for (size_t i = 0; i < d->n && !l->is_highest && !l->family; i++)
        j->choice[i] = highest(j->sums + i * d->m, d->m, d->m);
    *score = (struct choice_score){.learner = l->name, .columns = j->set->name};
    j->out->n++;
    return compare(score, d, j->choice, j->single, j->set->are_trials ? j->trials : NULL, j->seed, err);
}

/* Copies of the rows of all groups but one. */
static int others_init(struct response_subset *out, const struct response_data *d, size_t group, struct error *err)
{
    size_t *rows = calloc(d->n + 1, sizeof *rows), n = 0;
    if (!rows) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < d->n; i++)
        if (d->group[i] != group) rows[n++] = i;
    const int failed = response_subset_init(out, d, rows, n, err);
    free(rows);
    return failed;
}

/* ---- trials of a few policies ---- */

/* Each group's shortlist is of the other groups, and so is the model that compares its trials. */
struct few {
    size_t (*lists)[CHOICE_FEW_MAX];
    size_t *fastest[CHOICE_FEW_MAX + 1], *learned[CHOICE_FEW_MAX + 1]; /* each row's choice of the first n of a list */
};
static int choose_of_few(const struct judge *j, const struct few *f, size_t n, const struct response_data *others,
                         size_t group, struct error *err)
{
    const struct response_data *d = j->data;
    const size_t *list = f->lists[group];
    struct choice_taken learn_from, all;
    struct response_predictor *p = NULL;
    if (choice_take_few(&learn_from, others, j->set, list, n, err) < 0) return -1;
    int failed = choice_take_few(&all, d, j->set, list, n, err);
    if (!failed) failed = response_fit(&p, &response_ridge, &learn_from.data, NULL, err);
    for (size_t i = 0; i < d->n && !failed; i++) {
        double gains[RESPONSE_POINTS_MAX], trials[RESPONSE_POINTS_MAX] = {0};
        const double *x = all.x + i * (n - 1);
        if (d->group[i] != group) continue;
        response_predict(p, x, gains, NULL);
        memcpy(trials + 1, x, (n - 1) * sizeof *x);
        f->learned[n][i] = list[highest(gains, n, n)], f->fastest[n][i] = list[highest(trials, n, n)];
    }
    response_predictor_free(p);
    choice_taken_fini(&learn_from);
    choice_taken_fini(&all);
    return failed;
}

static int choose_for_group(const struct judge *j, const struct few *f, size_t group, struct error *err)
{
    const size_t m = j->data->m;
    struct response_subset others;
    if (others_init(&others, j->data, group, err) < 0) return -1;
    int failed = choice_shortlist(f->lists[group], m < CHOICE_FEW_MAX ? m : CHOICE_FEW_MAX, &others.data, err);
    for (size_t n = 2; n <= CHOICE_FEW_MAX && n < m && !failed; n++)
        failed = choose_of_few(j, f, n, &others.data, group, err);
    response_subset_fini(&others);
    return failed;
}

static int score_few(const struct judge *j, const struct few *f, size_t n, const char *learner, const size_t *choice,
                     struct error *err)
{
    static const char *const names[CHOICE_FEW_MAX + 1] = {"",         "",         "2 trials", "3 trials", "4 trials",
                                                          "5 trials", "6 trials", "7 trials", "8 trials"};
    struct choice_score *score = &j->out->scores[j->out->n++];
    struct choice_trials trials = *j->trials;
    trials.tried = f->lists[0], trials.n = n, trials.stride = CHOICE_FEW_MAX;
    *score = (struct choice_score){.learner = learner, .columns = names[n]};
    return compare(score, j->data, choice, j->single, &trials, j->seed, err);
}

static int judge_few(const struct judge *j, struct error *err)
{
    const struct response_data *d = j->data;
    const size_t n_lists = d->n_groups * CHOICE_FEW_MAX;
    size_t *memory = calloc(n_lists + 2 * d->n * (CHOICE_FEW_MAX + 1), sizeof *memory);
    struct few f = {.lists = (size_t(*)[CHOICE_FEW_MAX])memory};
    if (!memory) return error_set(err, ERR_MEMORY, "out of memory");
    for (size_t n = 0; n <= CHOICE_FEW_MAX; n++)
        f.fastest[n] = memory + n_lists + 2 * n * d->n, f.learned[n] = f.fastest[n] + d->n;
    int failed = 0;
    for (size_t g = 0; g < d->n_groups && !failed; g++) failed = choose_for_group(j, &f, g, err);
    for (size_t n = 2; n <= CHOICE_FEW_MAX && n < d->m && !failed; n++) {
        failed = score_few(j, &f, n, "fastest trial", f.fastest[n], err);
        if (!failed) failed = score_few(j, &f, n, "ridge", f.learned[n], err);
    }
    free(memory);
    return failed;
}

/* Of each row the policy that is best, or most often best, of the other groups. */
static int judge_fixed(struct judge *j, size_t *single, struct error *err)
{
    static const char *const names[N_FIXED] = {"best single", "most often best"};
    const struct response_data *d = j->data;
    int failed = 0;
    for (size_t g = 0; g < d->n_groups && !failed; g++) {
        struct response_subset others;
        size_t best = 0;
        failed = others_init(&others, d, g, err);
        if (failed) break;
        const size_t frequent = most_frequent(d, g);
        failed = choice_single(&best, &others.data, err);
        for (size_t i = 0; i < d->n; i++)
            if (d->group[i] == g) single[i] = best, j->choice[i] = frequent;
        response_subset_fini(&others);
    }
    for (size_t f = 0; f < N_FIXED && !failed; f++) {
        struct choice_score *score = &j->out->scores[j->out->n++];
        *score = (struct choice_score){.learner = names[f], .columns = ""};
        failed = compare(score, d, f ? j->choice : single, single, NULL, j->seed, err);
    }
    return failed;
}

void choice_validation_fini(struct choice_validation *v)
{
    free(v->scores);
    memset(v, 0, sizeof *v);
}

static int check(const struct response_data *d, const struct choice_columns *sets, size_t n_sets, struct error *err)
{
    if (d->n_groups < 3)
        return error_set(err, ERR_INPUT, "%zu families: three are needed, to leave one out and choose by the others",
                         d->n_groups);
    for (size_t s = 0; s < n_sets; s++)
        if (sets[s].n > RESPONSE_FEATURES_MAX || (sets[s].are_trials && sets[s].n + 1 != d->m))
            return error_set(err, ERR_INPUT, "%zu columns '%s' of %zu policies: at most %d, and a trial of each",
                             sets[s].n, sets[s].name, d->m, RESPONSE_FEATURES_MAX);
    return 0;
}

int choice_validate(struct choice_validation *out, const struct response_data *d, const struct choice_columns *sets,
                    size_t n_sets, const struct choice_trials *trials, uint64_t seed, struct error *err)
{
    *out = (struct choice_validation){.n = 0};
    if (check(d, sets, n_sets, err) < 0) return -1;
    size_t *lists = calloc(2 * d->n + 1, sizeof *lists);
    double *numbers = calloc(d->n * d->m + 1, sizeof *numbers);
    out->scores = calloc(N_FIXED + N_LEARNERS * n_sets + 2 * CHOICE_FEW_MAX, sizeof *out->scores);
    struct judge j = {.out = out,
                      .data = d,
                      .trials = trials,
                      .single = lists,
                      .choice = lists + d->n,
                      .sums = numbers,
                      .seed = seed};
    int failed = out->scores && lists && numbers ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    if (!failed) {
        for (size_t i = 0; i < d->n; i++) numbers[i] = best_of(d, i);
        out->oracle = response_group_mean(d, numbers, NULL);
        failed = choice_single(&out->single, d, err);
        if (!failed) failed = judge_fixed(&j, lists, err);
    }
    for (size_t s = 0; s < n_sets && !failed; s++) {
        j.set = &sets[s];
        memset(numbers, 0, d->n * d->m * sizeof *numbers);
        for (size_t l = 0; l < N_LEARNERS && !failed; l++) failed = judge(&j, &learners[l], err);
    }
    if (trials && !failed) {
        j.set = trials->set;
        failed = judge_few(&j, err);
    }
    free(lists);
    free(numbers);
    if (failed) choice_validation_fini(out);
    return failed;
}
