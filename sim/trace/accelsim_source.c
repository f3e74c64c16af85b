#include "accelsim_source.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"

enum { WINDOW_BYTES = 1 << 18, INPUT_BYTES = 1 << 16 };
#define XZ_MEMORY (256ull << 20) /* xz -9 needs 65 MiB */

struct xz_state {
    lzma_stream stream;
    bool at_end;
    uint8_t input[INPUT_BYTES];
};

bool has_ending(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

int source_bad(const struct text_source *s, struct error *err, const char *format, ...)
{
    char what[480];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    error_set(err, ERR_INPUT, "%s:%ld: %s", s->name, s->line, what);
    return error_at(err, s->name, s->line, -1, NULL);
}

static int window_new(struct text_source *s, size_t max_line_bytes, struct error *err)
{
    s->max_line_bytes = max_line_bytes;
    s->capacity = WINDOW_BYTES;
    s->window = malloc(s->capacity + 1);
    return s->window ? 0 : error_set(err, ERR_MEMORY, "%s: no memory to read", s->name);
}

int source_open_memory(struct text_source *s, const char *name, const void *data, size_t size, size_t max_line_bytes,
                       struct error *err)
{
    *s = (struct text_source){.name = name, .fd = -1, .memory = data, .memory_left = size};
    return window_new(s, max_line_bytes, err);
}

int source_open(struct text_source *s, const char *path, size_t max_line_bytes, struct error *err)
{
    *s = (struct text_source){.name = path, .fd = file_open(path, err)};
    if (s->fd < 0) return -1;
    if (has_ending(path, ".xz")) {
        s->xz = calloc(1, sizeof *s->xz);
        if (!s->xz || lzma_stream_decoder(&s->xz->stream, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK) {
            source_close(s);
            return error_set(err, ERR_MEMORY, "%s: no memory to decompress", path);
        }
    }
    if (window_new(s, max_line_bytes, err) == 0) return 0;
    source_close(s);
    return -1;
}

void source_close(struct text_source *s)
{
    if (s->fd >= 0) close(s->fd);
    if (s->xz) lzma_end(&s->xz->stream);
    free(s->xz);
    free(s->window);
    s->fd = -1;
    s->xz = NULL;
    s->window = NULL;
}

/* Bytes as they are stored; 0 at the end. */
static ssize_t read_stored(struct text_source *s, void *into, size_t room, struct error *err)
{
    if (s->fd < 0) {
        const size_t n = s->memory_left < room ? s->memory_left : room;
        if (n) memcpy(into, s->memory, n);
        s->memory += n;
        s->memory_left -= n;
        return (ssize_t)n;
    }
    for (;;) {
        const ssize_t n = read(s->fd, into, room);
        if (n >= 0) return n;
        if (errno != EINTR) return error_set(err, ERR_IO, "%s: %s", s->name, strerror(errno));
    }
}

static const char *xz_problem(lzma_ret code)
{
    switch (code) {
    case LZMA_FORMAT_ERROR: return "this is no .xz file";
    case LZMA_DATA_ERROR: return "the compressed data is damaged";
    case LZMA_BUF_ERROR: return "the compressed data is cut off";
    case LZMA_MEMLIMIT_ERROR: return "decompressing needs more than 256 MiB";
    case LZMA_MEM_ERROR: return "no memory to decompress";
    default: return "this .xz file uses something that liblzma does not support";
    }
}

static ssize_t read_xz(struct text_source *s, void *into, size_t room, struct error *err)
{
    struct xz_state *x = s->xz;
    if (x->at_end) return 0;
    x->stream.next_out = into;
    x->stream.avail_out = room;
    while (x->stream.avail_out == room) {
        bool is_last = false;
        if (x->stream.avail_in == 0) {
            const ssize_t n = read_stored(s, x->input, sizeof x->input, err);
            if (n < 0) return -1;
            x->stream.next_in = x->input;
            x->stream.avail_in = (size_t)n;
            is_last = n == 0;
        }
        const lzma_ret code = lzma_code(&x->stream, is_last ? LZMA_FINISH : LZMA_RUN);
        if (code == LZMA_STREAM_END) {
            x->at_end = true;
            break;
        }
        if (code != LZMA_OK) {
            error_set(err, code == LZMA_MEM_ERROR ? ERR_MEMORY : ERR_INPUT, "%s: %s", s->name, xz_problem(code));
            return error_at(err, s->name, 0, -1, "compress it again with xz, or unpack it");
        }
    }
    return (ssize_t)(room - x->stream.avail_out);
}

static int refill(struct text_source *s, struct error *err)
{
    if (s->begin > 0) {
        memmove(s->window, s->window + s->begin, s->end - s->begin);
        s->end -= s->begin;
        s->begin = 0;
    }
    if (s->end == s->capacity) {
        if (s->capacity >= s->max_line_bytes)
            return source_bad(s, err, "the next line has more than %zu bytes", s->max_line_bytes);
        char *more = realloc(s->window, 2 * s->capacity + 1);
        if (!more) return error_set(err, ERR_MEMORY, "%s: no memory for a line of %zu bytes", s->name, 2 * s->capacity);
        s->window = more;
        s->capacity *= 2;
    }
    const size_t room = s->capacity - s->end;
    const ssize_t n = s->xz ? read_xz(s, s->window + s->end, room, err) : read_stored(s, s->window + s->end, room, err);
    if (n < 0) return -1;
    s->is_drained = n == 0;
    s->end += (size_t)n;
    return 0;
}

int source_line(struct text_source *s, char **line, size_t *length, struct error *err)
{
    size_t seen = 0;
    for (;;) {
        char *begin = s->window + s->begin;
        const size_t left = s->end - s->begin;
        char *newline = left > seen ? memchr(begin + seen, '\n', left - seen) : NULL;
        if (newline || (s->is_drained && left)) {
            *line = begin;
            *length = newline ? (size_t)(newline - begin) : left;
            s->has_newline = newline != NULL;
            s->begin += *length + (newline ? 1 : 0);
            begin[*length] = '\0';
            s->line++;
            return 1;
        }
        if (s->is_drained) return 0;
        seen = left;
        if (refill(s, err) < 0) return -1;
    }
}

int source_read_all(char **out, size_t *size, const char *path, size_t max_bytes, struct error *err)
{
    struct text_source s;
    *out = NULL;
    if (source_open(&s, path, max_bytes, err) < 0) return -1;
    int result = 0;
    while (result == 0 && !s.is_drained) {
        if (s.end == s.capacity && s.capacity >= max_bytes)
            result = error_set(err, ERR_LIMIT, "%s: holds more than %zu bytes", path, max_bytes);
        else result = refill(&s, err);
    }
    if (result == 0) {
        *out = s.window;
        *size = s.end;
        s.window[s.end] = '\0';
        s.window = NULL;
    }
    source_close(&s);
    return result;
}
