/* Any bytes as a response model: refused with a text, or a model that is evaluated without trouble, chooses a legal
 * tuple and is written, read and written again with the same bytes. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "poise/response_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct response_model model, again;
    struct error err = {0};
    char *first, *second;
    if (response_model_parse(&model, "fuzz.json", (const char *)data, size, &err) < 0) {
        if (err.text[0] == '\0' || model.training) abort();
        return 0;
    }
    const float extremes[] = {0.0f, -1e30f, 1e30f, INFINITY, -INFINITY, NAN, 0.5f};
    float x[RESPONSE_FEATURES_MAX];
    int32_t z[RESPONSE_POINTS_MAX];
    for (size_t e = 0; e < sizeof extremes / sizeof *extremes; e++) {
        for (size_t i = 0; i < RESPONSE_FEATURES_MAX; i++) x[i] = extremes[(e + i) % 7];
        response_net_eval(&model.net, x, z);
        for (uint32_t W = 1; W <= 64; W += 7) {
            const struct response_tuple best = response_net_best(&model.net, z, W);
            if (best.p < 1 || best.p > best.N || best.N > W) abort();
        }
    }
    if (response_model_text(&first, &model, "first", &err) < 0) abort();
    if (response_model_parse(&again, "first", first, strlen(first), &err) < 0) abort();
    if (memcmp(&model.net, &again.net, sizeof model.net) != 0) abort();
    if (response_model_text(&second, &again, "second", &err) < 0 || strcmp(first, second) != 0) abort();
    free(first);
    free(second);
    response_model_fini(&again);
    response_model_fini(&model);
    return 0;
}
