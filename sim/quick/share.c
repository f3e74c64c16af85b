/* How much of L2 and DRAM a few SMs have when all run: from the lines that CTAs touch. */
#include <math.h>
#include <stdlib.h>
#include "poise/arena.h"
#include "quick.h"

enum { SLOTS_LOG2 = 20, SAMPLED = 8 }; /* a line in so many is followed, by a hash of its number */
struct slot {
    uint32_t line, sms; /* NO_LINE: none; a bit a group of SMs that touch it */
};

static void note(struct slot *slots, uint32_t *n, uint32_t line, uint32_t bit)
{
    const uint64_t hash = line * 0x9e3779b97f4a7c15ull;
    if (hash >> 32 & (SAMPLED - 1)) return;
    uint32_t i = (uint32_t)(hash >> (64 - SLOTS_LOG2));
    while (slots[i].line != line && slots[i].line != NO_LINE) i = (i + 1) & ((1u << SLOTS_LOG2) - 1);
    if (slots[i].line == NO_LINE) {
        if (*n >= 3u << (SLOTS_LOG2 - 2)) return; /* those that are known say it for the others */
        (*n)++;
        slots[i].line = line;
    }
    slots[i].sms |= bit;
}

static void walk_cta(const struct plan *plan, uint32_t cta, struct slot *slots, uint32_t *n, uint32_t bit)
{
    const uint32_t warps = plan->launch.warps_per_cta;
    for (uint32_t w = cta * warps; w < (cta + 1) * warps; w++)
        for (uint32_t k = 0; k < plan->warps[w].n_steps; k++) {
            const struct plan_step *step = &plan->steps[plan->warps[w].first_step + k];
            if (!plan_step_has_lines(plan, step)) continue;
            for (uint32_t i = 0; i < step->n; i++) note(slots, n, REQUEST_LINE(plan->requests[step->first + i]), bit);
        }
}

int quick_share_of(struct quick_share *share, const struct plan *plan, uint32_t sms, uint32_t modelled,
                   struct error *err)
{
    const uint32_t groups = sms < 32 ? sms : 32, n_ctas = plan->launch.n_ctas;
    *share = (struct quick_share){.capacity = 1, .ports = (double)sms / modelled, .channels = 1};
    if (modelled >= sms) return 0;
    struct slot *slots = table_new((size_t)1 << SLOTS_LOG2, sizeof *slots);
    uint32_t n = 0;
    if (!slots) return error_set(err, ERR_MEMORY, "out of memory for the lines of a launch");
    for (uint32_t i = 0; i < 1u << SLOTS_LOG2; i++) slots[i].line = NO_LINE;
    for (uint32_t cta = 0; cta < n_ctas; cta++) walk_cta(plan, cta, slots, &n, 1u << cta % sms % groups);
    /* of each line: the chance that one of `chosen` groups of all, drawn at random, touches it */
    const double chosen = (double)modelled * groups / sms;
    double touched = 0;
    for (uint32_t i = 0; i < 1u << SLOTS_LOG2; i++) {
        if (slots[i].line == NO_LINE) continue;
        const uint32_t has = (uint32_t)__builtin_popcount(slots[i].sms);
        double none = 1;
        for (double k = 0; k + 1 <= chosen + 0.001; k++) none *= fmax((groups - has - k) / (groups - k), 0);
        touched += 1 - none;
    }
    free(slots);
    if (n && touched > 0) {
        share->capacity = fmax(touched / n, (double)modelled / sms);
        share->channels = fmin(fmax(n / touched, 1), share->ports);
    }
    return 0;
}
