/* poise trace import, export, check: Accel-Sim's traces. Internal to the program. */
#ifndef POISE_TRACE_ACCELSIM_H
#define POISE_TRACE_ACCELSIM_H
#include "options.h"
/* arguments->items[0] is the verb. */
int trace_import(const struct texts *arguments, const char *out, struct error *err);
int trace_export(const struct texts *arguments, const char *dir, const char *isa, struct error *err);
int trace_check(const struct texts *arguments, struct error *err);
#endif
