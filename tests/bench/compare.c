/* This table against the one stored at the last landing, as ratios: only these travel between machines. */
#include "bench.h"

#include <math.h>
#include <string.h>

static const json_t *row_of(const json_t *rows, const char *kernel)
{
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
        if (strcmp(json_string_value(json_object_get(row, "kernel")), kernel) == 0) return row;
    return NULL;
}

static double ratio(const json_t *now, const json_t *before, const char *key)
{
    return json_number_value(json_object_get(now, key)) / json_number_value(json_object_get(before, key));
}

int bench_compare(const struct bench *b, const json_t *now, const char *path, struct error *err)
{
    json_error_t why;
    size_t i, n = 0;
    double log_sum = 0;
    const json_t *row;
    json_t *last = json_load_file(path, 0, &why);
    if (!last) return error_set(err, ERR_INPUT, "%s:%d: %s", path, why.line, why.text);
    if (!b->json)
        printf("\n%-8s %10s %10s %10s   over the table of the last landing\n", "kernel", "sim", "limit", "exec");
    json_array_foreach(json_object_get(now, "rows"), i, row) {
        const char *kernel = json_string_value(json_object_get(row, "kernel"));
        const json_t *before = row_of(json_object_get(last, "rows"), kernel);
        if (!before) continue;
        const double sim = ratio(row, before, "sim_winst_s");
        log_sum += log(sim), n++;
        if (!b->json)
            printf("%-8s %10.3f %10.3f %10.3f\n", kernel, sim, ratio(row, before, "limit_ratio"),
                   ratio(row, before, "exec_winst_s"));
    }
    if (!b->json && n) printf("geometric mean of sim: %.3f\n", exp(log_sum / (double)n));
    json_decref(last);
    return 0;
}
