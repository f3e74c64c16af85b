/* Programs and machines so simple that arithmetic gives their figures. Each form makes its trace in memory; where a
 * start-up cost would blur a rate, the same program runs at two lengths and the difference counts. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/trace.h"
#include "studies/validate/validate.h"

enum { REGISTERS = 8, LINE = 128 };

/* `n` instructions of one class in every warp, then its end. A chain depends on itself; otherwise eight registers
 * take turns. */
struct program {
    uint8_t cls, space;
    bool is_chain;
    uint32_t ctas, warps;                                          /* warps of a CTA */
    uint64_t (*address)(uint64_t warp, uint32_t i, uint32_t lane); /* memory classes */
};

static void program_code(struct trace_inst code[REGISTERS + 1], const struct program *p)
{
    memset(code, 0, (REGISTERS + 1) * sizeof *code);
    for (uint32_t k = 0; k <= REGISTERS; k++) {
        struct trace_inst *c = &code[k];
        memset(c->dst, 0xff, sizeof c->dst);
        memset(c->src, 0xff, sizeof c->src);
        c->pc = k;
        c->cls = k == REGISTERS ? TRACE_EXIT : p->cls;
        if (k == REGISTERS) break;
        c->dst[0] = p->is_chain ? 0 : (uint16_t)k;
        c->src[0] = p->is_chain ? 0 : REGISTERS;
        c->n_dst = c->n_src = 1;
        if (!trace_class_is_memory(p->cls)) continue;
        c->space = p->space;
        c->bytes = 4;
        if (p->cls != TRACE_ATOMIC) continue;
        c->atomic = TRACE_ATOMIC_ADD;
        c->flags = TRACE_RESULT_USED;
    }
}

static int program_trace(struct trace **out, const struct program *p, uint32_t n, struct error *err)
{
    struct trace_inst code[REGISTERS + 1];
    struct trace_writer *writer;
    const struct trace_launch launch = {
        .grid = {p->ctas, 1, 1}, .block = {32 * p->warps, 1, 1}, .regs_per_thread = 16, .n_regs = REGISTERS + 1};
    program_code(code, p);
    if (trace_writer_new(&writer, "closed_form", &launch, code, REGISTERS + 1, "", 1, err) < 0) return -1;
    for (uint32_t cta = 0; cta < p->ctas; cta++) {
        struct trace_warp_buffer *buffers = trace_writer_cta_begin(writer);
        for (uint32_t w = 0; w < p->warps; w++) {
            for (uint32_t i = 0; i < n; i++) {
                uint64_t addresses[TRACE_LANES];
                trace_record_step(&buffers[w], i % REGISTERS, UINT32_MAX);
                if (!trace_class_is_memory(p->cls)) continue;
                for (uint32_t lane = 0; lane < TRACE_LANES; lane++)
                    addresses[lane] = p->address((uint64_t)cta * p->warps + w, i, lane);
                trace_record_access(&buffers[w], UINT32_MAX, addresses);
            }
            trace_record_step(&buffers[w], REGISTERS, UINT32_MAX);
        }
        if (trace_writer_cta_end(writer, err) < 0) {
            trace_writer_free(writer);
            return -1;
        }
    }
    return trace_writer_finish(writer, NULL, "{}", out, err);
}

