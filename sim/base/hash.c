#include "poise/hash.h"

#include <string.h>
#include <xxhash.h>

static struct hash canonical(XXH128_hash_t value)
{
    XXH128_canonical_t form;
    struct hash hash;
    XXH128_canonicalFromHash(&form, value);
    memcpy(hash.bytes, form.digest, sizeof hash.bytes);
    return hash;
}

struct hash hash_bytes(const void *data, size_t size) { return canonical(XXH3_128bits(data, size)); }

struct hasher *hasher_new(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state) XXH3_128bits_reset(state);
    return (struct hasher *)(void *)state;
}

void hasher_add(struct hasher *hasher, const void *data, size_t size)
{
    XXH3_128bits_update((XXH3_state_t *)(void *)hasher, data, size);
}

struct hash hasher_finish(struct hasher *hasher)
{
    XXH3_state_t *state = (void *)hasher;
    const struct hash hash = canonical(XXH3_128bits_digest(state));
    XXH3_freeState(state);
    return hash;
}

void hash_text(const struct hash *hash, char text[HASH_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof hash->bytes; i++) {
        text[2 * i] = digits[hash->bytes[i] >> 4];
        text[2 * i + 1] = digits[hash->bytes[i] & 15];
    }
    text[2 * sizeof hash->bytes] = '\0';
}

uint64_t hash_checksum(const void *data, size_t size) { return XXH3_64bits(data, size); }
