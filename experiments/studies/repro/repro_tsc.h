/* What the studies of the tag-split cache share: its benchmarks, and means over them. Internal to poise_lab. */
#ifndef POISE_REPRO_TSC_H
#define POISE_REPRO_TSC_H
#include "poise/repro.h"

/* [TSC Tab. 1]; CLN: prefers small lines. The tree has two kmeans; `kmn` reads rows as Fig. 3 does. `variant`: the same
 * program with other inputs or launches, where these decide whether it has the paper's class; or NULL. */
struct tsc_benchmark {
    const char *name, *label;
    bool is_cln;
    const char *variant;
};
enum { TSC_BENCHMARKS = 15 };
extern const struct tsc_benchmark tsc_papers[TSC_BENCHMARKS];
typedef double tsc_metric(const struct repro_data *data, size_t benchmark, size_t point);
/* Flits from L1 to L2 an instruction, over the baseline's. */
tsc_metric tsc_down;
/* Its number in the data; data->n: it was not measured. */
size_t tsc_find(const struct repro_data *data, const char *label);
/* That of its variant where it has one that was measured. */
size_t tsc_find_variant(const struct repro_data *data, const char *label);
/* The geometric mean over the benchmarks that were measured, NAN of none; and in percent over one. */
double tsc_mean_of(const struct repro_data *data, tsc_metric *of, const char *point);
double tsc_gain_of(const struct repro_data *data, tsc_metric *of, const char *point);
/* The mean gain in percent of a point, as a row with the paper's. */
double tsc_gain_row(const struct repro_data *data, const char *point, double paper, struct repro_report *report);
/* The gain in percent of each benchmark at each point, as the table of benchmarks. */
void tsc_cells(const struct repro_data *data, tsc_metric *of, const char *what, const char *const points[], size_t n,
               struct repro_report *report);
/* Names the benchmarks that were not measured, and what differs from the paper's runs. */
void tsc_note(const struct repro_data *data, struct repro_report *report);
#endif
