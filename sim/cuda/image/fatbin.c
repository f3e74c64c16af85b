#include "poise/fatbin.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Places within an entry's header; all numbers are little-endian, as the machines are. */
#define ENTRY_KIND 0
#define ENTRY_HEADER_BYTES 4
#define ENTRY_PAYLOAD_BYTES 8
#define ENTRY_COMPRESSED_BYTES 16
#define ENTRY_ARCH 28
#define ENTRY_FLAGS 40
#define ENTRY_TEXT_BYTES 56
#define ENTRY_MIN_BYTES 64
#define FLAG_64_BIT 0x1
#define FLAG_LINUX 0x10
#define FLAG_LZ4 0x2000
#define FLAG_ZSTD 0x8000

static uint16_t u16(const unsigned char *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static uint32_t u32(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static uint64_t u64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

size_t fatbin_bytes(const void *data)
{
    const unsigned char *p = data;
    if (u32(p) != FATBIN_MAGIC || u16(p + 6) < FATBIN_HEADER_BYTES) return 0;
    const uint64_t payload = u64(p + 8);
    return payload < SIZE_MAX / 2 ? u16(p + 6) + (size_t)payload : 0;
}

static int damaged(struct error *err, size_t at, const char *what)
{
    return error_set(err, ERR_INPUT, "fat binary: byte %zu: %s", at, what);
}

int fatbin_next(struct fatbin_entry *out, const void *data, size_t size, size_t *at, struct error *err)
{
    const unsigned char *p = data;
    if (*at == 0) {
        if (size < FATBIN_HEADER_BYTES || fatbin_bytes(data) == 0) return damaged(err, 0, "no header");
        if (fatbin_bytes(data) > size) return damaged(err, 8, "it ends before its last entry");
        *at = u16(p + 6);
    }
    const size_t end = fatbin_bytes(data), left = end > *at ? end - *at : 0;
    if (left == 0) return 0;
    p += *at;
    if (left < ENTRY_MIN_BYTES) return damaged(err, *at, "an entry is cut off");
    const uint64_t header = u32(p + ENTRY_HEADER_BYTES), payload = u64(p + ENTRY_PAYLOAD_BYTES);
    const uint64_t flags = u64(p + ENTRY_FLAGS), compressed = u32(p + ENTRY_COMPRESSED_BYTES);
    if (header < ENTRY_MIN_BYTES || header > left)
        return damaged(err, *at + ENTRY_HEADER_BYTES, "wrong size of an entry's header");
    if (payload > left - header)
        return damaged(err, *at + ENTRY_PAYLOAD_BYTES, "an entry is longer than the fat binary");
    const enum fatbin_packing packing = flags & FLAG_ZSTD ? FATBIN_ZSTD : flags & FLAG_LZ4 ? FATBIN_LZ4 : FATBIN_PLAIN;
    if (packing != FATBIN_PLAIN && compressed > payload)
        return damaged(err, *at + ENTRY_COMPRESSED_BYTES, "compressed bytes are more than the entry has");
    *out = (struct fatbin_entry){.kind = u16(p + ENTRY_KIND),
                                 .arch = u32(p + ENTRY_ARCH),
                                 .packing = packing,
                                 .payload = p + header,
                                 .stored_bytes = (size_t)(packing ? compressed : payload),
                                 .text_bytes = (size_t)(packing ? u64(p + ENTRY_TEXT_BYTES) : payload)};
    *at += (size_t)(header + payload);
    return 1;
}

/* One length of LZ4's block format: 4 bits, then bytes while they are 255. */
static bool lz4_length(size_t *length, const unsigned char **in, const unsigned char *end)
{
    if (*length != 15) return true;
    unsigned char byte;
    do {
        if (*in == end) return false;
        byte = *(*in)++;
        *length += byte;
    } while (byte == 255);
    return true;
}

/* LZ4 block format [github.com/lz4/lz4, doc/lz4_Block_format.md]: a token, literals, then a match of at least 4
 * bytes by distance; the last sequence has literals only. False if it does not give exactly `size` bytes. */
static bool lz4_expand(unsigned char *out, size_t size, const unsigned char *in, size_t n_in)
{
    const unsigned char *end = in + n_in;
    size_t n = 0;
    while (in < end) {
        const unsigned char token = *in++;
        size_t literals = token >> 4, match = token & 15;
        if (!lz4_length(&literals, &in, end) || literals > (size_t)(end - in) || literals > size - n) return false;
        memcpy(out + n, in, literals);
        in += literals;
        n += literals;
        if (in == end) break;
        if (end - in < 2) return false;
        const size_t distance = u16(in);
        in += 2;
        if (!lz4_length(&match, &in, end)) return false;
        match += 4;
        if (distance == 0 || distance > n || match > size - n) return false;
        for (size_t i = 0; i < match; i++, n++) out[n] = out[n - distance]; /* they may overlap */
    }
    return n == size;
}

/* The entry's text, expanded, with a NUL behind it; malloc'd. */
static int fatbin_text(char **out, size_t *size, const struct fatbin_entry *e, struct error *err)
{
    if (e->text_bytes > FATBIN_MAX_TEXT)
        return error_set(err, ERR_INPUT, "fat binary: an entry of %zu bytes, at most %u are read", e->text_bytes,
                         FATBIN_MAX_TEXT);
    char *text = malloc(e->text_bytes + 1);
    if (!text) return error_set(err, ERR_MEMORY, "no memory for %zu bytes of PTX", e->text_bytes);
    bool whole = true;
    switch (e->packing) {
    case FATBIN_PLAIN: memcpy(text, e->payload, e->text_bytes); break;
    case FATBIN_LZ4: whole = lz4_expand((unsigned char *)text, e->text_bytes, e->payload, e->stored_bytes); break;
    case FATBIN_ZSTD: whole = ZSTD_decompress(text, e->text_bytes, e->payload, e->stored_bytes) == e->text_bytes; break;
    }
    if (!whole) {
        free(text);
        return error_set(err, ERR_INPUT, "fat binary: the %s data of an entry (compute_%u) are damaged",
                         e->packing == FATBIN_LZ4 ? "LZ4" : "zstd", e->arch);
    }
    text[e->text_bytes] = '\0';
    *size = strlen(text); /* entries are padded with zeros */
    *out = text;
    return 0;
}

static bool is_better(const struct fatbin_entry *a, const struct fatbin_entry *b, uint32_t capability)
{
    if (b->kind != FATBIN_PTX) return true;
    const bool fits = a->arch <= capability, other_fits = b->arch <= capability;
    return fits != other_fits ? fits : fits ? a->arch > b->arch : a->arch < b->arch;
}

int fatbin_ptx(char **out, size_t *text_size, const void *data, size_t size, uint32_t capability, struct error *err)
{
    struct fatbin_entry entry, best = {0};
    uint32_t machine_code = 0;
    size_t at = 0;
    int more;
    while ((more = fatbin_next(&entry, data, size, &at, err)) == 1) {
        if (entry.kind == FATBIN_MACHINE_CODE) machine_code = entry.arch;
        if (entry.kind == FATBIN_PTX && is_better(&entry, &best, capability)) best = entry;
    }
    if (more < 0) return -1;
    if (best.kind == FATBIN_PTX) return fatbin_text(out, text_size, &best, err);
    if (!machine_code) {
        error_set(err, ERR_INPUT, "a fat binary without device code");
    } else {
        error_set(err, ERR_INPUT, "the program holds machine code for sm_%u and no PTX, which is what this device runs",
                  machine_code);
        char hint[128];
        snprintf(hint, sizeof hint, "compile it with nvcc -cudart shared -gencode arch=compute_%u,code=compute_%u",
                 machine_code, machine_code);
        error_at(err, NULL, 0, -1, hint);
    }
    return -1;
}

int fatbin_from_ptx(unsigned char **out, size_t *size, const char *text, size_t text_size, uint32_t arch,
                    struct error *err)
{
    const uint64_t payload = (text_size + 1 + 7) / 8 * 8, flags = FLAG_64_BIT | FLAG_LINUX;
    const uint64_t whole = ENTRY_MIN_BYTES + payload;
    const uint32_t magic = FATBIN_MAGIC, entry_header = ENTRY_MIN_BYTES;
    const uint16_t version = 1, header = FATBIN_HEADER_BYTES, kind = FATBIN_PTX, entry_version = 0x101;
    unsigned char *p = calloc(1, (size_t)(FATBIN_HEADER_BYTES + whole));
    if (!p) return error_set(err, ERR_MEMORY, "no memory for a fat binary");
    *out = p;
    *size = (size_t)(FATBIN_HEADER_BYTES + whole);
    memcpy(p, &magic, 4);
    memcpy(p + 4, &version, 2);
    memcpy(p + 6, &header, 2);
    memcpy(p + 8, &whole, 8);
    p += FATBIN_HEADER_BYTES;
    memcpy(p + ENTRY_KIND, &kind, 2);
    memcpy(p + 2, &entry_version, 2);
    memcpy(p + ENTRY_HEADER_BYTES, &entry_header, 4);
    memcpy(p + ENTRY_PAYLOAD_BYTES, &payload, 8);
    memcpy(p + ENTRY_ARCH, &arch, 4);
    memcpy(p + ENTRY_FLAGS, &flags, 8);
    memcpy(p + ENTRY_MIN_BYTES, text, text_size);
    return 0;
}
