/* Tables whose columns are those of a CSV file, or keys of a list of JSON objects. */
#include <string.h>
#include "report/report_internal.h"

void report_table_of(json_t *section, const char *id, const char *title, const struct table_csv *csv,
                     const struct report_head *heads, size_t n, size_t most)
{
    json_t *table = report_table(section, id, title);
    for (size_t k = 0; k < n; k++) report_column(table, heads[k].title, heads[k].format);
    for (size_t r = 0; r < csv->n_rows && r < most; r++) {
        json_t *row = report_row(table);
        for (size_t k = 0; k < n; k++)
            if (strcmp(heads[k].format, "text") == 0) report_cell_text(row, "%s", report_cell_at(csv, heads[k].key, r));
            else report_cell(row, report_number_at(csv, heads[k].key, r));
    }
}

void report_table_of_list(json_t *section, const char *id, const char *title, const json_t *list,
                          const struct report_head *heads, size_t n)
{
    json_t *table = report_table(section, id, title);
    const json_t *item;
    size_t i;
    for (size_t k = 0; k < n; k++) report_column(table, heads[k].title, heads[k].format);
    json_array_foreach(list, i, item) {
        json_t *row = report_row(table);
        for (size_t k = 0; k < n; k++)
            if (strcmp(heads[k].format, "text") == 0) report_cell_text(row, "%s", report_string(item, heads[k].key));
            else report_cell(row, report_get(item, heads[k].key));
    }
}
