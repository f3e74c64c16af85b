/* What the rows of the mapping do with options: read them, set parameters, say so, refuse. */
#include "config/config_gpgpusim.h"

#include <stdarg.h>
#include <stdio.h>
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
    return text ? strtod(text, NULL) : otherwise; /* option_check() has let only numbers through */
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
    const struct option *o = im->now;
    va_list list;
    va_start(list, format);
    vsnprintf(im->why, sizeof im->why, format, list);
    va_end(list);
    if (o->is_absent)
        error_set(im->err, ERR_INPUT, "%s: -%s is missing, and the other simulator's default is '%s': %s", o->file,
                  o->name, o->value, im->why);
    else
        error_set(im->err, ERR_INPUT, "%s:%ld: -%s%s%.100s: %s", o->file, o->line, o->name, *o->value ? " " : "",
                  o->value, im->why);
    return error_at(im->err, o->file, o->line, -1, LENIENT_HINT);
}

int numbers_then(struct importing *im, const char *value, double out[LIST_MAX], int needed, const char **rest)
{
    const char *at = value;
    int n = 0;
    for (; n < LIST_MAX && *at >= '0' && *at <= '9'; at++) {
        char *end;
        out[n++] = strtod(at, &end);
        at = end;
        if (*at != ',' && *at != ':') break;
    }
    if (rest) *rest = at;
    return n >= needed && (rest || *at == '\0') ? n : refuse(im, "%d numbers are needed", needed);
}

int numbers(struct importing *im, const char *value, double out[LIST_MAX], int needed)
{
    return numbers_then(im, value, out, needed, NULL);
}

int refuse_beyond(struct importing *im, const char *value, int most)
{
    return strtod(value, NULL) > most ? refuse(im, "0 to %d are the values there", most) : 0;
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
