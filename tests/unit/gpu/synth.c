#include "synth.h"

#include <jansson.h>
#include "where.h"

static const char strings[] = "kernel\0op";
enum { KERNEL = 0, OP = 7 };
static const uint64_t BASE = 0x7f0000000000ull;

static struct trace_inst make(uint32_t pc, enum trace_class cls, enum trace_space space, int dst, int src)
{
    struct trace_inst i = {.pc = pc, .name = OP, .cls = (uint8_t)cls, .space = (uint8_t)space};
    for (int k = 0; k < TRACE_MAX_DST; k++) i.dst[k] = TRACE_NO_REG;
    for (int k = 0; k < TRACE_MAX_SRC; k++) i.src[k] = TRACE_NO_REG;
    if (dst >= 0) i.dst[i.n_dst++] = (uint16_t)dst;
    if (src >= 0) i.src[i.n_src++] = (uint16_t)src;
    if (trace_class_is_memory(cls)) i.bytes = 4;
    if (pc == 0) i.flags = TRACE_BLOCK_START;
    return i;
}

static void set_operator(struct trace_inst *inst, struct synth_operator op)
{
    inst->cache_op = (uint8_t)op.cache_op;
    inst->scope = (uint8_t)op.scope;
    if (op.is_volatile) inst->flags |= TRACE_VOLATILE;
    if (op.bytes) inst->bytes = op.bytes;
}

void synth_begin(struct synth *s, uint32_t n_ctas, uint32_t warps_per_cta)
{
    synth_begin_operator(s, n_ctas, warps_per_cta, (struct synth_operator){0});
}

void synth_begin_operator(struct synth *s, uint32_t n_ctas, uint32_t warps_per_cta, struct synth_operator op)
{
    struct trace_inst code[SYNTH_N] = {
        [SYNTH_ADD] = make(0, TRACE_INT, TRACE_SPACE_NONE, 1, 0),
        [SYNTH_LOAD] = make(1, TRACE_LOAD, TRACE_SPACE_GLOBAL, 0, 0),
        [SYNTH_LOAD_2] = make(2, TRACE_LOAD, TRACE_SPACE_GLOBAL, 2, 3),
        [SYNTH_STORE] = make(3, TRACE_STORE, TRACE_SPACE_GLOBAL, -1, 1),
        [SYNTH_ATOMIC] = make(4, TRACE_ATOMIC, TRACE_SPACE_GLOBAL, 4, 3),
        [SYNTH_RED] = make(5, TRACE_ATOMIC, TRACE_SPACE_GLOBAL, -1, 3),
        [SYNTH_BARRIER] = make(6, TRACE_BARRIER, TRACE_SPACE_NONE, -1, -1),
        [SYNTH_FENCE] = make(7, TRACE_FENCE, TRACE_SPACE_NONE, -1, -1),
        [SYNTH_SHARED] = make(8, TRACE_LOAD, TRACE_SPACE_SHARED, 5, 3),
        [SYNTH_USE_2] = make(9, TRACE_INT, TRACE_SPACE_NONE, 1, 2),
        [SYNTH_DIV] = make(10, TRACE_INT_DIV, TRACE_SPACE_NONE, 6, 1),
        [SYNTH_EXIT] = make(11, TRACE_EXIT, TRACE_SPACE_NONE, -1, -1),
        [SYNTH_LOCAL_LOAD] = make(12, TRACE_LOAD, TRACE_SPACE_LOCAL, 2, 3),
        [SYNTH_LOCAL_STORE] = make(13, TRACE_STORE, TRACE_SPACE_LOCAL, -1, 1),
        [SYNTH_CONST] = make(14, TRACE_LOAD, TRACE_SPACE_CONST, 2, 3),
        [SYNTH_TEXTURE] = make(15, TRACE_LOAD, TRACE_SPACE_TEXTURE, 2, 3),
        [SYNTH_LOAD_4] = make(17, TRACE_LOAD, TRACE_SPACE_GLOBAL, 4, 3),
        [SYNTH_LOAD_5] = make(18, TRACE_LOAD, TRACE_SPACE_GLOBAL, 5, 3),
        [SYNTH_LOAD_7] = make(19, TRACE_LOAD, TRACE_SPACE_GLOBAL, 7, 3),
        [SYNTH_BARRIER_1] = make(22, TRACE_BARRIER, TRACE_SPACE_NONE, -1, -1),
        [SYNTH_DP] = make(16, TRACE_DP, TRACE_SPACE_NONE, 6, 6),
        [SYNTH_LOAD_OP] = make(20, TRACE_LOAD, TRACE_SPACE_GLOBAL, 2, 3),
        [SYNTH_STORE_OP] = make(21, TRACE_STORE, TRACE_SPACE_GLOBAL, -1, 1),
    };
    set_operator(&code[SYNTH_LOAD_OP], op);
    set_operator(&code[SYNTH_STORE_OP], op);
    code[SYNTH_BARRIER_1].barrier = 1;
    code[SYNTH_ATOMIC].atomic = code[SYNTH_RED].atomic = TRACE_ATOMIC_ADD;
    code[SYNTH_ATOMIC].flags = TRACE_RESULT_USED;
    const struct trace_launch launch = {.grid = {n_ctas, 1, 1},
                                        .block = {warps_per_cta * 32, 1, 1},
                                        .regs_per_thread = 16,
                                        .n_ctas = n_ctas,
                                        .warps_per_cta = warps_per_cta,
                                        .n_regs = 8,
                                        .n_code = SYNTH_N,
                                        .kernel = KERNEL};
    struct error err;
    *s = (struct synth){.n_ctas = n_ctas, .warps_per_cta = warps_per_cta};
    assert_ok(trace_writer_new(&s->writer, "kernel", &launch, code, SYNTH_N, strings, sizeof strings, &err), &err);
}

