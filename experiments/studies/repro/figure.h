/* Figures as data: files of experiments/figures, each the figures of one paper. experiments/figures/README.md says what
 * they may hold, and their language of formulas. Internal to poise_lab. */
#ifndef POISE_FIGURE_H
#define POISE_FIGURE_H
#include "poise/repro.h"
#include "poise/yaml.h"

enum { FORMULA_NODES_MAX = 768, FORMULA_TEXT_MAX = 1024, FIGURE_VARS_MAX = 12, FIGURE_ITEMS_MAX = 20000 };
enum formula_kind {
    F_NUMBER,
    F_COUNTER,
    F_MECH,
    F_PARAM,
    F_SPEEDUP,
    F_VALUE,
    F_EXTRA_BITS,
    F_STACK_BITS,
    F_ADD,
    F_SUB,
    F_MUL,
    F_DIV,
    F_LESS,
    F_MORE,
    F_AT_MOST,
    F_AT_LEAST,
    F_EQUAL,
    F_AND,
    F_OR,
    F_NEGATE,
    F_AT,     /* name: the point; or b, what chooses it */
    F_CALL,   /* of numbers */
    F_OVER,   /* benchmarks */
    F_OF,     /* one benchmark */
    F_POINTS, /* over points */
    F_FASTEST,
    F_NEAREST, /* a: of which number */
    F_TOP,     /* a: where it is largest */
    F_CLIMB,   /* a: while it rises, b: from which number */
    F_CHOSEN,  /* what: 1 by the rule of all; as a point, or as a number */
    F_NUMBER_OF,
    F_PREDICTED, /* name, second: the family; what: 1 fitted to all */
    F_WEIGHT,    /* name, second: the feature */
    F_PAIRED,    /* what: enum figure_paired, of a and b */
    F_RULE,      /* a text */
    F_OPTION,    /* of a choice, while what it loses is worked out */
    F_IN_SET,
    F_SUMMARY,  /* name: its place in a pipeline's summary */
    F_INTERVAL, /* what: 0 its lower end, 1 its upper */
    F_WHOLE,    /* of all benchmarks, within an interval too */
    F_ROWS,     /* over rows of the report; what: 0 */
    F_ROW_VALUE /* of such a row; what: 0 ours, 1 the paper's */
};
struct formula_node {
    enum formula_kind kind;
    int what; /* of a call: its row */
    double number;
    char name[64], second[64];
    int a, b, c; /* nodes; -1: none */
    bool needs_benchmark;
};
struct formula {
    struct formula_node nodes[FORMULA_NODES_MAX];
    size_t n;
    int root;
};
/* What a formula's names mean: the figure, its file, and what was measured; `data` has at least the points. */
struct figure_scope {
    const struct yaml_file *file;
    const struct yaml_node *root, *figure;
    const struct repro_study *study;
    const struct repro_data *data;
    struct repro_report *report;
    struct {
        char name[24], text[160];
    } vars[FIGURE_VARS_MAX]; /* of the loops around */
    size_t n_vars, n_items;  /* how many were done: loops in loops have an end */
    size_t line;             /* the benchmark of a table's line */
    size_t row;              /* of the report, within rows('GLOB', f) */
    const size_t *drawn;     /* benchmarks in place of all, with repeats: a draw of a bootstrap; NULL: none */
    size_t n_drawn;
    struct figure_lessons *lessons; /* of figure_learn.c */
    /* formula_value and figure_members: what is learned is asked for by formulas, and asks for formulas in turn */
    double (*value)(const struct figure_scope *s, const struct formula *f, long benchmark, size_t point);
    size_t *(*members)(const struct figure_scope *s, const char *group, size_t *n);
    double option;
    struct error *err;
};
enum { NO_BENCHMARK = -1 };
#define FIGURE_LAUNCHES_OF "launches of "

/* Texts with the loops' variables in place. */
int figure_text(const struct figure_scope *s, const struct yaml_node *node, char *out, size_t size);
/* A complaint at the node. */
int figure_complain(const struct figure_scope *s, const struct yaml_node *node, const char *what);
/* Of an entry of `groups`, `values`, `defs`: the figure's own, else its file's; NULL: none. */
const struct yaml_node *figure_entry(const struct figure_scope *s, const char *map, const char *name);
/* `over` and `papers`: the figure's, else its file's; NULL: none. */
const struct yaml_node *figure_setting(const struct figure_scope *s, const char *key);
/* `in_benchmark`: it may ask for counters without saying over which benchmarks. */
int formula_read(struct formula *out, const struct figure_scope *s, const struct yaml_node *node, const char *text,
                 bool in_benchmark);
/* The same of a node's text, with the loops' variables in place. */
int formula_of_node(struct formula *out, const struct figure_scope *s, const struct yaml_node *node, bool in_benchmark);
double formula_value(const struct figure_scope *s, const struct formula *f, long benchmark, size_t point);
/* The 95 % interval of a value that is over benchmarks: those of a family are drawn together. */
void formula_interval(const struct figure_scope *s, const struct formula *f, double ci95[2]);
/* A formula that is no more than summary('...') of a text: the text; else NULL. */
const char *formula_text(const struct figure_scope *s, const struct formula *f);
/* Why a formula has no value of a benchmark: a run of one of its points failed; NULL: none did. */
const char *formula_failed(const struct figure_scope *s, const struct formula *f, size_t benchmark);
/* Of an object what has this name, of a list the item of this number; NULL: there is none. */
const struct json_t *repro_part(const struct json_t *whole, const char *name);
/* Numbers of benchmarks, each once; the caller frees them. Group NULL: all that were measured. */
size_t *figure_members(const struct figure_scope *s, const char *group, size_t *n);
/* "a|b": the first of these that was measured; data->n: none. */
size_t figure_find(const struct repro_data *data, const char *names);

