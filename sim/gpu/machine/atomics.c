/* The order in which a run performs its atomics: noted where a bank of L2 takes a request, or where an SM that performs
 * its own says that it has. A bank performs what it takes of a line in the order in which it takes it: what finds the
 * line absent waits in its MSHR in this order, and what comes after the fill finds it present. */
#include "machine/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include "poise/file.h"

#define ANY_PC UINT32_MAX

struct note {
    uint32_t warp, line, pc;
};
struct gpu_atomic_order {
    struct note *notes;
    uint64_t n, cap, first_line;
    uint32_t line_bytes;
    bool failed; /* out of memory: said when it is written */
};

struct gpu_atomic_order *gpu_atomic_order_new(void) { return calloc(1, sizeof(struct gpu_atomic_order)); }

void gpu_atomic_order_free(struct gpu_atomic_order *order)
{
    if (order) free(order->notes);
    free(order);
}

uint64_t gpu_atomic_order_n(const struct gpu_atomic_order *order) { return order->n; }

static void note(struct gpu_atomic_order *o, uint32_t warp, uint32_t line, uint32_t pc)
{
    if (o->n == o->cap) {
        const uint64_t cap = o->cap ? 2 * o->cap : 4096;
        struct note *more = o->failed ? NULL : realloc(o->notes, cap * sizeof *more);
        if (!more) {
            o->failed = true;
            return;
        }
        o->notes = more;
        o->cap = cap;
    }
    o->notes[o->n++] = (struct note){warp, line, pc};
}

static void performed_at_l2(void *machine, uint32_t sm, uint32_t token, bool wants_result, uint32_t line)
{
    struct gpu *g = machine;
    const struct sm *s = &g->sms[sm];
    const struct load *load = wants_result ? &s->loads[token] : NULL;
    note(g->atomics, s->warps[load ? load->warp : token].uid, line, load ? load->inst->pc : ANY_PC);
}

void atomics_performed(struct gpu *g, const struct atomic *atomic)
{
    note(g->atomics, atomic->uid, atomic->line, atomic->pc);
}

int atomics_note(struct gpu *g, struct gpu_atomic_order *order, struct error *err)
{
    const struct plan *plan = g->shares->plan;
    if (plan->splits_sectors || plan->splits_atomics)
        return error_set(err, ERR_USAGE,
                         "the order of atomics is noted by line: it needs lsu.sector_requests=0 and "
                         "lsu.atomic_conflicts=0");
    order->n = 0;
    order->failed = false;
    order->first_line = plan->first_line * plan->line_bytes / l2_line_bytes(g->params); /* L2 performs them */
    order->line_bytes = l2_line_bytes(g->params);
    g->atomics = order;
    g->shares->hooks.l2.on_atomic = performed_at_l2;
    g->shares->hooks.l2.machine = g;
    for (uint32_t i = 0; i < g->params->l2.banks; i++) g->banks[i].policy = &g->shares->hooks.l2;
    return 0;
}

int gpu_atomic_order_write(const struct gpu_atomic_order *o, const char *path, struct error *err)
{
    if (o->failed) return error_set(err, ERR_MEMORY, "%s: no memory for the order of so many atomics", path);
    const size_t most = 40 * (size_t)o->n + 100;
    char *text = malloc(most);
    if (!text) return error_set(err, ERR_MEMORY, "%s: no memory for the order of atomics", path);
    size_t at =
        (size_t)snprintf(text, most, "poise order 1\nline %" PRIu32 "\natomics %" PRIu64 "\n", o->line_bytes, o->n);
    for (uint64_t i = 0; i < o->n; i++) {
        const struct note *x = &o->notes[i];
        at += (size_t)snprintf(text + at, most - at, "%" PRIu32 " %" PRIu64, x->warp, o->first_line + x->line);
        at += (size_t)snprintf(text + at, most - at, x->pc == ANY_PC ? " -\n" : " %" PRIu32 "\n", x->pc);
    }
    const int result = file_write(path, text, at, err);
    free(text);
    return result;
}
