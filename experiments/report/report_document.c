/* The document's parts: sections, figures, tables and numbers that print the same everywhere. */
#include "report/report_internal.h"
#include "poise/kernel_name.h"
#include "poise/lab.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

json_t *report_number(double value)
{
    char text[40];
    if (!isfinite(value)) return json_null();
    if (value == trunc(value) && fabs(value) < 1e15)
        return json_integer((json_int_t)value); /* counts keep all their digits */
    snprintf(text, sizeof text, "%.6g", value);
    return json_real(strtod(text, NULL));
}

double report_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return n ? sum / (double)n : NAN;
}

double report_deviation_of(const double *x, size_t n)
{
    const double mean = report_mean(x, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

void report_print_escaped(const char *text, FILE *out)
{
    for (; *text; text++) switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            /* XML has no other control characters */
            if ((unsigned char)*text >= 32 || *text == '\n') fputc(*text, out);
        }
}

json_t *report_numbers(const double *values, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, report_number(values[i]));
    return list;
}

double report_value(const json_t *number)
{
    if (json_is_number(number)) return json_number_value(number);
    if (json_is_string(number) && strcmp(json_string_value(number), "inf") == 0) return INFINITY;
    return NAN;
}

double report_get(const json_t *object, const char *key) { return report_value(json_object_get(object, key)); }

const char *report_string(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

const char *report_slug(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++) {
        if (isalnum((unsigned char)*text) && (unsigned char)*text < 128) out[n++] = (char)tolower((unsigned char)*text);
        else if (n && out[n - 1] != '-') out[n++] = '-';
    }
    while (n && out[n - 1] == '-') n--;
    out[n] = '\0';
    if (n == 0) snprintf(out, size, "x");
    return out;
}

static json_t *format_text(const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0) return NULL;
    json_t *json = json_any_text(text);
    free(text);
    return json;
}

/* The list of that name, made where it is not there yet. */
static json_t *list_of(json_t *object, const char *key)
{
    json_t *list = json_object_get(object, key);
    if (list) return list;
    json_object_set_new(object, key, json_array());
    return json_object_get(object, key);
}

static json_t *append(json_t *object, const char *key, json_t *item)
{
    return json_array_append_new(list_of(object, key), item) == 0 ? item : NULL;
}

json_t *report_section(json_t *document, const char *id, const char *title, const char *source, const char *text)
{
    json_t *section = json_object();
    json_object_set_new(section, "id", json_string(id));
    json_object_set_new(section, "title", json_any_text(title));
    json_object_set_new(section, "source", json_any_text(source));
    json_object_set_new(section, "text", json_any_text(text));
    return append(document, "sections", section);
}

void report_note(json_t *section, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(section, "notes", format_text(format, args));
    va_end(args);
}

json_t *report_figure(json_t *section, const char *kind, const char *id, const char *title, const char *caption)
{
    json_t *figure = json_object();
    json_object_set_new(figure, "id", json_string(id));
    json_object_set_new(figure, "kind", json_string(kind));
    json_object_set_new(figure, "title", json_any_text(title));
    json_object_set_new(figure, "caption", json_any_text(caption));
    return append(section, "figures", figure);
}

void report_axis(json_t *figure, const char *axis, const char *label, const char *format)
{
    json_object_set_new(figure, axis, json_pack("{s:o,s:s}", "label", json_any_text(label), "format", format));
}

void report_series(json_t *figure, const char *name, json_t *values)
{
    append(figure, "series", json_pack("{s:o,s:o}", "name", json_any_text(name), "values", values));
}

json_t *report_last_series(json_t *figure)
{
    json_t *series = json_object_get(figure, "series");
    return json_array_get(series, json_array_size(series) - 1);
}

void report_intervals(json_t *figure, json_t *low, json_t *high)
{
    json_object_set_new(report_last_series(figure), "low", low);
    json_object_set_new(report_last_series(figure), "high", high);
}

json_t *report_scatter(json_t *section, const char *id, const char *title, const char *caption, const char *x,
                       const char *y, const char *format)
{
    static const char *const columns[] = {"px", "py", "groups", "labels"};
    json_t *figure = report_figure(section, "scatter", id, title, caption);
    report_axis(figure, "x", x, format);
    report_axis(figure, "y", y, format);
    for (size_t i = 0; i < COUNT_OF(columns); i++) json_object_set_new(figure, columns[i], json_array());
    return figure;
}

