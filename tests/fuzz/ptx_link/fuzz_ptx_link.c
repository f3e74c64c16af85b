/* Any bytes, as PTX texts to be linked (a byte of 1 parts them): one text that is linked to itself without an error,
 * or an error with a text. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "poise/ptx_link.h"

#define UNITS_MAX 8

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct ptx_unit units[UNITS_MAX];
    struct error err = {0};
    char *linked, *again;
    size_t n = 0, length, length_again;
    for (const unsigned char *at = data, *end = data + size; at < end && n < UNITS_MAX;) {
        const unsigned char *mark = memchr(at, 1, (size_t)(end - at)), *stop = mark ? mark : end;
        units[n++] = (struct ptx_unit){(const char *)at, (size_t)(stop - at)};
        at = stop + (mark != NULL);
    }
    if (ptx_link(&linked, &length, units, n, &err) < 0) {
        if (!err.text[0]) abort();
        return 0;
    }
    const struct ptx_unit whole = {linked, length};
    if (linked[length] || (length && ptx_link(&again, &length_again, &whole, 1, &err) == 0 && (free(again), false)))
        abort();
    free(linked);
    return 0;
}
