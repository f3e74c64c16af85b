/* Launches in device code, which clang has no syntax for (cc_launches.c). Internal to `poise cc`. */
#ifndef POISE_CC_LAUNCHES_H
#define POISE_CC_LAUNCHES_H
#include <stddef.h>
#include "cli/cc_options.h"
#include "poise/error.h"

/* Writes a source, and the files that it includes by "name" from its own folder or one of -I, into a folder, with every
 * launch in device code written as a call of the toolkit's kernel_launches.h, and in clang's spelling; and a file for
 * clang's -ivfsoverlay that puts them in the place of the files. *overlay: "" where there is no such launch. */
int cc_launches_overlay(char *overlay, size_t room, const char *source, const struct words *options, const char *folder,
                        size_t index, struct error *err);
#endif
