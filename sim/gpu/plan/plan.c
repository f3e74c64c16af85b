#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plan/address.h"
#include "plan/coalesce.h"
#include "config/params.h"
#include "poise/arena.h"
#include "poise/sass.h"

static uint8_t inert_action(const struct trace_inst *inst)
{
    return trace_class_is_memory(inst->cls) ? ACT_NOTHING : ACT_ALU;
}

/* One pass over every access of the trace, in order. */
struct walk {
    struct plan *plan;
    const struct trace *trace;
    struct sass *sass;             /* NULL: instructions and steps are those of the trace */
    const struct trace_inst *code; /* n_insts of the plan */
    uint8_t *actions;              /* of static instructions, where a lane executes them */
    struct plan_waits_walk waits;
    uint64_t to;                   /* the plan's next step */
    uint64_t low, high, local_low; /* pass 1: the lines that global memory spans, and the lowest of local memory */
    bool is_plain; /* pass 2: requests name their sectors themselves, and no line of global memory is out of range */
};

/* Lanes of a generic access that go to shared memory. */
static uint32_t shared_lanes(const struct trace_inst *inst, struct lanes *lanes)
{
    const uint64_t window = TRACE_SHARED_WINDOW, end = window + UINT32_MAX;
    if (inst->space != TRACE_SPACE_GLOBAL || lanes->high < window || lanes->low > end) return 0;
    uint32_t shared = 0;
    lanes_spread(lanes);
    for (uint32_t left = lanes->mask; left; left &= left - 1)
        if (lanes->addresses[__builtin_ctz(left)] - window <= UINT32_MAX) shared |= left & -left;
    return shared;
}

/* By address, as a generic access may go to local memory too. */
static bool is_local_line(const struct trace_inst *inst, const struct plan *plan, uint64_t line)
{
    const uint64_t address = line * plan->line_bytes;
    return inst->space == TRACE_SPACE_LOCAL ||
           (inst->space == TRACE_SPACE_GLOBAL && address >= TRACE_LOCAL_WINDOW && address < TRACE_LOCAL_WINDOW_END);
}

/* No lane can touch the window of local memory. */
static bool is_beside_local(const struct lanes *lanes, uint32_t bytes)
{
    return lanes->high <= TRACE_LOCAL_WINDOW - bytes || lanes->low >= TRACE_LOCAL_WINDOW_END;
}

/* Lines low..high are touched, all of one kind of memory. */
static void note_lines(struct walk *w, const struct trace_inst *inst, uint64_t low, uint64_t high)
{
    if (is_local_line(inst, w->plan, low)) {
        if (low < w->local_low) w->local_low = low;
        return;
    }
    if (low < w->low) w->low = low;
    if (high > w->high) w->high = high;
}

/* Lanes of an atomic that touch the same bytes go one by one. */
static bool is_split(const struct plan *plan, const struct plan_step *step)
{
    return step->action == ACT_ATOMIC && plan->splits_atomics;
}
static uint32_t bytes_of(const struct trace_inst *inst) { return inst->bytes ? inst->bytes : 1; }

/* Constants have lines of their own. */
static bool is_constant(const struct plan_step *step) { return step->action == ACT_CONST; }

/* Lines of the requests that an instruction makes: of L1; what goes on to L2 as it is, and what the read-only caches
 * hold, asks for one of its lines at a time. */
static uint32_t request_bytes(const struct plan *plan, const struct trace_inst *inst, const struct plan_step *step)
{
    if (plan->send_bytes == plan->line_bytes) return plan->line_bytes;
    const bool stays = step->action == ACT_LOAD && !plan_load_passes_l1(plan, inst);
    return stays ? plan->line_bytes : plan->send_bytes;
}

/* Requests for parts of L1's lines name these lines, and chunks within them. */
static void name_l1_lines(const struct plan *plan, struct coalesced *found, uint32_t n)
{
    const uint32_t parts = plan->line_bytes / plan->send_bytes, chunks = plan->send_bytes / plan->chunk_bytes;
    for (uint32_t i = 0; i < n; i++) {
        found->chunks[i] <<= found->lines[i] % parts * chunks;
        found->lines[i] /= parts;
    }
}

