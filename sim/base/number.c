#include "poise/number.h"

#include <stddef.h>

const char *whole_scan(const char *text, uint64_t *out)
{
    const char *at = text;
    uint64_t v = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(v, UINT64_C(10), &v) || __builtin_add_overflow(v, (uint64_t)(*at - '0'), &v))
            return NULL;
    if (at == text) return NULL;
    *out = v;
    return at;
}

bool whole_parse(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    uint64_t v;
    const char *end = whole_scan(text, &v);
    if (!end || *end || v < least || v > most) return false;
    *out = v;
    return true;
}
