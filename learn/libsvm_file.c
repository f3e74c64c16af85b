/* libsvm's text format: "label index:value index:value ..." a line, indices from 1 ascending, absent ones 0, '#'
 * starts a comment. Reading makes a table with the columns y, x1, x2, ... by way of CSV text, one line for one line,
 * so that errors name the file's lines. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/table_csv.h"

#define COLUMNS_MAX 10000L
#define CELLS_MAX 20000000.0

static int bad(struct error *err, const char *name, long line, const char *what)
{
    error_set(err, ERR_INPUT, "%s:%ld: %s", name, line, what);
    return error_at(err, name, line, -1, "a line of libsvm's format is: label index:value index:value ...");
}

/* One "index:value"; *at moves behind it. */
static int read_pair(const char **at, const char *end, long last, long *index, double *value, const char *name,
                     long line, struct error *err)
{
    char *stop;
    errno = 0;
    *index = strtol(*at, &stop, 10);
    if (stop == *at || stop >= end || *stop != ':' || errno)
        return bad(err, name, line, "an index and a colon are expected");
    if (*index < 1 || *index > COLUMNS_MAX) return bad(err, name, line, "an index is not from 1 to 10000");
    if (*index <= last) return bad(err, name, line, "indices must ascend");
    const char *text = stop + 1;
    *value = text < end && !isspace((unsigned char)*text) ? strtod(text, &stop) : NAN;
    if (stop <= text || stop > end || !isfinite(*value)) return bad(err, name, line, "a value is not a finite number");
    *at = stop;
    return 0;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) at++;
    return at;
}

/* One line: NULL `out` looks for the largest index only. */
static int read_line(const char *at, const char *end, FILE *out, long columns, long *largest, size_t *rows,
                     const char *name, long line, struct error *err)
{
    const char *comment = memchr(at, '#', (size_t)(end - at));
    char *stop;
    long last = 0, index = 0, filled = 0;
    if (comment) end = comment;
    at = skip_blanks(at, end);
    if (at == end) return out && fputc('\n', out) == EOF ? -1 : 0;
    double value = strtod(at, &stop);
    if (stop == at || stop > end || !isfinite(value) || (stop < end && !isspace((unsigned char)*stop)))
        return bad(err, name, line, "the label is not a finite number");
    ++*rows;
    if (out) fprintf(out, "%.17g", value);
    for (at = skip_blanks(stop, end); at < end; at = skip_blanks(at, end)) {
        if (read_pair(&at, end, last, &index, &value, name, line, err) < 0) return -1;
        if (index > *largest) *largest = index;
        last = index;
        if (!out) continue;
        for (; filled < index - 1; filled++) fputs(",0", out);
        fprintf(out, ",%.17g", value);
        filled = index;
    }
    if (!out) return 0;
    for (; filled < columns; filled++) fputs(",0", out);
    fputc('\n', out);
    return 0;
}

static int convert(FILE *out, const char *name, const char *text, size_t size, long *columns, struct error *err)
{
    size_t rows = 0;
    for (int pass = 0; pass < 2; pass++) {
        long line = 1;
        if (pass) {
            if (rows == 0 || *columns == 0) return bad(err, name, 1, "no row with a value");
            if ((double)rows * (double)*columns > CELLS_MAX) return bad(err, name, 1, "more than 20 million cells");
            fputs("y", out);
            for (long j = 1; j <= *columns; j++) fprintf(out, ",x%ld", j);
            fputc('\n', out);
        }
        for (const char *at = text, *end = text + size; at < end; line++) {
            const char *stop = memchr(at, '\n', (size_t)(end - at));
            if (!stop) stop = end;
            if (read_line(at, stop, pass ? out : NULL, *columns, columns, &rows, name, line, err) < 0) return -1;
            at = stop + 1;
        }
    }
    return 0;
}

int table_libsvm_parse(struct table_csv *out, const char *name, const char *text, size_t size, struct error *err)
{
    char *csv = NULL, *own = malloc(size + 1); /* strtod needs an end */
    size_t length = 0;
    long columns = 0;
    FILE *stream = open_memstream(&csv, &length);
    memset(out, 0, sizeof *out);
    if (!own || !stream) {
        if (stream) fclose(stream);
        free(own);
        free(csv);
        return error_set(err, ERR_MEMORY, "%s: out of memory", name);
    }
    memcpy(own, text, size);
    own[size] = '\0';
    int failed =
        memchr(own, '\0', size) ? bad(err, name, 1, "a zero byte") : convert(stream, name, own, size, &columns, err);
    if (fclose(stream) != 0 && !failed) failed = error_set(err, ERR_MEMORY, "%s: out of memory", name);
    if (!failed) failed = table_csv_parse(out, name, csv, length, err);
    for (size_t i = 0; !failed && i < out->n_rows; i++) out->lines[i]--; /* the header is ours */
    free(own);
    free(csv);
    return failed;
}

static int libsvm_read(struct table_csv *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int failed = table_libsvm_parse(out, path, text, size, err);
    free(text);
    return failed;
}

int table_read(struct table_csv *out, const char *path, struct error *err)
{
    const char *dot = strrchr(path, '.');
    const int is_libsvm = dot && (strcmp(dot, ".libsvm") == 0 || strcmp(dot, ".svm") == 0);
    return is_libsvm ? libsvm_read(out, path, err) : table_csv_read(out, path, err);
}

int libsvm_write(const struct glm_data *data, const char *path, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "%s: out of memory", path);
    for (size_t i = 0; i < data->n; i++) {
        fprintf(out, "%.17g", data->y[i]);
        for (size_t j = 0; j < data->k; j++)
            if (data->x[j * data->n + i] != 0) fprintf(out, " %zu:%.17g", j + 1, data->x[j * data->n + i]);
        fputc('\n', out);
    }
    const int failed =
        fclose(out) != 0 ? error_set(err, ERR_MEMORY, "%s: out of memory", path) : file_write(path, text, size, err);
    free(text);
    return failed;
}