/* Of the chunks, those of the lowest sector that has any. */
static uint32_t lowest_sector(const struct plan *plan, uint32_t chunks)
{
    const uint32_t width = 32 / plan->chunk_bytes; /* of a sector: a power of two */
    return chunks & ((1u << width) - 1) << ((uint32_t)__builtin_ctz(chunks) & -width);
}

/* An access makes a request for each sector that it touches. */
static bool asks_for_sectors(const struct plan *plan, const struct plan_step *step)
{
    return plan->splits_sectors && !is_constant(step);
}

static ALWAYS_INLINE uint32_t lines_of(const struct walk *w, const struct trace_inst *inst,
                                       const struct plan_step *step, struct lanes *lanes, struct coalesced *found)
{
    const struct plan *plan = w->plan;
    const uint32_t bytes = bytes_of(inst), line_bytes = request_bytes(plan, inst, step);
    const uint32_t n = is_split(plan, step) ? coalesce_atomic(found, lanes, bytes, line_bytes, plan->chunk_bytes)
                                            : coalesce(found, lanes, bytes, line_bytes, plan->chunk_bytes);
    if (line_bytes != plan->line_bytes && !is_constant(step)) name_l1_lines(plan, found, n);
    return n;
}

/* Bytes of what a request is counted by: a sector, or a line of it. */
static uint32_t counted_bytes(const struct plan *plan, const struct trace_inst *inst, const struct plan_step *step)
{
    return asks_for_sectors(plan, step) ? 32 : request_bytes(plan, inst, step);
}

/* Pass 1: notes the lines of an access of n requests if all are of one kind of memory. Returns n, or 0. */
static ALWAYS_INLINE uint32_t note_span(struct walk *w, const struct trace_inst *inst, const struct plan_step *step,
                                        const struct lanes *lanes, uint32_t n)
{
    const uint32_t bytes = bytes_of(inst), shift = (uint32_t)__builtin_ctz(w->plan->line_bytes);
    if (is_constant(step) || n == 0) return n;
    if (inst->space == TRACE_SPACE_GLOBAL && !is_beside_local(lanes, bytes)) return 0;
    note_lines(w, inst, lanes->low >> shift, (lanes->high + bytes - 1) >> shift);
    return n;
}

/* Pass 1, of most accesses: neither their lines nor their sectors need be gone over to be counted. The number of
 * requests, or 0. */
static uint32_t measure_at_once(struct walk *w, const struct trace_inst *inst, const struct plan_step *step,
                                const struct lanes *lanes)
{
    if (is_split(w->plan, step)) return 0;
    return note_span(w, inst, step, lanes, coalesce_count(lanes, bytes_of(inst), counted_bytes(w->plan, inst, step)));
}

/* Of others, as many as there can be at most; or 0. */
static APART uint32_t measure_bound(struct walk *w, const struct trace_inst *inst, const struct plan_step *step,
                                    struct lanes *lanes)
{
    if (is_split(w->plan, step)) return 0;
    return note_span(w, inst, step, lanes, coalesce_bound(lanes, bytes_of(inst), counted_bytes(w->plan, inst, step)));
}

static uint32_t count_sectors(const struct plan *plan, const struct coalesced *found, uint32_t n)
{
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t left = found->chunks[i]; left; left &= ~lowest_sector(plan, left)) sectors++;
    return sectors;
}

static void measure_access(struct walk *w, const struct trace_inst *inst, const struct plan_step *step,
                           struct lanes *lanes)
{
    struct coalesced found;
    uint32_t n = measure_at_once(w, inst, step, lanes);
    if (n == 0) n = measure_bound(w, inst, step, lanes);
    if (n == 0) {
        n = lines_of(w, inst, step, lanes, &found);
        for (uint32_t i = 0; i < n && !is_constant(step); i++) note_lines(w, inst, found.lines[i], found.lines[i]);
        if (asks_for_sectors(w->plan, step)) n = count_sectors(w->plan, &found, n);
    }
    w->plan->n_requests += n;
}

