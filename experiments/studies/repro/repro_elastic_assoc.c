/* Associativity of an elastic L1 chosen for each kernel [ELASTIC §7], over the runs of Fig. 16: a rule on what a launch
 * shows of itself, judged on benchmarks that it was not fitted to.
 *
 * The regret of a choice is the share of the speed at the launch's best fixed associativity that it loses. The rule
 * compares one feature with a threshold and knows an associativity for each side; of all features, thresholds and
 * pairs it is the one with the least mean regret over the benchmarks that it is fitted to, and no comparison at all
 * unless one is better. Launches of a benchmark count as one together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/repro_regret.h"
#include "studies/repro/repro_own.h"

enum { WAYS = 9, FULL = WAYS - 1, FEATURES = 6 }; /* 1, 2, 4 .. 256 ways */
static const char *const feature_names[FEATURES] = {"accesses a load",     "hit rate",
                                                    "word misses a miss",  "partial misses an access",
                                                    "evictions an access", "loads an instruction"};
struct judged {
    size_t b; /* its number in the data */
    const char *benchmark;
    double x[FEATURES], regret[WAYS], weight;
};
struct rule {
    size_t feature, below, above; /* ways, as powers of two; a value at the threshold is below */
    double threshold;
    bool compares;
};

static size_t point_with(const struct repro_data *data, const char *organisation, size_t log2_ways)
{
    char name[32];
    snprintf(name, sizeof name, "%s %u", organisation, 1u << log2_ways);
    return repro_point(data, name);
}

/* Of the launch's run at full associativity. */
static void features_of(const struct repro_data *data, size_t b, double x[FEATURES])
{
    const size_t p = point_with(data, "elastic", FULL);
    const double accesses = repro_value(data, b, p, "l1d_load_accesses"),
                 loads = repro_value(data, b, p, "global_loads");
    x[0] = regret_share(accesses, loads);
    x[1] = regret_share(repro_value(data, b, p, "l1d_load_hits"), accesses);
    x[2] = regret_share(repro_value(data, b, p, "l1d_word_misses"), repro_value(data, b, p, "l1d_misses"));
    x[3] = regret_share(repro_value(data, b, p, "l1d_partial_misses"), accesses);
    x[4] = regret_share(repro_value(data, b, p, "l1d_evictions"), accesses);
    x[5] = regret_share(loads, repro_value(data, b, p, "warp_insts"));
}

/* Launches that load anything. */
static size_t launches_of(const struct repro_data *data, struct judged *out)
{
    size_t n = 0;
    for (size_t b = 0; b < data->n; b++) {
        struct judged *l = &out[n];
        double most = 0;
        *l = (struct judged){.b = b, .benchmark = data->benchmarks[b].workload->name};
        if (!(repro_value(data, b, point_with(data, "elastic", FULL), "l1d_load_accesses") > 0)) continue;
        features_of(data, b, l->x);
        for (size_t w = 0; w < WAYS; w++)
            most = fmax(most, l->regret[w] = repro_speedup(data, b, point_with(data, "elastic", w)));
        for (size_t w = 0; w < WAYS; w++) l->regret[w] = 1 - l->regret[w] / most;
        n++;
    }
    for (size_t i = 0; i < n; i++) {
        double same = 0;
        for (size_t k = 0; k < n; k++) same += strcmp(out[i].benchmark, out[k].benchmark) == 0;
        out[i].weight = 1 / same;
    }
    return n;
}

/* ---- the rule ---- */

/* Of equals the highest associativity. */
static size_t least_of(const double sums[WAYS])
{
    size_t best = FULL;
    for (size_t w = FULL; w-- > 0;)
        if (sums[w] < sums[best]) best = w;
    return best;
}

static bool is_fitted_to(const struct judged *l, const char *without)
{
    return !without || strcmp(l->benchmark, without) != 0;
}

/* What each associativity loses on either side of a threshold. Returns the least value above it; INFINITY: none. */
static double split(const struct judged *l, size_t n, const char *without, size_t feature, double threshold,
                    double below[WAYS], double above[WAYS])
{
    double next = INFINITY;
    for (size_t w = 0; w < WAYS; w++) below[w] = above[w] = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_fitted_to(&l[i], without)) continue;
        const bool is_below = l[i].x[feature] <= threshold;
        if (!is_below) next = fmin(next, l[i].x[feature]);
        for (size_t w = 0; w < WAYS; w++) *(is_below ? &below[w] : &above[w]) += l[i].weight * l[i].regret[w];
    }
    return next;
}

/* The rule for the launches that are not of the benchmark `without` (NULL: for all). */
static struct rule fit(const struct judged *l, size_t n, const char *without)
{
    double below[WAYS], above[WAYS];
    split(l, n, without, 0, INFINITY, below, above);
    struct rule best = {.below = least_of(below), .above = least_of(below)};
    double least = below[best.below];
    for (size_t f = 0; f < FEATURES; f++)
        for (size_t i = 0; i < n; i++) {
            if (!is_fitted_to(&l[i], without)) continue;
            const double next = split(l, n, without, f, l[i].x[f], below, above);
            const size_t low = least_of(below), high = least_of(above);
            if (isinf(next) || !(below[low] + above[high] < least - 1e-12)) continue;
            least = below[low] + above[high];
            best = (struct rule){f, low, high, (l[i].x[f] + next) / 2, true};
        }
    return best;
}

