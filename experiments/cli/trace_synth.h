/* poise trace synth; the locality that poise trace info --locality prints. */
#ifndef TRACE_SYNTH_H
#define TRACE_SYNTH_H
#include "cli/options.h"
#include "poise/trace.h"

/* arguments: synth KEY=VALUE..., or synth atomics KEY=VALUE... Runs the workload `synth`, or `synth_atomics`, with
 * these knobs and leaves its trace at `out`. */
int trace_synth(const struct cli *cli, const struct texts *arguments, const char *out, const char *size,
                struct error *err);
int trace_print_locality(const struct trace *trace, struct error *err);
/* {"loads", "in", "divergence", ...} or NULL */
struct json_t *trace_locality_json(const struct trace *trace, struct error *err);
#endif
