/* Any bytes as a model file: refused with a text, or a model that predicts without trouble and survives a round
 * trip. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "poise/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model, again;
    struct error err = {0};
    if (model_parse(&model, "fuzz.json", (const char *)data, size, &err) < 0) {
        if (err.text[0] == '\0') abort();
        return 0;
    }
    float x[MODEL_FEATURES_MAX];
    for (size_t i = 0; i < MODEL_FEATURES_MAX; i++) x[i] = 0.25f * (float)i;
    for (size_t i = 0; i < model.n_outputs; i++)
        if (model_predict_f32(&model.outputs[i], x) < 0.0f) abort();
    json_t *json = model_json(&model, NULL, NULL);
    char *text = json_dumps(json, JSON_REAL_PRECISION(17));
    if (!text || model_parse(&again, "again.json", text, strlen(text), &err) < 0) abort();
    if (memcmp(&model, &again, sizeof model) != 0) abort();
    free(text);
    json_decref(json);
    return 0;
}