void synth_cta(struct synth *s) { s->warps = trace_writer_cta_begin(s->writer); }

void synth_cta_end(struct synth *s)
{
    struct error err;
    for (uint32_t w = 0; w < s->warps_per_cta; w++) synth_op(s, w, SYNTH_EXIT, ~0u);
    assert_ok(trace_writer_cta_end(s->writer, &err), &err);
}

void synth_op(struct synth *s, uint32_t warp, enum synth_inst inst, uint32_t mask)
{
    trace_record_step(&s->warps[warp], inst, mask);
}

void synth_access(struct synth *s, uint32_t warp, enum synth_inst inst, uint32_t mask, uint64_t base, int64_t stride)
{
    uint64_t addresses[TRACE_LANES];
    for (int l = 0; l < TRACE_LANES; l++)
        addresses[l] =
            (inst == SYNTH_SHARED || inst == SYNTH_CONST ? 0 : BASE) + (uint64_t)((int64_t)base + l * stride);
    trace_record_step(&s->warps[warp], inst, mask);
    if (mask) trace_record_access(&s->warps[warp], mask, addresses);
}

struct trace *synth_end(struct synth *s)
{
    struct error err;
    struct trace *trace;
    assert_ok(trace_writer_finish(s->writer, NULL, "{}", &trace, &err), &err);
    return trace;
}

