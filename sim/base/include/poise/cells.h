/* Lines of cells, as our own tables are written: commas between, quotes where csv_print() puts them. Reads them one by
 * one and says what is wrong where. */
#ifndef POISE_CELLS_H
#define POISE_CELLS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"

struct cells {
    const char *name, *at, *end; /* the file, and what is left of its text */
    const char *hint;            /* for all of its errors */
    long line;
    size_t column;  /* from 1; 0: the whole line is meant */
    char cell[600]; /* the current one, without blanks behind it */
    struct error *err;
};

/* Each returns -1 where something is wrong. "FILE:LINE: column K: ..." */
int cells_bad(struct cells *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text up to `stop` or the line's end. */
int cells_take(struct cells *c, char stop);
/* The line's next cell; `is_last` says whether the line ends behind it: a wrong count is an error here. */
int cells_next(struct cells *c, bool is_last);
/* Of a cell or a part of one: 1 to size - 1 bytes; a whole number. */
int cells_copy(struct cells *c, char *out, size_t size, const char *text);
int cells_whole(struct cells *c, const char *text, uint64_t least, uint64_t most, uint64_t *out);
#endif
