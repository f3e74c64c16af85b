/* What a figure's file says becomes a report: its rows, checks and notes, with loops opened and formulas worked out.
 * Over no benchmarks this reads everything all the same, which is how a file is checked. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/figure.h"
#include "studies/repro/repro_internal.h"
#include "workload/spec_read.h"

static const char *const item_keys[] = {"each", "do", "when"};

/* ---- texts ---- */

static int number_of_node(const struct figure_scope *s, const struct yaml_node *node, double otherwise, double *out)
{
    *out = otherwise;
    if (!node) return 0;
    struct formula *f = malloc(sizeof *f);
    if (!f) return error_set(s->err, ERR_MEMORY, "out of memory for a formula");
    const int result = formula_of_node(f, s, node, false);
    if (result == 0) *out = formula_value(s, f, NO_BENCHMARK, 0);
    free(f);
    return result;
}

/* "${FORMULA}", "${FORMULA:.1}": the value in a text. */
static int put_value(const struct figure_scope *s, const struct yaml_node *node, const char *text, size_t length,
                     char *out, size_t size)
{
    char inner[FORMULA_TEXT_MAX];
    int decimals = -1, result = -1;
    snprintf(inner, sizeof inner, "%.*s", (int)length, text);
    char *colon = strstr(inner, ":.");
    if (colon) decimals = colon[2] - '0', *colon = '\0'; /* one digit */
    if (colon && (colon[2] < '0' || colon[2] > '9' || colon[3]))
        return figure_complain(s, node, "after ':.' stands one digit: how many decimals");
    struct formula *f = malloc(sizeof *f);
    if (!f) return error_set(s->err, ERR_MEMORY, "out of memory for a formula");
    if (formula_read(f, s, node, inner, false) == 0) {
        const char *words = formula_text(s, f);
        const double value = words ? 0 : formula_value(s, f, NO_BENCHMARK, 0);
        if (words) snprintf(out, size, "%s", words);
        else if (decimals >= 0) snprintf(out, size, "%.*f", decimals, value);
        else snprintf(out, size, "%.6g", value);
        result = 0;
    }
    free(f);
    return result;
}

static int text_with_values(const struct figure_scope *s, const struct yaml_node *node, char *out, size_t size)
{
    char text[FORMULA_TEXT_MAX];
    size_t used = 0;
    if (figure_text(s, node, text, sizeof text) < 0) return -1;
    for (const char *at = text; *at && used + 1 < size;) {
        const char *end = at[0] == '$' && at[1] == '{' ? strchr(at, '}') : NULL;
        if (at[0] == '$' && !end) return figure_complain(s, node, "'${' needs a formula and '}'");
        if (!end) {
            out[used++] = *at++;
            continue;
        }
        if (put_value(s, node, at + 2, (size_t)(end - at - 2), out + used, size - used) < 0) return -1;
        used += strlen(out + used);
        at = end + 1;
    }
    out[used] = '\0';
    return 0;
}

/* ---- loops ---- */

typedef int do_item(struct figure_scope *s, const struct yaml_node *item);

static int push(struct figure_scope *s, const struct yaml_node *each, const char *name, const char *text)
{
    if (s->n_vars == FIGURE_VARS_MAX || strlen(name) >= sizeof s->vars[0].name ||
        strlen(text) >= sizeof s->vars[0].text)
        return figure_complain(s, each, "too many lists or too long names in 'each'");
    snprintf(s->vars[s->n_vars].name, sizeof s->vars[0].name, "%s", name);
    snprintf(s->vars[s->n_vars++].text, sizeof s->vars[0].text, "%s", text);
    return 0;
}

static int do_list(struct figure_scope *s, const struct yaml_node *list, do_item *one);

/* Lists side by side. */
static int each_of_lists(struct figure_scope *s, const struct yaml_node *each, const struct yaml_node *inner,
                         do_item *one)
{
    const size_t n_vars = s->n_vars;
    for (size_t k = 0; k < each->n; k++) {
        if (each->items[k]->kind != YAML_LIST || each->items[k]->n != each->items[0]->n)
            return figure_complain(s, each->items[k],
                                   "'each' takes lists of one length, \"points GLOB\", \"group NAME\", \"families "
                                   "NAME\" or \"best NAME\"");
    }
    for (size_t i = 0; i < each->items[0]->n; i++) {
        for (size_t k = 0; k < each->n; k++) {
            char text[160];
            if (figure_text(s, each->items[k]->items[i], text, sizeof text) < 0 ||
                push(s, each, each->keys[k], text) < 0)
                return -1;
        }
        if (do_list(s, inner, one) < 0) return -1;
        s->n_vars = n_vars;
    }
    return 0;
}

