/* `poise train TABLE.csv --family correction`: what the quick model's surfaces lack. Internal to the program. */
#ifndef POISE_TRAIN_CORRECTION_H
#define POISE_TRAIN_CORRECTION_H
#include <stdbool.h>
#include "poise/table_csv.h"

struct correction_request {
    const char *target, *name, *out; /* NULL: log_speedup, "hint", none is written */
    const char *const *features;     /* NULL: every column of hint_columns.h */
    size_t n_features;
    bool json;
};
int train_correction(const struct table_csv *table, const struct correction_request *request, struct error *err);
#endif