char *synth_run_json(const struct trace *trace, const struct synth_run *how)
{
    struct error err;
    struct plan *plan;
    struct gpu_result result;
    struct mech_spec spec;
    struct gpu_params *params = gpu_params_new();
    if (how->preset)
        assert_ok(gpu_params_load(params, how->preset, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    for (const char *const *set = how->set; set && *set; set++) {
        char name[64], *value;
        snprintf(name, sizeof name, "%s", *set);
        value = strchr(name, '=');
        *value++ = '\0';
        assert_ok(gpu_params_set(params, name, value, &err), &err);
    }
    char once[1024];
    if (how->mech) assert_ok(mech_parse(&spec, rig_later_wins(once, sizeof once, how->mech), &err), &err);
    assert_ok(plan_new(&plan, trace, params, &err), &err);
    const struct gpu_limits limits = {.no_skip = how->no_skip, .max_cycles = how->max_cycles};
    assert_ok(gpu_run(&result, plan, params, &spec, how->mech ? 1 : 0, &limits, &err), &err);
    json_t *json = gpu_stats_json(result.stats);
    if (how->mech) json_object_set(json, "mech", result.mechs[0]);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    gpu_result_free(&result);
    plan_free(plan);
    if (how->mech) mech_free(&spec);
    gpu_params_free(params);
    return text;
}

char *synth_run_both(const struct trace *trace, struct synth_run how)
{
    char *skipping = synth_run_json(trace, &how);
    how.no_skip = true;
    char *ticking = synth_run_json(trace, &how);
    assert_string_equal(skipping, ticking);
    free(ticking);
    return skipping;
}

double synth_value(const char *text, const char *name)
{
    json_error_t why;
    json_t *json = json_loads(text, 0, &why);
    const double value = json_number_value(json_object_get(json, name));
    json_decref(json);
    return value;
}

static uint32_t next(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

struct trace *synth_mixture(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t rounds, uint32_t seed)
{
    struct synth s;
    uint32_t r = seed;
    synth_begin(&s, n_ctas, warps_per_cta);
    for (uint32_t c = 0; c < n_ctas; c++) {
        synth_cta(&s);
        for (uint32_t k = 0; k < rounds; k++) {
            for (uint32_t w = 0; w < warps_per_cta; w++) {
                const uint64_t row = 4096ull * (c * warps_per_cta + w);
                synth_access(&s, w, SYNTH_LOAD_2, next(&r) % 4 ? ~0u : next(&r), row + 4 * k, next(&r) % 3 ? 128 : 4);
                synth_op(&s, w, SYNTH_USE_2, ~0u);
                if (next(&r) % 4 == 0)
                    synth_access(&s, w, SYNTH_STORE, ~0u, row + 128 * (next(&r) % 16), next(&r) % 2 ? 4 : 64);
                if (next(&r) % 8 == 0)
                    synth_access(&s, w, next(&r) % 2 ? SYNTH_ATOMIC : SYNTH_RED, next(&r) | 1, 128 * (next(&r) % 64),
                                 4);
                if (next(&r) % 8 == 0) synth_op(&s, w, SYNTH_DIV, ~0u);
                if (next(&r) % 16 == 0) synth_op(&s, w, SYNTH_FENCE, ~0u);
                if (next(&r) % 8 == 0) synth_access(&s, w, SYNTH_SHARED, ~0u, 0, next(&r) % 2 ? 4 : 128);
                for (uint32_t i = next(&r) % 4; i > 0; i--) synth_op(&s, w, SYNTH_ADD, ~0u);
                if (k % 4 == 3) synth_op(&s, w, SYNTH_BARRIER, ~0u);
            }
        }
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

struct trace *synth_operators(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t rounds, struct synth_operator op)
{
    struct synth s;
    uint32_t r = 7;
    synth_begin_operator(&s, n_ctas, warps_per_cta, op);
    for (uint32_t c = 0; c < n_ctas; c++) {
        synth_cta(&s);
        for (uint32_t k = 0; k < rounds * warps_per_cta; k++) {
            const uint32_t w = k % warps_per_cta, line = 128 * (next(&r) % 96), kind = next(&r) % 8;
            static const enum synth_inst insts[] = {SYNTH_LOAD_2,  SYNTH_LOAD_2,  SYNTH_LOAD_2,   SYNTH_LOAD_OP,
                                                    SYNTH_LOAD_OP, SYNTH_LOAD_OP, SYNTH_STORE_OP, SYNTH_STORE};
            synth_access(&s, w, insts[kind], next(&r) | 1, line, next(&r) % 4 ? 4 : 128);
            if (next(&r) % 2) synth_op(&s, w, SYNTH_USE_2, ~0u);
        }
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

/* One instruction of a warp, more often one that goes to memory. */
static void any_inst(struct synth *s, uint32_t w, uint32_t uid, uint32_t shared_lines, uint32_t *r)
{
    static const enum synth_inst others[] = {SYNTH_ADD, SYNTH_USE_2, SYNTH_DIV, SYNTH_DP, SYNTH_FENCE};
    static const enum synth_inst accesses[] = {
        SYNTH_LOAD,   SYNTH_LOAD_2, SYNTH_LOAD_2, SYNTH_LOAD_4,     SYNTH_LOAD_5,      SYNTH_LOAD_7, SYNTH_STORE,
        SYNTH_ATOMIC, SYNTH_RED,    SYNTH_SHARED, SYNTH_LOCAL_LOAD, SYNTH_LOCAL_STORE, SYNTH_CONST,  SYNTH_TEXTURE};
    static const int64_t strides[] = {0, 4, 4, 4, 8, 32, 128, 132, 4096};
    const uint32_t mask = next(r) % 3 ? ~0u : next(r) % 8 ? next(r) | 1 : 0;
    if (next(r) % 3 == 0) {
        synth_op(s, w, others[next(r) % (sizeof others / sizeof *others)], mask);
        return;
    }
    const enum synth_inst inst = accesses[next(r) % (sizeof accesses / sizeof *accesses)];
    const uint64_t own = 4096ull * uid + 4 * (next(r) % 1024),
                   base = next(r) % 2 ? own : 128ull * (next(r) % shared_lines);
    const int64_t stride = strides[next(r) % (sizeof strides / sizeof *strides)];
    const bool is_near = inst == SYNTH_SHARED || inst == SYNTH_CONST;
    synth_access(s, w, inst, mask, is_near ? base % 4096 : base, is_near && stride > 128 ? 128 : stride);
}

struct trace *synth_any(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t rounds, uint32_t seed)
{
    struct synth s;
    uint32_t r = seed * 2654435761u + 1;
    const uint32_t shared_lines = 1u << next(&r) % 12;
    synth_begin(&s, n_ctas, warps_per_cta);
    for (uint32_t c = 0; c < n_ctas; c++) {
        synth_cta(&s);
        const uint32_t idle = next(&r) % 64; /* this warp ends at once, if there is one */
        for (uint32_t k = 0; k < rounds; k++) {
            const bool has_barrier = next(&r) % 4 == 0;
            for (uint32_t w = 0; w < warps_per_cta; w++) {
                if (w == idle) continue;
                for (uint32_t i = next(&r) % 8; i > 0; i--) any_inst(&s, w, c * warps_per_cta + w, shared_lines, &r);
                if (has_barrier) synth_op(&s, w, SYNTH_BARRIER, ~0u);
            }
        }
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

struct trace *synth_rows(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t columns, uint32_t passes)
{
    struct synth s;
    synth_begin(&s, n_ctas, warps_per_cta);
    for (uint32_t c = 0; c < n_ctas; c++) {
        synth_cta(&s);
        for (uint32_t w = 0; w < warps_per_cta; w++)
            for (uint32_t k = 0; k < columns * passes; k++) {
                synth_access(&s, w, SYNTH_LOAD_2, ~0u, (c * warps_per_cta + w) * 32ull * columns * 4 + k % columns * 4,
                             columns * 4);
                synth_op(&s, w, SYNTH_USE_2, ~0u);
            }
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

struct trace *synth_shared(uint32_t n_ctas, uint32_t warps_per_cta, uint32_t rounds, uint32_t lines, uint32_t seed)
{
    struct synth s;
    uint32_t r = seed;
    synth_begin(&s, n_ctas, warps_per_cta);
    for (uint32_t c = 0; c < n_ctas; c++) {
        synth_cta(&s);
        for (uint32_t k = 0; k < rounds; k++)
            for (uint32_t w = 0; w < warps_per_cta; w++) {
                synth_access(&s, w, SYNTH_LOAD_2, ~0u, 128ull * (next(&r) % lines), next(&r) % 4 ? 4 : 16);
                synth_op(&s, w, SYNTH_USE_2, ~0u);
                if (next(&r) % 16 == 0) synth_access(&s, w, SYNTH_STORE, ~0u, 128ull * (next(&r) % lines), 4);
            }
        synth_cta_end(&s);
    }
    return synth_end(&s);
}

struct trace *synth_chase(uint32_t n, uint64_t stride, uint64_t span)
{
    struct synth s;
    synth_begin(&s, 1, 1);
    synth_cta(&s);
    for (uint32_t i = 0; i < n; i++) synth_access(&s, 0, SYNTH_LOAD, 1, i * stride % span, 0);
    synth_cta_end(&s);
    return synth_end(&s);
}
