#include "learned_parts.h"

#include "poise/response_search.h"
#include "poise/sys/hooks.h"

/* Counters of a window are as wide as Poise's [THESIS §5.7.9]; sums over SMs need 6 bits more; a tuple takes 10
 * bits, a rate 16. The network's arithmetic runs on idle units, as Poise's does; it is counted at the most that a
 * model may take. */
size_t learned_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    enum { TUPLE = 10, RATE = 16, VIEWS_BITS = 4, ADDRESS = 32, COUNTER = FEATURE_COUNTER_BITS, SUM = COUNTER + 6 };
    const struct learned_params *p = params;
    const uint64_t shown = RESPONSE_SHOWN_MAX * (TUPLE + RATE + VIEWS_BITS);
    const uint64_t hint = p->hint.s[0] ? TUPLE + RESPONSE_POINTS_MAX * RATE + RATE : 0,
                   start = p->observe || p->start == START_ALL ? 0 : GROUPS_MAX * TUPLE + COUNTER;
    size_t n = 0;
    const enum storage_kind reg = STORAGE_REGISTER, array = STORAGE_ARRAY;
    (void)env;
    out[n++] = (struct mech_cost){
        "instructions, loads, L1 accesses, hits, intra-warp hits, latency and count of misses of a window", 7 * COUNTER,
        0, reg};
    out[n++] = (struct mech_cost){"current tuple and group", TUPLE + 3, 0, reg};
    out[n++] = (struct mech_cost){"the network, at most", 0, 8 * RESPONSE_NET_BYTES_MAX, array};
    out[n++] = (struct mech_cost){"sums of a window over the SMs of each of 8 groups", 0, GROUPS_MAX * 8 * SUM, reg};
    out[n++] = (struct mech_cost){"tuples of the step, and those that all SMs have run with their rates", 0,
                                  GROUPS_MAX * TUPLE + shown, array};
    out[n++] = (struct mech_cost){"coefficients of the response surface; a hint's tuple, surface and uncertainty", 0,
                                  RESPONSE_COEFS_MAX * 16 + hint, array};
    out[n++] = (struct mech_cost){"the search's factor and weights, in double precision", 0,
                                  64 * RESPONSE_SHOWN_MAX * (RESPONSE_SHOWN_MAX + 3) / 2, array};
    out[n++] = (struct mech_cost){"best tuple, prediction, rival, the wait's rate", 0, 3 * TUPLE + RATE, reg};
    out[n++] = (struct mech_cost){"cycle of the sample and end of the step, begin of the launch", 0, 3 * COUNTER, reg};
    out[n++] = (struct mech_cost){
        "of a kernel: address, W, age, cycles; its search: sums, coefficients, tuples, state", 0,
        p->kernels * (ADDRESS + 2 * 6 + 2 * COUNTER + GROUPS_MAX * 8 * SUM + RESPONSE_COEFS_MAX * 16 + 4 * TUPLE +
                      shown + RATE + 2 * TUPLE + 2 * COUNTER + 3 + 3 + 4 + 5),
        array};
    out[n++] = (struct mech_cost){
        "instructions, warps of the launch and not ended, cycles of other tuples; tuples of the start", 0,
        3 * COUNTER + TUPLE + start, reg};
    out[n++] = (struct mech_cost){"state, round, windows, flags, rate of RUN's first", 0, 3 + 3 + 4 + 3 + RATE, reg};
    return n;
}

size_t learned_waits(const void *params, struct mech_wait *out)
{
    const struct learned_params *p = params;
    const uint64_t again = p->observe ? p->T_period : p->T_settle + p->T_try;
    if (!p->observe && p->start != START_ALL) {
        if (p->hint.s[0]) return 0; /* from the first cycle on */
        out[0] = (struct mech_wait){"T_start", p->T_start, WAIT_CYCLES};
        return 1;
    }
    out[0] = (struct mech_wait){"T_wait + T_warmup + T_sample", p->T_wait + p->T_warmup + p->T_sample, WAIT_CYCLES};
    out[1] = (struct mech_wait){p->observe ? "T_period" : "T_settle + T_try", again, WAIT_CYCLES};
    return 2;
}
