/* Access streams of CPU programs: checks, identity, and the container that holds one. */
#include "poise/cpu_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "column.h"
#include "poise/file.h"
#include "poise/trace.h"

enum { ACCESS_BYTES_MAX = 128, MESSAGE = 200 };

void cpu_stream_free(struct cpu_stream *stream)
{
    if (!stream) return;
    free(stream->accesses);
    free(stream->provenance);
    free(stream);
}

/* What is wrong, into text; false if nothing is. */
static bool is_wrong(const struct cpu_stream *s, char text[MESSAGE])
{
    const struct cpu_stream_counts *c = &s->counts;
    uint64_t begun = 0;
    if (c->pages > 1ull << CPU_ADDRESS_BITS >> 12) {
        snprintf(text, MESSAGE, "%" PRIu64 " pages; at most 2^%d bytes may be touched", c->pages, CPU_ADDRESS_BITS);
        return true;
    }
    for (uint64_t i = 0; i < c->accesses; i++) {
        const struct cpu_access *a = &s->accesses[i];
        begun += a->begun;
        const char *what = a->address >= c->pages * CPU_PAGE_BYTES        ? "lies behind the last page"
                           : a->bytes == 0 || a->bytes > ACCESS_BYTES_MAX ? "has no size from 1 to 128 bytes"
                           : a->is_store > 1 || a->reserved               ? "has unknown flags"
                           : i == 0 && a->begun == 0                      ? "is of no instruction"
                           : begun > c->insts                             ? "is of an instruction behind the last one"
                                                                          : NULL;
        if (!what) continue;
        snprintf(text, MESSAGE, "access %" PRIu64 " %s", i, what);
        return true;
    }
    if (c->insts) return false;
    snprintf(text, MESSAGE, "no instruction");
    return true;
}

static int identify(struct cpu_stream *s, struct error *err)
{
    struct hasher *hasher = hasher_new();
    if (!hasher) return error_set(err, ERR_MEMORY, "no memory for an access stream");
    hasher_add(hasher, &s->counts, sizeof s->counts);
    if (s->counts.accesses) hasher_add(hasher, s->accesses, s->counts.accesses * sizeof *s->accesses);
    s->hash = hasher_finish(hasher);
    return 0;
}

int cpu_stream_new(struct cpu_stream **out, const struct cpu_stream_counts *counts, struct cpu_access *accesses,
                   const char *provenance, struct error *err)
{
    char text[MESSAGE];
    struct cpu_stream *s = calloc(1, sizeof *s);
    *out = NULL;
    if (s) *s = (struct cpu_stream){.counts = *counts, .accesses = accesses, .provenance = strdup(provenance)};
    else free(accesses);
    int result = s && s->provenance ? 0 : error_set(err, ERR_MEMORY, "no memory for an access stream");
    if (result == 0 && is_wrong(s, text)) result = error_set(err, ERR_INPUT, "access stream: %s", text);
    if (result == 0) result = identify(s, err);
    if (result == 0) *out = s;
    else cpu_stream_free(s);
    return result;
}

/* ---- writing ---- */

enum { BEGUN, KINDS, ADDRESSES, N_STREAM_COLUMNS };
static const enum section_type column_types[N_STREAM_COLUMNS] = {SECTION_CPU_BEGUN, SECTION_CPU_KINDS,
                                                                 SECTION_CPU_ADDRESSES};

static uint32_t kind_of(const struct cpu_access *a) { return (uint32_t)a->bytes * 2 + a->is_store; }

static void encode(const struct cpu_stream *s, struct column_out columns[N_STREAM_COLUMNS])
{
    uint64_t last[2] = {0, 0};
    uint32_t kind_was = 0;
    for (uint64_t i = 0; i < s->counts.accesses; i++) {
        const struct cpu_access *a = &s->accesses[i];
        column_put(&columns[BEGUN], a->begun ^ 1);
        column_put(&columns[KINDS], kind_of(a) ^ kind_was);
        column_plain(&columns[ADDRESSES], zigzag(a->address - last[a->is_store]));
        kind_was = kind_of(a);
        last[a->is_store] = a->address;
    }
}

int cpu_stream_write(struct cpu_stream *s, const char *path, struct error *err)
{
    struct column_out columns[N_STREAM_COLUMNS];
    struct container_out *out = calloc(1, sizeof *out);
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    int result = out && zstd ? 0 : -1;
    for (int i = 0; i < N_STREAM_COLUMNS; i++) column_out_init(&columns[i], zstd);
    if (result == 0) {
        encode(s, columns);
        container_add(out, SECTION_CPU_STREAM, CODEC_RAW, &s->counts, sizeof s->counts, sizeof s->counts, NULL);
        container_add(out, SECTION_PROVENANCE, CODEC_RAW, s->provenance, strlen(s->provenance), strlen(s->provenance),
                      NULL);
    }
    for (int i = 0; i < N_STREAM_COLUMNS && result == 0; i++) {
        column_end(&columns[i]);
        if (columns[i].failed) result = -1;
        else
            container_add(out, column_types[i], CODEC_ZSTD, columns[i].stored, columns[i].n_stored, columns[i].raw,
                          NULL);
    }
    if (result < 0) {
        error_set(err, ERR_MEMORY, "%s: no memory to compress the access stream", path);
    } else {
        memcpy(out->header.hash, s->hash.bytes, sizeof out->header.hash);
        out->header.n_accesses = s->counts.accesses;
        container_seal(out, FORM_AT_REST);
        result = container_write(out, path, err);
        if (result == 0) s->file_bytes = out->header.file_bytes;
    }
    for (int i = 0; i < N_STREAM_COLUMNS; i++) column_out_fini(&columns[i]);
    ZSTD_freeCCtx(zstd);
    free(out);
    return result;
}

