#include "poise/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "poise/text.h"

int error_set(struct error *err, enum error_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err->code = code;
    err->line = 0;
    err->byte = -1;
    err->file[0] = err->hint[0] = '\0';
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    text_clean(err->text); /* names and values of files and command lines go to terminals */
    return -1;
}

int error_while(struct error *err, const char *format, ...)
{
    char context[192], inner[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(context, sizeof context, format, args);
    va_end(args);
    memcpy(inner, err->text, sizeof inner);
    snprintf(err->text, sizeof err->text, "%s: %.440s", context, inner);
    text_clean(err->text);
    return -1;
}

int error_at(struct error *err, const char *file, long line, long byte, const char *hint)
{
    if (file) text_shown(file, err->file, sizeof err->file);
    err->line = line;
    err->byte = byte;
    if (hint) text_shown(hint, err->hint, sizeof err->hint);
    return -1;
}

int error_exit_status(const struct error *err)
{
    switch (err->code) {
    case ERR_NONE: return 0;
#define X(code, status, text) \
    case code: return status;
        ERROR_CODES(X)
#undef X
    }
    return 1;
}

const char *error_name(enum error_code code)
{
    switch (code) {
    case ERR_NONE: return "ERR_NONE";
#define X(code, status, text) \
    case code: return #code;
        ERROR_CODES(X)
#undef X
    }
    return "?";
}
