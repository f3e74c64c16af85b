/* Copies from global to shared memory that threads wait for in groups, with parts filled by zeros, and threads that
 * meet at a barrier in shared memory, waiting by its state and by its parity; the primitives of CUDA's header. */
#include "program.h"

#ifndef PROGRAM_DRIVER
#include <cuda_awbarrier_primitives.h>
static __device__ unsigned asynchronous_at(const void *p)
{
    unsigned long long at;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(at) : "l"(p));
    return (unsigned)at;
}
/* Two buffers: the next tile is on its way while one is used. The last tile has fewer elements. */
extern "C" __global__ void asynchronous_tiles(const float4 *in, float4 *out, int n, int tiles)
{
    __shared__ float4 buffer[2][64];
    const int t = threadIdx.x;
    for (int tile = 0; tile <= tiles; tile++) {
        if (tile < tiles) {
            const int i = tile * 64 + t, bytes = i < n ? 16 : i == n ? 8 : 0;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                         :
                         : "r"(asynchronous_at(&buffer[tile % 2][t])), "l"(in + (i <= n ? i : 0)), "r"(bytes)
                         : "memory");
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;" : : : "memory");
        __syncthreads();
        if (tile > 0) out[(tile - 1) * 64 + t] = buffer[(tile - 1) % 2][63 - t];
        __syncthreads();
    }
}
/* Rounds of an exchange: whoever has come goes on when all have. */
extern "C" __global__ void asynchronous_rounds(int *out, int rounds)
{
    __shared__ unsigned long long barrier;
    __shared__ int values[2][96];
    const int t = threadIdx.x;
    const unsigned at = asynchronous_at(&barrier);
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 96;" : : "r"(at) : "memory");
    __syncthreads();
    int value = t;
    for (int round = 0; round < rounds; round++) {
        unsigned long long state;
        int done = 0;
        values[round % 2][t] = value;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        while (!done)
            if (round % 3)
                asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\tselp.s32 %0, 1, 0, "
                             "p;\n\t}"
                             : "=r"(done)
                             : "r"(at), "l"(state)
                             : "memory");
            else
                asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\tselp.s32 %0, "
                             "1, 0, p;\n\t}"
                             : "=r"(done)
                             : "r"(at), "r"(round % 2)
                             : "memory");
        value = values[round % 2][(t + 33) % 96] + 1;
    }
    out[t] = value;
}
/* The last warp leaves after its first arrival; the others go on without it. */
extern "C" __global__ void asynchronous_primitives(int *out, int rounds)
{
    __shared__ __mbarrier_t barrier;
    __shared__ int values[96];
    const int t = threadIdx.x;
    if (t == 0) __mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    values[t] = t;
    if (t >= 64) {
        const __mbarrier_token_t token = __mbarrier_arrive_and_drop(&barrier);
        out[t] = __mbarrier_token_pending_count(token) >= 1;
        return;
    }
    for (int round = 0; round < rounds; round++) {
        const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) continue;
        const int next = values[(t + (round ? 1 : 32)) % (round ? 64 : 96)];
        const __mbarrier_token_t read = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, read)) continue;
        values[t] = next;
    }
    out[t] = values[t] + (__mbarrier_maximum_count() > 1000 ? 0 : 1000);
}
#endif

struct Quad {
    float x, y, z, w;
};

PROGRAM(asynchronous)
{
    const int n = 150, tiles = 3;
    Array<Quad> in(tiles * 64), out(tiles * 64);
    Array<int> met(96), left(96);
    for (int i = 0; i < tiles * 64; i++) in[i] = Quad{(float)i, 0.5f * i, -1.0f, 7.0f + i};
    in.up();
#ifdef PROGRAM_DRIVER
    const void *from = in.device;
    void *to = out.device;
#else
    const float4 *from = (const float4 *)in.device;
    float4 *to = (float4 *)out.device;
#endif
    CHECK(!LAUNCH(asynchronous_tiles, dim3(1), dim3(64), 0, from, to, n, tiles));
    CHECK(!LAUNCH(asynchronous_rounds, dim3(1), dim3(96), 0, met.device, 7));
    CHECK(!LAUNCH(asynchronous_primitives, dim3(1), dim3(96), 0, left.device, 4));
    CHECK(!synchronise());
    out.down(), met.down(), left.down();
    for (int i = 0; i < tiles * 64; i++) {
        const int k = i / 64 * 64 + 63 - i % 64;
        CHECK(out[i].x == (k <= n ? in[k].x : 0) && out[i].y == (k <= n ? in[k].y : 0));
        CHECK(out[i].z == (k < n ? in[k].z : 0) && out[i].w == (k < n ? in[k].w : 0));
    }
    for (int t = 0; t < 96; t++) CHECK(met[t] == (t + 33 * 7) % 96 + 7);
    for (int t = 0; t < 64; t++) CHECK(left[t] == (t + 3) % 64 + 32);
    for (int t = 64; t < 96; t++) CHECK(left[t] == 1);
    return 0;
}
