/* Validation and identity of a trace's content, the same for a writer's, a decoded file's and a decompressed one's. */
#include "internal.h"

#include <string.h>

static int bad(struct error *err, const char *name, long byte, const char *what, uint64_t at, const char *why,
               uint64_t value)
{
    if (byte >= 0)
        return container_bad(err, name, byte, "%s %llu: %s (%llu)", what, (unsigned long long)at, why,
                             (unsigned long long)value);
    return error_set(err, ERR_INPUT, "%s: %s %llu: %s (%llu)", name, what, (unsigned long long)at, why,
                     (unsigned long long)value);
}

static const char *inst_problem(const struct trace_inst *i, const struct trace_launch *launch, uint64_t n_strings)
{
    static const uint8_t zeros[sizeof i->reserved];
    if (i->cls >= TRACE_N_CLASSES) return "class is out of range";
    if (i->space >= TRACE_N_SPACES) return "memory space is out of range";
    if (i->cache_op >= TRACE_N_CACHE_OPS) return "cache operator is out of range";
    if (i->atomic >= TRACE_N_ATOMICS) return "atomic operation is out of range";
    if (i->scope >= TRACE_N_SCOPES) return "scope is out of range";
    if (i->flags & ~TRACE_FLAGS_ALL) return "flags are out of range";
    if (i->name >= n_strings) return "opcode text lies outside the strings";
    if (i->n_dst > TRACE_MAX_DST || i->n_src > TRACE_MAX_SRC) return "more registers than an instruction may name";
    for (int r = 0; r < TRACE_MAX_DST; r++)
        if (r < i->n_dst ? i->dst[r] >= launch->n_regs : i->dst[r] != TRACE_NO_REG)
            return "destination register is out of range";
    for (int r = 0; r < TRACE_MAX_SRC; r++)
        if (r < i->n_src ? i->src[r] >= launch->n_regs : i->src[r] != TRACE_NO_REG)
            return "source register is out of range";
    if (inst_is_memory(i) && (i->space == TRACE_SPACE_NONE || i->bytes == 0 || i->bytes > 64))
        return "memory access without space or width";
    if (i->reserved2 || memcmp(i->reserved, zeros, sizeof zeros) != 0) return "reserved bytes are not zero";
    return NULL;
}

static const char *launch_problem(const struct trace_launch *l, uint64_t n_strings)
{
    uint64_t ctas = 1, threads = 1;
    for (int d = 0; d < 3; d++) {
        if (l->grid[d] == 0 || l->block[d] == 0 || l->block[d] > 1024) return "grid or block dimension is out of range";
        ctas *= l->grid[d];
        threads *= l->block[d];
        if (ctas > UINT32_MAX) return "more than 2^32 - 1 CTAs";
    }
    if (threads > 1024) return "more than 1024 threads in a CTA";
    if (l->n_ctas != ctas || l->warps_per_cta != (threads + TRACE_LANES - 1) / TRACE_LANES)
        return "counts do not fit grid and block";
    if (l->n_regs > TRACE_NO_REG) return "more than 65535 registers";
    if (l->n_code == 0) return "no instructions";
    if (l->kernel >= n_strings) return "kernel name lies outside the strings";
    if (l->reserved[0] || l->reserved[1]) return "reserved words are not zero";
    return NULL;
}

int trace_check_code(const struct trace *t, const char *name, const struct section *where, struct error *err)
{
    const long byte = where ? (long)where->offset : -1;
    if (t->n_strings == 0 || t->strings[t->n_strings - 1] != '\0')
        return bad(err, name, byte, "strings of size", t->n_strings, "no end", 0);
    const char *problem = launch_problem(&t->launch, t->n_strings);
    if (problem) return bad(err, name, byte, "launch", 0, problem, t->launch.n_ctas);
    for (uint32_t i = 0; i < t->launch.n_code; i++) {
        problem = inst_problem(&t->code[i], &t->launch, t->n_strings);
        if (problem) return bad(err, name, byte, "static instruction", i, problem, t->code[i].line);
    }
    return 0;
}

static const char *check_access(const struct trace *t, uint32_t mask, struct trace_cursor *at)
{
    const bool is_single = (mask & (mask - 1)) == 0;
    if (at->access == t->n_accesses) return "access entry is missing";
    const uint32_t kind = t->accesses[at->access], words = trace_access_words(t->accesses + at->access, mask);
    if (words == 0) return "access kind is out of range";
    if (words > t->n_accesses - at->access) return "access entry is cut off";
    if (kind == TRACE_ACCESS_STRIDED && (is_single || t->accesses[at->access + 3] == 0))
        return "strided access is a uniform one";
    if (kind >= TRACE_ACCESS_SCATTER32 && is_single) return "scattered access of a single lane";
    at->access += words;
    return NULL;
}

