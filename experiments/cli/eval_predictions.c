#include "cli/eval_predictions.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/say.h"
#include "poise/terms.h"

/* A name means the workload of that name; where there is none, all of the group. */
static bool is_asked(const struct prediction *r, const struct workload *w, const struct registry *registry)
{
    if (!prediction_means(r, w)) return false;
    if (strchr(r->launch, '/') || strcmp(r->benchmark, w->name) == 0) return true;
    for (size_t i = 0; i < registry->n; i++)
        if (strcmp(r->benchmark, registry->workloads[i].name) == 0) return false;
    return true;
}

int predictions_kernels(struct texts *kernels, const struct predictions *p, const struct registry *registry,
                        struct error *err)
{
    for (size_t i = 0; i < registry->n; i++) {
        const struct workload *w = &registry->workloads[i];
        bool is = false;
        for (size_t k = 0; k < p->n && !is; k++) is = is_asked(&p->items[k], w, registry);
        if (!is) continue;
        if (kernels->n == TEXTS_MAX)
            return error_set(err, ERR_INPUT, "%s: rows of more than %d benchmarks", p->file, TEXTS_MAX);
        kernels->items[kernels->n++] = w->name;
    }
    return 0;
}

/* ---- the table ---- */

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }
static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const struct {
    const char *mech, *title;
} titles[] = {{"predictions", "given"},   {"static_best", "S-Best"}, {"swl", "SWL"},
              {"constant_1", "(1,1)"},    {"constant_2", "(2,2)"},   {"constant_others", "others"},
              {"constant_best", "best c"}};

static const char *title_of(const char *mech)
{
    for (size_t i = 0; i < COUNT_OF(titles); i++)
        if (strcmp(titles[i].mech, mech) == 0) return titles[i].title;
    return mech;
}

static void print_row(const char *name, int width, const char *cycles, const json_t *values)
{
    const json_t *value;
    size_t k;
    printf("%-*.*s %11s", width, width, name, cycles);
    json_array_foreach(values, k, value) {
        if (json_is_number(value)) printf(" %7.3f", json_number_value(value));
        else printf(" %7s", "-");
    }
    putchar('\n');
}

/* Values of an object by the policies' names in their order, but the first, GTO's. */
static json_t *in_order(const json_t *object, const json_t *policies)
{
    json_t *list = json_array();
    for (size_t k = 1; k < json_array_size(policies); k++) {
        json_t *value = json_object_get(object, text(json_array_get(policies, k), "mech"));
        if (value) json_array_append(list, value);
        else json_array_append_new(list, json_null());
    }
    return list;
}

static void print_table(const json_t *out)
{
    const json_t *kernels = json_object_get(out, "kernels"), *kernel,
                 *policies = json_object_get(json_array_get(kernels, 0), "policies"), *policy;
    int width = 10;
    size_t i, k;
    json_array_foreach(kernels, i, kernel)
        if ((int)strlen(text(kernel, "name")) > width) width = (int)strlen(text(kernel, "name"));
    if (width > 20) width = 20;
    printf("%-*s %11s", width, "kernel", "GTO cycles");
    json_array_foreach(policies, k, policy)
        if (k) printf(" %7.7s", title_of(text(policy, "mech")));
    putchar('\n');
    json_array_foreach(kernels, i, kernel) {
        char cycles[24];
        const json_t *own = json_object_get(kernel, "policies");
        snprintf(cycles, sizeof cycles, "%.0f", number(json_array_get(own, 0), "cycles"));
        json_t *speedups = json_array();
        json_array_foreach(own, k, policy)
            if (k) json_array_append(speedups, json_object_get(policy, "speedup"));
        print_row(text(kernel, "name"), width, cycles, speedups);
        json_decref(speedups);
    }
    json_t *means = in_order(json_object_get(out, "hmean"), policies),
           *parts = in_order(json_object_get(out, "part"), policies);
    print_row("harm. mean", width, "", means);
    print_row("part of it", width, "", parts);
    json_decref(means);
    json_decref(parts);
}

static void print_wrapped(const char *line) { text_wrapped(stdout, line, 0, cli_width(true)); }

static void print_above(const json_t *out)
{
    const json_t *row, *ci;
    size_t i;
    char line[300];
    json_array_foreach(json_object_get(out, "above"), i, row) {
        ci = json_object_get(row, "ci95");
        int used = snprintf(line, sizeof line, "  %-10.60s %+.2f of the gain", title_of(text(row, "mech")),
                            number(row, "part"));
        if (json_is_array(ci))
            used += snprintf(line + used, sizeof line - (size_t)used, ", 95 %% between %+.2f and %+.2f",
                             json_number_value(json_array_get(ci, 0)), json_number_value(json_array_get(ci, 1)));
        if (json_is_number(json_object_get(row, "part"))) puts(line);
    }
}

static void print_all(const json_t *out)
{
    const json_t *errors = json_object_get(out, "errors"), *constant = json_object_get(out, "constant");
    char line[600];
    print_table(out);
    snprintf(line, sizeof line,
             "\nSpeedups over GTO. given: the file's tuples; S-Best: the best tuple that was simulated; SWL: the best "
             "limit of the benchmark; others: the constant that is best on the other families; best c: the constant "
             "that is best on these launches, (%.0f,%.0f), in hindsight. part of it: the mean less 1, as a part of "
             "S-Best's.",
             number(constant, "N"), number(constant, "p"));
    print_wrapped(line);
    if (number(errors, "launches") > 0) {
        snprintf(line, sizeof line,
                 "On %.0f profiled launches N is wrong by %.1f warps and p by %.1f in the mean, which costs %.1f %% of "
                 "the best tuple's speed.",
                 number(errors, "launches"), number(errors, "N"), number(errors, "p"), 100 * number(errors, "regret"));
        print_wrapped(line);
    }
    printf("The given tuples above each rival (%.0f families%s%s):\n", number(out, "families"),
           text(out, "why") ? ": " : "", text(out, "why") ? text(out, "why") : "");
    print_above(out);
}

int eval_predictions(const struct predictions *predictions, struct launches *launches, struct gpu_params *params,
                     const struct judge_options *options, bool is_json, struct error *err)
{
    json_t *out;
    if (predictions_judge(&out, predictions, launches, params, options, err) < 0) return -1;
    const double rows = number(json_object_get(out, "predictions"), "rows"),
                 used = number(json_object_get(out, "predictions"), "used");
    if (used < rows)
        say_line(stderr, "poise: %s: %.0f of %.0f rows are of kernels that are not judged here", predictions->file,
                 rows - used, rows);
    if (is_json) return cli_print_json(out, err);
    print_all(out);
    json_decref(out);
    return 0;
}
