/* poise model show, check and export of files of response surfaces (poise/response_model.h). Internal to the program.
 *  */
#ifndef MODEL_RESPONSE_H
#define MODEL_RESPONSE_H
#include <stdbool.h>
#include <stdio.h>
#include "poise/error.h"

/* An object of a model file, a line a key, for people; nothing for NULL. */
struct json_t;
void model_print_object(const char *title, const struct json_t *object);
/* "predictor", "response": what a file says of itself. False for what cannot be read: the reader of models says why. */
bool model_file_is(const char *path, const char *kind);
bool response_file_is(const char *path); /* "response", or with a note its old name, "surface" */
int response_file_show(const char *path, bool is_json, struct error *err);
int response_file_check(const char *path, bool is_json, struct error *err);
int response_file_export(const char *path, FILE *out, struct error *err);
#endif