/* Of n accesses to lines, or to parts of one that stand together. */
static APART uint32_t lines_apart(const uint64_t *lines, uint32_t n)
{
    uint32_t apart = n;
    for (uint32_t i = 1; i < n; i++) apart -= lines[i] == lines[i - 1];
    return apart;
}

static void add_request(struct plan *plan, uint64_t line, uint32_t chunks)
{
    const uint32_t named = plan->chunks ? 0 : 15; /* sectors that the request itself names */
    if (plan->chunks) plan->chunks[plan->n_requests] = chunks;
    plan->requests[plan->n_requests++] = (plan_request)(line << 4 | (chunks & named));
}

/* Pass 2, of most accesses: all lines are of global memory. */
static bool may_add_at_once(const struct walk *w, const struct trace_inst *inst, const struct plan_step *step,
                            const struct lanes *lanes)
{
    return w->is_plain && !is_constant(step) && inst->space == TRACE_SPACE_GLOBAL &&
           is_beside_local(lanes, bytes_of(inst));
}

static void add_at_once(struct plan *plan, const struct coalesced *found, uint32_t n)
{
    plan_request *to = plan->requests + plan->n_requests;
    const uint32_t first = (uint32_t)plan->first_line; /* the difference has 28 bits */
    for (uint32_t i = 0; i < n; i++) to[i] = ((uint32_t)found->lines[i] - first) << 4 | found->chunks[i];
    plan->n_requests += n;
}

/* The same with a request for each sector. */
static void add_sectors_at_once(struct plan *plan, const struct coalesced *found, uint32_t n)
{
    plan_request *to = plan->requests + plan->n_requests;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t line = ((uint32_t)found->lines[i] - (uint32_t)plan->first_line) << 4;
        for (uint32_t left = found->chunks[i]; left; left &= left - 1) *to++ = line | (left & -left);
    }
    plan->n_requests = (uint64_t)(to - plan->requests);
}

static int plan_access(struct walk *w, const struct trace_inst *inst, struct plan_step *step, struct lanes *lanes,
                       struct error *err)
{
    struct plan *plan = w->plan;
    struct coalesced found;
    const uint64_t *lines = found.lines;
    const bool is_const = is_constant(step), asks = asks_for_sectors(plan, step);
    const uint32_t n = lines_of(w, inst, step, lanes, &found);
    step->first = (uint32_t)plan->n_requests;
    step->covers = step->action == ACT_STORE && lanes_cover_sectors(lanes, bytes_of(inst));
    if (!is_const) step->degree = (uint8_t)(asks ? lines_apart(lines, n) : n);
    if (may_add_at_once(w, inst, step, lanes)) {
        (asks ? add_sectors_at_once : add_at_once)(plan, &found, n);
        step->n = (uint8_t)(plan->n_requests - step->first);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        const bool is_local = is_local_line(inst, plan, lines[i]);
        const uint64_t line = is_const
                                  ? (inst->space == TRACE_SPACE_PARAM ? PARAM_LINES : CONST_LINES) + (lines[i] & 0x7fff)
                              : is_local ? lines[i] - w->local_low + LOCAL_LINES
                                         : lines[i] - plan->first_line;
        if (line >= (is_const ? CODE_LINES : is_local ? CONST_LINES : LOCAL_LINES))
            return error_set(err, ERR_INPUT, "%s: the launch touches memory over a range of more than %llu GB",
                             trace_kernel(w->trace), (unsigned long long)LOCAL_LINES * plan->line_bytes >> 30);
        for (uint32_t left = found.chunks[i], chunks; left; left &= ~chunks)
            add_request(plan, line, chunks = asks ? lowest_sector(plan, left) : left);
    }
    step->n = (uint8_t)(plan->n_requests - step->first);
    return 0;
}

static uint32_t shared_access_passes(const struct plan *plan, const struct trace_inst *inst, struct lanes *lanes)
{
    const uint32_t passes = shared_passes(lanes, inst->bytes, plan->shared_banks);
    if (!plan->shared_returns_registers || inst->cls != TRACE_LOAD) return passes;
    const uint32_t returned = shared_return_passes(lanes, inst->bytes);
    return passes > returned ? passes : returned;
}

