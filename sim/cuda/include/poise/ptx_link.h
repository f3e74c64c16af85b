/* Linking PTX: the texts of several files become one in which what each file leaves to others is resolved. */
#ifndef POISE_PTX_LINK_H
#define POISE_PTX_LINK_H
#include <stddef.h>
#include "poise/error.h"

struct ptx_unit {
    const char *text;
    size_t size;
};
/* How a symbol that a file keeps to itself is called where another has the name too: length, name, the file from 1. */
#define PTX_LINK_RENAMED "%.*s$u%zu"
/* The text of all, malloc'd, with a NUL behind it. Symbols that a file keeps to itself get a suffix where another
 * has the name too; of weak ones the first stays. ERR_INPUT names a symbol that two files define, or a variable that
 * none does; a function without a body is left to whoever runs the text. */
int ptx_link(char **out, size_t *size, const struct ptx_unit *units, size_t n, struct error *err);
#endif
