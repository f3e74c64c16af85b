/* What the studies of THESIS chapter 4 share. Internal to poise_lab. */
#ifndef POISE_REPRO_CCN_H
#define POISE_REPRO_CCN_H
#include "poise/repro.h"

typedef double (*ccn_value)(const struct repro_data *data, size_t benchmark, size_t point);
double ccn_mean(const struct repro_study *study, const struct repro_data *data, size_t point,
                ccn_value value);                                               /* over the benchmarks */
double ccn_gain(const struct repro_data *data, size_t benchmark, size_t point); /* percent over the base */
/* THESIS Tab. 4.2: a benchmark's reuse coefficient in percent; NAN if it has none there. */
double ccn_published_reuse(const char *name);
/* Ours, of a point that has `sharing`: percent of the load misses that another L1 holds. */
double ccn_reuse(const struct repro_data *data, size_t benchmark, size_t point);
double ccn_packets(const struct repro_data *data, size_t benchmark, size_t point); /* requests to L2 */
/* The change of a counter an instruction against the base, in percent: runs may end at a limit of cycles. */
double ccn_change(const struct repro_data *data, size_t benchmark, size_t point,
                  double (*of)(const struct repro_data *, size_t, size_t));
#endif
