/* From runs of launches to the figures of a benchmark: GTO, SWL, Static-Best and Poise.   [THESIS §5.7.3, MECHANISMS]
 * Pure arithmetic over what was measured. */
#ifndef POISE_POLICY_H
#define POISE_POLICY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/points.h"

#define POLICIES(P) P(gto, "GTO") P(swl, "SWL") P(static_best, "Static-Best") P(poise, "Poise")
enum policy {
#define P(id, title) POLICY_##id,
    POLICIES(P)
#undef P
        N_POLICIES
};
extern const char *const policy_names[N_POLICIES], *const policy_titles[N_POLICIES];

/* What one run of one launch gave. */
struct measure {
    uint64_t cycles, warp_insts, line_requests;
    uint64_t l1_accesses, l1_hits, latency_sum, latency_count;
};
void measure_add(struct measure *into, const struct measure *from);
/* Each count times `weight`, rounded. */
struct measure measure_scaled(const struct measure *m, double weight);
double measure_hit_rate(const struct measure *m);   /* 0 without accesses */
double measure_aml_cycles(const struct measure *m); /* 0 without misses */

/* A profiled point, and a launch as the policies see it. */
struct tuple_run {
    struct warp_tuple at;
    struct measure m;
};
struct launch_runs {
    uint32_t W;
    struct measure gto, poise;
    const struct tuple_run *points; /* empty where the launch was not profiled */
    size_t n_points;
};
/* (N, N) for N > W stands for (W, W): what a scheduler with fewer warps does. NULL if it was not simulated. */
const struct tuple_run *launch_diagonal(const struct launch_runs *launch, uint32_t N);
/* The point with the fewest cycles (ties: smaller N, then smaller p); NULL where none was simulated. */
const struct tuple_run *launch_best(const struct launch_runs *launch);

struct policy_total {
    struct measure m;
    double speedup; /* sum of GTO's cycles over the sum of this policy's */
    double N, p;    /* SWL: its one N; GTO and Static-Best: of the profiled launch with the most GTO cycles; 0 if none.
                     * The caller fills in Poise: the mean of the current ones */
};
/* One N for the benchmark: the N whose diagonal points take the fewest cycles summed over the profiled launches, among
 * those simulated for each of them (ties: the larger N). Launches without a profile count with their GTO run. */
uint32_t policy_swl(const struct launch_runs *launches, size_t n);
void policy_totals(const struct launch_runs *launches, size_t n, struct policy_total out[N_POLICIES]);
/* The one tuple for everything: of those simulated on every profiled launch, the one with the largest mean of log
 * speedups over (W, W), each benchmark with the same weight (ties: smaller N, then smaller p). On a launch with W
 * below N or p it stands for what a scheduler with W warps does of it. `benchmark`: which each launch belongs to,
 * any numbers. (0, 0) where no tuple is known on all. */
struct warp_tuple policy_constant(const struct launch_runs *launches, const uint32_t *benchmark, size_t n);
/* Of positive values; 0 for none. */
double harmonic_mean(const double *values, size_t n);
#endif
