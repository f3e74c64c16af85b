/* Errors of files of models, which are JSON: the place is a key. */
#ifndef POISE_MODEL_ERROR_H
#define POISE_MODEL_ERROR_H
#include "poise/error.h"

/* Fails with "FILE: KEY: what is wrong" and a hint what to do; returns -1. */
int model_error(struct error *err, const char *file, const char *key, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
#endif
