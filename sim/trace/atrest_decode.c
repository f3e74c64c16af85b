/* At-rest container -> trace. Whatever the columns say, nothing is written outside the arrays that the header's counts
 * sized, and those counts must fit this machine's memory. */
#include "atrest.h"

#include <stdlib.h>
#include <unistd.h>
#include "poise/arena.h"

#define COLUMN(d, id) (&(d)->columns[SECTION_COLUMN_##id - SECTION_COLUMN_WARPS])

struct decoder {
    const struct container *in;
    struct trace *trace;
    struct predictor *predictors;
    struct successor *after;
    ZSTD_DCtx *zstd;
    struct column_in columns[N_COLUMNS];
    struct trace_inst *code;
    struct trace_warp *warps;
    struct trace_step *steps;
    uint32_t *accesses, *guards;
    uint64_t n_steps, n_accesses, n_guards; /* decoded so far */
    struct trace_cursor checked;
    const char *problem;
};

/* Nothing that is decoded can be larger than the machine's memory; a damaged count usually is. */
static int check_size(const struct container *in, struct error *err)
{
    const struct container_header *h = &in->header;
    const uint64_t limit = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const struct section *code = container_find(in, SECTION_CODE), *strings = container_find(in, SECTION_STRINGS);
    const uint64_t counts[] = {h->n_warps,  h->n_steps,           h->n_accesses,
                               h->n_guards, code ? code->raw : 0, strings ? strings->raw : 0};
    static const uint64_t sizes[] = {
        sizeof(struct trace_warp), sizeof(struct trace_step), 4, 4, 8, 1}; /* 8: predictors */
    uint64_t total = 0;
    for (int i = 0; i < 6; i++) {
        if (counts[i] > limit / sizes[i] || counts[i] * sizes[i] > limit - total)
            return container_bad(err, in->name, offsetof(struct container_header, n_warps),
                                 "decoded it would be larger than this machine's memory of %llu bytes",
                                 (unsigned long long)limit);
        total += counts[i] * sizes[i];
    }
    return 0;
}

static void *keep(struct decoder *d, enum owner_block slot, uint64_t count, size_t size)
{
    return d->trace->owner->blocks[slot] = table_take(count ? count : 1, size);
}

static int unpack_code(struct decoder *d, struct error *err)
{
    struct trace *t = d->trace;
    const struct container *in = d->in;
    const struct section *launch = container_need(in, SECTION_LAUNCH, err), *code, *strings, *provenance;
    if (!launch || !(code = container_need(in, SECTION_CODE, err)) ||
        !(strings = container_need(in, SECTION_STRINGS, err)) ||
        !(provenance = container_need(in, SECTION_PROVENANCE, err)))
        return -1;
    if (section_unpack(&t->launch, sizeof t->launch, d->zstd, in, launch, err) < 0) return -1;
    d->code = keep(d, BLOCK_CODE, code->raw, 1);
    char *text = keep(d, BLOCK_STRINGS, strings->raw, 1),
         *origin = provenance->raw < 1u << 30 ? keep(d, BLOCK_PROVENANCE, provenance->raw + 1, 1) : NULL;
    if (!d->code || !text || !origin) return error_set(err, ERR_MEMORY, "%s: no memory to read the trace", in->name);
    if (section_unpack(d->code, (size_t)t->launch.n_code * sizeof *d->code, d->zstd, in, code, err) < 0 ||
        section_unpack(text, strings->raw, d->zstd, in, strings, err) < 0 ||
        section_unpack(origin, provenance->raw, d->zstd, in, provenance, err) < 0)
        return -1;
    origin[provenance->raw] = '\0';
    t->code = d->code;
    t->strings = text;
    t->n_strings = strings->raw;
    t->provenance = origin;
    return trace_check_code(t, in->name, code, err);
}

/* Parts that the trace may have. */
static int unpack_parts(struct decoder *d, struct error *err)
{
    for (const struct trace_part *p = trace_parts; p < trace_parts + N_TRACE_PARTS; p++) {
        const struct section *s;
        uint64_t count;
        if (trace_part_find(d->in, p, &s, &count, err) < 0) return -1;
        if (!s) continue;
        void *data = keep(d, p->block, s->raw, 1);
        if (!data) return error_set(err, ERR_MEMORY, "%s: no memory to read the trace", d->in->name);
        trace_part_set(d->trace, p, data, count);
        if (section_unpack(data, s->raw, d->zstd, d->in, s, err) < 0) return -1;
    }
    return 0;
}

