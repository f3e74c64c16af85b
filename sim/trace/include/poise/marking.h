/* Operators for L2 that are put on a recorded trace, without recording it again.                  [TECHNIQUES 4.2]
 *
 * A marking is a list of marks. A mark names an operator, .cc for stores (write-buffering) or .cp for loads
 * (read-bypassing), and which instructions get it:
 *
 *   {"marking": [{"operator": "cc", "kernel": "srad2_*", "pc": 31},       one instruction, by its index in the kernel
 *                {"operator": "cp", "from": ADDRESS, "to": ADDRESS},      an array: all that touch nothing else
 *                {"operator": "cc", "rule": "handed_over"}]}              what the program's traces say
 *
 * `kernel` is a glob, and `launch` a number; without them a mark holds for all. Loads and stores of global memory whose
 * operator the program has chosen itself (anything but the default and .ca or .wb) keep it.
 *
 * Rules look at sectors of 32 bytes over the launches of a program in order:
 *   handed_over   a store whose data the next launch reads
 *   handed_once   the same, and there only one CTA reads it: freed at that read, nothing is lost
 *   one_cta       a load of data that only one CTA of the launch reads, and that no launch has written
 * An instruction gets the operator if that is so for at least RULE_SHARE of the sectors that it touches; stores of the
 * last launch, which nobody can read, do not count. */
#ifndef POISE_MARKING_H
#define POISE_MARKING_H
#include "poise/trace.h"

enum { MARKS_MAX = 1024, MARK_KERNEL_MAX = 96 };
/* assumed: nearly all, as a kernel's edges differ */
#define RULE_SHARE 0.9
enum trace_rule { RULE_HANDED_OVER, RULE_HANDED_ONCE, RULE_ONE_CTA, N_TRACE_RULES };
enum trace_mark_by { MARK_BY_PC, MARK_BY_RANGE, MARK_BY_RULE };
struct trace_mark {
    char kernel[MARK_KERNEL_MAX]; /* a glob */
    int64_t launch;               /* its place in the program, from 0; -1: all */
    enum trace_mark_by by;
    enum trace_rule rule;
    uint32_t pc;
    uint64_t from, to; /* bytes [from, to) */
    uint8_t cache_op;  /* TRACE_CACHE_CC or TRACE_CACHE_CP */
};
struct trace_marking {
    uint32_t n;
    struct trace_mark marks[MARKS_MAX];
};
/* `name` stands in errors, which say which mark is wrong. */
int trace_marking_parse(struct trace_marking *out, const char *text, size_t size, const char *name, struct error *err);
int trace_marking_read(struct trace_marking *out, const char *path, struct error *err);

/* What the loads and stores of a program do, by launch and static instruction. Sectors are counted once a warp
 * access. */
struct inst_use {
    uint64_t touched;                /* sectors; of stores, those of launches that have a next one */
    uint64_t fulfils[N_TRACE_RULES]; /* of these, sectors that do what the rule says */
};
struct trace_uses {
    const struct trace *const *launches; /* the caller's */
    size_t n;
    struct inst_use **insts; /* by launch: one a static instruction, of all launches of its kernel together */
};
/* `launches`: the program's, in order. */
int trace_uses_find(struct trace_uses *out, const struct trace *const *launches, size_t n, struct error *err);
void trace_uses_free(struct trace_uses *uses);
/* Whether at least RULE_SHARE of what the instruction touches fulfils the rule. */
bool trace_rule_holds(const struct inst_use *use, enum trace_rule rule);
extern const char *const trace_rule_names[N_TRACE_RULES];

/* What marking a launch did. */
struct trace_marked {
    uint32_t n_cc, n_cp; /* static instructions that got an operator */
    uint32_t n_shared;   /* that touch an array which is marked, and other data too: they stay as they were */
};
/* The operators of the launch's static instructions under the marking, into ops[n_code]. `uses` may be NULL where no
 * mark is a rule. */
int trace_marking_ops(uint8_t *ops, struct trace_marked *out, const struct trace *trace, size_t launch,
                      const struct trace_marking *marking, const struct trace_uses *uses, struct error *err);
/* Writes the trace with other operators, at rest; its identity changes with them. */
int trace_write_with_ops(const struct trace *trace, const uint8_t *ops, const char *path, struct error *err);
#endif
