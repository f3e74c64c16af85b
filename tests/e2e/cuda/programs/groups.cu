/* Cooperative groups: tiles of a warp, coalesced threads, reductions over them. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace groups_cg = cooperative_groups;
extern "C" __global__ void groups_kernel(const int *x, int *out, int *counter)
{
    const groups_cg::thread_block block = groups_cg::this_thread_block();
    const int t = (int)block.thread_rank(), v = x[t];
    const groups_cg::thread_block_tile<8> tile = groups_cg::tiled_partition<8>(block);
    int sum = v;
    for (unsigned by = tile.size() / 2; by; by /= 2) sum += tile.shfl_down(sum, by);
    out[4 * t] = tile.shfl(sum, 0);
    out[4 * t + 1] = (int)tile.thread_rank() * 100 + (int)tile.ballot(v % 2);
    out[4 * t + 2] = groups_cg::reduce(groups_cg::tiled_partition<32>(block), v, groups_cg::plus<int>());
    if (v % 3 == 0) {
        const groups_cg::coalesced_group active = groups_cg::coalesced_threads();
        int base = 0;
        if (active.thread_rank() == 0) base = atomicAdd(counter, (int)active.size());
        out[4 * t + 3] = active.shfl(base, 0) + (int)active.thread_rank();
    }
    block.sync();
}
#endif

PROGRAM(groups)
{
    const int n = 128;
    Array<int> x(n), out(4 * n, -1), counter(1);
    for (int i = 0; i < n; i++) x[i] = (int)(noise(i) % 1000);
    x.up();
    CHECK(!LAUNCH(groups_kernel, dim3(1), dim3(n), 0, (const int *)x.device, out.device, counter.device));
    out.down(), counter.down();
    std::vector<int> seen(n);
    int thirds = 0;
    for (int t = 0; t < n; t++) {
        int sum = 0, odd = 0, all = 0;
        for (int k = 0; k < 8; k++) sum += x[t / 8 * 8 + k], odd |= x[t / 8 * 8 + k] % 2 << k;
        for (int k = 0; k < 32; k++) all += x[t / 32 * 32 + k];
        CHECK(out[4 * t] == sum && out[4 * t + 1] == t % 8 * 100 + odd && out[4 * t + 2] == all);
        if (x[t] % 3 == 0) CHECK(out[4 * t + 3] >= 0 && !seen[out[4 * t + 3]]++ && ++thirds);
    }
    CHECK(counter[0] == thirds);
    return 0;
}
