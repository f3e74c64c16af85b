/* What files are called that one command writes into one folder. Internal to the program. */
#ifndef POISE_OUTPUT_NAMES_H
#define POISE_OUTPUT_NAMES_H
#include <stddef.h>
#include "poise/error.h"

/* names[i] is malloc'd: a path, whose name without folders is wanted. It is replaced by a name that no other one of the
 * n has. Where two are alike, all carry their folders (a/k.x becomes a-k.x); what is still alike gets -2, -3. */
int output_names(char **names, size_t n, struct error *err);
#endif
