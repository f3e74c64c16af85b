/* Choices that a figure learns, and judges on programs that they were not learned from: its `learn` and `choose`
 * (experiments/figures/README.md). What is asked for first is worked out then and kept. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/validate.h"
#include "studies/repro/figure.h"
#include "workload/spec_read.h"

enum { LESSONS_MAX = 8, FEATURES_MAX = 16, OPTIONS_MAX = 32, FAMILIES_MAX = 32 };
/* One comparison of a feature with a threshold, with an option on either side; a value at the threshold is below. */
struct rule {
    size_t feature, below, above;
    double threshold;
    bool compares;
};
struct lesson {
    const struct yaml_node *node;
    char name[64], said[160];
    size_t *rows, n;     /* benchmarks that it learns from */
    size_t *row_of;      /* of each benchmark; n: it does not learn from it */
    const char **groups; /* of each row: what is left out together with it */
    const char *features[FEATURES_MAX];
    double *x, *y; /* x: columns, one after another */
    size_t k;
    /* learn */
    struct groups rows_groups;
    struct folds folds;
    bool is_tried[FAMILIES_MAX], is_fitted_to_all[FAMILIES_MAX], was_compared;
    double *predicted[FAMILIES_MAX]; /* of each row, its group left out; NULL: it could not be fitted */
    struct predictor *all[FAMILIES_MAX];
    /* choose */
    size_t n_options, points[OPTIONS_MAX];
    double numbers[OPTIONS_MAX];
    double *losses, *weights; /* losses: row by row, of each option */
    bool takes_last, has_rule_of_all;
    struct rule of_all, *rules; /* rules: of each row, its program left out */
    bool *has_rule;
};
struct figure_lessons {
    struct lesson lessons[LESSONS_MAX];
    size_t n;
};

/* ---- formulas of a lesson ---- */

/* Of each row; NULL: out of memory. The figure was checked before, so its formulas can be read. */
static bool values_of(const struct figure_scope *s, const struct lesson *l, const struct yaml_node *node, double *out)
{
    struct formula *f = malloc(sizeof *f);
    const bool can = f && formula_of_node(f, s, node, true) == 0;
    for (size_t i = 0; can && i < l->n; i++) out[i] = s->value(s, f, (long)l->rows[i], 0);
    free(f);
    return can;
}

/* Rows with what is known of them; false: out of memory. */
static bool take_rows(const struct figure_scope *s, struct lesson *l)
{
    const struct yaml_node *leave = yaml_get(l->node, "leave_out"), *features = yaml_get(l->node, "features"),
                           *from = yaml_get(l->node, "from");
    const bool by_family = leave && strcmp(leave->text, "families") == 0, learns = yaml_get(l->node, "target") != NULL;
    l->rows = s->members(s, from->text, &l->n);
    l->row_of = calloc(s->data->n + 1, sizeof *l->row_of);
    l->groups = calloc(l->n + 1, sizeof *l->groups);
    l->x = calloc((l->n + 1) * FEATURES_MAX, sizeof *l->x);
    l->y = calloc(l->n + 1, sizeof *l->y);
    if (!l->rows || !l->row_of || !l->groups || !l->x || !l->y) return false;
    for (size_t b = 0; b < s->data->n; b++) l->row_of[b] = l->n;
    for (size_t i = 0; i < l->n; i++) {
        const struct workload *w = s->data->benchmarks[l->rows[i]].workload;
        l->row_of[l->rows[i]] = i;
        l->groups[i] = by_family && w ? workload_family(w) : figure_program(s, l->rows[i]);
    }
    if (learns) l->features[l->k++] = "intercept";
    for (size_t i = 0; learns && i < l->n; i++) l->x[i] = 1;
    for (size_t f = 0; features && f < features->n; f++) {
        if (!values_of(s, l, features->items[f], l->x + l->k * l->n)) return false;
        l->features[l->k++] = features->keys[f];
    }
    return !learns || values_of(s, l, yaml_get(l->node, "target"), l->y);
}

/* ---- learn ---- */

