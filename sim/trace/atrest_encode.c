/* Trace -> at-rest container. Columns of steps and columns of accesses know nothing of each other, so that an encoder
 * of each can work on its own; what they write does not depend on who does it. */
#include "atrest.h"

#include <stdlib.h>
#include "encoder.h"

#define COLUMN(e, id) (&(e)->columns[SECTION_COLUMN_##id - SECTION_COLUMN_WARPS])

/* The addresses of a scattered entry of n lanes, one after another. */
static void entry_addresses(const uint32_t *words, uint32_t n, uint64_t *addresses)
{
    const uint64_t base = words_base(words);
    if (words[0] == TRACE_ACCESS_SCATTER64) memcpy(addresses, words + 1, n * sizeof *addresses);
    else
        for (uint32_t k = 0; k < n; k++) addresses[k] = base + words[3 + k];
}

/* What each lane's address differs from its last one by; returns the union of the bits. */
static uint64_t lane_differences(struct predictor *p, uint32_t mask, const uint64_t *addresses, uint64_t *out)
{
    uint64_t bits = 0;
    uint32_t n = 0;
    if (mask == UINT32_MAX) { /* without a list of lanes, so that the loop vectorises */
        for (; n < TRACE_LANES; n++) bits |= out[n] = zigzag(addresses[n] - p->lane[n]);
        memcpy(p->lane, addresses, sizeof p->lane);
        return bits;
    }
    for (uint32_t m = mask; m; m &= m - 1, n++) {
        const uint32_t l = first_lane(m);
        bits |= out[n] = zigzag(addresses[n] - p->lane[l]);
        p->lane[l] = addresses[n];
    }
    return bits;
}

static unsigned bytes_of_all(const uint64_t *values, uint32_t n)
{
    unsigned sum = 0;
    for (uint32_t k = 0; k < n; k++) sum += varint_bytes(values[k]);
    return sum;
}

static void encode_lanes(struct encoder *e, struct predictor *p, uint64_t warp, uint32_t mask, const uint32_t *words,
                         uint32_t form_was)
{
    uint64_t addresses[TRACE_LANES], by_neighbour[TRACE_LANES], by_lane[TRACE_LANES];
    const uint32_t n = (uint32_t)__builtin_popcount(mask);
    entry_addresses(words, n, addresses);
    uint64_t neighbour_bits = by_neighbour[0] = zigzag(addresses[0] - predict_base(p, warp));
    for (uint32_t k = 1; k < n; k++) neighbour_bits |= by_neighbour[k] = zigzag(addresses[k] - addresses[k - 1]);
    const uint64_t lane_bits = lane_differences(p, mask, addresses, by_lane);
    /* the shorter one, and of two as short ones the neighbours; bytes are counted where neither has one a lane */
    const bool is_by_lane =
        neighbour_bits >= 128 && (lane_bits < 128 || bytes_of_all(by_lane, n) < bytes_of_all(by_neighbour, n));
    p->form = is_by_lane ? FORM_BY_LANE : FORM_BY_NEIGHBOUR;
    column_put(COLUMN(e, KINDS), p->form ^ form_was);
    column_plain_many(COLUMN(e, LANES), is_by_lane ? by_lane : by_neighbour, n,
                      is_by_lane ? lane_bits : neighbour_bits);
    learn_base(p, warp, addresses[0]);
}

/* Returns the words the entry took. */
static uint32_t encode_access(struct encoder *e, struct predictor *p, uint64_t warp, uint32_t mask,
                              const uint32_t *words)
{
    const uint32_t form_was = p->form;
    if (words[0] == TRACE_ACCESS_SCATTER32 || words[0] == TRACE_ACCESS_SCATTER64) {
        encode_lanes(e, p, warp, mask, words, form_was);
        return trace_access_words(words, mask);
    }
    const uint32_t stride = words[0] == TRACE_ACCESS_STRIDED ? words[3] : 0;
    const bool new_stride = stride && stride != p->stride;
    p->form = !stride ? FORM_UNIFORM : FORM_STRIDED;
    column_put(COLUMN(e, KINDS), (new_stride ? FORM_NEW_STRIDE : p->form) ^ form_was);
    if (new_stride) column_plain(COLUMN(e, STRIDES), zigzag((uint64_t)(int64_t)(int32_t)(stride - p->stride)));
    if (stride) p->stride = stride;
    const uint64_t base = lane0_base(words_base(words), mask, stride);
    column_put(COLUMN(e, BASES), zigzag(base - predict_base(p, warp)));
    learn_base(p, warp, base);
    return stride ? 4 : 3;
}

