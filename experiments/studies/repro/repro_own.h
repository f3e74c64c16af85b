/* Studies that compute something of their own, in C: the others are data, in experiments/figures. Internal to
 * poise_lab. */
#ifndef POISE_REPRO_OWN_H
#define POISE_REPRO_OWN_H
#include "poise/repro.h"

#define REPRO_OWN(S) \
    S(learned_lengths) S(thesis_5_7_10) S(combinations) S(combinations_strongest)
#define S(id) extern const struct repro_study repro_##id;
REPRO_OWN(S)
#undef S
extern const struct repro_study *const repro_own[];
extern const size_t n_repro_own;

enum { REPRO_TOLD_MAX = 256 }; /* benchmarks of a pipeline; a summary of more is refused before it is told */
/* learned-lengths runs launches under GTO; thesis-5.7.10 chooses its runs by what it has measured. */
int repro_run_lengths(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                      struct error *err);
int repro_run_beside(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                     struct error *err);
#endif
