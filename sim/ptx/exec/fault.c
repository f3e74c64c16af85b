/* Errors of a program that runs, with the place where it stands. */
#include <stdarg.h>
#include <stdio.h>
#include "exec/exec.h"

int run_fault(struct run *r, const struct warp *w, const struct uop *u, uint32_t lane, const char *format, ...)
{
    const struct ptx_kernel *k = r->kernel;
    const struct trace_inst *t = &k->insts[u - k->code];
    const uint32_t *block = r->grid->block, thread = w->index * LANES + lane;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(r->err, ERR_RUN, "kernel %s: block (%u,%u,%u) thread (%u,%u,%u), line %u: %s%s%s", k->info.name,
              r->cta[0], r->cta[1], r->cta[2], thread % block[0], thread / block[0] % block[1],
              thread / block[0] / block[1], t->line, u->kind == UOP_TRAP ? "" : k->strings + t->name,
              u->kind == UOP_TRAP ? "" : " at ", text);
    return error_at(r->err, k->module->name, t->line, -1, NULL);
}