/* Settings: "l1.ways=64 l1.sets=1". */
static int configure(struct gpu_params *params, const char *settings, struct error *err)
{
    char text[512], *rest = NULL;
    snprintf(text, sizeof text, "%s", settings);
    for (char *one = strtok_r(text, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(one, '=');
        *equals = '\0';
        if (gpu_params_set(params, one, equals + 1, err) < 0) return -1;
    }
    return gpu_params_check(params, err);
}

static int run_trace(struct gpu_result *out, const struct trace *trace, const char *settings, struct gpu_watch *watch,
                     struct error *err)
{
    struct gpu_params *params = gpu_params_new();
    struct plan *plan = NULL;
    struct mech_spec gto = {0};
    const struct gpu_limits limits = {.watch = watch};
    *out = (struct gpu_result){0};
    int result =
        params ? configure(params, settings, err) : error_set(err, ERR_MEMORY, "out of memory for a configuration");
    if (result == 0) result = plan_new(&plan, trace, params, err);
    if (result == 0) result = mech_parse(&gto, "gto", err);
    if (result == 0) result = gpu_run(out, plan, params, &gto, 1, &limits, err);
    mech_free(&gto);
    plan_free(plan);
    gpu_params_free(params);
    return result;
}

static int run_program(struct gpu_result *out, const struct program *p, uint32_t n, const char *settings,
                       struct gpu_watch *watch, struct error *err)
{
    struct trace *trace;
    *out = (struct gpu_result){0};
    if (program_trace(&trace, p, n, err) < 0) return -1;
    const int result = run_trace(out, trace, settings, watch, err);
    trace_close(trace);
    return result;
}

/* One statistic, after n instructions a warp. */
static int statistic(double *out, const char *name, const struct program *p, uint32_t n, const char *settings,
                     struct error *err)
{
    struct gpu_result result;
    if (run_program(&result, p, n, settings, NULL, err) < 0) return -1;
    *out = gpu_stats_value(result.stats, name);
    gpu_result_free(&result);
    return 0;
}

/* Core cycles an instruction of a warp takes beyond the first `n`. */
static int cycles_each(double *out, const struct program *p, uint32_t n, const char *settings, struct error *err)
{
    double at_n, at_3n;
    if (statistic(&at_n, "core_cycles", p, n, settings, err) < 0 ||
        statistic(&at_3n, "core_cycles", p, 3 * n, settings, err) < 0)
        return -1;
    *out = (at_3n - at_n) / (2.0 * n);
    return 0;
}

/* ---- addresses ---- */
static uint64_t same_line(uint64_t warp, uint32_t i, uint32_t lane) { return (void)warp, (void)i, 4 * lane; }
static uint64_t ring_of_512(uint64_t warp, uint32_t i, uint32_t lane)
{
    return (void)warp, (uint64_t)(i % 512) * LINE + 4 * lane;
}
static uint64_t far_apart(uint64_t warp, uint32_t i, uint32_t lane)
{
    return (void)warp, (uint64_t)i * (97 * 4096 * 6) + 4 * lane;
}
static uint64_t rows_apart(uint64_t warp, uint32_t i, uint32_t lane)
{
    return ((uint64_t)i * 48 + warp) * 4096 + 4 * lane;
}
static uint64_t lines_in_turn(uint64_t warp, uint32_t i, uint32_t lane)
{
    return ((uint64_t)i * 1536 + warp) * LINE + 4 * lane;
}
static uint64_t lines_of_four_sms(uint64_t warp, uint32_t i, uint32_t lane)
{
    return ((uint64_t)i * 192 + warp) * LINE + 4 * lane;
}
/* 48 warps share 1536 lines: far more than L1 holds here, an eighth of L2. */
static uint64_t shared_lines(uint64_t warp, uint32_t i, uint32_t lane)
{
    return (((uint64_t)i * 48 + warp) % 1536) * LINE + 4 * lane;
}
/* One sector of each line, and one word for all lanes. */
static uint64_t sectors_in_turn(uint64_t warp, uint32_t i, uint32_t lane)
{
    return ((uint64_t)i * 1536 + warp) * LINE + 32 * (warp % 4) + lane % 8 * 4;
}
static uint64_t one_word(uint64_t warp, uint32_t i, uint32_t lane) { return (void)warp, (void)i, (void)lane, 0; }
static uint64_t one_bank(uint64_t warp, uint32_t i, uint32_t lane) { return (void)warp, (void)i, 128 * lane; }
/* A walk over 100 lines with short and long returns. */
static uint64_t scattered_lines(uint64_t warp, uint32_t i, uint32_t lane)
{
    uint32_t x = i * 2654435761u;
    x ^= x >> 13;
    (void)warp;
    return (uint64_t)(i % 3 ? x % 100 : x % 24) * LINE + 4 * lane;
}

/* Hits of fully associative LRU with `ways` lines, by stack distance. */
static double stack_hits(uint32_t n, uint32_t ways)
{
    uint64_t stack[128];
    uint32_t depth = 0, hits = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t line = scattered_lines(0, i, 0) / LINE;
        uint32_t at = 0;
        while (at < depth && stack[at] != line) at++;
        hits += at < depth && at < ways;
        if (at == depth) depth++;
        memmove(stack + 1, stack, at * sizeof *stack);
        stack[0] = line;
    }
    return hits;
}