/* Of a generic access that goes to shared memory with some lanes and elsewhere with others, only the latter take
 * time. */
static ALWAYS_INLINE int walk_access(struct walk *w, int pass, const struct trace_inst *inst, struct lanes *lanes,
                                     struct plan_step *step, struct error *err)
{
    const uint32_t shared = shared_lanes(inst, lanes);
    if (shared == lanes->mask) step->action = ACT_SHARED;
    else lanes->mask &= ~shared;
    if (step->action == ACT_SHARED) {
        const uint32_t passes = pass == 2 ? shared_access_passes(w->plan, inst, lanes) : 0;
        step->n = (uint8_t)(passes < UINT8_MAX ? passes : UINT8_MAX);
        return 0;
    }
    const bool is_const = is_constant(step);
    w->plan->reads_textures |= step->action == ACT_TEXTURE;
    if (is_const && pass == 2) step->n = step->degree = (uint8_t)distinct_addresses(lanes);
    if (is_const && !w->plan->caches_constants) return 0;
    if (pass == 2) return plan_access(w, inst, step, lanes, err);
    measure_access(w, inst, step, lanes);
    return 0;
}

/* An access's step; its words are read and the next one's returned, NULL on error. One source for both passes. */
static ALWAYS_INLINE const uint32_t *walk_step(struct walk *w, int pass, const struct trace_step *from,
                                               const uint32_t *access, struct plan_step *step, struct error *err)
{
    struct lanes lanes;
    step->action = w->actions[from->inst];
    access += lanes_read(&lanes, access, from->mask);
    return walk_access(w, pass, &w->code[from->inst], &lanes, step, err) < 0 ? NULL : access;
}

/* Pass 1: how many line requests there will be at most, and where. */
static int measure_warp(struct walk *w, const struct sass_warp *warp, uint32_t index, struct error *err)
{
    const struct trace_inst *code = w->code;
    const uint32_t *access = warp->accesses;
    const struct trace_step *from = warp->steps, *end = from + warp->n_steps;
    struct plan_step scratch;
    (void)index;
    w->plan->n_steps += warp->n_steps;
    for (; from < end; from++)
        if (trace_class_is_memory(code[from->inst].cls) && from->mask &&
            !(access = walk_step(w, 1, from, access, &scratch, err)))
            return -1;
    return 0;
}

/* The step has been planned; true: it is left out after all. */
static APART bool note_waits(struct walk *w, const struct trace_step *from, const struct plan_step *to)
{
    const uint64_t step = (uint64_t)(from - w->trace->steps);
    if (plan_leaves_out(&w->waits, w->trace, step)) return true;
    plan_note_step(w->plan, &w->waits, w->trace, step, (uint64_t)(to - w->plan->steps));
    return false;
}

/* Pass 2: its steps, with their requests. */
static int plan_warp(struct walk *w, const struct sass_warp *warp, uint32_t index, struct error *err)
{
    const bool has_waits = w->plan->n_waits > 0;
    const struct trace_inst *code = w->code;
    const uint8_t *actions = w->actions;
    const uint32_t *access = warp->accesses;
    const struct trace_step *from = warp->steps, *end = from + warp->n_steps;
    struct plan_step *to = w->plan->steps + w->to;
    for (; from < end; from++, to++) {
        const uint32_t lanes = from->mask == UINT32_MAX ? TRACE_LANES : (uint32_t)__builtin_popcount(from->mask);
        *to = (struct plan_step){.inst = (uint16_t)from->inst,
                                 .action = from->mask ? actions[from->inst] : inert_action(&code[from->inst]),
                                 .lanes = (uint8_t)lanes};
        if (trace_class_is_memory(code[from->inst].cls) && from->mask &&
            !(access = walk_step(w, 2, from, access, to, err)))
            return -1;
        if (has_waits && note_waits(w, from, to)) to--;
    }
    const uint64_t first = w->to;
    w->to = (uint64_t)(to - w->plan->steps);
    w->plan->warps[index] = (struct plan_warp){first, (uint32_t)(w->to - first)};
    return 0;
}

