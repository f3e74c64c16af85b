/* Any bytes as the file of an access stream. Checksums and the size in the header are put right first, or no mutation
 * would get past them; each input is also tried as it is. */
#include "../trace/sealed.h"
#include "poise/cpu_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const uint8_t *data, size_t size)
{
    struct error err;
    struct cpu_stream *s;
    struct container_header h;
    if (size >= sizeof h) memcpy(&h, data, sizeof h);
    if (size >= sizeof h && h.n_accesses > 1 << 20) return; /* legal, and large */
    if (cpu_stream_parse(&s, "fuzz", data, size, &err) == 0) cpu_stream_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse(data, size);
    uint8_t *copy = sealed(data, size, UINT64_MAX);
    if (copy) parse(copy, size);
    free(copy);
    return 0;
}