/* ---- the forms ---- */
enum { STREAM = 60, WALK = 3000 };
static const struct program chain_int = {TRACE_INT, 0, true, 1, 1, NULL},
                            chain_l1 = {TRACE_LOAD, TRACE_SPACE_GLOBAL, true, 1, 1, same_line},
                            chain_l2 = {TRACE_LOAD, TRACE_SPACE_GLOBAL, true, 1, 1, ring_of_512},
                            chain_dram = {TRACE_LOAD, TRACE_SPACE_GLOBAL, true, 1, 1, far_apart},
                            walk = {TRACE_LOAD, TRACE_SPACE_GLOBAL, true, 1, 1, scattered_lines},
                            full_int = {TRACE_INT, 0, false, 32, 48 / 2, NULL},
                            stream = {TRACE_LOAD, TRACE_SPACE_GLOBAL, true, 192, 8, lines_in_turn},
                            reuse = {TRACE_LOAD, TRACE_SPACE_GLOBAL, false, 6, 8, shared_lines},
                            rows = {TRACE_LOAD, TRACE_SPACE_GLOBAL, false, 6, 8, rows_apart},
                            lines = {TRACE_LOAD, TRACE_SPACE_GLOBAL, true, 24, 8, lines_of_four_sms},
                            flood = {TRACE_LOAD, TRACE_SPACE_GLOBAL, false, 192, 8, lines_in_turn},
                            conflicts = {TRACE_LOAD, TRACE_SPACE_SHARED, false, 1, 8, one_bank},
                            full_dp = {TRACE_DP, 0, false, 1, 8, NULL},
                            same_word = {TRACE_ATOMIC, TRACE_SPACE_GLOBAL, false, 1, 8, one_word},
                            all_sms = {TRACE_LOAD, TRACE_SPACE_GLOBAL, false, 192, 8, shared_lines},
                            sectors = {TRACE_LOAD, TRACE_SPACE_GLOBAL, false, 192, 8, sectors_in_turn};
#define NO_FETCH "fetch.ideal=1 "
#define ONE_CHANNEL \
    "dram.channels=1 l2.banks=1 l2.bank_index=linear l1.mshrs=64 l2.mshrs=64 dram.queue=64 l2.access_queue=64 " \
    "l2.miss_queue=64 "

static int form_alu(double *v, struct error *err) { return cycles_each(v, &chain_int, 1000, NO_FETCH, err); }
static int form_l1(double *v, struct error *err) { return cycles_each(v, &chain_l1, 1000, NO_FETCH, err); }
static int form_l2(double *v, struct error *err) { return cycles_each(v, &chain_l2, 1536, NO_FETCH, err); }
static int form_dram(double *v, struct error *err) { return cycles_each(v, &chain_dram, 500, NO_FETCH, err); }
static int form_shared(double *v, struct error *err) { return cycles_each(v, &conflicts, 200, NO_FETCH, err); }
static int form_row_miss(double *v, struct error *err)
{
    if (cycles_each(v, &rows, 40, NO_FETCH ONE_CHANNEL "core.sms=1 dram.banks=1 clock.dram_mhz=1400", err) < 0)
        return -1;
    *v /= 48;
    return 0;
}
static int form_row_hit(double *v, struct error *err)
{
    if (cycles_each(v, &lines, 40,
                    NO_FETCH ONE_CHANNEL "core.sms=4 clock.dram_mhz=1400 clock.l2_mhz=2800 clock.xbar_mhz=2800 "
                                         "l2.data_port_bytes=128 l2.fill_port=1 xbar.whole_packets=1",
                    err) < 0)
        return -1;
    *v = 192 / *v; /* lines a DRAM cycle */
    return 0;
}
static int form_issue(double *v, struct error *err)
{
    if (cycles_each(v, &full_int, 500, NO_FETCH, err) < 0) return -1;
    *v = 24 / *v;
    return 0;
}
static int form_dram_stream(double *v, struct error *err)
{
    if (cycles_each(v, &stream, STREAM, NO_FETCH, err) < 0) return -1;
    *v = 1536.0 * LINE * 1.4 / *v; /* bytes a nanosecond */
    return 0;
}
static int form_l2_stream(double *v, struct error *err)
{
    if (cycles_each(v, &reuse, 4 * STREAM, NO_FETCH "core.sms=1 l1.set_index=linear l1.sets=1 l1.ways=40", err) < 0)
        return -1;
    *v = 48.0 * LINE * 1.4 / *v;
    return 0;
}
static int form_stack(double *v, struct error *err)
{
    return statistic(v, "l1d_load_hits", &walk, WALK, NO_FETCH "l1.sets=1 l1.ways=64 l1.set_index=linear", err);
}
static int form_stack_mapped(double *v, struct error *err)
{
    return statistic(v, "l1d_load_hits", &walk, WALK,
                     NO_FETCH "l1.sets=1 l1.ways=90 l1.set_index=linear l1.organisation=sectored l1.streaming=1", err);
}
/* Little: misses a cycle times the cycles each stays = MSHRs in use; a stream that waits for DRAM keeps them all, where
 * neither a set's lines nor the miss queue run out before them. */
