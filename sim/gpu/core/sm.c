#include "core/collect.h"
#include "core/sm.h"

#include <stdio.h>
#include <string.h>

/* Machines without units of a kind do its work in others. */
static void sm_units(struct sm *sm)
{
    const struct core_params *core = &sm->params->core;
    uint32_t n[N_UNITS];
    unit_counts(core, 1, n);
    for (uint32_t u = 0; u < N_UNITS; u++)
        for (uint32_t i = 0; i < MAX_UNITS; i++) units_of(sm, u)[i] = i < n[u] ? 0 : NEVER;
    for (uint32_t i = 0; i < MAX_SCHEDULERS; i++)
        for (uint32_t u = 0; u < N_UNITS; u++) sm->schedulers[i].room_at[u] = n[u] ? 0 : NEVER;
    for (uint32_t u = 0; u < N_UNITS; u++) sm->unit_map[0][u] = (uint8_t)u, sm->unit_map[1][u] = UNIT_LSU;
    if (!core->int_units) sm->unit_map[0][UNIT_INT] = UNIT_SP;
    if (!core->dp_units) sm->unit_map[0][UNIT_DP] = UNIT_SFU;
    if (!core->branch_units) sm->unit_map[0][UNIT_BRANCH] = UNIT_SP;
    if (!core->texture_units) sm->unit_map[0][UNIT_TEXTURE] = UNIT_SFU;
    if (!core->tensor_units) sm->unit_map[0][UNIT_TENSOR] = UNIT_SP;
    if (!core->uniform_units) sm->unit_map[0][UNIT_UDP] = sm->unit_map[0][UNIT_INT];
    sm->unit_map[0][UNIT_LSU] = UNIT_SP; /* what goes to no memory */
}

/* Takes the memory of L1, its bypasses and the caches beside it. Of an array that L1 shares with shared memory it has
 * what the CTAs leave. */
static void lay_out_caches(struct sm *sm, uint32_t index, struct arena *arena)
{
    const struct gpu_params *params = sm->params;
    const struct plan *plan = sm->plan;
    const struct lsu_params *p = &params->lsu;
    const uint32_t unit = params->core.shared_unit, shared = (plan->launch.shared_bytes + unit - 1) / unit * unit;
    l1_init(&sm->l1, params, shared * plan->ctas_per_sm, index, arena);
    const bool owns = l1_owns_bypasses(params, plan->passes_l1);
    if (owns) bypasses_place(&sm->l1.bypasses, arena, true); /* of the machine: they outlive a stack */
    if (owns && arena->base) bypasses_init(&sm->l1.bypasses);
    read_only_init(&sm->constants, arena, REQUEST_CONST, p->const_sets, p->const_ways, p->const_mshrs,
                   p->read_only_merge, send_bytes(params), p->const_replacement);
    read_only_init(&sm->textures, arena, REQUEST_TEXTURE, plan->reads_textures ? p->tex_sets : 0, p->tex_ways,
                   p->tex_mshrs, p->read_only_merge, send_bytes(params), p->tex_replacement);
}

/* Takes the memory of what issues and of the load-store unit. */
static void lay_out_pipelines(struct sm *sm, uint32_t link_cycles, struct arena *arena)
{
    const struct gpu_params *params = sm->params;
    const struct core_params *core = &params->core;
    const uint32_t n_scores = sm->plan->launch.n_regs + 2;
    sm->warps = ARENA_TAKE(arena, struct warp, core->max_warps);
    uint32_t *scores = ARENA_TAKE(arena, uint32_t, (size_t)core->max_warps * n_scores);
    for (uint32_t i = 0; scores && i < core->max_warps; i++) sm->warps[i].score = scores + (size_t)i * n_scores;
    sm->queue = ARENA_TAKE(arena, struct lsu_entry, params->lsu.pipeline_width);
    sm->pipe_size = sm->l1.hit_latency * params->l1.banks;
    sm->pipe = ARENA_TAKE(arena, struct line_access, sm->pipe_size);
    sm->loads = ARENA_TAKE(arena, struct load, params->lsu.pending_loads);
    if (core->register_banks) sm->collection = ARENA_TAKE(arena, struct collection, 1);
    if (core->sub_cores) sm->sub_cores = ARENA_TAKE(arena, struct sub_core, core->schedulers);
    struct tags code;
    tags_init(&code, arena, params->fetch.sets ? params->fetch.sets : 1, params->fetch.ways, l2_line_bytes(params),
              &org_streaming, replacement_of(params->fetch.replacement, NULL));
    if (arena->base) fetch_init(&sm->fetch, params, sm->plan, &code);
    /* Packets on the link stand in its stages, those that arrived in the queue. */
    reply_fifo_init(&sm->replies, arena,
                    memory_answers_at_once(params) ? 4096 : params->xbar.reply_queue + link_cycles);
}

