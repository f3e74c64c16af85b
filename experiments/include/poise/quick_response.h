/* A launch by the quick model: tuples of its lattice, and the hint that follows, as `poise hint --json` writes it
 * and the mechanism `learned` reads it (poise/hint_file.h). */
#ifndef POISE_QUICK_RESPONSE_H
#define POISE_QUICK_RESPONSE_H
#include <stdbool.h>
#include "poise/points.h"
#include "poise/quick.h"
#include "poise/response_net.h"
struct gpu_params;
struct json_t;
struct plan;

struct quick_response {
    struct warp_tuple tuples[RESPONSE_POINTS_MAX]; /* n that were asked, the last one (W, W) */
    struct quick_run runs[RESPONSE_POINTS_MAX];
    double speedup[RESPONSE_POINTS_MAX]; /* over `base`, what (W, W) makes of a cycle without gangs */
    size_t n;
    uint32_t W, kernel;    /* the kernel, as mech_env.kernel tells it apart */
    uint64_t warps, insts; /* of a launch that has not run: as many instructions a warp as in the other one */
    double base, waves;    /* waves: the launch's warps by those that the machine holds */
};
enum { QUICK_WORK = 100000 };
struct quick_ask {
    uint32_t sms;  /* 0: QUICK_SMS */
    uint64_t work; /* instructions and line requests of an SM; 0: QUICK_WORK */
    double share;  /* of the launch's work, where that is less; 0: all */
    bool all;      /* every tuple of the lattice, each to its end */
    /* NULL: the plan is the launch. Else the launch has this grid and block and has not run, and the plan is one of
     * another input (quick_like); its `work` is not read. */
    const struct quick_shape *shape;
};
/* Unless all are asked: first N = p and p = 1 at every second level of N, then the neighbours of the two fastest tuples
 * until none is faster. A tuple's run ends where it has taken as long as the fastest one before it. */
int quick_response_new(struct quick_response *each, struct quick_response *gangs, const struct plan *plan,
                       const struct gpu_params *params, const struct quick_ask *ask,
                       struct error *err); /* gangs: or NULL */

/* What the quick model's gain is worth: of 36 launches of size eval on kepler32 (development; sim/quick/README.md) 33
 * have a simulated speedup within this interval. */
enum { QUICK_GAIN_PERCENT = 90 };
double quick_gain_low(double gain);
double quick_gain_high(double gain);
/* Whether a tuple that is so much faster than all warps is worth leaving them for: by more than the quick model's own
 * error, of ln speedup at the tuples that it calls fastest. The error is the median of 61 families, 84 launches of size
 * eval on kepler32 ('poise train --family correction' prints it; each family left out, it is 0.132 to 0.144). */
#define QUICK_MARGIN 0.139
bool quick_gain_counts(double gain);
/* {"kernel_id", "W", "warps", "warp_insts", "tuple", "gain", "surface"} of the fastest tuple,
 * or of (W, W) where its gain does not count: a new reference. */
struct json_t *quick_response_hint(const struct quick_response *surface);
/* The same of a tuple that was chosen otherwise; gain: value, low and high. */
struct json_t *quick_response_hint_of(const struct quick_response *surface, size_t chosen, const double gain[3]);
#endif
