/* Opening a trace in either form, and the folder of decoded files that a sweep's threads share. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "column.h"
#include "poise/file.h"
#include "poise/text.h"

/* Points the trace into a decoded container (64-byte aligned). Only sizes are checked here. */
static int point_into(struct trace *t, const struct container *in, struct error *err)
{
    const struct container_header *h = &in->header;
    const struct section *s[SECTION_GUARDS + 1];
    for (uint32_t type = SECTION_LAUNCH; type <= SECTION_GUARDS; type++)
        if (!(s[type] = container_need(in, (enum section_type)type, err))) return -1;
    if (s[SECTION_LAUNCH]->raw != sizeof t->launch)
        return container_bad(err, in->name, (long)s[SECTION_LAUNCH]->offset, "section LAUNCH has %llu bytes",
                             (unsigned long long)s[SECTION_LAUNCH]->raw);
    memcpy(&t->launch, in->data + s[SECTION_LAUNCH]->offset, sizeof t->launch);
    const struct {
        uint32_t type;
        uint64_t count, size;
    } counts[] = {{SECTION_CODE, t->launch.n_code, sizeof *t->code},
                  {SECTION_WARPS, h->n_warps, sizeof *t->warps},
                  {SECTION_STEPS, h->n_steps, sizeof *t->steps},
                  {SECTION_ACCESSES, h->n_accesses, sizeof *t->accesses},
                  {SECTION_GUARDS, h->n_guards, sizeof *t->guards}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (s[counts[i].type]->raw % counts[i].size || s[counts[i].type]->raw / counts[i].size != counts[i].count)
            return container_bad(err, in->name, (long)s[counts[i].type]->offset, "section %s does not have %llu items",
                                 section_name(counts[i].type), (unsigned long long)counts[i].count);
    const struct section *strings = s[SECTION_STRINGS];
    if (strings->raw == 0 || in->data[strings->offset + strings->raw - 1] != '\0' || t->launch.kernel >= strings->raw)
        return container_bad(err, in->name, (long)strings->offset, "section STRINGS has no end or no kernel name");
    for (const char *c = (const char *)in->data + strings->offset + t->launch.kernel; *c; c++)
        if (text_control(c))
            return container_bad(err, in->name, (long)strings->offset, "the kernel's name has a control character");
    t->code = (const void *)(in->data + s[SECTION_CODE]->offset);
    t->strings = (const void *)(in->data + strings->offset);
    t->n_strings = strings->raw;
    t->warps = (const void *)(in->data + s[SECTION_WARPS]->offset);
    t->steps = (const void *)(in->data + s[SECTION_STEPS]->offset);
    t->accesses = (const void *)(in->data + s[SECTION_ACCESSES]->offset);
    t->guards = (const void *)(in->data + s[SECTION_GUARDS]->offset);
    for (const struct trace_part *p = trace_parts; p < trace_parts + N_TRACE_PARTS; p++) { /* seldom there */
        const struct section *part;
        uint64_t count;
        if (trace_part_find(in, p, &part, &count, err) < 0) return -1;
        trace_part_set(t, p, part ? in->data + part->offset : NULL, count);
    }
    t->n_warps = h->n_warps;
    t->n_steps = h->n_steps;
    t->n_accesses = h->n_accesses;
    t->n_guards = h->n_guards;
    return 0;
}

/* The provenance of a container of either form as a string in the trace's blocks. */
static int take_provenance(struct trace *t, const struct container *in, struct error *err)
{
    const struct section *s = container_need(in, SECTION_PROVENANCE, err);
    if (!s) return -1;
    if (hash_checksum(in->data + s->offset, s->stored) != s->checksum)
        return container_bad(err, in->name, (long)s->offset, "section PROVENANCE does not match its checksum");
    char *text = s->raw < 1u << 30 ? malloc(s->raw + 1) : NULL;
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    t->owner->blocks[BLOCK_PROVENANCE] = text;
    int result = text && zstd ? section_unpack(text, s->raw, zstd, in, s, err)
                              : error_set(err, ERR_MEMORY, "%s: no memory", in->name);
    if (text) text[s->raw] = '\0';
    t->provenance = text;
    ZSTD_freeDCtx(zstd);
    return result;
}

/* A decoded container that nobody vouches for: everything is checked, as at rest. */
static int adopt_decoded(struct trace *t, const struct container *in, struct error *err)
{
    if (point_into(t, in, err) < 0 || take_provenance(t, in, err) < 0 ||
        trace_check_code(t, in->name, container_find(in, SECTION_CODE), err) < 0)
        return -1;
    const long byte = (long)container_find(in, SECTION_STEPS)->offset;
    if (trace_check_warps(t, in->name, byte, err) < 0 || trace_check_spun(t, in->name, byte, err) < 0) return -1;
    return trace_check_waits(t, in->name, byte, err);
}

static int check_identity(struct trace *t, const struct container *in, struct error *err)
{
    struct hash hash;
    if (trace_identity(t, &hash, err) < 0) return -1;
    memcpy(t->hash.bytes, in->header.hash, sizeof t->hash.bytes);
    if (memcmp(hash.bytes, t->hash.bytes, sizeof hash.bytes) != 0)
        return container_bad(err, in->name, offsetof(struct container_header, hash),
                             "the content does not have the identity in the header");
    return 0;
}

/* data is 64-byte aligned and outlives the trace when the form is decoded. */
static int parse_aligned(struct trace *t, const char *name, const void *data, size_t size, struct error *err)
{
    struct container in;
    t->file_bytes = size;
    if (container_parse(&in, name, data, size, err) < 0) return -1;
    const int result = in.header.form == FORM_AT_REST ? trace_from_rest(t, &in, err) : adopt_decoded(t, &in, err);
    return result < 0 ? -1 : check_identity(t, &in, err);
}

int trace_parse(struct trace **out, const char *name, const void *data, size_t size, struct error *err)
{
    *out = NULL;
    struct trace *t = trace_alloc();
    void *copy = aligned_alloc(SECTION_ALIGN, (size + SECTION_ALIGN) / SECTION_ALIGN * SECTION_ALIGN);
    if (!t || !copy) {
        free(copy);
        trace_close(t);
        return error_set(err, ERR_MEMORY, "%s: no memory for %zu bytes", name, size);
    }
    if (size) memcpy(copy, data, size);
    t->owner->blocks[BLOCK_FILE] = copy;
    if (parse_aligned(t, name, copy, size, err) < 0) {
        trace_close(t);
        return -1;
    }
    *out = t;
    return 0;
}

/* ---- files ---- */
struct mapping {
    void *data;
    size_t size;
};

static int map_file(struct mapping *m, const char *path, struct error *err)
{
    const int fd = file_open(path, err);
    if (fd < 0) return -1;
    struct stat st;
    m->data = MAP_FAILED;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        m->size = (size_t)st.st_size;
        m->data = mmap(NULL, m->size, PROT_READ, MAP_SHARED, fd, 0);
    }
    close(fd);
    if (m->data == MAP_FAILED) return container_bad(err, path, 0, "the file is empty");
    return 0;
}

