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
#endif
