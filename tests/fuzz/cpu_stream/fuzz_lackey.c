/* Any bytes as lackey's text. The first byte says how many instructions are skipped. */
#include <stdlib.h>
#include "poise/cpu_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct cpu_stream *s;
    if (size < 2) return 0;
    FILE *f = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    if (!f) return 0;
    if (cpu_stream_from_lackey(&s, "fuzz", f, data[0] % 4, 64, "{}", &err) == 0) cpu_stream_free(s);
    else if (err.code != ERR_INPUT) abort();
    fclose(f);
    return 0;
}
