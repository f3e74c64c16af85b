/* The machine that a model was trained on, as its file keeps it ("training": {"machine": {..}}): what features and
 * speedups depend on most. */
#ifndef POISE_MODEL_MACHINE_H
#define POISE_MODEL_MACHINE_H
#include <stddef.h>
struct gpu_params;
struct json_t;

/* {"sms", "schedulers", "warps" of an SM, "l1_lines", "l2_lines"}: a new reference. */
struct json_t *model_machine(const struct gpu_params *params);
/* How a machine differs from the one in a model's file, as "l1_lines 256, not 128"; "" where it is the same, or the
 * file says nothing. */
void model_machine_differs(char *out, size_t size, const char *model, const struct gpu_params *params);
#endif
