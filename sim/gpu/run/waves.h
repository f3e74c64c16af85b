/* A long launch by a part of its waves of CTAs.
 *
 * A wave is as many CTAs as the machine holds, or a multiple of it in launches of more than WAVES_MOST. Its time is
 * that in which the launch begins so many, its size the warp instructions that retire in it; both are known of waves
 * that are simulated, and the size of every CTA is known from the trace. After a warm-up, cut off where that gives the
 * least standard error [White 1997: MSER], the cycles that a wave takes beyond those of its size are a series: its
 * variance, the correlation from one wave to the next and its trend say how well more waves are known [batch
 * means; Law & Carson 1979].
 *
 * As soon as they are known within `eps`, waves are passed over: their CTAs never run, and their line requests reach L2
 * without time. The wave behind them, which finds old lines in L1, counts as passed over too. At most WAVES_PASSED for
 * each that was seen are passed over before further waves are simulated, several in a row, for waves may come in a
 * pattern. What was passed over is estimated from the waves on both sides of it, so that a change of pace in time
 * widens the interval. A wave is passed over only if waves like it, by instructions, line requests and longest warp of
 * its CTAs, have been simulated: phases that the trace shows are simulated. The last waves and what begins behind them
 * are simulated to the end of the launch. Where the interval is wider than `eps` in the end, all is simulated again.
 *
 * The interval has room for what passing over does to the machine itself: 1 % of what was passed over. What none
 * covers: a change of pace that the trace does not show and that comes and goes among waves that were passed over. */
#ifndef GPU_WAVES_H
#define GPU_WAVES_H
#include "config/stats.h"
#include "poise/simulation.h"

enum {
    WAVES_VERSION = 3, /* of what is estimated: raised with every change, else stores hold estimates of other rules */
    WAVES_LEAST = 32,  /* of a launch that is worth it */
    WAVES_MOST = 1024,
    WAVES_WARM_UP = 1,    /* always left out of the series */
    WAVES_SEEN_LEAST = 8, /* in it before waves are passed over, and more of them each time */
    WAVES_PASSED = 3
};
/* Of a wave that was simulated. */
struct wave {
    uint32_t at;          /* its place among the launch's waves */
    double insts, cycles; /* that retired in it */
};
/* Waves seen say of `insts` more, in `n` waves at place `at` in the mean: how many cycles, and half of the interval of
 * 95 %. values[i] is what wave i took of something (cycles); half is infinite where they say nothing. */
struct wave_prediction {
    double value, half;
};
struct wave_prediction waves_predict(const struct wave *waves, const double *values, uint32_t n_seen, double insts,
                                     double n, double at);
/* First of the waves that is not warm-up. */
uint32_t waves_warm_up(const struct wave *waves, uint32_t n);

/* Counters of a launch by waves: of the whole launch, where the estimate has cycles. errors[row]: half of the interval
 * of a counter that is a sum, as a share; the caller's to free(). */
struct wave_estimate {
    struct gpu_estimate cycles;
    struct gpu_stats stats;
    double *errors;
};
/* Simulates to the end and estimates what was passed over. Nothing is passed over where the launch has few waves,
 * where warps wait for each other, and where waves are not known well enough. Where the interval is wider than eps in
 * the end, out->cycles.error says so: then the run is of no use. */
int waves_run(struct simulation *simulation, const struct plan *plan, const struct gpu_params *params, double eps,
              struct wave_estimate *out, struct error *err);
#endif
