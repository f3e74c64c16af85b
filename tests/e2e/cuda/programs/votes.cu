/* Votes and matches, active lanes under divergence, compaction by ballot. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void votes_kernel(const int *x, unsigned *out, int *packed, unsigned *n_packed)
{
    const int t = threadIdx.x, v = x[t], lane = t & 31;
    unsigned *r = out + 7 * t;
    r[0] = __ballot_sync(0xffffffffu, v % 3 == 0), r[1] = __any_sync(0xffffffffu, v > 95), r[2] = __all_sync(0xffffffffu, v < 90);
    r[3] = 0;
    if (v % 2) r[3] = __activemask();
    __syncwarp();
    r[4] = __match_any_sync(0xffffffffu, v % 4);
    int all;
    r[5] = __match_all_sync(0xffffffffu, t / 64, &all);
    r[6] = (unsigned)all | (unsigned)__popc(r[0] & ((1u << lane) - 1)) << 8;
    const unsigned chosen = __ballot_sync(0xffffffffu, v > 50);
    unsigned base = 0;
    if (lane == 0) base = atomicAdd(n_packed, (unsigned)__popc(chosen));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (v > 50) packed[base + (unsigned)__popc(chosen & ((1u << lane) - 1))] = v;
}
#endif

PROGRAM(votes)
{
    const int n = 128;
    Array<int> x(n), packed(n);
    Array<unsigned> out(7 * n), n_packed(1);
    for (int i = 0; i < n; i++) x[i] = (int)(noise(i) % 100);
    x.up();
    CHECK(!LAUNCH(votes_kernel, dim3(1), dim3(n), 0, (const int *)x.device, out.device, packed.device, n_packed.device));
    out.down(), packed.down(), n_packed.down();
    unsigned above = 0;
    long long sum = 0;
    for (int t = 0; t < n; t++) {
        const int w = t / 32 * 32, l = t % 32;
        uint32_t ballot = 0, odd = 0, same = 0;
        bool any = false, all = true;
        for (int k = 0; k < 32; k++) {
            const int v = x[w + k];
            ballot |= (uint32_t)(v % 3 == 0) << k, odd |= (uint32_t)(v % 2) << k, same |= (uint32_t)(v % 4 == x[t] % 4) << k;
            any |= v > 95, all &= v < 90;
        }
        const uint32_t *r = &out[7 * t];
        CHECK(r[0] == ballot && r[1] == (any ? 1u : 0u) && r[2] == (all ? 1u : 0u) && r[3] == (x[t] % 2 ? odd : 0) && r[4] == same && r[5] == 0xffffffffu);
        CHECK(r[6] == (1u | (uint32_t)__builtin_popcount(ballot & ((1u << l) - 1)) << 8));
        if (x[t] > 50) above++, sum += x[t];
    }
    CHECK(n_packed[0] == above);
    for (unsigned i = 0; i < above; i++) sum -= packed[i];
    CHECK(sum == 0);
    return 0;
}
