#include "poise/lab.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/gpu.h"
#include "poise/say.h"

json_t *lab_json(void)
{
    return json_pack("{s:i,s:s,s:i}", "schema", 1, "version", POISE_VERSION, "model_version", SIM_MODEL_VERSION);
}

void lab_note_old(FILE *out, const char *was, const char *is)
{
    enum { UNTIL = 5 }; /* two simulation models after the one of the new names */
    say_note(out, "'%s' is called '%s' now; the old name is read until simulation model %d", was, is, UNTIL);
}

json_t *json_figure(double value)
{
    char text[40];
    if (isnan(value)) return json_string("nan");
    if (isinf(value)) return json_string(value < 0 ? "-inf" : "inf");
    snprintf(text, sizeof text, "%.12g", value);
    return json_real(strtod(text, NULL));
}

json_t *json_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *json_any_text(const char *text)
{
    json_t *json = json_string(text);
    if (json || !text) return json;
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c >= 128) *c = '?';
    json = json_string(copy);
    free(copy);
    return json;
}

json_t *error_json(const struct error *err)
{
    return json_pack("{s:{s:s,s:o,s:I,s:I,s:o,s:o}}", "error", "code", error_name(err->code), "file",
                     json_any_text(err->file), "line", (json_int_t)err->line, "byte", (json_int_t)err->byte, "message",
                     json_any_text(err->text), "hint", json_any_text(err->hint));
}
