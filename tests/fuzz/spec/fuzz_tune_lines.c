/* Any bytes as the lines of a program that evaluates trials: refused with a text, or a report of trials that each have
 * a point of the spec. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "poise/tune.h"
#include "where.h"

static const char spec[] = "schema: 1\nkind: tune\nname: t\nkernels: [mvt]\nmech: tuple\n"
                           "parameters: {N: {from: 1, to: 8}, p: [1, 2, 4]}\nwhere: p <= N\n"
                           "seed_points: [{N: 4, p: 2}]\nmethod: {name: random, budget: 6}\n";

static int refuse(void *context, struct error *err)
{
    (void)context;
    return error_set(err, ERR_RUN, "nothing is simulated here");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tune *t;
    struct error err = {0};
    json_t *report = NULL, *trial;
    size_t i;
    const int in = memfd_create("lines", 0);
    FILE *out = fopen("/dev/null", "w");
    if (in < 0 || !out || write(in, data, size) != (ssize_t)size || lseek(in, 0, SEEK_SET) != 0) abort();
    if (tune_parse(&t, "t.yaml", spec, sizeof spec - 1, POISE_SOURCE_DIR "/experiments/configs", &err) < 0) abort();
    const struct tune_pipe lines = {.in = in, .out = out, .prepare = refuse};
    if (tune_run_asked(t, &lines, NULL, &report, &err) < 0) {
        if (err.text[0] == '\0') abort();
    } else {
        json_array_foreach(json_object_get(report, "trials"), i, trial) {
            const json_t *params = json_object_get(trial, "params");
            const json_int_t N = json_integer_value(json_object_get(params, "N")),
                             p = json_integer_value(json_object_get(params, "p"));
            if (N < 1 || N > 8 || p < 1 || p > N) abort();
        }
        if (json_array_size(json_object_get(report, "trials")) == 0) abort();
    }
    json_decref(report);
    tune_free(t);
    fclose(out);
    close(in);
    return 0;
}
