/* Formulas of figures: their values over what was measured. NAN is what was not. */
#include <fnmatch.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/validate.h"
#include "studies/repro/figure.h"

/* ---- groups ---- */

static void add_member(size_t b, size_t *out, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        if (out[i] == b) return;
    out[(*n)++] = b;
}

static bool is_launch_of(const struct repro_data *data, size_t b, const char *workload)
{
    return data->benchmarks[b].workload && strcmp(data->benchmarks[b].workload->name, workload) == 0;
}

static void add_members(const struct repro_data *data, const char *name, size_t *out, size_t *n)
{
    if (strncmp(name, FIGURE_LAUNCHES_OF, strlen(FIGURE_LAUNCHES_OF)) == 0) {
        for (size_t b = 0; b < data->n; b++)
            if (is_launch_of(data, b, name + strlen(FIGURE_LAUNCHES_OF))) add_member(b, out, n);
        return;
    }
    const size_t b = figure_find(data, name);
    if (b < data->n) add_member(b, out, n);
}

/* Of a group that a formula describes. It was read before (figure_report.c), so it can be read. */
static void add_those(const struct figure_scope *s, const struct yaml_node *group, size_t *out, size_t *n)
{
    struct formula *f = malloc(sizeof *f);
    if (f && formula_of_node(f, s, group, true) == 0)
        for (size_t b = 0; b < s->data->n; b++)
            if (formula_value(s, f, (long)b, 0) > 0) out[(*n)++] = b;
    free(f);
}

size_t *figure_members(const struct figure_scope *s, const char *group, size_t *n)
{
    const struct yaml_node *names = group ? figure_entry(s, "groups", group) : NULL;
    size_t *out = calloc(s->data->n + 1, sizeof *out);
    *n = 0;
    s->report->out_of_memory |= !out;
    if (out && names && names->kind == YAML_SCALAR) add_those(s, names, out, n);
    for (size_t i = 0; out && names && names->kind == YAML_LIST && i < names->n; i++)
        if (names->items[i]->kind == YAML_SCALAR) add_members(s->data, names->items[i]->text, out, n);
    for (size_t b = 0; out && !names && b < s->data->n; b++) out[(*n)++] = b;
    return out;
}

/* ---- points ---- */

static unsigned number_in(const char *point)
{
    const char *blank = strrchr(point, ' ');
    return (unsigned)strtoul(blank ? blank + 1 : point, NULL, 10);
}

static bool is_point(const struct repro_data *data, size_t p, const char *glob)
{
    return fnmatch(glob, data->points[p], 0) == 0;
}

static size_t fastest(const struct figure_scope *s, const struct formula_node *node, size_t b)
{
    const struct repro_data *data = s->data;
    size_t best = data->n_points;
    for (size_t p = 1; p < data->n_points; p++) {
        if (!is_point(data, p, node->name)) continue;
        if (best == data->n_points) {
            best = p;
            continue;
        }
        const double gain = repro_speedup(data, b, p) - repro_speedup(data, b, best);
        const bool is_less = number_in(data->points[p]) < number_in(data->points[best]);
        if (gain > 0 || (gain >= 0 && is_less == (node->what != 0))) best = p;
    }
    return best;
}

/* ---- values ---- */

struct at {
    const struct figure_scope *s;
    const struct formula *f;
    double *known; /* in a bootstrap: values of benchmarks, a line a node, and whether they are worked out; else NULL */
    bool *is_known;
};
static double value(const struct at *at, int node, long b, size_t p);

static double mm2(enum storage_kind kind, double bits, double node_nm)
{
    return bits >= 0 && node_nm > 0 ? storage_mm2(kind, (uint64_t)bits, node_nm).value : NAN;
}

/* 0 where y is not above 0: of what did not happen. */
static double share(double x, double y) { return y > 0 ? x / y : 0; }