static bool cache_path(char *path, size_t size, const char *cache_dir, const struct container *in)
{
    struct hash hash;
    char text[HASH_TEXT_SIZE];
    memcpy(hash.bytes, in->header.hash, sizeof hash.bytes);
    hash_text(&hash, text);
    return (size_t)snprintf(path, size, "%s/%s-v%u.trace", cache_dir, text, TRACE_VERSION) < size;
}

/* The decoded file of this identity, if it is there and sound; checks the header only, the content was when it was
 * made. */
static bool open_cached(struct trace *t, const char *path, const struct container *rest)
{
    struct mapping m = {0};
    struct container in;
    struct error ignored;
    if (map_file(&m, path, &ignored) < 0) return false;
    if (container_peek(&in, path, m.data, m.size, m.size, &ignored) < 0 || in.header.form != FORM_DECODED ||
        memcmp(in.header.hash, rest->header.hash, sizeof in.header.hash) != 0 || point_into(t, &in, &ignored) < 0) {
        munmap(m.data, m.size);
        return false;
    }
    memcpy(t->hash.bytes, in.header.hash, sizeof t->hash.bytes);
    t->owner->map = m.data;
    t->owner->map_bytes = m.size;
    return true;
}

/* Decodes, leaves the decoded form in the cache and goes on from there, so that all openers share its pages. Two
 * programs may do so at once: each renames a file of its own into place, with the same content. */
