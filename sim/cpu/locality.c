/* Stack distances of what misses in a core's private caches.
 * The distance of an access is the number of different lines asked for since its line was last asked for. Each line has
 * a mark at the time of its last access; a tree of sums over time (Fenwick's) counts the marks behind a time. */
#include <stdlib.h>
#include <string.h>
#include "cpu/private_cache.h"
#include "config/params.h"
#include "poise/cpu_locality.h"

struct stack {
    uint32_t *marks; /* tree of sums; index 1..n */
    uint32_t *last;  /* of each line: time of its last access, 0: none */
    uint64_t n, now, lines;
};

static void mark(struct stack *s, uint64_t at, uint32_t change)
{
    for (; at <= s->n; at += at & -at) s->marks[at] += change; /* change may be -1: sums of 32 bits wrap */
}

static uint64_t marks_up_to(const struct stack *s, uint64_t at)
{
    uint32_t sum = 0;
    for (; at; at &= at - 1) sum += s->marks[at];
    return sum;
}

/* Returns the distance, or UINT64_MAX for a line that is new. */
static uint64_t touch(struct stack *s, uint32_t line)
{
    const uint64_t was = s->last[line];
    const uint64_t distance = was ? s->lines - marks_up_to(s, was) : UINT64_MAX;
    if (was) mark(s, was, UINT32_MAX);
    else s->lines++;
    mark(s, ++s->now, 1);
    s->last[line] = (uint32_t)s->now;
    return distance;
}

static void count(struct cpu_locality *out, struct stack *s, uint32_t line)
{
    const uint64_t distance = touch(s, line);
    out->l2_misses++;
    out->first_touches += distance == UINT64_MAX;
    for (int i = 0; i < CPU_CAPACITIES; i++) out->misses[i] += distance >= out->capacity_bytes[i] / CPU_LINE_BYTES;
}

static void run(struct cpu_locality *out, const struct cpu_stream *stream, struct private_cache *l1,
                struct private_cache *l2, struct stack *s)
{
    for (uint64_t i = 0; i < stream->counts.accesses; i++) {
        const struct cpu_access *a = &stream->accesses[i];
        const uint32_t line = (uint32_t)(a->address / CPU_LINE_BYTES);
        if (private_cache_access(l1, line, a->is_store)) continue;
        out->l1_misses++;
        if (!private_cache_access(l2, line, false)) {
            count(out, s, line);
            private_cache_insert(l2, line, false);
        }
        const struct private_victim victim = private_cache_insert(l1, line, a->is_store);
        if (victim.is_dirty && !private_cache_access(l2, victim.line, true))
            private_cache_insert(l2, victim.line, true);
    }
}

int cpu_locality_of(struct cpu_locality *out, const struct cpu_stream *stream, const struct gpu_params *params,
                    struct error *err)
{
    const struct cpu_params *p = &params->cpu;
    struct private_cache l1, l2;
    struct arena arena = {0};
    struct stack s = {.n = stream->counts.accesses};
    const struct l2_params *l2_of = &params->l2;
    *out = (struct cpu_locality){.insts = stream->counts.insts, .accesses = stream->counts.accesses};
    out->llc_bytes = (uint64_t)l2_of->banks * l2_of->sets * l2_of->ways * l2_line_bytes(params);
    for (int i = 0; i < CPU_CAPACITIES; i++) out->capacity_bytes[i] = 262144ull << i;
    private_cache_init(&l1, &arena, p->l1_bytes, p->l1_ways);
    private_cache_init(&l2, &arena, p->l2_bytes, p->l2_ways);
    if (arena_new(&arena, arena.used, err) < 0) return -1;
    private_cache_init(&l1, &arena, p->l1_bytes, p->l1_ways);
    private_cache_init(&l2, &arena, p->l2_bytes, p->l2_ways);
    s.marks = calloc(s.n + 1, sizeof *s.marks);
    s.last = calloc(stream->counts.pages * (CPU_PAGE_BYTES / CPU_LINE_BYTES) + 1, sizeof *s.last);
    const int result = s.marks && s.last ? 0 : error_set(err, ERR_MEMORY, "no memory for stack distances");
    if (result == 0) run(out, stream, &l1, &l2, &s);
    free(s.marks);
    free(s.last);
    arena_free(&arena);
    return result;
}
