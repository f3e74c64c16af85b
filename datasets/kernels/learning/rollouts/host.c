/* rollouts: episodes of a Markov decision process under its policy. */
#include "workload.h"

struct sizes {
    uint32_t states, steps, episodes;
};
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {60, 12, 300},
    [WL_SMALL] = {1024, 24, 12288},
    [WL_EVAL] = {2048, 128, 49152}, /* 192 blocks of 256: the places of 32 SMs */
    [WL_FULL] = {16384, 200, 1u << 20},
};

/* An inventory: a state is a stock, a policy orders up to a level that sinks towards the end, demand is low or high. */
static uint32_t outcome_of(uint32_t stock, uint32_t level, uint32_t demand)
{
    const uint32_t have = stock < level ? level : stock, sold = demand < have ? demand : have;
    return (sold & 0xffff) << 16 | (have - sold);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "rollouts", .doc = "episodes of a Markov decision process under its policy", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n = s.episodes;
    const size_t n_outcomes = (size_t)2 * s.states * s.steps;
    uint32_t *outcomes = WL_NEW(&w, uint32_t, n_outcomes), *seeds = WL_NEW(&w, uint32_t, n);
    uint32_t *got = WL_NEW(&w, uint32_t, n), *want = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {119};
    for (uint32_t t = 0; t < s.steps; t++) {
        /* Below a quarter of what fits nothing is ordered up further than the steps that are left can sell. */
        const uint32_t level = s.states / 4 * (s.steps - t) / s.steps;
        for (uint32_t i = 0; i < s.states; i++) {
            const uint32_t low = wl_rng_below(&rng, s.states / 16 + 1), high = low + wl_rng_below(&rng, s.states / 8);
            outcomes[2 * ((size_t)t * s.states + i)] = outcome_of(i, level, low);
            outcomes[2 * ((size_t)t * s.states + i) + 1] = outcome_of(i, level, high);
        }
    }
    for (uint32_t i = 0; i < n; i++) seeds[i] = (uint32_t)wl_rng_next(&rng);

    CUdeviceptr d_outcomes = wl_upload(&w, outcomes, n_outcomes * sizeof *outcomes),
                d_seeds = wl_upload(&w, seeds, n * sizeof *seeds), d_rewards = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&d_outcomes, &d_seeds, &d_rewards, &s.states, &s.steps, &n};
    wl_launch(&w, wl_function(&w, "roll_out"), wl_blocks(n, 256), 1, 256, 1, args);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t chance = seeds[i], state = chance % s.states;
        for (uint32_t t = 0; t < s.steps; t++) {
            chance = chance * 1664525u + 1013904223u;
            const uint32_t outcome = outcomes[2 * ((size_t)t * s.states + state) + (chance >> 31)];
            state = outcome & 0xffff;
            want[i] += outcome >> 16;
        }
    }
    wl_output(&w, got, d_rewards, n * sizeof *got);
    wl_compare_u32(&w, "rewards", got, want, n);
    return wl_end(&w);
}
