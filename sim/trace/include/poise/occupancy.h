/* How many CTAs of a launch fit on an SM at a time. One function for the driver shim's occupancy query and for the
 * timing model's CTA dispatch, so that they cannot disagree. */
#ifndef POISE_OCCUPANCY_H
#define POISE_OCCUPANCY_H
#include <stdint.h>
#include "poise/trace.h"

/* What an SM has. Units are allocation granularities, 1 for none. */
struct sm_limits {
    uint32_t threads, warps, ctas;
    uint32_t registers, warp_register_unit; /* a warp's registers are rounded up to this */
    uint32_t shared_bytes, shared_unit_bytes;
};
/* Preset kepler32 [THESIS Tab. 3.1, 5.1]; 8 CTAs, 64 registers and 128 B granularity are assumed. */
#define SM_LIMITS_KEPLER32 \
    { \
        .threads = 1536, .warps = 48, .ctas = 8, .registers = 32768, .warp_register_unit = 64, .shared_bytes = 49152, \
        .shared_unit_bytes = 128 \
    }

#define OCCUPANCY_LIMITS(X) \
    X(GRID, "grid") \
    X(CTAS, "CTA slots") \
    X(THREADS, "threads") \
    X(WARPS, "warps") \
    X(REGISTERS, "registers") \
    X(SHARED, "shared memory")
enum occupancy_limit {
#define X(id, text) OCCUPANCY_##id,
    OCCUPANCY_LIMITS(X)
#undef X
};
struct occupancy {
    uint32_t ctas;              /* resident on an SM; 0: a single CTA does not fit */
    uint32_t warps;             /* ctas * warps of a CTA */
    enum occupancy_limit limit; /* the first limit in the order above that gives this number */
};
/* Uses block, regs_per_thread, shared_bytes. The grid does not matter. */
struct occupancy trace_occupancy(const struct trace_launch *launch, const struct sm_limits *limits);
/* The same when `sms` SMs share the grid evenly: no SM holds more than ceil(n_ctas / sms). */
struct occupancy trace_occupancy_of_grid(const struct trace_launch *launch, const struct sm_limits *limits,
                                         uint32_t sms);
const char *occupancy_limit_text(enum occupancy_limit limit);
#endif
