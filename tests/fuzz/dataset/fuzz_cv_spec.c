/* Any bytes as a spec of poise cv: refused with a text, or a spec with models. */
#include <stdint.h>
#include <stdlib.h>
#include "studies/cv/cv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cv_spec spec; /* large */
    struct error err = {0};
    if (cv_spec_parse(&spec, "fuzz.yaml", (const char *)data, size, &err) < 0) {
        if (err.text[0] == '\0') abort();
        return 0;
    }
    if (spec.n_models == 0 || spec.n_targets == 0 || !spec.dataset[0]) abort();
    cv_spec_fini(&spec);
    return 0;
}
