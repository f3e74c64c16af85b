/* Units of a kind side by side, on threads of the host (machine/crew.h): which may, and the exchange with what belongs
 * to all. In a cycle an SM meets nobody: what it sends is seen when the cycle is over, in the order of SMs, and what
 * comes to it has come before. Banks of L2 meet at their channel of DRAM alone, and go with it. What they tell others
 * meanwhile (a reply that waits, room in a queue, when somebody wakes) is told under the clocks' guard, and is the same
 * in any order. */
#include "machine/cpus.h"
#include "machine/skip.h"

#include <stdio.h>
#include "poise/clock.h"

struct turn {
    struct gpu *g;
    cycle_t now, dram_next, quiet; /* dram_next: of banks; quiet: how far an SM may run ahead, if any may */
    const struct bits *banks;
};

static void do_apart(struct gpu *g, struct crew *crew, const struct crew_items *due,
                     void (*work)(const void *self, uint32_t item), const struct turn *turn)
{
    if (due->n < 2) {
        if (due->n) work(turn, due->item[0]);
        return;
    }
    g->clocks.is_shared = true;
    crew_do(crew, due, work, turn);
    g->clocks.is_shared = false;
}

/* Who is due, who still is: all that was due before `now` is due in it, so that the wheel begins with it. */
static uint64_t look_due(const struct gpu *g, struct wheel *agenda, uint32_t n, uint32_t w, cycle_t now)
{
    struct wheel *wheel = &agenda[w];
    const uint64_t late = wheel->from < now ? wheel_take(wheel, now - 1) : 0;
    if (late) wheel_put(wheel, late, now);
    return g->no_skip ? bits_word(n, w) : wheel->slots.bits[now % WHEEL_SLOTS];
}

/* ---- DRAM ---- */

static void run_channel(const void *self, uint32_t i)
{
    const struct turn *t = self;
    skip_run_channel(t->g, &t->g->channels[i], t->now + 1);
}

static void channels_apart(struct gpu *g, cycle_t now)
{
    const struct turn turn = {.g = g, .now = now};
    struct crew_items due = {.all = g->params->dram.channels};
    for (uint32_t i = 0; i < due.all; i++) {
        struct dram *d = &g->channels[i];
        if (g->no_skip) d->wake = d->visit = now;
        if (d->visit <= now) due.item[due.n++] = (uint8_t)i;
    }
    do_apart(g, g->memory_crew, &due, run_channel, &turn);
}

/* ---- L2 ---- */

/* Those at one channel, which they share. */
static void tick_banks_at(const void *self, uint32_t channel)
{
    const struct turn *t = self;
    const uint32_t n = t->g->banks_a_channel;
    for (uint32_t i = channel * n; i < (channel + 1) * n; i++) {
        struct l2 *bank = &t->g->banks[i];
        if (bits_has(t->banks, i) && apart_finds_due(t->g, bank->wake, bank->last_tick, t->now))
            skip_tick_bank(t->g, bank, t->now, t->dram_next);
    }
}

static void banks_apart(struct gpu *g, cycle_t now)
{
    const uint32_t n = g->params->l2.banks;
    struct bits banks;
    const struct turn turn = {.g = g, .now = now, .dram_next = clocks_after(&g->clocks, DOMAIN_DRAM), .banks = &banks};
    struct crew_items due = {.all = g->params->dram.channels};
    for (uint32_t w = 0; w * 64 < n; w++) {
        banks.word[w] = look_due(g, g->bank_agenda, n, w, now);
        for (uint64_t left = banks.word[w]; left; left &= left - 1) {
            const uint8_t channel = (uint8_t)((w * 64 + (uint32_t)__builtin_ctzll(left)) / g->banks_a_channel);
            if (!due.n || due.item[due.n - 1] != channel) due.item[due.n++] = channel;
        }
    }
    do_apart(g, g->memory_crew, &due, tick_banks_at, &turn);
}

/* ---- SMs ---- */

static void tick_sm(const void *self, uint32_t i)
{
    const struct turn *t = self;
    struct sm *sm = &t->g->sms[i];
    sm_tick(sm, t->now);
    if (t->quiet && skip_may_run_ahead(sm)) skip_run_ahead(t->g, i, sm, t->quiet, t->now);
}

static void sms_apart(struct gpu *g, cycle_t now)
{
    const uint32_t n = g->params->core.sms;
    const struct turn turn = {.g = g, .now = now, .quiet = now + 1 < g->ahead_until ? skip_quiet_horizon(g, now) : 0};
    struct crew_items due = {.all = n};
    bool decides = false; /* a mechanism, of one of these SMs: what it reads or writes may be everybody's */
    for (uint32_t w = 0; w * 64 < n; w++)
        for (uint64_t left = look_due(g, g->sm_agenda, n, w, now); left; left &= left - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (!apart_finds_due(g, g->sms[i].wake, g->sms[i].last_tick, now)) continue;
            due.item[due.n++] = (uint8_t)i;
            decides |= g->sms[i].next_epoch <= now;
        }
    if (decides) return;
    do_apart(g, g->sm_crew, &due, tick_sm, &turn);
    for (uint32_t k = 0; k < due.n && turn.quiet; k++) skip_come_again(g, due.item[k], &g->sms[due.item[k]], now);
}

