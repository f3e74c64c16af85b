/* What enters the load-store unit: an instruction takes a place in the queue and a load, and names its first line
 * request. The queue is bounded by instructions, by their line requests and by loads (load_take): each way in and out
 * tells the schedulers itself whether another instruction may come. */
#include "core/lsu.h"

/* The place of an instruction of so many line requests, whose load has been taken. */
static inline struct lsu_entry *push(struct sm *sm, uint32_t requests)
{
    struct lsu_entry *e = &sm->queue[ring_at(sm->queue_head + sm->queue_count++, sm->params->lsu.pipeline_width)];
    sm->queue_requests += requests;
    if (!lsu_has_room(sm)) lsu_note_room(sm);
    return e;
}

/* Of what is no load: each line request is a part that is waited for. */
static bool has_parts(const struct sm *sm, enum action action, bool wants_result)
{
    return action == ACT_TEXTURE || (action == ACT_ATOMIC && wants_result) ||
           (action == ACT_CONST && sm->plan->caches_constants);
}

void name_chunks(const struct sm *sm, struct lsu_entry *e)
{
    const struct plan *plan = sm->plan;
    const size_t request = (size_t)(e->next - 1 - plan->requests);
    e->head.access.chunks = plan->chunks[request];
    e->head.access.sectors = (uint8_t)masks_overlap(plan->chunks[request], plan->chunk_bytes, SECTOR_BYTES);
}

/* Its last line request takes what the others, a cycle each, leave of that. */
static uint8_t last_of_constant(const struct sm *sm, uint32_t addresses, uint32_t requests)
{
    const uint32_t cycles = constant_cycles(sm, addresses);
    return (uint8_t)(cycles > requests ? cycles - requests + 1 : 1);
}

/* What is no load. */
static APART HOT void enter_other(struct sm *sm, struct lsu_entry *e, const struct plan_inst *inst)
{
    const enum action action = (enum action)e->head.action;
    e->head.wants_result = action == ACT_ATOMIC && inst->wants_result;
    if (!has_parts(sm, action, e->head.wants_result)) sm->loads[e->head.access.load].remaining = 1;
    if (!has_lines(sm, action)) return;
    if (action == ACT_CONST) e->head.degree = last_of_constant(sm, e->head.degree, e->left);
    next_request(sm, e);
}

static APART void tell_load(struct sm *sm, struct lsu_entry *e, cycle_t now)
{
    struct line_access *a = &e->head;
    const enum route route = load_tell(sm, sm->loads[a->access.load].inst, a->access.load, a->degree, now);
    if (a->route == ROUTE_L1) a->route = (uint8_t)route;
}

static APART void collect_access(struct sm *sm, struct lsu_entry *e, const struct warp *w, const struct plan_inst *inst,
                                 cycle_t now)
{
    e->at = NEVER;
    sub_core_issue(sm, w, inst, UNIT_LSU, (uint32_t)(e - sm->queue), now);
    if (sm->queue_count == 1) wait_for_head(sm);
}

void lsu_enter(struct sm *sm, struct warp *w, const struct plan_step *step, bool may_pollute, cycle_t now)
{
    const struct plan_inst *inst = &sm->plan->insts[step->inst];
    const uint32_t load = load_take(sm);
    struct lsu_entry *e = push(sm, has_lines(sm, (enum action)step->action) ? step->n : 0);
    const uint8_t slot = (uint8_t)(w - sm->warps);
    w->outstanding++;
    score_results(w->score, inst, SCORE_PENDING);
    if (sm->sub_cores) collect_access(sm, e, w, inst, now);
    sm->loads[load] = (struct load){.inst = inst, .remaining = step->n, .warp = slot};
    struct line_access *a = &e->head;
    a->access = (struct l1_access){
        .warp = w->uid, .pc = inst->pc, .load = (uint16_t)load, .op = inst->op, .covers = step->covers};
    a->access.may_pollute = may_pollute;
    a->warp = slot;
    a->action = step->action;
    a->degree = step->degree;
    a->wants_result = a->has_failed = 0;
    a->route = ROUTE_L1;
    e->next = sm->plan->requests + step->first;
    e->left = step->n;
    if (step->action != ACT_LOAD) {
        enter_other(sm, e, inst);
        return;
    }
    next_request(sm, e);
    if (inst->passes_l1) a->route = PAST_L1;
    else if (sm->params->ideal.perfect_l1) a->route = HITS_AT_ONCE;
    if (sm->hooks->load_route.n + sm->hooks->on_load.n + sm->hooks->on_load_done.n) tell_load(sm, e, now);
}
