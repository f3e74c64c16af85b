#include "poise/say.h"

#include <stdarg.h>
#include <stdlib.h>
#include "poise/text.h"

static void say_all(FILE *out, const char *head, const char *format, va_list args)
{
    char *text;
    if (!out) return;
    if (out != stdout) fflush(stdout);
    if (vasprintf(&text, format, args) < 0) return; /* no memory for a line: what follows says so */
    fprintf(out, "%s%s\n", head, text_clean(text));
    free(text);
}

/* A function a head: formats are checked where they are written. */
#define SAY(name, head) \
    void name(FILE *out, const char *format, ...) \
    { \
        va_list args; \
        va_start(args, format); \
        say_all(out, head, format, args); \
        va_end(args); \
    }
SAY(say_line, "")
SAY(say_note, "poise: note: ")
SAY(say_warning, "poise: warning: ")
