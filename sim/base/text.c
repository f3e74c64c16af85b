#include "poise/text.h"

#include <stdio.h>
#include <string.h>

size_t text_control(const char *at)
{
    const unsigned char c = (unsigned char)at[0], next = c ? (unsigned char)at[1] : 0;
    if (c == 0xc2 && next >= 0x80 && next <= 0x9f) return 2;
    return c < 0x20 || c == 0x7f;
}

bool text_has_control(const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at != '\n' && *at != '\r' && *at != '\t' && text_control(at)) return true;
    return false;
}

char *text_clean(char *text)
{
    char *out = text;
    for (const char *at = text; *at;) {
        const size_t n = *at == '\n' || *at == '\t' ? 0 : text_control(at);
        *out++ = n ? '?' : *at;
        at += n ? n : 1;
    }
    *out = '\0';
    return text;
}

char *text_shown(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%s", text);
    return text_clean(out);
}

const char *name_problem(const char *name)
{
    static const char folder[] = "becomes a folder: no '/', no blanks, no '.' in front";
    if (!*name || *name == '.') return folder;
    for (const char *c = name; *c; c++)
        if (*c == ' ' || *c == '/' || text_control(c)) return folder;
    return strpbrk(name, ",\"'*?[]") ? "has no comma, quote or wildcard: it is a cell of tables and a word of patterns"
                                     : NULL;
}

size_t text_byte_order_mark(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}
