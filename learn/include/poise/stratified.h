/* Stratified random sampling of a finite population: strata from what is known of every unit beforehand, a sample
 * drawn without replacement, totals and ratios with intervals, and how many more units to draw.
 * [W. G. Cochran, Sampling Techniques, 3rd ed., Wiley 1977, chapters 5, 5A and 6]
 * Everything follows from its arguments and the seed alone. */
#ifndef POISE_STRATIFIED_H
#define POISE_STRATIFIED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"

/* What is known of each unit before anything is measured. */
struct population {
    size_t n, k;
    const uint64_t *groups; /* units of different groups are never in one stratum */
    const double *sizes;    /* what a unit is expected to measure, above 0, in any scale */
    const double *traits;   /* n x k, a unit's side by side: a difference of 1 may change what is measured by its size
                             * again */
};
/* Units by stratum: those of stratum h are items[start[h]] .. items[start[h + 1]], in ascending order. */
struct strata {
    size_t n, n_strata;
    size_t *items, *start;
    double *spreads;     /* of a stratum: the standard deviation that was expected when it was made, in sizes */
    const double *sizes; /* of the population, borrowed */
};
/* Units of a stratum that are drawn to begin with. Two show one difference, which is small by chance too often: with
 * three the intervals hold as often as they say (tests/unit/lab/test_sample.c). */
enum { STRATIFIED_FIRST = 3 };
/* And degrees of freedom that a sample has before its intervals are looked at: of few units the spread is small by
 * chance too often, where what is known of units does not show how they differ. */
enum { STRATIFIED_FREEDOM = 16 };
/* Splits the population until STRATIFIED_FIRST units a stratum are expected to give the total within `error` (a share,
 * 95 %), or there are `most` strata; a group is a stratum at least. */
int strata_make(struct strata *out, const struct population *population, double error, size_t most, struct error *err);
void strata_fini(struct strata *strata);

struct stratified {
    const struct strata *strata;
    size_t *order; /* of each stratum a random permutation; the first drawn[h] units are in the sample */
    size_t *drawn;
};
/* Nothing is drawn yet. */
int stratified_new(struct stratified *out, const struct strata *strata, uint64_t seed, struct error *err);
void stratified_fini(struct stratified *sample);
/* The first `each` units of every stratum; all of one that has no more than one besides: of that one the others say
 * little, and to leave it out saves little. */
void stratified_draw(struct stratified *sample, size_t each);
/* `first` of each, and more until there are so many degrees of freedom or all are drawn: from strata of many units that
 * cost little. */
void stratified_begin(struct stratified *sample, size_t first, double freedom);
/* Draws more, as Neyman's allocation over what has been measured has it, until the interval of the ratio of y to x
 * (NULL: of y's total) is expected to be within `error` of its value. For several quantities call it for each: none
 * takes anything back. Returns how many units were added; 0: the interval is that narrow, or all are drawn. */
size_t stratified_draw_more(struct stratified *sample, const double *y, const double *x, double error);
size_t stratified_drawn(const struct stratified *sample);
bool stratified_is_whole(const struct stratified *sample); /* every unit is in it: nothing is estimated */

/* A value with its interval of 95 %. */
struct stratified_estimate {
    double value, low, high;
    double se, df; /* standard error; degrees of freedom (Satterthwaite), infinite where se is 0 */
};
/* y[unit] of the units drawn. */
struct stratified_estimate stratified_total(const struct stratified *sample, const double *y);
/* Total of y over total of x, both of the same units. */
struct stratified_estimate stratified_ratio(const struct stratified *sample, const double *y, const double *x);
/* What each unit drawn counts in stratified_total, which is the sum of weight * y whatever y is; 0 of the others. */
int stratified_weights(const struct stratified *sample, double *out, struct error *err);
/* Half of the interval as a share of the value; 0 where both are 0, infinite where the value alone is. */
double stratified_error(const struct stratified_estimate *estimate);
#endif
