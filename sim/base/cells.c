#include "poise/cells.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/number.h"

int cells_bad(struct cells *c, const char *format, ...)
{
    char text[384];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (c->column) error_set(c->err, ERR_INPUT, "%s:%ld: column %zu: %s", c->name, c->line, c->column, text);
    else error_set(c->err, ERR_INPUT, "%s:%ld: %s", c->name, c->line, text);
    return error_at(c->err, c->name, c->line, -1, c->hint);
}

static int put(struct cells *c, size_t *length, char byte)
{
    if (byte == '\0') return cells_bad(c, "a zero byte");
    if (*length + 1 == sizeof c->cell) return cells_bad(c, "the cell is longer than %zu bytes", sizeof c->cell - 1);
    c->cell[(*length)++] = byte;
    return 0;
}

/* A quoted cell on one line, up to the comma or the line's end behind it. */
static int take_quoted(struct cells *c)
{
    size_t length = 0;
    for (c->at++;; c->at++) {
        if (c->at >= c->end || *c->at == '\n') return cells_bad(c, "the quote is never closed");
        if (*c->at == '"') {
            if (c->at + 1 >= c->end || c->at[1] != '"') break;
            c->at++;
        }
        if (put(c, &length, *c->at) < 0) return -1;
    }
    c->at++;
    if (c->at < c->end && *c->at == '\r') c->at++;
    c->cell[length] = '\0';
    csv_unprotect(c->cell);
    return c->at < c->end && *c->at != ',' && *c->at != '\n' ? cells_bad(c, "text after the closing quote") : 0;
}

int cells_take(struct cells *c, char stop)
{
    size_t length = 0;
    if (stop == ',' && c->at < c->end && *c->at == '"') return take_quoted(c);
    for (; c->at < c->end && *c->at != stop && *c->at != '\n'; c->at++) {
        if (*c->at == '"') return cells_bad(c, "a quote within the cell: quote the whole cell");
        if (put(c, &length, *c->at) < 0) return -1;
    }
    while (length && (c->cell[length - 1] == '\r' || c->cell[length - 1] == ' ')) length--;
    c->cell[length] = '\0';
    if (stop == ',') csv_unprotect(c->cell);
    return 0;
}

int cells_next(struct cells *c, bool is_last)
{
    c->column++;
    if (cells_take(c, ',') < 0) return -1;
    const bool ends = c->at >= c->end || *c->at == '\n';
    if (ends != is_last)
        return cells_bad(c, ends ? "the line ends too early: is the file cut off?" : "the line has too many cells");
    if (c->at < c->end) c->at++;
    return 0;
}

int cells_copy(struct cells *c, char *out, size_t size, const char *text)
{
    if (!*text || strlen(text) >= size) return cells_bad(c, "1 to %zu bytes are expected", size - 1);
    memcpy(out, text, strlen(text) + 1);
    return 0;
}

int cells_whole(struct cells *c, const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    if (!whole_parse(text, least, most, out))
        return cells_bad(c, "'%.80s' is not a whole number from %" PRIu64 " to %" PRIu64, text, least, most);
    return 0;
}
