/* Carry chains: 128-bit sums and differences, 64 x 64 -> 128-bit products by mad.cc. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void carry_kernel(const unsigned *x, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned *a = x + 4 * i, *b = x + 4 * ((i + 1) % n);
    unsigned *r = out + 12 * i;
    asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.u32 %2, %6, %10;\n\taddc.u32 %3, %7, %11;"
        : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    asm("sub.cc.u32 %0, %4, %8;\n\tsubc.cc.u32 %1, %5, %9;\n\tsubc.cc.u32 %2, %6, %10;\n\tsubc.u32 %3, %7, %11;"
        : "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]), "=&r"(r[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
    unsigned lo, m1, m2, hi;
    asm("mul.lo.u32 %0, %4, %6;\n\tmul.hi.u32 %1, %4, %6;\n\tmad.lo.cc.u32 %1, %4, %7, %1;\n\tmadc.hi.u32 %2, %4, %7, 0;\n\t"
        "mad.lo.cc.u32 %1, %5, %6, %1;\n\tmadc.hi.cc.u32 %2, %5, %6, %2;\n\tmadc.hi.u32 %3, %5, %7, 0;\n\tmad.lo.cc.u32 %2, %5, %7, %2;\n\taddc.u32 %3, %3, 0;"
        : "=&r"(lo), "=&r"(m1), "=&r"(m2), "=&r"(hi)
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
    r[8] = lo, r[9] = m1, r[10] = m2, r[11] = hi;
}
#endif

static unsigned __int128 carry_value(const unsigned *p)
{
    unsigned __int128 v = 0;
    for (int k = 4; k-- > 0;) v = v << 32 | p[k];
    return v;
}

PROGRAM(carry)
{
    const int n = 500;
    Array<unsigned> x(4 * n), out(12 * n);
    for (int i = 0; i < 4 * n; i++) x[i] = i % 7 == 0 ? 0xffffffffu : i % 11 == 0 ? 0 : noise(i);
    x.up();
    CHECK(!LAUNCH(carry_kernel, dim3(2), dim3(256), 0, (const unsigned *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        const unsigned *p = &x[4 * i], *q = &x[4 * ((i + 1) % n)];
        const unsigned __int128 a = carry_value(p), b = carry_value(q);
        CHECK(carry_value(&out[12 * i]) == a + b);
        CHECK(carry_value(&out[12 * i + 4]) == a - b);
        CHECK(carry_value(&out[12 * i + 8]) == (unsigned __int128)((uint64_t)p[1] << 32 | p[0]) * ((uint64_t)q[1] << 32 | q[0]));
    }
    return 0;
}