static double call(const struct at *at, const struct formula_node *n, long b, size_t p)
{
    const double a = value(at, n->a, b, p);
    switch (n->what) {
    case CALL_ABS: return fabs(a);
    case CALL_LOG2: return log2(a);
    case CALL_EXP2: return exp2(a);
    case CALL_ROUND: return round(a);
    case CALL_MIN: return fmin(a, value(at, n->b, b, p));
    case CALL_MAX: return fmax(a, value(at, n->b, b, p));
    case CALL_SHARE: return share(a, value(at, n->b, b, p));
    case CALL_ARRAY_MM2: return mm2(STORAGE_ARRAY, a, value(at, n->b, b, p));
    case CALL_QUEUE_MM2: return mm2(STORAGE_QUEUE, a, value(at, n->b, b, p));
    case CALL_WIRES_MM2: return mm2(STORAGE_WIRES, a, value(at, n->b, b, p));
    case CALL_CROSSBAR_MM2: return crossbar_mm2(a, value(at, n->b, b, p));
    case CALL_SWITCH_MM2: return mm2(STORAGE_SWITCH, a, value(at, n->b, b, p));
    case CALL_REGISTER_MM2: return mm2(STORAGE_REGISTER, a, value(at, n->b, b, p));
    default: return a > 0 ? value(at, n->b, b, p) : value(at, n->c, b, p);
    }
}

static double compare(const struct at *at, const struct formula_node *n, long b, size_t p)
{
    const double x = value(at, n->a, b, p), y = value(at, n->b, b, p);
    switch (n->kind) {
    case F_LESS: return x < y;
    case F_MORE: return x > y;
    case F_AT_MOST: return x <= y;
    case F_AT_LEAST: return x >= y;
    case F_EQUAL: return x <= y && x >= y;
    case F_AND: return x > 0 && y > 0;
    default: return x > 0 || y > 0;
    }
}

static double sum_up(int what, enum repro_mean mean, double *values, size_t n)
{
    double sum = 0, least = NAN, most = NAN, held = 0;
    for (size_t i = 0; i < n; i++) {
        held += values[i] > 0;
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
        if (!isnan(values[i])) sum += values[i];
    }
    switch (what) {
    case OVER_MEAN: return repro_mean(mean, values, n);
    case OVER_AMEAN: return repro_mean(MEAN_ARITHMETIC, values, n);
    case OVER_HMEAN: return repro_mean(MEAN_HARMONIC, values, n);
    case OVER_GMEAN: return repro_mean(MEAN_GEOMETRIC, values, n);
    case OVER_SUM: return sum;
    case OVER_LEAST: return least;
    case OVER_MOST: return most;
    case OVER_COUNT: return held;
    case OVER_ALL: return held >= (double)n;
    default: return held > 0;
    }
}

/* Of pairs of which both are known. */
static double pearson(const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0, used = 0;
    for (size_t i = 0; i < n; i++) used += !isnan(x[i]) && !isnan(y[i]);
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]) && !isnan(y[i])) mx += x[i] / used, my += y[i] / used;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]) && !isnan(y[i]))
            xx += (x[i] - mx) * (x[i] - mx), yy += (y[i] - my) * (y[i] - my), xy += (x[i] - mx) * (y[i] - my);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

/* The mean over programs of the mean of their members, which are alike. */
static double program_mean(const struct figure_scope *s, const size_t *members, const double *values, size_t n)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        const char *program = figure_program(s, members[i]);
        double own = 0, rows = 0;
        bool is_first = true;
        for (size_t k = 0; k < n; k++) {
            if (strcmp(program, figure_program(s, members[k])) != 0) continue;
            is_first &= k >= i;
            own += values[k];
            rows++;
        }
        if (is_first) sum += own / rows, count++;
    }
    return count > 0 ? sum / count : NAN;
}

/* How many families have a member for which it holds. */
static double count_families(const struct figure_scope *s, const size_t *members, const double *values, size_t n)
{
    double count = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_first = values[i] > 0;
        for (size_t k = 0; is_first && k < i; k++)
            is_first =
                !(values[k] > 0) || strcmp(figure_family_of(s, members[i]), figure_family_of(s, members[k])) != 0;
        count += is_first;
    }
    return count;
}

