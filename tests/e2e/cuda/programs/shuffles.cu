/* Shuffles: up, down, xor and by index, in segments, of values of 32 and 64 bits; a reduction and a scan made of them. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void shuffles_kernel(const int *x, int *out, double *wide, unsigned long long *words)
{
    const int t = threadIdx.x, v = x[t];
    int *r = out + 6 * t;
    r[0] = __shfl_up_sync(0xffffffffu, v, 3), r[1] = __shfl_down_sync(0xffffffffu, v, 5, 16);
    r[2] = __shfl_xor_sync(0xffffffffu, v, 9), r[3] = __shfl_sync(0xffffffffu, v, t * 7, 8);
    int scan = v, sum = v;
    for (int by = 1; by < 32; by *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, scan, by);
        if ((t & 31) >= by) scan += other;
    }
    for (int by = 16; by; by /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, by);
    r[4] = scan, r[5] = sum;
    wide[t] = __shfl_down_sync(0xffffffffu, (double)v * 1e10 + t, 1);
    words[t] = __shfl_sync(0xffffffffu, 0x100000001ull * (unsigned)v, 31 - t % 32);
    words[t] += __shfl_xor_sync(0xffffffffu, (unsigned long)v << 33, 1);
}
#endif

PROGRAM(shuffles)
{
    const int n = 96;
    Array<int> x(n), out(6 * n);
    Array<double> wide(n);
    Array<unsigned long long> words(n);
    for (int i = 0; i < n; i++) x[i] = (int)(noise(i) % 10000);
    x.up();
    CHECK(!LAUNCH(shuffles_kernel, dim3(1), dim3(n), 0, (const int *)x.device, out.device, wide.device, words.device));
    out.down(), wide.down(), words.down();
    for (int t = 0; t < n; t++) {
        const int w = t / 32 * 32, l = t % 32, *r = &out[6 * t];
        CHECK(r[0] == x[l >= 3 ? t - 3 : t] && r[1] == x[l % 16 + 5 < 16 ? t + 5 : t] && r[2] == x[w + (l ^ 9)] && r[3] == x[w + l / 8 * 8 + t * 7 % 8]);
        int scan = 0, sum = 0;
        for (int k = 0; k < 32; k++) sum += x[w + k], scan += k <= l ? x[w + k] : 0;
        CHECK(r[4] == scan && r[5] == sum);
        const int from = l < 31 ? t + 1 : t;
        CHECK(wide[t] == (double)x[from] * 1e10 + from);
        CHECK(words[t] == 0x100000001ull * x[w + 31 - l] + ((unsigned long long)x[t ^ 1] << 33));
    }
    return 0;
}
