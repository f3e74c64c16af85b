#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/arena.h"
#include "quick.h"

/* Of each round of `sms` CTAs, which fill the machine from SM 0 on, the modelled SMs get theirs. In the first rounds,
 * one for each CTA that an SM holds, an SM's are its own; later ones go to whoever has room, so that each round gives
 * its share. Modelled SMs are not evenly apart: neighbours in a grid would all be, or none. */
static uint32_t chosen_sm(uint32_t i, uint32_t sms, uint32_t modelled)
{
    const uint32_t width = sms / modelled;
    return i * sms / modelled + (width > 1 ? i * 5 % width : 0);
}

static void choose_ctas(struct quick *q, uint32_t sms)
{
    const uint32_t n = q->plan->launch.n_ctas, resident = q->plan->ctas_per_sm * sms;
    for (uint32_t round = 0; round < n; round += sms) {
        /* after the resident ones another share of each round: turned by one SM */
        const uint32_t turn = round < resident ? 0 : round / sms;
        for (uint32_t i = 0; i < q->n_sms; i++) {
            const uint32_t cta = round + (chosen_sm(i, sms, q->n_sms) + turn) % sms;
            if (cta < n) q->ctas[q->n_ctas++] = cta;
        }
    }
}

static void lay_out(struct quick *q, const struct gpu_params *params, const struct quick_share *share)
{
    const struct plan *plan = q->plan;
    const uint32_t n_warps = plan->ctas_per_sm * plan->launch.warps_per_cta;
    struct arena *arena = &q->arena;
    q->sms = ARENA_TAKE(arena, struct quick_sm, q->n_sms);
    q->ctas = ARENA_TAKE(arena, uint32_t, plan->launch.n_ctas);
    for (uint32_t i = 0; i < q->n_sms; i++) {
        struct quick_sm scratch = {0}, *sm = arena->base ? &q->sms[i] : &scratch;
        quick_l1_new(&sm->l1, arena, &q->m);
        sm->warps = ARENA_TAKE(arena, struct quick_warp, n_warps);
        sm->ctas = ARENA_TAKE(arena, struct quick_cta, plan->ctas_per_sm);
        uint64_t *regs = ARENA_TAKE(arena, uint64_t, (size_t)n_warps * (plan->launch.n_regs + 2));
        for (uint32_t w = 0; regs && w < n_warps; w++) sm->warps[w].regs = regs + (size_t)w * (plan->launch.n_regs + 2);
    }
    quick_l2_new(&q->mem.l2, arena, &q->m, params, share);
}

int quick_new(struct quick **out, const struct plan *plan, const struct gpu_params *params,
              const struct quick_options *options, struct error *err)
{
    struct quick *q = calloc(1, sizeof *q);
    struct quick_share share;
    if (!q) return error_set(err, ERR_MEMORY, "out of memory for the quick model");
    q->plan = plan;
    const double work = 1 + (double)plan->n_requests / (double)(plan->n_steps ? plan->n_steps : 1);
    q->max_insts = options->max_work ? (uint64_t)ceil((double)options->max_work / work) : 0;
    const uint32_t busy = plan->launch.n_ctas < params->core.sms ? plan->launch.n_ctas : params->core.sms;
    const uint32_t asked = options->sms ? options->sms : QUICK_SMS;
    q->n_sms = asked < busy ? asked : busy;
    if (quick_machine_of(&q->m, params, plan, err) < 0 || quick_share_of(&share, plan, busy, q->n_sms, err) < 0)
        goto failed;
    lay_out(q, params, &share);
    if (arena_new(&q->arena, q->arena.used, err) < 0) goto failed;
    lay_out(q, params, &share);
    q->mem.m = q->mem.l2.m = &q->m;
    choose_ctas(q, busy);
    *out = q;
    return 0;
failed:
    quick_free(q);
    return -1;
}

void quick_run(struct quick *q, struct quick_limit limit, struct quick_run *out)
{
    *out = (struct quick_run){.complete = 1};
    q->limit = limit;
    q->next_cta = 0;
    q->mem.count = out;
    quick_l2_clear(&q->mem.l2);
    uint64_t next[128];
    for (uint32_t i = 0; i < q->n_sms; i++) quick_sm_clear(q, &q->sms[i]), next[i] = 0;
    for (uint32_t slot = 0; slot < q->plan->ctas_per_sm; slot++)
        for (uint32_t i = 0; i < q->n_sms; i++) quick_take_cta(q, &q->sms[i], slot, 0);
    const uint64_t most = q->max_insts ? q->max_insts * q->n_sms : QUICK_NEVER;
    const uint64_t until = limit.cycles ? limit.cycles : QUICK_NEVER - 1;
    uint64_t now = 0, insts = 0;
    bool is_late = false;
    for (uint32_t first; insts < most;) {
        first = 0;
        for (uint32_t i = 1; i < q->n_sms; i++)
            if (next[i] < next[first]) first = i;
        is_late = next[first] > until && next[first] != QUICK_NEVER;
        if (next[first] > until) break;
        now = next[first];
        const uint64_t before = q->sms[first].insts;
        next[first] = quick_turn(q, &q->sms[first], now);
        insts += q->sms[first].insts - before;
    }
    out->insts = insts;
    out->complete = insts < most && !is_late;
    if (is_late) now = until + 1;
    for (uint32_t i = 0; i < q->n_sms && out->complete; i++) now = q->sms[i].end > now ? q->sms[i].end : now;
    out->cycles = now;
}

void quick_free(struct quick *q)
{
    if (!q) return;
    arena_free(&q->arena);
    free(q);
}
