/* Two launches side by side (poise/gpu.h): what they cannot have, and what each of them did. */
#ifndef GPU_BESIDE_H
#define GPU_BESIDE_H
#include "machine/machine.h"
struct gpu_carry;

int beside_check(const struct launched *first, const struct gpu_params *params, const struct gpu_limits *limits,
                 const struct gpu_carry *carry, struct error *err);
/* Of a run that has been finished (gpu_finish) at core cycle `end`. */
int beside_results(struct gpu_result *out, const struct gpu *g, const struct mech_spec *first,
                   const struct gpu_beside *beside, cycle_t end, struct error *err);
/* A mechanism's part of any result. */
struct json_t *mech_result(const struct mech_instance *m, const struct mech_spec *spec);
#endif
