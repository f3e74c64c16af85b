/* Whole files: read into memory, write under a temporary name and rename. */
#ifndef POISE_FILE_H
#define POISE_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"
struct json_t;

/* For reading; a file descriptor, or -1. What is no regular file is refused before it is opened: opening a pipe waits
 * for whoever writes to it, and a device may do anything. */
int file_open(const char *path, struct error *err);
/* Fails as file_open() does, but not where there is nothing of that name. */
int file_check_regular(const char *path, struct error *err);
/* *out is malloc'd, *size bytes, with a NUL after the last. */
int file_read(char **out, size_t *size, const char *path, struct error *err);
/* The same, parsed; the caller's to json_decref(). NULL with an error that says where. */
struct json_t *file_read_json(const char *path, struct error *err);
/* Whether both paths lead to one file, by whatever names; false where one of them is not there. */
bool file_is_same(const char *a, const char *b);
/* The first program of this name, which has no slash, in the folders of PATH; false: there is none. */
bool file_in_path(char *out, size_t size, const char *name);
/* Where to write what becomes the file `path`: a temporary file beside it, or beside what it is a link to; a device or
 * a pipe itself. A folder is an error. */
struct file_target {
    char path[4096]; /* open this, write all, close it; then call file_target_end() */
    char end[4096];  /* what it becomes */
    bool is_direct;  /* the device itself: nothing is renamed */
};
int file_target(struct file_target *out, const char *path, struct error *err);
/* `why` 0: all was written, and the file takes its name; else an errno, and nothing is left of it. */
int file_target_end(const struct file_target *target, int why, const char *path, struct error *err);
/* The file appears complete or not at all. */
int file_write(const char *path, const void *data, size_t size, struct error *err);
/* Closes a stream of open_memstream() and writes its text, which it frees. A text that is cut off for want of memory is
 * not written. */
int file_write_stream(const char *path, FILE *stream, char **text, const size_t *size, struct error *err);
int file_make_folders(const char *path, struct error *err); /* mkdir -p */
#endif
