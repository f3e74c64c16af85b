/* What the studies of BUCL share: its benchmarks, its two groups, means over them. Internal to poise_lab. */
#ifndef POISE_REPRO_BUCL_H
#define POISE_REPRO_BUCL_H
#include "poise/repro.h"

/* [BUCL Tab. I] */
struct bucl_benchmark {
    const char *name, *label;
    bool is_uncoalesced;
};
enum { BUCL_BENCHMARKS = 10 };
extern const struct bucl_benchmark bucl_benchmarks[BUCL_BENCHMARKS];
/* Its number in the data, data->n where the tree has no such workload. */
size_t bucl_find(const struct repro_data *data, const char *name);
/* The measured benchmarks of a group, as numbers in the data. */
size_t bucl_group(const struct repro_data *data, bool is_uncoalesced, size_t members[BUCL_BENCHMARKS]);
/* The study's mean of f over the benchmarks of a group that were measured. NAN of none. */
double bucl_mean(const struct repro_data *data, enum repro_mean mean, bool is_uncoalesced,
                 double (*f)(const struct repro_data *, size_t, size_t), size_t point);
double bucl_speedup(const struct repro_data *data, size_t b, size_t point);
/* percent of the accesses that looked L1 up */
double bucl_hit_rate(const struct repro_data *data, size_t b, size_t point);
/* Of points named "PREFIX N" the fastest for a benchmark; *N its number. n_points if there are none. */
size_t bucl_best(const struct repro_data *data, size_t b, const char *prefix, unsigned *N);
/* Names the benchmarks of the paper that are not in this tree. */
void bucl_note(const struct repro_data *data, struct repro_report *report);
/* A statement about a group; where nothing of it was measured, a deviation says so. */
#define BUCL_CHECK(report, value, holds, ...) \
    do { \
        if (isnan(value)) repro_deviation(report, "not measured: " __VA_ARGS__); \
        else repro_check(report, holds, __VA_ARGS__); \
    } while (0)
#endif
