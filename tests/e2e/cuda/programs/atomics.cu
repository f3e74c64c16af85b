/* Atomic operations of every kind and type, in global and shared memory; results used and not. */
#include "program.h"
struct atomics_cells {
    int sum, low, high, exchanged;
    unsigned count, wrapped, down, bits_and, bits_or, bits_xor, highest;
    float real;
    unsigned long long wide, widest;
    double precise;
    int swapped;
};
#ifndef PROGRAM_DRIVER
extern "C" __global__ void atomics_kernel(atomics_cells *c, const int *x, int *old, unsigned *bins)
{
    __shared__ unsigned local[16];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    old[i] = atomicAdd(&c->sum, v);
    atomicSub(&c->sum, v / 2);
    atomicMin(&c->low, v), atomicMax(&c->high, v), atomicMax(&c->highest, (unsigned)v);
    atomicInc(&c->wrapped, 6u), atomicDec(&c->down, 9u), atomicAdd(&c->count, 1u);
    atomicAnd(&c->bits_and, ~(1u << (i & 15))), atomicOr(&c->bits_or, 1u << (v & 31)), atomicXor(&c->bits_xor, (unsigned)v);
    atomicAdd(&c->real, 0.25f), atomicAdd(&c->precise, 1e-3);
    atomicAdd(&c->wide, 0x100000001ull), atomicMax(&c->widest, (unsigned long long)v << 20);
    atomicExch(&c->exchanged, v);
    int seen = c->swapped, got;
    while ((got = atomicCAS(&c->swapped, seen, seen + (v & 3))) != seen) seen = got;
    atomicAdd(&local[v & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
#endif

PROGRAM(atomics)
{
    const int n = 1024;
    atomics_cells start = {};
    start.low = 1 << 30, start.high = -(1 << 30), start.bits_and = ~0u, start.down = 3;
    Array<atomics_cells> cells(1, start);
    Array<int> x(n), old(n);
    Array<unsigned> bins(16);
    for (int i = 0; i < n; i++) x[i] = (int)(noise(i) % 4000);
    x.up();
    CHECK(!LAUNCH(atomics_kernel, dim3(8), dim3(128), 0, cells.device, (const int *)x.device, old.device, bins.device));
    cells.down(), old.down(), bins.down();
    int sum = 0, low = 1 << 30, high = 0, swapped = 0, wanted[16] = {0};
    uint32_t bits_or = 0, bits_xor = 0, wrapped = 0, down = 3;
    bool found = false;
    for (int i = 0; i < n; i++) {
        const int v = x[i];
        sum += v - v / 2, low = v < low ? v : low, high = v > high ? v : high, swapped += v & 3, wanted[v & 15]++;
        bits_or |= 1u << (v & 31), bits_xor ^= (uint32_t)v, wrapped = wrapped >= 6 ? 0 : wrapped + 1, down = down == 0 || down > 9 ? 9 : down - 1;
        found |= cells[0].exchanged == v;
    }
    const atomics_cells &c = cells[0];
    CHECK(c.sum == sum && c.low == low && c.high == high && c.highest == (unsigned)high && c.count == (unsigned)n && c.wrapped == wrapped && c.down == down);
    CHECK(c.bits_and == 0xffff0000u && c.bits_or == bits_or && c.bits_xor == bits_xor && c.real == 256.0f && std::fabs(c.precise - 1.024) < 1e-9);
    CHECK(c.wide == 0x100000001ull * (unsigned)n && c.widest == (unsigned long long)high << 20 && found && c.swapped == swapped);
    for (int k = 0; k < 16; k++) CHECK(bins[k] == (unsigned)wanted[k]);
    return 0;
}