/* The names of calls, by `what` of their nodes. */
enum {
    CALL_ABS,
    CALL_LOG2,
    CALL_EXP2,
    CALL_ROUND,
    CALL_MIN,
    CALL_MAX,
    CALL_IF,
    CALL_SHARE,
    CALL_ARRAY_MM2,
    CALL_QUEUE_MM2,
    CALL_WIRES_MM2,
    CALL_REGISTER_MM2,
    CALL_SWITCH_MM2,
    CALL_CROSSBAR_MM2,
    N_CALLS
};
enum {
    OVER_MEAN,
    OVER_AMEAN,
    OVER_HMEAN,
    OVER_GMEAN,
    OVER_SUM,
    OVER_LEAST,
    OVER_MOST,
    OVER_COUNT,
    OVER_ALL,
    OVER_ANY,
    OVER_PEARSON,
    OVER_SPEARMAN,
    OVER_PROGRAMS,
    OVER_FAMILIES,
    N_OVER
};
enum { POINTS_MOST, POINTS_LEAST, POINTS_COUNT, POINTS_EVERY, POINTS_RISE, POINTS_CROSS, N_POINTS_CALLS };

/* ---- what is learned (figure_learn.c) ---- */

/* Reads `learn` and `choose` before rows are made; what they hold is freed in the end. */
int figure_check_lessons(struct figure_scope *s);
void figure_lessons_free(struct figure_lessons *lessons); /* accepts NULL */
/* The name of a benchmark's program: benchmarks of one are left out together. */
const char *figure_program(const struct figure_scope *s, size_t benchmark);
const char *figure_family_of(const struct figure_scope *s, size_t benchmark); /* of workloads */
/* By the family of this name ("": the first): of a benchmark that was learned from with its group left out, of another
 * by what was fitted to all. */
double figure_predicted(const struct figure_scope *s, const char *name, const char *family, size_t benchmark,
                        bool of_all);
double figure_weight(const struct figure_scope *s, const char *name, const char *feature);
size_t figure_chosen_point(const struct figure_scope *s, const char *name, size_t benchmark, bool of_all);
double figure_chosen_number(const struct figure_scope *s, const char *name, size_t benchmark, bool of_all);
const char *figure_rule_text(const struct figure_scope *s, const char *name);
/* Of two lists of values of the rows, the second behind the first. */
enum figure_paired { PAIRED_DIFFERENCE, PAIRED_LOW, PAIRED_HIGH, PAIRED_P, N_PAIRED };
double figure_compared(const struct figure_scope *s, const char *name, enum figure_paired what, const double *values);
const size_t *figure_learned_rows(const struct figure_scope *s, const char *name, size_t *n);
/* The next family of models that could be fitted, from families[*at] on; NULL: no more. */
const char *figure_family(const struct figure_scope *s, const char *name, size_t *at);
/* That with the least of its `best`; "none". */
const char *figure_best_family(struct figure_scope *s, const char *name);

/* ---- intervals ---- */

struct groups;
/* The families of the benchmarks, whose rows are drawn together; one without a workload is its own. */
int repro_families(struct groups *out, const struct repro_data *data, struct error *err);
/* The 95 % interval of a statistic of rows, whose groups are drawn together: percentiles of a bootstrap; NAN where it
 * cannot be had. */
typedef double repro_statistic(const size_t *rows, size_t n, void *context);
void repro_bootstrap(const struct groups *groups, repro_statistic *statistic, void *context, double ci[2]);

struct mix_data;
/* A study's rows, checks and notes over what mixes measured: each is a benchmark, called KERNEL+PROGRAM+.. */
int repro_mixes_report(const struct repro_study *study, const struct mix_data *data, struct repro_report *report,
                       struct error *err);
/* The same of a pipeline's summary: the `tell` of studies that have `pipeline: true`. */
void figure_tell(const struct repro_study *study, const struct json_t *summary, struct repro_report *report);
/* `windows: {of: MECHANISM, sms: [..], each: N}`: at most N windows of each launch and SM, evenly spaced, that every
 * point with the mechanism has, become the benchmarks of `out`: window.NUMBER and before.NUMBER (of the window before)
 * at a point. */
int figure_map(struct figure_scope *s, const struct yaml_node *item);
int figure_windows_take(const struct figure_scope *s, const struct yaml_node *windows, struct repro_data *out);
void figure_windows_free(struct repro_data *data);
/* Before anything runs: a figure whose file is wrong says so at once. `spec` NULL: a pipeline's, whose points are
 * policies. */
int repro_check_figure(const struct repro_study *study, const struct repro_spec *spec, struct error *err);
int repro_check_figure_over(const struct repro_study *study, const struct repro_data *points, struct error *err);
/* Rows, checks and the matrix of points put together. */
void repro_report_combinations(const struct repro_data *data, struct repro_report *report);
enum { REPRO_TOLD_MAX = 256 }; /* benchmarks of a pipeline; a summary of more is refused before it is told */
/* Of lengths; and of pairs, which choose their runs by what was measured. */
int repro_run_lengths(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                      struct error *err);
int repro_run_pairs(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                    struct error *err);
/* The figure's rows, checks and notes; over no benchmarks it is checked: formulas, names of points, keys. */
int figure_report(const struct repro_study *study, const struct repro_data *data, struct repro_report *report,
                  struct error *err);
#endif
