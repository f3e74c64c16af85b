/* poise eval --predictions: an outside model's tuples. Internal to the program. */
#ifndef POISE_EVAL_PREDICTIONS_H
#define POISE_EVAL_PREDICTIONS_H
#include "cli/cli_kernels.h"
#include "poise/predictions.h"

/* Names of the workloads that the rows are of, added to `kernels`; their text is the registry's. */
int predictions_kernels(struct texts *kernels, const struct predictions *predictions, const struct registry *registry,
                        struct error *err);
/* Judges and prints. */
int eval_predictions(const struct predictions *predictions, struct launches *launches, struct gpu_params *params,
                     const struct judge_options *options, bool is_json, struct error *err);
#endif
