/* Whole numbers out of text. strtoull() takes signs and blanks, and gives its largest value where a number is larger:
 * these refuse all of that. */
#ifndef POISE_NUMBER_H
#define POISE_NUMBER_H
#include <stdbool.h>
#include <stdint.h>

/* Past the decimal digits that `text` begins with; NULL where it begins with none, or they are 2^64 or more. */
const char *whole_scan(const char *text, uint64_t *out);
/* The whole text is a number from `least` to `most`; *out is set only then. */
bool whole_parse(const char *text, uint64_t least, uint64_t most, uint64_t *out);
#endif
