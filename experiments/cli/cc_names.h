/* Names of variables that a file which is compiled to be linked keeps to itself. */
#ifndef CC_NAMES_H
#define CC_NAMES_H
#include <stddef.h>
#include "poise/error.h"

/* clang gives `static` variables of the device that the host uses a name of their own, NAME__static__FILE, but code
 * that it has written before still has the old one, and what is in a namespace without a name has none. In the text,
 * which is malloc'd, all code has the new names, and what is private is not visible to other files. */
int cc_private_names(char **text, size_t *size, struct error *err);
/* In the text of a module of its own `static` variables have their plain names, as nvcc gives them: programs ask for
 * them by name. */
int cc_plain_names(char **text, size_t *size, struct error *err);
#endif
