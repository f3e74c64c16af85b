/* What follows from a pattern's knobs, between the file of the knobs and that of the trace. */
#ifndef PATTERN_INTERNAL_H
#define PATTERN_INTERNAL_H
#include "poise/pattern.h"

#define PATTERN_LINES_MAX (1u << 28) /* 32 GB of addresses; nothing is allocated for them */

uint64_t pattern_owners_of(const struct pattern *p, size_t stream); /* groups of warps with sets of their own */
uint64_t pattern_span_of(const struct pattern *p, size_t stream);   /* lines from one owner's place to the next's */
#endif
