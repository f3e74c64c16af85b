/* Dataset rows as CSV. One row is one line, ten fixed columns and then the features. */
#include <inttypes.h>
#include <stdlib.h>
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
