#include "poise/kernel_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the C++ ABI [itanium-cxx-abi 1.3.4], in libstdc++; no C header declares it. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* The bracket that the one at `close` closes, or 0. */
static size_t opening(const char *text, size_t close)
{
    size_t depth = 0;
    for (size_t i = close + 1; i-- > 0;) {
        if (text[i] == ')') depth++;
        if (text[i] == '(' && --depth == 0) return i;
    }
    return 0;
}

/* Behind the result's type: the last blank outside of brackets. */
static const char *without_result(char *text)
{
    const char *name = text;
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '<' || *at == '(') depth++;
        if (*at == '>' || *at == ')') depth--;
        if (*at == ' ' && depth == 0) name = at + 1;
    }
    return name;
}

const char *kernel_name(const char *symbol, char *out, size_t size)
{
    int status = -1;
    char *full = strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
    char *close = full ? strrchr(full, ')') : NULL;
    const size_t open = close ? opening(full, (size_t)(close - full)) : 0;
    if (open) full[open] = '\0';
    snprintf(out, size, "%s", status == 0 && full ? without_result(full) : symbol);
    free(full);
    return out;
}

static size_t symbol_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '$') n++;
    return n;
}

const char *kernel_shown(const char *text, char *out, size_t size)
{
    const char *asked = getenv("POISE_MANGLED");
    const bool as_it_is = asked && *asked && strcmp(asked, "0") != 0;
    size_t used = 0;
    while (*text && used + 1 < size) {
        const bool starts = strncmp(text, "_Z", 2) == 0;
        const size_t n = starts && !as_it_is ? symbol_length(text) : 0;
        char *symbol = n ? strndup(text, n) : NULL;
        if (symbol) {
            kernel_name(symbol, out + used, size - used);
            used += strlen(out + used);
            text += n;
            free(symbol);
        } else out[used++] = *text++;
    }
    out[used] = '\0';
    return out;
}
