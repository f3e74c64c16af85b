/* Dataset rows as CSV, and back. One row is one line, ten fixed columns and then the features. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/cells.h"
#include "poise/csv.h"
#include "poise/dataset.h"
#include "poise/file.h"

const char *const dataset_outcome_columns[] = {"N", "p", "W", "launch", "cycles", "speedup", "score", NULL};
const char *const dataset_word_columns[] = {"benchmark", "kernel", "trace", NULL};

static const char *const fixed[] = {"benchmark", "kernel", "launch", "trace",   "W",
                                    "N",         "p",      "cycles", "speedup", "score"};
#define N_FIXED COUNT_OF(fixed)

int dataset_write(const struct dataset *dataset, const char *path, struct error *err)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "%s: out of memory", path);
    for (size_t i = 0; i < N_FIXED; i++) fprintf(out, "%s%s", i ? "," : "", fixed[i]);
    for (size_t i = 0; i < dataset->n_features; i++) csv_next(out, dataset->features[i]);
    fputc('\n', out);
    for (size_t r = 0; r < dataset->n; r++) {
        const struct dataset_row *row = &dataset->rows[r];
        csv_print(out, row->benchmark);
        csv_next(out, row->kernel);
        fprintf(out, ",%" PRIu32, row->launch);
        csv_next(out, row->trace);
        fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%.17g,%.17g", row->W, row->N, row->p,
                row->cycles, row->speedup, row->score);
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

static int read_header(struct cells *c, struct dataset *out)
{
    const char *stop = memchr(c->at, '\n', (size_t)(c->end - c->at));
    size_t columns = 1;
    for (const char *s = c->at; s < (stop ? stop : c->end); s++) columns += *s == ',';
    if (columns < N_FIXED || columns > N_FIXED + DATASET_FEATURES_MAX)
        return cells_bad(c, "%zu columns; %zu and at most %d features are expected", columns, N_FIXED,
                         DATASET_FEATURES_MAX);
    for (size_t i = 0; i < columns; i++) {
        if (cells_next(c, i + 1 == columns) < 0) return -1;
        if (i < N_FIXED) {
            if (strcmp(c->cell, fixed[i]) != 0)
                return cells_bad(c, "'%.80s' stands where '%s' should", c->cell, fixed[i]);
            continue;
        }
        if (c->cell[0] == '\0' || strlen(c->cell) >= DATASET_NAME_MAX)
            return cells_bad(c, "a feature's name has 1 to %d bytes", DATASET_NAME_MAX - 1);
        for (size_t j = 0; j < out->n_features; j++)
            if (strcmp(out->features[j], c->cell) == 0) return cells_bad(c, "feature '%s' stands here twice", c->cell);
        snprintf(out->features[out->n_features++], DATASET_NAME_MAX, "%.*s", DATASET_NAME_MAX - 1, c->cell);
    }
    return 0;
}

static int cell_number(struct cells *c, double *out)
{
    char *end;
    *out = strtod(c->cell, &end);
    if (c->cell[0] == '\0' || *end || !isfinite(*out)) return cells_bad(c, "'%.80s' is not a finite number", c->cell);
    return 0;
}

static int read_fixed(struct cells *c, size_t i, struct dataset_row *row)
{
    uint64_t whole = 0;
    switch (i) {
    case 0: return cells_copy(c, row->benchmark, sizeof row->benchmark, c->cell);
    case 1: return cells_copy(c, row->kernel, sizeof row->kernel, c->cell);
    case 3: return cells_copy(c, row->trace, sizeof row->trace, c->cell);
    case 7: return cells_whole(c, c->cell, 0, UINT64_MAX, &row->cycles);
    case 8: return cell_number(c, &row->speedup);
    case 9: return cell_number(c, &row->score);
    default: break;
    }
    if (cells_whole(c, c->cell, 0, UINT32_MAX, &whole) < 0) return -1;
    uint32_t *const fields[] = {[2] = &row->launch, [4] = &row->W, [5] = &row->N, [6] = &row->p};
    *fields[i] = (uint32_t)whole;
    return 0;
}

static int read_row(struct cells *c, struct dataset *out)
{
    struct dataset_row row = {0};
    const size_t columns = N_FIXED + out->n_features;
    for (size_t i = 0; i < columns; i++) {
        if (cells_next(c, i + 1 == columns) < 0) return -1;
        if ((i < N_FIXED ? read_fixed(c, i, &row) : cell_number(c, &row.x[i - N_FIXED])) < 0) return -1;
    }
    if (row.N == 0 || row.p == 0 || row.p > row.N)
        return cells_bad(c, "the target (%u, %u) is no tuple with 1 <= p <= N", row.N, row.p);
    return dataset_append(out, &row, c->err);
}

static const char hint[] = "a Poise dataset starts with benchmark,kernel,launch,trace,W,N,p,cycles,speedup,score";

int dataset_parse(struct dataset *out, const char *name, const char *text, size_t size, struct error *err)
{
    struct cells c = {.name = name, .at = text, .end = text + size, .hint = hint, .line = 1, .err = err};
    memset(out, 0, sizeof *out);
    int failed = size == 0 ? cells_bad(&c, "the file is empty") : read_header(&c, out);
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