static int each_of_points(struct figure_scope *s, const struct yaml_node *each, const char *glob,
                          const struct yaml_node *inner, do_item *one)
{
    bool is_any = false;
    for (size_t p = 1; p < s->data->n_points; p++) {
        if (fnmatch(glob, s->data->points[p], 0) != 0) continue;
        is_any = true;
        if (push(s, each, each->keys[0], s->data->points[p]) < 0 || do_list(s, inner, one) < 0) return -1;
        s->n_vars--;
    }
    return is_any || s->study->tell ? 0 : figure_complain(s, each, "no point of the spec has such a name");
}

static int each_of_group(struct figure_scope *s, const struct yaml_node *each, const char *name,
                         const struct yaml_node *inner, do_item *one)
{
    const struct yaml_node *group = figure_entry(s, "groups", name);
    if (!group || group->kind != YAML_LIST) return figure_complain(s, each, "'groups' has no list of this name");
    for (size_t i = 0; i < group->n; i++) {
        if (group->items[i]->kind != YAML_SCALAR) return figure_complain(s, group->items[i], "a name is needed here");
        const char *member = group->items[i]->text;
        const struct yaml_node *label = figure_entry(s, "labels", member);
        if (push(s, each, each->keys[0], member) < 0 ||
            push(s, each, "label", label && label->kind == YAML_SCALAR ? label->text : member) < 0 ||
            do_list(s, inner, one) < 0)
            return -1;
        s->n_vars -= 2;
    }
    return 0;
}

/* Families of models that could be fitted, or the best of them. */
static int each_of_families(struct figure_scope *s, const struct yaml_node *each, const char *lesson, bool is_best,
                            const struct yaml_node *inner, do_item *one)
{
    const char *family;
    if (!figure_entry(s, "learn", lesson)) return figure_complain(s, each, "'learn' has nothing of this name");
    for (size_t at = 0; (family = is_best ? figure_best_family(s, lesson) : figure_family(s, lesson, &at));) {
        if (push(s, each, each->keys[0], family) < 0 || do_list(s, inner, one) < 0) return -1;
        s->n_vars--;
        if (is_best) break;
    }
    return 0;
}

static int each_item(struct figure_scope *s, const struct yaml_node *item, do_item *one)
{
    const struct yaml_node *each = yaml_get(item, "each"), *inner = yaml_get(item, "do");
    const struct yaml_node *of = each->kind == YAML_MAP && each->n ? each->items[0] : NULL;
    if (spec_keys(s->file, item, item_keys, COUNT_OF(item_keys), s->err) < 0) return -1;
    if (!of || !inner) return figure_complain(s, item, "'each' is a map of lists, and 'do' a list of items");
    if (of->kind == YAML_SCALAR && each->n == 1) {
        char text[160];
        if (figure_text(s, of, text, sizeof text) < 0) return -1;
        if (strncmp(text, "points ", 7) == 0) return each_of_points(s, each, text + 7, inner, one);
        if (strncmp(text, "group ", 6) == 0) return each_of_group(s, each, text + 6, inner, one);
        if (strncmp(text, "families ", 9) == 0) return each_of_families(s, each, text + 9, false, inner, one);
        if (strncmp(text, "best ", 5) == 0) return each_of_families(s, each, text + 5, true, inner, one);
    }
    return each_of_lists(s, each, inner, one);
}

static int do_list(struct figure_scope *s, const struct yaml_node *list, do_item *one)
{
    if (!list) return 0;
    if (list->kind != YAML_LIST) return figure_complain(s, list, "a list of items is needed here");
    for (size_t i = 0; i < list->n; i++) {
        double when;
        struct repro_report nothing = {0}, *const into = s->report;
        const struct yaml_node *item = list->items[i], *condition = yaml_get(item, "when");
        if (number_of_node(s, condition, 1, &when) < 0) return -1;
        if (++s->n_items > FIGURE_ITEMS_MAX) return figure_complain(s, item, "more than 20000 items by its loops");
        const bool is_left_out = !(when > 0);
        if (is_left_out && s->data->n) continue;
        if (is_left_out) s->report = &nothing; /* it is checked, no more */
        const int result = yaml_get(item, "each") ? each_item(s, item, one) : one(s, item);
        s->report = into;
        repro_report_fini(&nothing);
        if (result < 0) return -1;
    }
    return 0;
}