static int walk_trace(struct walk *w, int pass, struct error *err)
{
    w->plan->n_requests = 0;
    for (uint32_t i = 0; i < w->plan->n_warps; i++) {
        const struct trace_warp *from = &w->trace->warps[i];
        struct sass_warp warp = {w->trace->steps + from->first_step, w->trace->accesses + from->first_access,
                                 from->n_steps};
        if (w->sass && sass_read_warp(w->sass, from, &warp, err) < 0) return -1;
        if ((pass == 1 ? measure_warp : plan_warp)(w, &warp, i, err) < 0) return -1;
    }
    return 0;
}

static void plan_occupancy(struct plan *plan, const struct gpu_params *params)
{
    const struct occupancy o = core_occupancy(&params->core, &plan->launch);
    plan->ctas_per_sm = o.ctas;
    plan->warps_per_scheduler = (o.warps + params->core.schedulers - 1) / params->core.schedulers;
}

/* What a CTA that does not fit needs, what an SM has, and the setting with which it would fit. */
static int does_not_fit(const struct plan *plan, const struct trace *trace, const struct gpu_params *params,
                        struct error *err)
{
    const struct trace_launch *launch = &trace->launch;
    const struct core_params *c = &params->core;
    const enum occupancy_limit limit = core_occupancy(c, &plan->launch).limit;
    const uint64_t warp = (uint64_t)launch->regs_per_thread * TRACE_LANES,
                   unit = c->register_unit ? c->register_unit : 1;
    const uint64_t registers = (warp + unit - 1) / unit * unit * launch->warps_per_cta;
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    const struct {
        enum occupancy_limit limit;
        const char *key;
        uint64_t needs, has;
    } rows[] = {
        {OCCUPANCY_REGISTERS, "core.registers", registers, c->registers},
        {OCCUPANCY_SHARED, "core.shared_bytes", launch->shared_bytes, c->shared_bytes},
        {OCCUPANCY_WARPS, "core.max_warps", launch->warps_per_cta, c->max_warps},
        {OCCUPANCY_THREADS, "core.max_threads", threads, c->max_threads},
    };
    size_t i = 0;
    while (i + 1 < sizeof rows / sizeof *rows && rows[i].limit != limit) i++;
    error_set(err, ERR_INPUT,
              "%s: a CTA of %u warps, %u registers a thread and %u bytes of shared memory does not fit an SM (%s: it "
              "needs %llu, an SM has %llu)",
              trace_kernel(trace), launch->warps_per_cta, launch->regs_per_thread, launch->shared_bytes,
              occupancy_limit_text(limit), (unsigned long long)rows[i].needs, (unsigned long long)rows[i].has);
    char hint[200];
    snprintf(hint, sizeof hint, "what would fit: --set %s=%llu, or a preset with larger SMs, such as --config volta80",
             rows[i].key, (unsigned long long)rows[i].needs);
    return error_at(err, NULL, 0, -1, hint);
}

static int plan_shape(struct plan *plan, const struct trace *trace, const struct gpu_params *params, struct error *err)
{
    plan->launch = trace->launch;
    plan->trace = trace->hash;
    plan->kernel = (uint32_t)hash_checksum(trace_kernel(trace), strlen(trace_kernel(trace)));
    plan->n_warps = (uint32_t)trace->n_warps;
    plan->n_insts = trace->launch.n_code;
    plan->line_bytes = params->l1.line_bytes;
    plan->chunk_bytes = plan_chunk_bytes(params);
    plan->send_bytes = send_bytes(params);
    plan->shared_banks = params->lsu.shared_banks;
    plan->shared_returns_registers = params->lsu.shared_registers;
    plan->caches_constants = params->lsu.const_sets > 0;
    plan->caches_textures = params->lsu.tex_sets > 0;
    plan->splits_atomics = params->lsu.atomic_conflicts;
    plan->splits_sectors = params->lsu.sector_requests;
    plan->skips_l1 = params->l1.skip_global;
    plan->address_period = address_period(params);
    plan->simulates_waits = params->core.waiting == WAITING_SIMULATED;
    plan->sass = params->sass;
    plan_occupancy(plan, params);
    if (plan->ctas_per_sm == 0) return does_not_fit(plan, trace, params, err);
    if (plan->n_insts > UINT16_MAX)
        return error_set(err, ERR_INPUT, "%s: more than 65535 static instructions", trace_kernel(trace));
    return 0;
}