static struct glm_data data_of(const struct lesson *l)
{
    return (struct glm_data){
        .n = l->n, .k = l->k, .x = l->x, .y = l->y, .names = l->features, .source = l->node->keys ? l->name : ""};
}

static bool is_wanted(const struct lesson *l, size_t family)
{
    const struct yaml_node *list = yaml_get(l->node, "families");
    for (size_t i = 0; list && i < list->n; i++)
        if (strcmp(list->items[i]->text, families[family]->name) == 0) return true;
    return !list;
}

static size_t family_of(const struct lesson *l, const char *name)
{
    size_t f = 0;
    while (f < n_families && !(*name ? strcmp(families[f]->name, name) == 0 : is_wanted(l, f))) f++;
    return f;
}

/* Its predictions for each fold of rows that it was not fitted to, by least absolute error. */
static const double *cross_validated(const struct figure_scope *s, struct lesson *l, size_t family)
{
    const struct family *f = families[family];
    const struct glm_data data = data_of(l);
    struct cv_options options = {.family = f, .axes = f->axes, .n_axes = f->n_axes, .loss = LOSS_ABSOLUTE, .seed = 1};
    struct cv_result cv;
    struct error err;
    if (l->is_tried[family] || !l->folds.n_folds) return l->predicted[family];
    l->is_tried[family] = true;
    family_defaults(f, &options.settings);
    if (cross_validate(&cv, &data, &l->rows_groups, &l->folds, &options, &err) < 0) {
        repro_deviation(s->report, "family %s could not be fitted to every fold: %.200s", f->name, err.text);
        return NULL;
    }
    if ((l->predicted[family] = calloc(l->n, sizeof(double))))
        memcpy(l->predicted[family], cv.predicted, l->n * sizeof(double));
    cv_result_fini(&cv);
    return l->predicted[family];
}

/* Fitted to all rows; NULL: it could not be. */
static const struct predictor *fitted(const struct figure_scope *s, struct lesson *l, size_t family)
{
    const struct family *f = families[family];
    const struct glm_data data = data_of(l);
    struct family_settings settings;
    struct error err;
    if (l->is_fitted_to_all[family] || !l->n) return l->all[family];
    l->is_fitted_to_all[family] = true;
    family_defaults(f, &settings);
    if (tune_settings(&settings, f, &data, &l->rows_groups, f->axes, f->n_axes, 0, LOSS_ABSOLUTE, 1, &err) < 0 ||
        predictor_fit(&l->all[family], f, &data, &settings, &err) < 0)
        repro_deviation(s->report, "family %s could not be fitted to all: %.200s", f->name, err.text);
    return l->all[family];
}

static double predict(const struct figure_scope *s, struct lesson *l, size_t family, size_t b)
{
    double x[FEATURES_MAX] = {1};
    const struct yaml_node *features = yaml_get(l->node, "features");
    const struct predictor *all = fitted(s, l, family);
    struct formula *f = malloc(sizeof *f);
    for (size_t i = 0; all && f && i < features->n; i++)
        x[i + 1] = formula_of_node(f, s, features->items[i], true) < 0 ? NAN : s->value(s, f, (long)b, 0);
    free(f);
    return all ? predictor_predict(all, x, 0) : NAN;
}

/* ---- choose ---- */

