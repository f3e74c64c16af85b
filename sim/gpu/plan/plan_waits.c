/* What warps wait for, made ready for replay. Of the rounds that were recorded of a wait the last is kept: it is
 * repeated for as long as the simulation has to. */
#include <stdlib.h>
#include <string.h>
#include "plan/plan.h"

int plan_waits_new(struct plan *plan, const struct trace *t, struct error *err)
{
    if (!plan->simulates_waits || !t->n_waits) return 0;
    if (t->n_words >= UINT32_MAX || t->n_waits >= UINT32_MAX || t->n_writes >= UINT32_MAX)
        return error_set(err, ERR_LIMIT, "%s: more than 2^32 waits or writes that are waited for", trace_kernel(t));
    plan->words = malloc(t->n_words * sizeof *plan->words);
    plan->waits = malloc(t->n_waits * sizeof *plan->waits);
    plan->writes = calloc(t->n_writes, sizeof *plan->writes);
    if (!plan->words || !plan->waits || !plan->writes)
        return error_set(err, ERR_MEMORY, "%s: no memory for what its warps wait for", trace_kernel(t));
    plan->n_words = (uint32_t)t->n_words;
    plan->n_waits = (uint32_t)t->n_waits;
    plan->n_writes = (uint32_t)t->n_writes;
    memcpy(plan->words, t->words, t->n_words * sizeof *plan->words);
    for (uint32_t i = 0; i < plan->n_waits; i++)
        plan->waits[i] = (struct plan_wait){t->waits[i].count, t->waits[i].word, t->waits[i].round};
    plan->bytes += plan->n_words * sizeof *plan->words + plan->n_waits * sizeof *plan->waits +
                   plan->n_writes * sizeof *plan->writes;
    return 0;
}

bool plan_leaves_out(struct plan_waits_walk *at, const struct trace *t, uint64_t step)
{
    while (at->spun < t->n_spun && t->spun[at->spun].first + t->spun[at->spun].n <= step) at->spun++;
    while (at->wait < t->n_waits && t->waits[at->wait].step < step) at->wait++;
    if (at->spun == t->n_spun || t->spun[at->spun].first > step || at->wait == t->n_waits) return false;
    const struct trace_wait *wait = &t->waits[at->wait];
    return wait->step == t->spun[at->spun].first + t->spun[at->spun].n - 1 && step + wait->round <= wait->step;
}

static uint8_t counted(uint32_t action)
{
    return action == ACT_STORE    ? ACT_COUNTED_STORE
           : action == ACT_ATOMIC ? ACT_COUNTED_ATOMIC
           : action == ACT_SHARED ? ACT_COUNTED_SHARED
                                  : (uint8_t)action;
}

void plan_note_step(struct plan *plan, struct plan_waits_walk *at, const struct trace *t, uint64_t from, uint64_t to)
{
    struct plan_step *step = &plan->steps[to];
    while (at->write < t->n_writes && t->writes[at->write].step < from) at->write++;
    if (at->write < t->n_writes && t->writes[at->write].step == from) step->action = counted(step->action);
    for (; at->write < t->n_writes && t->writes[at->write].step == from; at->write++) {
        const uint32_t word = t->writes[at->write].word;
        const uint64_t address = t->words[word].address;
        plan->writes[at->write] =
            (struct plan_write){.step = to,
                                .word = word,
                                .line = (uint32_t)(address / plan->line_bytes - plan->first_line),
                                .is_shared = address >= TRACE_SHARED_WINDOW && address < TRACE_LOCAL_WINDOW};
    }
    while (at->wait < t->n_waits && t->waits[at->wait].step < from) at->wait++;
    if (at->wait == t->n_waits || t->waits[at->wait].step != from) return;
    step->action = ACT_WAIT;
    step->first = (uint32_t)at->wait;
    for (step->n = 0; at->wait < t->n_waits && t->waits[at->wait].step == from && step->n < UINT8_MAX; at->wait++)
        step->n++;
}
