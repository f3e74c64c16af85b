/* Spellings that nvcc reads and clang refuses (cc_spelling.c). Internal to `poise cc`. */
#ifndef POISE_CC_SPELLING_H
#define POISE_CC_SPELLING_H
#include <stddef.h>

/* A CUDA source of `size` bytes in clang's spelling, of the same size and with the same lines, to be freed; NULL where
 * it is that already, or there is no memory. */
char *cc_spelling(const char *text, size_t size);
#endif