/* Line numbers keep the low bits of addresses, so that launches of one program share L2 lines and address maps see real
 * bits; only a launch that straddles such a boundary counts from its lowest line. */
static uint64_t own_first_line(uint64_t low, uint64_t high, const struct gpu_params *params)
{
    uint64_t aligned = low & ~(uint64_t)(LOCAL_LINES - 1);
    aligned -= aligned % address_period(params);
    return low > high ? 0 : high - aligned < LOCAL_LINES ? aligned : low - low % l1_lines_of_l2(params);
}

struct plan_lines plan_lines(const struct plan *plan)
{
    return (struct plan_lines){plan->first_line, plan->low_line, plan->high_line, plan->counts_from_own};
}

int plan_lines_join(uint64_t *first_line, const struct plan_lines *lines, size_t n, const struct gpu_params *params,
                    struct error *err)
{
    uint64_t low = UINT64_MAX, high = 0, first = 0;
    bool agree = true, any = false;
    *first_line = 0;
    for (size_t i = 0; i < n; i++) {
        if (lines[i].low > lines[i].high) continue;
        agree &= !any || lines[i].first == first;
        first = lines[i].first;
        any = true;
        if (lines[i].low < low) low = lines[i].low;
        if (lines[i].high > high) high = lines[i].high;
    }
    if (any && !agree) {
        first = own_first_line(low, high, params);
        const uint64_t period = low - low % address_period(params); /* real bits where the range allows it */
        if (first > period && high - period < LOCAL_LINES) first = period;
        if (high - first >= LOCAL_LINES)
            return error_set(
                err, ERR_INPUT,
                "the launches' memory lies more than %llu GB apart: L2 cannot be carried over between them",
                (unsigned long long)LOCAL_LINES * params->l1.line_bytes >> 30);
    }
    *first_line = first;
    return 0;
}

static size_t request_size(const struct plan *plan)
{
    return sizeof *plan->requests + (plan->chunks ? sizeof *plan->chunks : 0);
}

/* Room for what pass 1 has counted. Of requests there may be fewer: what is left of their table is never touched, so
 * that it takes no memory. */
static int take_tables(struct plan *plan, const struct trace *trace, bool names_chunks, struct error *err)
{
    plan->insts = calloc(plan->n_insts + 1, sizeof *plan->insts);
    plan->steps = table_take(plan->n_steps + 1, sizeof *plan->steps);
    plan->requests = table_take(plan->n_requests + 1, sizeof *plan->requests);
    plan->chunks = names_chunks ? table_take(plan->n_requests + 1, sizeof *plan->chunks) : NULL;
    plan->warps = calloc(plan->n_warps + 1, sizeof *plan->warps);
    plan->bytes = sizeof *plan + plan->n_insts * sizeof *plan->insts + plan->n_steps * sizeof *plan->steps +
                  plan->n_warps * sizeof *plan->warps;
    if (plan->insts && plan->steps && plan->requests && (plan->chunks || !names_chunks) && plan->warps) return 0;
    return error_set(err, ERR_MEMORY, "%s: no memory for a plan of %zu bytes", trace_kernel(trace),
                     plan->bytes + plan->n_requests * request_size(plan));
}

int plan_new(struct plan **out, const struct trace *trace, const struct gpu_params *params, struct error *err)
{
    return plan_new_from(out, trace, params, 0, err);
}

