/* Any bytes as a CSV table, a choice of columns by the rule, and small fits of every family: refused with a text, or
 * numbers. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
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

/* Cells that our writer writes come back as they were. */
static void write_and_read(const struct table_csv *table)
{
    struct table_csv back;
    struct error err = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i <= table->n_rows; i++) {
        for (size_t j = 0; j < table->n_columns; j++)
            (j ? csv_next : csv_print)(out, i ? table->columns[j].texts[i - 1] : table->columns[j].name);
        fputc('\n', out);
    }
    if (!out || fclose(out) != 0) abort();
    if (table->n_columns > 1 &&
        (table_csv_parse(&back, "again.csv", text, size, &err) < 0 || back.n_rows != table->n_rows))
        abort();
    for (size_t j = 0; j < table->n_columns && table->n_columns > 1; j++)
        for (size_t i = 0; i < table->n_rows; i++)
            if (strcmp(back.columns[j].texts[i], table->columns[j].texts[i]) != 0) abort();
    if (table->n_columns > 1) table_csv_fini(&back);
    free(text);
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
    write_and_read(&table);
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
