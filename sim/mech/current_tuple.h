/* The current warp tuple of an SM, and how its cycles are counted: for mechanisms that move it. */
#ifndef MECH_CURRENT_TUPLE_H
#define MECH_CURRENT_TUPLE_H
#include <stdbool.h>
#include <stdint.h>

struct tuple {
    uint32_t N, p;
};
static inline bool same(struct tuple a, struct tuple b) { return a.N == b.N && a.p == b.p; }

#define TUPLE_STATS(S) \
    S(STAT_SUM, sm_cycles, "SM cycles", "cycles times SMs") \
    S(STAT_SUM, N_cycles, "warp cycles", "current N, summed over cycles and SMs") \
    S(STAT_SUM, p_cycles, "warp cycles", "current p, summed over cycles and SMs")
#define TUPLE_RATIOS(stats) \
    RATIO_ROW_OF(stats, mean_N, N_cycles, sm_cycles, "current N, mean over cycles and SMs"), \
        RATIO_ROW_OF(stats, mean_p, p_cycles, sm_cycles, "current p, mean over cycles and SMs")
/* Into statistics that have TUPLE_STATS: `cycles` of an SM at a tuple. */
#define TUPLE_ADD(stats, tuple, cycles) \
    ((stats)->sm_cycles += (cycles), (stats)->N_cycles += (tuple).N * (cycles), \
     (stats)->p_cycles += (tuple).p * (cycles))
#endif
