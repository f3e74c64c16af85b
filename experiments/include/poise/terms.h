/* The words that tables, charts and pages use, each with what it means: 'poise help terms', the manual page and reports
 * print these rows. */
#ifndef POISE_TERMS_H
#define POISE_TERMS_H
#include <stddef.h>
#include <stdio.h>
struct term {
    const char *name, *meaning, *source;
}; /* source: where it is defined */
extern const struct term terms[];
extern const size_t n_terms;
/* In alphabetical order, wrapped at `width` columns. */
void terms_print(FILE *out, unsigned width);
#endif