/* ---- reading ---- */

/* The array grows with what has been read, so that a false count in a header takes no memory. */
static struct cpu_access *decode(struct column_in columns[N_STREAM_COLUMNS], uint64_t n)
{
    struct cpu_access *accesses = NULL;
    uint64_t room = 0, last[2] = {0, 0};
    uint32_t kind = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (i == room) {
            room = room ? 2 * room : 4096;
            room = room < n ? room : n;
            struct cpu_access *larger = realloc(accesses, room * sizeof *accesses);
            if (!larger) break;
            accesses = larger;
        }
        const uint64_t begun = column_get(&columns[BEGUN]) ^ 1, residual = column_get(&columns[KINDS]);
        kind ^= (uint32_t)residual;
        const uint32_t is_store = kind & 1;
        last[is_store] += unzigzag(column_get_plain(&columns[ADDRESSES]));
        columns[BEGUN].bad |= begun > UINT32_MAX;
        columns[KINDS].bad |= residual > UINT32_MAX || kind > 2 * ACCESS_BYTES_MAX + 1;
        if (columns[BEGUN].bad || columns[KINDS].bad || columns[ADDRESSES].bad) break;
        accesses[i] = (struct cpu_access){last[is_store], (uint32_t)begun, (uint8_t)is_store, (uint8_t)(kind / 2), 0};
        if (i + 1 == n) return accesses;
    }
    free(accesses);
    return NULL;
}

static int take_columns(struct cpu_access **out, const struct container *in, uint64_t n, ZSTD_DCtx *zstd,
                        struct error *err)
{
    struct column_in columns[N_STREAM_COLUMNS] = {0};
    int result = 0;
    for (int i = 0; i < N_STREAM_COLUMNS && result == 0; i++)
        result = column_in_init(&columns[i], zstd, in, column_types[i], err);
    if (result == 0 && n && !(*out = decode(columns, n))) {
        result = -1;
        error_set(err, ERR_MEMORY, "%s: no memory for %" PRIu64 " accesses", in->name, n);
    }
    for (int i = 0; i < N_STREAM_COLUMNS; i++) {
        const struct column_in *c = &columns[i];
        if (c->frame && (c->bad || (result == 0 && !column_at_end(&columns[i]))))
            result = container_bad(err, in->name, (long)(c->offset + c->at), "section %s %s", section_name(c->type),
                                   c->bad ? "ends early, does not decompress, or holds no such thing"
                                          : "goes on after the last access");
    }
    for (int i = 0; i < N_STREAM_COLUMNS; i++) column_in_fini(&columns[i]);
    return result;
}

static int from_container(struct cpu_stream **out, const struct container *in, ZSTD_DCtx *zstd, struct error *err)
{
    struct cpu_stream_counts counts;
    const struct section *s = container_find(in, SECTION_CPU_STREAM);
    if (!s) {
        error_set(err, ERR_INPUT, "%s: this is no access stream of a CPU program: it has no section CPU_STREAM",
                  in->name);
        return error_at(err, in->name, 0, -1, "`poise cpu record` makes one");
    }
    const struct section *p = container_need(in, SECTION_PROVENANCE, err);
    if (!p || section_unpack(&counts, sizeof counts, zstd, in, s, err) < 0) return -1;
    if (counts.accesses != in->header.n_accesses)
        return container_bad(err, in->name, (long)s->offset, "%" PRIu64 " accesses, but the header says %" PRIu64,
                             counts.accesses, in->header.n_accesses);
    if (p->codec != CODEC_RAW)
        return container_bad(err, in->name, (long)p->offset, "section PROVENANCE: codec %u", p->codec);
    struct cpu_access *accesses = NULL;
    if (take_columns(&accesses, in, counts.accesses, zstd, err) < 0) {
        free(accesses);
        return -1;
    }
    char *text = strndup((const char *)in->data + p->offset, p->stored);
    struct cpu_stream *stream = NULL;
    if (!text) free(accesses);
    int result = text ? cpu_stream_new(&stream, &counts, accesses, text, err)
                      : error_set(err, ERR_MEMORY, "%s: no memory", in->name);
    free(text);
    if (result < 0 && err->code == ERR_INPUT) return container_bad(err, in->name, (long)s->offset, "%s", err->text);
    if (result < 0) return -1;
    if (memcmp(stream->hash.bytes, in->header.hash, sizeof stream->hash.bytes) == 0) {
        stream->file_bytes = in->size;
        *out = stream;
        return 0;
    }
    cpu_stream_free(stream);
    return container_bad(err, in->name, offsetof(struct container_header, hash),
                         "the content does not have the identity in the header");
}

int cpu_stream_parse(struct cpu_stream **out, const char *name, const void *data, size_t size, struct error *err)
{
    struct container in;
    *out = NULL;
    if (container_parse(&in, name, data, size, err) < 0) return -1;
    if (in.header.form != FORM_AT_REST)
        return container_bad(err, name, offsetof(struct container_header, form),
                             "an access stream has no decoded form");
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    if (!zstd) return error_set(err, ERR_MEMORY, "%s: no memory to decompress", name);
    const int result = from_container(out, &in, zstd, err);
    ZSTD_freeDCtx(zstd);
    return result;
}

int cpu_stream_open(struct cpu_stream **out, const char *path, struct error *err)
{
    char *data;
    size_t size;
    *out = NULL;
    if (file_read(&data, &size, path, err) < 0) return -1;
    const int result = cpu_stream_parse(out, path, data, size, err);
    free(data);
    return result;
}