/* Whether a formula's part depends on which benchmarks are drawn, or on points around it. */
static bool is_of_draw(const struct formula *f, int node)
{
    const struct formula_node *n = node < 0 ? NULL : &f->nodes[node];
    if (!n) return false;
    return n->kind == F_OVER || n->kind == F_PAIRED || n->kind == F_INTERVAL || n->kind == F_WHOLE ||
           is_of_draw(f, n->a) || is_of_draw(f, n->b) || is_of_draw(f, n->c);
}

/* What a mean is over, of one benchmark: a bootstrap asks for it again and again. */
static double each(const struct at *at, int node, size_t b, size_t p)
{
    if (!at->known || is_of_draw(at->f, node)) return value(at, node, (long)b, p);
    const size_t i = ((size_t)node * at->s->data->n_points + p) * at->s->data->n + b;
    if (p >= at->s->data->n_points) return NAN;
    if (!at->is_known[i]) at->known[i] = value(at, node, (long)b, p), at->is_known[i] = true;
    return at->known[i];
}

/* Those of the draw that are members, each as often as it was drawn. Takes over `members`; NULL: all. */
static size_t *drawn_members(const struct figure_scope *s, size_t *members, size_t *n)
{
    size_t *out = calloc(s->n_drawn + 1, sizeof *out), count = 0;
    s->report->out_of_memory |= !out;
    for (size_t d = 0; out && d < s->n_drawn; d++) {
        size_t i = 0;
        while (members && i < *n && members[i] != s->drawn[d]) i++;
        if (!members || i < *n) out[count++] = s->drawn[d];
    }
    free(members);
    *n = count;
    return out;
}

static double over_members(const struct at *at, const struct formula_node *n, size_t p, const size_t *members,
                           size_t count, double *values)
{
    double *others = values + count;
    for (size_t i = 0; i < count; i++) values[i] = each(at, n->a, members[i], p);
    if (n->what == OVER_PROGRAMS) return program_mean(at->s, members, values, count);
    if (n->what == OVER_FAMILIES) return count_families(at->s, members, values, count);
    if (n->b < 0) return sum_up(n->what, at->s->study->mean, values, count);
    for (size_t i = 0; i < count; i++) others[i] = each(at, n->b, members[i], p);
    return n->what == OVER_PEARSON ? pearson(values, others, count) : metric_spearman(values, others, NULL, count);
}

static double over(const struct at *at, const struct formula_node *n, size_t p)
{
    const struct yaml_node *usual = figure_setting(at->s, "over");
    const char *group = *n->name ? n->name : usual ? usual->text : NULL;
    size_t count = 0, *members = at->s->drawn && !group ? NULL : figure_members(at->s, group, &count);
    if (at->s->drawn) members = drawn_members(at->s, members, &count);
    double *values = calloc(2 * count + 1, sizeof *values);
    at->s->report->out_of_memory |= !values;
    const double result = members && values ? over_members(at, n, p, members, count, values) : NAN;
    free(values);
    free(members);
    return result;
}

/* Where y falls from `level` or above to below it from one point to the next: x there, on a straight line. */
static double crosses(const struct at *at, const struct formula_node *n, long b)
{
    const struct repro_data *data = at->s->data;
    size_t last = data->n_points;
    for (size_t p = 1; p < data->n_points; p++) {
        if (!is_point(data, p, n->name)) continue;
        if (last < data->n_points) {
            const double x0 = value(at, n->a, b, last), x1 = value(at, n->a, b, p), y0 = value(at, n->b, b, last),
                         y1 = value(at, n->b, b, p), level = value(at, n->c, b, 0);
            if (y0 >= level && y1 < level) return x0 + (x1 - x0) * (y0 - level) / (y0 - y1);
        }
        last = p;
    }
    return NAN;
}

