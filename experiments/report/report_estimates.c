/* A sampled sweep: whole programs that were estimated from some of their launches. Nothing here is a run, so that every
 * figure has its interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/report_internal.h"

enum { SERIES_MAX = 6, ROWS_MAX = 24, TABLE_MAX = 5000, LABEL = 160 };

/* What is drawn of a row: its speed over the first stack; of a race its cycles over those of the best. */
struct drawn {
    const char *column, *low, *high, *label, *title, *caption;
};
static const struct drawn speedups = {"speedup",
                                      "speedup_low",
                                      "speedup_high",
                                      "speedup over the first stack",
                                      "Estimated speedups",
                                      "Estimates from a sample of each program's launches, with intervals of 95 %. An "
                                      "interval that contains 1 shows no difference from the first stack."},
                          races = {"over_best",
                                   "over_best_low",
                                   "over_best_high",
                                   "cycles over those of the best",
                                   "Estimated cycles over those of the best",
                                   "Estimates from a sample of each program's launches, with intervals of 95 %, of the "
                                   "last round that a stack took part in. A stack whose interval lies above 1 is "
                                   "slower than the best."};

static const char *program_label(const struct table_csv *t, size_t row, char text[LABEL])
{
    const char *input = report_cell_at(t, "input", row);
    snprintf(text, LABEL, "%.100s%s%.40s", report_cell_at(t, "program", row), *input ? "." : "", input);
    return text;
}

static bool is_same(const struct table_csv *t, const char *column, size_t a, size_t b)
{
    return strcmp(report_cell_at(t, column, a), report_cell_at(t, column, b)) == 0;
}

static bool is_same_program(const struct table_csv *t, size_t a, size_t b)
{
    return is_same(t, "program", a, b) && is_same(t, "input", a, b);
}

/* Whether no row before it is of this program on this configuration. */
static bool is_new_program(const struct table_csv *t, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (is_same_program(t, i, row) && is_same(t, "config", i, row)) return false;
    return true;
}

static bool is_first(const struct table_csv *t, const char *column, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (is_same(t, column, i, row)) return false;
    return true;
}

static size_t distinct(const struct table_csv *t, const char *column)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_rows; i++) n += is_first(t, column, i);
    return n;
}

struct lists {
    json_t *values, *low, *high;
};
static struct lists lists_new(void) { return (struct lists){json_array(), json_array(), json_array()}; }
static void lists_add(struct lists *l, const struct table_csv *t, const struct drawn *d, size_t row)
{
    const bool is_there = row < t->n_rows;
    json_array_append_new(l->values, report_number(is_there ? report_number_at(t, d->column, row) : NAN));
    json_array_append_new(l->low, report_number(is_there ? report_number_at(t, d->low, row) : NAN));
    json_array_append_new(l->high, report_number(is_there ? report_number_at(t, d->high, row) : NAN));
}
static void lists_give(struct lists *l, json_t *figure, const char *name)
{
    report_series(figure, name, l->values);
    report_intervals(figure, l->low, l->high);
}

static json_t *new_figure(json_t *section, const struct drawn *d, const char *of)
{
    char id[200], slug[120], title[300];
    snprintf(id, sizeof id, "estimates-%s", report_slug(of, slug, sizeof slug));
    snprintf(title, sizeof title, "%s%s%.200s", d->title, *of ? ": " : "", of);
    json_t *figure = report_figure(section, "points", id, title, d->caption);
    report_axis(figure, "y", d->label, "number");
    json_object_set_new(figure, "reference", json_real(1));
    json_object_set_new(figure, "zero", json_false()); /* intervals are narrow */
    return figure;
}

/* The first stack over itself, or the best over itself. */
static bool is_reference(const struct table_csv *t, const struct drawn *d, size_t row)
{
    return report_number_at(t, d->column, row) == 1 && report_number_at(t, d->low, row) == 1 &&
           report_number_at(t, d->high, row) == 1;
}

/* Few stacks: programs below each other, the stacks of each beside each other. */
static void add_programs(json_t *section, const struct table_csv *t, const struct drawn *d, size_t of)
{
    json_t *labels = json_array(), *figure = new_figure(section, d, report_cell_at(t, "config", of));
    char text[LABEL];
    for (size_t p = 0; p < t->n_rows; p++)
        if (is_same(t, "config", p, of) && is_new_program(t, p))
            json_array_append_new(labels, json_string(program_label(t, p, text)));
    json_object_set_new(figure, "labels", labels);
    for (size_t s = 0; s < t->n_rows; s++) {
        const json_t *label;
        size_t k;
        bool is_shown = false;
        if (!is_first(t, "mechs", s)) continue;
        struct lists lists = lists_new();
        json_array_foreach(labels, k, label) {
            size_t at = t->n_rows;
            for (size_t i = 0; i < t->n_rows; i++)
                if (is_same(t, "config", i, of) && is_same(t, "mechs", i, s) &&
                    strcmp(program_label(t, i, text), json_string_value(label)) == 0)
                    at = i;
            lists_add(&lists, t, d, at);
            if (at < t->n_rows) is_shown |= !is_reference(t, d, at);
        }
        if (is_shown) lists_give(&lists, figure, report_cell_at(t, "mechs", s));
        else json_decref(lists.values), json_decref(lists.low), json_decref(lists.high);
    }
}

