// chemlu: sparse LU factors for every cell of an atmosphere, as solvers of stiff chemistry need them (A. Sandu and R. Sander,
// "Simulating chemical systems with KPP-2.1", ACP 6, 2006). All cells have one pattern, so one list of steps that the host
// has made serves all; a thread owns a cell, and entry k of all cells lies together.
#include "cuda_device.h"

#define STEPS_MAX 4096

extern "C" {
__constant__ uint4 steps[STEPS_MAX]; // target, left, right; w = 0: target /= left, 1: target -= left * right
}

extern "C" __global__ void factorise(float *values, u32 count, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    float *own = values + thread;
#pragma unroll 1
    for (u32 k = 0; k < count; k++) {
        uint4 step = steps[k];
        float target = own[step.x * n], left = own[step.y * n];
        own[step.x * n] = step.w ? fmaf(-left, own[step.z * n], target) : target / left;
    }
}
