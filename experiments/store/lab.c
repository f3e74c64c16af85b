#include "poise/lab.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
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

json_t *error_json(const struct error *err)
{
    return json_pack("{s:{s:s,s:s,s:I,s:I,s:s,s:s}}", "error", "code", error_name(err->code), "file", err->file, "line",
                     (json_int_t)err->line, "byte", (json_int_t)err->byte, "message", err->text, "hint", err->hint);
}
