/* Which misses enter the Cooperative Caching Network: all for which its buffer has room, but for those of SMs that the
 * request throttler has taken off it (CCN-RT). [THESIS §4.4.4]
 *
 * Each period of t_P thread instructions, counted over the GPU, begins with a sampling interval of t_S in which every
 * SM sends its misses into the network. At its end an SM of whose requests fewer than H_min were hits leaves the
 * network until the next period. Requests count that entered in the interval and whose outcome is known within it; an
 * SM without any stays in. Periods that begin within the warm-up are not sampled. */
#include "ccn.h"

/* Instructions are counted after a miss or an outcome, at most once in so many cycles: a period may begin or end so
 * much late. */
enum { LOOK_CYCLES = 64 };

void ccn_sampling_init(struct ccn *ccn, uint64_t thread_insts)
{
    struct ccn_sampling *s = &ccn->sampling;
    const struct ccn_params *p = &ccn->params;
    *s = (struct ccn_sampling){.t_P = p->t_P, .t_S = p->t_S, .is_open = true, .launch_insts = thread_insts};
    if (!p->epochs || !thread_insts || p->t_P <= thread_insts / p->epochs) return;
    s->t_P = thread_insts / p->epochs ? thread_insts / p->epochs : 1;
    s->t_S = (uint64_t)((double)p->t_S / (double)p->t_P * (double)s->t_P);
    if (!s->t_S) s->t_S = 1;
}

/* ---- periods that span launches ---- */

size_t ccn_program_size(const void *params, const struct mech_env *env)
{
    const struct ccn_params *p = params;
    if (!p->throttle || !p->spans || p->epochs) return 0;
    return sizeof(struct ccn_program) + env->sms * sizeof(struct ccn_throttle);
}

static struct ccn_program *program_of(struct ccn *ccn)
{
    return ccn->sampling.program_at ? (struct ccn_program *)(void *)((char *)ccn + ccn->sampling.program_at) : NULL;
}

/* In a launch's first tick, when what the launch before has left is there. */
static void go_on(struct ccn *ccn, uint64_t now)
{
    const struct ccn_program *program = program_of(ccn);
    ccn->sampling.has_begun = true;
    if (!program || !program->insts) return;
    ccn->sampling.period = program->period;
    ccn->sampling.is_open = program->is_open;
    ccn->sampling.opened_at = now;
    for (uint32_t i = 0; i < ccn->n; i++) ccn->nodes[i].throttle = program->sms[i];
}

void ccn_end(void *self, uint64_t now)
{
    struct ccn *ccn = self;
    struct ccn_program *program = program_of(ccn);
    (void)now;
    if (!program) return;
    program->insts += ccn->sampling.launch_insts;
    program->period = ccn->sampling.period;
    program->is_open = ccn->sampling.is_open;
    for (uint32_t i = 0; i < ccn->n; i++) program->sms[i] = ccn->nodes[i].throttle;
}

/* ---- sampling ---- */

static void begin_period(struct ccn *ccn, const struct machine_ports *machine, uint64_t now)
{
    ccn->sampling.is_open = true;
    ccn->sampling.opened_at = now;
    for (uint32_t i = 0; i < ccn->n; i++) {
        struct ccn_node *node = &ccn->nodes[i];
        const bool was_off = node->throttle.is_off;
        node->throttle.is_off = false;
        node->throttle.hits = node->throttle.total = 0;
        if (was_off) machine->has_room(machine->machine, i, now);
    }
}

static void end_interval(struct ccn *ccn)
{
    ccn->sampling.is_open = false;
    for (uint32_t i = 0; i < ccn->n; i++) {
        struct ccn_node *node = &ccn->nodes[i];
        node->throttle.is_off = (double)node->throttle.hits < ccn->params.H_min * (double)node->throttle.total;
        ccn->stats.samples++;
        ccn->stats.samples_off += node->throttle.is_off;
    }
}

/* Whether the period of this number is sampled. */
static bool is_warm(const struct ccn *ccn, uint64_t period) { return period * ccn->sampling.t_P >= ccn->params.warmup; }

void ccn_sample(struct ccn *ccn, const struct machine_ports *machine, uint64_t now)
{
    struct ccn_sampling *s = &ccn->sampling;
    if (!s->has_begun) go_on(ccn, now);
    const uint64_t before = s->program_at ? program_of(ccn)->insts : 0;
    const uint64_t insts = before + machine->thread_insts(machine->machine), period = insts / s->t_P;
    s->is_due = false;
    s->look_at = now + LOOK_CYCLES;
    if (s->is_open && is_warm(ccn, s->period) && (period != s->period || insts % s->t_P >= s->t_S)) end_interval(ccn);
    if (period == s->period) return;
    s->period = period;
    begin_period(ccn, machine, now);
    if (is_warm(ccn, period) && insts % s->t_P >= s->t_S) end_interval(ccn);
}

static void note_event(struct ccn *ccn, uint64_t now)
{
    if (ccn->params.throttle && now >= ccn->sampling.look_at) ccn->sampling.is_due = true;
}

static bool buffer_is_full(const struct ccn *ccn, uint32_t sm)
{
    return ccn->nodes[sm].buffer.count == ccn->buffers.capacity;
}

bool ccn_has_room(const void *self, const struct miss_event *what)
{
    const struct ccn *ccn = self;
    return !ccn->nodes[what->sm].throttle.is_off && !buffer_is_full(ccn, what->sm);
}

bool ccn_take(void *self, const struct miss_event *what)
{
    struct ccn *ccn = self;
    struct ccn_node *node = &ccn->nodes[what->sm];
    const bool is_off = node->throttle.is_off, is_full = buffer_is_full(ccn, what->sm);
    ccn->stats.misses++;
    ccn->stats.throttled += is_off;
    ccn->stats.buffer_full += !is_off && is_full;
    if (!is_off && !is_full) {
        const cycle_t now = (cycle_t)what->now;
        *ring_add(&ccn->buffers, &node->buffer, what->sm, now) = (struct ring_packet){
            .miss = what->miss, .born = now, .at = now + 1, .home = (uint16_t)what->sm, .flits = 1};
        ccn->stats.entered++;
    }
    note_event(ccn, what->now);
    return !is_off && !is_full;
}

void ccn_outcome(struct ccn *ccn, uint32_t sm, const struct ring_packet *request, bool is_hit, uint64_t now)
{
    note_event(ccn, now);
    if (!ccn->sampling.is_open || request->born < ccn->sampling.opened_at) return;
    ccn->nodes[sm].throttle.hits += is_hit;
    ccn->nodes[sm].throttle.total++;
}