static double over_points(const struct at *at, const struct formula_node *n, long b)
{
    double most = NAN, least = NAN, last = NAN, held = 0, all = 0;
    if (n->what == POINTS_CROSS) return crosses(at, n, b);
    bool rises = true;
    const double slack = n->what == POINTS_RISE ? value(at, n->b, b, 0) : 0;
    for (size_t p = 1; p < at->s->data->n_points; p++) {
        if (!is_point(at->s->data, p, n->name)) continue;
        const double v = value(at, n->a, b, p);
        rises &= all < 1 || v > last - slack;
        all++;
        held += v > 0;
        most = fmax(most, v);
        least = fmin(least, v);
        last = v;
    }
    switch (n->what) {
    case POINTS_MOST: return most;
    case POINTS_LEAST: return least;
    case POINTS_COUNT: return held;
    case POINTS_EVERY: return held >= all;
    default: return rises;
    }
}

static double of_values(const struct figure_scope *s, const char *name, size_t b)
{
    const struct yaml_node *values = figure_entry(s, "values", name),
                           *own = yaml_get(values, s->data->benchmarks[b].name);
    return own && own->kind == YAML_SCALAR ? strtod(own->text, NULL) : NAN;
}

/* The point whose number is nearest to x, of equals the first; or where f is largest. */
static size_t best_point(const struct at *at, const struct formula_node *n, long b, size_t around)
{
    const struct repro_data *data = at->s->data;
    size_t best = data->n_points;
    double most = -INFINITY;
    const double x = n->kind == F_NEAREST ? value(at, n->a, b, around) : 0;
    for (size_t p = 1; p < data->n_points; p++) {
        if (!is_point(data, p, n->name)) continue;
        const double v = n->kind == F_NEAREST ? -fabs(number_in(data->points[p]) - x) : value(at, n->a, b, p);
        if (v > most) most = v, best = p;
    }
    return best;
}

/* From the point with the number of n->b on to the last up to which n->a rises. */
static size_t climb(const struct at *at, const struct formula_node *n, long b)
{
    const struct repro_data *data = at->s->data;
    const double from = value(at, n->b, b, 0);
    size_t end = data->n_points;
    for (size_t p = 1; p < data->n_points; p++) {
        if (!is_point(data, p, n->name) || number_in(data->points[p]) < from) continue;
        if (end < data->n_points && !(value(at, n->a, b, p) > value(at, n->a, b, end))) break;
        end = p;
    }
    return end;
}

/* What stands in brackets; n_points: there is no such point. */
static size_t selected(const struct at *at, const struct formula_node *n, long b, size_t p)
{
    if (n->kind == F_NEAREST || n->kind == F_TOP) return best_point(at, n, b, p);
    if (n->kind == F_CLIMB) return climb(at, n, b);
    if (b < 0) return at->s->data->n_points;
    if (n->kind == F_CHOSEN) return figure_chosen_point(at->s, n->name, (size_t)b, n->what);
    return fastest(at->s, n, (size_t)b);
}

static double at_point(const struct at *at, const struct formula_node *n, long b, size_t p)
{
    const struct repro_data *data = at->s->data;
    const size_t point = n->b < 0 ? repro_point(data, n->name) : selected(at, &at->f->nodes[n->b], b, p);
    return point < data->n_points ? value(at, n->a, b, point) : NAN;
}

static double number_of(const struct at *at, const struct formula_node *n, long b, size_t p)
{
    const struct repro_data *data = at->s->data;
    const size_t point = n->a < 0 ? repro_point(data, n->name) : selected(at, &at->f->nodes[n->a], b, p);
    return point < data->n_points ? (double)number_in(data->points[point]) : NAN;
}

static double of_machine(const struct at *at, const struct formula_node *n, long b, size_t p)
{
    if (p >= at->s->data->n_points || !at->s->data->params[p]) return NAN;
    if (n->kind == F_PARAM) return repro_param(at->s->data, p, n->name, n->second);
    const double of = value(at, n->a, b, p);
    if (n->kind == F_STACK_BITS) return repro_stack_bits(at->s->data, p, of);
    return (double)gpu_l1_extra_bits(at->s->data->params[p], (unsigned)of);
}

static bool is_in_set(const struct repro_benchmark *b, const char *set)
{
    return b->workload && strcmp(workload_sets[b->workload->set], set) == 0;
}

