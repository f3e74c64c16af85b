// rollouts: episodes of a Markov decision process with a finite horizon under its policy (M. Puterman, Markov Decision
// Processes, 1994, chapter 4): step t has a table of its own, since what is best depends on the steps that are left. A thread
// owns an episode; chance has two outcomes, and an entry holds the next state and the reward.
#include "cuda_device.h"

extern "C" __global__ void roll_out(const u32 *outcomes, const u32 *seeds, u32 *rewards, u32 states, u32 steps, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    u32 chance = seeds[thread], state = chance % states, reward = 0;
    const u32 *table = outcomes;
#pragma unroll 1
    for (u32 t = 0; t < steps; t++, table += 2 * states) {
        chance = chance * 1664525u + 1013904223u;
        u32 outcome = table[2 * state + (chance >> 31)];
        state = outcome & 0xffff;
        reward += outcome >> 16;
    }
    rewards[thread] = reward;
}