void sm_init(struct sm *sm, const struct gpu_params *params, const struct plan *plan, const struct hooks *hooks,
             uint32_t index, uint32_t link_cycles, struct arena *arena)
{
    const struct core_params *core = &params->core;
    const bool is_real = arena->base != NULL; /* the first pass only measures */
    struct sm measured;
    if (!is_real) sm = &measured;
    *sm = (struct sm){.params = params, .plan = plan, .hooks = hooks, .sm = index};
    lay_out_caches(sm, index, arena);
    lay_out_pipelines(sm, link_cycles, arena);
    if (!is_real) return;
    core_class_timing(core, sm->timing);
    sm_units(sm);
    const bool changes_mode = params->l1.organisation == L1_TSC && params->l1.tsc_mode >= TSC_DUEL;
    sm->stages = (uint8_t)(params->l1.late_lookup | (plan->chunks ? NAMES_CHUNKS : 0) |
                           (params->l1.organisation >= L1_DSC ? HOLDS_UP : 0) | (changes_mode ? CHANGES_MODE : 0) |
                           (plan->splits_sectors && !plan->skips_l1 && l1_joins_sectors(&sm->l1) ? JOINS_SECTORS : 0));
    sm->may_run_ahead = !changes_mode; /* it must see the others' decision in time */
    /* misses, what each evicts, a fetch, and room for the next miss to be predicted */
    sm->most_sent = (uint8_t)((params->l1.banks + 1) * (l1_most_requests(params) + 1) + 1);
    sm->n_schedulers = (uint8_t)core->schedulers;
    sm->is_plain = core->schedulers == 2 && !core->sub_cores && core->issue_width == 1;
    sm->is_divided = core->sub_cores && core->issue_width == 1;
    sm->n_free_loads = params->lsu.pending_loads;
    for (uint32_t i = 0; sm->sub_cores && i < core->schedulers; i++) sub_core_init(&sm->sub_cores[i], core);
    if (sm->collection) collection_init(sm->collection, core);
    for (uint32_t i = 0; i < MAX_SCHEDULERS; i++) {
        sm->schedulers[i].cause = COUNTER_PLACE(core_stats, stall_idle);
        sm->schedulers[i].wake = i < core->schedulers ? 0 : NEVER;
    }
    sm->ask_at = sm->next_epoch = sm->collect_at = sm->pipe_at = NEVER;
    sm->l1.hooks = hooks;
    sm->l1.ask_at = &sm->ask_at;
}

bool sm_can_take_cta(const struct sm *sm) { return sm->n_ctas < sm->plan->ctas_per_sm; }

static uint32_t least_loaded_scheduler(const struct sm *sm)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < sm->params->core.schedulers; i++)
        if (sm->schedulers[i].n < sm->schedulers[best].n) best = i;
    return best;
}

void sm_take_cta(struct sm *sm, uint32_t id, cycle_t now)
{
    const struct plan *plan = sm->plan;
    uint32_t c = 0, slot = 0;
    while (sm->ctas[c].in_use) c++;
    sm->ctas[c] = (struct cta){.id = id, .live_warps = plan->launch.warps_per_cta, .in_use = true};
    sm->n_ctas++;
    for (uint32_t i = 0; i < plan->launch.warps_per_cta; i++) {
        while (sm->warps[slot].in_use) slot++;
        struct warp *w = &sm->warps[slot];
        const struct plan_warp *from = &plan->warps[(size_t)id * plan->launch.warps_per_cta + i];
        uint32_t *score = w->score;
        memset(score, 0, plan->launch.n_regs * sizeof *score);
        *w = (struct warp){.next = plan->steps + from->first_step,
                           .end = plan->steps + from->first_step + from->n_steps,
                           .score = score,
                           .uid = id * plan->launch.warps_per_cta + i,
                           .cta = (uint8_t)c,
                           .in_use = 1};
        scheduler_add(sm, least_loaded_scheduler(sm), slot);
        if (sm->hooks->warp_start.n) {
            const struct warp_event event = warp_event(sm, w, now);
            hook_warp_start(sm->hooks, &event);
        }
        if (!from->n_steps) continue;
        struct scheduler *s = &sm->schedulers[w->scheduler];
        warp_evaluate(sm, s, w, now + 1);
        if (!sm->params->fetch.ideal) fetch_want(sm, s, w);
    }
    for (uint32_t i = 0; i < sm->params->core.schedulers; i++) scheduler_publish(sm, i, now);
    for (uint32_t i = 0; i < sm->params->core.max_warps; i++) { /* a warp without instructions ends at once */
        struct warp *w = &sm->warps[i];
        if (w->in_use && w->cta == c && w->next == w->end) w->is_finished = 1, warp_maybe_exit(sm, w, now);
    }
}