static bool take_options(const struct figure_scope *s, struct lesson *l)
{
    struct figure_scope each = *s;
    const struct yaml_node *among = yaml_get(l->node, "among");
    struct formula *f = malloc(sizeof *f);
    for (size_t p = 1; among->kind == YAML_SCALAR && p < s->data->n_points && l->n_options < OPTIONS_MAX; p++)
        if (fnmatch(among->text + strlen("points "), s->data->points[p], 0) == 0) l->points[l->n_options++] = p;
    for (size_t i = 0; among->kind == YAML_LIST && i < among->n; i++)
        l->numbers[l->n_options++] = strtod(among->items[i]->text, NULL);
    l->losses = calloc(l->n * l->n_options + 1, sizeof *l->losses);
    l->weights = calloc(l->n + 1, sizeof *l->weights);
    l->rules = calloc(l->n + 1, sizeof *l->rules);
    l->has_rule = calloc(l->n + 1, sizeof *l->has_rule);
    const bool can = f && l->losses && l->weights && l->rules && l->has_rule &&
                     formula_of_node(f, s, yaml_get(l->node, "lose"), true) == 0;
    for (size_t i = 0; can && i < l->n; i++) {
        double same = 0;
        for (size_t k = 0; k < l->n; k++) same += strcmp(l->groups[i], l->groups[k]) == 0;
        l->weights[i] = yaml_get(l->node, "weigh") ? 1 / same : 1;
        for (size_t o = 0; o < l->n_options; o++) {
            each.option = l->numbers[o];
            l->losses[i * l->n_options + o] = each.value(&each, f, (long)l->rows[i], l->points[o]);
        }
    }
    free(f);
    l->takes_last = yaml_get(l->node, "of_equals") != NULL;
    return can;
}

static size_t least_of(const struct lesson *l, const double *sums)
{
    size_t best = l->takes_last ? l->n_options - 1 : 0;
    for (size_t i = 0; i < l->n_options; i++) {
        const size_t o = l->takes_last ? l->n_options - 1 - i : i;
        if (sums[o] < sums[best]) best = o;
    }
    return best;
}

static bool is_fitted_to(const struct lesson *l, size_t row, const char *without)
{
    return !without || strcmp(l->groups[row], without) != 0;
}

/* What each option loses on either side of a threshold of x. Returns the least value above it; INFINITY: none. */
static double split(const struct lesson *l, const char *without, const double *x, double threshold, double *below,
                    double *above)
{
    double next = INFINITY;
    for (size_t o = 0; o < l->n_options; o++) below[o] = above[o] = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (!is_fitted_to(l, i, without)) continue;
        const bool is_below = !x || x[i] <= threshold;
        if (!is_below) next = fmin(next, x[i]);
        for (size_t o = 0; o < l->n_options; o++)
            *(is_below ? &below[o] : &above[o]) += l->weights[i] * l->losses[i * l->n_options + o];
    }
    return next;
}

/* Of all options, features, thresholds and pairs of options what loses least over the rows whose program is not
 * `without` (NULL: over all); no comparison unless one is better. */
static struct rule fit(const struct lesson *l, const char *without)
{
    double below[OPTIONS_MAX], above[OPTIONS_MAX];
    split(l, without, NULL, 0, below, above);
    struct rule best = {.below = least_of(l, below), .above = least_of(l, below)};
    double least = below[best.below];
    for (size_t f = 0; f < l->k; f++)
        for (size_t i = 0; i < l->n; i++) {
            const double *x = l->x + f * l->n;
            if (!is_fitted_to(l, i, without)) continue;
            const double next = split(l, without, x, x[i], below, above);
            const size_t low = least_of(l, below), high = least_of(l, above);
            if (isinf(next) || !(below[low] + above[high] < least - 1e-12)) continue;
            least = below[low] + above[high];
            best = (struct rule){f, low, high, (x[i] + next) / 2, true};
        }
    return best;
}

/* The option for a benchmark that it learned from, by a rule of the other programs or of all. */
static size_t choice_of(struct lesson *l, size_t row, bool of_all)
{
    if (of_all && !l->has_rule_of_all) l->of_all = fit(l, NULL), l->has_rule_of_all = true;
    if (!of_all && !l->has_rule[row]) l->rules[row] = fit(l, l->groups[row]), l->has_rule[row] = true;
    const struct rule *rule = of_all ? &l->of_all : &l->rules[row];
    return rule->compares && l->x[rule->feature * l->n + row] > rule->threshold ? rule->above : rule->below;
}

/* One that it did not learn from has the rule of all, if that compares nothing. */
static size_t option_of(const struct figure_scope *s, struct lesson *l, size_t b, bool of_all)
{
    (void)s;
    if (!l->n || !l->n_options) return l->n_options;
    if (l->row_of[b] < l->n) return choice_of(l, l->row_of[b], of_all);
    if (!l->has_rule_of_all) l->of_all = fit(l, NULL), l->has_rule_of_all = true;
    return l->of_all.compares ? l->n_options : l->of_all.below;
}

