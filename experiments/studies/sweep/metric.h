/* Figures derived from a run's statistics by a formula in a spec: "l1d_misses * 1000 / warp_insts",
 * "baseline.core_cycles / core_cycles". Names are those of 'poise sim --json'; numbers, + - * /, parentheses, min(a,
 * b), max(a, b). `baseline.NAME` is the same statistic of the run that the caller compares with, `reference.NAME` of
 * that on the machine it compares with. Internal to poise_lab. */
#ifndef POISE_METRIC_H
#define POISE_METRIC_H
#include "poise/energy.h"
#include "poise/yaml.h"

enum { METRIC_OPS_MAX = 64, METRIC_DEPTH_MAX = 16 };
enum metric_op_kind {
    METRIC_NUMBER,
    METRIC_STAT,
    METRIC_BASELINE,
    METRIC_REFERENCE,
    METRIC_ADD,
    METRIC_SUB,
    METRIC_MUL,
    METRIC_DIV,
    METRIC_MIN,
    METRIC_MAX,
    METRIC_NEGATE
};
struct metric_op {
    enum metric_op_kind kind;
    double number;
    char stat[48];
};
struct metric { /* in reverse Polish order */
    char name[64];
    struct metric_op ops[METRIC_OPS_MAX];
    size_t n;
    bool has_baseline, has_reference;
};
/* Complaints name line and column inside the formula. */
int metric_read(struct metric *out, const char *name, const struct yaml_file *file, const struct yaml_node *node,
                struct error *err);
/* A run's statistics, and what its energy is worked out of. */
struct metric_run {
    const struct gpu_stats *stats; /* NULL: there is no such run */
    struct energy_run of;
};
/* NAN where there is no `baseline` or `reference` and the formula asks for it, or where something is divided by 0. */
double metric_value(const struct metric *metric, const struct metric_run *run, const struct metric_run *baseline,
                    const struct metric_run *reference);
#endif
