// batchlu: LU factors of many small matrices, in place and without pivoting. A thread owns a matrix and goes through it
// row by row, four columns at a time, as Doolittle has it: a quad of row i loses the multiples of the rows above it,
// one after another; left of the diagonal each of its columns becomes a multiplier when its turn comes. The diagonal
// holds the reciprocals of the pivots, with which a solver goes on. Rows are padded with zeros to whole quads.
#include "cuda_device.h"

struct __attribute__((aligned(16))) quad { float x, y, z, w; };
struct __attribute__((aligned(8))) place { u32 start, order; }; // the first quad of the matrix; its rows

extern "C" __global__ void batchlu_factor(quad *matrices, const place *places, u32 n)
{
    u32 matrix = thread_index();
    if (matrix >= n) return;
    place at = places[matrix];
    quad *row = matrices + at.start;
    u32 pitch = (at.order + 3) / 4;
#pragma unroll 1
    for (u32 i = 0; i < at.order; i++) {
        const quad *top = row - i * pitch;
#pragma unroll 1
        for (u32 first = 0; first < 4 * pitch; first += 4, top++) {
            float *here = (float *)row + first;
            quad sum = *(quad *)here;
            const quad *above = top;
            u32 left = i < first ? i : first; // rows above whose multipliers are known
            const float *factor = (const float *)row;
#pragma unroll 1
            for (; left != 0; left--, factor++, above += pitch) {
                sum.x = fmaf(-*factor, above->x, sum.x);
                sum.y = fmaf(-*factor, above->y, sum.y);
                sum.z = fmaf(-*factor, above->z, sum.z);
                sum.w = fmaf(-*factor, above->w, sum.w);
            }
            if (first < i) {
                sum.x = sum.x * above->x;
                sum.y = fmaf(-sum.x, above->y, sum.y);
                sum.z = fmaf(-sum.x, above->z, sum.z);
                sum.w = fmaf(-sum.x, above->w, sum.w);
                above += pitch;
            }
            if (first + 1 < i) {
                sum.y = sum.y * above->y;
                sum.z = fmaf(-sum.y, above->z, sum.z);
                sum.w = fmaf(-sum.y, above->w, sum.w);
                above += pitch;
            }
            if (first + 2 < i) {
                sum.z = sum.z * above->z;
                sum.w = fmaf(-sum.z, above->w, sum.w);
                above += pitch;
            }
            if (first + 3 < i) sum.w = sum.w * above->w;
            *(quad *)here = sum;
        }
        float *diagonal = (float *)row + i;
        *diagonal = 1.0f / *diagonal;
        row += pitch;
    }
}