static double of_benchmark(const struct at *at, const struct formula_node *n, long b, size_t p)
{
    if (b < 0) return NAN;
    if (n->kind == F_COUNTER) return repro_value(at->s->data, (size_t)b, p, n->name);
    if (n->kind == F_MECH) return repro_mech_value(at->s->data, (size_t)b, p, n->name, n->second);
    if (n->kind == F_PREDICTED) return figure_predicted(at->s, n->name, n->second, (size_t)b, n->what);
    if (n->kind == F_CHOSEN) return figure_chosen_number(at->s, n->name, (size_t)b, n->what);
    if (n->kind == F_IN_SET) return is_in_set(&at->s->data->benchmarks[b], n->name);
    return n->kind == F_SPEEDUP ? repro_speedup(at->s->data, (size_t)b, p) : of_values(at->s, n->name, (size_t)b);
}

/* ---- a pipeline's summary, and rows of the report ---- */

/* "a.b.0": of lists their items' numbers. */
static const json_t *summary_at(const struct figure_scope *s, const char *path)
{
    const json_t *at = s->data->summary;
    char part[64];
    while (at && *path) {
        const size_t n = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        at = repro_part(at, part);
        path += n + (path[n] == '.');
    }
    return at;
}

static double of_summary(const struct figure_scope *s, const char *path)
{
    const json_t *at = summary_at(s, path);
    return json_is_number(at) ? json_number_value(at) : NAN;
}

const char *formula_text(const struct figure_scope *s, const struct formula *f)
{
    const struct formula_node *root = &f->nodes[f->root];
    if (root->kind == F_RULE) return figure_rule_text(s, root->name);
    return root->kind == F_SUMMARY ? json_string_value(summary_at(s, root->name)) : NULL;
}

static double count_rows(const struct at *at, const struct formula_node *n, size_t p)
{
    const struct repro_report *report = at->s->report;
    struct figure_scope scope = *at->s;
    const struct at inner = {.s = &scope, .f = at->f};
    double held = 0;
    for (scope.row = 0; scope.row < report->n_rows; scope.row++)
        held += fnmatch(n->name, report->rows[scope.row].label, 0) == 0 && value(&inner, n->a, NO_BENCHMARK, p) > 0;
    return held;
}

static double paired(const struct at *at, const struct formula_node *n, size_t p)
{
    size_t count;
    const size_t *rows = figure_learned_rows(at->s, n->name, &count);
    double *values = calloc(2 * count + 1, sizeof *values), result = NAN;
    for (size_t i = 0; values && i < count; i++) {
        values[i] = value(at, n->a, (long)rows[i], p);
        values[count + i] = value(at, n->b, (long)rows[i], p);
    }
    if (values && count) result = figure_compared(at->s, n->name, (enum figure_paired)n->what, values);
    at->s->report->out_of_memory |= !values;
    free(values);
    return result;
}

static double of_row(const struct figure_scope *s, bool is_paper)
{
    const struct repro_report *report = s->report;
    if (s->row >= report->n_rows) return NAN;
    return is_paper ? report->rows[s->row].paper : report->rows[s->row].ours;
}

/* ---- intervals ---- */

struct drawing {
    struct figure_scope scope;
    struct at at;
    int node;
    size_t p;
};

static double of_draw(const size_t *rows, size_t n, void *context)
{
    struct drawing *d = context;
    d->scope.drawn = rows;
    d->scope.n_drawn = n;
    return value(&d->at, d->node, NO_BENCHMARK, d->p);
}

static void interval_of(const struct at *at, int node, size_t p, double ci95[2])
{
    const struct repro_data *data = at->s->data;
    const size_t cells = at->f->n * data->n_points * data->n;
    struct drawing d = {.scope = *at->s, .node = node, .p = p};
    struct groups groups;
    struct error err;
    d.at = (struct at){&d.scope, at->f, calloc(cells + 1, sizeof *d.at.known), calloc(cells + 1, sizeof(bool))};
    ci95[0] = ci95[1] = NAN;
    if (!d.at.known || !d.at.is_known) {
        at->s->report->out_of_memory = true;
    } else if (data->n && repro_families(&groups, data, &err) == 0) {
        at->s->report->n_families = groups.n_groups;
        repro_bootstrap(&groups, of_draw, &d, ci95);
        groups_fini(&groups);
    } else if (data->n && err.code == ERR_MEMORY) {
        at->s->report->out_of_memory = true;
    }
    free(d.at.known);
    free(d.at.is_known);
}

