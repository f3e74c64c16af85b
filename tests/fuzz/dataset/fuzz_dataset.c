/* Any bytes as a dataset: refused with a line, or rows that are tuples with finite numbers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "poise/dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dataset d;
    struct error err = {0};
    if (dataset_parse(&d, "fuzz.csv", (const char *)data, size, &err) < 0) {
        if (err.line <= 0 || err.text[0] == '\0') abort();
        return 0;
    }
    for (size_t i = 0; i < d.n; i++) {
        if (d.rows[i].p < 1 || d.rows[i].p > d.rows[i].N) abort();
        for (size_t j = 0; j < d.n_features; j++)
            if (!isfinite(d.rows[i].x[j])) abort();
    }
    dataset_fini(&d);
    return 0;
}
