/* Any bytes as a file of libsvm's format: refused with a line, or a table of finite numbers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "poise/table_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct table_csv table;
    struct error err = {0};
    if (table_libsvm_parse(&table, "fuzz.libsvm", (const char *)data, size, &err) < 0) {
        if (err.text[0] == '\0') abort();
        return 0;
    }
    if (table.n_columns < 2 || table.n_rows == 0) abort();
    for (size_t j = 0; j < table.n_columns; j++)
        for (size_t i = 0; i < table.n_rows; i++)
            if (!isfinite(table.columns[j].values[i]) || table.lines[i] < 1) abort();
    table_csv_fini(&table);
    return 0;
}
