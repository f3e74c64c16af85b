// myocyte: one evaluation of a heart muscle cell's differential equations, as Rodinia's kernel in its parallel-in-the-cell mode:
// block 0 of a cell evaluates its 46 equations, block 1 the 15 of each compartment, and in both a single thread works.
// grid.y = cell.
#include "model.h"

extern "C" __global__ void myocyte_rates(float time, const float *states, const float *params, float *rates, float *taken)
{
    u32 cell = blockIdx.y;
    const float *y = states + cell * STATES, *p = params + cell * PARAMS;
    float *dy = rates + cell * STATES;
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        cell_rates(time, y, p, dy);
        return;
    }
#pragma unroll 1
    for (u32 c = 0; c < COMPARTMENTS; c++)
        taken[cell * COMPARTMENTS + c] =
            cam_rates(y[CELL_CA + c], y + CELL_STATES + c * CAM_STATES, p, dy + CELL_STATES + c * CAM_STATES);
}
