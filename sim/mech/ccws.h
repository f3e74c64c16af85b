/* The lost-locality engine of CCWS, one an SM: used by ccws.c, and by pcal.c for its starting point. */
#ifndef MECH_CCWS_H
#define MECH_CCWS_H
#include "poise/sys/hooks.h"

enum { CCWS_WARPS = 64, CCWS_ENTRIES_MAX = 64, CCWS_NO_WARP = -1 };
enum { CCWS_SET, CCWS_ADD }; /* on_hit */

#define CCWS_PARAMS(P) \
    P(U32, vta_entries, 16, 1, 64, "entries", "MECHANISMS 'CCWS'", "victim tags of a warp (a multiple of vta_ways)", \
      PUBLISHED("16")) \
    P(U32, vta_ways, 8, 1, 64, "ways", "MECHANISMS 'CCWS'", "associativity of the victim tag array", PUBLISHED("8")) \
    P(U32, base_score, 100, 1, 1000000, "score", "MECHANISMS 'CCWS'", "score of a warp that lost no locality", \
      PUBLISHED("100")) \
    P(U32, K_throttle, 8, 0, 1000000, "factor", "MECHANISMS 'CCWS'", "throttling per lost hit", PUBLISHED("8")) \
    P(ENUM, on_hit, CCWS_ADD, 0, 1, "set|add", "THESIS 5.3.1", "the score becomes LLDS, or LLDS is added to it") \
    P(FLAG, cap, 0, 0, 1, "flag", "assumed", "a score is at most the cutoff, where one warp alone may load")
PARAM_STRUCT(ccws_params, CCWS_PARAMS);

#define CCWS_STATS(S) \
    S(STAT_SUM, sm_cycles, "SM cycles", "cycles in which an SM had warps, times SMs") \
    S(STAT_SUM, warp_cycles, "warp cycles", "unfinished warps, summed over cycles and SMs") \
    S(STAT_SUM, loadable_cycles, "warp cycles", "of these, warps that may issue loads") \
    S(STAT_SUM, victims, "lines", "evicted lines recorded in victim tags") \
    S(STAT_SUM, orphans, "lines", "evicted lines whose warp had ended: not recorded") \
    S(STAT_SUM, vta_probes, "probes", "L1 misses that looked their warp's victim tags up") \
    S(STAT_SUM, vta_hits, "probes", "of these, misses on a line the warp had lost") \
    S(STAT_PEAK, peak_score, "score", "highest score of any warp") \
    S(STAT_SUM, decisions, "decisions", "times the set of warps that may load was computed") \
    S(STAT_SUM, changes, "decisions", "of these, decisions that changed it")
STAT_STRUCT(ccws_stats, CCWS_STATS);

/* A warp's scores are kept as the cycle at which they are back at the base, so that decay costs nothing. */
struct ccws_warp {
    uint32_t uid;
    uint64_t until;                  /* score(now) = base + max(0, until - now) */
    uint32_t tags[CCWS_ENTRIES_MAX]; /* sets x ways, most recent first; TAG 0 = none, else line + 1 */
};
struct ccws_sm {
    struct ccws_warp warps[CCWS_WARPS]; /* by slot */
    uint8_t order[CCWS_WARPS];          /* slots of unfinished warps, highest score first, then oldest */
    uint32_t n;
    uint64_t may_load; /* slots */
    uint64_t hits;     /* victim-tag hits of the launch */
    uint64_t decided_at, since;
    uint64_t insts_before; /* warp instructions that the SM had issued when this began */
    bool is_late;          /* it begins within a launch, and the above is not known yet */
    bool is_stale;
};
void ccws_start(struct ccws_sm *c, const struct warp_event *event);
void ccws_exit(struct ccws_sm *c, struct ccws_stats *stats, const struct warp_event *event);
void ccws_access(struct ccws_sm *c, const struct ccws_params *params, struct ccws_stats *stats,
                 const struct access_event *event);
void ccws_evict(struct ccws_sm *c, const struct ccws_params *params, struct ccws_stats *stats,
                const struct line_event *event);
/* The slots whose warps may issue loads now; says when that will change by itself. */
uint64_t ccws_may_load(struct ccws_sm *c, const struct ccws_params *params, struct ccws_stats *stats, uint64_t now,
                       uint64_t *ask_at);
void ccws_account(struct ccws_sm *c, struct ccws_stats *stats, uint64_t now);
extern const struct mech_type mech_ccws;
/* From slots to ages. */
static inline uint64_t ccws_by_age(const struct warp_set *set, uint64_t slots)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < set->n; i++) mask |= (slots >> set->slots[i] & 1) << i;
    return mask;
}
#endif
