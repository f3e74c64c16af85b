/* Video instructions: four bytes or two halves at once, scalar ones with parts, saturation and a second operation; dot
 * products of bytes. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void video_kernel(const unsigned *x, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n];
    unsigned *r = out + 9 * i;
    asm("vadd4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(r[0]) : "r"(a), "r"(b), "r"(0));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r[1]) : "r"(a), "r"(b), "r"(c));
    asm("vmax2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r[2]) : "r"(a), "r"(b), "r"(0));
    asm("vset4.u32.u32.lt %0, %1, %2, %3;" : "=r"(r[3]) : "r"(a), "r"(b), "r"(0));
    asm("vadd.s32.u32.s32.sat %0, %1.b1, %2.h1;" : "=r"(r[4]) : "r"(a), "r"(b));
    asm("vmad.u32.u32.u32.shr7 %0, %1.h0, %2.b3, %3;" : "=r"(r[5]) : "r"(a), "r"(b), "r"(c));
    asm("vabsdiff.u32.s32.s32.max %0, %1, %2, %3;" : "=r"(r[6]) : "r"(a >> 2), "r"(b >> 2), "r"(c));
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r[7]) : "r"(a), "r"(b), "r"(c));
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(r[8]) : "r"(a), "r"(b), "r"(c));
}
#endif

PROGRAM(video)
{
    const int n = 600;
    Array<unsigned> x(n), out(9 * n);
    for (int i = 0; i < n; i++) x[i] = noise(i);
    x.up();
    CHECK(!LAUNCH(video_kernel, dim3(5), dim3(128), 0, (const unsigned *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        const uint32_t a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n], *r = &out[9 * i];
        uint32_t sum = 0, difference = c, less = 0, most = 0, dot = c, dot2 = c;
        for (int k = 0; k < 4; k++) {
            const int p = (int)(a >> 8 * k & 255), q = (int)(b >> 8 * k & 255);
            sum |= (uint32_t)(p + q > 255 ? 255 : p + q) << 8 * k;
            difference += (uint32_t)abs(p - q), less |= (uint32_t)(p < q) << 8 * k, dot += (uint32_t)(p * (int8_t)q);
        }
        for (int k = 0; k < 2; k++) {
            const int16_t p = (int16_t)(a >> 16 * k), q = (int16_t)(b >> 16 * k);
            most |= (uint32_t)(uint16_t)(p > q ? p : q) << 16 * k;
            dot2 += (uint32_t)(p * (int)(b >> 8 * k & 255));
        }
        CHECK(r[0] == sum && r[1] == difference && r[2] == most && r[3] == less && r[7] == dot && r[8] == dot2);
        CHECK(r[4] == (uint32_t)((int)(a >> 8 & 255) + (int)(int16_t)(b >> 16)));
        CHECK(r[5] == (uint32_t)(((uint64_t)(a & 0xffff) * (b >> 24) + c) >> 7));
        const int64_t apart = (int64_t)(int32_t)(a >> 2) - (int32_t)(b >> 2);
        const uint32_t far = (uint32_t)(apart < 0 ? -apart : apart);
        CHECK(r[6] == (far > c ? far : c));
    }
    return 0;
}