static int decoder_arrays(struct decoder *d, struct error *err)
{
    const struct container_header *h = &d->in->header;
    struct trace *t = d->trace;
    t->n_warps = h->n_warps;
    t->n_steps = h->n_steps;
    t->n_accesses = h->n_accesses;
    t->n_guards = h->n_guards;
    if (t->n_warps != (uint64_t)t->launch.n_ctas * t->launch.warps_per_cta)
        return container_bad(err, d->in->name, offsetof(struct container_header, n_warps),
                             "%llu warps do not fit %u CTAs", (unsigned long long)t->n_warps, t->launch.n_ctas);
    t->warps = d->warps = keep(d, BLOCK_WARPS, t->n_warps, sizeof *d->warps);
    t->steps = d->steps = keep(d, BLOCK_STEPS, t->n_steps, sizeof *d->steps);
    t->accesses = d->accesses = keep(d, BLOCK_ACCESSES, t->n_accesses + 65, sizeof *d->accesses);
    t->guards = d->guards = keep(d, BLOCK_GUARDS, t->n_guards, sizeof *d->guards);
    d->predictors = malloc(((size_t)t->launch.n_code + 1) * sizeof *d->predictors);
    d->after = malloc(((size_t)t->launch.n_code + 1) * sizeof *d->after);
    if (!t->warps || !t->steps || !t->accesses || !t->guards || !d->predictors || !d->after)
        return error_set(err, ERR_MEMORY, "%s: no memory to decode the trace", d->in->name);
    predictors_init(d->predictors, d->after, t->code, t->launch.n_code);
    return 0;
}

static void decode_lanes(struct decoder *d, struct predictor *p, uint64_t warp, uint32_t mask)
{
    uint64_t addresses[TRACE_LANES], neighbour = predict_base(p, warp);
    struct column_in *lanes = COLUMN(d, LANES);
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t l = first_lane(m);
        neighbour = p->lane[l] = addresses[l] =
            unzigzag(column_get_plain(lanes)) + (p->form == FORM_BY_LANE ? p->lane[l] : neighbour);
    }
    learn_base(p, warp, addresses[first_lane(mask)]);
    d->n_accesses += trace_access_encode(d->accesses + d->n_accesses, mask, addresses);
}

static void decode_access(struct decoder *d, struct predictor *p, uint64_t warp, uint32_t mask)
{
    const uint64_t form = column_get(COLUMN(d, KINDS)) ^ p->form;
    if (form >= N_ACCESS_FORMS || d->n_accesses >= d->trace->n_accesses) {
        d->problem = form >= N_ACCESS_FORMS ? "an access kind is out of range" : "more accesses than the header says";
        return;
    }
    p->form = form == FORM_NEW_STRIDE ? FORM_STRIDED : (uint32_t)form;
    if (form >= FORM_BY_NEIGHBOUR) {
        decode_lanes(d, p, warp, mask);
        return;
    }
    if (form == FORM_NEW_STRIDE) p->stride += (uint32_t)unzigzag(column_get_plain(COLUMN(d, STRIDES)));
    const uint32_t stride = form == FORM_UNIFORM ? 0 : p->stride;
    const uint64_t base0 = predict_base(p, warp) + unzigzag(column_get(COLUMN(d, BASES)));
    const uint64_t base = base0 + first_lane(mask) * (uint64_t)(int64_t)(int32_t)stride;
    uint32_t *words = d->accesses + d->n_accesses;
    learn_base(p, warp, base0);
    words[0] = form == FORM_UNIFORM ? TRACE_ACCESS_UNIFORM : TRACE_ACCESS_STRIDED;
    words[1] = (uint32_t)base;
    words[2] = (uint32_t)(base >> 32);
    words[3] = stride; /* a uniform entry's is overwritten by the next one */
    d->n_accesses += form == FORM_UNIFORM ? 3 : 4;
}

/* Plain instructions in a row that are as predicted, up to step `end`, by the lanes of the step before: nothing of
 * them can be wrong that was not wrong there. Returns where it goes on. */
static struct successor *decode_plain(struct decoder *d, struct successor *from, uint64_t end, uint32_t mask)
{
    uint64_t most = end - d->n_steps, n = 0;
    struct trace_step *steps = d->steps + d->n_steps;
    if (most > COLUMN(d, STEPS)->zeros) most = COLUMN(d, STEPS)->zeros;
    if (most > COLUMN(d, MASKS)->zeros) most = COLUMN(d, MASKS)->zeros;
    for (; n < most && d->after[from->next].is_plain; n++) {
        steps[n] = (struct trace_step){from->next, mask};
        from = &d->after[from->next];
    }
    COLUMN(d, STEPS)->zeros -= n;
    COLUMN(d, MASKS)->zeros -= n;
    d->n_steps += n;
    return from;
}