void formula_interval(const struct figure_scope *s, const struct formula *f, double ci95[2])
{
    interval_of(&(struct at){.s = s, .f = f}, f->root, 0, ci95);
}

static double interval_end(const struct at *at, const struct formula_node *n, size_t p)
{
    double ci95[2];
    if (at->s->drawn) return NAN; /* no interval within another */
    interval_of(at, n->a, p, ci95);
    return ci95[n->what];
}

static double of_all(const struct at *at, const struct formula_node *n, size_t p)
{
    struct figure_scope scope = *at->s;
    const struct at inner = {.s = &scope, .f = at->f};
    scope.drawn = NULL;
    return value(&inner, n->a, NO_BENCHMARK, p);
}

/* ---- all of them ---- */

static double value(const struct at *at, int node, long b, size_t p)
{
    const struct formula_node *n = &at->f->nodes[node];
    size_t one;
    double x, y;
    switch (n->kind) {
    case F_NUMBER: return n->number;
    case F_PARAM:
    case F_EXTRA_BITS:
    case F_STACK_BITS: return of_machine(at, n, b, p);
    case F_COUNTER:
    case F_MECH:
    case F_SPEEDUP:
    case F_VALUE:
    case F_PREDICTED:
    case F_CHOSEN:
    case F_IN_SET: return of_benchmark(at, n, b, p);
    case F_NUMBER_OF: return number_of(at, n, b, p);
    case F_WEIGHT: return figure_weight(at->s, n->name, n->second);
    case F_PAIRED: return paired(at, n, p);
    case F_OPTION: return at->s->option;
    case F_RULE: return NAN;
    case F_AT: return at_point(at, n, b, p);
    case F_CALL: return call(at, n, b, p);
    case F_OVER: return over(at, n, p);
    case F_POINTS: return over_points(at, n, b);
    case F_NEGATE: return -value(at, n->a, b, p);
    case F_SUMMARY: return of_summary(at->s, n->name);
    case F_INTERVAL: return interval_end(at, n, p);
    case F_WHOLE: return of_all(at, n, p);
    case F_ROWS: return count_rows(at, n, p);
    case F_ROW_VALUE: return of_row(at->s, n->what);
    case F_OF:
        one = figure_find(at->s->data, n->name);
        if (n->what) return one < at->s->data->n;
        return one < at->s->data->n ? value(at, n->a, (long)one, p) : NAN;
    case F_ADD:
    case F_SUB:
    case F_MUL:
    case F_DIV:
        x = value(at, n->a, b, p);
        y = value(at, n->b, b, p);
        if (n->kind == F_DIV) return fpclassify(y) == FP_ZERO ? NAN : x / y;
        return n->kind == F_ADD ? x + y : n->kind == F_SUB ? x - y : x * y;
    default: return compare(at, n, b, p);
    }
}

double formula_value(const struct figure_scope *s, const struct formula *f, long benchmark, size_t point)
{
    const struct at at = {.s = s, .f = f};
    return value(&at, f->root, benchmark, point);
}

static const char *failed_at(const struct repro_data *data, size_t benchmark, size_t point)
{
    if (point >= data->n_points) return NULL;
    return json_string_value(json_object_get(data->benchmarks[benchmark].mechs[point], "failed"));
}

const char *formula_failed(const struct figure_scope *s, const struct formula *f, size_t benchmark)
{
    const char *why = NULL;
    for (size_t i = 0; !why && i < f->n; i++)
        if (f->nodes[i].kind == F_AT && f->nodes[i].b < 0)
            why = failed_at(s->data, benchmark, repro_point(s->data, f->nodes[i].name));
    return why ? why : failed_at(s->data, benchmark, 0);
}