/* parts: enum encoder_parts, known when this is compiled. */
static inline __attribute__((always_inline)) void encode_warp(struct encoder *e, const struct encoder_source *from,
                                                              uint64_t w, unsigned parts)
{
    const struct trace *t = e->trace;
    const struct trace_warp *warp = &from->warps[w];
    const struct trace_step *step = from->steps + warp->first_step, *end = step + warp->n_steps;
    const uint32_t *access = from->accesses + warp->first_access, *guard = from->guards + warp->first_guard;
    struct successor *last = &e->after[t->launch.n_code];
    uint32_t lanes = UINT32_MAX;
    for (; step < end; step++) {
        struct predictor *p = &e->predictors[step->inst];
        if (parts & ENCODE_STEPS) {
            column_put(COLUMN(e, STEPS), zigzag((uint64_t)step->inst - last->next));
            last->next = step->inst;
            last = &e->after[step->inst];
            if (t->code[step->inst].flags & TRACE_GUARDED) {
                column_put(COLUMN(e, GUARDS), *guard ^ lanes);
                lanes = *guard++;
                column_put(COLUMN(e, MASKS), step->mask ^ lanes ^ p->guard);
                p->guard = step->mask ^ lanes;
            } else {
                column_put(COLUMN(e, MASKS), step->mask ^ lanes);
                lanes = step->mask;
            }
        }
        if (parts & ENCODE_ACCESSES && step->mask && inst_is_memory(&t->code[step->inst]))
            access += encode_access(e, p, w, step->mask, access);
    }
}

void encoder_warps(struct encoder *e, const struct encoder_source *from, uint64_t end)
{
    for (; e->n_warps < end; e->n_warps++) {
        const uint64_t w = e->n_warps, n_steps = from->warps[w].n_steps;
        if (e->parts & ENCODE_STEPS) column_put(COLUMN(e, WARPS), zigzag(n_steps - e->steps_was));
        e->steps_was = n_steps;
        if (e->parts == ENCODE_ALL) encode_warp(e, from, w, ENCODE_ALL);
        else if (e->parts == ENCODE_STEPS) encode_warp(e, from, w, ENCODE_STEPS);
        else encode_warp(e, from, w, ENCODE_ACCESSES);
    }
}

static bool has_column(const struct encoder *e, size_t i)
{
    return e->parts & (i + SECTION_COLUMN_WARPS < SECTION_COLUMN_KINDS ? ENCODE_STEPS : ENCODE_ACCESSES);
}

int encoder_init(struct encoder *e, const struct trace *trace, unsigned parts)
{
    bool failed = false;
    *e = (struct encoder){.trace = trace, .parts = parts};
    e->zstd = ZSTD_createCCtx();
    e->predictors = malloc(((size_t)trace->launch.n_code + 1) * sizeof *e->predictors);
    e->after = malloc(((size_t)trace->launch.n_code + 1) * sizeof *e->after);
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (!has_column(e, i)) continue;
        column_out_init(&e->columns[i], e->zstd);
        failed |= e->columns[i].failed;
    }
    if (failed || !e->predictors || !e->after) return -1;
    predictors_init(e->predictors, e->after, trace->code, trace->launch.n_code);
    return 0;
}

void encoder_end(struct encoder *e)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (has_column(e, i)) column_end(&e->columns[i]);
}

void encoder_fini(struct encoder *e)
{
    for (size_t i = 0; i < N_COLUMNS; i++) column_out_fini(&e->columns[i]);
    free(e->predictors);
    free(e->after);
    ZSTD_freeCCtx(e->zstd);
    *e = (struct encoder){0};
}

/* Moves a finished column into the container. */
static int add_column(struct container_out *out, enum section_type type, struct column_out *c)
{
    if (c->failed) return -1;
    container_add(out, type, CODEC_ZSTD, c->stored ? c->stored : (const void *)"", c->n_stored, c->raw, c->stored);
    c->stored = NULL;
    return 0;
}

