/* The quick model's surface corrected by what it lacked on other programs (poise/correction.h, models/hint.json).
 * (private) */
#ifndef POISE_HINT_CORRECTION_H
#define POISE_HINT_CORRECTION_H
#include "poise/correction.h"
#include "poise/quick_response.h"
#include "workload/hint_columns.h"

struct hint_correction {
    struct correction model;               /* k 0: none */
    size_t columns[RESPONSE_FEATURES_MAX]; /* of hint_columns.h, that it takes */
};
/* Refused where the model takes a column that is not one of hint_columns.h. correction_fini() of `model` afterwards. */
int hint_correction_read(struct hint_correction *out, const char *path, struct error *err);
/* Corrected speedups in place of the quick model's; (W, W) keeps its 1. Returns the tuple to take. */
size_t hint_correct(const struct hint_correction *c, struct quick_response *s);
/* A correction's spread is that of chosen tuples of programs that it had not seen. */
double hint_correction_low(const struct hint_correction *c, double gain);
double hint_correction_high(const struct hint_correction *c, double gain);
/* hint_correct() and the hint of it, as quick_response_hint() writes it: a new reference. */
struct json_t *hint_correction_hint(const struct hint_correction *c, struct quick_response *s);
#endif
