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
void choice_taken_fini(struct choice_taken *taken);
/* The policy with the highest mean gain over groups. */
int choice_single(size_t *out, const struct response_data *data, struct error *err);
#endif
