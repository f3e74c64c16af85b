/* What of an access stream a last-level cache gets to see, and what it could do about it: the private caches of cpu.*
 * in front of a fully associative LRU cache of every capacity at once (stack distances). Functional: no time passes. */
#ifndef POISE_CPU_LOCALITY_H
#define POISE_CPU_LOCALITY_H
#include "poise/cpu_stream.h"
#include "poise/gpu.h"

enum { CPU_CAPACITIES = 6 }; /* 256 KB, doubled each */
struct cpu_locality {
    uint64_t insts, accesses, l1_misses, l2_misses; /* l2_misses: lines asked of the last-level cache */
    uint64_t first_touches;                         /* of these, lines that were never asked for before */
    uint64_t llc_bytes;                             /* of the machine's last-level cache */
    uint64_t capacity_bytes[CPU_CAPACITIES], misses[CPU_CAPACITIES]; /* of a last-level cache of that capacity */
};
int cpu_locality_of(struct cpu_locality *out, const struct cpu_stream *stream, const struct gpu_params *params,
                    struct error *err);
#endif
