/* The regions of a kernel, what the passes make of them, and the steps of warps in their terms. */
#include "poise/sass.h"

#include <stdlib.h>
#include <string.h>
#include "poise/arena.h"
#include "sass/sass_ir.h"

/* What may stand for a block, tried in this order: all rounds of its loop, the block with its accesses merged, and
 * without. */
enum { ALL_ROUNDS, MERGED, UNMERGED, N_FORMS };
struct block {
    uint32_t length, rounds; /* in the trace; of its loop, each time: 0: it was not seen, or is none */
    bool varies;
    struct sass_region forms[N_FORMS];
};
struct sass {
    const struct trace *trace;
    struct sass_params params;
    uint32_t more_registers;
    struct sass_registers registers;
    struct block *blocks; /* by their first instruction; length 0: none begins there */
    struct trace_inst *code;
    uint8_t *on_fma;
    uint32_t n_code, most; /* most: values without a register of their own, at a time */
    size_t cap_code, cap_on_fma;
    /* of the warp that is read */
    const uint32_t **accesses; /* of each step */
    struct trace_step *steps;
    uint32_t *words;
    uint64_t n_steps, n_words;
    size_t cap_accesses, cap_steps, cap_words;
};

/* Where the access of each step of the warp stands. */
static int find_accesses(struct sass *s, const struct trace_warp *warp, struct error *err)
{
    if (!array_reserve(&s->accesses, &s->cap_accesses, warp->n_steps, sizeof *s->accesses))
        return error_set(err, ERR_MEMORY, "no memory for %llu steps", (unsigned long long)warp->n_steps);
    const uint32_t *at = s->trace->accesses + warp->first_access;
    const struct trace_step *step = s->trace->steps + warp->first_step;
    for (uint64_t i = 0; i < warp->n_steps; i++, step++) {
        s->accesses[i] = NULL;
        if (!step->mask || !trace_class_is_memory(s->trace->code[step->inst].cls)) continue;
        s->accesses[i] = at;
        at += trace_access_words(at, step->mask);
    }
    return 0;
}

/* The next steps are those of the block, so many times, by the same lanes. */
static bool is_block(const struct block *b, uint32_t first, uint32_t copies, const struct trace_step *steps, uint64_t n)
{
    if (n < (uint64_t)b->length * copies) return false;
    for (uint32_t c = 0; c < copies; c++, steps += b->length) {
        if (steps->mask != (steps - (size_t)c * b->length)->mask) return false;
        for (uint32_t k = 0; k < b->length; k++)
            if (steps[k].inst != first + k) return false;
    }
    return true;
}

/* ---- what is looked at before the code is changed ---- */

static void count_rounds(struct sass *s, const struct trace_step *steps, uint64_t n)
{
    for (uint64_t i = 0; i < n;) {
        struct block *b = &s->blocks[steps[i].inst];
        if (!b->length || !is_block(b, steps[i].inst, 1, steps + i, n - i)) {
            i++;
            continue;
        }
        const uint32_t first = steps[i].inst;
        uint32_t rounds = 0;
        for (; is_block(b, first, 1, steps + i, n - i); i += b->length) rounds++;
        b->varies |= b->rounds && b->rounds != rounds;
        b->rounds = rounds;
    }
}

/* The loop's end compares a counter with a number, and a number is added to the counter in each round. */
static bool counts_to_number(const struct trace *trace, uint32_t first, uint32_t length)
{
    const struct trace_inst *code = trace->code + first, *branch = &code[length - 1], *setp = NULL;
    if (branch->cls != TRACE_BRANCH || branch->n_src != 1) return false;
    for (uint32_t i = 0; i < length; i++)
        if (code[i].n_dst && code[i].dst[0] == branch->src[0]) setp = &code[i];
    if (!setp || setp->n_src != 1 || !sass_is(trace->strings + setp->name, "setp.")) return false;
    for (uint32_t i = 0; i < length; i++)
        if (code[i].n_dst == 1 && code[i].dst[0] == setp->src[0])
            return code[i].n_src == 1 && code[i].src[0] == code[i].dst[0] &&
                   sass_is(trace->strings + code[i].name, "add.");
    return false;
}