const char *trace_check_step(const struct trace *t, uint32_t lanes, struct trace_cursor *at)
{
    const struct trace_step step = t->steps[at->step];
    if (step.inst >= t->launch.n_code) return "instruction is out of range";
    if (step.mask & ~lanes) return "lanes that the warp does not have";
    const struct trace_inst *inst = &t->code[step.inst];
    if (inst->flags & TRACE_GUARDED) {
        if (at->guard == t->n_guards) return "guard is missing";
        const uint32_t active = t->guards[at->guard++];
        if (step.mask & ~active || active & ~lanes) return "lanes execute that are not active";
    }
    return step.mask && inst_is_memory(inst) ? check_access(t, step.mask, at) : NULL;
}

int trace_check_warps(const struct trace *t, const char *name, long byte, struct error *err)
{
    const uint32_t threads = t->launch.block[0] * t->launch.block[1] * t->launch.block[2];
    struct trace_cursor at = {0, 0, 0};
    if (t->n_warps != (uint64_t)t->launch.n_ctas * t->launch.warps_per_cta)
        return bad(err, name, byte, "trace with warps", t->n_warps, "the launch has a different number",
                   t->launch.n_ctas);
    for (uint64_t w = 0; w < t->n_warps; w++) {
        const struct trace_warp *warp = &t->warps[w];
        const uint32_t lanes = warp_lanes(threads, (uint32_t)(w % t->launch.warps_per_cta));
        if (warp->first_step != at.step || warp->first_access != at.access || warp->first_guard != at.guard)
            return bad(err, name, byte, "warp", w, "does not start where the previous one ends", warp->first_step);
        if (warp->n_steps > t->n_steps - at.step)
            return bad(err, name, byte, "warp", w, "more steps than the trace has", warp->n_steps);
        for (const uint64_t end = at.step + warp->n_steps; at.step < end; at.step++) {
            const char *problem = trace_check_step(t, lanes, &at);
            if (problem) return bad(err, name, byte, "step", at.step, problem, t->steps[at.step].inst);
        }
    }
    if (at.step != t->n_steps || at.access != t->n_accesses || at.guard != t->n_guards)
        return bad(err, name, byte, "after the last warp", t->n_warps, "steps, accesses or guards are left over",
                   t->n_steps - at.step);
    return 0;
}

int trace_check_spun(const struct trace *t, const char *name, long byte, struct error *err)
{
    uint64_t end = 0, w = 0;
    for (uint64_t i = 0; i < t->n_spun; i++) {
        const struct trace_spun *s = &t->spun[i];
        if (s->n == 0 || s->first < end || s->first >= t->n_steps || s->n > t->n_steps - s->first)
            return bad(err, name, byte, "range of steps that waited", i,
                       "is empty, out of order or beyond the last step", s->first);
        while (t->warps[w].first_step + t->warps[w].n_steps <= s->first) w++;
        end = s->first + s->n;
        if (end > t->warps[w].first_step + t->warps[w].n_steps)
            return bad(err, name, byte, "range of steps that waited", i, "reaches into another warp", s->first);
    }
    return 0;
}

int trace_identity(const struct trace *t, struct hash *hash, struct error *err)
{
    struct hasher *h = hasher_new();
    if (!h) return error_set(err, ERR_MEMORY, "%s: no memory to hash", trace_kernel(t));
    const uint64_t counts[] = {TRACE_VERSION, t->n_strings, t->n_warps, t->n_steps, t->n_accesses, t->n_guards};
    hasher_add(h, counts, sizeof counts);
    hasher_add(h, &t->launch, sizeof t->launch);
    hasher_add(h, t->code, t->launch.n_code * sizeof *t->code);
    hasher_add(h, t->strings, t->n_strings);
    hasher_add(h, t->warps, t->n_warps * sizeof *t->warps);
    if (t->n_steps) hasher_add(h, t->steps, t->n_steps * sizeof *t->steps);
    if (t->n_accesses) hasher_add(h, t->accesses, t->n_accesses * sizeof *t->accesses);
    if (t->n_guards) hasher_add(h, t->guards, t->n_guards * sizeof *t->guards);
    for (const struct trace_part *p = trace_parts; p < trace_parts + N_TRACE_PARTS; p++) {
        const uint64_t n = trace_part_count(t, p);
        if (!n) continue; /* identities from before there was this part stay */
        hasher_add(h, &n, sizeof n);
        hasher_add(h, trace_part_data(t, p), n * p->item);
    }
    *hash = hasher_finish(h);
    return 0;
}
