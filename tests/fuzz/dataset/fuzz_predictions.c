/* Any bytes as predicted tuples: refused with a line, or rows that each stand once, with 1 <= p <= N. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "poise/predictions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct predictions p;
    struct error err = {0};
    if (predictions_parse(&p, "fuzz.csv", (const char *)data, size, &err) < 0) {
        if (err.line <= 0 || err.text[0] == '\0') abort();
        return 0;
    }
    if (p.n == 0) abort();
    for (size_t i = 0; i < p.n; i++) {
        const struct prediction *r = &p.items[i];
        if (r->p < 1 || r->p > r->N || !*r->benchmark || !*r->launch || r->line < 2) abort();
        for (size_t k = 0; k < i && p.n < 200; k++)
            if (strcmp(p.items[k].benchmark, r->benchmark) == 0 && strcmp(p.items[k].launch, r->launch) == 0) abort();
    }
    predictions_fini(&p);
    return 0;
}
