/* Clock domains as integer periods of one base tick, so nothing drifts: 1400/700/700/924 MHz are 33/66/66/50 ticks of
 * 1/46.2 GHz. Within one base tick domains run in the order of the enum, from DRAM up to the SMs and CPU cores.
 * One more is a row of DOMAINS; the units that are ticked in it say so in unit_list.def. */
#ifndef GPU_CLOCK_H
#define GPU_CLOCK_H
#include <stdatomic.h>
#include "net/msg.h"
#include "config/params.h"

/* In their order: name, frequency in MHz (of `p`, the clock parameters, and `cpu_mhz`), and whether it sleeps until
 * somebody wakes it: nothing is due in it at first. */
#define DOMAINS(D) \
    D(DRAM, p->dram_mhz, false) \
    D(L2, p->l2_mhz, false) \
    D(XBAR, p->xbar_mhz, false) \
    D(CORE, p->core_mhz, false) \
    D(CPU, cpu_mhz ? cpu_mhz : p->core_mhz, true)
#define DOMAIN_NAME(name, mhz, sleeps) DOMAIN_##name,
enum domain { DOMAINS(DOMAIN_NAME) N_DOMAINS };
#undef DOMAIN_NAME
struct clock_ratio {
    uint32_t up, down;
}; /* of two periods, without their common divisors */
struct clocks {
    uint64_t period[N_DOMAINS]; /* base ticks */
    cycle_t next[N_DOMAINS];    /* first cycle not yet run */
    uint64_t time;              /* base ticks now */
    enum domain running;
    bool is_shared; /* units tick side by side on several threads (machine/crew.h): whoever changes what belongs to all
                     * holds the guard. The order in which they do is not seen: it is the least of cycles, and sets */
    struct clock_ratio ratio[N_DOMAINS][N_DOMAINS]; /* from, to */
    /* What such threads change has lines of the host's cache of its own. */
    _Alignas(64) cycle_t due[N_DOMAINS]; /* of `next` on, the first in which a tick could change anything; NEVER if only
                                          * others can wake it */
    uint64_t due_time[N_DOMAINS];        /* its base tick, or NEVER_TIME */
    atomic_flag guard;
};
/* `cpu_mhz` 0: there are no CPU cores, and nothing is ever due in their domain. */
void clocks_init(struct clocks *c, const struct clock_params *params, uint32_t cpu_mhz);
/* The core cycles that a run may have: those of all domains, and those of a switch that is faster than its domain,
 * stay below NEVER by far. */
uint64_t clocks_limit(const struct clocks *c, uint32_t speedup);
/* The cycle of a domain that goes on at base tick `time`; the first one that begins at it or after it. */
static inline cycle_t clocks_cycle(const struct clocks *c, enum domain d, uint64_t time)
{
    return (cycle_t)(time / c->period[d]);
}
static inline cycle_t clocks_cycle_from(const struct clocks *c, enum domain d, uint64_t time)
{
    return (cycle_t)((time + c->period[d] - 1) / c->period[d]);
}
/* The first cycle of `d` that runs after what happens now: a domain later in the order still sees this very tick. */
static inline cycle_t clocks_after(const struct clocks *c, enum domain d)
{
    return d > c->running ? clocks_cycle_from(c, d, c->time) : clocks_cycle(c, d, c->time) + 1;
}
/* The cycle of `to` in which something is there that takes `cycles` of domain `from` from now. */
static inline cycle_t clocks_arrival(const struct clocks *c, enum domain to, enum domain from, uint64_t cycles)
{
    return clocks_cycle_from(c, to, c->time + cycles * c->period[from]);
}
/* The first cycle of `to` that does not begin before cycle `at` of `from`. Mostly one period is a multiple of the
 * other. */
static inline cycle_t clocks_convert(const struct clocks *c, enum domain to, enum domain from, cycle_t at)
{
    const struct clock_ratio *r = &c->ratio[from][to];
    const uint64_t parts = (uint64_t)at * r->up;
    return (cycle_t)(r->down == 1 ? parts : (parts + r->down - 1) / r->down);
}
static inline void clocks_poke(struct clocks *c, enum domain d, cycle_t at)
{
    if (at >= c->due[d]) return;
    c->due[d] = at > c->next[d] ? at : c->next[d];
    c->due_time[d] = c->due[d] * c->period[d];
}
static inline void clocks_hold(struct clocks *c)
{
    while (atomic_flag_test_and_set_explicit(&c->guard, memory_order_acquire)) {}
}
static inline void clocks_release(struct clocks *c) { atomic_flag_clear_explicit(&c->guard, memory_order_release); }
static inline void clocks_poke_guarded(struct clocks *c, enum domain d, cycle_t at)
{
    clocks_hold(c);
    clocks_poke(c, d, at);
    clocks_release(c);
}
/* Its first cycle after what happens now, whichever that is: nearly always it is due already. */
static inline void clocks_poke_next(struct clocks *c, enum domain d)
{
    if (c->due_time[d] - c->time >= c->period[d]) clocks_poke(c, d, clocks_after(c, d));
}
/* The next base tick in which a domain is due, or NEVER_TIME. */
static inline uint64_t clocks_next_time(const struct clocks *c)
{
    uint64_t time = c->due_time[0];
    for (int d = 1; d < N_DOMAINS; d++) time = c->due_time[d] < time ? c->due_time[d] : time;
    return time;
}
#endif