void report_dot(json_t *figure, double x, double y, const char *group, const char *label)
{
    if (!isfinite(x) || !isfinite(y)) return;
    json_array_append_new(json_object_get(figure, "px"), report_number(x));
    json_array_append_new(json_object_get(figure, "py"), report_number(y));
    json_array_append_new(json_object_get(figure, "groups"), json_any_text(group));
    json_array_append_new(json_object_get(figure, "labels"), json_any_text(label));
}

json_t *report_table(json_t *section, const char *id, const char *title)
{
    json_t *table = json_object();
    json_object_set_new(table, "id", json_string(id));
    json_object_set_new(table, "title", json_any_text(title));
    json_object_set_new(table, "columns", json_array());
    json_object_set_new(table, "rows", json_array());
    return append(section, "tables", table);
}

void report_column(json_t *table, const char *name, const char *kind)
{
    append(table, "columns", json_pack("{s:o,s:s}", "name", json_any_text(name), "kind", kind));
}

json_t *report_row(json_t *table) { return append(table, "rows", json_array()); }

void report_cell(json_t *row, double value)
{
    json_array_append_new(row, isinf(value) ? json_string(value > 0 ? "inf" : "-inf") : report_number(value));
}

void report_cell_text(json_t *row, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_array_append_new(row, format_text(format, args));
    va_end(args);
}

void report_finding(json_t *document, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(document, "findings", format_text(format, args));
    va_end(args);
}

void report_headline(json_t *document, const char *label, const char *value, const char *detail, const char *role)
{
    append(document, "headline",
           json_pack("{s:o,s:o,s:o,s:s}", "label", json_any_text(label), "value", json_any_text(value), "detail",
                     json_any_text(detail), "role", role));
}

const char *report_format(const char *format, double value, char *text, size_t size)
{
    if (isnan(value)) snprintf(text, size, "%s", "");
    else if (isinf(value)) snprintf(text, size, "%s", value > 0 ? "inf" : "-inf");
    else if (strcmp(format, "percent") == 0) snprintf(text, size, "%.1f %%", 100 * value);
    else if (strcmp(format, "ratio") == 0) snprintf(text, size, "%.*f", fabs(value) < 10 ? 3 : 1, value);
    else if (strcmp(format, "whole") == 0) snprintf(text, size, "%.0f", value);
    else snprintf(text, size, "%.4g", value);
    return text;
}

/* ---- finishing: what every figure has, whoever made it ---- */

static size_t count(const json_t *object, const char *key) { return json_array_size(json_object_get(object, key)); }

/* The largest value and where it is, for figures of categories; enough for somebody who cannot see the figure to
 * know what it says. */
static void alt_of_bars(const json_t *figure, char *text, size_t size)
{
    const json_t *categories = json_object_get(figure, "categories"), *series;
    const char *format = report_string(json_object_get(figure, "y"), "format");
    size_t s, used = 0;
    json_array_foreach(json_object_get(figure, "series"), s, series) {
        const json_t *values = json_object_get(series, "values"), *value;
        double low = INFINITY, high = -INFINITY;
        size_t i, least = 0, most = 0;
        char a[40], b[40];
        json_array_foreach(values, i, value) {
            const double v = report_value(value);
            if (v < low) low = v, least = i;
            if (v > high) high = v, most = i;
        }
        if (!(low <= high) || used + 200 > size) continue;
        const char *least_name = json_string_value(json_array_get(categories, least)),
                   *most_name = json_string_value(json_array_get(categories, most));
        used += (size_t)snprintf(text + used, size - used, " %.40s: from %s (%.40s) to %s (%.40s).",
                                 report_string(series, "name"), report_format(format, low, a, sizeof a),
                                 least_name ? least_name : "", report_format(format, high, b, sizeof b),
                                 most_name ? most_name : "");
    }
}