/* ---- finding a lesson ---- */

static void lesson_fini(struct lesson *l)
{
    free(l->rows);
    free(l->row_of);
    free(l->groups);
    free(l->x);
    free(l->y);
    free(l->losses);
    free(l->weights);
    free(l->rules);
    free(l->has_rule);
    for (size_t f = 0; f < FAMILIES_MAX; f++) {
        free(l->predicted[f]);
        predictor_free(l->all[f]);
    }
    groups_fini(&l->rows_groups);
    folds_fini(&l->folds);
}

void figure_lessons_free(struct figure_lessons *all)
{
    for (size_t i = 0; all && i < all->n; i++) lesson_fini(&all->lessons[i]);
    free(all);
}

static const struct yaml_node *entry(const struct figure_scope *s, const char *name)
{
    const struct yaml_node *learned = figure_entry(s, "learn", name);
    return learned ? learned : figure_entry(s, "choose", name);
}

/* Loops and draws around the formula that asks have no part in it. */
static void begin(const struct figure_scope *s, struct lesson *l)
{
    struct figure_scope own = *s;
    struct error err;
    own.n_vars = 0;
    own.drawn = NULL;
    if (!take_rows(&own, l) || (yaml_get(l->node, "lose") && !take_options(&own, l))) s->report->out_of_memory = true;
    if (s->report->out_of_memory) l->n = 0;
    if (!l->n || !yaml_get(l->node, "target")) return;
    if (groups_init(&l->rows_groups, l->groups, l->n, &err) < 0) s->report->out_of_memory = true;
    else if (folds_leave_one_group_out(&l->folds, &l->rows_groups, &err) < 0)
        repro_deviation(s->report, "not cross-validated: %s", err.text);
}

static struct lesson *find(const struct figure_scope *s, const char *name)
{
    struct figure_lessons *all = s->lessons;
    for (size_t i = 0; all && i < all->n; i++)
        if (strcmp(all->lessons[i].name, name) == 0) return &all->lessons[i];
    if (!all || all->n == LESSONS_MAX || !s->data->n) return NULL;
    struct lesson *l = &all->lessons[all->n++];
    l->node = entry(s, name);
    snprintf(l->name, sizeof l->name, "%s", name);
    begin(s, l);
    return l;
}

/* ---- what formulas ask ---- */

double figure_predicted(const struct figure_scope *s, const char *name, const char *family, size_t b, bool of_all)
{
    struct lesson *l = find(s, name);
    const size_t f = l ? family_of(l, family) : n_families;
    struct figure_scope own = *s;
    own.n_vars = 0;
    if (!l || f == n_families) return NAN;
    if (of_all || l->row_of[b] == l->n) return predict(&own, l, f, b);
    const double *predicted = cross_validated(s, l, f);
    return predicted ? predicted[l->row_of[b]] : NAN;
}

/* exp(weight) is what a step of one in the feature multiplies a prediction by; exp(that of the intercept) is the
 * prediction where all others are 0. */
double figure_weight(const struct figure_scope *s, const char *name, const char *feature)
{
    double zero[FEATURES_MAX] = {0}, one[FEATURES_MAX] = {0};
    struct lesson *l = find(s, name);
    const struct predictor *all = l ? fitted(s, l, family_of(l, "")) : NULL;
    for (size_t f = 0; all && f < l->k; f++) {
        if (strcmp(l->features[f], feature) != 0) continue;
        one[f] = 1;
        const double weight = log(predictor_predict(all, one, 0) / predictor_predict(all, zero, 0));
        return f ? weight : weight + log(predictor_predict(all, zero, 0));
    }
    return NAN;
}

size_t figure_chosen_point(const struct figure_scope *s, const char *name, size_t b, bool of_all)
{
    struct lesson *l = find(s, name);
    const size_t o = l ? option_of(s, l, b, of_all) : 0;
    return !l || o == l->n_options || !l->points[o] ? s->data->n_points : l->points[o];
}

