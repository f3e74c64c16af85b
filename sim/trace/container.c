#include "container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/trace.h"

const char *section_name(uint32_t type)
{
    static const char *const names[] = {"none",
#define X(id, doc) #id,
                                        TRACE_SECTIONS(X)
#undef X
    };
    return type < N_SECTION_TYPES ? names[type] : "unknown";
}

int container_bad(struct error *err, const char *name, long byte, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(err, ERR_INPUT, "%s: byte %ld: %s", name, byte, text);
    return error_at(err, name, 0, byte, "the file is damaged or not a trace: record it again");
}

/* ---- reading ---- */
static int check_header(const struct container *c, size_t have, struct error *err)
{
    const struct container_header *h = &c->header;
    if (memcmp(h->magic, TRACE_MAGIC, sizeof h->magic) != 0)
        return container_bad(err, c->name, 0, "not a warp trace (wrong magic)");
    if (h->version != TRACE_VERSION)
        return container_bad(err, c->name, offsetof(struct container_header, version),
                             "trace version %u, this build reads version %u", h->version, TRACE_VERSION);
    if (h->form != FORM_AT_REST && h->form != FORM_DECODED)
        return container_bad(err, c->name, offsetof(struct container_header, form),
                             "form %u is neither at rest nor decoded", h->form);
    if (h->n_sections > SECTIONS_MAX || sizeof *h + h->n_sections * sizeof(struct section) > have)
        return container_bad(err, c->name, offsetof(struct container_header, n_sections), "%u sections in %zu bytes",
                             h->n_sections, c->size);
    return 0;
}

/* Sections follow each other: at rest without gaps, decoded at the next multiple of SECTION_ALIGN. */
static int check_table(const struct container *c, struct error *err)
{
    const struct container_header *h = &c->header;
    uint64_t end = sizeof *h + h->n_sections * sizeof(struct section), seen = 0;
    for (uint32_t i = 0; i < h->n_sections; i++) {
        const struct section *s = &c->sections[i];
        const long at = (long)(sizeof *h + i * sizeof *s);
        if (h->form == FORM_DECODED) end = (end + SECTION_ALIGN - 1) / SECTION_ALIGN * SECTION_ALIGN;
        if (s->codec >= N_CODECS || (h->form == FORM_DECODED && s->codec != CODEC_RAW) ||
            (s->codec == CODEC_RAW && s->raw != s->stored))
            return container_bad(err, c->name, at, "section %s: codec %u does not fit", section_name(s->type),
                                 s->codec);
        if (s->offset != end || s->stored > c->size || end > c->size - s->stored)
            return container_bad(err, c->name, at, "section %s: bytes %llu + %llu do not tile a file of %zu",
                                 section_name(s->type), (unsigned long long)s->offset, (unsigned long long)s->stored,
                                 c->size);
        if (s->type < N_SECTION_TYPES && seen >> s->type & 1)
            return container_bad(err, c->name, at, "section %s appears twice", section_name(s->type));
        if (s->type < N_SECTION_TYPES) seen |= 1ull << s->type;
        end += s->stored;
    }
    if (end != c->size)
        return container_bad(err, c->name, (long)end, "%zu bytes after the last section", c->size - (size_t)end);
    return 0;
}

int container_peek(struct container *c, const char *name, const void *data, size_t have, size_t size, struct error *err)
{
    memset(c, 0, sizeof *c);
    c->name = name;
    c->data = data;
    c->size = size;
    if (have < sizeof c->header)
        return container_bad(err, name, (long)have, "the file ends within the header of %zu bytes", sizeof c->header);
    memcpy(&c->header, data, sizeof c->header);
    if (check_header(c, have, err) < 0) return -1;
    const size_t table = c->header.n_sections * sizeof(struct section);
    memcpy(c->sections, (const char *)data + sizeof c->header, table);

    uint8_t image[CONTAINER_PEEK];
    memcpy(image, data, sizeof c->header + table);
    memset(image + offsetof(struct container_header, checksum), 0, sizeof c->header.checksum);
    if (hash_checksum(image, sizeof c->header + table) != c->header.checksum)
        return container_bad(err, name, offsetof(struct container_header, checksum),
                             "header and section table do not match their checksum");
    if (c->header.file_bytes != size)
        return container_bad(err, name, (long)size, "the file has %zu bytes where its header says %llu", size,
                             (unsigned long long)c->header.file_bytes);
    return check_table(c, err);
}

