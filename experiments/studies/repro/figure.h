/* Figures as data: files of experiments/figures, each the figures of one paper. Internal to poise_lab.
 *
 *   schema: 1
 *   kind: figures
 *   labels: {srad2: srad}                    # what reports call a workload, where it is not its name
 *   groups: {CLN: [kmn, cfd-shuffled|cfd],   # workloads: of names with | between them the first that was measured;
 *            of_nw: [launches of nw],         # where launches are measured one by one, all of a program;
 *            shares: mu_rc > 10}             # or all for which a formula holds
 *   values: {mu_rc: {mm: 4, ss: 28}}         # numbers of the paper for single workloads
 *   defs: {gain: 100 * (speedup - 1)}        # formulas by name; figures may have groups, values and defs of their own
 *   over: papers                             # a group: what means are over (default: every benchmark)
 *   papers: papers                           # a group: reports name those of it that were not measured
 *   notes: ["..."]                           # deviations that every figure of the file has
 *   figures:
 *     - id: tsc-10b
 *       title: The tag-split cache and its rivals
 *       at: TSC Fig. 10(b)                   # the place in the paper
 *       mean: geometric                      # or arithmetic, harmonic: what mean() is
 *       spec: tsc/schemes.yaml               # below experiments/specs: what is run; with `pipeline: true` a pipeline,
 *                                            # whose policies are the points (figure_summary.c)
 *       rows:
 *         - {label: GM TSC, value: "100 * (mean(speedup['TSC']) - 1)", unit: "%", paper: 15.6}
 *         - each: {point: [MRPB, LAMAR], paper: [7.0, 7.4]}  # $point and $paper stand for each pair
 *           do: [{label: GM $point, value: "...", paper: $paper}]
 *         - table: papers                    # a line a workload of the group, or of all
 *           columns: [{column: TSC, value: "gain['TSC']", unit: "%", paper: "{kmn: 165}"}]
 *       checks:                              # statements of the paper, each one of
 *         - {text: TSC gains, direction: "gm['TSC']", is: above, of: 0}
 *         - {text: more tags gain more, order: ["gm['DSC-4']", "gm['DSC-2']"]}   # each above the next
 *         - {text: it gains as much, magnitude: "gm['TSC']", paper: 15.6, within: 1.5, points: 2}
 *         - {text: anything else, holds: "count(gain['TSC'] < 0) = 2"}
 *       notes: ["L2 hits ${amean(l2_hit_rate):.2} on average"]   # a formula's value in a text, with two decimals
 *
 * `each` takes lists of one length, "points GLOB" (those of the spec but base), or "group NAME", which gives $label
 * besides. An item may have `when`, a condition without which it is left out, and a check `needs`: where this is no
 * number, the report says that the statement was not measured. A row with `interval: true` has a 95 % interval:
 * percentiles of a bootstrap in which benchmarks of a family are drawn together.
 *
 * Formulas
 *   values      numbers, none, counters of `poise stats`, MECHANISM.COUNTER, GROUP.PARAMETER of the machine, speedup,
 *               names of defs and values; + - * / < > <= >= = and or; abs log2 exp2 round min max, if(condition, a, b)
 *   points      counter['TSC'], otherwise of base; counter[fastest('SWL *')] (of equals the greater number, fastest_few
 *               the lesser), number_of('SWL 4') = 4; points_most points_least points_count points_all ('GLOB', f),
 *               rises('GLOB', f, slack), crosses('GLOB', x, y, level): x where y falls through the level
 *   benchmarks  mean amean hmean gmean sum least most count all any (f, GROUP), the group may be left out; size(GROUP),
 *               pearson(x, y, GROUP), of('kmn', f), measured('kmn'); low(f), high(f): the ends of f's interval, in
 *               which whole(f) is of all benchmarks
 *   rows        rows('GLOB', f): how many rows so far have such a label and hold f, in which `ours`, `paper` are theirs
 *   storage     in bits: l1_extra_bits(tag bits), and stack_bits(KIND) of mechanisms' arrays (0), queues (1), registers
 *               (2), wires from an SM to its neighbour (3), crosspoints of switches (4); in mm2: array_mm2 queue_mm2
 *               wires_mm2 switch_mm2 register_mm2 (bits, nm), of 15 SMs; crossbar_mm2 (bits of crosspoints, nm)
 *   pipelines   `pipeline: true`: policies are points, and figure_summary.c has more; summary('model.N.status') is
 *               of the whole summary. `pipeline: launches`: each profiled launch in place of a benchmark
 *   mixes       `mixes: true`: mixes of CPU programs and a kernel are benchmarks; weighted, harmonic, fairness,
 *               access_ratio, programs (how many), program_speed (their geometric mean), kernel_speed, chosen_on
 * Maps: `maps: [{map: GROUP, counts: sharing.heat_map, point: sharing, of: .., x: .., y: .., out_of: formula}]`,
 * matrices that a mechanism has counted, for --json and reports. */
#ifndef POISE_FIGURE_H
#define POISE_FIGURE_H
#include "poise/repro.h"
#include "poise/yaml.h"

enum {
    FORMULA_NODES_MAX = 768,
    FORMULA_TEXT_MAX = 1024,
    FIGURE_VARS_MAX = 12,
    FIGURE_MEMBERS_MAX = 2048,
    FIGURE_ITEMS_MAX = 20000
};
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
    F_NUMBER_OF,
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
double formula_value(const struct figure_scope *s, const struct formula *f, long benchmark, size_t point);
/* The 95 % interval of a value that is over benchmarks: those of a family are drawn together. */
void formula_interval(const struct figure_scope *s, const struct formula *f, double ci95[2]);
/* A formula that is no more than summary('...') of a text: the text; else NULL. */
const char *formula_text(const struct figure_scope *s, const struct formula *f);
/* Why a formula has no value of a benchmark: a run of one of its points failed; NULL: none did. */
const char *formula_failed(const struct figure_scope *s, const struct formula *f, size_t benchmark);
/* Of an object what has this name, of a list the item of this number; NULL: there is none. */
const struct json_t *repro_part(const struct json_t *whole, const char *name);
/* Numbers of benchmarks, each once. NULL: all that were measured. */
size_t figure_members(const struct figure_scope *s, const char *group, size_t out[FIGURE_MEMBERS_MAX]);
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
    N_OVER
};
enum { POINTS_MOST, POINTS_LEAST, POINTS_COUNT, POINTS_EVERY, POINTS_RISE, POINTS_CROSS, N_POINTS_CALLS };

struct mix_data;
/* A study's rows, checks and notes over what mixes measured: each is a benchmark, called KERNEL+PROGRAM+.. */
int repro_mixes_report(const struct repro_study *study, const struct mix_data *data, struct repro_report *report,
                       struct error *err);
/* The same of a pipeline's summary: the `tell` of studies that have `pipeline: true`. */
void figure_tell(const struct repro_study *study, const struct json_t *summary, struct repro_report *report);
/* Before anything runs: a figure whose file is wrong says so at once. `spec` NULL: a pipeline's, whose points are
 * policies. */
int repro_check_figure(const struct repro_study *study, const struct repro_spec *spec, struct error *err);
/* The figure's rows, checks and notes; over no benchmarks it is checked: formulas, names of points, keys. */
int figure_report(const struct repro_study *study, const struct repro_data *data, struct repro_report *report,
                  struct error *err);
#endif
