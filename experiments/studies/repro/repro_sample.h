/* Studies of whole programs by a sample of their launches. Internal to poise_lab. */
#ifndef POISE_REPRO_SAMPLE_H
#define POISE_REPRO_SAMPLE_H
#include "poise/program_sample.h"
#include "poise/repro.h"

struct repro_sample;
/* Why the study cannot be sampled is an error of usage. */
int repro_sample_check(const struct repro_study *study, const struct repro_options *options, struct error *err);
/* In full mode the spec's sample is taken where the options name none. */
int repro_sample_choose(struct repro_options *options, const struct repro_study *study, const struct repro_spec *spec,
                        struct error *err);
/* Runs some launches of each program under every point. Jobs: a launch's points side by side; the results of launches
 * that were left out stay empty. */
int repro_sample_run(struct repro_sample **out, const struct repro_spec *spec, const struct launches *launches,
                     struct runner *runner, const struct sample_options *options, struct run_job *jobs,
                     struct error *err);
void repro_sample_free(struct repro_sample *sample); /* accepts NULL */
/* The benchmarks' counters become estimates of those of all launches. */
void repro_sample_totals(const struct repro_sample *sample, struct repro_data *data);

/* The study's rows over the data as they are; called again and again. */
typedef int repro_sample_report(void *context, struct repro_data *data, struct repro_report *out, struct error *err);
/* Gives each row its interval. A row is some function f of the totals. What a launch is worth to it, z, is the change
 * of f where the launch counts a little more; the interval of f is that of the total of z. [W. A. Fuller, Sampling
 * Statistics, Wiley 2009, section 1.3: linearisation; by differences, as the jackknife has it] */
int repro_sample_intervals(const struct repro_sample *sample, struct repro_data *data, struct repro_report *report,
                           repro_sample_report *again, void *context, struct error *err);
/* What was simulated; a new object. */
struct json_t *repro_sample_json(const struct repro_sample *sample);
#endif
