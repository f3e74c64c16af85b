#include "model_error.h"

#include <stdarg.h>
#include <stdio.h>

int model_error(struct error *err, const char *file, const char *key, const char *hint, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(err, ERR_INPUT, "%s: %s: %s", file, key, text);
    return error_at(err, file, 0, -1, hint);
}
