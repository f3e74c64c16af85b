/* The text of launches in device code, as clang can read it (cc_launch_text.c). Internal to `poise cc`. */
#ifndef POISE_CC_LAUNCH_TEXT_H
#define POISE_CC_LAUNCH_TEXT_H
#include <stdbool.h>
#include <stddef.h>

/* The text with blanks for comments and literals, and for lines of the preprocessor unless it has_directives; lines
 * stay. To be freed. NULL: no memory. */
char *cc_code_of(const char *text, size_t n, bool has_directives);

/* A CUDA source of `size` bytes with every launch in device code written as a call of the toolkit's kernel_launches.h;
 * every line keeps its number. To be freed; *length says how long it is. NULL where there is no such launch, or no
 * memory. */
char *cc_launch_text(const char *text, size_t size, size_t *length);
#endif