void apart_tick(struct gpu *g, enum domain d, cycle_t now)
{
    if (d == DOMAIN_DRAM && g->memory_crew) channels_apart(g, now);
    if (d == DOMAIN_L2 && g->memory_crew) banks_apart(g, now);
    if (d == DOMAIN_CORE && g->sm_crew) sms_apart(g, now);
}

/* ---- whether a run may ---- */

const char *gpu_sms_share(const struct gpu_params *p, const struct mech_spec *stack, unsigned n_stack,
                          const struct gpu_limits *limits, char *text, size_t size)
{
    for (unsigned i = 0; i < n_stack; i++)
        if (!mech_keeps_sms_apart(stack[i].type)) {
            snprintf(text, size, "%s keeps state that SMs share", stack[i].type->name);
            return text;
        }
    if (limits && limits->beside) return "two launches run side by side";
    if (p->cpu.cores) return "CPU cores share L2 with them";
    if (p->core.waiting) return "warps that wait for writes (core.waiting) look at counters that all share";
    if (p->ideal.memory != IDEAL_NONE) return "an idealised memory answers one request at a time";
    if (p->l1.organisation == L1_TSC && p->l1.tsc_mode >= TSC_DUEL) return "their L1s change modes together";
    if (limits && (limits->timeline || limits->watch)) return "it is recorded or watched";
    return NULL;
}

/* Banks at one channel share nothing with those at others. */
static bool banks_are_apart(const struct gpu *g)
{
    const struct l2 *bank = &g->banks[0];
    return !bank->policy && !bank->is_placed && !tags_learn_together(&bank->tags) &&
           !g->shares->hooks.l2_miss_route.call && !cpus_count(g) && g->params->ideal.memory == IDEAL_NONE;
}

/* ---- whether it should ---- */

#define TRIAL_S 0.002 /* of a mode in a round, after some ticks in which units move to other processors' caches, */
#define KEPT_S 0.5    /* so that trials are a twentieth of a run */
enum { LOOK_TICKS = 16 };

static void use(struct apart *a, struct gpu *g, uint32_t mode)
{
    g->sm_crew = mode & APART_SMS ? a->crew : NULL;
    g->memory_crew = mode & APART_MEMORY ? a->crew : NULL;
    g->is_apart = mode != APART_NONE;
    a->left = LOOK_TICKS;
    a->ticks = 0;
    a->is_new = true;
    a->began = clock_s();
}

static double middle(const double took[APART_ROUNDS])
{
    const double least = took[0] < took[1] ? took[0] : took[1], most = took[0] < took[1] ? took[1] : took[0];
    return took[2] < least ? least : took[2] > most ? most : took[2];
}

static uint32_t fastest(const struct apart *a)
{
    uint32_t best = APART_NONE;
    for (uint32_t mode = 1; mode < APART_MODES; mode++)
        if (a->may[mode] && middle(a->took[mode]) < middle(a->took[best])) best = mode;
    return best;
}

void apart_look(struct apart *a, struct gpu *g)
{
    const double passed = clock_s() - a->began;
    a->left = LOOK_TICKS;
    if (a->is_new) a->began += passed;
    else a->ticks += LOOK_TICKS;
    if (a->is_new || a->always || passed < (a->step < APART_TRIALS ? TRIAL_S : KEPT_S)) {
        a->is_new = false;
        return;
    }
    if (a->step < APART_TRIALS) a->took[a->step % APART_MODES][a->step / APART_MODES] = passed / a->ticks;
    do a->step = a->step < APART_TRIALS ? a->step + 1 : 0;
    while (a->step < APART_TRIALS && !a->may[a->step % APART_MODES]);
    use(a, g, a->step < APART_TRIALS ? a->step % APART_MODES : fastest(a));
}

bool apart_begin(struct apart *a, struct gpu *g, struct crew *crew, const struct mech_spec *stack,
                 const struct gpu_limits *limits)
{
    char ignored[100];
    const bool sms = !gpu_sms_share(g->params, stack, g->shares->n_mechs, limits, ignored, sizeof ignored),
               memory = banks_are_apart(g);
    *a = (struct apart){
        .crew = crew,
        .may = {[APART_NONE] = true, [APART_SMS] = sms, [APART_MEMORY] = memory, [APART_BOTH] = sms && memory},
        .always = limits->cores_always};
    use(a, g, a->always ? (sms ? APART_SMS : APART_NONE) | (memory ? APART_MEMORY : APART_NONE) : APART_NONE);
    return sms || memory;
}

void apart_end(struct gpu *g)
{
    g->sm_crew = g->memory_crew = NULL;
    g->is_apart = false;
}
