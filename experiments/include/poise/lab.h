/* What every output of the lab starts with. */
#ifndef POISE_LAB_H
#define POISE_LAB_H
#include <stdio.h>
#include "poise/error.h"
struct json_t;

/* POISE_VERSION comes from the build. */
struct json_t *lab_json(void); /* {schema, version, model_version} */
/* A double that prints the same everywhere and reads well: 12 significant digits. "inf" and "nan" as strings. */
struct json_t *json_figure(double value);
struct json_t *json_or_null(double value);      /* the number; null where it is none or infinite */
struct json_t *json_any_text(const char *text); /* text from anywhere: bytes that are no UTF-8 become '?' */
/* One line: what was called `was` is called `is` now, and how long the old name is read. Into NULL nothing is said. */
void lab_note_old(FILE *out, const char *was, const char *is);
/* {"error": {code, file, line, byte, message, hint}} */
struct json_t *error_json(const struct error *err);
#endif
