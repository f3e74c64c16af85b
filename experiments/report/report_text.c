/* The report for a terminal: wrapped text, tables that fit its width, figures as characters. Colours only where they
 * are wanted. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/terms.h"
#include "poise/text.h"

enum { COLUMNS_MAX = 64, ROWS_SHOWN_MAX = 40, CELL_MAX = 34 };

/* ---- characters ---- */

/* Columns that UTF-8 text takes: code points; control characters are printed as '?'. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* At most `most` columns, with an ellipsis where cut; control characters must not reach a terminal. Returns the
 * columns printed. */
static size_t print_clipped(const char *text, size_t most, FILE *out)
{
    const size_t whole = width_of(text), keep = whole > most ? most - 1 : whole;
    size_t n = 0;
    for (; *text && (n < keep || ((unsigned char)*text & 0xc0) == 0x80); text++) {
        const size_t control = text_control(text);
        n += ((unsigned char)*text & 0xc0) != 0x80;
        if (n > keep) break;
        fputc(control ? '?' : *text, out);
        if (control) text += control - 1;
    }
    if (whole > most) fputs("\u2026", out), n = most;
    return n;
}

static void print_padded(const char *text, size_t width, bool is_right, FILE *out)
{
    const size_t n = width_of(text) < width ? width_of(text) : width;
    if (is_right) fprintf(out, "%*s", (int)(width - n), "");
    print_clipped(text, width, out);
    if (!is_right) fprintf(out, "%*s", (int)(width - n), "");
}

static void print_wrapped(const char *text, const char *indent, const struct report_style *style, FILE *out)
{
    const size_t most = style->width - width_of(indent);
    size_t column = 0;
    while (*text) {
        const size_t word = strcspn(text, " \n");
        const size_t gap = column ? 1 : 0;
        if (column && column + gap + word > most) fputc('\n', out), column = 0;
        if (column == 0) fputs(indent, out);
        else fputc(' ', out);
        for (size_t i = 0, control; i < word; i += control ? control : 1) {
            control = text_control(text + i);
            fputc(control ? '?' : text[i], out);
        }
        column += (column ? 1 : 0) + word;
        text += word;
        if (*text == '\n') fputc('\n', out), column = 0;
        if (*text) text++;
    }
    if (column) fputc('\n', out);
}

static void print_heading(const char *text, char line, const struct report_style *style, FILE *out)
{
    if (style->has_colour) fputs("\033[1m", out);
    const size_t n = print_clipped(text, style->width, out);
    if (style->has_colour) fputs("\033[0m", out);
    fputc('\n', out);
    for (size_t i = 0; line && i < n; i++) fputc(line, out);
    if (line) fputc('\n', out);
}

/* ---- tables ---- */

static const char *cell_text(const json_t *cell, const char *kind, char *text, size_t size)
{
    if (json_is_string(cell)) return json_string_value(cell);
    return report_format(kind, report_value(cell), text, size);
}

static bool is_number(const json_t *column) { return strcmp(report_string(column, "kind"), "text") != 0; }

static size_t column_widths(const json_t *table, size_t *widths, size_t rows_shown)
{
    const json_t *columns = json_object_get(table, "columns"), *row, *column;
    size_t n = json_array_size(columns), i, r;
    char text[40];
    if (n > COLUMNS_MAX) n = COLUMNS_MAX;
    json_array_foreach(columns, i, column)
        if (i < n) widths[i] = width_of(report_string(column, "name"));
    json_array_foreach(json_object_get(table, "rows"), r, row)
        for (i = 0; i < n && r < rows_shown; i++) {
            const size_t w = width_of(cell_text(json_array_get(row, i),
                                                report_string(json_array_get(columns, i), "kind"), text, sizeof text));
            if (w > widths[i]) widths[i] = w;
        }
    for (i = 0; i < n; i++)
        if (widths[i] > CELL_MAX) widths[i] = CELL_MAX;
    return n;
}

/* Does any row say anything in it? A sweep has no prediction, and most have no error. */
static bool is_used(const json_t *rows, size_t column)
{
    const json_t *row, *cell;
    size_t r;
    json_array_foreach(rows, r, row) {
        cell = json_array_get(row, column);
        if (json_is_string(cell) ? *json_string_value(cell) != '\0' : !json_is_null(cell) && cell) return true;
    }
    return column == 0;
}

/* The table without columns that are empty; the caller's. */
static json_t *used_columns(const json_t *table)
{
    const json_t *columns = json_object_get(table, "columns"), *rows = json_object_get(table, "rows"), *row;
    json_t *used = json_pack("{s:s,s:[],s:[]}", "title", report_string(table, "title"), "columns", "rows");
    size_t r;
    json_array_foreach(rows, r, row) json_array_append_new(json_object_get(used, "rows"), json_array());
    for (size_t i = 0; i < json_array_size(columns); i++) {
        if (!is_used(rows, i)) continue;
        json_array_append(json_object_get(used, "columns"), json_array_get(columns, i));
        json_array_foreach(rows, r, row)
            json_array_append(json_array_get(json_object_get(used, "rows"), r), json_array_get(row, i));
    }
    return used;
}