/* ---- rows ---- */

static const char *label_of(const struct figure_scope *s, size_t b)
{
    const struct yaml_node *own = figure_entry(s, "labels", s->data->benchmarks[b].name);
    return own && own->kind == YAML_SCALAR ? own->text : s->data->benchmarks[b].name;
}

/* What goes with a value: its unit, the band of its magnitude, its rivals. */
struct around {
    char unit[16], rivals[24];
    double within, points;
    bool has_interval;
};
static int read_around(const struct figure_scope *s, const struct yaml_node *item, struct around *out)
{
    const struct yaml_node *unit = yaml_get(item, "unit"), *rivals = yaml_get(item, "rivals"),
                           *interval = yaml_get(item, "interval");
    *out = (struct around){.unit = "%", .has_interval = interval != NULL};
    if (interval &&
        (interval->kind == YAML_LIST ? interval->n != 2
                                     : interval->kind != YAML_SCALAR || strcmp(interval->text, "true") != 0))
        return figure_complain(s, interval, "interval: true, or [LOW, HIGH], or leave it out");
    if ((unit && figure_text(s, unit, out->unit, sizeof out->unit) < 0) ||
        (rivals && figure_text(s, rivals, out->rivals, sizeof out->rivals) < 0) ||
        spec_f64(s->file, item, "within", 1, 1e6, &out->within, s->err) < 0)
        return -1;
    return spec_f64(s->file, item, "points", 0, 1e6, &out->points, s->err);
}

static void set_around(const struct figure_scope *s, const struct around *around)
{
    if (!s->report->n_rows) return;
    struct repro_row *row = &s->report->rows[s->report->n_rows - 1];
    row->within = around->within;
    row->points = around->points;
    memcpy(row->rivals, around->rivals, sizeof row->rivals);
}

/* `interval`: true, or both ends. */
static int add_interval(const struct figure_scope *s, const struct yaml_node *interval, const struct yaml_node *value)
{
    double ci95[2];
    if (interval->kind == YAML_LIST) {
        if (number_of_node(s, interval->items[0], NAN, &ci95[0]) < 0 ||
            number_of_node(s, interval->items[1], NAN, &ci95[1]) < 0)
            return -1;
        repro_interval(s->report, ci95);
        return 0;
    }
    struct formula *f = malloc(sizeof *f);
    int result = f ? 0 : error_set(s->err, ERR_MEMORY, "out of memory for a formula");
    if (result == 0) result = formula_of_node(f, s, value, false);
    if (result == 0) {
        formula_interval(s, f, ci95);
        repro_interval(s->report, ci95);
    }
    free(f);
    return result;
}

/* {label, value, unit, paper, place, item}: `item` makes it a value of a table, of this line. */
static int do_row(struct figure_scope *s, const struct yaml_node *item)
{
    static const char *const keys[] = {"label", "value",  "unit",   "paper",  "at",      "item",
                                       "when",  "within", "points", "rivals", "interval"};
    const struct yaml_node *label = yaml_get(item, "label"), *value = yaml_get(item, "value"),
                           *line = yaml_get(item, "item");
    char text[200], of[80] = "";
    struct around around;
    double ours, paper;
    if (spec_keys(s->file, item, keys, COUNT_OF(keys), s->err) < 0 || read_around(s, item, &around) < 0) return -1;
    if (!label || !value) return figure_complain(s, item, "a row needs 'label' and 'value'; or it is a 'table'");
    if (text_with_values(s, label, text, sizeof text) < 0 || number_of_node(s, value, NAN, &ours) < 0 ||
        number_of_node(s, yaml_get(item, "paper"), NAN, &paper) < 0 ||
        (line && figure_text(s, line, of, sizeof of) < 0))
        return -1;
    if (line) repro_cell(s->report, paper, ours, around.unit, of, "%s", text);
    else repro_row(s->report, paper, ours, around.unit, "%s", text);
    set_around(s, &around);
    return around.has_interval ? add_interval(s, yaml_get(item, "interval"), value) : 0;
}

/* ---- tables of benchmarks ---- */