/* One of some CTAs' warps: the first ones', the middle ones' and the last ones'. */
typedef int (*look)(struct sass *s, const struct trace_warp *warp, struct error *err);
static int look_at_some(struct sass *s, look each, struct error *err)
{
    const struct trace_launch *l = &s->trace->launch;
    const uint32_t ctas[] = {0, l->n_ctas / 2, l->n_ctas - 1};
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t w = 0; w < l->warps_per_cta && (c == 0 || ctas[c] != ctas[c - 1]); w++)
            if (each(s, &s->trace->warps[(uint64_t)ctas[c] * l->warps_per_cta + w], err) < 0) return -1;
    return 0;
}

static int look_at_rounds(struct sass *s, const struct trace_warp *warp, struct error *err)
{
    (void)err;
    count_rounds(s, s->trace->steps + warp->first_step, warp->n_steps);
    return 0;
}

static int keep_instance(struct sass *s, struct sass_region *r, const struct trace_step *steps, uint64_t at,
                         struct error *err)
{
    const uint32_t n = r->length * r->copies;
    const uint32_t **accesses = malloc(n * sizeof *accesses);
    if (!accesses) return error_set(err, ERR_MEMORY, "no memory for %u steps", n);
    memcpy(accesses, s->accesses + at, n * sizeof *accesses);
    r->instances[r->n_instances++] = (struct sass_instance){steps, accesses};
    return 0;
}

static int look_at_blocks(struct sass *s, const struct trace_warp *warp, struct error *err)
{
    const struct trace_step *steps = s->trace->steps + warp->first_step;
    if (find_accesses(s, warp, err) < 0) return -1;
    for (uint64_t i = 0; i < warp->n_steps; i++) {
        struct block *b = &s->blocks[steps[i].inst];
        for (uint32_t f = 0; f < UNMERGED && b->length; f++) {
            struct sass_region *r = &b->forms[f];
            if (!r->copies || r->n_instances == SASS_INSTANCES) continue;
            if (!is_block(b, r->first, r->copies, steps + i, warp->n_steps - i)) continue;
            if (keep_instance(s, r, steps + i, i, err) < 0) return -1;
        }
    }
    return 0;
}

static void find_blocks(struct sass *s)
{
    const struct trace *t = s->trace;
    for (uint32_t i = 0, first = 0; i < t->launch.n_code; i++) {
        if (t->code[i].flags & TRACE_BLOCK_START) first = i;
        s->blocks[first].length = i - first + 1;
        for (uint32_t k = 0; k < t->code[i].n_src; k++)
            if (t->code[i].src[k] != TRACE_NO_REG) s->registers.uses[t->code[i].src[k]]++;
    }
    for (uint32_t i = 0; i < t->launch.n_code; i++)
        if (s->blocks[i].length > SASS_LENGTH_MOST) s->blocks[i].length = 0;
}

static void choose_forms(struct sass *s)
{
    for (uint32_t i = 0; i < s->trace->launch.n_code; i++) {
        struct block *b = &s->blocks[i];
        if (!b->length || !b->rounds) continue; /* not seen: as it is */
        const bool unrolls = s->params.unroll && !b->varies && b->rounds > 1 &&
                             b->rounds * b->length <= SASS_UNROLL_MOST && counts_to_number(s->trace, i, b->length);
        const uint32_t copies[N_FORMS] = {unrolls ? b->rounds : 0, s->params.merge ? 1 : 0, 1};
        for (uint32_t f = 0; f < N_FORMS; f++)
            b->forms[f] = (struct sass_region){.first = i, .length = b->length, .copies = copies[f]};
    }
}

/* ---- code ---- */

static int append_code(struct sass *s, struct sass_region *r, struct error *err)
{
    const uint32_t need = s->n_code + r->n_ops;
    if (need > UINT16_MAX) {
        sass_region_free(r);
        return 0;
    }
    if (!array_reserve(&s->code, &s->cap_code, need, sizeof *s->code) ||
        !array_reserve(&s->on_fma, &s->cap_on_fma, need, sizeof *s->on_fma))
        return error_set(err, ERR_MEMORY, "no memory for %u instructions", need);
    r->code = s->n_code;
    for (uint32_t i = 0; i < r->n_ops; i++, s->n_code++) {
        s->code[s->n_code] = r->ops[i].inst;
        s->code[s->n_code].pc = s->n_code;
        s->on_fma[s->n_code] = r->ops[i].on_fma;
    }
    return 0;
}

