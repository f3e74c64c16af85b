/* What the oracle's mechanism (oracle.c) shares with the run that forks the launch for it (sim/gpu/run/fork.c). */
#ifndef MECH_ORACLE_H
#define MECH_ORACLE_H
#include "poise/sys/hooks.h"
#include "current_tuple.h"

#define ORACLE_PARAMS(P) \
    P(U32, window, 200000, 1000, 100000000, "cycles", "THESIS Tab. 5.5", \
      "a tuple is chosen for so long; Poise's inference period") \
    P(U64, min_cycles, 400000, 0, 100000000, "cycles", "assumed", \
      "launches that take no longer without it are left alone; 0 = none") \
    P(U32, N, 0, 0, 64, "warps", "assumed", "one more candidate, as Static-Best's; 0 = none") \
    P(U32, p, 0, 0, 64, "warps", "assumed", "its polluting warps; 0 = N") \
    FETCH_PARAM(P, "THESIS 5.6.3")
PARAM_STRUCT(oracle_params, ORACLE_PARAMS);

#define ORACLE_STATS(S) \
    TUPLE_STATS(S) \
    S(STAT_SUM, windows, "windows", "windows for which a tuple was chosen") \
    S(STAT_SUM, changes, "windows", "of these, windows with another tuple than the one before") \
    S(STAT_SUM, forks, "forks", "candidates that ran a window") \
    S(STAT_SUM, forked_insts, "instructions", "warp instructions of all of them") \
    S(STAT_SUM, short_launches, "launches", "launches left alone because they take no more than min_cycles")
STAT_STRUCT(oracle_stats, ORACLE_STATS);

enum { ORACLE_CANDIDATES = 21 };
struct oracle {
    struct oracle_stats stats;
    struct oracle_params params;
    uint32_t W, n_sms, n;
    struct tuple candidates[ORACLE_CANDIDATES], now; /* n of them, none twice; the current one */
    uint64_t since;
    struct gpu_timeline *timeline;
};
extern const struct mech_type mech_oracle;
/* Makes a tuple the current one from cycle `now` on; the masks must be asked again. */
void oracle_set(struct oracle *oracle, struct tuple tuple, uint64_t now);
#endif