static int form_little(double *v, struct error *err)
{
    struct gpu_result r;
    const char *settings = NO_FETCH "l1.set_index=linear l1.sets=1 l1.ways=128 l1.miss_queue=64";
    if (run_program(&r, &flood, 4 * STREAM, settings, NULL, err) < 0) return -1;
    *v = gpu_stats_value(r.stats, "miss_latency_sum") / gpu_stats_value(r.stats, "core_cycles") / 32;
    gpu_result_free(&r);
    return 0;
}
/* Little on a queue: its mean length, over arrivals a cycle times the mean stay. Everything that came has left. */
static int little(double *v, int queue, struct error *err)
{
    struct gpu_result r;
    struct gpu_watch watch;
    if (run_program(&r, &flood, STREAM, NO_FETCH, &watch, err) < 0) return -1;
    const struct gpu_queue_watch *q = &watch.queues[queue];
    /* The MSHRs' stay is known from elsewhere: the latency that L1 counts with each miss. */
    const double stay = queue == GPU_QUEUE_L1_MSHRS ? gpu_stats_value(r.stats, "aml_cycles") : q->wait_cycles;
    *v = q->arrived && q->left == q->arrived ? q->occupancy / ((double)q->arrived / watch.time * stay) : NAN;
    gpu_result_free(&r);
    return 0;
}
#define LITTLE(name, queue) \
    static int form_little_##name(double *v, struct error *err) { return little(v, queue, err); }
LITTLE(l1_mshrs, GPU_QUEUE_L1_MSHRS)
LITTLE(l1_miss, GPU_QUEUE_L1_MISS)
LITTLE(l2_access, GPU_QUEUE_L2_ACCESS)
LITTLE(l2_mshrs, GPU_QUEUE_L2_MSHRS)
LITTLE(l2_miss, GPU_QUEUE_L2_MISS)
LITTLE(dram, GPU_QUEUE_DRAM)
LITTLE(l2_responses, GPU_QUEUE_L2_RESPONSES)
LITTLE(sm_replies, GPU_QUEUE_SM_REPLIES)
/* A miss that hits in L2 stands in four queues, links included, and nowhere else. */
static int form_stages(double *v, struct error *err)
{
    static const int stages[] = {GPU_QUEUE_L1_MISS, GPU_QUEUE_L2_ACCESS, GPU_QUEUE_L2_RESPONSES, GPU_QUEUE_SM_REPLIES};
    struct gpu_result r;
    struct gpu_watch watch;
    if (run_program(&r, &all_sms, 8 * STREAM, NO_FETCH "l1.ways=32 l1.sets=1 l1.set_index=linear", &watch, err) < 0)
        return -1;
    double sum = 0;
    for (size_t i = 0; i < COUNT_OF(stages); i++) sum += watch.queues[stages[i]].wait_cycles;
    *v = sum / gpu_stats_value(r.stats, "l2_hit_latency_cycles");
    gpu_result_free(&r);
    return 0;
}
#define L2_STREAM_ALL NO_FETCH "l1.ways=32 l1.sets=1 l1.set_index=linear xbar.speedup="
static int l2_stream_all(double *v, const char *settings, struct error *err)
{
    if (cycles_each(v, &all_sms, 2 * STREAM, settings, err) < 0) return -1;
    *v = 1536.0 * LINE * 1.4 / *v;
    return 0;
}
static int form_l2_stream_all(double *v, struct error *err) { return l2_stream_all(v, L2_STREAM_ALL "2", err); }
static int form_l2_stream_blocked(double *v, struct error *err) { return l2_stream_all(v, L2_STREAM_ALL "1", err); }
/* The example of THESIS Fig. 3.5: I1 to I3 miss, I4 hits, I5 multiplies; a line has been loaded before, and adds
 * that depend on I5 end it. */