/* What tells rows apart in a block from column `first` on: the texts at the beginning, as far as they leave room. */
static size_t leading_texts(const json_t *columns, const size_t *widths, size_t first, const struct report_style *style)
{
    size_t k = 1, total = 2 + widths[0];
    while (k < first && !is_number(json_array_get(columns, k)) && total + 2 + widths[k] <= style->width * 3 / 5 &&
           total + 4 + widths[k] + widths[first] <= style->width)
        total += 2 + widths[k++];
    return k;
}

/* Columns that do not fit go to further blocks, each of which repeats the texts at the beginning. */
static void print_table(const json_t *table, const struct report_style *style, FILE *out)
{
    const json_t *columns = json_object_get(table, "columns"), *rows = json_object_get(table, "rows"), *row;
    size_t widths[COLUMNS_MAX], r,
        next = 1, shown = json_array_size(rows) > ROWS_SHOWN_MAX ? ROWS_SHOWN_MAX : json_array_size(rows);
    const size_t n = column_widths(table, widths, shown);
    char text[40];
    if (n == 0 || shown == 0) return;
    print_heading(report_string(table, "title"), 0, style, out);
    do {
        const size_t first = next, repeated = first < n ? leading_texts(columns, widths, first, style) : 1;
        size_t total = 0;
        for (size_t i = 0; i < repeated; i++) total += 2 + widths[i];
        while (next < n && (next == first || total + 2 + widths[next] <= style->width)) total += 2 + widths[next++];
        for (size_t line = 0; line <= shown; line++) {
            row = line ? json_array_get(rows, line - 1) : NULL;
            fputs("  ", out);
            for (size_t i = 0; i < next; i = i + 1 == repeated ? first : i + 1) {
                const json_t *column = json_array_get(columns, i);
                if (i) fputs("  ", out);
                print_padded(row ? cell_text(json_array_get(row, i), report_string(column, "kind"), text, sizeof text)
                                 : report_string(column, "name"),
                             widths[i], is_number(column), out);
            }
            fputc('\n', out);
        }
        if (next < n) fputc('\n', out);
    } while (next < n);
    r = json_array_size(rows);
    if (r > shown) fprintf(out, "  ... %zu more rows: --format csv has all\n", r - shown);
    fputc('\n', out);
}

/* ---- document ---- */

static void print_summary(const json_t *document, const struct report_style *style, FILE *out)
{
    const json_t *card, *finding;
    size_t i;
    print_heading(report_string(document, "title"), '=', style, out);
    json_array_foreach(json_object_get(document, "headline"), i, card) {
        fputs("  ", out);
        print_padded(report_string(card, "label"), 24, false, out);
        print_padded(report_string(card, "value"), 12, true, out);
        fputs("  ", out);
        print_clipped(report_string(card, "detail"), style->width > 42 ? style->width - 40 : 2, out);
        fputc('\n', out);
    }
    fputc('\n', out);
    json_array_foreach(json_object_get(document, "findings"), i, finding)
        print_wrapped(json_string_value(finding) ? json_string_value(finding) : "", "  ", style, out);
}

static void print_section(const json_t *section, const struct report_style *style, FILE *out)
{
    const json_t *item;
    size_t i;
    char title[400];
    const char *source = report_string(section, "source");
    snprintf(title, sizeof title, "%.200s%s%.180s", report_string(section, "title"), *source ? ": " : "", source);
    fputc('\n', out);
    print_heading(title, '-', style, out);
    print_wrapped(report_string(section, "text"), "", style, out);
    fputc('\n', out);
    const json_t *figures = json_object_get(section, "figures");
    for (i = 0; i < json_array_size(figures);) {
        item = json_array_get(figures, i);
        if (strcmp(report_string(item, "kind"), "heat") == 0) {
            i += report_text_maps(figures, i, style, out);
            continue;
        }
        print_heading(report_string(item, "title"), 0, style, out);
        report_text_figure(item, style, out);
        print_wrapped(report_string(item, "caption"), "  ", style, out);
        fputc('\n', out);
        i++;
    }
    if (strcmp(report_string(section, "id"), "terms") == 0)
        terms_print(out, style->width); /* too long for a table's cells */
    else
        json_array_foreach(json_object_get(section, "tables"), i, item) {
            json_t *table = used_columns(item);
            print_table(table, style, out);
            json_decref(table);
        }
    json_array_foreach(json_object_get(section, "notes"), i, item)
        print_wrapped(json_string_value(item) ? json_string_value(item) : "", "  ", style, out);
}

int report_text(const json_t *document, const struct report_style *style, FILE *out, struct error *err)
{
    const json_t *section;
    size_t i;
    print_summary(document, style, out);
    json_array_foreach(json_object_get(document, "sections"), i, section) print_section(section, style, out);
    return ferror(out) ? error_set(err, ERR_IO, "writing the report failed") : 0;
}
