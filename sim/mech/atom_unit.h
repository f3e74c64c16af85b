/* What AtomNaive and AtomDir share: the state machine of atom_mutex.h on the simulated machine. */
#ifndef ATOM_UNIT_H
#define ATOM_UNIT_H
#include "mech/atom_mutex.h"
#include "poise/sys/hooks.h"

#define ATOM_PARAMS(P) \
    P(U32, mutexes, 256, 1, ATOM_MUTEXES_MAX, "mutexes", "assumed", "line L is under mutex L mod mutexes") \
    P(U32, requests, 32, 1, ATOM_REQUESTS_MAX, "requests", "assumed", "line requests of atomics that wait in an SM") \
    P(U32, copies, 32, 1, ATOM_COPIES_MAX, "lines", "assumed", "lines of atomic data that an SM caches") \
    P(U32, hold, 16, 1, 65535, "requests", "assumed", \
      "line requests that an SM performs before it gives a mutex back") \
    P(U32, columns, 0, 0, 256, "SMs", "assumed", \
      "of the mesh that carries mutexes; 0: the mesh nearest to a square, 5 x 3 for 15") \
    P(U32, hop_cycles, 1, 1, 1000, "cycles", "assumed", "from an SM of the mesh to the next") \
    P(U32, token_cycles, 1, 1, 1000, "cycles", "assumed", "that a token stays at an SM")
#define ATOM_STATS(S) \
    S(STAT_SUM, taken, "requests", "line requests of atomics that the SMs took") \
    S(STAT_SUM, performed, "requests", "line requests of atomics performed at an SM") \
    S(STAT_SUM, latency_sum, "cycles", "from taking a line request to performing it, summed") \
    S(STAT_PEAK, longest, "cycles", "the longest of these") \
    S(STAT_SUM, acquisitions, "acquisitions", "mutexes acquired") \
    S(STAT_SUM, self_satisfied, "acquisitions", "in the cycle of the request, as the SM could answer itself") \
    S(STAT_SUM, acquisition_cycles, "cycles", "from the request for a mutex to its arrival, summed") \
    S(STAT_SUM, own_again, "acquisitions", "of a mutex that the same SM was the last to release") \
    S(STAT_SUM, copy_hits, "requests", "line requests whose data was there when their mutex was") \
    S(STAT_SUM, fetches, "requests", "of atomic data, to L2") \
    S(STAT_SUM, speculative, "requests", "of these, sent along with the request for the mutex") \
    S(STAT_SUM, speculative_good, "requests", "of these, used: release mature, request not stale") \
    S(STAT_SUM, writes, "requests", "of atomic data, to L2") \
    S(STAT_SUM, updates, "updates", "of the copies of all SMs") \
    S(STAT_SUM, busy_waits, "times", "a token met a free mutex that was wanted, and its busy wire was asserted") \
    S(STAT_SUM, busy_conflicts, "times", "of these, for an update under another mutex of the wire") \
    S(STAT_SUM, recalls, "recalls", "times the last holder of a mutex had to write before another got it") \
    S(STAT_SUM, handed_over, "mutexes", "of these, mutexes that went to the other with their data, past L2") \
    S(STAT_PEAK, slowest_write, "cycles", "the longest write of atomic data to L2: an epoch must exceed it") \
    S(STAT_SUM, lost_updates, "requests", "atomics that did not see all before them: none, ever") \
    S(STAT_SUM, unchecked, "requests", "atomics on lines for which the check of lost updates had no room")
STAT_STRUCT(atom_stats, ATOM_STATS);
enum { ATOM_N_STATS = sizeof(struct atom_stats) / sizeof(uint64_t), ATOM_N_RATIOS = 4 };
extern const struct stat_row atom_stat_rows[ATOM_N_STATS];
extern const struct ratio_row atom_ratios[ATOM_N_RATIOS];

/* A line as memory has it, and as it would be with all atomics that were performed. */
struct atom_line {
    uint32_t key /* line + 1; 0: free */, performed, written;
};
enum { ATOM_LINES = 4096, ATOM_WRITES_MAX = 64 };
struct atom_write {
    uint64_t since;
    uint32_t line, value;
    uint16_t mutex;
    uint8_t is_used;
};
struct atom_sm {
    uint32_t fetched[ATOM_COPIES_MAX]; /* what memory had when the fetch of a copy was sent */
    struct atom_write writes[ATOM_WRITES_MAX];
};
struct atom_unit {
    struct atom_stats stats;
    struct atom atom;
    uint32_t n_lines;
    struct atom_line lines[ATOM_LINES];
};
enum { ATOM_PER_SM = sizeof(struct atom_node) + sizeof(struct atom_sm) };

int atom_unit_init(void *self, struct atom_config config, const struct mech_env *env, struct error *err);
void atom_unit_end(void *self, uint64_t now);
const void *atom_unit_stats(const void *self);
size_t atom_unit_acts(const void *params, struct mech_act *out);
extern const struct atomic_ops atom_unit_route;
extern const struct unit_ops atom_unit_ops;
/* Rows of storage that both need; returns how many. The mutex numbers and ids of SMs of `config`. */
size_t atom_unit_cost(const struct atom_config *config, const struct mech_env *env, struct mech_cost *out);

/* mech_type's members that are the same. */
#define ATOM_MEMBERS \
    .ratios = atom_ratios, .n_ratios = ATOM_N_RATIOS, .state_size = sizeof(struct atom_unit), \
    .per_sm_size = ATOM_PER_SM, .acts = atom_unit_acts, .end = atom_unit_end, .stats_of = atom_unit_stats, \
    .unit = &atom_unit_ops, .atomic_route = &atom_unit_route
#endif