static int make_region(struct sass *s, struct sass_region *r, bool merges, struct error *err)
{
    if (!r->copies) return 0;
    const struct sass_params *p = &s->params;
    if (sass_region_build(r, s->trace, &s->registers, err) < 0) return -1;
    if (p->fold) sass_fold(r);
    if (merges && p->merge) sass_merge(r, p->merge == SASS_MERGES_ALL);
    if (p->expand && sass_expand(r, err) < 0) return -1;
    sass_drop_gone(r);
    if (p->schedule && sass_schedule(r, s->more_registers, err) < 0) return -1;
    if (p->balance) sass_balance(r);
    if (sass_name(r, s->trace->launch.n_regs, &s->most, err) < 0) return -1;
    return append_code(s, r, err);
}

/* Registers a thread may have beyond those of the trace without fewer CTAs on an SM. */
static uint32_t registers_to_spare(const struct trace *trace, const struct core_params *core)
{
    struct trace_launch launch = trace->launch;
    const uint32_t ctas = core_occupancy(core, &launch).ctas;
    while (launch.regs_per_thread < 255) {
        launch.regs_per_thread++;
        if (core_occupancy(core, &launch).ctas < ctas)
            return launch.regs_per_thread - 1 - trace->launch.regs_per_thread;
    }
    return launch.regs_per_thread - trace->launch.regs_per_thread;
}

static bool is_off(const struct trace *trace, const struct sass_params *p)
{
    const char first = trace->launch.n_code ? trace->strings[trace->code[0].name] : 0;
    const bool is_ptx = first >= 'a' && first <= 'z';
    return !(p->fold | p->merge | p->expand | p->unroll | p->schedule | p->balance) || !is_ptx || trace->n_waits ||
           trace->launch.n_ctas == 0 || trace->launch.n_code > UINT16_MAX / 2;
}

static int make_all(struct sass *s, struct error *err)
{
    const uint32_t n = s->trace->launch.n_code;
    find_blocks(s);
    if (look_at_some(s, look_at_rounds, err) < 0) return -1;
    choose_forms(s);
    if (look_at_some(s, look_at_blocks, err) < 0) return -1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t f = 0; f < N_FORMS; f++)
            if (make_region(s, &s->blocks[i].forms[f], f != UNMERGED, err) < 0) return -1;
    return 0;
}

int sass_new(struct sass **out, const struct trace *trace, const struct gpu_params *params, struct error *err)
{
    *out = NULL;
    if (is_off(trace, &params->sass)) return 0;
    const uint32_t n = trace->launch.n_code;
    struct sass *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, ERR_MEMORY, "no memory for an order of instructions");
    s->trace = trace;
    s->params = params->sass;
    s->more_registers = registers_to_spare(trace, &params->core);
    s->registers = (struct sass_registers){trace->launch.n_regs, calloc(trace->launch.n_regs + 1, sizeof(uint32_t))};
    s->blocks = calloc(n, sizeof *s->blocks);
    s->code = malloc(n * sizeof *s->code);
    s->on_fma = calloc(n, 1);
    s->n_code = n;
    s->cap_code = s->cap_on_fma = n;
    if (!s->registers.uses || !s->blocks || !s->code || !s->on_fma) {
        sass_free(s);
        return error_set(err, ERR_MEMORY, "no memory for an order of %u instructions", n);
    }
    memcpy(s->code, trace->code, n * sizeof *s->code);
    if (make_all(s, err) < 0) {
        sass_free(s);
        return -1;
    }
    *out = s;
    return 0;
}

void sass_free(struct sass *s)
{
    if (!s) return;
    for (uint32_t i = 0; s->blocks && i < s->trace->launch.n_code; i++)
        for (uint32_t f = 0; f < N_FORMS; f++) sass_region_free(&s->blocks[i].forms[f]);
    free(s->registers.uses);
    free(s->blocks);
    free(s->code);
    free(s->on_fma);
    free(s->accesses);
    free(s->steps);
    free(s->words);
    free(s);
}

