/* What every cmocka program includes first: cmocka wants these headers in this order. */
#ifndef POISE_RIG_H
#define POISE_RIG_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/error.h"

/* Fails the test with the error's own text. */
#define assert_ok(call, err) \
    do { \
        if ((call) < 0) fail_msg("%s: %s", #call, (err)->text); \
    } while (0)
/* How often `part` is in the text. */
static inline int count_of(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}
/* A mechanism as text, in which a parameter may stand again: the later value holds, so that a test changes one. */
static inline const char *rig_later_wins(char *out, size_t size, const char *how)
{
    const char *item = how;
    out[0] = '\0';
    while (item) {
        const char *comma = strchr(item, ','), *equals = strchr(item, '=');
        const size_t length = comma ? (size_t)(comma - item) : strlen(item);
        char key[128] = "";
        if (equals && equals < item + length) snprintf(key, sizeof key, ",%.*s", (int)(equals + 1 - item), item);
        if (!key[0] || !comma || !strstr(comma, key))
            snprintf(out + strlen(out), size - strlen(out), "%s%.*s", out[0] ? "," : "", (int)length, item);
        item = comma ? comma + 1 : NULL;
    }
    return out;
}
#endif
