/* Dataset rows as CSV, and back. One row is one line, ten fixed columns and then the features; no quoting is needed, because no
 * name holds a comma. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "poise/dataset.h"
#include "poise/file.h"

static const char *const fixed[] = {"benchmark", "kernel", "launch", "trace", "W", "N", "p", "cycles", "speedup", "score"};
#define N_FIXED COUNT_OF(fixed)

int dataset_write(const struct dataset *dataset, const char *path, struct error *err)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "%s: out of memory", path);
    for (size_t i = 0; i < N_FIXED; i++) fprintf(out, "%s%s", i ? "," : "", fixed[i]);
    for (size_t i = 0; i < dataset->n_features; i++) fprintf(out, ",%s", dataset->features[i]);
    fputc('\n', out);
    for (size_t r = 0; r < dataset->n; r++) {
        const struct dataset_row *row = &dataset->rows[r];
        fprintf(out, "%s,%s,%" PRIu32 ",%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%.17g,%.17g", row->benchmark, row->kernel,
                row->launch, row->trace, row->W, row->N, row->p, row->cycles, row->speedup, row->score);
        for (size_t i = 0; i < dataset->n_features; i++) fprintf(out, ",%.17g", row->x[i]);
        fputc('\n', out);
    }
    if (fclose(out) != 0) {
        free(text);
        return error_set(err, ERR_MEMORY, "%s: out of memory", path);
    }
    const int failed = file_write(path, text, size, err);
    free(text);
    return failed;
}

struct cursor {
    const char *name, *at, *end;
    long line;
    size_t column;
    char cell[256];
    struct error *err;
};

static int bad(struct cursor *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int bad(struct cursor *c, const char *format, ...)
{
    char text[384];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(c->err, ERR_INPUT, "%s:%ld: column %zu: %s", c->name, c->line, c->column, text);
    return error_at(c->err, c->name, c->line, -1, "a Poise dataset starts with benchmark,kernel,launch,trace,W,N,p,cycles,speedup,score");
}

/* The next cell of the line into c->cell. `is_last` must say whether the line ends behind it: a wrong count is an error here. */
static int next_cell(struct cursor *c, bool is_last)
{
    size_t length = 0;
    c->column++;
    for (; c->at < c->end && *c->at != ',' && *c->at != '\n'; c->at++) {
        if (*c->at == '\0' || *c->at == '"') return bad(c, "a quote or a zero byte");
        if (length + 1 == sizeof c->cell) return bad(c, "the cell is longer than %zu bytes", sizeof c->cell - 1);
        c->cell[length++] = *c->at;
    }
    if (length && c->cell[length - 1] == '\r') length--;
    c->cell[length] = '\0';
    const bool ends = c->at >= c->end || *c->at == '\n';
    if (ends != is_last) return bad(c, ends ? "the line ends too early: is the file cut off?" : "the line has too many cells");
    if (c->at < c->end) c->at++;
    return 0;
}

static int read_header(struct cursor *c, struct dataset *out)
{
    const char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
    size_t columns = 1;
    for (const char *s = c->at; s < (stop ? stop : c->end); s++) columns += *s == ',';
    if (columns < N_FIXED || columns > N_FIXED + DATASET_FEATURES_MAX)
        return bad(c, "%zu columns; %zu and at most %d features are expected", columns, N_FIXED, DATASET_FEATURES_MAX);
    for (size_t i = 0; i < columns; i++) {
        if (next_cell(c, i + 1 == columns) < 0) return -1;
        if (i < N_FIXED) {
            if (strcmp(c->cell, fixed[i]) != 0) return bad(c, "'%.80s' stands where '%s' should", c->cell, fixed[i]);
            continue;
        }
        if (c->cell[0] == '\0' || strlen(c->cell) >= DATASET_NAME_MAX)
            return bad(c, "a feature's name has 1 to %d bytes", DATASET_NAME_MAX - 1);
        for (size_t j = 0; j < out->n_features; j++)
            if (strcmp(out->features[j], c->cell) == 0) return bad(c, "feature '%s' stands here twice", c->cell);
        snprintf(out->features[out->n_features++], DATASET_NAME_MAX, "%.*s", DATASET_NAME_MAX - 1, c->cell);
    }
    return 0;
}

static int cell_text(struct cursor *c, char *out, size_t size)
{
    if (c->cell[0] == '\0' || strlen(c->cell) >= size) return bad(c, "a name of 1 to %zu bytes is expected", size - 1);
    memcpy(out, c->cell, strlen(c->cell) + 1);
    return 0;
}

static int cell_whole(struct cursor *c, uint64_t most, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(c->cell, &end, 10);
    if (c->cell[0] < '0' || c->cell[0] > '9' || *end || errno || *out > most)
        return bad(c, "'%.80s' is not a whole number from 0 to %" PRIu64, c->cell, most);
    return 0;
}

static int cell_number(struct cursor *c, double *out)
{
    char *end;
    *out = strtod(c->cell, &end);
    if (c->cell[0] == '\0' || *end || !isfinite(*out)) return bad(c, "'%.80s' is not a finite number", c->cell);
    return 0;
}

static int read_fixed(struct cursor *c, size_t i, struct dataset_row *row)
{
    uint64_t whole = 0;
    switch (i) {
    case 0: return cell_text(c, row->benchmark, sizeof row->benchmark);
    case 1: return cell_text(c, row->kernel, sizeof row->kernel);
    case 3: return cell_text(c, row->trace, sizeof row->trace);
    case 7: return cell_whole(c, UINT64_MAX, &row->cycles);
    case 8: return cell_number(c, &row->speedup);
    case 9: return cell_number(c, &row->score);
    default: break;
    }
    if (cell_whole(c, UINT32_MAX, &whole) < 0) return -1;
    uint32_t *const fields[] = {[2] = &row->launch, [4] = &row->W, [5] = &row->N, [6] = &row->p};
    *fields[i] = (uint32_t)whole;
    return 0;
}

static int read_row(struct cursor *c, struct dataset *out)
{
    struct dataset_row row = {0};
    const size_t columns = N_FIXED + out->n_features;
    for (size_t i = 0; i < columns; i++) {
        if (next_cell(c, i + 1 == columns) < 0) return -1;
        if ((i < N_FIXED ? read_fixed(c, i, &row) : cell_number(c, &row.x[i - N_FIXED])) < 0) return -1;
    }
    if (row.N == 0 || row.p == 0 || row.p > row.N) return bad(c, "the target (%u, %u) is no tuple with 1 <= p <= N", row.N, row.p);
    return dataset_append(out, &row, c->err);
}

int dataset_parse(struct dataset *out, const char *name, const char *text, size_t size, struct error *err)
{
    struct cursor c = {.name = name, .at = text, .end = text + size, .line = 1, .err = err};
    memset(out, 0, sizeof *out);
    int failed = size == 0 ? bad(&c, "the file is empty") : read_header(&c, out);
    while (!failed && c.at < c.end) {
        c.line++;
        c.column = 0;
        failed = read_row(&c, out);
    }
    out->offered = out->dropped[DROP_NONE] = out->n;
    if (failed) dataset_fini(out);
    return failed;
}

int dataset_read(struct dataset *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "dataset");
    const int failed = dataset_parse(out, path, text, size, err);
    free(text);
    return failed;
}
