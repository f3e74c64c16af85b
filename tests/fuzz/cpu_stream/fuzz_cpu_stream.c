/* Any bytes as the file of an access stream. Checksums and the size in the header are put right first, or no mutation
 * would get past them; each input is also tried as it is. */
#include <stdlib.h>
#include <string.h>
#include "container.h"
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
    struct container_header h;
    parse(data, size);
    if (size < sizeof h) return 0;
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    memcpy(&h, copy, sizeof h);
    const uint64_t table = (uint64_t)h.n_sections * sizeof(struct section);
    if (h.n_sections <= SECTIONS_MAX && table <= size - sizeof h) {
        for (uint32_t i = 0; i < h.n_sections; i++) {
            struct section s;
            memcpy(&s, copy + sizeof h + i * sizeof s, sizeof s);
            if (s.offset <= size && s.stored <= size - s.offset) s.checksum = hash_checksum(copy + s.offset, s.stored);
            memcpy(copy + sizeof h + i * sizeof s, &s, sizeof s);
        }
        h.file_bytes = size;
        h.checksum = 0;
        memcpy(copy, &h, sizeof h);
        h.checksum = hash_checksum(copy, sizeof h + table);
        memcpy(copy, &h, sizeof h);
        parse(copy, size);
    }
    free(copy);
    return 0;
}
