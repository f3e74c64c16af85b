/* Any bytes as a file of hints, a correction or a choice: refused with a text, or what it says can be used. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "poise/choice.h"
#include "poise/correction.h"
#include "poise/hint_file.h"

static void as_hints(const char *text, size_t size)
{
    struct hint_file hints;
    struct error err = {0};
    const struct launch_hint *hint = NULL;
    int32_t z[RESPONSE_POINTS_MAX];
    if (hint_file_parse(&hints, "fuzz.json", text, size, &err) < 0) {
        if (err.text[0] == '\0' || hints.items) abort();
        return;
    }
    for (uint32_t W = 1; W <= 64; W += 7) {
        const struct hint_wanted wanted = {7, W, 4096, 300000};
        if (hint_file_find(&hints, &wanted, &hint) == HINT_NONE) continue;
        const struct response_tuple t = launch_hint_response(hint, W % 2, response_levels, RESPONSE_LEVELS_MAX, W, z);
        if (t.p < 1 || t.p > t.N || t.N > W || !isfinite(hint->spread)) abort();
    }
    hint_file_fini(&hints);
}

static void as_correction(const char *text, size_t size)
{
    struct correction c;
    struct error err = {0};
    double x[RESPONSE_FEATURES_MAX];
    if (correction_parse(&c, "fuzz.json", text, size, &err) < 0) {
        if (err.text[0] == '\0' || c.trees) abort();
        return;
    }
    for (size_t j = 0; j < RESPONSE_FEATURES_MAX; j++) x[j] = (double)j - 3;
    (void)correction_predict(&c, x);
    correction_fini(&c);
}

static void as_choice(const char *text, size_t size)
{
    struct choice_model m;
    struct error err = {0};
    double x[RESPONSE_FEATURES_MAX];
    if (choice_model_parse(&m, "fuzz.json", text, size, &err) < 0) {
        if (err.text[0] == '\0' || m.training) abort();
        return;
    }
    for (size_t j = 0; j < RESPONSE_FEATURES_MAX; j++) x[j] = (double)j - 3;
    if (choice_policy(&m, x, NULL) >= m.m) abort();
    choice_model_fini(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_hints((const char *)data, size);
    as_correction((const char *)data, size);
    as_choice((const char *)data, size);
    return 0;
}
