/* Mechanisms on the machine: their place in the arena, the start of a launch, and the change from one stack to
 * another while it runs.
 *
 *   arena:  | machine: the same for every stack | state of each mechanism | tables that only their bypassing needs | */
#include <string.h>
#include "cache/l1_chunked.h"
#include "cache/l2_placed.h"
#include "cache/l2_policy.h"
#include "machine/wake.h"

static bool may_bypass(const struct share *s)
{
    for (uint32_t i = 0; i < s->n_mechs; i++)
        if (s->mechs[i].type->load_route || s->mechs[i].type->on_reservation_fail) return true;
    return false;
}

static struct mech_env env_of(const struct gpu *g, const struct share *s, cycle_t now)
{
    const struct gpu_params *p = g->params;
    return (struct mech_env){.sms = s->n_sms,
                             .schedulers = p->core.schedulers,
                             .W = s->plan->warps_per_scheduler,
                             .l2_banks = p->l2.banks,
                             .l2_sets = p->l2.sets,
                             .l2_ways = l2_own_ways(p),
                             .l2_frames = p->l2.banks * p->l2.sets * l2_set_frames(p),
                             .l1_line_bytes = p->l1.line_bytes,
                             .line_bytes = l2_line_bytes(p),
                             .first_line = s->plan->first_line * p->l1.line_bytes / l2_line_bytes(p),
                             .warps = s->plan->n_warps,
                             .warp_insts = plan_warp_insts(s->plan),
                             .kernel = s->plan->kernel,
                             .now = now,
                             .timeline = g->timeline};
}

void stack_set(struct gpu *g, struct share *s, const struct mech_spec *stack, unsigned n_stack)
{
    const struct mech_env env = env_of(g, s, 0);
    s->n_mechs = n_stack;
    for (unsigned i = 0; i < n_stack; i++) {
        const struct mech_type *type = stack[i].type;
        const size_t own = type->state_size + s->n_sms * type->per_sm_size;
        s->mechs[i] = (struct mech_instance){.type = type,
                                             .carried_at = (own + 63) / 64 * 64,
                                             .carried_bytes = type->carried ? type->carried(stack[i].params, &env) : 0};
    }
}

/* A bank of L2 takes a write that somebody waits for. */
static void write_performed(void *machine, uint32_t sm, uint32_t token, uint32_t line)
{
    const struct gpu *g = machine;
    waiting_performed(g->waiting, sm, token, line, WAITING_ANY_PC);
}

static void place(struct gpu *g, struct share *s, struct arena *arena)
{
    struct bypasses measured;
    const struct hooks bare = {.machine = s->hooks.machine,
                               .gauges = s->hooks.gauges,
                               .buffers = s->hooks.buffers,
                               .l2_ask_again = s->hooks.l2_ask_again,
                               .fetch_lines = s->hooks.fetch_lines,
                               .set_ways = s->hooks.set_ways,
                               .fetch = s->hooks.fetch,
                               .ports = s->hooks.ports};
    s->hooks = bare;
    for (uint32_t i = 0; i < s->n_mechs; i++) {
        const struct mech_type *type = s->mechs[i].type;
        s->mechs[i].self = arena_take(arena, 1, s->mechs[i].carried_at + s->mechs[i].carried_bytes, 64);
        hooks_attach(&s->hooks, type, s->mechs[i].self);
        g->n_units += type->unit != NULL;
    }
    for (uint32_t i = s->first_sm; i < s->first_sm + s->n_sms && !l1_owns_bypasses(g->params, s->plan->passes_l1); i++)
        bypasses_place(arena->base ? &g->sms[i].l1.bypasses : &measured, arena, may_bypass(s));
}

