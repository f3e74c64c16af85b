/* Comma-separated values as RFC 4180 has them, and numbers that print the same everywhere. */
#ifndef POISE_CSV_H
#define POISE_CSV_H
#include <stdio.h>

/* A cell of text. It is quoted where a comma, a quote, a line's end or a blank at either end asks for it. Spreadsheets
 * take a cell that begins with = + - @, a tab or a carriage return as a formula: unless it is a number, it gets an
 * apostrophe in front, and so does a text that already looks like that. csv_unprotect() takes it off again, so that
 * our readers give back what was written. */
void csv_print(FILE *out, const char *text);
/* The same with a comma in front, for all cells but a line's first. */
void csv_next(FILE *out, const char *text);
/* A cell as it was read, without its quotes: takes the apostrophe off in place. Returns `text`. */
char *csv_unprotect(char *text);
/* The shortest decimal text that reads back as the same double; whole numbers below 1e15 are written whole, as 650000
 * and never 6.5e+05; "inf", "-inf", "nan". Returns `text`. */
const char *number_text(double value, char *text, size_t size);
#endif
