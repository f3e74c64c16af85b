/* What validation and training of choices share.      (private) */
#ifndef POISE_CHOICE_PARTS_H
#define POISE_CHOICE_PARTS_H
#include "poise/choice.h"
#include "response_parts.h"

/* The rows with some of the columns. */
struct choice_taken {
    struct response_data data;
    double *x;
    const char **names;
};
int choice_take(struct choice_taken *out, const struct response_data *data, const struct choice_columns *set,
                struct error *err);
/* Rows of trials of n policies alone: z, what each gains over the first, and as columns what each of the others gained
 * over it in its trial. */
int choice_take_few(struct choice_taken *out, const struct response_data *data, const struct choice_columns *trials,
                    const size_t *policies, size_t n, struct error *err);
void choice_taken_fini(struct choice_taken *taken);
/* A model without names: of each point's z a linear function of the columns, by ridge regression. */
int choice_fit(struct choice_model *out, const struct response_data *data, struct error *err);
/* The policy with the highest mean gain over groups. */
int choice_single(size_t *out, const struct response_data *data, struct error *err);
#endif