double figure_chosen_number(const struct figure_scope *s, const char *name, size_t b, bool of_all)
{
    struct lesson *l = find(s, name);
    const size_t o = l ? option_of(s, l, b, of_all) : 0;
    return !l || o == l->n_options ? NAN : l->numbers[o];
}

const char *figure_rule_text(const struct figure_scope *s, const char *name)
{
    struct lesson *l = find(s, name);
    if (!l || !l->n || !l->n_options) return "none";
    if (!l->has_rule_of_all) l->of_all = fit(l, NULL), l->has_rule_of_all = true;
    const struct rule *r = &l->of_all;
    const char *below = s->data->points[l->points[r->below]], *above = s->data->points[l->points[r->above]];
    if (r->compares)
        snprintf(l->said, sizeof l->said, "%.40s where %.40s is above %.3g, otherwise %.40s", above,
                 l->features[r->feature], r->threshold, below);
    else snprintf(l->said, sizeof l->said, "always %.40s", below);
    return l->said;
}

double figure_compared(const struct figure_scope *s, const char *name, enum figure_paired what, const double *values)
{
    struct lesson *l = find(s, name);
    const struct bootstrap plan = {.groups = l ? &l->rows_groups : NULL, .replicates = 2000, .level = 0.95, .seed = 1};
    struct paired paired;
    struct error err;
    if (!l || !l->rows_groups.n_groups) return NAN;
    for (size_t i = 0; i < 2 * l->n; i++)
        if (isnan(values[i])) return NAN;
    if (paired_compare(&paired, values, values + l->n, &plan, &err) < 0) {
        if (!l->was_compared) repro_deviation(s->report, "not compared row by row: %.200s", err.text);
        l->was_compared = true;
        return NAN;
    }
    const double of[N_PAIRED] = {paired.difference, paired.low, paired.high, paired.p_groups};
    return of[what];
}

const size_t *figure_learned_rows(const struct figure_scope *s, const char *name, size_t *n)
{
    struct lesson *l = find(s, name);
    *n = l ? l->n : 0;
    return l ? l->rows : NULL;
}

/* ---- families ---- */

const char *figure_family(const struct figure_scope *s, const char *name, size_t *at)
{
    struct lesson *l = find(s, name);
    for (; *at < n_families; ++*at) {
        if (l && (!is_wanted(l, *at) || !cross_validated(s, l, *at))) continue;
        return families[(*at)++]->name;
    }
    return NULL;
}

const char *figure_best_family(struct figure_scope *s, const char *name)
{
    const struct yaml_node *best = yaml_get(entry(s, name), "best");
    const char *family, *of_least = "none";
    double least = INFINITY;
    struct formula *f = malloc(sizeof *f);
    for (size_t at = 0; s->data->n && f && best && (family = figure_family(s, name, &at));) {
        struct figure_scope own = *s;
        own.n_vars = 1;
        snprintf(own.vars[0].name, sizeof own.vars[0].name, "family");
        snprintf(own.vars[0].text, sizeof own.vars[0].text, "%s", family);
        if (formula_of_node(f, &own, best, false) < 0) break;
        const double value = own.value(&own, f, NO_BENCHMARK, 0);
        if (value < least) least = value, of_least = family;
    }
    free(f);
    return of_least;
}

/* ---- checking ---- */

static int check_formula(const struct figure_scope *s, const struct yaml_node *node, bool of_benchmark)
{
    struct formula *f = malloc(sizeof *f);
    const int result =
        f ? formula_of_node(f, s, node, of_benchmark) : error_set(s->err, ERR_MEMORY, "out of memory for a formula");
    free(f);
    return result;
}

static int check_features(const struct figure_scope *s, const struct yaml_node *features)
{
    if (!features) return 0;
    if (features->kind != YAML_MAP || features->n >= FEATURES_MAX)
        return figure_complain(s, features, "'features' is a map of at most 15 formulas by name");
    for (size_t i = 0; i < features->n; i++)
        if (check_formula(s, features->items[i], true) < 0) return -1;
    return 0;
}

