/* Loads in flight: a load is complete when each of its parts has hit or come, and its warp can read its registers. */
#include "cache/l1.h"
#include "core/lsu.h"

static struct load_event load_event(const struct sm *sm, uint32_t index, uint32_t degree, cycle_t now)
{
    const struct load *load = &sm->loads[index];
    return (struct load_event){.sm = sm->sm,
                               .slot = load->warp,
                               .uid = sm->warps[load->warp].uid,
                               .pc = load->inst->pc,
                               .load = index,
                               .degree = degree,
                               .now = now};
}

enum route load_tell(struct sm *sm, const struct plan_inst *inst, uint32_t index, uint32_t degree, cycle_t now)
{
    const struct hooks *hooks = sm->hooks;
    const struct load_event event = load_event(sm, index, degree, now);
    sm->loads[index].is_told = 1;
    hook_on_load(hooks, &event);
    const bool has_choice = inst->is_global_load && !inst->passes_l1; /* L1 may hold the only copy of local memory */
    const enum route route = has_choice ? hook_load_route(hooks, &event) : ROUTE_L1;
    return route == ROUTE_BYPASS || route == ROUTE_BYPASS_LINE ? route : ROUTE_L1;
}

void load_complete(struct sm *sm, uint32_t index, cycle_t now)
{
    struct load *load = &sm->loads[index];
    struct warp *w = &sm->warps[load->warp];
    score_results(w->score, load->inst, SCORE(load->ready, 1));
    load_give(sm, index);
    if (load->is_told && sm->hooks->on_load_done.n) {
        const struct load_event event = load_event(sm, index, 0, load->ready);
        hook_on_load_done(sm->hooks, &event);
    }
    if (w->ready_cycle == SCORE_CYCLE(SCORE_PENDING)) warp_loaded(&sm->schedulers[w->scheduler], w, now);
    warp_answered(sm, w, now);
}

void lsu_reply(struct sm *sm, const struct reply *reply, cycle_t now)
{
    if (reply->kind == REQUEST_READ) {
        const uint32_t *targets, n = l1_fill(&sm->l1, reply, &targets, now);
        for (uint32_t i = 0; i < n; i++) load_part(sm, targets[i], now, now);
        return;
    }
    if (reply->kind == REQUEST_FETCH) {
        sm->stats.l1i_fills++;
        fetch_fill(sm, reply->token);
        return;
    }
    if (reply->kind == REQUEST_BYPASS) {
        load_part(sm, l1_bypassed(&sm->l1, reply, now), now, now);
        return;
    }
    if (reply->kind == REQUEST_CONST || reply->kind == REQUEST_TEXTURE) {
        const uint32_t *targets,
            n = read_only_fill(reply->kind == REQUEST_CONST ? &sm->constants : &sm->textures, reply->token, &targets);
        sm->l1.stats.read_only_fills++;
        for (uint32_t i = 0; i < n; i++) load_part(sm, targets[i], now, now);
        return;
    }
    sm->l1.stats.l1d_other_replies++;
    if (reply->kind == REQUEST_WRITEBACK) {
        sm->l1.writebacks_done++;
        return;
    }
    if (reply->kind == REQUEST_ATOMIC) load_part(sm, reply->token, now, now);
    else if (reply->kind == REQUEST_WRITE) warp_answered(sm, &sm->warps[reply->token], now);
    else
        sm->hooks->atomic_route.call->answered(sm->hooks->atomic_route.self, sm->sm, reply->token,
                                               reply->kind == REQUEST_ATOMIC_STORE, now);
}
