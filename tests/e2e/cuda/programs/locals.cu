/* Arrays in local memory that are indexed by data: a sort in each thread, elements of several sizes. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" __global__ void locals_kernel(const unsigned *x, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v[16];
    unsigned char seen[64];
    unsigned long long wide[4];
    for (int k = 0; k < 64; k++) seen[k] = 0;
    for (int k = 0; k < 4; k++) wide[k] = 0;
    for (int k = 0; k < 16; k++) v[k] = x[(i + k) % n];
    for (int k = 1; k < 16; k++) {
        const unsigned a = v[k];
        int j = k;
        for (; j > 0 && v[j - 1] > a; j--) v[j] = v[j - 1];
        v[j] = a;
    }
    for (int k = 0; k < 16; k++) seen[v[k] & 63]++, wide[v[k] >> 5 & 3] += v[k];
    out[i] = v[i & 15] ^ seen[i & 63] ^ (unsigned)(wide[i & 3] >> 1);
}
#endif

PROGRAM(locals)
{
    const int n = 200;
    Array<unsigned> x(n), out(n);
    for (int i = 0; i < n; i++) x[i] = noise(i);
    x.up();
    CHECK(!LAUNCH(locals_kernel, dim3(2), dim3(128), 0, (const unsigned *)x.device, out.device, n));
    out.down();
    for (int i = 0; i < n; i++) {
        uint32_t v[16], seen[64] = {0};
        uint64_t wide[4] = {0};
        for (int k = 0; k < 16; k++) v[k] = x[(i + k) % n];
        for (int k = 0; k < 16; k++)
            for (int j = 0; j + 1 < 16; j++)
                if (v[j] > v[j + 1]) { const uint32_t t = v[j]; v[j] = v[j + 1], v[j + 1] = t; }
        for (int k = 0; k < 16; k++) seen[v[k] & 63]++, wide[v[k] >> 5 & 3] += v[k];
        CHECK(out[i] == (v[i & 15] ^ seen[i & 63] ^ (uint32_t)(wide[i & 3] >> 1)));
    }
    return 0;
}
