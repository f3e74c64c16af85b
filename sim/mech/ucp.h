/* Utility-based cache partitioning: the parts that UCP and TAP-UCP share.              [Qureshi, Patt, MICRO 2006]
 *
 * A utility monitor a class of requesters: LRU tags of all ways for some sampled sets, as if the class had L2 alone,
 * and a counter of hits for each place in the order of last use. Look-ahead turns these into ways a class. Classes are
 * `groups` groups of neighbouring SMs, and behind them each CPU core. */
#ifndef MECH_UCP_H
#define MECH_UCP_H
#include "core_sampling.h"

enum { UCP_GROUPS = 8, UCP_CLASSES = UCP_GROUPS + CPU_CLASSES };
#define UCP_PARAMS(P) \
    P(U32, groups, 2, 1, UCP_GROUPS, "groups", "assumed", \
      "groups of SMs that get ways of their own; beside CPU cores 1 is usual") \
    P(U32, sampled_sets, 32, 1, 65536, "sets", "Qureshi, Patt, MICRO 2006", "sets that the monitors watch", \
      PUBLISHED("32")) \
    P(U32, repartition, 200000, 1000, 1000000000, "cycles", "assumed", \
      "cycles between two partitions; the paper's runs are longer", \
      PUBLISHED_IN("5000000", "Qureshi, Patt, MICRO 2006"))
PARAM_STRUCT(ucp_params, UCP_PARAMS);
#define UCP_STATS(S) \
    S(STAT_SUM, repartitions, "partitions", "partitions computed") \
    S(STAT_SUM, monitored, "accesses", "accesses to sampled sets") \
    S(STAT_SUM, taken_from_others, "lines", "lines replaced that another class had brought") \
    S(STAT_SUM, gpu_ways, "ways", "ways of all groups of SMs, summed over partitions") \
    S(STAT_SUM, cpu_ways, "ways", "ways of all CPU cores, summed over partitions")
STAT_STRUCT(ucp_stats, UCP_STATS);
struct ucp {
    struct ucp_params params;
    uint32_t sms, ways, sets, distance, n_sampled; /* sets of a bank; from one sampled set to the next; how many */
    size_t owners_at, tags_at;               /* from the mechanism's `self`: a class a frame; the monitors' tags */
    uint64_t hits[UCP_CLASSES][L2_WAYS_MAX]; /* by place in the order of last use, the newest first */
    bool is_seen[UCP_CLASSES];               /* it has accessed L2 */
    uint32_t quota[UCP_CLASSES];             /* ways of a set; all 0: no partition yet */
    bool has_partition;
};
size_t ucp_bytes(const struct ucp_params *params, const struct mech_env *env);
void ucp_begin(struct ucp *u, const struct ucp_params *params, const struct mech_env *env);
/* Tells the monitors; `self` is the mechanism's. */
void ucp_access(struct ucp *u, void *self, const struct l2_request *r, const struct l2_access *access,
                struct ucp_stats *stats);
/* The line at set->at is one of those whose place a request of the class should take; changes nothing. */
bool ucp_share(const struct ucp *u, const void *self, const struct l2_request *r, const struct l2_set *set);
/* New quotas from the monitors, whose counters are then halved. Hits of SMs count divided by `gpu_divisor`; without
 * `gpu_counts` each group of them keeps one way. */
void ucp_repartition(struct ucp *u, double gpu_divisor, bool gpu_counts, struct ucp_stats *stats);
/* What monitors and owners take, for the groups of SMs and one CPU core; rows written. */
size_t ucp_costs(const struct ucp_params *params, const struct mech_env *env, struct mech_cost *out);
size_t ucp_events(const struct ucp_params *params, const struct mech_env *env, struct mech_event *out);
size_t ucp_acts(const void *params, struct mech_act *out);
/* Look-ahead: of `ways`, those that each of n classes gets, at least `least` each. utility[c][w]: what class c gains
 * with w ways, w = 0 .. ways. Ways that nobody gains from go one by one to whoever has the fewest of those with
 * `takes_rest`; ties to the lower number. */
void ucp_look_ahead(uint32_t n, uint32_t ways, const double utility[][L2_WAYS_MAX + 1], const bool takes_rest[],
                    uint32_t quota[]);
#endif
