/* The locality-aware memory hierarchy with its prediction: a sectored cache in which a miss fetches the whole line,
 * unless the line is predicted to have poor locality; then it fetches the sectors touched. [TSC §6, of Rhu,
 * Sullivan, Leng, Erez, MICRO-46]
 *
 *   access -> recent lines: line | sectors touched   -- its place is taken --> few touched: into the filters
 *   miss   -> in one of the two filters? sectors touched : whole line
 *
 * TSC's text says what is predicted, not how. Here (assumed) a table, indexed by the line's number, remembers which
 * sectors of a line were touched. A line whose place another one takes is judged: with l1.lamar_poor sectors touched or
 * fewer it goes into the younger of two Bloom filters. When l1.lamar_epoch lines have gone in, the older one is emptied
 * and is the younger one from then on, so that a line that has changed is forgotten. */
#ifndef GPU_ORG_LAMAR_H
#define GPU_ORG_LAMAR_H
#include "cache/org.h"
#include "config/params.h"

extern const struct org_type org_lamar;
/* The tables of one L1; `tags` is otherwise ready. */
void lamar_init(struct tags *tags, const struct gpu_params *params, struct arena *arena);
/* Bits of them, beyond those of a sectored cache. */
uint64_t lamar_bits(const struct gpu_params *params, unsigned tag_bits);
#endif
