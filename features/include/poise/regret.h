/* What a predicted warp tuple is worth on a profile that was simulated.
 *
 *   regret = 1 - S(predicted) / S(best): the fraction of the static best's speedup that the prediction loses
 *
 * A profile may be sparse (20 of 300 points). A tuple that was not simulated takes the value of the nearest that was:
 * the one with the least max(|dN|, |dp|), then the least |dN| + |dp|, then the smaller N, then the smaller p.
 * `is_exact` says that it was simulated itself; reports give the share. */
#ifndef POISE_REGRET_H
#define POISE_REGRET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/features.h"

struct tuple_value {
    uint32_t N, p;
    double speedup;
    bool is_exact;
};
/* n > 0 points with finite speedups. */
struct tuple_value profile_value(const struct profile_point *points, size_t n, uint32_t N, uint32_t p);
struct tuple_value profile_best(const struct profile_point *points, size_t n); /* ties: smaller N, then smaller p */
/* The engine's correction stage on the profile: gradient ascent over N with stride_N halving to 0, then over p;
 * neighbours outside 1 <= p <= N <= W lose, and so does a tie.
 * [THESIS §5.6.2] */
struct tuple_value profile_search(const struct profile_point *points, size_t n, uint32_t W, uint32_t N, uint32_t p,
                                  uint32_t stride_N, uint32_t stride_p);
double profile_regret(const struct profile_point *points, size_t n, double speedup);
#endif
