/* What the rows of the mapping do with options: read them, set parameters, say so, refuse. */
#include "config/config_gpgpusim.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *option_value(const struct importing *im, const char *name, const char *otherwise)
{
    for (size_t i = im->n; i-- > 0;)
        if (strcmp(im->options[i].name, name) == 0) return im->options[i].value;
    return otherwise;
}

double option_number(const struct importing *im, const char *name, double otherwise)
{
    const char *text = option_value(im, name, NULL);
    char *end;
    const double v = text ? strtod(text, &end) : 0;
    return text && end != text && v >= 0 && v < 1e12 ? v : otherwise;
}

void remark(struct importing *im, const char *format, ...)
{
    const size_t n = strlen(im->text);
    va_list list;
    va_start(list, format);
    if (n + 3 < sizeof im->text) {
        snprintf(im->text + n, sizeof im->text - n, "%s", n ? "; " : "");
        vsnprintf(im->text + strlen(im->text), sizeof im->text - strlen(im->text), format, list);
    }
    va_end(list);
}

int refuse(struct importing *im, const char *format, ...)
{
    char what[400];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    error_set(im->err, ERR_INPUT, "%s:%ld: -%s %.100s: %s", im->now->file, im->now->line, im->now->name, im->now->value,
              what);
    return error_at(im->err, im->now->file, im->now->line, -1, NULL);
}

int put_text(struct importing *im, const char *parameter, const char *value)
{
    struct error why = {0};
    const size_t n = strlen(im->text);
    if (gpu_params_set(im->params, parameter, value, &why) < 0) return refuse(im, "%s", why.text);
    if (n + 3 < sizeof im->text)
        snprintf(im->text + n, sizeof im->text - n, "%s%s = %s", n ? ", " : "", parameter, value);
    im->is_mapped = true;
    return 0;
}

int put(struct importing *im, const char *parameter, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return put_text(im, parameter, text);
}