void stack_place(struct gpu *g, struct arena *arena)
{
    struct l2_hooks *l2 = &g->shares->hooks.l2;
    g->n_units = 0;
    for (struct share *s = g->shares; s < g->shares + g->n_shares; s++) place(g, s, arena);
    for (uint32_t i = 0; i < g->params->l2.banks && arena->base; i++)
        g->banks[i].policy = l2->n || g->waiting ? l2 : NULL;
    if (!g->waiting) return;
    l2->machine = g;
    l2->on_counted = write_performed;
}

void stack_use_order(struct gpu *g)
{
    for (struct share *s = g->shares; s < g->shares + g->n_shares; s++) {
        const struct order_ops **order = &s->hooks.request_order.call;
        if (*order && !(*order)->is_on(s->hooks.request_order.self)) *order = NULL;
        for (uint32_t i = s->first_sm; i < s->first_sm + s->n_sms; i++) {
            uint8_t *stages = &g->sms[i].stages;
            *stages = (uint8_t)(*order ? *stages | ORDERS_REQUESTS : *stages & ~ORDERS_REQUESTS);
        }
    }
}

size_t stack_bytes(const struct gpu *g, const struct mech_spec *stack, unsigned n_stack)
{
    struct gpu like = {.params = g->params, .n_shares = 1};
    struct arena measuring = {.used = g->machine_bytes};
    like.shares[0] = (struct share){.plan = g->shares->plan, .n_sms = g->shares->n_sms};
    stack_set(&like, like.shares, stack, n_stack);
    stack_place(&like, &measuring);
    return measuring.used;
}

/* What a unit may want to divide into epochs: all that the launch will execute. */
static uint64_t thread_insts(const struct gpu *g)
{
    const struct plan *plan = g->shares->plan;
    uint64_t n = 0;
    for (uint64_t i = 0; g->n_units && i < plan->n_steps; i++) n += plan->steps[i].lanes;
    return n;
}

/* A mechanism that is a replacement policy of L2 under a name cannot be had under another one. */
static int check_replacement(const struct gpu *g, const struct mech_spec *stack, unsigned n, struct error *err)
{
    const struct replacement_type *given = replacement_of(g->params->l2.replacement, NULL);
    for (unsigned i = 0; i < n && given; i++)
        if (replacement_named(stack[i].type->name) && strcmp(stack[i].type->name, given->name) != 0)
            return error_set(err, ERR_USAGE,
                             "--mech %s is l2.replacement=%s, and l2.replacement=%s is given: leave one of them out",
                             stack[i].type->name, stack[i].type->name, given->name);
    return 0;
}

static int init_share(struct gpu *g, struct share *s, const struct mech_spec *stack, cycle_t now, struct error *err)
{
    struct mech_env env = env_of(g, s, now);
    const struct l1 *l1 = &g->sms[s->first_sm].l1;
    env.l1_mshrs = l1->mshrs.n;
    env.l1_chunk_bytes = l1->chunked ? l1->chunked->chunk_bytes : SECTOR_BYTES;
    env.thread_insts = thread_insts(g);
    for (uint32_t i = 0; i < s->n_mechs; i++) {
        env.carried_at = s->mechs[i].carried_at;
        if (stack[i].type->init && stack[i].type->init(s->mechs[i].self, stack[i].params, &env, err) < 0) return -1;
    }
    if (may_bypass(s) && g->params->l1.line_bytes > l2_line_bytes(g->params))
        return error_set(err, ERR_INPUT,
                         "l1.line_bytes = %u: a load that bypasses L1 asks for one line of L2, of %u bytes",
                         g->params->l1.line_bytes, l2_line_bytes(g->params));
    s->hooks.fetch = hooks_fetch(stack, s->n_mechs);
    return 0;
}

/* Its SMs ask the mechanisms from now on. */
static void begin_epochs(struct gpu *g, const struct share *s, cycle_t now)
{
    for (uint32_t i = s->first_sm; i < s->first_sm + s->n_sms; i++) {
        if (!l1_owns_bypasses(g->params, s->plan->passes_l1)) bypasses_init(&g->sms[i].l1.bypasses);
        for (uint32_t k = 0; k < MECH_STACK_MAX; k++) g->sms[i].epoch_at[k] = k < s->hooks.epoch.n ? now : NEVER;
        sm_plan_epoch(&g->sms[i]);
    }
}

