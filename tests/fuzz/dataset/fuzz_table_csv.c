/* Any bytes as a CSV table, a choice of columns by the rule, and small fits of every family: refused with a text, or
 * numbers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "poise/table_csv.h"

static void fit(const struct glm_data *data, enum glm_family family)
{
    struct glm_fit out;
    struct error err = {0};
    const struct glm_options options = {.family = family, .max_iterations = 20};
    if (glm_fit(&out, data, &options, &err) < 0) {
        if (err.text[0] == '\0') abort();
        return;
    }
    if (out.status[0] == '\0') abort();
    for (size_t j = 0; j < out.k; j++)
        if (isnan(out.coef[j].value)) abort();
    glm_fit_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct table_csv table;
    struct training_set set;
    struct error err = {0};
    if (table_csv_parse(&table, "fuzz.csv", (const char *)data, size, &err) < 0) {
        if (err.line <= 0 || err.text[0] == '\0') abort();
        return 0;
    }
    struct table_notes notes = {.n = 0};
    if (table_csv_drop_missing(&table, "group", &notes, &err) < 0) {
        table_csv_fini(&table);
        return 0;
    }
    const struct training_choice choice = {.target = table.columns[0].name,
                                           .weights = size % 2 ? WEIGHTS_PRECISION : WEIGHTS_FREQUENCY,
                                           .notes = &notes,
                                           .add_intercept = true};
    if (training_set_init(&set, &table, &choice, &err) == 0) {
        if (set.data.n <= 64 && set.data.k <= 8)
            for (int family = GLM_NB2; family <= GLM_OLS; family++) fit(&set.data, (enum glm_family)family);
        training_set_fini(&set);
    } else if (err.text[0] == '\0') {
        abort();
    }
    if (size < 4096) table_csv_repeat(&table, "weight", &err);
    table_csv_fini(&table);
    return 0;
}
