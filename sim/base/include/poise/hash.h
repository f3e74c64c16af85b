/* Content hashes (XXH3, 128 bits): identity of traces, runs, models, training sets. */
#ifndef POISE_HASH_H
#define POISE_HASH_H
#include <stddef.h>
#include <stdint.h>

#define HASH_TEXT_SIZE 33
struct hash {
    uint8_t bytes[16];
};             /* canonical (big-endian) form */
struct hasher; /* streaming */

struct hash hash_bytes(const void *data, size_t size);
struct hasher *hasher_new(void); /* NULL when out of memory */
void hasher_add(struct hasher *hasher, const void *data, size_t size);
struct hash hasher_finish(struct hasher *hasher);                   /* frees it */
void hash_text(const struct hash *hash, char text[HASH_TEXT_SIZE]); /* 32 hexadecimal digits */
uint64_t hash_checksum(const void *data, size_t size);              /* 64 bits, for file sections */
#endif
