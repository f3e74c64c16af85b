/* What chapter 5's studies read of a pipeline's summary. NAN for what it does not have. */
#ifndef REPRO_CH5_H
#define REPRO_CH5_H
#include <jansson.h>
#include <math.h>
#include "poise/repro.h"

#define CH5_MAX 256 /* benchmarks of a study; a summary of more is refused before it is told */
struct ch5 {
    const json_t *summary, *benchmarks;
    size_t n;
};
struct ch5 ch5_of(const json_t *summary);
const char *ch5_name(const struct ch5 *c, size_t benchmark);
double ch5_number(const json_t *object, const char *key);
/* "speedup", "l1d_hit_rate", "aml_cycles", "cycles" of a policy or a contender. */
double ch5_value(const struct ch5 *c, size_t benchmark, const char *policy, const char *key);
double ch5_speedup(const struct ch5 *c, size_t benchmark, const char *policy);
/* The first profiled launch of a benchmark, NULL if there is none. */
const json_t *ch5_launch(const struct ch5 *c, const char *benchmark);
#endif
