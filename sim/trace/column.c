#include "column.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */
void column_out_init(struct column_out *c, ZSTD_CCtx *zstd)
{
    memset(c, 0, sizeof *c);
    c->zstd = zstd;
    c->frame = malloc(COLUMN_FRAME);
    c->failed = !c->frame || !zstd;
}

void column_flush(struct column_out *c)
{
    if (c->failed || c->n_frame == 0) return;
    const size_t bound = ZSTD_compressBound(c->n_frame), need = c->n_stored + 8 + bound;
    if (need > c->cap_stored) {
        const size_t cap = need > 2 * c->cap_stored ? need : 2 * c->cap_stored;
        uint8_t *stored = realloc(c->stored, cap);
        if (!stored) {
            c->failed = true;
            return;
        }
        c->stored = stored;
        c->cap_stored = cap;
    }
    const size_t n = ZSTD_compressCCtx(c->zstd, c->stored + c->n_stored + 8, bound, c->frame, c->n_frame, COLUMN_LEVEL);
    if (ZSTD_isError(n)) {
        c->failed = true;
        return;
    }
    const uint32_t sizes[2] = {(uint32_t)c->n_frame, (uint32_t)n};
    memcpy(c->stored + c->n_stored, sizes, sizeof sizes);
    c->n_stored += 8 + n;
    c->raw += c->n_frame;
    c->n_frame = 0;
}

void column_end(struct column_out *c)
{
    if (c->zeros) column_plain(c, c->zeros);
    c->zeros = 0;
    column_flush(c);
}

void column_bytes(struct column_out *c, const void *data, size_t size)
{
    for (size_t done = 0; done < size && !c->failed;) {
        const size_t n = size - done < COLUMN_FRAME - c->n_frame ? size - done : COLUMN_FRAME - c->n_frame;
        memcpy(c->frame + c->n_frame, (const char *)data + done, n);
        c->n_frame += n;
        done += n;
        if (c->n_frame == COLUMN_FRAME) column_flush(c);
    }
    column_flush(c);
}

void column_out_fini(struct column_out *c)
{
    free(c->frame);
    free(c->stored);
    c->frame = c->stored = NULL;
}

/* ---- reading ---- */
int column_in_init(struct column_in *c, ZSTD_DCtx *zstd, const struct container *in, enum section_type type,
                   struct error *err)
{
    memset(c, 0, sizeof *c);
    const struct section *s = container_need(in, type, err);
    if (!s) return -1;
    if (s->codec != CODEC_ZSTD)
        return container_bad(err, in->name, (long)s->offset, "section %s: codec %u", section_name(type), s->codec);
    c->zstd = zstd;
    c->stored = in->data + s->offset;
    c->n_stored = s->stored;
    c->offset = s->offset;
    c->type = type;
    c->frame = malloc(COLUMN_FRAME);
    if (!c->frame) return error_set(err, ERR_MEMORY, "%s: no memory for a column", in->name);
    return 0;
}

void column_in_fini(struct column_in *c)
{
    free(c->frame);
    c->frame = NULL;
}

bool column_refill(struct column_in *c)
{
    uint32_t sizes[2];
    if (c->bad || c->n_stored - c->at < sizeof sizes) return false;
    memcpy(sizes, c->stored + c->at, sizeof sizes);
    if (sizes[0] == 0 || sizes[0] > COLUMN_FRAME || sizes[1] > c->n_stored - c->at - sizeof sizes) return false;
    const size_t n = ZSTD_decompressDCtx(c->zstd, c->frame, COLUMN_FRAME, c->stored + c->at + sizeof sizes, sizes[1]);
    if (ZSTD_isError(n) || n != sizes[0]) return false;
    c->at += sizeof sizes + sizes[1];
    c->n_frame = n;
    c->pos = 0;
    return true;
}

bool column_at_end(struct column_in *c)
{
    return !c->bad && c->zeros == 0 && c->pos == c->n_frame && c->at == c->n_stored;
}

int section_unpack(void *data, size_t size, ZSTD_DCtx *zstd, const struct container *in, const struct section *s,
                   struct error *err)
{
    if (s->raw != size)
        return container_bad(err, in->name, (long)s->offset, "section %s has %llu bytes, not %zu",
                             section_name(s->type), (unsigned long long)s->raw, size);
    if (s->codec == CODEC_RAW) {
        memcpy(data, in->data + s->offset, size);
        return 0;
    }
    struct column_in c;
    if (column_in_init(&c, zstd, in, s->type, err) < 0) return -1;
    size_t done = 0;
    while (done < size && column_refill(&c) && c.n_frame <= size - done) {
        memcpy((char *)data + done, c.frame, c.n_frame);
        done += c.n_frame;
    }
    const bool whole = done == size && c.at == c.n_stored;
    column_in_fini(&c);
    if (!whole)
        return container_bad(err, in->name, (long)(s->offset + c.at), "section %s does not decompress",
                             section_name(s->type));
    return 0;
}
