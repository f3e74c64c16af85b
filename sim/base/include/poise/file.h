/* Whole files: read into memory, write under a temporary name and rename. */
#ifndef POISE_FILE_H
#define POISE_FILE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"

/* *out is malloc'd, *size bytes, with a NUL after the last. */
int file_read(char **out, size_t *size, const char *path, struct error *err);
/* The file appears complete or not at all. */
int file_write(const char *path, const void *data, size_t size, struct error *err);
/* Closes a stream of open_memstream() and writes its text, which it frees. A text that is cut off for want of memory is
 * not written. */
int file_write_stream(const char *path, FILE *stream, char **text, const size_t *size, struct error *err);
int file_make_folders(const char *path, struct error *err); /* mkdir -p */
#endif
