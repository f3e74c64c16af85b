/* A table of `poise choice table` as data of a learner. Internal to the program. */
#ifndef POISE_CHOICE_DATA_H
#define POISE_CHOICE_DATA_H
#include "poise/choice.h"
#include "poise/table_csv.h"
#include "poise/validate.h"

/* What heads the column of a policy; its text follows. */
#define CHOICE_GAIN "gain "
/* And of its trial; the policy's name follows. */
#define CHOICE_TRIAL "trial_"
struct choice_rows_read {
    struct table_csv table;
    struct response_data data;
    double *numbers;
    const double *cycles; /* that each row's launch lasts under the baseline */
    size_t *rows;         /* of the table, of those in data */
    struct response_tuple tuples[RESPONSE_POINTS_MAX];
    const char *names[CHOICE_COLUMNS_MAX], *policies[RESPONSE_POINTS_MAX]; /* the last: the baseline */
    const struct table_column *columns[CHOICE_COLUMNS_MAX];                /* of names, in the table */
    struct groups families;
    uint64_t window, trial; /* core cycles that the columns look at */
};
/* The rows of one part, "training" or "sealed", of launches that last at least so many cycles. */
int choice_rows_read(struct choice_rows_read *out, const char *path, const char *part, uint64_t min_cycles,
                     struct error *err);
void choice_rows_fini(struct choice_rows_read *rows);
#endif
