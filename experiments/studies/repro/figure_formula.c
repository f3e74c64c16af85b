/* Formulas of figures: recursive descent.
 *   or = and {"or" and}; and = compare {"and" compare}; compare = sum [< > <= >= = sum]; sum = term {+|- term};
 *   term = factor {*|/ factor}; factor = - factor | (number | call | name | (or)) {[point]} */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/figure.h"

/* ---- reading a formula ---- */

enum { DEPTH_MAX = 40 };
struct reader {
    struct formula *out;
    const struct figure_scope *s;
    const struct yaml_node *node;
    const char *text, *at;
    int depth;
    bool of_rows; /* within rows('GLOB', f) */
};

static int complain(const struct reader *r, const char *what)
{
    char said[400];
    snprintf(said, sizeof said, "formula '%.160s', character %zu: %.180s", r->text, (size_t)(r->at - r->text) + 1,
             what);
    return figure_complain(r->s, r->node, said);
}

static int add(struct reader *r, struct formula_node node)
{
    if (r->out->n == FORMULA_NODES_MAX) {
        complain(r, "it is too long; give parts of it names of their own under 'defs'");
        return -1;
    }
    r->out->nodes[r->out->n] = node;
    return (int)r->out->n++;
}

static bool needs(const struct reader *r, int node) { return node >= 0 && r->out->nodes[node].needs_benchmark; }

static int add_pair(struct reader *r, enum formula_kind kind, int a, int b)
{
    if (a < 0 || b < 0) return -1;
    return add(
        r, (struct formula_node){.kind = kind, .a = a, .b = b, .c = -1, .needs_benchmark = needs(r, a) || needs(r, b)});
}