void sm_counters(const struct sm *sm, cycle_t now, struct feature_counters *out)
{
    *out = (struct feature_counters){
        .cycles = now,
        .insts = sm->stats.warp_insts,
        .loads = sm->stats.global_loads,
        .l1_accesses = l1_load_accesses(&sm->l1.stats),
        .l1_hits = sm->l1.stats.l1d_load_hits,
        .l1_intra_hits = sm->l1.stats.l1d_intra_warp_hits,
        .miss_latency_sum = sm->l1.stats.miss_latency_sum,
        .miss_count = sm->l1.stats.l1d_fills,
    };
}

void sm_plan_epoch(struct sm *sm)
{
    sm->next_epoch = NEVER;
    for (uint32_t i = 0; i < sm->hooks->epoch.n; i++)
        if (sm->epoch_at[i] < sm->next_epoch) sm->next_epoch = sm->epoch_at[i];
}

static void run_epochs(struct sm *sm, cycle_t now)
{
    bool called = false;
    for (uint32_t i = 0; i < sm->hooks->epoch.n; i++) {
        if (sm->epoch_at[i] > now) continue;
        struct sm_view view = {.sm = sm->sm,
                               .l1_merges = sm->l1.stats.l1d_mshr_merges,
                               .machine = sm->hooks->machine,
                               .gauges = sm->hooks->gauges,
                               .buffers = sm->hooks->buffers,
                               .l2_ask_again = sm->hooks->l2_ask_again,
                               .fetch_lines = sm->hooks->fetch_lines,
                               .set_ways = sm->hooks->set_ways};
        sm_counters(sm, now, &view.counters);
        sm->epoch_at[i] = sm->hooks->epoch.at[i].call(sm->hooks->epoch.at[i].self, &view, now);
        called = true;
    }
    sm_plan_epoch(sm);
    if (sm->ask_at <= now) {
        sm->ask_at = NEVER;
        called = true;
    }
    for (uint32_t i = 0; called && i < sm->params->core.schedulers; i++) scheduler_publish(sm, i, now);
}

void sm_charge(struct sm *sm, cycle_t now)
{
    if (sm->lsu_cause) lsu_charge(sm, now);
    for (uint32_t i = 0; i < sm->params->core.schedulers; i++) scheduler_charge(sm, &sm->schedulers[i], now);
    sm->stats.issue_slots = (uint64_t)now * sm->params->core.schedulers + sm->second_issues;
}

/* What wakes the SM besides its schedulers, its load-store unit and warps that wait for their turn to fetch. */
static cycle_t next_besides(const struct sm *sm, cycle_t now)
{
    cycle_t next = reply_fifo_ready_at(&sm->replies);
    if (next <= now + 1) return now + 1;
    if (sm->next_epoch < next) next = (cycle_t)sm->next_epoch;
    if (sm->collect_at < next) next = sm->collect_at;
    return sm->ask_at < next ? (cycle_t)sm->ask_at : next;
}

/* The first cycle in which a scheduler is due; those that are not there never are. */
static inline cycle_t schedulers_next(const struct sm *sm)
{
    const struct scheduler *s = sm->schedulers;
    cycle_t next = s[0].wake < s[1].wake ? s[0].wake : s[1].wake;
    if (sm->n_schedulers == 2) return next;
    const cycle_t others = s[2].wake < s[3].wake ? s[2].wake : s[3].wake;
    next = others < next ? others : next;
    for (uint32_t i = 4; i < sm->n_schedulers; i++) next = s[i].wake < next ? s[i].wake : next;
    return next;
}