static struct successor *decode_step(struct decoder *d, struct successor *from, uint64_t warp, uint32_t *lanes)
{
    const struct trace *t = d->trace;
    const uint64_t inst = from->next + unzigzag(column_get(COLUMN(d, STEPS)));
    if (inst >= t->launch.n_code) {
        d->problem = "an instruction is out of range";
        return from;
    }
    struct predictor *p = &d->predictors[inst];
    const struct trace_inst *code = &d->code[inst];
    uint32_t mask;
    from->next = (uint32_t)inst;
    if (code->flags & TRACE_GUARDED) {
        *lanes ^= (uint32_t)column_get(COLUMN(d, GUARDS));
        if (d->n_guards == t->n_guards) {
            d->problem = "more guards than the header says";
            return from;
        }
        d->guards[d->n_guards++] = *lanes;
        mask = (uint32_t)column_get(COLUMN(d, MASKS)) ^ *lanes ^ p->guard;
        p->guard = mask ^ *lanes;
    } else {
        mask = *lanes ^= (uint32_t)column_get(COLUMN(d, MASKS));
    }
    d->steps[d->n_steps++] = (struct trace_step){(uint32_t)inst, mask};
    if (mask && inst_is_memory(code)) decode_access(d, p, warp, mask);
    return &d->after[inst];
}

static void decode_warp(struct decoder *d, uint64_t w)
{
    const struct trace_launch *launch = &d->trace->launch;
    const uint32_t has =
        warp_lanes(launch->block[0] * launch->block[1] * launch->block[2], (uint32_t)(w % launch->warps_per_cta));
    struct successor *from = &d->after[launch->n_code];
    const uint64_t end = d->n_steps + d->warps[w].n_steps;
    uint32_t lanes = UINT32_MAX;
    while (d->n_steps < end && !d->problem) {
        from = decode_step(d, from, w, &lanes);
        d->checked.step = d->n_steps - 1;
        if (!d->problem) d->problem = trace_check_step(d->trace, has, &d->checked);
        if (!d->problem) from = decode_plain(d, from, end, lanes);
    }
}

static int decode_warps(struct decoder *d, struct error *err)
{
    uint64_t steps_was = 0;
    for (uint64_t w = 0; w < d->trace->n_warps && !d->problem; w++) {
        const uint64_t n = steps_was + unzigzag(column_get(COLUMN(d, WARPS)));
        if (n > d->trace->n_steps - d->n_steps) {
            d->problem = "more steps than the header says";
            break;
        }
        d->warps[w] = (struct trace_warp){d->n_steps, d->n_accesses, d->n_guards, n};
        steps_was = n;
        decode_warp(d, w);
        for (size_t i = 0; i < N_COLUMNS; i++)
            if (d->columns[i].bad) d->problem = "a column ends early or does not decompress";
    }
    for (size_t i = 0; i < N_COLUMNS; i++) {
        struct column_in *c = &d->columns[i];
        if (c->bad || (!d->problem && !column_at_end(c)))
            return container_bad(err, d->in->name, (long)(c->offset + c->at), "section %s %s", section_name(c->type),
                                 c->bad ? "ends early or does not decompress" : "goes on after the last warp");
    }
    if (d->problem)
        return container_bad(err, d->in->name, (long)COLUMN(d, STEPS)->offset, "at step %llu: %s",
                             (unsigned long long)d->n_steps, d->problem);
    if (d->n_steps != d->trace->n_steps || d->n_accesses != d->trace->n_accesses || d->n_guards != d->trace->n_guards)
        return container_bad(err, d->in->name, (long)COLUMN(d, STEPS)->offset,
                             "fewer steps, accesses or guards than the header says");
    return 0;
}

int trace_from_rest(struct trace *trace, const struct container *in, struct error *err)
{
    struct decoder d = {.in = in, .trace = trace};
    int result = check_size(in, err);
    if (result < 0) return -1;
    d.zstd = ZSTD_createDCtx();
    if (!d.zstd) return error_set(err, ERR_MEMORY, "%s: no memory to decompress", in->name);
    result = unpack_code(&d, err);
    if (result == 0) result = decoder_arrays(&d, err);
    for (size_t i = 0; i < N_COLUMNS && result == 0; i++)
        result = column_in_init(&d.columns[i], d.zstd, in, (enum section_type)(SECTION_COLUMN_WARPS + i), err);
    if (result == 0) result = decode_warps(&d, err);
    if (result == 0) result = unpack_parts(&d, err);
    if (result == 0) result = trace_check_spun(trace, in->name, (long)COLUMN(&d, STEPS)->offset, err);
    if (result == 0) result = trace_check_waits(trace, in->name, (long)COLUMN(&d, STEPS)->offset, err);
    for (size_t i = 0; i < N_COLUMNS; i++) column_in_fini(&d.columns[i]);
    free(d.predictors);
    free(d.after);
    ZSTD_freeDCtx(d.zstd);
    return result;
}