static json_t *alt_text(const json_t *figure)
{
    char detail[1600] = "";
    const char *kind = report_string(figure, "kind");
    char *text = NULL;
    if (strcmp(kind, "bars") == 0 || strcmp(kind, "stack") == 0) alt_of_bars(figure, detail, sizeof detail);
    else if (strcmp(kind, "heat") == 0)
        snprintf(detail, sizeof detail, " %zu points, %zu marks.", count(figure, "v"), count(figure, "marks"));
    else if (strcmp(kind, "matrix") == 0)
        snprintf(detail, sizeof detail, " %zu rows, %zu columns.", count(figure, "rows"), count(figure, "columns"));
    else if (strcmp(kind, "points") == 0) snprintf(detail, sizeof detail, " %zu values.", count(figure, "labels"));
    else if (strcmp(kind, "scatter") == 0) snprintf(detail, sizeof detail, " %zu points.", count(figure, "px"));
    else if (strcmp(kind, "parallel") == 0)
        snprintf(detail, sizeof detail, " %zu lines through %zu axes.", count(figure, "values"), count(figure, "axes"));
    else if (strcmp(kind, "line") == 0) snprintf(detail, sizeof detail, " %zu curves.", count(figure, "series"));
    if (asprintf(&text, "%s.%s %s", report_string(figure, "title"), detail, report_string(figure, "caption")) < 0)
        return NULL;
    json_t *alt = json_any_text(text);
    free(text);
    return alt;
}

static void make_unique(json_t *seen, json_t *item)
{
    char id[200];
    const char *wanted = report_string(item, "id");
    snprintf(id, sizeof id, "%.180s", wanted);
    for (int i = 2; json_object_get(seen, id); i++) snprintf(id, sizeof id, "%.180s-%d", wanted, i);
    json_object_set_new(seen, id, json_true());
    json_object_set_new(item, "id", json_string(id));
}

/* Results that lack what a figure draws leave it empty. */
static bool is_empty(const json_t *figure)
{
    static const char *const data[] = {"series", "v", "px", "values", "counts"};
    for (size_t i = 0; i < COUNT_OF(data); i++)
        if (count(figure, data[i])) return false;
    return true;
}

/* A figure of differences whose intervals all include zero shows nothing by itself, and says so. */
static bool all_include_zero(const json_t *figure)
{
    const json_t *series = json_array_get(json_object_get(figure, "series"), 0), *low = json_object_get(series, "low"),
                 *value;
    const json_t *high = json_object_get(series, "high");
    size_t i, n = 0;
    if (strcmp(report_string(figure, "kind"), "points") != 0 || report_get(figure, "reference") != 0) return false;
    json_array_foreach(low, i, value) {
        const double a = report_value(value), b = report_value(json_array_get(high, i));
        if (isnan(a) || isnan(b)) continue;
        if (!(a <= 0 && b >= 0)) return false;
        n++;
    }
    return n > 0;
}

static void say_zero(json_t *document, json_t *figure)
{
    if (!all_include_zero(figure)) return;
    char *text = NULL;
    if (asprintf(&text, "%s Every interval includes zero: these data do not show the sign of any of them.",
                 report_string(figure, "caption")) < 0)
        return;
    json_object_set_new(figure, "caption", json_any_text(text));
    free(text);
    report_finding(document,
                   "%s: every interval includes zero, so these data do not show the sign of any of them; more rows, or "
                   "fewer features, may show it.",
                   report_string(figure, "title"));
}

/* Kernels by their source's names, wherever a text has a symbol. */
static void name_kernels(json_t *value)
{
    json_t *item;
    const char *key;
    size_t i;
    char shown[4000];
    if (json_is_object(value)) {
        json_object_foreach(value, key, item) name_kernels(item);
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, item) name_kernels(item);
    } else if (json_is_string(value) && json_string_length(value) < 1000 && strstr(json_string_value(value), "_Z")) {
        json_string_set(value, kernel_shown(json_string_value(value), shown, sizeof shown));
    }
}

void report_finish(json_t *document)
{
    json_t *seen = json_object(), *section, *item;
    size_t s, i;
    json_int_t number = 0;
    json_array_foreach(json_object_get(document, "sections"), s, section) {
        make_unique(seen, section);
        json_array_foreach(json_object_get(section, "figures"), i, item) {
            if (is_empty(item)) {
                json_array_remove(json_object_get(section, "figures"), i--);
                continue;
            }
            make_unique(seen, item);
            say_zero(document, item);
            json_object_set_new(item, "number", json_integer(++number));
            if (!json_object_get(item, "alt")) json_object_set_new(item, "alt", alt_text(item));
        }
        json_array_foreach(json_object_get(section, "tables"), i, item) make_unique(seen, item);
    }
    json_decref(seen);
    name_kernels(document);
}

json_t *report_open(const struct report_context *c, const char *id, const char *title, const char *text)
{
    char slug[80], full[160];
    if (c->is_alone) return report_section(c->document, id, title, "", text);
    snprintf(full, sizeof full, "%s-%s", report_slug(c->input->name, slug, sizeof slug), id);
    return report_section(c->document, full, title, c->input->name, text);
}
