/* What GPGPU-Sim and Accel-Sim call the figures of a kernel, and what of ours they are: 'sim --stats gpgpusim' prints
 * them, 'compare' holds them against a log. Their meanings are kept: L1D accesses and misses count stores (which always
 * miss there), a reservation fail is counted in every cycle that it lasts, and DRAM's transfers are bursts of the
 * machine's bus, where ours are of 64 bytes. Internal to the program. */
#ifndef POISE_GPGPUSIM_NAMES_H
#define POISE_GPGPUSIM_NAMES_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum gpgpusim_group { GPGPUSIM_RUN, GPGPUSIM_L1, GPGPUSIM_CORE, GPGPUSIM_LATENCY, GPGPUSIM_L2, GPGPUSIM_DRAM };
struct gpgpusim_name {
    const char *name;
    /* Our statistics that add up to it: '-' takes one off, '@' counts it where global memory goes through L1; and what
     * the sum is divided by, none for a count. */
    const char *parts[6], *over[3];
    enum gpgpusim_group group;
};
/* The names in order, `*n` of them, and the one of this name or NULL. */
const struct gpgpusim_name *gpgpusim_names(size_t *n);
const struct gpgpusim_name *gpgpusim_find(const char *name);

/* What of a machine changes the terms: as its configuration in JSON says. */
struct gpgpusim_terms {
    double transfers; /* bursts of its bus in 64 bytes */
    bool skips_l1;    /* global memory goes around L1 */
};
struct gpgpusim_terms gpgpusim_terms_of(const json_t *config);
/* A figure's two sums over launches, which gpgpusim_add() adds a launch to. */
struct gpgpusim_sums {
    double parts, over;
};
typedef double gpgpusim_stat(const void *stats, const char *name); /* a statistic of ours */
void gpgpusim_add(struct gpgpusim_sums *to, const struct gpgpusim_name *name, const struct gpgpusim_terms *terms,
                  gpgpusim_stat *stat, const void *stats);
/* In the other simulator's terms; a quotient of nothing is 0. */
double gpgpusim_value(const struct gpgpusim_name *name, const struct gpgpusim_terms *terms, struct gpgpusim_sums sums);
#endif
