/* Which mechanism runs a model's file. Internal to the program. */
#ifndef POISE_MODEL_KIND_H
#define POISE_MODEL_KIND_H
#include <stdbool.h>
#include <stddef.h>
#include "poise/error.h"

/* "poise,model=FILE" of two regressions, "learned,model=FILE" of a response surface, checked as that mechanism reads
 * it. An error says what another file is. */
int model_mech(char *out, size_t size, const char *path, struct error *err);
bool model_mech_is_learned(const char *mech);
#endif