static int open_at_rest(struct trace *t, const struct container *in, const char *cached, struct error *err)
{
    if (parse_aligned(t, in->name, in->data, in->size, err) < 0) return -1;
    if (!cached[0]) return 0;
    struct container_out *file = malloc(sizeof *file);
    if (!file) return error_set(err, ERR_MEMORY, "%s: no memory to write", cached);
    trace_to_decoded(file, t);
    const int result = container_write(file, cached, err);
    container_out_free(file);
    free(file);
    if (result < 0) return -1;
    for (size_t i = 0; i < BLOCK_PROVENANCE; i++) {
        free(t->owner->blocks[i]);
        t->owner->blocks[i] = NULL;
    }
    return open_cached(t, cached, in) ? 0 : error_set(err, ERR_IO, "%s: vanished while it was being used", cached);
}

/* Provenance is not part of the identity, so it comes from this file and not from the cached one. */
static int open_mapped(struct trace *t, const char *path, const struct mapping *m, const char *cache_dir,
                       struct error *err)
{
    struct container in;
    char cached[4096] = "";
    if (container_peek(&in, path, m->data, m->size, m->size, err) < 0) return -1;
    t->file_bytes = m->size;
    if (in.header.form == FORM_DECODED) {
        t->owner->map = m->data;
        t->owner->map_bytes = m->size;
        return parse_aligned(t, path, m->data, m->size, err);
    }
    if (cache_dir) {
        if (file_make_folders(cache_dir, err) < 0) return -1;
        if (!cache_path(cached, sizeof cached, cache_dir, &in))
            return error_set(err, ERR_INPUT, "%.80s...: the path is too long", cache_dir);
        if (open_cached(t, cached, &in)) return take_provenance(t, &in, err);
    }
    return open_at_rest(t, &in, cached, err);
}

/* A trace of Accel-Sim's is text, and a list of them too; compressed, it has the ending. */
static bool is_accelsim(const struct mapping *m, const char *path)
{
    static const char *const endings[] = {".traceg", ".traceg.xz", ".g"};
    static const char first[] = "-kernel name";
    const size_t n = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(endings[i]);
        if (n > length && strcmp(path + n - length, endings[i]) == 0) return true;
    }
    return m->size >= sizeof first && memcmp(m->data, first, sizeof first - 1) == 0;
}

static int refuse_accelsim(const char *path, struct error *err)
{
    error_set(err, ERR_INPUT, "%s: a trace of Accel-Sim's, which has to be imported", path);
    return error_at(err, path, 0, -1, "poise trace import FILE.traceg -o FILE.ptrace makes one of ours of it");
}

int trace_open(struct trace **out, const char *path, const char *cache_dir, struct error *err)
{
    struct mapping m = {0};
    *out = NULL;
    struct trace *t = trace_alloc();
    if (!t) return error_set(err, ERR_MEMORY, "%s: out of memory", path);
    int result = map_file(&m, path, err);
    if (result == 0) {
        result = open_mapped(t, path, &m, cache_dir, err);
        if (result < 0 && err->code == ERR_INPUT && is_accelsim(&m, path)) refuse_accelsim(path, err);
        if (t->owner->map != m.data) munmap(m.data, m.size);
    }
    if (result < 0) {
        trace_close(t);
        return -1;
    }
    *out = t;
    return 0;
}