/* The paper's value of a benchmark: one for all, a formula over `values`, or a map of benchmarks (a program's name
 * stands for all its launches). */
static int paper_of(struct figure_scope *s, const struct yaml_node *paper, struct formula *f, double *out)
{
    *out = NAN;
    if (!paper) return 0;
    if (paper->kind == YAML_MAP) {
        const struct repro_benchmark *b = s->data->n ? &s->data->benchmarks[s->line] : NULL;
        const struct yaml_node *own = b ? yaml_get(paper, b->name) : NULL;
        if (!own && b && b->workload) own = yaml_get(paper, b->workload->name);
        return own ? number_of_node(s, own, NAN, out) : 0;
    }
    if (formula_of_node(f, s, paper, true) < 0) return -1;
    if (s->data->n) *out = formula_value(s, f, (long)s->line, 0);
    return 0;
}

static int do_column(struct figure_scope *s, const struct yaml_node *item)
{
    static const char *const keys[] = {"column", "value", "unit", "paper", "if", "when", "within", "points", "rivals"};
    const struct yaml_node *column = yaml_get(item, "column"), *value = yaml_get(item, "value"),
                           *condition = yaml_get(item, "if");
    char text[200];
    struct around around;
    struct formula *f = malloc(sizeof *f);
    double paper = NAN, ours = NAN, is_there = 1;
    int result = f ? 0 : error_set(s->err, ERR_MEMORY, "out of memory for a formula");
    if (result == 0) result = spec_keys(s->file, item, keys, COUNT_OF(keys), s->err);
    if (result == 0) result = read_around(s, item, &around);
    if (result == 0 && (!column || !value)) result = figure_complain(s, item, "needs 'column' and 'value'");
    if (result == 0) result = figure_text(s, column, text, sizeof text);
    if (result == 0) result = paper_of(s, yaml_get(item, "paper"), f, &paper);
    if (result == 0 && condition) {
        result = formula_of_node(f, s, condition, true);
        if (result == 0 && s->data->n) is_there = formula_value(s, f, (long)s->line, 0);
    }
    if (result == 0) result = formula_of_node(f, s, value, true);
    if (result == 0 && s->data->n && is_there > 0) {
        ours = formula_value(s, f, (long)s->line, 0);
        const char *why = isfinite(ours) ? NULL : formula_failed(s, f, s->line);
        repro_cell(s->report, paper, ours, around.unit, label_of(s, s->line), "%s", text);
        set_around(s, &around);
        if (why) repro_failed(s->report, why);
    }
    free(f);
    return result;
}

static int do_table(struct figure_scope *s, const struct yaml_node *item)
{
    static const char *const keys[] = {"table", "columns", "when"};
    char group[64];
    if (spec_keys(s->file, item, keys, COUNT_OF(keys), s->err) < 0 ||
        figure_text(s, yaml_get(item, "table"), group, sizeof group) < 0)
        return -1;
    const bool is_all = strcmp(group, "all") == 0;
    if (!is_all && !figure_entry(s, "groups", group))
        return figure_complain(s, item, "'table' names no group, nor all");
    const struct yaml_node *columns = yaml_get(item, "columns");
    if (!columns) return figure_complain(s, item, "a table needs 'columns'");
    if (s->data->n == 0) return do_list(s, columns, do_column);
    size_t n, *members = figure_members(s, is_all ? NULL : group, &n);
    int result = 0;
    for (size_t i = 0; i < n && result == 0; i++) {
        s->line = members[i];
        result = do_list(s, columns, do_column);
    }
    free(members);
    return result;
}

static int do_row_or_table(struct figure_scope *s, const struct yaml_node *item)
{
    return yaml_get(item, "table") ? do_table(s, item) : do_row(s, item);
}

/* ---- checks ---- */

static int check_order(struct figure_scope *s, const struct yaml_node *order, bool *holds)
{
    double last = INFINITY;
    *holds = true;
    if (order->kind != YAML_LIST || order->n < 2)
        return figure_complain(s, order, "a list of two formulas or more, the largest first, is needed here");
    for (size_t i = 0; i < order->n; i++) {
        double v;
        if (number_of_node(s, order->items[i], NAN, &v) < 0) return -1;
        *holds &= i == 0 ? !isnan(v) : v < last;
        last = v;
    }
    return 0;
}

