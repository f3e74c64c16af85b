/* Comma-separated values as RFC 4180 has them, and numbers that print the same everywhere. */
#ifndef POISE_CSV_H
#define POISE_CSV_H
#include <stdio.h>

/* Quoted where it has to be. */
void csv_print(FILE *out, const char *text);
/* The shortest decimal text that reads back as the same double; whole numbers below 1e15 are written whole, as 650000
 * and never 6.5e+05; "inf", "-inf", "nan". Returns `text`. */
const char *number_text(double value, char *text, size_t size);
#endif
