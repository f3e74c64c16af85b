/* A table of `poise choice table` as data of a learner. Internal to the program. */
#ifndef POISE_CHOICE_DATA_H
#define POISE_CHOICE_DATA_H
#include "poise/choice.h"
#include "poise/table_csv.h"
#include "poise/validate.h"

/* What heads the column of a policy; its text follows. */
#define CHOICE_GAIN "gain "
/* What a failed run counts as: ln of a twentieth of the baseline's speed. */
#define CHOICE_FAILED -3.0
struct choice_rows_read {
    struct table_csv table;
    struct response_data data;
    double *numbers;
    size_t *rows; /* of the table, of those in data */
    struct response_tuple tuples[RESPONSE_POINTS_MAX];
    const char *names[RESPONSE_FEATURES_MAX], *policies[RESPONSE_POINTS_MAX]; /* the last: the baseline */
    struct groups families;
};
/* The rows of one part: "training" or "sealed". */
int choice_rows_read(struct choice_rows_read *out, const char *path, const char *part, struct error *err);
void choice_rows_fini(struct choice_rows_read *rows);
#endif