static int add_bytes(struct container_out *out, ZSTD_CCtx *zstd, enum section_type type, const void *data, size_t size)
{
    struct column_out c;
    column_out_init(&c, zstd);
    if (!c.failed) column_bytes(&c, data, size);
    const int result = add_column(out, type, &c);
    column_out_fini(&c);
    return result;
}

int encoders_pack(struct container_out *out, struct encoder *encoders, size_t n, const struct trace *trace)
{
    ZSTD_CCtx *zstd = encoders[0].zstd;
    int result = 0;
    memset(out, 0, sizeof *out);
    container_add(out, SECTION_LAUNCH, CODEC_RAW, &trace->launch, sizeof trace->launch, sizeof trace->launch, NULL);
    result |= add_bytes(out, zstd, SECTION_CODE, trace->code, trace->launch.n_code * sizeof *trace->code);
    result |= add_bytes(out, zstd, SECTION_STRINGS, trace->strings, trace->n_strings);
    result |= add_bytes(out, zstd, SECTION_PROVENANCE, trace->provenance, strlen(trace->provenance));
    for (size_t i = 0; i < N_COLUMNS; i++) {
        size_t e = 0;
        while (e + 1 < n && !has_column(&encoders[e], i)) e++;
        result |= add_column(out, (enum section_type)(SECTION_COLUMN_WARPS + i), &encoders[e].columns[i]);
    }
    for (const struct trace_part *p = trace_parts; p < trace_parts + N_TRACE_PARTS; p++)
        if (trace_part_count(trace, p))
            result |= add_bytes(out, zstd, p->type, trace_part_data(trace, p), trace_part_count(trace, p) * p->item);
    memcpy(out->header.hash, trace->hash.bytes, sizeof out->header.hash);
    out->header.n_warps = trace->n_warps;
    out->header.n_steps = trace->n_steps;
    out->header.n_accesses = trace->n_accesses;
    out->header.n_guards = trace->n_guards;
    if (result == 0) container_seal(out, FORM_AT_REST);
    else container_out_free(out);
    return result;
}

int trace_to_rest(struct container_out *out, const struct trace *trace, struct error *err)
{
    struct encoder e;
    int result = encoder_init(&e, trace, ENCODE_ALL);
    out->header.n_sections = 0;
    if (result == 0) {
        const struct encoder_source from = {trace->warps, trace->steps, trace->accesses, trace->guards};
        encoder_warps(&e, &from, trace->n_warps);
        encoder_end(&e);
        result = encoders_pack(out, &e, 1, trace);
    }
    encoder_fini(&e);
    return result < 0 ? error_set(err, ERR_MEMORY, "%s: no memory to compress the trace", trace_kernel(trace)) : 0;
}

void trace_to_decoded(struct container_out *out, const struct trace *t)
{
    memset(out, 0, sizeof *out);
    const struct {
        enum section_type type;
        const void *data;
        uint64_t bytes;
    } parts[] = {
        {SECTION_LAUNCH, &t->launch, sizeof t->launch},
        {SECTION_CODE, t->code, t->launch.n_code * sizeof *t->code},
        {SECTION_STRINGS, t->strings, t->n_strings},
        {SECTION_PROVENANCE, t->provenance, strlen(t->provenance)},
        {SECTION_WARPS, t->warps, t->n_warps * sizeof *t->warps},
        {SECTION_STEPS, t->steps, t->n_steps * sizeof *t->steps},
        {SECTION_ACCESSES, t->accesses, t->n_accesses * sizeof *t->accesses},
        {SECTION_GUARDS, t->guards, t->n_guards * sizeof *t->guards},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        container_add(out, parts[i].type, CODEC_RAW, parts[i].bytes ? parts[i].data : "", parts[i].bytes,
                      parts[i].bytes, NULL);
    for (const struct trace_part *p = trace_parts; p < trace_parts + N_TRACE_PARTS; p++) {
        const uint64_t bytes = trace_part_count(t, p) * p->item;
        if (bytes) container_add(out, p->type, CODEC_RAW, trace_part_data(t, p), bytes, bytes, NULL);
    }
    memcpy(out->header.hash, t->hash.bytes, sizeof out->header.hash);
    out->header.n_warps = t->n_warps;
    out->header.n_steps = t->n_steps;
    out->header.n_accesses = t->n_accesses;
    out->header.n_guards = t->n_guards;
    container_seal(out, FORM_DECODED);
}
