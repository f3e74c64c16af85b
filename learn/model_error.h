/* Errors of files of models, which are JSON: the place is a key. */
#ifndef POISE_MODEL_ERROR_H
#define POISE_MODEL_ERROR_H
#include <stddef.h>
#include "poise/error.h"
struct json_t;

/* Fails with "FILE: KEY: what is wrong" and a hint what to do; returns -1. */
int model_error(struct error *err, const char *file, const char *key, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The JSON of a file's text, a new reference; NULL with an error that names line and column, or says that a text in it
 * has a control character. */
struct json_t *model_json_load(const char *file, const char *text, size_t size, const char *hint, struct error *err);
/* The text of a file: compact, numbers as they were, a line's end. Takes `root`; NULL when out of memory. */
char *model_json_text(struct json_t *root, const char *file, struct error *err);
/* Where a file is of another kind than `wanted` ("model", "response"), as its text or its JSON shows: fails with what
 * it is. 0: nothing is known against it. */
int model_other_text(struct error *err, const char *file, const char *text, size_t size, const char *wanted);
int model_other_json(struct error *err, const char *file, const struct json_t *root, const char *wanted);
#endif
