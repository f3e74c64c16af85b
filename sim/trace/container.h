/* The file of both forms: header, section table, sections.
 *
 *   header   128 bytes   magic, version, form, identity, counts, size of the file, checksum of header and table
 *   table    48 bytes a section: type, codec, offset, stored and raw bytes, checksum of the stored bytes
 *   sections at rest: one after another, no gaps; decoded: each at a multiple of 64 bytes, zeros between
 *
 * So every byte of a file is covered by a checksum or known to be zero. A section of unknown type is carried and
 * checked, not read: room for SASS text. A CPU program's access stream (poise/cpu_stream.h) is the same container with
 * other sections. */
#ifndef TRACE_CONTAINER_H
#define TRACE_CONTAINER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/hash.h"

/* id, at rest: what it holds */
#define TRACE_SECTIONS(X) \
    X(LAUNCH, "struct trace_launch") \
    X(CODE, "struct trace_inst[]") \
    X(STRINGS, "text") \
    X(PROVENANCE, "JSON") \
    X(WARPS, "decoded: struct trace_warp[]") \
    X(STEPS, "decoded: struct trace_step[]") \
    X(ACCESSES, "decoded: words") \
    X(GUARDS, "decoded: masks") \
    X(COLUMN_WARPS, "steps of each warp, residuals") \
    X(COLUMN_STEPS, "instructions, residuals") \
    X(COLUMN_MASKS, "lane masks, residuals") \
    X(COLUMN_GUARDS, "active masks, residuals") \
    X(COLUMN_KINDS, "access kinds, residuals") \
    X(COLUMN_BASES, "access bases, residuals") \
    X(COLUMN_STRIDES, "access strides that changed") \
    X(COLUMN_LANES, "lane addresses of scattered accesses") \
    X(SPUN, "struct trace_spun[]; absent where no warp waited in a loop") \
    X(CPU_STREAM, "struct cpu_stream_counts; this and the next three: a CPU program, and no launch") \
    X(CPU_BEGUN, "instructions begun between accesses, residuals") \
    X(CPU_KINDS, "sizes and directions of accesses, residuals") \
    X(CPU_ADDRESSES, "distances between addresses") \
    X(WORDS, "struct trace_word[]; this and the next two: absent where nothing is known of what was waited for") \
    X(WAITS, "struct trace_wait[]") \
    X(WRITES, "struct trace_write[]")
enum section_type {
    SECTION_NONE,
#define X(id, doc) SECTION_##id,
    TRACE_SECTIONS(X)
#undef X
        N_SECTION_TYPES
};
enum section_codec { CODEC_RAW, CODEC_ZSTD, N_CODECS };
enum trace_form { FORM_AT_REST = 1, FORM_DECODED = 2 };

#define N_COLUMNS (SECTION_COLUMN_LANES + 1 - SECTION_COLUMN_WARPS)

#define TRACE_MAGIC "\x89PTRACE\n"
#define SECTIONS_MAX 64
#define SECTION_ALIGN 64

struct section {
    uint32_t type, codec;
    uint64_t offset, stored, raw, checksum, reserved;
};
_Static_assert(sizeof(struct section) == 48, "section is a file format");

struct container_header {
    char magic[8];
    uint32_t version, form, n_sections, reserved0;
    uint64_t file_bytes;
    uint8_t hash[16];
    uint64_t n_warps, n_steps, n_accesses, n_guards;
    uint64_t reserved[5];
    uint64_t checksum; /* of header and table, this field zero */
};
_Static_assert(sizeof(struct container_header) == 128, "container_header is a file format");

/* ---- reading ---- */
struct container {
    const char *name; /* borrowed: for messages */
    const uint8_t *data;
    size_t size;
    struct container_header header;
    struct section sections[SECTIONS_MAX];
};
/* Checks header and table: magic, version, checksum, sizes, that sections tile the file. `have` bytes of the file's
 * `size` are at data: at least CONTAINER_PEEK of them, or the whole file. */
#define CONTAINER_PEEK (sizeof(struct container_header) + SECTIONS_MAX * sizeof(struct section))
int container_peek(struct container *c, const char *name, const void *data, size_t have, size_t size,
                   struct error *err);
/* The same and every section's checksum; the whole file is at data. */
int container_parse(struct container *c, const char *name, const void *data, size_t size, struct error *err);
const struct section *container_find(const struct container *c, enum section_type type); /* NULL if absent */
/* The section or an error that names it. */
const struct section *container_need(const struct container *c, enum section_type type, struct error *err);
const char *section_name(uint32_t type);
/* "NAME: byte B: ..." with code ERR_INPUT and the hint to record again. Returns -1. */
int container_bad(struct error *err, const char *name, long byte, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- writing ---- */
struct container_out {
    struct container_header header;
    struct section sections[SECTIONS_MAX];
    const void *data[SECTIONS_MAX];
    void *owned[SECTIONS_MAX]; /* freed by container_out_free */
};
void container_add(struct container_out *out, enum section_type type, enum section_codec codec, const void *data,
                   uint64_t stored, uint64_t raw, void *owned);
/* Fills offsets, checksums and header. */
void container_seal(struct container_out *out, enum trace_form form);
/* Temporary name of its own (threads and processes may write the same path), then rename. */
int container_write(const struct container_out *out, const char *path, struct error *err);
void container_out_free(struct container_out *out);
#endif
