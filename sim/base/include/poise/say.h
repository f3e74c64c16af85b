/* What a program says beside its results: a line on `out`, which is stderr as a rule; NULL: nothing is said. What
 * stdout holds is written first: where both go to one file, no line lands inside a sentence. Control characters are
 * cleaned (text.h); a '\n' is added. */
#ifndef POISE_SAY_H
#define POISE_SAY_H
#include <stdio.h>

__attribute__((format(printf, 2, 3))) void say_line(FILE *out, const char *format, ...);    /* as it is */
__attribute__((format(printf, 2, 3))) void say_note(FILE *out, const char *format, ...);    /* "poise: note: ..." */
__attribute__((format(printf, 2, 3))) void say_warning(FILE *out, const char *format, ...); /* "poise: warning: ..." */
#endif
