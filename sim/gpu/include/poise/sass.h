/* What ptxas makes of recorded PTX: an order of instructions like that of the machine's own code. The trace keeps what
 * was executed; this reads it and gives, warp by warp, the steps that a GPU would have issued. Each pass is a parameter
 * (`sass.*`) and a file; README.md says what each does and where its numbers are from. */
#ifndef POISE_SASS_H
#define POISE_SASS_H
#include "poise/gpu.h"
#include "poise/trace.h"

struct sass;
struct sass_warp { /* steps of one warp, and their accesses in order */
    const struct trace_step *steps;
    const uint32_t *accesses;
    uint64_t n_steps;
};
/* *out is NULL where all passes are off, or the trace is of another instruction set, or waits are recorded in it (their
 * steps are named by number). The trace outlives it. */
int sass_new(struct sass **out, const struct trace *trace, const struct gpu_params *params, struct error *err);
void sass_free(struct sass *sass); /* accepts NULL */
/* The code that the steps name: that of the trace, and behind it what was made of its blocks. */
const struct trace_inst *sass_code(const struct sass *sass, uint32_t *n_code, uint32_t *n_regs);
/* An integer instruction that runs in the pipe of multiply-adds. */
bool sass_on_fma(const struct sass *sass, uint32_t inst);
/* Valid until the next call. */
int sass_read_warp(struct sass *sass, const struct trace_warp *warp, struct sass_warp *out, struct error *err);
#endif
