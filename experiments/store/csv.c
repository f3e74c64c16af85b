#include "poise/csv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void csv_print(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
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