static int hazard_trace(struct trace **out, struct error *err)
{
    enum { WARM, WAIT, I1, I2, I3, I4, I5, TAIL, END, N, TAILS = 20 };
    static const uint8_t classes[N] = {TRACE_LOAD, TRACE_INT,     TRACE_LOAD, TRACE_LOAD, TRACE_LOAD,
                                       TRACE_LOAD, TRACE_INT_MUL, TRACE_INT,  TRACE_EXIT};
    static const uint16_t dst[N] = {1, 7, 2, 3, 4, 5, 6, 6, 0}, src[N] = {0, 1, 0, 0, 0, 0, 0, 6, 0};
    static const uint64_t line[N] = {0, 0, 1, 2, 3, 0};
    const struct trace_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .regs_per_thread = 16, .n_regs = 8};
    struct trace_inst code[N];
    struct trace_writer *writer;
    memset(code, 0, sizeof code);
    for (uint16_t k = 0; k < N; k++) {
        memset(code[k].dst, 0xff, sizeof code[k].dst);
        memset(code[k].src, 0xff, sizeof code[k].src);
        code[k].pc = k;
        code[k].cls = classes[k];
        code[k].n_dst = code[k].n_src = k != END;
        if (k != END) code[k].dst[0] = dst[k], code[k].src[0] = src[k];
        if (classes[k] == TRACE_LOAD) code[k].space = TRACE_SPACE_GLOBAL, code[k].bytes = 4;
    }
    if (trace_writer_new(&writer, "structural_hazard", &launch, code, N, "", 1, err) < 0) return -1;
    struct trace_warp_buffer *warp = trace_writer_cta_begin(writer);
    for (uint32_t i = 0; i < N + TAILS - 1; i++) {
        const uint32_t k = i < TAIL ? i : i < TAIL + TAILS ? TAIL : END;
        uint64_t addresses[TRACE_LANES];
        trace_record_step(warp, k, UINT32_MAX);
        for (uint32_t lane = 0; lane < TRACE_LANES; lane++) addresses[lane] = line[k] * LINE + 4 * lane;
        if (classes[k] == TRACE_LOAD) trace_record_access(warp, UINT32_MAX, addresses);
    }
    if (trace_writer_cta_end(writer, err) < 0) {
        trace_writer_free(writer);
        return -1;
    }
    return trace_writer_finish(writer, NULL, "{}", out, err);
}
/* What two MSHRs cost it against many. */
static int form_hazard(double *v, struct error *err)
{
#define FIGURE \
    NO_FETCH "lsu.pipeline_width=1 core.int_mul_latency=4 ideal.memory=fixed ideal.latency_cycles=6 l1.hit_latency=1 " \
             "l1.mshrs="
    static const char *const settings[] = {FIGURE "32", FIGURE "2"};
    struct trace *trace;
    double cycles[2] = {0, 0};
    int result = hazard_trace(&trace, err);
    if (result < 0) return -1;
    for (int i = 0; i < 2 && result == 0; i++) {
        struct gpu_result r;
        if ((result = run_trace(&r, trace, settings[i], NULL, err)) < 0) break;
        cycles[i] = gpu_stats_value(r.stats, "core_cycles");
        gpu_result_free(&r);
    }
    trace_close(trace);
    *v = cycles[1] - cycles[0];
    return result;
}
/* DRAM bytes over bytes asked for, one sector a line. */
static int form_sectors(double *v, struct error *err)
{
    if (statistic(v, "dram_reads", &sectors, STREAM,
                  NO_FETCH "l1.organisation=sectored l2.organisation=sectored dram.bus_bytes=4", err) < 0)
        return -1;
    *v *= 64 / (1536.0 * STREAM * 32);
    return 0;
}
static int form_atomics(double *v, struct error *err)
{
    if (cycles_each(v, &same_word, 100, NO_FETCH "lsu.atomic_conflicts=1", err) < 0) return -1;
    *v /= 8;
    return 0;
}
static int form_dp(double *v, struct error *err)
{
    if (cycles_each(v, &full_dp, 200, NO_FETCH, err) < 0) return -1;
    *v /= 8;
    return 0;
}

