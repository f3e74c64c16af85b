/* `combine` of a study's spec: points put together. Internal to poise_lab. */
#ifndef POISE_REPRO_COMBINE_H
#define POISE_REPRO_COMBINE_H
#include "poise/repro.h"
#include "poise/yaml.h"

/* Adds the points that the spec's `combine` asks for, behind those that it names. A combination that no machine has is
 * no point: it stands among the refusals with the reason. */
int repro_combine(struct repro_spec *spec, const struct yaml_file *file, struct error *err);
/* In a spec that combines points, one that the machine in use cannot be is a refusal, and not a mistake of the spec.
 * False: the spec does not combine. */
bool repro_refuse_point(struct repro_spec *spec, const struct yaml_file *file, const char *name,
                        const struct error *why);
#endif
