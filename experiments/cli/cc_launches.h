/* Launches in device code, which clang has no syntax for (cc_launches.c). Internal to `poise cc`. */
#ifndef POISE_CC_LAUNCHES_H
#define POISE_CC_LAUNCHES_H
#include <stddef.h>
#include "cli/cc_options.h"
#include "poise/error.h"

/* The text with every launch in device code written as a call of the toolkit's kernel_launches.h; lines keep their
 * numbers. NULL where there is none, or no memory. To be freed. */
char *cc_launches_in(const char *text, size_t size);

/* Writes such texts of a source, and of the files that it includes by "name" from its own folder or one of -I, into a
 * folder, and a file for clang's -ivfsoverlay that puts them in the place of the files. *overlay: "" where nothing is
 * to be written. */
int cc_launches_overlay(char *overlay, size_t room, const char *source, const struct words *options, const char *folder,
                        size_t index, struct error *err);
#endif