static void blanks(struct reader *r) { r->at += strspn(r->at, " \t\n"); }
static bool accept(struct reader *r, const char *word)
{
    blanks(r);
    const size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0 ||
        (isalpha((unsigned char)*word) && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')))
        return false;
    r->at += n;
    return true;
}
static int expect(struct reader *r, const char *word)
{
    char what[48];
    if (accept(r, word)) return 0;
    snprintf(what, sizeof what, "'%s' is needed here", word);
    return complain(r, what);
}

static int read_or(struct reader *r);

/* 'text' */
static int read_quoted(struct reader *r, char out[64])
{
    blanks(r);
    const char *end = *r->at == '\'' ? strchr(r->at + 1, '\'') : NULL;
    if (!end || end - r->at - 1 >= 64) return complain(r, "a name in single quotes is needed here");
    snprintf(out, 64, "%.*s", (int)(end - r->at - 1), r->at + 1);
    r->at = end + 1;
    return 0;
}

static int read_name(struct reader *r, char out[64])
{
    blanks(r);
    if (*r->at == '\'') return read_quoted(r, out);
    const size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    if (n == 0 || n >= 64) return complain(r, "a name is needed here");
    snprintf(out, 64, "%.*s", (int)n, r->at);
    r->at += n;
    return 0;
}

/* ---- points ---- */

static int check_glob(struct reader *r, const char *glob)
{
    return *glob ? 0 : complain(r, "a pattern of points is needed here, as in 'SWL *'");
}

/* fastest('GLOB'), fastest_few('GLOB'): of equals the greater or the lesser number. */
static int read_fastest(struct reader *r, bool few)
{
    struct formula_node node = {.kind = F_FASTEST, .what = few, .a = -1, .b = -1, .c = -1, .needs_benchmark = true};
    if (expect(r, "(") < 0 || read_quoted(r, node.name) < 0 || check_glob(r, node.name) < 0 || expect(r, ")") < 0)
        return -1;
    return add(r, node);
}

/* nearest('GLOB', f): whose number is nearest to f, of equals the first. top('GLOB', f): where f is largest.
 * climb('GLOB', f, from): from the point of that number on as long as f rises. */
static int read_best(struct reader *r, enum formula_kind kind)
{
    struct formula_node node = {.kind = kind, .a = -1, .b = -1, .c = -1};
    if (expect(r, "(") < 0 || read_quoted(r, node.name) < 0 || check_glob(r, node.name) < 0 || expect(r, ",") < 0 ||
        (node.a = read_or(r)) < 0 || (kind == F_CLIMB && (expect(r, ",") < 0 || (node.b = read_or(r)) < 0)) ||
        expect(r, ")") < 0)
        return -1;
    node.needs_benchmark = needs(r, node.a) || needs(r, node.b);
    return add(r, node);
}

static int check_lesson(struct reader *r, const char *map, const char *name)
{
    return figure_entry(r->s, map, name) ? 0
                                         : complain(r, "'learn' or 'choose' of the figure has nothing of this name");
}

/* chosen('NAME'), chosen_by_all('NAME'); behind the parenthesis. */
static int read_chosen(struct reader *r, bool by_all)
{
    struct formula_node node = {.kind = F_CHOSEN, .what = by_all, .a = -1, .b = -1, .c = -1, .needs_benchmark = true};
    if (read_quoted(r, node.name) < 0 || check_lesson(r, "choose", node.name) < 0 || expect(r, ")") < 0) return -1;
    return add(r, node);
}

static int read_point(struct reader *r, char name[64])
{
    blanks(r);
    *name = '\0';
    if (accept(r, "fastest_few")) return read_fastest(r, true);
    if (accept(r, "fastest")) return read_fastest(r, false);
    if (accept(r, "nearest")) return read_best(r, F_NEAREST);
    if (accept(r, "top")) return read_best(r, F_TOP);
    if (accept(r, "climb")) return read_best(r, F_CLIMB);
    if (accept(r, "chosen_by_all")) return expect(r, "(") < 0 ? -1 : read_chosen(r, true);
    if (accept(r, "chosen")) return expect(r, "(") < 0 ? -1 : read_chosen(r, false);
    if (read_quoted(r, name) < 0) return -1;
    if (repro_point(r->s->data, name) == r->s->data->n_points && !r->s->study->tell && !r->s->study->has_combinations) {
        char what[160];
        snprintf(what, sizeof what, "no point '%s' in %.60s: its points and 'base' are known", name, r->s->study->spec);
        return complain(r, what);
    }
    return -2; /* a name and no node */
}

/* NODE[POINT]... */
static int read_points(struct reader *r, int of)
{
    while (of >= 0 && accept(r, "[")) {
        struct formula_node node = {.kind = F_AT, .a = of, .b = -1, .c = -1};
        const int point = read_point(r, node.name);
        if (point == -1 || expect(r, "]") < 0) return -1;
        if (point >= 0) node.b = point;
        node.needs_benchmark = needs(r, of) || needs(r, node.b);
        of = add(r, node);
    }
    return of;
}

/* ---- calls ---- */

static const struct {
    const char *name;
    int arguments;
} calls[N_CALLS] = {{"abs", 1},       {"log2", 1},         {"exp2", 1},       {"round", 1},       {"min", 2},
                    {"max", 2},       {"if", 3},           {"share", 2},      {"array_mm2", 2},   {"queue_mm2", 2},
                    {"wires_mm2", 2}, {"register_mm2", 2}, {"switch_mm2", 2}, {"crossbar_mm2", 2}};
static const char *const over[N_OVER] = {"mean",  "amean", "hmean", "gmean",   "sum",      "least",        "most",
                                         "count", "all",   "any",   "pearson", "spearman", "program_mean", "families"};
static const char *const points_calls[N_POINTS_CALLS] = {"points_most", "points_least", "points_count",
                                                         "points_all",  "rises",        "crosses"};

static int read_call(struct reader *r, int what)
{
    struct formula_node node = {.kind = F_CALL, .what = what, .a = -1, .b = -1, .c = -1};
    int *const arguments[] = {&node.a, &node.b, &node.c};
    for (int i = 0; i < calls[what].arguments; i++) {
        if (i && expect(r, ",") < 0) return -1;
        if ((*arguments[i] = read_or(r)) < 0) return -1;
        node.needs_benchmark |= needs(r, *arguments[i]);
    }
    return expect(r, ")") < 0 ? -1 : add(r, node);
}

static int check_group(struct reader *r, const char *name)
{
    char what[160];
    if (figure_entry(r->s, "groups", name)) return 0;
    snprintf(what, sizeof what, "no group '%s': 'groups' of the figure or of its file has none of this name", name);
    return complain(r, what);
}

/* mean(f), mean(f, GROUP); size(GROUP) is count(1, GROUP); pearson(x, y, GROUP), spearman. */
static int read_over(struct reader *r, int what, bool is_size)
{
    struct formula_node node = {.kind = F_OVER, .what = what, .a = -1, .b = -1, .c = -1};
    if (is_size) node.a = add(r, (struct formula_node){.kind = F_NUMBER, .number = 1, .a = -1, .b = -1, .c = -1});
    else node.a = read_or(r);
    if (node.a < 0) return -1;
    if ((what == OVER_PEARSON || what == OVER_SPEARMAN) && (expect(r, ",") < 0 || (node.b = read_or(r)) < 0)) return -1;
    if (is_size || accept(r, ",")) {
        if (read_name(r, node.name) < 0 || check_group(r, node.name) < 0) return -1;
    }
    return expect(r, ")") < 0 ? -1 : add(r, node);
}

/* of('kmn', f); measured('kmn') is of('kmn', 1). */
static int read_of(struct reader *r, bool is_measured)
{
    struct formula_node node = {.kind = F_OF, .what = is_measured, .a = -1, .b = -1, .c = -1};
    if (read_quoted(r, node.name) < 0) return -1;
    if (!is_measured && (expect(r, ",") < 0 || (node.a = read_or(r)) < 0)) return -1;
    return expect(r, ")") < 0 ? -1 : add(r, node);
}

static int read_points_call(struct reader *r, int what)
{
    struct formula_node node = {.kind = F_POINTS, .what = what, .a = -1, .b = -1, .c = -1};
    const int more = what == POINTS_CROSS ? 2 : what == POINTS_RISE;
    if (read_quoted(r, node.name) < 0 || check_glob(r, node.name) < 0 || expect(r, ",") < 0 ||
        (node.a = read_or(r)) < 0 || (more > 0 && (expect(r, ",") < 0 || (node.b = read_or(r)) < 0)) ||
        (more > 1 && (expect(r, ",") < 0 || (node.c = read_or(r)) < 0)))
        return -1;
    node.needs_benchmark = needs(r, node.a) || needs(r, node.b) || needs(r, node.c);
    return expect(r, ")") < 0 ? -1 : add(r, node);
}

/* summary('model.N.weights.h_o'), of the pipeline as a whole. */
static int read_summary(struct reader *r)
{
    struct formula_node node = {.kind = F_SUMMARY, .a = -1, .b = -1, .c = -1};
    if (!r->s->study->tell) return complain(r, "summary() is of figures with 'pipeline'");
    if (read_quoted(r, node.name) < 0) return -1;
    return expect(r, ")") < 0 ? -1 : add(r, node);
}

/* low(f), high(f), whole(f): of a value over benchmarks. */
static int read_drawn(struct reader *r, enum formula_kind kind, int what)
{
    const int of = read_or(r);
    if (of < 0) return -1;
    if (needs(r, of)) return complain(r, "a value over benchmarks is needed here, as in low(mean(speedup))");
    if (expect(r, ")") < 0) return -1;
    return add(r, (struct formula_node){.kind = kind, .what = what, .a = of, .b = -1, .c = -1});
}

/* rows('GLOB', f): of how many rows with a label like this f holds, in which `ours` and `paper` are the row's. */
static int read_rows(struct reader *r)
{
    struct formula_node node = {.kind = F_ROWS, .a = -1, .b = -1, .c = -1};
    const bool of_rows = r->of_rows;
    if (read_quoted(r, node.name) < 0 || expect(r, ",") < 0) return -1;
    r->of_rows = true;
    node.a = read_or(r);
    r->of_rows = of_rows;
    return node.a < 0 || expect(r, ")") < 0 ? -1 : add(r, node);
}

/* predicted('NAME', 'FAMILY'), fitted('NAME', 'FAMILY'), weight('NAME', 'FEATURE'). */
static int read_learned(struct reader *r, enum formula_kind kind, bool of_all)
{
    struct formula_node node = {.kind = kind, .what = of_all, .a = -1, .b = -1, .c = -1};
    node.needs_benchmark = kind == F_PREDICTED;
    if (read_quoted(r, node.name) < 0 || check_lesson(r, "learn", node.name) < 0) return -1;
    if (accept(r, ",") && read_quoted(r, node.second) < 0) return -1;
    if (kind == F_WEIGHT && strcmp(node.second, "intercept") != 0 &&
        !yaml_get(yaml_get(figure_entry(r->s, "learn", node.name), "features"), node.second))
        return complain(r, "'features' of what is learned has no such name");
    return expect(r, ")") < 0 ? -1 : add(r, node);
}

/* paired('NAME', 'difference', f, g): of f less g over what NAME is learned from; 'low', 'high', 'p'. */
static int read_paired(struct reader *r)
{
    static const char *const whats[N_PAIRED] = {"difference", "low", "high", "p"};
    struct formula_node node = {.kind = F_PAIRED, .a = -1, .b = -1, .c = -1};
    char what[64];
    if (read_quoted(r, node.name) < 0 || check_lesson(r, "learn", node.name) < 0 || expect(r, ",") < 0 ||
        read_quoted(r, what) < 0 || expect(r, ",") < 0)
        return -1;
    while (node.what < N_PAIRED && strcmp(what, whats[node.what]) != 0) node.what++;
    if (node.what == N_PAIRED) return complain(r, "'difference', 'low', 'high' or 'p' is needed here");
    if ((node.a = read_or(r)) < 0 || expect(r, ",") < 0 || (node.b = read_or(r)) < 0) return -1;
    return expect(r, ")") < 0 ? -1 : add(r, node);
}

/* rule('NAME'), a text; in_set('evaluation'). */
static int read_named(struct reader *r, enum formula_kind kind)
{
    struct formula_node node = {.kind = kind, .a = -1, .b = -1, .c = -1, .needs_benchmark = kind == F_IN_SET};
    if (read_quoted(r, node.name) < 0 || (kind == F_RULE && check_lesson(r, "choose", node.name) < 0)) return -1;
    return expect(r, ")") < 0 ? -1 : add(r, node);
}

static int read_number_of(struct reader *r)
{
    struct formula_node node = {.kind = F_NUMBER_OF, .a = -1, .b = -1, .c = -1};
    node.a = read_point(r, node.name);
    if (node.a == -1) return -1;
    node.needs_benchmark = node.a < 0 || needs(r, node.a);
    return expect(r, ")") < 0 ? -1 : add(r, node);
}

static int read_function(struct reader *r, const char *name)
{
    for (int i = 0; i < N_CALLS; i++)
        if (strcmp(name, calls[i].name) == 0) return read_call(r, i);
    for (int i = 0; i < N_OVER; i++)
        if (strcmp(name, over[i]) == 0) return read_over(r, i, false);
    for (int i = 0; i < N_POINTS_CALLS; i++)
        if (strcmp(name, points_calls[i]) == 0) return read_points_call(r, i);
    if (strcmp(name, "size") == 0) return read_over(r, OVER_COUNT, true);
    if (strcmp(name, "of") == 0) return read_of(r, false);
    if (strcmp(name, "measured") == 0) return read_of(r, true);
    if (strcmp(name, "number_of") == 0) return read_number_of(r);
    if (strcmp(name, "chosen") == 0 || strcmp(name, "chosen_by_all") == 0) return read_chosen(r, name[6] != '\0');
    if (strcmp(name, "predicted") == 0) return read_learned(r, F_PREDICTED, false);
    if (strcmp(name, "fitted") == 0) return read_learned(r, F_PREDICTED, true);
    if (strcmp(name, "weight") == 0) return read_learned(r, F_WEIGHT, false);
    if (strcmp(name, "paired") == 0) return read_paired(r);
    if (strcmp(name, "rule") == 0) return read_named(r, F_RULE);
    if (strcmp(name, "in_set") == 0) return read_named(r, F_IN_SET);
    if (strcmp(name, "summary") == 0) return read_summary(r);
    if (strcmp(name, "low") == 0) return read_drawn(r, F_INTERVAL, 0);
    if (strcmp(name, "high") == 0) return read_drawn(r, F_INTERVAL, 1);
    if (strcmp(name, "whole") == 0) return read_drawn(r, F_WHOLE, 0);
    if (strcmp(name, "rows") == 0) return read_rows(r);
    if (strcmp(name, "l1_extra_bits") == 0 || strcmp(name, "stack_bits") == 0) {
        const int of = read_or(r);
        if (of < 0 || expect(r, ")") < 0) return -1;
        const enum formula_kind kind = *name == 'l' ? F_EXTRA_BITS : F_STACK_BITS;
        return add(r, (struct formula_node){.kind = kind, .a = of, .b = -1, .c = -1});
    }
    return complain(r, "no such function: experiments/figures/README.md lists them");
}

/* ---- names ---- */

/* Another formula in this one's place. */
static int read_def(struct reader *r, const struct yaml_node *def)
{
    char text[FORMULA_TEXT_MAX];
    if (def->kind != YAML_SCALAR) return figure_complain(r->s, def, "a formula is needed here");
    if (figure_text(r->s, def, text, sizeof text) < 0) return -1;
    struct reader inner = {
        .out = r->out, .s = r->s, .node = def, .text = text, .at = text, .depth = r->depth + 4, .of_rows = r->of_rows};
    const int node = read_or(&inner);
    blanks(&inner);
    if (node >= 0 && *inner.at) return complain(&inner, "an operator or the end is expected here");
    return node;
}

static bool is_param(const char *group, const char *name)
{
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    for (size_t g = 0; g < n; g++)
        if (strcmp(groups[g].table.owner, group) == 0) return params_find(&groups[g].table, name) != NULL;
    return false;
}

static bool is_mech_counter(const char *mech, const char *name)
{
    const struct mech_type *type = mech_find(mech);
    const struct stat_table *stats = type ? mech_stats(type) : NULL;
    for (size_t i = 0; stats && i < stats->n_rows; i++)
        if (strcmp(stats->rows[i].name, name) == 0) return true;
    return false;
}

static bool is_counter(const char *name)
{
    struct gpu_stats *zero = calloc(1, gpu_stat_table.size);
    const bool is = energy_value_find(name) || (zero && !isnan(gpu_stats_value(zero, name)));
    free(zero);
    return is;
}

/* What is known of a mix at a point (repro_mixes.c), or of a pipeline's launch. */
static bool is_measured(const struct reader *r, const char *name)
{
    static const char *const of_mix[] = {"weighted", "harmonic",      "fairness",     "access_ratio",
                                         "programs", "program_speed", "kernel_speed", "chosen_on"};
    static const char *const of_launch[] = {
        "N", "p", "W", "gto_cycles", "best_speedup", "diagonal_speedup", "target_speedup"};
    const bool has_mixes = r->s->study->has_mixes;
    if (r->s->study->has_pairs && strcmp(name, "both") == 0) return true;
    const char *const *names = has_mixes ? of_mix : of_launch;
    const size_t n = has_mixes ? COUNT_OF(of_mix) : r->s->study->tell ? COUNT_OF(of_launch) : 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool is_in(const char *name, const char *a, const char *b)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0;
}

static int read_dotted(struct reader *r, char *name)
{
    struct formula_node node = {.a = -1, .b = -1, .c = -1};
    char *dot = strchr(name, '.');
    *dot = '\0';
    node.kind = is_param(name, dot + 1) ? F_PARAM : F_MECH;
    node.needs_benchmark = node.kind == F_MECH;
    snprintf(node.name, sizeof node.name, "%s", name);
    snprintf(node.second, sizeof node.second, "%s", dot + 1);
    const bool is_part = (yaml_get(r->s->figure, "windows") && is_in(name, "window", "before")) ||
                         (r->s->study->has_pairs && is_in(name, "first", "second"));
    if (node.kind == F_PARAM || r->s->study->tell || is_part || is_mech_counter(name, dot + 1)) return add(r, node);
    char what[240];
    snprintf(what, sizeof what,
             "neither a parameter nor a mechanism's counter is called %.40s.%.40s; 'poise mechs %.40s' lists them",
             name, dot + 1, name);
    return complain(r, what);
}

static int read_word(struct reader *r)
{
    char name[64];
    const char *begin = r->at;
    const struct yaml_node *def;
    struct formula_node node = {.kind = F_COUNTER, .needs_benchmark = true, .a = -1, .b = -1, .c = -1};
    if (read_name(r, name) < 0) return -1;
    if (*r->at == '(') {
        r->at++;
        return read_function(r, name);
    }
    if (strcmp(name, "none") == 0)
        return add(r, (struct formula_node){.kind = F_NUMBER, .number = NAN, .a = -1, .b = -1, .c = -1});
    if (r->of_rows && (strcmp(name, "ours") == 0 || strcmp(name, "paper") == 0))
        return add(r, (struct formula_node){.kind = F_ROW_VALUE, .what = *name == 'p', .a = -1, .b = -1, .c = -1});
    if ((def = figure_entry(r->s, "defs", name))) return read_def(r, def);
    if (strcmp(name, "option") == 0) return add(r, (struct formula_node){.kind = F_OPTION, .a = -1, .b = -1, .c = -1});
    snprintf(node.name, sizeof node.name, "%s", name);
    if (strcmp(name, "speedup") == 0) node.kind = F_SPEEDUP;
    else if (figure_entry(r->s, "values", name)) node.kind = F_VALUE;
    else if (strchr(name, '.')) return read_dotted(r, name);
    else if (!is_counter(name) && !is_measured(r, name)) {
        char what[160];
        r->at = begin;
        snprintf(what, sizeof what,
                 "nothing is called '%s': 'poise stats' lists counters, 'defs' and 'values' name more", name);
        return complain(r, what);
    }
    return add(r, node);
}

/* ---- operators ---- */

static int read_factor(struct reader *r)
{
    blanks(r);
    if (++r->depth > DEPTH_MAX) return complain(r, "it is too deep; a name under 'defs' may stand for itself");
    int node;
    if (accept(r, "-")) {
        const int a = read_factor(r);
        node = a < 0 ? -1
                     : add(r, (struct formula_node){
                                  .kind = F_NEGATE, .a = a, .b = -1, .c = -1, .needs_benchmark = needs(r, a)});
    } else if (accept(r, "(")) {
        node = read_or(r);
        if (node >= 0 && expect(r, ")") < 0) node = -1;
    } else if (isdigit((unsigned char)*r->at)) {
        char *end;
        const double number = strtod(r->at, &end);
        r->at = end;
        node = add(r, (struct formula_node){.kind = F_NUMBER, .number = number, .a = -1, .b = -1, .c = -1});
    } else if (isalpha((unsigned char)*r->at)) {
        node = read_word(r);
    } else {
        return complain(r, "a number, a name or '(' is needed here");
    }
    r->depth--;
    return node < 0 ? -1 : read_points(r, node);
}

static int read_term(struct reader *r)
{
    int node = read_factor(r);
    while (node >= 0) {
        const enum formula_kind kind = accept(r, "*") ? F_MUL : accept(r, "/") ? F_DIV : F_NUMBER;
        if (kind == F_NUMBER) break;
        node = add_pair(r, kind, node, read_factor(r));
    }
    return node;
}

static int read_sum(struct reader *r)
{
    int node = read_term(r);
    while (node >= 0) {
        const enum formula_kind kind = accept(r, "+") ? F_ADD : accept(r, "-") ? F_SUB : F_NUMBER;
        if (kind == F_NUMBER) break;
        node = add_pair(r, kind, node, read_term(r));
    }
    return node;
}

static int read_compare(struct reader *r)
{
    static const struct {
        const char *sign;
        enum formula_kind kind;
    } signs[] = {{"<=", F_AT_MOST}, {">=", F_AT_LEAST}, {"<", F_LESS}, {">", F_MORE}, {"=", F_EQUAL}};
    const int node = read_sum(r);
    for (size_t i = 0; node >= 0 && i < COUNT_OF(signs); i++)
        if (accept(r, signs[i].sign)) return add_pair(r, signs[i].kind, node, read_sum(r));
    return node;
}

static int read_and(struct reader *r)
{
    int node = read_compare(r);
    while (node >= 0 && accept(r, "and")) node = add_pair(r, F_AND, node, read_compare(r));
    return node;
}

static int read_or(struct reader *r)
{
    if (++r->depth > DEPTH_MAX) return complain(r, "it is too deep; a name under 'defs' may stand for itself");
    int node = read_and(r);
    while (node >= 0 && accept(r, "or")) node = add_pair(r, F_OR, node, read_and(r));
    r->depth--;
    return node;
}

int formula_read(struct formula *out, const struct figure_scope *s, const struct yaml_node *node, const char *text,
                 bool in_benchmark)
{
    struct reader r = {.out = out, .s = s, .node = node, .text = text, .at = text};
    out->n = 0;
    out->root = read_or(&r);
    blanks(&r);
    if (out->root < 0) return -1;
    if (*r.at) return complain(&r, "an operator or the end is expected here");
    if (out->nodes[out->root].needs_benchmark && !in_benchmark)
        return complain(&r, "this asks for a benchmark's value: say over which, as in mean(...) or of('kmn', ...)");
    return 0;
}

int formula_of_node(struct formula *out, const struct figure_scope *s, const struct yaml_node *node, bool in_benchmark)
{
    char text[FORMULA_TEXT_MAX];
    return figure_text(s, node, text, sizeof text) < 0 ? -1 : formula_read(out, s, node, text, in_benchmark);
}
