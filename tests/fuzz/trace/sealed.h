/* A mutated container file whose checksums and size are put right, or no mutation would get past them. */
#ifndef FUZZ_SEALED_H
#define FUZZ_SEALED_H
#include <stdlib.h>
#include <string.h>
#include "container.h"

/* A copy of the bytes, for the caller to free. NULL where they are no header with its sections, or a section decodes to
 * more than `raw_most` bytes. */
static inline uint8_t *sealed(const uint8_t *data, size_t size, uint64_t raw_most)
{
    struct container_header h;
    if (size < sizeof h) return NULL;
    memcpy(&h, data, sizeof h);
    const uint64_t table = (uint64_t)h.n_sections * sizeof(struct section);
    if (h.n_sections > SECTIONS_MAX || table > size - sizeof h) return NULL;
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    for (uint32_t i = 0; i < h.n_sections; i++) {
        struct section s;
        memcpy(&s, copy + sizeof h + i * sizeof s, sizeof s);
        if (s.raw > raw_most) {
            free(copy);
            return NULL;
        }
        if (s.offset <= size && s.stored <= size - s.offset) s.checksum = hash_checksum(copy + s.offset, s.stored);
        memcpy(copy + sizeof h + i * sizeof s, &s, sizeof s);
    }
    h.file_bytes = size;
    h.checksum = 0;
    memcpy(copy, &h, sizeof h);
    h.checksum = hash_checksum(copy, sizeof h + table);
    memcpy(copy, &h, sizeof h);
    return copy;
}
#endif