static size_t choice_of(const struct rule *rule, const struct judged *l)
{
    return rule->compares && l->x[rule->feature] > rule->threshold ? rule->above : rule->below;
}

/* ---- what is compared ---- */

/* Of each launch, as powers of two. */
struct choices {
    const char *title;
    size_t *ways;
};
enum { CHOICES = 6 };

static void choose(const struct judged *l, size_t n, struct choices choices[CHOICES])
{
    const struct rule of_all = fit(l, n, NULL);
    for (size_t i = 0; i < n; i++) {
        double sums[WAYS], none[WAYS];
        const struct rule unseen = fit(l, n, l[i].benchmark);
        split(l, n, l[i].benchmark, 0, INFINITY, sums, none);
        const size_t ways[CHOICES] = {
            FULL, 0, least_of(sums), choice_of(&unseen, &l[i]), choice_of(&of_all, &l[i]), least_of(l[i].regret)};
        for (size_t k = 0; k < CHOICES; k++) choices[k].ways[i] = ways[k];
    }
}

/* Means over benchmarks, in percent: of the regret, and of the gain over a sectored, fully associative L1. */
static double mean_regret(const struct judged *l, size_t n, const size_t *ways)
{
    double sum = 0, benchmarks = 0;
    for (size_t i = 0; i < n; i++) sum += l[i].weight * l[i].regret[ways[i]], benchmarks += l[i].weight;
    return regret_share(100 * sum, benchmarks);
}
static double mean_gain(const struct repro_data *data, const struct judged *l, size_t n, const size_t *ways)
{
    double sum = 0, benchmarks = 0;
    for (size_t i = 0; i < n; i++) {
        const double elastic = repro_speedup(data, l[i].b, point_with(data, "elastic", ways[i])),
                     sector = repro_speedup(data, l[i].b, point_with(data, "sector", FULL));
        sum += l[i].weight * (elastic / sector - 1);
        benchmarks += l[i].weight;
    }
    return regret_share(100 * sum, benchmarks);
}

static void say_rule(const struct rule *rule, struct repro_report *report)
{
    if (rule->compares)
        repro_deviation(report, "the rule fitted to all benchmarks: %u ways where %s is above %.3g, otherwise %u",
                        1u << rule->above, feature_names[rule->feature], rule->threshold, 1u << rule->below);
    else repro_deviation(report, "the rule fitted to all benchmarks: always %u ways", 1u << rule->below);
}

static void compare(const struct repro_data *data, const struct judged *l, size_t n, size_t *memory,
                    struct repro_report *report)
{
    struct choices choices[CHOICES] = {{"fully associative", NULL},
                                       {"direct mapped", NULL},
                                       {"one associativity for all, of the other benchmarks", NULL},
                                       {"the rule, fitted to the other benchmarks", NULL},
                                       {"the rule, fitted to all", NULL},
                                       {"the best of each launch", NULL}};
    double regrets[CHOICES];
    const struct rule of_all = fit(l, n, NULL);
    for (size_t k = 0; k < CHOICES; k++) choices[k].ways = memory + k * n;
    choose(l, n, choices);
    for (size_t k = 0; k < CHOICES; k++)
        repro_row(report, NAN, regrets[k] = mean_regret(l, n, choices[k].ways), "%", "regret, %s", choices[k].title);
    for (size_t k = 0; k < CHOICES; k++)
        repro_row(report, NAN, mean_gain(data, l, n, choices[k].ways), "%", "gain over sector, %s", choices[k].title);
    for (size_t i = 0; i < n; i++) {
        const char *name = data->benchmarks[l[i].b].name;
        repro_cell(report, NAN, 1u << choices[5].ways[i], "ways", name, "best");
        repro_cell(report, NAN, 1u << choices[3].ways[i], "ways", name, "chosen, not seen");
        repro_cell(report, NAN, 100 * l[i].regret[choices[3].ways[i]], "%", name, "regret, not seen");
        repro_cell(report, NAN, 100 * l[i].regret[FULL], "%", name, "regret, fully associative");
        for (size_t f = 0; f < FEATURES; f++) repro_cell(report, NAN, l[i].x[f], "1", name, "%s", feature_names[f]);
    }
    repro_check(report, regrets[3] < regrets[0],
                "on benchmarks not seen the rule loses less than full associativity [ELASTIC §7]");
    repro_check(report, regrets[3] < regrets[2], "it loses less than one associativity for all there");
    say_rule(&of_all, report);
}

static void report_assoc(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    struct judged *l = calloc(data->n + 1, sizeof *l);
    size_t *memory = calloc(CHOICES * data->n + 1, sizeof *memory);
    (void)study;
    report->out_of_memory |= !l || !memory;
    if (l && memory) {
        const size_t n = launches_of(data, l);
        repro_row(report, NAN, (double)n, "launches", "that load anything");
        if (n) compare(data, l, n, memory, report);
        repro_deviation(report, "§7 recommends the choice and gives no figure; features are those of the launch's run "
                                "at full associativity, a choice within the launch would see a part of it");
        repro_deviation(report, "L1 is empty when a launch begins, so another associativity costs nothing there");
    }
    free(memory);
    free(l);
}
const struct repro_study repro_elastic_assoc = {.id = "elastic-assoc",
                                                .title =
                                                    "Associativity of an elastic L1 chosen for each kernel, by regret",
                                                .source = "ELASTIC §7",
                                                .mean = MEAN_ARITHMETIC,
                                                .spec = "elastic/miss-rates.yaml",
                                                .report = report_assoc};