/* The stacks' memory is placed and zero. */
static int init(struct gpu *g, const struct launched launched[], cycle_t now, struct error *err)
{
    const struct hooks *first = &g->shares->hooks;
    g->units_wake = now;
    if (check_replacement(g, launched->stack, launched->n_stack, err) < 0) return -1;
    for (uint32_t i = 0; i < g->params->l2.banks; i++) l2_attach(&g->banks[i], first);
    if (g->banks[0].tags.org->reserve && (first->l2.l2_share.ask || first->l2.l2_may_evict.n))
        return error_set(err, ERR_USAGE,
                         "lines of an L2 organised as '%s' are chosen by the organisation: no mechanism "
                         "can choose or lock them",
                         g->banks[0].tags.org->name);
    for (uint32_t i = 0; i < g->n_shares; i++)
        if (init_share(g, &g->shares[i], launched[i].stack, now, err) < 0) return -1;
    stack_use_order(g);
    for (uint32_t i = 0; i < g->n_shares; i++) begin_epochs(g, &g->shares[i], now);
    return 0;
}

int gpu_start(struct gpu *g, const struct launched launched[], struct error *err)
{
    if (init(g, launched, 0, err) < 0) return -1;
    gpu_dispatch_ctas(g, 0);
    return 0;
}

int gpu_start_from(struct gpu *g, struct gpu *from, const struct mech_spec *stack, unsigned n_stack, struct error *err)
{
    const struct launched launched = {g->shares->plan, stack, n_stack, false};
    if (init(g, &launched, 0, err) < 0) return -1;
    gpu_take_over(g, from);
    return 0;
}

/* ---- while a launch runs ---- */

/* What would be lost with the present stack. */
static const char *held_by_stack(const struct gpu *g)
{
    if (!units_idle(g)) return "requests are on their way in its network";
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        if (lsu_ordered(&g->sms[i])) return "line requests wait in its buffers";
        if (g->sms[i].l1.bypasses.used && !l1_owns_bypasses(g->params, g->shares->plan->passes_l1))
            return "loads that bypass L1 are on their way";
    }
    return NULL;
}

/* Resident warps start for the new stack as they did for the machine. Loads in flight stay unknown to it. */
static void introduce_warps(const struct gpu *g, struct sm *sm, cycle_t now)
{
    for (uint32_t i = 0; i < g->params->lsu.pending_loads; i++) sm->loads[i].is_told = 0;
    sm_introduce(sm, now);
}

int stack_switch(struct gpu *g, struct arena *arena, const struct mech_spec *stack, unsigned n_stack, cycle_t now,
                 struct error *err)
{
    const char *held = held_by_stack(g);
    struct share *s = g->shares; /* the only one */
    const struct launched launched = {s->plan, stack, n_stack, false};
    if (held)
        return error_set(err, ERR_USAGE, "mechanism %s cannot be taken off at cycle %llu: %s", s->mechs[0].type->name,
                         (unsigned long long)now, held);
    const bool had_policy = s->hooks.l2.n > 0;
    stack_set(g, s, stack, n_stack);
    arena->used = g->machine_bytes;
    stack_place(g, arena);
    memset(arena->base + g->machine_bytes, 0, arena->used - g->machine_bytes);
    if (init(g, &launched, now, err) < 0) return -1;
    if (had_policy || s->hooks.l2.n) gpu_ask_l2_again(g); /* what waits at L2 has its line from the stack before */
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        introduce_warps(g, &g->sms[i], now);
        g->sms[i].ask_at = now;
        sleeper_wake(&g->sms[i].unit, now);
    }
    return 0;
}