static int check_families(const struct figure_scope *s, const struct yaml_node *list)
{
    if (list && list->kind != YAML_LIST) return figure_complain(s, list, "'families' is a list, as in [ridge]");
    for (size_t i = 0; list && i < list->n; i++)
        if (list->items[i]->kind != YAML_SCALAR || !family_find(list->items[i]->text))
            return figure_complain(s, list->items[i], "'poise help' of train lists families of models");
    return 0;
}

static int check_from(const struct figure_scope *s, const struct yaml_node *node)
{
    const struct yaml_node *from = yaml_get(node, "from"), *leave = yaml_get(node, "leave_out");
    if (!from || from->kind != YAML_SCALAR || !figure_entry(s, "groups", from->text))
        return figure_complain(s, node, "'from' names the group that is learned from");
    if (leave &&
        (leave->kind != YAML_SCALAR || (strcmp(leave->text, "families") != 0 && strcmp(leave->text, "programs") != 0)))
        return figure_complain(s, leave, "leave_out: programs or families");
    return check_features(s, yaml_get(node, "features"));
}

static int check_learned(struct figure_scope *s, const struct yaml_node *node)
{
    static const char *const keys[] = {"from", "target", "features", "leave_out", "families", "best"};
    const struct yaml_node *target = yaml_get(node, "target"), *best = yaml_get(node, "best");
    if (node->kind != YAML_MAP || !target || !yaml_get(node, "features"))
        return figure_complain(s, node, "'learn' has {from, target, features} by name");
    if (spec_keys(s->file, node, keys, COUNT_OF(keys), s->err) < 0 || check_from(s, node) < 0 ||
        check_families(s, yaml_get(node, "families")) < 0 || check_formula(s, target, true) < 0)
        return -1;
    snprintf(s->vars[0].name, sizeof s->vars[0].name, "family");
    snprintf(s->vars[0].text, sizeof s->vars[0].text, "%s", families[0]->name);
    s->n_vars = 1;
    const int result = best ? check_formula(s, best, false) : 0;
    s->n_vars = 0;
    return result;
}

static int check_choice(struct figure_scope *s, const struct yaml_node *node)
{
    static const char *const keys[] = {"from", "among", "lose", "features", "weigh", "of_equals"};
    const struct yaml_node *among = yaml_get(node, "among"), *lose = yaml_get(node, "lose"),
                           *equals = yaml_get(node, "of_equals");
    if (node->kind != YAML_MAP || !among || !lose)
        return figure_complain(s, node, "'choose' has {from, among, lose} by name");
    if (spec_keys(s->file, node, keys, COUNT_OF(keys), s->err) < 0 || check_from(s, node) < 0) return -1;
    if (among->kind == YAML_LIST ? among->n == 0 || among->n > OPTIONS_MAX
                                 : among->kind != YAML_SCALAR || strncmp(among->text, "points ", 7) != 0)
        return figure_complain(s, among, "among: \"points GLOB\", or a list of at most 32 numbers");
    if (equals && (equals->kind != YAML_SCALAR || strcmp(equals->text, "last") != 0))
        return figure_complain(s, equals, "of_equals: last, or leave it out for the first");
    return check_formula(s, lose, true);
}

int figure_check_lessons(struct figure_scope *s)
{
    static const char *const maps[] = {"learn", "choose"};
    for (size_t m = 0; m < COUNT_OF(maps); m++) {
        const struct yaml_node *map = yaml_get(s->figure, maps[m]);
        if (map && map->kind != YAML_MAP) return figure_complain(s, map, "a map of names is needed here");
        for (size_t i = 0; map && i < map->n; i++)
            if ((m == 0 ? check_learned : check_choice)(s, map->items[i]) < 0) return -1;
    }
    s->lessons = calloc(1, sizeof *s->lessons);
    return s->lessons ? 0 : error_set(s->err, ERR_MEMORY, "out of memory for what a figure learns");
}
