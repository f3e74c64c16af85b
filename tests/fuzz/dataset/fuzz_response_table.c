/* Any bytes as a table of samplings: refused with a text, or rows of finite numbers in families. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "poise/response_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct response_table t;
    struct error err = {0};
    if (response_table_parse(&t, "fuzz.csv", (const char *)data, size, &err) < 0) {
        if (err.text[0] == '\0') abort();
        return 0;
    }
    if (t.data.n == 0 || t.data.k == 0 || t.data.m == 0) abort();
    for (size_t i = 0; i < t.data.n * t.data.k; i++)
        if (!isfinite(t.data.x[i])) abort();
    for (size_t i = 0; i < t.data.n; i++)
        if (t.data.group[i] >= t.data.n_groups || t.data.W[i] < 1 || !t.launch[i] || !t.split[i]) abort();
    response_table_fini(&t);
    return 0;
}