static int check_direction(struct figure_scope *s, const struct yaml_node *item, bool *holds)
{
    char side[16] = "";
    double v, of;
    if (spec_text(s->file, item, "is", true, side, sizeof side, s->err) < 0 ||
        number_of_node(s, yaml_get(item, "direction"), NAN, &v) < 0 ||
        number_of_node(s, yaml_get(item, "of"), 0, &of) < 0)
        return -1;
    if (strcmp(side, "above") != 0 && strcmp(side, "below") != 0)
        return figure_complain(s, yaml_get(item, "is"), "is: above or below");
    *holds = *side == 'a' ? v > of : v < of;
    return 0;
}

/* Within the band of the paper's value, and on its side. */
static int check_magnitude(struct figure_scope *s, const struct yaml_node *item, bool *holds)
{
    struct repro_report one = {0};
    struct around around;
    double v, paper;
    if (read_around(s, item, &around) < 0 || number_of_node(s, yaml_get(item, "magnitude"), NAN, &v) < 0 ||
        number_of_node(s, yaml_get(item, "paper"), NAN, &paper) < 0)
        return -1;
    if (!yaml_get(item, "paper")) return figure_complain(s, item, "'magnitude' needs the paper's value, 'paper'");
    repro_row(&one, paper, v, around.unit, "one");
    if (one.n_rows) {
        one.rows[0].within = around.within;
        one.rows[0].points = around.points;
        *holds = repro_row_magnitude(&one, 0, OF_OURS) == 1;
    }
    repro_report_fini(&one);
    return 0;
}

static int do_check(struct figure_scope *s, const struct yaml_node *item)
{
    static const char *const keys[] = {"text",  "holds",  "order", "direction", "is",   "of",    "magnitude",
                                       "paper", "within", "unit",  "points",    "when", "needs", "at"};
    const struct yaml_node *text = yaml_get(item, "text"), *order = yaml_get(item, "order"),
                           *holds = yaml_get(item, "holds");
    const char *const kinds[] = {"holds", "order", "direction", "magnitude"};
    char said[200];
    size_t n = 0;
    bool is = false;
    double v = 0, needs = 0;
    if (item->kind != YAML_MAP) return figure_complain(s, item, "a check is a map of 'text' and 'holds'");
    if (spec_keys(s->file, item, keys, COUNT_OF(keys), s->err) < 0) return -1;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) n += yaml_get(item, kinds[i]) != NULL;
    if (!text || n != 1)
        return figure_complain(s, item, "a check needs 'text' and one of 'holds', 'order', 'direction', 'magnitude'");
    if (text_with_values(s, text, said, sizeof said) < 0 || number_of_node(s, yaml_get(item, "needs"), 0, &needs) < 0)
        return -1;
    const int result = order                         ? check_order(s, order, &is)
                       : holds                       ? number_of_node(s, holds, 0, &v)
                       : yaml_get(item, "direction") ? check_direction(s, item, &is)
                                                     : check_magnitude(s, item, &is);
    if (result < 0) return -1;
    if (isnan(needs)) repro_deviation(s->report, "not measured: %s", said);
    else repro_check(s->report, holds ? v > 0 : is, "%s", said);
    return 0;
}

/* ---- notes ---- */

static int do_note(struct figure_scope *s, const struct yaml_node *item)
{
    static const char *const keys[] = {"text", "when"};
    char text[320];
    if (item->kind == YAML_MAP && spec_keys(s->file, item, keys, COUNT_OF(keys), s->err) < 0) return -1;
    const struct yaml_node *node = item->kind == YAML_MAP ? yaml_get(item, "text") : item;
    if (!node) return figure_complain(s, item, "a note is a text, or {text, when}");
    if (text_with_values(s, node, text, sizeof text) < 0) return -1;
    repro_deviation(s->report, "%s", text);
    return 0;
}

/* Of the paper's workloads those that are not here. */
static void note_missing(const struct figure_scope *s, const struct yaml_node *papers)
{
    const struct yaml_node *group = papers ? figure_entry(s, "groups", papers->text) : NULL;
    for (size_t i = 0; group && group->kind == YAML_LIST && i < group->n; i++) {
        const char *name = group->items[i]->kind == YAML_SCALAR ? group->items[i]->text : "";
        const struct yaml_node *label = figure_entry(s, "labels", name);
        if (figure_find(s->data, name) == s->data->n &&
            strncmp(name, FIGURE_LAUNCHES_OF, strlen(FIGURE_LAUNCHES_OF)) != 0)
            repro_deviation(s->report, "not measured here: %s",
                            label && label->kind == YAML_SCALAR ? label->text : name);
    }
}

