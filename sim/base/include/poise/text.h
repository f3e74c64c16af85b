/* Text that came from outside: what a terminal must not see of it, and what may be a name. */
#ifndef POISE_TEXT_H
#define POISE_TEXT_H
#include <stdbool.h>
#include <stddef.h>

/* Bytes of the control character at `at`: of ASCII, DEL, or of the second set, which UTF-8 writes as C2 80 to C2 9F. A
 * terminal takes them as commands. 0: it is none. */
size_t text_control(const char *at);
/* Whether it has one besides '\n', '\r' and '\t': readers of files refuse such texts, as what they name is printed. */
bool text_has_control(const char *text);
/* Every control character but '\n' and '\t' becomes '?', in place. Returns `text`. */
char *text_clean(char *text);
/* A clean copy in `out`, cut to its size. Returns `out`. */
char *text_shown(const char *text, char *out, size_t size);

/* Bytes of the byte order mark of UTF-8 in front of the text: 3, or 0 where it has none. */
size_t text_byte_order_mark(const char *text, size_t size);

/* The one rule for names that users give to kernels, benchmarks and results. Names are folders, cells of CSV files,
 * patterns' targets and words on command lines: no blanks, no control characters, none of / , " ' * ? [ ] and no '.' in
 * front, from 1 byte on. NULL where the name is good, else what goes on behind "the name". */
const char *name_problem(const char *name);
#endif
