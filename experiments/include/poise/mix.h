/* Mixes: a kernel on the SMs and CPU programs on the cores of one machine, and what sharing costs them.
 * [TECHNIQUES 5] */
#ifndef POISE_MIX_H
#define POISE_MIX_H
#include "poise/cpu_programs.h"
#include "poise/repro.h"

enum { MIX_PROGRAMS_MAX = 4, MIX_SIZES = 3 };
extern const unsigned mix_sizes[MIX_SIZES]; /* CPU programs of a mix: 1, 2, 4 */
struct mix {
    unsigned kernel, n, programs[MIX_PROGRAMS_MAX];
}; /* indices */

/* Draws counts[i] mixes of mix_sizes[i] programs. Stratified: the combinations of classes of a size are dealt like
 * cards of a shuffled deck, dealt anew when none is left, and so are the programs of a class and the kernels; no
 * program is twice in a mix unless its class has too few. The same seed draws the same mixes. `classes`: of each of the
 * n_programs. */
void mix_draw(struct mix *out, const size_t counts[MIX_SIZES], const enum cpu_class *classes, size_t n_programs,
              size_t n_kernels, uint64_t seed);

/* Of the speeds of all members, the kernel's included, each over its own alone on the machine. */
struct mix_score {
    double weighted; /* weighted speedup: their sum */
    double harmonic; /* harmonic speedup: their harmonic mean */
    double fairness; /* the least over the largest */
};
struct mix_score mix_score(const double *speedups, size_t n);

/* One mix under one point of a study. */
struct mix_result {
    bool failed;
    char why[200];                         /* it failed: of which run, and how */
    double speedups[MIX_PROGRAMS_MAX + 1]; /* of each program, then of the kernel */
    struct mix_score score;
    double access_ratio; /* accesses to the last-level cache in the run: the kernel's over the busiest program's */
};
struct mix_data {
    const struct mix *mixes;
    size_t n;
    const struct repro_spec *spec;                /* its points; 0 is the base */
    const char *const *programs, *const *kernels; /* names */
    const enum cpu_class *classes;
    struct mix_result *results; /* of mix m under point p: m * n_points + p */
};
static inline const struct mix_result *mix_at(const struct mix_data *data, size_t mix, size_t point)
{
    return &data->results[mix * data->spec->n_points + point];
}
#endif
