#include "net/clock.h"

#include <string.h>

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void clocks_init(struct clocks *c, const struct clock_params *p, uint32_t cpu_mhz)
{
#define MHZ(name, mhz, sleeps) mhz,
#define SLEEPS(name, mhz, sleeps) sleeps,
    const uint64_t mhz[N_DOMAINS] = {DOMAINS(MHZ)};
    static const bool sleeps[N_DOMAINS] = {DOMAINS(SLEEPS)};
#undef MHZ
#undef SLEEPS
    uint64_t base = 1;
    for (int d = 0; d < N_DOMAINS; d++) base = base / common_divisor(base, mhz[d]) * mhz[d]; /* least common multiple */
    memset(c, 0, sizeof *c);
    for (int from = 0; from < N_DOMAINS; from++)
        for (int to = 0; to < N_DOMAINS; to++) {
            const uint64_t common = common_divisor(mhz[from], mhz[to]);
            c->ratio[from][to] = (struct clock_ratio){(uint32_t)(mhz[to] / common), (uint32_t)(mhz[from] / common)};
        }
    for (int d = 0; d < N_DOMAINS; d++) {
        c->period[d] = base / mhz[d];
        if (sleeps[d]) c->due[d] = NEVER, c->due_time[d] = NEVER_TIME;
    }
}

uint64_t clocks_limit(const struct clocks *c, uint32_t speedup)
{
    const uint64_t margin = 1 << 20; /* what is planned ahead lies within */
    uint64_t shortest = c->period[0];
    for (int d = 1; d < N_DOMAINS; d++) shortest = c->period[d] < shortest ? c->period[d] : shortest;
    return (NEVER - margin) / speedup * shortest / c->period[DOMAIN_CORE];
}
