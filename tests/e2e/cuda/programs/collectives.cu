/* Groups of every kind, exchanges of structures, partitions, scans, barriers with phases, pipelines and atomic objects. */
#include "program.h"
#ifndef PROGRAM_DRIVER
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace collectives_cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

/* out: eight results a thread. */
extern "C" __global__ void collectives_groups(const int *x, int *out)
{
    __shared__ collectives_cg::block_tile_memory<128> memory;
    const auto block = collectives_cg::this_thread_block(memory);
    const int t = (int)block.thread_rank(), v = x[t];
    const auto wide = collectives_cg::tiled_partition<64>(block);
    const auto warp = collectives_cg::tiled_partition<32>(block);
    const auto four = collectives_cg::tiled_partition<4>(warp);
    out[8 * t] = collectives_cg::reduce(wide, v, collectives_cg::plus<int>()) + 100000 * (int)wide.meta_group_rank();
    const float4 quad = make_float4((float)v, (float)t, 1, 2), other = four.shfl(quad, 2);
    out[8 * t + 1] = (int)other.x + 10000 * ((int)other.y - t / 4 * 4);
    const auto half = collectives_cg::binary_partition(warp, v % 3 == 0);
    out[8 * t + 2] = collectives_cg::reduce(half, v, collectives_cg::plus<int>()) + 100000 * (int)half.size();
    const auto same = collectives_cg::labeled_partition(warp, v % 4);
    out[8 * t + 3] = (int)same.size() * 100 + (int)same.thread_rank();
    out[8 * t + 4] = collectives_cg::inclusive_scan(warp, v, collectives_cg::plus<int>());
    out[8 * t + 5] = collectives_cg::exclusive_scan(warp, v, collectives_cg::plus<int>());
    out[8 * t + 6] = collectives_cg::reduce(warp, v, collectives_cg::less<int>());
    const auto part = collectives_cg::tiled_partition(block, 16);
    out[8 * t + 7] = (int)part.size() * 100 + (int)part.thread_rank();
}

/* Each block adds up its part in `batches` steps, with copies of the next step under way. */
extern "C" __global__ void collectives_pipeline(const int *x, int *out, int batches, int *mistakes)
{
    __shared__ int stage[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    const auto block = collectives_cg::this_thread_block();
    const int n = (int)block.size(), t = (int)block.thread_rank();
    if (t == 0) init(&bar, n);
    block.sync();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(block, stage[0], x, sizeof(int) * n, pipe);
    pipe.producer_commit();
    for (int b = 0; b < batches; b++) {
        if (b + 1 < batches) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[(b + 1) % 2], x + (b + 1) * n, sizeof(int) * n, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stage[b % 2][(t + 1) % n];
        pipe.consumer_release();
    }
    auto token = bar.arrive();
    bar.wait(std::move(token));
    stage[0][t] = sum;
    bar.arrive_and_wait();
    collectives_cg::memcpy_async(block, stage[1], stage[0], sizeof(int) * n);
    collectives_cg::wait(block);
    if (stage[1][(t + 5) % n] != stage[0][(t + 5) % n]) atomicAdd(mistakes, 1);
    out[t] = stage[1][t];
}

extern "C" __global__ void collectives_atomics(unsigned *sum, float *total, int *ticket, int *order)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> s(*sum);
    cuda::atomic_ref<float, cuda::thread_scope_device> f(*total);
    cuda::atomic_ref<int, cuda::thread_scope_device> next(*ticket);
    s.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
    f.fetch_add(0.5f);
    order[next++] = 1;
}
#endif

PROGRAM(collectives)
{
    const int n = 128, batches = 5;
    Array<int> x(n * batches), out(8 * n), sums(n), mistakes(1), ticket(1), order(n);
    Array<unsigned> sum(1);
    Array<float> total(1);
    for (int i = 0; i < n * batches; i++) x[i] = (int)(noise(i) % 1000);
    x.up();
    CHECK(!LAUNCH(collectives_groups, dim3(1), dim3(n), 0, (const int *)x.device, out.device));
    CHECK(!LAUNCH(collectives_pipeline, dim3(1), dim3(n), 0, (const int *)x.device, sums.device, batches, mistakes.device));
    CHECK(!LAUNCH(collectives_atomics, dim3(1), dim3(n), 0, sum.device, total.device, ticket.device, order.device));
    out.down(), sums.down(), mistakes.down(), sum.down(), total.down(), ticket.down(), order.down();
    for (int t = 0; t < n; t++) {
        int wide = 0, third = 0, thirds = 0, same = 0, before_same = 0, scan = 0, least = 1000, piped = 0;
        for (int k = t / 64 * 64; k < t / 64 * 64 + 64; k++) wide += x[k];
        for (int k = t / 32 * 32; k < t / 32 * 32 + 32; k++) {
            if ((x[k] % 3 == 0) == (x[t] % 3 == 0)) third += x[k], thirds++;
            if (x[k] % 4 == x[t] % 4) same++, before_same += k < t;
            if (k <= t) scan += x[k];
            if (x[k] < least) least = x[k];
        }
        for (int b = 0; b < batches; b++) piped += x[b * n + (t + 1) % n];
        CHECK(out[8 * t] == wide + 100000 * (t / 64) && out[8 * t + 1] == x[t / 4 * 4 + 2] + 20000);
        CHECK(out[8 * t + 2] == third + 100000 * thirds && out[8 * t + 3] == same * 100 + before_same);
        CHECK(out[8 * t + 4] == scan && out[8 * t + 5] == scan - x[t] && out[8 * t + 6] == least && out[8 * t + 7] == 1600 + t % 16);
        CHECK(sums[t] == piped && order[t] == 1);
    }
    CHECK(mistakes[0] == 0 && sum[0] == n * (n - 1) / 2 && total[0] == n / 2 && ticket[0] == n);
    return 0;
}
