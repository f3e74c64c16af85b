/* Variables of the module: constants and globals with initialisers, addresses in initialisers, copies to and from symbols. */
#include "program.h"
#ifndef PROGRAM_DRIVER
extern "C" {
__constant__ float constants_filter[5] = {0.5f, 1.0f, 2.0f, 1.0f, 0.5f};
__constant__ int constants_shift;
__device__ int constants_squares[4] = {0, 1, 4, 9};
__device__ const int *constants_where[2] = {constants_squares + 2, constants_squares};
__device__ char constants_word[] = "poise";
__device__ unsigned constants_total;
__global__ void constants_kernel(float *out, int n)
{
    const int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 5; k++) sum += constants_filter[k] * (float)((i + k + constants_shift) % n);
    out[i] = sum + (float)constants_where[i & 1][i >> 1 & 1] * 1000 + (float)constants_word[i % 5];
    atomicAdd(&constants_total, (unsigned)i);
}
}
#endif

PROGRAM(constants)
{
    const int n = 64, shift = 3;
    float filter[5] = {0.5f, 1.0f, 2.0f, 1.0f, 0.5f}, again[5];
    unsigned total = 5;
    Array<float> out(n);
    for (int round = 0; round < 2; round++) {
        CHECK(!TO_SYMBOL(constants_shift, &shift, sizeof shift) && !TO_SYMBOL(constants_total, &total, sizeof total));
        CHECK(!LAUNCH(constants_kernel, dim3(1), dim3(n), 0, out.device, n));
        out.down();
        for (int i = 0; i < n; i++) {
            const int squares[] = {0, 1, 4, 9};
            float sum = 0;
            for (int k = 0; k < 5; k++) sum += filter[k] * (float)((i + k + shift) % n);
            CHECK(out[i] == sum + (float)squares[(i & 1 ? 0 : 2) + (i >> 1 & 1)] * 1000 + (float)"poise"[i % 5]);
        }
        unsigned now;
        CHECK(!FROM_SYMBOL(&now, constants_total, sizeof now) && now == 5 + n * (n - 1) / 2);
        filter[round] = 4.0f;
        CHECK(!TO_SYMBOL(constants_filter, filter, sizeof filter) && !FROM_SYMBOL(again, constants_filter, sizeof again) && memcmp(filter, again, sizeof filter) == 0);
    }
    return 0;
}
