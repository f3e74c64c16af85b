/* The limit that a simulator of traces cannot pass: decode each access, coalesce it, probe L1 tags. */
#include "../../sim/gpu/plan/coalesce.h"
#include "bench.h"

#include <stdlib.h>

enum { SETS = 32, WAYS = 4 }; /* kepler32's L1 [THESIS Tab. 5.1] */
struct tags {
    uint64_t lines[SETS][WAYS];
    uint32_t last_use[SETS][WAYS], stamp;
};

static uint32_t set_of(uint64_t line)
{
    uint32_t set = 0;
    for (; line; line >>= 5) set ^= (uint32_t)line;
    return set & (SETS - 1);
}

/* True if it hits. */
static bool probe(struct tags *t, uint64_t line)
{
    const uint32_t set = set_of(line);
    uint32_t oldest = 0;
    t->stamp++;
    for (uint32_t w = 0; w < WAYS; w++) {
        if (t->lines[set][w] == line) {
            t->last_use[set][w] = t->stamp;
            return true;
        }
        if (t->last_use[set][w] < t->last_use[set][oldest]) oldest = w;
    }
    t->lines[set][oldest] = line;
    t->last_use[set][oldest] = t->stamp;
    return false;
}

static uint64_t walk(const struct trace *t, struct tags *l1s, uint32_t n_sms)
{
    uint64_t hits = 0;
    struct coalesced found;
    struct lanes lanes;
    for (uint64_t w = 0; w < t->n_warps; w++) {
        const struct trace_warp *warp = &t->warps[w];
        const uint32_t *access = t->accesses + warp->first_access;
        struct tags *l1 = &l1s[w / t->launch.warps_per_cta % n_sms];
        for (uint64_t s = warp->first_step; s < warp->first_step + warp->n_steps; s++) {
            const struct trace_inst *inst = &t->code[t->steps[s].inst];
            if (!trace_class_is_memory(inst->cls) || !t->steps[s].mask) continue;
            access += lanes_read(&lanes, access, t->steps[s].mask);
            if (inst->space != TRACE_SPACE_GLOBAL && inst->space != TRACE_SPACE_LOCAL) continue;
            const uint32_t n = coalesce(&found, &lanes, inst->bytes ? inst->bytes : 1, 128, 32);
            for (uint32_t i = 0; i < n; i++) hits += probe(l1, found.lines[i]);
        }
    }
    return hits;
}

int bench_limit(const struct trace *trace, double *seconds, struct error *err)
{
    const uint32_t n_sms = 32;
    volatile uint64_t hits; /* the walk is for its time */
    struct tags *l1s = calloc(n_sms, sizeof *l1s);
    if (!l1s) return error_set(err, ERR_MEMORY, "no memory for tags");
    const double start = thread_cpu_s();
    hits = walk(trace, l1s, n_sms);
    (void)hits;
    *seconds = thread_cpu_s() - start;
    free(l1s);
    return 0;
}