static const struct {
    const char *name, *doc;
    enum closed_kind kind;
    double expected, tolerance; /* CLOSED_STACK: expected is the number of lines */
    int (*measure)(double *out, struct error *err);
} forms[] = {
    {"alu_chain_cycles", "a chain of integer adds: core.int_latency each", CLOSED_NEAR, 4, 0.01, form_alu},
    {"l1_hit_chain_cycles", "a chain of loads of one line: l1.hit_latency each", CLOSED_NEAR, 35, 0.05, form_l1},
    {"l2_hit_chain_cycles", "a chain of loads of 512 lines in turn: l2.round_trip_cycles each", CLOSED_NEAR, 120, 0.05,
     form_l2},
    {"dram_chain_cycles", "a chain of loads, each of another row of its bank: round trip, dram.extra_cycles, tRP",
     CLOSED_NEAR, 120 + 100 + 12 * 1400 / 924.0, 0.05, form_dram},
    {"issue_warp_insts_a_cycle", "24 warps of independent adds: one a scheduler", CLOSED_NEAR, 2, 0.02, form_issue},
    {"shared_conflict_cycles", "8 warps, all lanes in one bank: 32 passes each", CLOSED_NEAR, 256, 0.02, form_shared},
    {"dram_row_miss_cycles", "one bank, a new row each time: tRC", CLOSED_NEAR, 40, 0.03, form_row_miss},
    {"dram_row_hit_lines_a_cycle", "one channel, lines in turn: two bursts of tCCD a line", CLOSED_AT_LEAST, 0.25, 0.9,
     form_row_hit},
    {"dram_stream_gb_s", "all SMs stream: 6 channels x 64 bytes every tCCD at 924 MHz", CLOSED_AT_LEAST,
     6 * 64 / 2 * 0.924, 0.8, form_dram_stream},
    {"l2_stream_gb_s", "one SM reads what L2 holds: its port takes 5 flits a line at 700 MHz", CLOSED_AT_LEAST,
     128 / 5.0 * 0.7, 0.9, form_l2_stream},
    {"l2_stream_all_gb_s",
     "all SMs read what L2 holds: 24 banks send 5 flits a line at 700 MHz, through a switch of speedup 2",
     CLOSED_AT_LEAST, 24 * 128 / 5.0 * 0.7, 0.9, form_l2_stream_all},
    /* Karol, Hluchyj and Morgan 1987: where M inputs with one FIFO each feed N outputs, an output takes x packets a
     * slot, x + x^2 / (2 (1 - x)) = M / N: 1/2 for 24 banks and 32 SMs, 2/3 of what the banks could send. */
    {"l2_stream_blocked_gb_s", "the same with speedup 1: heads of line that wait for one SM block packets for others",
     CLOSED_NEAR, 24 * 128 / 5.0 * 0.7 * 2 / 3, 0.05, form_l2_stream_blocked},
    {"sectored_dram_bytes", "one sector of each line: as many bytes from DRAM as asked for", CLOSED_NEAR, 1, 0.001,
     form_sectors},
    {"structural_hazard_cycles",
     "THESIS Fig. 3.5: two MSHRs delay a hit and the multiplication behind it from t = 5 to 9", CLOSED_NEAR, 4, 0,
     form_hazard},
    {"dp_interval_cycles", "8 warps of double precision in two units: core.dp_interval / core.dp_units each",
     CLOSED_NEAR, 4, 0.01, form_dp},
    {"atomic_lane_cycles", "one SM, all lanes on one word: 32 requests of 2 flits at 700 MHz", CLOSED_NEAR, 32 * 2 * 2,
     0.05, form_atomics},
    {"lru_stack_hits", "fully associative L1 of 64 lines: stack distances below 64", CLOSED_STACK, 64, 0, form_stack},
    {"lru_stack_hits_streaming", "fully associative, sectored, streaming L1 of 90 lines: stack distances below 90",
     CLOSED_STACK, 90, 0, form_stack_mapped},
    {"little_l1_mshrs", "Little's law: MSHRs in use = misses a cycle x latency that L1 counts; a flood of loads",
     CLOSED_NEAR, 1, 0.001, form_little_l1_mshrs},
    {"little_l1_miss_queue", "Little's law on the L1 miss queues", CLOSED_NEAR, 1, 1e-6, form_little_l1_miss},
    {"little_l2_access_queue", "Little's law on the request links and L2 access queues", CLOSED_NEAR, 1, 1e-6,
     form_little_l2_access},
    {"little_l2_mshrs", "Little's law on the L2 MSHRs", CLOSED_NEAR, 1, 1e-6, form_little_l2_mshrs},
    {"little_l2_miss_queue", "Little's law on the L2 miss queues", CLOSED_NEAR, 1, 1e-6, form_little_l2_miss},
    {"little_dram", "Little's law on the DRAM queues and banks", CLOSED_NEAR, 1, 1e-6, form_little_dram},
    {"little_l2_response_queue", "Little's law on the L2 response queues", CLOSED_NEAR, 1, 1e-6,
     form_little_l2_responses},
    {"little_sm_replies", "Little's law on the reply links and SM reply queues", CLOSED_NEAR, 1, 1e-6,
     form_little_sm_replies},
    {"stages_of_an_l2_hit", "stays in the four queues of a miss that hits in L2, over the latency that L1 counts",
     CLOSED_NEAR, 1, 0.02, form_stages},
    {"mshrs_in_use", "Little's law: misses a cycle x latency, when a stream keeps all 32", CLOSED_NEAR, 32, 0.05,
     form_little},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

int validate_closed_forms(struct closed_result **out, size_t *n, struct error *err)
{
    struct closed_result *results = calloc(N_FORMS, sizeof *results);
    if (!results) return error_set(err, ERR_MEMORY, "out of memory for closed forms");
    for (size_t i = 0; i < N_FORMS; i++) {
        struct closed_result *r = &results[i];
        *r = (struct closed_result){.name = forms[i].name,
                                    .doc = forms[i].doc,
                                    .kind = forms[i].kind,
                                    .expected = forms[i].expected,
                                    .tolerance = forms[i].tolerance};
        if (r->kind == CLOSED_STACK) {
            r->kind = CLOSED_NEAR;
            r->expected = stack_hits(WALK, (uint32_t)forms[i].expected);
        }
        if (forms[i].measure(&r->measured, err) < 0) {
            free(results);
            return error_while(err, "closed form %s", forms[i].name);
        }
        r->pass = r->kind == CLOSED_NEAR ? fabs(r->measured - r->expected) <= r->tolerance * r->expected
                                         : r->measured >= r->tolerance * r->expected;
    }
    *out = results;
    *n = N_FORMS;
    return 0;
}

json_t *closed_forms_json(const struct closed_result *results, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(out,
                              json_pack("{s:s,s:s,s:s,s:f,s:f,s:f,s:b}", "name", results[i].name, "doc", results[i].doc,
                                        "kind", results[i].kind == CLOSED_NEAR ? "near" : "at_least", "expected",
                                        results[i].expected, "measured", results[i].measured, "tolerance",
                                        results[i].tolerance, "pass", results[i].pass));
    return out;
}

void closed_forms_print(const struct closed_result *results, size_t n)
{
    if (!n) return;
    printf("%-28s %10s %10s %-16s\n", "closed form", "expected", "measured", "");
    for (size_t i = 0; i < n; i++) {
        const struct closed_result *r = &results[i];
        printf("%-28s %10.4g %10.4g %s %3.0f%%  %-6s %s\n", r->name, r->expected, r->measured,
               r->kind == CLOSED_NEAR ? "+-" : ">=", 100 * r->tolerance, r->pass ? "ok" : "FAILED", r->doc);
    }
}
