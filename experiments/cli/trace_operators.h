/* What the executed loads and stores of global memory ask of the caches: for poise trace info. */
#ifndef TRACE_OPERATORS_H
#define TRACE_OPERATORS_H
#include "poise/error.h"
#include "poise/trace.h"

/* {"ld": 96, "ld.volatile": 32, "st.wt": 8, ...}: warp instructions that some lane executed, by operator and scope,
 * those that there are. NULL: no memory. *past_l1 (in warp instructions): loads that L2 must serve, whatever L1
 * holds. */
struct json_t *trace_operators_json(const struct trace *trace, uint64_t *past_l1, struct error *err);
/* The same as one line of text. */
int trace_print_operators(const struct trace *trace, struct error *err);
#endif