struct ranked {
    size_t row;
    double value; /* smaller is better */
};
static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : (x->row > y->row) - (x->row < y->row);
}

/* Many stacks: a figure a program, its best stacks below each other. */
static void add_stacks(json_t *section, const struct table_csv *t, const struct drawn *d, size_t of, bool has_configs)
{
    struct ranked *ranked = calloc(t->n_rows + 1, sizeof *ranked);
    json_t *labels = json_array();
    struct lists lists = lists_new();
    char text[LABEL], name[2 * LABEL];
    size_t n = 0;
    for (size_t i = of; i < t->n_rows && ranked; i++) {
        const double v = report_number_at(t, d->column, i);
        if (!is_same_program(t, i, of) || !is_same(t, "config", i, of) || !isfinite(v)) continue;
        ranked[n++] = (struct ranked){i, d == &speedups ? -v : v};
    }
    if (ranked) qsort(ranked, n, sizeof *ranked, by_value);
    for (size_t i = 0; i < n && i < ROWS_MAX; i++) {
        json_array_append_new(labels, json_string(report_cell_at(t, "mechs", ranked[i].row)));
        lists_add(&lists, t, d, ranked[i].row);
    }
    free(ranked);
    snprintf(name, sizeof name, "%s%s%.100s", program_label(t, of, text), has_configs ? " on " : "",
             has_configs ? report_cell_at(t, "config", of) : "");
    json_t *figure = new_figure(section, d, name);
    json_object_set_new(figure, "labels", labels);
    lists_give(&lists, figure, "estimate");
    if (n > ROWS_MAX) report_note(section, "%s: the best %d of %zu stacks are drawn.", name, ROWS_MAX, n);
}

static void add_table(json_t *section, const struct table_csv *t)
{
    static const struct report_head heads[] = {{"program", "text", "program"},
                                               {"input", "text", "input"},
                                               {"configuration", "text", "config"},
                                               {"mechanisms", "text", "mechs"},
                                               {"cycles", "whole", "core_cycles"},
                                               {"low", "whole", "core_cycles_low"},
                                               {"high", "whole", "core_cycles_high"},
                                               {"speedup", "ratio", "speedup"},
                                               {"speedup low", "ratio", "speedup_low"},
                                               {"speedup high", "ratio", "speedup_high"},
                                               {"over the best", "ratio", "over_best"},
                                               {"over the best, low", "ratio", "over_best_low"},
                                               {"over the best, high", "ratio", "over_best_high"},
                                               {"launches", "whole", "launches"},
                                               {"simulated", "whole", "launches_simulated"},
                                               {"share of work", "percent", "share_of_work"},
                                               {"verdict", "text", "verdict"}};
    report_table_of(section, "estimates-table", "Estimates", t, heads, COUNT_OF(heads), TABLE_MAX);
    if (t->n_rows > TABLE_MAX)
        report_note(section, "The first %d of %zu estimates are in the table; estimates.csv has all.", TABLE_MAX,
                    t->n_rows);
}

int report_add_estimates(const struct report_context *c, struct error *err)
{
    const struct table_csv *t = &c->input->estimates;
    const struct drawn *d = &races;
    double share = 0;
    (void)err;
    if (t->n_rows == 0) return 0;
    for (size_t i = 0; i < t->n_rows; i++) {
        if (isfinite(report_number_at(t, "speedup", i))) d = &speedups;
        share = fmax(share, report_number_at(t, "share_of_work", i));
    }
    char text[300];
    snprintf(text, sizeof text,
             "Whole programs, estimated from some of their launches: at most %.3g %% of a program's warp instructions "
             "were simulated. None of these figures is a run; intervals are of 95 %%.",
             100 * share);
    json_t *section = report_open(c, "estimates", "Estimates of whole programs", text);
    const bool has_configs = distinct(t, "config") > 1, has_few = distinct(t, "mechs") <= SERIES_MAX;
    for (size_t i = 0; i < t->n_rows; i++)
        if (has_few && is_first(t, "config", i)) add_programs(section, t, d, i);
        else if (!has_few && is_new_program(t, i)) add_stacks(section, t, d, i, has_configs);
    add_table(section, t);
    return 0;
}
