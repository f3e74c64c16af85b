#include "poise/csv.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Decimal, whole: what a spreadsheet takes as a number and our reader as well. */
static bool is_number(const char *text)
{
    char *end;
    if (strpbrk(text, "xX(") || isspace((unsigned char)*text)) return false;
    strtod(text, &end);
    return end != text && *end == '\0';
}

/* Apostrophes in front of what a spreadsheet would take as a formula are part of the same form, so that taking one off
 * always gives back the text. */
static bool is_formula(const char *text)
{
    const char *first = text + strspn(text, "'");
    return *first && strchr("=+-@\t\r", *first) && !(first == text && is_number(text));
}

void csv_print(FILE *out, const char *text)
{
    const size_t n = strlen(text);
    const bool has_mark = is_formula(text), has_blank = n && (text[0] == ' ' || text[n - 1] == ' ');
    if (!has_mark && !has_blank && !strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    if (has_mark) fputc('\'', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

void csv_next(FILE *out, const char *text)
{
    fputc(',', out);
    csv_print(out, text);
}

char *csv_unprotect(char *text)
{
    if (text[0] == '\'' && is_formula(text + 1)) memmove(text, text + 1, strlen(text));
    return text;
}

/* Digits of a number as %g wrote it, without zeros at either end. */
static int significant_digits(const char *text)
{
    int n = 0, zeros = 0;
    for (const char *c = text; *c && *c != 'e'; c++) {
        if (*c < '0' || *c > '9') continue;
        zeros = *c == '0' ? zeros + 1 : 0;
        n += n > 0 || *c != '0';
    }
    return n > zeros ? n - zeros : 1;
}

/* The least number of digits that may do. What up to DBL_DIG digits say comes back from a double as it was, so so
 * many show whether fewer do, but not of subnormal ones. */
static int least_digits(double value, char *text, size_t size)
{
    if (!isnormal(value)) return 1;
    snprintf(text, size, "%.*g", DBL_DIG, value);
    return strtod(text, NULL) == value ? significant_digits(text) : DBL_DIG + 1;
}

const char *number_text(double value, char *text, size_t size)
{
    if (isnan(value)) snprintf(text, size, "nan");
    else if (isinf(value)) snprintf(text, size, value < 0 ? "-inf" : "inf");
    else if (value == trunc(value) && fabs(value) < 1e15) snprintf(text, size, "%.0f", value + 0.0); /* -0 is 0 */
    else
        for (int digits = least_digits(value, text, size); digits <= 17; digits++) {
            snprintf(text, size, "%.*g", digits, value);
            if (strtod(text, NULL) == value) break;
        }
    return text;
}