/* Groups that a formula describes are read once before they are used. */
static int check_groups(const struct figure_scope *s, const struct yaml_node *groups)
{
    if (groups && groups->kind != YAML_MAP)
        return figure_complain(s, groups, "'groups' is a map of lists of workloads, or of formulas");
    struct formula *f = malloc(sizeof *f);
    int result = f ? 0 : error_set(s->err, ERR_MEMORY, "out of memory for a formula");
    for (size_t i = 0; groups && result == 0 && i < groups->n; i++) {
        if (groups->items[i]->kind != YAML_SCALAR) continue;
        result = formula_of_node(f, s, groups->items[i], true);
        for (size_t k = 0; result == 0 && k < f->n; k++) /* a group of those of a group of .. */
            if (f->nodes[k].kind == F_OVER)
                result = figure_complain(s, groups->items[i],
                                         "a group's formula is of one benchmark: no mean, sum or count");
    }
    free(f);
    return result;
}

static int order_of_atomics(struct figure_scope *s, const struct yaml_node *machines)
{
    struct ordered_machine list[16];
    if (!machines) return 0;
    if (machines->kind != YAML_MAP || machines->n > COUNT_OF(list))
        return figure_complain(s, machines, "'atomics_in_order' is a map of at most 16 mechanisms by name");
    for (size_t i = 0; i < machines->n; i++) {
        if (machines->items[i]->kind != YAML_SCALAR)
            return figure_complain(s, machines->items[i], "a mechanism, as in gto");
        list[i] = (struct ordered_machine){machines->keys[i], machines->items[i]->text};
    }
    results_hold_in_order(s->data, list, machines->n, s->report);
    return 0;
}

static int report_parts(struct figure_scope *s)
{
    const struct yaml_node *f = s->figure, *over = figure_setting(s, "over"), *papers = figure_setting(s, "papers");
    int result = 0;
    if ((over && (over->kind != YAML_SCALAR || !figure_entry(s, "groups", over->text))) ||
        (papers && (papers->kind != YAML_SCALAR || !figure_entry(s, "groups", papers->text))))
        result = figure_complain(s, over ? over : papers, "'over' and 'papers' name a group of 'groups'");
    if (result == 0) result = figure_check_lessons(s);
    if (result == 0) result = check_groups(s, yaml_get(s->root, "groups"));
    if (result == 0) result = check_groups(s, yaml_get(f, "groups"));
    if (result == 0) result = do_list(s, yaml_get(f, "rows"), do_row_or_table);
    if (result == 0) result = do_list(s, yaml_get(f, "maps"), figure_map);
    if (result == 0) result = do_list(s, yaml_get(f, "checks"), do_check);
    if (result == 0) result = order_of_atomics(s, yaml_get(f, "atomics_in_order"));
    if (result == 0) result = do_list(s, yaml_get(f, "notes"), do_note);
    if (result == 0) result = do_list(s, yaml_get(s->root, "notes"), do_note);
    if (result == 0) note_missing(s, papers);
    if (result == 0 && yaml_get(f, "l2_hits")) repro_note_l2_hits(s->data, s->report);
    return result;
}

int figure_report(const struct repro_study *study, const struct repro_data *data, struct repro_report *report,
                  struct error *err)
{
    struct figure_scope *s = malloc(sizeof *s);
    struct repro_data *own = calloc(1, sizeof *own);
    const struct yaml_node *windows = yaml_get(study->figure, "windows");
    int result = s && own ? 0 : error_set(err, ERR_MEMORY, "out of memory for a figure");
    if (result == 0) {
        *s = (struct figure_scope){.file = study->file,
                                   .root = yaml_root(study->file),
                                   .figure = study->figure,
                                   .study = study,
                                   .data = data,
                                   .report = report,
                                   .value = formula_value,
                                   .members = figure_members,
                                   .err = err};
        if (windows) result = figure_windows_take(s, windows, own);
        if (windows && result == 0) s->data = own;
        if (result == 0) result = report_parts(s);
        if (windows) figure_windows_free(own);
        figure_lessons_free(s->lessons);
    }
    free(own);
    free(s);
    return result;
}