int container_parse(struct container *c, const char *name, const void *data, size_t size, struct error *err)
{
    if (container_peek(c, name, data, size, size, err) < 0) return -1;
    uint64_t end = sizeof c->header + c->header.n_sections * sizeof(struct section);
    for (uint32_t i = 0; i < c->header.n_sections; i++) {
        const struct section *s = &c->sections[i];
        for (; end < s->offset; end++)
            if (c->data[end])
                return container_bad(err, name, (long)end, "padding before section %s is not zero",
                                     section_name(s->type));
        if (hash_checksum(c->data + s->offset, s->stored) != s->checksum)
            return container_bad(err, name, (long)s->offset, "section %s (%llu bytes) does not match its checksum",
                                 section_name(s->type), (unsigned long long)s->stored);
        end += s->stored;
    }
    return 0;
}

const struct section *container_find(const struct container *c, enum section_type type)
{
    for (uint32_t i = 0; i < c->header.n_sections; i++)
        if (c->sections[i].type == type) return &c->sections[i];
    return NULL;
}

const struct section *container_need(const struct container *c, enum section_type type, struct error *err)
{
    const struct section *s = container_find(c, type);
    if (!s) container_bad(err, c->name, sizeof c->header, "section %s is missing", section_name(type));
    return s;
}

/* ---- writing ---- */
void container_add(struct container_out *out, enum section_type type, enum section_codec codec, const void *data,
                   uint64_t stored, uint64_t raw, void *owned)
{
    const uint32_t i = out->header.n_sections++;
    out->sections[i] = (struct section){.type = type, .codec = codec, .stored = stored, .raw = raw};
    out->data[i] = data;
    out->owned[i] = owned;
}

void container_seal(struct container_out *out, enum trace_form form)
{
    struct container_header *h = &out->header;
    const size_t table = h->n_sections * sizeof(struct section);
    uint64_t end = sizeof *h + table;
    for (uint32_t i = 0; i < h->n_sections; i++) {
        struct section *s = &out->sections[i];
        if (form == FORM_DECODED) end = (end + SECTION_ALIGN - 1) / SECTION_ALIGN * SECTION_ALIGN;
        s->offset = end;
        s->checksum = hash_checksum(out->data[i], s->stored);
        end += s->stored;
    }
    memcpy(h->magic, TRACE_MAGIC, sizeof h->magic);
    h->version = TRACE_VERSION;
    h->form = form;
    h->file_bytes = end;
    h->checksum = 0;
    uint8_t image[CONTAINER_PEEK];
    memcpy(image, h, sizeof *h);
    memcpy(image + sizeof *h, out->sections, table);
    h->checksum = hash_checksum(image, sizeof *h + table);
}

static int write_all(int fd, const void *data, uint64_t size)
{
    const char *at = data;
    while (size > 0) {
        const ssize_t n = write(fd, at, size < 1u << 30 ? (size_t)size : 1u << 30);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        at += n;
        size -= (uint64_t)n;
    }
    return 0;
}

static int write_sections(const struct container_out *out, int fd)
{
    static const char zeros[SECTION_ALIGN];
    const struct container_header *h = &out->header;
    uint64_t end = sizeof *h + h->n_sections * sizeof(struct section);
    if (write_all(fd, h, sizeof *h) < 0 || write_all(fd, out->sections, end - sizeof *h) < 0) return -1;
    for (uint32_t i = 0; i < h->n_sections; i++) {
        const struct section *s = &out->sections[i];
        if (write_all(fd, zeros, s->offset - end) < 0 || write_all(fd, out->data[i], s->stored) < 0) return -1;
        end = s->offset + s->stored;
    }
    return 0;
}

int container_write(const struct container_out *out, const char *path, struct error *err)
{
    struct file_target target;
    if (file_target(&target, path, err) < 0) return -1;
    /* threads of one process may write the same file */
    if (!target.is_direct &&
        snprintf(target.path, sizeof target.path, "%s.XXXXXX", target.end) >= (int)sizeof target.path)
        return error_set(err, ERR_INPUT, "%.80s...: the path is too long", path);
    const int fd = target.is_direct ? open(target.path, O_WRONLY | O_CLOEXEC) : mkostemp(target.path, O_CLOEXEC);
    if (fd < 0) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    int why = write_sections(out, fd) < 0 || (!target.is_direct && fchmod(fd, 0644) < 0) ? errno : 0;
    if (close(fd) < 0 && !why) why = errno;
    return file_target_end(&target, why, path, err);
}

void container_out_free(struct container_out *out)
{
    for (uint32_t i = 0; i < out->header.n_sections; i++) free(out->owned[i]);
    out->header.n_sections = 0;
}