const struct trace_inst *sass_code(const struct sass *s, uint32_t *n_code, uint32_t *n_regs)
{
    *n_code = s->n_code;
    *n_regs = s->trace->launch.n_regs + s->most;
    return s->code;
}

bool sass_on_fma(const struct sass *s, uint32_t inst) { return s->on_fma[inst]; }

/* ---- steps of a warp ---- */

static int make_room(struct sass *s, uint64_t steps, uint64_t words, struct error *err)
{
    steps += s->n_steps;
    words += s->n_words;
    if (array_reserve(&s->steps, &s->cap_steps, steps, sizeof *s->steps) &&
        array_reserve(&s->words, &s->cap_words, words, sizeof *s->words))
        return 0;
    return error_set(err, ERR_MEMORY, "no memory for %llu steps and %llu words", (unsigned long long)steps,
                     (unsigned long long)words);
}

static void put_step(struct sass *s, uint32_t inst, uint32_t mask, const uint32_t *access)
{
    s->steps[s->n_steps++] = (struct trace_step){inst, mask};
    if (!access) return;
    const uint32_t n = trace_access_words(access, mask);
    memcpy(s->words + s->n_words, access, n * sizeof *access);
    s->n_words += n;
}

/* What was merged lies side by side this time too. */
static bool still_merges(const struct sass_region *r, const struct trace_step *steps, const uint32_t *const *accesses)
{
    for (uint32_t i = 0; i < r->n_ops; i++) {
        const struct sass_op *op = &r->ops[i];
        if (op->n_members == 1) continue;
        const uint32_t mask = steps[op->member[0]].mask, bytes = op->inst.bytes / op->n_members;
        if (mask && !sass_aligned(accesses[op->member[0]], mask, op->inst.bytes)) return false;
        for (uint32_t k = 1; k < op->n_members; k++) {
            int64_t apart;
            if (steps[op->member[k]].mask != mask) return false;
            if (mask && (!sass_apart(accesses[op->member[0]], accesses[op->member[k]], mask, &apart) ||
                         apart != (int64_t)k * bytes))
                return false;
        }
    }
    return true;
}

/* Returns how many of the trace's steps the region took the place of; 0: it does not fit here; -1: no memory. */
static int put_region(struct sass *s, const struct block *b, const struct sass_region *r,
                      const struct trace_step *steps, const uint32_t *const *accesses, uint64_t n, struct error *err)
{
    if (!r->copies || !is_block(b, r->first, r->copies, steps, n) || !still_merges(r, steps, accesses)) return 0;
    if (make_room(s, r->n_ops, (uint64_t)r->n_ops * TRACE_ACCESS_WORDS_MOST, err) < 0) return -1;
    for (uint32_t i = 0; i < r->n_ops; i++) {
        const struct sass_op *op = &r->ops[i];
        const bool is_memory = trace_class_is_memory(op->inst.cls);
        const uint32_t mask = steps[op->member[0]].mask;
        put_step(s, r->code + i, mask, is_memory && mask ? accesses[op->member[0]] : NULL);
    }
    return (int)(r->length * r->copies);
}

int sass_read_warp(struct sass *s, const struct trace_warp *warp, struct sass_warp *out, struct error *err)
{
    const struct trace_step *steps = s->trace->steps + warp->first_step;
    const uint64_t n = warp->n_steps;
    if (find_accesses(s, warp, err) < 0) return -1;
    s->n_steps = s->n_words = 0;
    for (uint64_t i = 0; i < n;) {
        const struct block *b = &s->blocks[steps[i].inst];
        int taken = 0;
        for (uint32_t f = 0; f < N_FORMS && b->length && !taken; f++)
            taken = put_region(s, b, &b->forms[f], steps + i, s->accesses + i, n - i, err);
        if (taken < 0) return -1;
        if (!taken) {
            if (make_room(s, 1, TRACE_ACCESS_WORDS_MOST, err) < 0) return -1;
            put_step(s, steps[i].inst, steps[i].mask, s->accesses[i]);
            taken = 1;
        }
        i += (uint64_t)taken;
    }
    *out = (struct sass_warp){s->steps, s->words, s->n_steps};
    return 0;
}