int plan_new_from(struct plan **out, const struct trace *trace, const struct gpu_params *params, uint64_t first_line,
                  struct error *err)
{
    *out = NULL;
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan) return error_set(err, ERR_MEMORY, "no memory for a plan");
    struct walk walk = {.plan = plan, .trace = trace, .low = UINT64_MAX, .local_low = UINT64_MAX};
    walk.code = trace->code;
    if (plan_shape(plan, trace, params, err) < 0 || sass_new(&walk.sass, trace, params, err) < 0) goto failed;
    if (walk.sass) walk.code = sass_code(walk.sass, &plan->n_insts, &plan->launch.n_regs);
    walk.actions = malloc(plan->n_insts + 1);
    if (!walk.actions) {
        error_set(err, ERR_MEMORY, "%s: no memory for a plan", trace_kernel(trace));
        goto failed;
    }
    for (uint32_t i = 0; i < plan->n_insts; i++) walk.actions[i] = plan_action(plan, &walk.code[i]);
    if (walk_trace(&walk, 1, err) < 0) goto failed;
    plan->low_line = walk.low;
    plan->high_line = walk.high;
    const uint64_t own = own_first_line(walk.low, walk.high, params);
    plan->first_line = first_line ? first_line : own;
    plan->counts_from_own = plan->first_line == own;
    walk.is_plain =
        !plan_names_chunks(params) && walk.low >= plan->first_line && walk.high - plan->first_line < LOCAL_LINES;
    if (take_tables(plan, trace, plan_names_chunks(params), err) < 0) goto failed;
    plan_code(plan, walk.code, walk.sass);
    if (plan_waits_new(plan, trace, err) < 0 || walk_trace(&walk, 2, err) < 0) goto failed;
    if (plan->n_requests > UINT32_MAX) {
        error_set(err, ERR_LIMIT, "%s: more than 2^32 line requests in one launch", trace_kernel(trace));
        goto failed;
    }
    plan->bytes += plan->n_requests * request_size(plan);
    plan->n_steps = walk.to;
    plan->steps[plan->n_steps] = (struct plan_step){0};
    plan->requests[plan->n_requests] = 0;
    free(walk.actions);
    sass_free(walk.sass);
    *out = plan;
    return 0;
failed:
    free(walk.actions);
    sass_free(walk.sass);
    plan_free(plan);
    return -1;
}

void plan_free(struct plan *plan)
{
    if (!plan) return;
    free(plan->insts);
    free(plan->steps);
    free(plan->requests);
    free(plan->chunks);
    free(plan->warps);
    free(plan->words);
    free(plan->waits);
    free(plan->writes);
    free(plan);
}

uint32_t plan_warps_per_scheduler(const struct plan *plan) { return plan->warps_per_scheduler; }
uint64_t plan_warp_insts(const struct plan *plan) { return plan->n_steps; }
uint32_t plan_warps(const struct plan *plan) { return plan->n_warps; }
uint32_t plan_kernel(const struct plan *plan) { return plan->kernel; }
uint64_t plan_line_requests(const struct plan *plan) { return plan->n_requests; }
size_t plan_bytes(const struct plan *plan) { return plan->bytes; }

bool plan_fits(const struct plan *plan, const struct gpu_params *params)
{
    struct plan shape = *plan;
    plan_occupancy(&shape, params);
    return plan->line_bytes == params->l1.line_bytes && plan->chunk_bytes == plan_chunk_bytes(params) &&
           plan->send_bytes == send_bytes(params) && plan->shared_banks == params->lsu.shared_banks &&
           plan->shared_returns_registers == params->lsu.shared_registers &&
           plan->caches_constants == (params->lsu.const_sets > 0) &&
           plan->caches_textures == (params->lsu.tex_sets > 0) &&
           plan->splits_atomics == params->lsu.atomic_conflicts &&
           plan->splits_sectors == params->lsu.sector_requests && plan->skips_l1 == params->l1.skip_global &&
           plan->address_period == address_period(params) &&
           plan->simulates_waits == (params->core.waiting == WAITING_SIMULATED) &&
           memcmp(&plan->sass, &params->sass, sizeof plan->sass) == 0 && plan->ctas_per_sm == shape.ctas_per_sm &&
           plan->warps_per_scheduler == shape.warps_per_scheduler;
}