static void plan_wake(struct sm *sm, cycle_t now)
{
    cycle_t next = schedulers_next(sm), at;
    if (next > now + 1 && (at = next_besides(sm, now)) < next) next = at;
    if (next > now + 1 && lsu_has_work(sm) && (at = lsu_next_event(sm, now)) < next) next = at;
    sm->wake = next > now ? next : now + 1;
}

/* Those of sub-cores, of which there are mostly four. */
static inline void tick_four_divided(struct sm *sm, cycle_t now)
{
    for (uint32_t k = 0; k < 4; k++) {
        struct scheduler *s = &sm->schedulers[(now + k) % 4];
        if (now >= s->wake) scheduler_tick_divided(sm, s, now);
    }
}

/* Who goes first alternates, for the shared units. One that is not due loses its slot for the same reason as the
 * last. */
static void tick_schedulers(struct sm *sm, cycle_t now)
{
    if (sm->is_plain) { /* usual, and no loop that ends after an uneven number of branches */
        struct scheduler *first = &sm->schedulers[now & 1], *second = &sm->schedulers[~now & 1];
        if (now >= first->wake) scheduler_tick_plain(sm, first, now);
        if (now >= second->wake) scheduler_tick_plain(sm, second, now);
        return;
    }
    if (sm->is_divided && sm->n_schedulers == 4) {
        tick_four_divided(sm, now);
        return;
    }
    const uint32_t n = sm->n_schedulers;
    const uint32_t first = (uint32_t)(n & (n - 1) ? now % n : now & (n - 1));
    const struct scheduler *end = sm->schedulers + n;
    struct scheduler *s = sm->schedulers + first;
    for (uint32_t left = n; left; left--) {
        if (now >= s->wake) (sm->is_divided ? scheduler_tick_divided : scheduler_tick_any)(sm, s, now);
        if (++s == end) s = sm->schedulers;
    }
}

/* A reply a cycle; an idealised memory gives all at once. */
static void take_replies(struct sm *sm, cycle_t now)
{
    do {
        const struct reply reply = reply_fifo_pop(&sm->replies);
        sm->in_flight--;
        if (!reply_fifo_empty(&sm->replies)) l1_expect_fill(&sm->l1, reply_fifo_peek(&sm->replies));
        lsu_reply(sm, &reply, now);
    } while (memory_answers_at_once(sm->params) && reply_fifo_ready_at(&sm->replies) <= now);
}

void sm_tick(struct sm *sm, cycle_t now)
{
    sm->last_tick = now;
    if (sm->next_epoch <= now || sm->ask_at <= now) run_epochs(sm, now);
    if (reply_fifo_ready_at(&sm->replies) <= now) take_replies(sm, now);
    if (lsu_has_work(sm)) lsu_tick(sm, now);
    if (sm->collect_at <= now) sub_cores_tick(sm, now);
    if (sm->is_plain || schedulers_next(sm) <= now) tick_schedulers(sm, now);
    if (sm->fetch.hungry) fetch_tick(sm, now);
    if (sm->fetch.hungry) sm->wake = now + 1;
    else plan_wake(sm, now);
}

bool sm_idle(const struct sm *sm)
{
    return sm->n_ctas == 0 && sm->queue_count == 0 && sm->pipe_count == 0 && lsu_ordered(sm) == 0 &&
           reply_fifo_empty(&sm->replies);
}

void sm_dump(const struct sm *sm, char *text, size_t size)
{
    size_t used = (size_t)snprintf(
        text, size, "sm %u: %u CTAs, LSU queue %u, reordered %u, MSHRs %u, miss queue %u, replies %u, free loads %u;",
        sm->l1.sm, sm->n_ctas, sm->queue_count, lsu_ordered(sm), sm->l1.mshrs.used, sm->l1.to_xbar.count,
        sm->replies.count, sm->n_free_loads);
    for (uint32_t i = 0; i < sm->params->core.schedulers && used < size; i++) {
        const struct scheduler *s = &sm->schedulers[i];
        used += (size_t)snprintf(
            text + used, size - used, " scheduler %u: %u warps, ready %llx, waiting %llx, may issue %llx;", i, s->n,
            (unsigned long long)s->ready, (unsigned long long)s->waiting, (unsigned long long)s->may_issue);
    }
}
