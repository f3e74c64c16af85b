/* poise trace import, export, check: Accel-Sim's traces. Internal to the program. */
#ifndef POISE_TRACE_ACCELSIM_H
#define POISE_TRACE_ACCELSIM_H
#include "cli/options.h"
/* arguments->items[0] is the verb. What was done is said as text, or goes into `json` where that is not NULL. */
int trace_import(const struct texts *arguments, const char *out, struct json_t *json, struct error *err);
int trace_export(const struct texts *arguments, const char *dir, const char *isa, struct json_t *json,
                 struct error *err);
int trace_check(const struct texts *arguments, struct json_t *json, struct error *err);
#endif
