/* Parts of the mechanism `learned`: how long a launch still lasts, what hardware it takes, what it waits for. */
#ifndef MECH_LEARNED_PARTS_H
#define MECH_LEARNED_PARTS_H
#include "poise/sampling.h"
#include "current_tuple.h"
#include "learned_kernels.h"
#include "learned_params.h"

enum { GROUPS_MAX = SAMPLING_GROUPS_MAX };
/* It has come to a tuple that it goes on with, or tries another against. */
static inline bool is_searching(enum state state) { return state == RUN || state == TRY; }

struct launch_progress {
    uint64_t elapsed, lasted; /* cycles of this launch; of the kernel's last one, 0: there was none */
    uint64_t warps, ended;    /* of the launch */
    uint64_t resident;        /* that the machine holds at a time */
};
/* Cycles that a launch is taken to have left. Where the kernel's last launch was longer than it is now: the rest of
 * that. Otherwise by the warps that have ended, those that are there being halfway: a launch that begins all its warps
 * at once is taken to last as long again. */
static inline uint64_t progress_left(const struct launch_progress *p)
{
    if (p->lasted > p->elapsed) return p->lasted - p->elapsed;
    const uint64_t rest = p->warps > p->ended ? p->warps - p->ended : 0,
                   there = rest < p->resident ? rest : p->resident, done = 2 * p->ended + there;
    if (done == 0) return p->elapsed;
    return (uint64_t)((double)p->elapsed * (double)(2 * p->warps - done) / (double)done);
}

struct mech_env;
struct mech_cost;
struct mech_wait;
size_t learned_cost(const void *params, const struct mech_env *env, struct mech_cost *out);
size_t learned_waits(const void *params, struct mech_wait *out);
#endif
