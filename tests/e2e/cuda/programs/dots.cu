/* Dot products of bytes and halfwords, the greatest and the least of three, and where a generic address lies. */
#include "program.h"

#ifndef PROGRAM_DRIVER
static __constant__ int dots_constant = 5;
extern "C" __global__ void dots_kernel(const int *a, const int *b, int *out, int n)
{
    __shared__ int shared_word;
    int local_word = 3;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *r = out + 8 * i;
    r[0] = __dp4a(a[i], b[i], i), r[1] = (int)__dp4a((unsigned)a[i], (unsigned)b[i], (unsigned)i);
    r[2] = __dp2a_lo(a[i], b[i], i), r[3] = (int)__dp2a_hi((unsigned)a[i], (unsigned)b[i], 1u);
    r[4] = __vimax3_s32(a[i], b[i], i) - __vimin3_s32(0, 1, 2), r[5] = __viaddmax_s32_relu(a[i], b[i], -1);
    const void *volatile where[] = {a, &shared_word, &local_word, &dots_constant};
    r[6] = 0;
    for (int k = 0; k < 4; k++)
        r[6] = 8 * r[6] + (__isGlobal(where[k]) != 0) + 2 * (__isShared(where[k]) != 0) + 4 * (__isLocal(where[k]) != 0);
    r[7] = *(volatile int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&(shared_word = i))) - i;
}
#endif

PROGRAM(dots)
{
    const int n = 40;
    Array<int> a(n), b(n), out(8 * n);
    for (int i = 0; i < n; i++) a[i] = (int)noise(i), b[i] = (int)noise(i + 1000);
    a.up(), b.up();
    CHECK(!LAUNCH(dots_kernel, dim3(n), dim3(1), 0, (const int *)a.device, (const int *)b.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        int sum = i, low = i;
        unsigned usum = (unsigned)i, high = 1;
        for (int k = 0; k < 4; k++) {
            sum += (int8_t)(a[i] >> 8 * k) * (int8_t)(b[i] >> 8 * k);
            usum += (unsigned)(uint8_t)(a[i] >> 8 * k) * (uint8_t)(b[i] >> 8 * k);
        }
        for (int k = 0; k < 2; k++) {
            low += (int16_t)(a[i] >> 16 * k) * (int8_t)(b[i] >> 8 * k);
            high += (unsigned)(uint16_t)(a[i] >> 16 * k) * (uint8_t)(b[i] >> (16 + 8 * k));
        }
        const int total = (int)((unsigned)a[i] + (unsigned)b[i]), *r = &out[8 * i];
        CHECK(r[0] == sum && (unsigned)r[1] == usum && r[2] == low && (unsigned)r[3] == high);
        CHECK(r[4] == std::max(std::max(a[i], b[i]), i) && r[5] == (total > 0 ? total : 0));
        CHECK(r[6] >> 3 == 0124 && r[7] == 0); /* a constant is global as well, or is not: PTX leaves it open */
    }
    return 0;
}
