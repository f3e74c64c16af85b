/* Recursive descent: sum = term {+|- term}, term = factor {*|/ factor}, factor = number | name | (sum) | -factor |
 * min(sum, sum). */
#include "studies/sweep/metric.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/runner.h"

struct reader {
    struct metric *out;
    const struct yaml_file *file;
    const struct yaml_node *node;
    const char *at;
    const struct gpu_stats *zero; /* knows every name */
    struct error *err;
    int depth;
};

static int complain(const struct reader *r, const char *what)
{
    struct yaml_node here = *r->node;
    here.column += (int)(r->at - r->node->text);
    return yaml_error(r->file, &here, r->err, "%s", what);
}

static int emit(struct reader *r, struct metric_op op)
{
    if (r->out->n == METRIC_OPS_MAX) return complain(r, "this formula is too long");
    r->out->ops[r->out->n++] = op;
    return 0;
}

static void blanks(struct reader *r) { r->at += strspn(r->at, " \t\n"); }
static bool accept(struct reader *r, char c)
{
    blanks(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static int read_sum(struct reader *r);

static int read_pair(struct reader *r, enum metric_op_kind kind)
{
    if (read_sum(r) < 0) return -1;
    if (!accept(r, ',')) return complain(r, "',' and a second value are needed here");
    if (read_sum(r) < 0) return -1;
    if (!accept(r, ')')) return complain(r, "')' is missing here");
    return emit(r, (struct metric_op){.kind = kind});
}

static int read_name(struct reader *r)
{
    static const char *const prefixes[] = {"", "baseline.", "reference."};
    static const enum metric_op_kind kinds[] = {METRIC_STAT, METRIC_BASELINE, METRIC_REFERENCE};
    const size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    size_t of = COUNT_OF(prefixes) - 1;
    while (strncmp(r->at, prefixes[of], strlen(prefixes[of])) != 0) of--;
    const char *name = r->at + strlen(prefixes[of]);
    struct metric_op op = {.kind = kinds[of]};
    const bool is_call = r->at[n] == '(' && n == 3;
    if (is_call && (strncmp(r->at, "min", 3) == 0 || strncmp(r->at, "max", 3) == 0)) {
        const enum metric_op_kind kind = r->at[1] == 'i' ? METRIC_MIN : METRIC_MAX;
        r->at += 4;
        return read_pair(r, kind);
    }
    if ((size_t)(r->at + n - name) < sizeof op.stat) memcpy(op.stat, name, (size_t)(r->at + n - name));
    if (*op.stat == '\0' || (!energy_value_find(op.stat) && isnan(gpu_stats_value(r->zero, op.stat)))) {
        char text[160];
        snprintf(text, sizeof text, "no statistic '%.*s': 'poise stats' lists them; or baseline.NAME, reference.NAME",
                 (int)(n < 60 ? n : 60), r->at);
        return complain(r, text);
    }
    r->out->has_baseline |= op.kind == METRIC_BASELINE;
    r->out->has_reference |= op.kind == METRIC_REFERENCE;
    r->at += n;
    return emit(r, op);
}

static int read_factor(struct reader *r)
{
    blanks(r);
    if (accept(r, '-')) {
        if (++r->depth > METRIC_DEPTH_MAX) return complain(r, "this formula is too deep");
        const int result = read_factor(r);
        r->depth--;
        return result < 0 ? -1 : emit(r, (struct metric_op){.kind = METRIC_NEGATE});
    }
    if (accept(r, '(')) {
        if (read_sum(r) < 0) return -1;
        return accept(r, ')') ? 0 : complain(r, "')' is missing here");
    }
    if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        char *end;
        const double v = strtod(r->at, &end);
        if (end == r->at) return complain(r, "a number, a statistic or '(' is needed here");
        r->at = end;
        return emit(r, (struct metric_op){.kind = METRIC_NUMBER, .number = v});
    }
    if (isalpha((unsigned char)*r->at)) return read_name(r);
    return complain(r, "a number, a statistic or '(' is needed here");
}

static int read_term(struct reader *r)
{
    if (read_factor(r) < 0) return -1;
    for (;;) {
        const enum metric_op_kind kind = accept(r, '*') ? METRIC_MUL : accept(r, '/') ? METRIC_DIV : METRIC_NUMBER;
        if (kind == METRIC_NUMBER) return 0;
        if (read_factor(r) < 0 || emit(r, (struct metric_op){.kind = kind}) < 0) return -1;
    }
}

static int read_sum(struct reader *r)
{
    if (++r->depth > METRIC_DEPTH_MAX) return complain(r, "this formula is too deep");
    int result = read_term(r);
    while (result == 0) {
        const enum metric_op_kind kind = accept(r, '+') ? METRIC_ADD : accept(r, '-') ? METRIC_SUB : METRIC_NUMBER;
        if (kind == METRIC_NUMBER) break;
        result = read_term(r);
        if (result == 0) result = emit(r, (struct metric_op){.kind = kind});
    }
    r->depth--;
    return result;
}

int metric_read(struct metric *out, const char *name, const struct yaml_file *file, const struct yaml_node *node,
                struct error *err)
{
    *out = (struct metric){.n = 0};
    if (node->kind != YAML_SCALAR)
        return yaml_error(file, node, err, "%s: a formula is needed here, as in 'l1d_misses / warp_insts'", name);
    snprintf(out->name, sizeof out->name, "%s", name);
    struct gpu_stats *zero = stats_from_json("{}");
    if (!zero) return error_set(err, ERR_MEMORY, "out of memory for statistics");
    struct reader r = {.out = out, .file = file, .node = node, .at = node->text, .zero = zero, .err = err};
    int result = read_sum(&r);
    blanks(&r);
    if (result == 0 && *r.at) result = complain(&r, "an operator or the end is expected here");
    free(zero);
    return result;
}

static double apply(enum metric_op_kind kind, double a, double b)
{
    switch (kind) {
    case METRIC_ADD: return a + b;
    case METRIC_SUB: return a - b;
    case METRIC_MUL: return a * b;
    case METRIC_DIV: return fpclassify(b) == FP_ZERO ? NAN : a / b;
    case METRIC_MIN: return isnan(a) || isnan(b) ? NAN : fmin(a, b);
    case METRIC_MAX: return isnan(a) || isnan(b) ? NAN : fmax(a, b);
    default: return NAN;
    }
}

static double value_of(const struct metric_run *run, const char *name)
{
    return run && run->stats ? run_value(&run->of, run->stats, name) : NAN;
}

double metric_value(const struct metric *metric, const struct metric_run *run, const struct metric_run *baseline,
                    const struct metric_run *reference)
{
    double stack[METRIC_OPS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < metric->n; i++) {
        const struct metric_op *op = &metric->ops[i];
        switch (op->kind) {
        case METRIC_NUMBER: stack[n++] = op->number; break;
        case METRIC_STAT: stack[n++] = value_of(run, op->stat); break;
        case METRIC_BASELINE: stack[n++] = value_of(baseline, op->stat); break;
        case METRIC_REFERENCE: stack[n++] = value_of(reference, op->stat); break;
        case METRIC_NEGATE: stack[n - 1] = -stack[n - 1]; break;
        default: n--; stack[n - 1] = apply(op->kind, stack[n - 1], stack[n]);
        }
    }
    return stack[0];
}
