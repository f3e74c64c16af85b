/* A switch with many cases: a table of branch targets (brx.idx). */
#include "program.h"
#ifdef PROGRAM_DRIVER
#define SWITCHES_BOTH
#else
#define SWITCHES_BOTH __host__ __device__
#endif
static inline SWITCHES_BOTH int switches_step(int op, int x, int i)
{
    switch (op) {
    case 0: return (int)((unsigned)x + (unsigned)i);
    case 1: return (int)((unsigned)x * 3u);
    case 2: return x ^ 0x55;
    case 3: return (int)((unsigned)x - 7u * (unsigned)i);
    case 4: x = (int)((unsigned)x + 2u); /* and on */
    case 5: return (int)((unsigned)x << 1);
    case 6: return x / 3;
    case 7: return ~x;
    case 8: return x % 97;
    case 9: return x > 100 ? 100 : x;
    case 11: return x & i;
    case 12: return (int)((unsigned)(i * i) - (unsigned)x);
    default: return (int)(0u - (unsigned)x);
    }
}
#ifndef PROGRAM_DRIVER
extern "C" __global__ void switches_kernel(const unsigned char *code, int *out, int length, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = i;
#pragma unroll 1
    for (int k = 0; k < length; k++) x = switches_step(code[(k + i) % length] % 14, x, i);
    out[i] = x;
}
/* An interpreter's dispatch as PTX has it. */
extern "C" __global__ void switches_table(const unsigned *x, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned r;
    asm volatile("{\n\t.reg .u32 t;\n\tand.b32 t, %1, 3;\n\tT: .branchtargets A, B, C, D;\n\tbrx.idx t, T;\n"
                 "A:\n\tadd.u32 %0, %1, 1;\n\tbra E;\nB:\n\tmul.lo.u32 %0, %1, 5;\n\tbra E;\nC:\n\txor.b32 %0, %1, 255;\n\tbra E;\n"
                 "D:\n\tshr.u32 %0, %1, 2;\nE:\n\t}" : "=&r"(r) : "r"(x[i]));
    out[i] = r;
}
#endif

PROGRAM(switches)
{
    const int n = 500, length = 40;
    Array<unsigned char> code(length);
    Array<int> out(n);
    Array<unsigned> x(n), jumped(n);
    for (int k = 0; k < length; k++) code[k] = (unsigned char)noise(k);
    for (int i = 0; i < n; i++) x[i] = noise(i);
    code.up(), x.up();
    CHECK(!LAUNCH(switches_kernel, dim3(5), dim3(128), 0, (const unsigned char *)code.device, out.device, length, n));
    CHECK(!LAUNCH(switches_table, dim3(5), dim3(128), 0, (const unsigned *)x.device, jumped.device, n));
    out.down(), jumped.down();
    for (int i = 0; i < n; i++) {
        int v = i;
        for (int k = 0; k < length; k++) v = switches_step(code[(k + i) % length] % 14, v, i);
        CHECK(out[i] == v);
        const unsigned a = x[i], wanted[] = {a + 1, a * 5, a ^ 255, a >> 2};
        CHECK(jumped[i] == wanted[a & 3]);
    }
    return 0;
}
