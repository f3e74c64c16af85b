/* Ending a run early: is its progress a stationary series, and what does it say of the rest?
 *
 * The series is warp instructions retired in batches of equal time. Batches are paired when there are many, so their
 * length grows with the run [Law & Carson 1979]. What belongs to the warm-up is cut off where that gives the least
 * standard error [White 1997: MSER]; the rest, in 20 or in 10 groups, must show no correlation from one to the next,
 * and the 95 % prediction interval of the rest decides [batch means]. Two rules more, since a launch is no
 * stationary process for ever: what is extrapolated is at most as long, in instructions, as what was steady; and at
 * least a tenth of the launch is left, else little is gained.
 *
 * Its end is no part of the series: when no CTA is left to begin, warps run out, and the last may run alone. As soon
 * as the machine could do with the warps that are left, at the rate of all of them together, what is left, and as late
 * as its longest warp, at a warp's share of that rate, is done: what lies between widens the interval.
 *
 * What no interval covers: phases that the launch has not come to. */
#ifndef GPU_STEADY_H
#define GPU_STEADY_H
#include <stdint.h>
#include "poise/simulation.h"

enum { STEADY_BATCHES = 128, STEADY_LEAST = 64, STEADY_FIRST_CYCLES = 128 };
struct steady {
    double batch[STEADY_BATCHES]; /* instructions */
    uint32_t n;
    uint64_t batch_cycles, insts; /* length of a batch; instructions up to now */
};
void steady_begin(struct steady *s);
/* A batch is over: `insts` have retired in the run so far. */
void steady_add(struct steady *s, uint64_t insts);
/* The end of the warm-up of a series of n values: the cut that gives the mean of the rest its least standard error. At
 * most half is cut off. Values are told from the last one on; begin with `least` = INFINITY, and `end` = the first
 * value that there is. */
struct warm_up {
    double sum, squares, least;
    uint32_t n, end;
};
static inline void warm_up_tell(struct warm_up *w, uint32_t i, double value)
{
    const double k = w->n - i;
    w->sum += value;
    w->squares += value * value;
    const double error = (w->squares / k - w->sum / k * (w->sum / k)) / k;
    if (2 * i > w->n || error > w->least) return;
    w->least = error;
    w->end = i;
}
/* If the series is steady and the core cycles of all `total` instructions are known within the share `eps`: they,
 * and the share. */
struct gpu_estimate steady_estimate(const struct steady *s, uint64_t total, double eps);

/* simulation_run to the end, or until the estimate is good enough: then 0 and *out. */
int steady_run(struct simulation *simulation, uint64_t total, double eps, struct gpu_estimate *out, struct error *err);
#endif
