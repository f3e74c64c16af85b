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
/* Words from column `left` on, which the caller has reached, in lines of at most `width`; ends the last one. */
void text_wrapped(FILE *out, const char *text, unsigned left, unsigned width);
void terms_print(FILE *out, unsigned width);
#endif
