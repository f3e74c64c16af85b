/* Trace -> at-rest container. */
#include "atrest.h"

#include <stdlib.h>

#define COLUMN(e, id) (&(e)->columns[SECTION_COLUMN_##id - SECTION_COLUMN_WARPS])

struct encoder {
    const struct trace *trace;
    struct predictor *predictors;
    struct successor *after;
    ZSTD_CCtx *zstd;
    struct column_out columns[N_COLUMNS];
};

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
        return access_words(words[0], (uint32_t)__builtin_popcount(mask));
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

static void encode_warp(struct encoder *e, uint64_t w)
{
    const struct trace *t = e->trace;
    const struct trace_warp *warp = &t->warps[w];
    const struct trace_step *step = t->steps + warp->first_step, *end = step + warp->n_steps;
    const uint32_t *access = t->accesses + warp->first_access, *guard = t->guards + warp->first_guard;
    struct successor *from = &e->after[t->launch.n_code];
    uint32_t lanes = UINT32_MAX;
    for (; step < end; step++) {
        struct predictor *p = &e->predictors[step->inst];
        column_put(COLUMN(e, STEPS), zigzag((uint64_t)step->inst - from->next));
        from->next = step->inst;
        from = &e->after[step->inst];
        if (t->code[step->inst].flags & TRACE_GUARDED) {
            column_put(COLUMN(e, GUARDS), *guard ^ lanes);
            lanes = *guard++;
            column_put(COLUMN(e, MASKS), step->mask ^ lanes ^ p->guard);
            p->guard = step->mask ^ lanes;
        } else {
            column_put(COLUMN(e, MASKS), step->mask ^ lanes);
            lanes = step->mask;
        }
        if (step->mask && inst_is_memory(&t->code[step->inst])) access += encode_access(e, p, w, step->mask, access);
    }
}

static int encoder_init(struct encoder *e, const struct trace *trace)
{
    bool failed = false;
    e->trace = trace;
    e->zstd = ZSTD_createCCtx();
    e->predictors = malloc(((size_t)trace->launch.n_code + 1) * sizeof *e->predictors);
    e->after = malloc(((size_t)trace->launch.n_code + 1) * sizeof *e->after);
    for (size_t i = 0; i < N_COLUMNS; i++) {
        column_out_init(&e->columns[i], e->zstd);
        failed |= e->columns[i].failed;
    }
    if (failed || !e->predictors || !e->after) return -1;
    predictors_init(e->predictors, e->after, trace->code, trace->launch.n_code);
    return 0;
}

static void encoder_fini(struct encoder *e)
{
    for (size_t i = 0; i < N_COLUMNS; i++) column_out_fini(&e->columns[i]);
    free(e->predictors);
    free(e->after);
    ZSTD_freeCCtx(e->zstd);
}

/* Moves a finished column into the container. */
static int add_column(struct container_out *out, enum section_type type, struct column_out *c)
{
    if (c->failed) return -1;
    container_add(out, type, CODEC_ZSTD, c->stored ? c->stored : (const void *)"", c->n_stored, c->raw, c->stored);
    c->stored = NULL;
    return 0;
}

static int add_bytes(struct container_out *out, struct encoder *e, enum section_type type, const void *data,
                     size_t size)
{
    struct column_out c;
    column_out_init(&c, e->zstd);
    if (!c.failed) column_bytes(&c, data, size);
    const int result = add_column(out, type, &c);
    column_out_fini(&c);
    return result;
}

int trace_to_rest(struct container_out *out, const struct trace *trace, struct error *err)
{
    struct encoder e = {0};
    memset(out, 0, sizeof *out);
    int result = encoder_init(&e, trace);
    if (result < 0) goto done;
    uint64_t steps_was = 0;
    for (uint64_t w = 0; w < trace->n_warps; w++) {
        column_put(COLUMN(&e, WARPS), zigzag(trace->warps[w].n_steps - steps_was));
        steps_was = trace->warps[w].n_steps;
        encode_warp(&e, w);
    }
    container_add(out, SECTION_LAUNCH, CODEC_RAW, &trace->launch, sizeof trace->launch, sizeof trace->launch, NULL);
    result |= add_bytes(out, &e, SECTION_CODE, trace->code, trace->launch.n_code * sizeof *trace->code);
    result |= add_bytes(out, &e, SECTION_STRINGS, trace->strings, trace->n_strings);
    result |= add_bytes(out, &e, SECTION_PROVENANCE, trace->provenance, strlen(trace->provenance));
    for (size_t i = 0; i < N_COLUMNS; i++) {
        column_end(&e.columns[i]);
        result |= add_column(out, (enum section_type)(SECTION_COLUMN_WARPS + i), &e.columns[i]);
    }
    for (const struct trace_part *p = trace_parts; p < trace_parts + N_TRACE_PARTS; p++)
        if (trace_part_count(trace, p))
            result |= add_bytes(out, &e, p->type, trace_part_data(trace, p), trace_part_count(trace, p) * p->item);
    memcpy(out->header.hash, trace->hash.bytes, sizeof out->header.hash);
    out->header.n_warps = trace->n_warps;
    out->header.n_steps = trace->n_steps;
    out->header.n_accesses = trace->n_accesses;
    out->header.n_guards = trace->n_guards;
    if (result == 0) container_seal(out, FORM_AT_REST);
done:
    encoder_fini(&e);
    if (result < 0) container_out_free(out);
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
