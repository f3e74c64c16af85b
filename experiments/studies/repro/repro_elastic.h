/* What the studies of Elastic-Cache share: its benchmarks, and gains of them. Internal to poise_lab. */
#ifndef POISE_REPRO_ELASTIC_H
#define POISE_REPRO_ELASTIC_H
#include "poise/repro.h"

/* [ELASTIC §5]; its srad is `srad2` here, Rodinia's second version. */
struct elastic_benchmark {
    const char *name, *label;
};
enum { ELASTIC_BENCHMARKS = 11 };
extern const struct elastic_benchmark elastic_papers[ELASTIC_BENCHMARKS];
/* Its number in the data; data->n: it was not measured. */
size_t elastic_find(const struct repro_data *data, const char *label);
/* Instructions a second at one point over those at another, in percent; NAN if the benchmark was not measured. */
double elastic_gain(const struct repro_data *data, const char *label, const char *point, const char *over);
/* Names the benchmarks that were not measured, and what differs from the paper's runs. */
void elastic_note(const struct repro_data *data, struct repro_report *report);
#endif
