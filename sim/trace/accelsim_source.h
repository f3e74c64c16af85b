/* Lines of text from a file, an .xz file or memory, through one window. */
#ifndef ACCELSIM_SOURCE_H
#define ACCELSIM_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"

struct xz_state;
struct text_source {
    const char *name;
    int fd; /* -1: memory */
    const char *memory;
    size_t memory_left;
    struct xz_state *xz; /* NULL: not compressed */
    char *window;
    size_t capacity, begin, end, max_line_bytes;
    long line; /* of the line returned last, 1-based */
    bool is_drained;
    bool has_newline; /* of the line returned last */
};
int source_open(struct text_source *s, const char *path, size_t max_line_bytes, struct error *err);
int source_open_memory(struct text_source *s, const char *name, const void *data, size_t size, size_t max_line_bytes,
                       struct error *err);
void source_close(struct text_source *s);
/* 1 and the line, without its newline and ended by NUL; 0 at the end; -1 on error. The line is good until the next
 * call. */
int source_line(struct text_source *s, char **line, size_t *length, struct error *err);
/* An error at the current line. */
int source_bad(const struct text_source *s, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool has_ending(const char *path, const char *ending);
/* A whole file, decompressed if it ends in .xz; at most max_bytes. *out is malloc'd. */
int source_read_all(char **out, size_t *size, const char *path, size_t max_bytes, struct error *err);
#endif
