/* poise trace marking and poise trace mark: operators for L2 on recorded traces. */
#ifndef TRACE_MARKING_H
#define TRACE_MARKING_H
#include "cli/options.h"

/* arguments: marking TRACE..., a program's launches in order. Proposes marks by instruction, with what the instructions
 * do; `rule` of stores: handed_over (NULL) or handed_once. The marking goes to `out`, or is added to `json`; else a
 * table is printed. */
int trace_propose_marking(const struct texts *arguments, const char *rule, const char *out, struct json_t *json,
                          struct error *err);
/* arguments: mark TRACE..., likewise. Writes the traces, with the marking's operators, under their names to the folder
 * `out`. */
int trace_mark_files(const struct texts *arguments, const char *marking, const char *out, struct json_t *json,
                     struct error *err);
#endif
