// sparsegrid: a function in hierarchical basis (H. Bungartz and M. Griebel, "Sparse grids", Acta Numerica 13, 2004) at drawn
// places: of every level one hat, whose coefficient lies where the halved place says, is not zero there. A thread owns so
// many places, which it evaluates one after another.
#include "cuda_device.h"

#define PLACE_BITS 24

extern "C" __global__ void evaluate(const float *coefficients, const u32 *places, float *values, u32 levels, u32 each, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
#pragma unroll 1
    for (u32 k = 0; k < each; k++) {
        const u32 place = places[k * n + thread];
        float sum = 0.0f, slope = 1.0f / (1 << (PLACE_BITS - 1)); // of a hat
#pragma unroll 1
        for (u32 level = 0; level < levels; level++, slope += slope) {
            const u32 left = PLACE_BITS - level, within = place & ((1u << left) - 1), half = 1u << (left - 1);
            const u32 up = within < half ? within : (1u << left) - within;
            // Cells of level l lie behind the 2^l - 1 of all coarser levels.
            sum = fmaf((float)up * slope, coefficients[(1u << level) - 1 + (place >> left)], sum);
        }
        values[k * n + thread] = sum;
    }
}
