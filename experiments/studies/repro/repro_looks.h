/* The file of evaluations of sealed workloads, datasets/sealed.csv: who opens them writes there before and after.
 * Internal to poise_lab. */
#ifndef POISE_REPRO_LOOKS_H
#define POISE_REPRO_LOOKS_H
#include "poise/pipeline.h"
#include "poise/repro.h"

/* An error where the file is not here or cannot be written: an evaluation that could not be recorded is not begun. */
int looks_writable(const struct repro_options *options, struct error *err);
/* Refuses an evaluation of workloads that are sealed no more, and one with a model (a contender's "@models/FILE") that
 * says it was trained on a family which the spec evaluates. */
int looks_check(const struct repro_options *options, const struct pipeline_spec *spec, struct error *err);
/* A line with the date, before anything is simulated, so that an evaluation that is interrupted stands there too. */
int looks_begin(const struct repro_study *study, const struct repro_options *options, struct error *err);
/* A line for every figure that stands alone: what was seen of the sealed workloads cannot be unseen. */
int looks_end(const struct repro_study *study, const struct repro_options *options, const struct repro_report *report,
              struct error *err);
#endif
