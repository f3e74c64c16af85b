/* Any bytes as a predictor file: refused with a text, or a predictor that predicts without a crash and is written
 * and read again. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "poise/family.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct predictor *p, *again;
    struct error err = {0};
    if (predictor_parse(&p, "fuzz.json", (const char *)data, size, &err) < 0) {
        if (err.text[0] == '\0' || p) abort();
        return 0;
    }
    double *x = calloc(predictor_columns(p) + 1, sizeof *x);
    if (!x) return 0;
    for (size_t j = 0; j < predictor_columns(p); j++) x[j] = 0.5;
    predictor_predict(p, x, 0.1);
    const double c = predictor_cdf(p, x, 0, 3);
    if (c < 0 || c > 1.0000001) abort();
    json_t *json = predictor_json(p);
    char *text = json_dumps(json, JSON_REAL_PRECISION(17));
    json_decref(json);
    if (text && predictor_parse(&again, "again.json", text, strlen(text), &err) == 0) predictor_free(again);
    free(text);
    free(x);
    predictor_free(p);
    return 0;
}
