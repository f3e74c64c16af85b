#include "cli/trace_operators.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* As in PTX, e.g. "ld.cg" or "st.volatile". An access of some scope is one of relaxed or stronger order: the trace
 * does not tell which. */
static void name_of(char *text, size_t size, const struct trace_inst *inst)
{
    static const char *const ops[TRACE_N_CACHE_OPS] = {
        [TRACE_CACHE_CA] = ".ca", [TRACE_CACHE_CG] = ".cg", [TRACE_CACHE_CS] = ".cs", [TRACE_CACHE_CV] = ".cv",
        [TRACE_CACHE_LU] = ".lu", [TRACE_CACHE_WB] = ".wb", [TRACE_CACHE_WT] = ".wt", [TRACE_CACHE_NC] = ".nc",
        [TRACE_CACHE_CC] = ".cc", [TRACE_CACHE_CP] = ".cp",
    };
    static const char *const scopes[TRACE_N_SCOPES] = {"", ".cta", ".gpu", ".sys"};
    const char *op = ops[inst->cache_op] ? ops[inst->cache_op] : "";
    const char *base = inst->cls == TRACE_LOAD ? "ld" : "st", *order = inst->flags & TRACE_VOLATILE ? ".volatile" : "";
    snprintf(text, size, "%s%s%s%s", base, order, op, scopes[inst->scope]);
}

/* By static instruction: how often some lane executed it. */
static uint64_t *count(const struct trace *trace, struct error *err)
{
    uint64_t *counts = calloc(trace->launch.n_code, sizeof *counts);
    if (!counts) error_set(err, ERR_MEMORY, "%s: no memory to count instructions", trace_kernel(trace));
    for (uint64_t i = 0; counts && i < trace->n_steps; i++) counts[trace->steps[i].inst] += trace->steps[i].mask != 0;
    return counts;
}

json_t *trace_operators_json(const struct trace *trace, uint64_t *past_l1, struct error *err)
{
    uint64_t *counts = count(trace, err);
    json_t *out = counts ? json_object() : NULL;
    *past_l1 = 0;
    for (uint32_t i = 0; out && i < trace->launch.n_code; i++) {
        const struct trace_inst *inst = &trace->code[i];
        char name[32];
        const bool is_access = inst->cls == TRACE_LOAD || inst->cls == TRACE_STORE;
        if (!counts[i] || !is_access || inst->space != TRACE_SPACE_GLOBAL) continue;
        name_of(name, sizeof name, inst);
        const json_int_t before = json_integer_value(json_object_get(out, name));
        json_object_set_new(out, name, json_integer(before + (json_int_t)counts[i]));
        if (trace_load_passes_l1(inst)) *past_l1 += counts[i];
    }
    free(counts);
    return out;
}

int trace_print_operators(const struct trace *trace, struct error *err)
{
    uint64_t past_l1;
    const char *name, *between = "";
    json_t *operators = trace_operators_json(trace, &past_l1, err), *n;
    if (!operators) return -1;
    printf("  global memory ");
    json_object_foreach(operators, name, n) {
        printf("%s%" JSON_INTEGER_FORMAT " %s", between, json_integer_value(n), name);
        between = ", ";
    }
    printf("%s; %" PRIu64 " loads pass L1\n", *between ? "" : "no loads or stores", past_l1);
    json_decref(operators);
    return 0;
}
