/* The report as CSV, in long form: section, item, row, column, value. Every figure's data and every table's cells
 * are in it. */
#include "report/report_internal.h"

#include <string.h>
#include "poise/csv.h"

struct place {
    FILE *out;
    const char *section, *item;
};

static void print_value(FILE *out, const json_t *value)
{
    char text[40];
    if (json_is_string(value)) csv_print(out, json_string_value(value));
    else if (json_is_integer(value)) fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value)) fputs(number_text(json_real_value(value), text, sizeof text), out);
    else if (json_is_boolean(value)) fputs(json_is_true(value) ? "true" : "false", out);
}

static void print_line(const struct place *at, const char *row, const char *column, const json_t *value)
{
    csv_print(at->out, at->section);
    fputc(',', at->out);
    csv_print(at->out, at->item);
    fputc(',', at->out);
    csv_print(at->out, row);
    fputc(',', at->out);
    csv_print(at->out, column);
    fputc(',', at->out);
    print_value(at->out, value);
    fputc('\n', at->out);
}

/* A list of values: one line each; a list of lists (a matrix): one line a cell. */
static void print_list(const struct place *at, const char *column, const json_t *list)
{
    const json_t *value, *cell;
    size_t i, k;
    char row[32], full[160];
    json_array_foreach(list, i, value) {
        snprintf(row, sizeof row, "%zu", i + 1);
        if (json_is_array(value)) {
            json_array_foreach(value, k, cell) {
                snprintf(full, sizeof full, "%.120s %zu", column, k + 1);
                print_line(at, row, full, cell);
            }
        } else if (!json_is_object(value)) {
            print_line(at, row, column, value);
        }
    }
}

static void print_marks(const struct place *at, const json_t *marks)
{
    const json_t *mark;
    size_t i;
    json_array_foreach(marks, i, mark) {
        print_line(at, report_string(mark, "kind"), "x", json_object_get(mark, "x"));
        print_line(at, report_string(mark, "kind"), "y", json_object_get(mark, "y"));
    }
}

static void print_figure(const struct place *at, json_t *figure)
{
    const char *key;
    json_t *value, *part;
    size_t i;
    json_object_foreach(figure, key, value) {
        if (strcmp(key, "series") == 0 || strcmp(key, "hover") == 0) {
            json_array_foreach(value, i, part) {
                const char *inner;
                json_t *list;
                json_object_foreach(part, inner, list) {
                    char column[200];
                    snprintf(column, sizeof column, "%s%s%s", report_string(part, "name"),
                             strcmp(inner, "values") ? " " : "", strcmp(inner, "values") ? inner : "");
                    if (json_is_array(list)) print_list(at, column, list);
                }
            }
        } else if (strcmp(key, "marks") == 0) {
            print_marks(at, value);
        } else if (json_is_array(value)) {
            print_list(at, key, value);
        }
    }
}

static void print_table(const struct place *at, const json_t *table)
{
    const json_t *columns = json_object_get(table, "columns"), *row, *cell;
    size_t r, c;
    char number[32];
    json_array_foreach(json_object_get(table, "rows"), r, row) {
        snprintf(number, sizeof number, "%zu", r + 1);
        json_array_foreach(row, c, cell)
            print_line(at, number, report_string(json_array_get(columns, c), "name"), cell);
    }
}

int report_csv(const json_t *document, FILE *out, struct error *err)
{
    const json_t *section;
    json_t *item;
    size_t s, i;
    fputs("section,item,row,column,value\n", out);
    struct place at = {.out = out, .section = "summary", .item = "headline"};
    json_array_foreach(json_object_get(document, "headline"), i, item) {
        print_line(&at, report_string(item, "label"), "value", json_object_get(item, "value"));
        print_line(&at, report_string(item, "label"), "detail", json_object_get(item, "detail"));
    }
    json_array_foreach(json_object_get(document, "sections"), s, section) {
        at.section = report_string(section, "id");
        json_array_foreach(json_object_get(section, "figures"), i, item) {
            at.item = report_string(item, "id");
            print_figure(&at, item);
        }
        json_array_foreach(json_object_get(section, "tables"), i, item) {
            at.item = report_string(item, "id");
            print_table(&at, item);
        }
    }
    return ferror(out) ? error_set(err, ERR_IO, "writing the report failed") : 0;
}
