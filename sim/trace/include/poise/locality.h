/* Locality of a trace's global loads, as a property of the program: no cache, no timing.
 *
 * A touch is a line that a load of a warp reads (a load touches as many as its divergence degree). Within a warp
 * touches are in program order, so reuse distances are exact; between warps there is no order, so reuse is counted
 * by how many warps share a line. */
#ifndef POISE_LOCALITY_H
#define POISE_LOCALITY_H
#include "poise/trace.h"

struct trace_locality {
    uint64_t loads, insts;                     /* global load warp instructions with a lane on; all warp instructions */
    uint64_t touches, lines;                   /* lines: distinct, of the launch */
    uint64_t warps;                            /* with at least one load */
    uint64_t loads_of_degree[TRACE_LANES + 1]; /* loads that touch so many lines, at most 32: more count as 32 */
    uint64_t warp_lines;    /* sum over warps of the distinct lines each touches: over `warps` the mean
                             * working set */
    uint64_t intra_touches; /* to a line that this warp touched before */
    uint64_t inter_touches; /* a warp's first to a line that another warp touches as well, less one a line:
                             * warp_lines - lines */
    uint64_t shared_lines;  /* touched by two warps or more */
    uint64_t distance_sum;  /* over intra_touches: other distinct lines the warp touched since (LRU stack
                             * distance) */
    uint64_t distance_max;
    uint64_t distances[33]; /* intra_touches by bits of the distance: [0] 0, [1] 1, [2] 2 to 3, [3] 4 to 7 ... */
};
double trace_locality_in(const struct trace_locality *l);          /* I_n: other warp instructions per global load; 0
                                                                    * without loads */
double trace_locality_divergence(const struct trace_locality *l);  /* touches per load */
double trace_locality_working_set(const struct trace_locality *l); /* distinct lines of a warp, mean */
/* line_bytes: a power of two. Errors: out of memory, a bad line size. */
int trace_locality(struct trace_locality *out, const struct trace *trace, uint32_t line_bytes, struct error *err);
#endif
