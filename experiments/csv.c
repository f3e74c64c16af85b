#include "poise/csv.h"

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

const char *number_text(double value, char *text, size_t size)
{
    if (isnan(value)) snprintf(text, size, "nan");
    else if (isinf(value)) snprintf(text, size, value < 0 ? "-inf" : "inf");
    else
        for (int digits = 1; digits <= 17; digits++) {
            snprintf(text, size, "%.*g", digits, value);
            if (strtod(text, NULL) == value) break;
        }
    return text;
}
