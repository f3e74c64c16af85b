// cfd: an unstructured finite-volume solver of the Euler equations, kernels and data layout as Rodinia's euler3d: five variables,
// each an array over the cells; a cell has four faces, whose neighbours are looked up (scattered). Blocks of 192 threads.
#include "cuda_device.h"

#define GAMMA 1.4f
#define FACES 4
enum { DENSITY, MOMENTUM, ENERGY = 4, VARIABLES };
struct vec { float x, y, z; };
struct state { float density, energy, pressure, speed2, sound; vec momentum, velocity; };

__constant__ float far_field[VARIABLES];

static inline __device__ state load(const float *variables, u32 i, u32 n)
{
    state s;
    s.density = variables[i + DENSITY * n];
    s.momentum.x = variables[i + (MOMENTUM + 0) * n];
    s.momentum.y = variables[i + (MOMENTUM + 1) * n];
    s.momentum.z = variables[i + (MOMENTUM + 2) * n];
    s.energy = variables[i + ENERGY * n];
    s.velocity.x = s.momentum.x / s.density;
    s.velocity.y = s.momentum.y / s.density;
    s.velocity.z = s.momentum.z / s.density;
    s.speed2 = s.velocity.x * s.velocity.x + s.velocity.y * s.velocity.y + s.velocity.z * s.velocity.z;
    s.pressure = (GAMMA - 1.0f) * (s.energy - 0.5f * s.density * s.speed2);
    s.sound = sqrtf(GAMMA * s.pressure / s.density);
    return s;
}

// The step that the cell's size and speeds allow.
extern "C" __global__ void cfd_step_factor(u32 n, const float *variables, const float *areas, float *factors)
{
    u32 i = thread_index();
    if (i >= n) return;
    state s = load(variables, i, n);
    factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(s.speed2) + s.sound));
}

// What flows along one direction: mass, momentum (3), energy.
static inline __device__ void flow(const state &s, float along, float nx, float ny, float nz, float flux[VARIABLES])
{
    flux[DENSITY] = s.density * along;
    flux[MOMENTUM] = s.momentum.x * along + s.pressure * nx;
    flux[MOMENTUM + 1] = s.momentum.y * along + s.pressure * ny;
    flux[MOMENTUM + 2] = s.momentum.z * along + s.pressure * nz;
    flux[ENERGY] = (s.energy + s.pressure) * along;
}

extern "C" __global__ void cfd_flux(u32 n, const int *neighbours, const float *normals, const float *variables, float *fluxes)
{
    u32 i = thread_index();
    if (i >= n) return;
    state here = load(variables, i, n);
    float sum[VARIABLES] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
    for (u32 face = 0; face < FACES; face++) {
        int other = neighbours[i + face * n];
        float nx = normals[i + face * n], ny = normals[i + (face + FACES) * n], nz = normals[i + (face + 2 * FACES) * n];
        float length = sqrtf(nx * nx + ny * ny + nz * nz), a[VARIABLES], b[VARIABLES];
        if (other >= 0) { // another cell: the mean of both flows, and a little of their difference to keep it stable
            state there = load(variables, (u32)other, n);
            float along = here.velocity.x * nx + here.velocity.y * ny + here.velocity.z * nz;
            flow(here, along, nx, ny, nz, a);
            along = there.velocity.x * nx + there.velocity.y * ny + there.velocity.z * nz;
            flow(there, along, nx, ny, nz, b);
            float smooth = 0.1f * length * (sqrtf(here.speed2) + sqrtf(there.speed2) + here.sound + there.sound);
            sum[DENSITY] += smooth * (there.density - here.density) - 0.5f * (a[DENSITY] + b[DENSITY]);
            sum[MOMENTUM] += smooth * (there.momentum.x - here.momentum.x) - 0.5f * (a[MOMENTUM] + b[MOMENTUM]);
            sum[MOMENTUM + 1] += smooth * (there.momentum.y - here.momentum.y) - 0.5f * (a[MOMENTUM + 1] + b[MOMENTUM + 1]);
            sum[MOMENTUM + 2] += smooth * (there.momentum.z - here.momentum.z) - 0.5f * (a[MOMENTUM + 2] + b[MOMENTUM + 2]);
            sum[ENERGY] += smooth * (there.energy - here.energy) - 0.5f * (a[ENERGY] + b[ENERGY]);
        } else if (other == -1) { // a wall: pressure alone
            sum[MOMENTUM] -= nx * here.pressure;
            sum[MOMENTUM + 1] -= ny * here.pressure;
            sum[MOMENTUM + 2] -= nz * here.pressure;
        } else { // the far field
            state there = load(far_field, 0, 1);
            float along = here.velocity.x * nx + here.velocity.y * ny + here.velocity.z * nz;
            flow(here, along, nx, ny, nz, a);
            along = there.velocity.x * nx + there.velocity.y * ny + there.velocity.z * nz;
            flow(there, along, nx, ny, nz, b);
#pragma unroll
            for (u32 k = 0; k < VARIABLES; k++) sum[k] -= 0.5f * (a[k] + b[k]);
        }
    }
#pragma unroll
    for (u32 k = 0; k < VARIABLES; k++) fluxes[i + k * n] = sum[k];
}

// One stage of the Runge-Kutta step.
extern "C" __global__ void cfd_time_step(u32 stage, u32 n, const float *old, float *variables, const float *factors, const float *fluxes)
{
    u32 i = thread_index();
    if (i >= n) return;
    float factor = factors[i] / (float)(4 - stage);
#pragma unroll
    for (u32 k = 0; k < VARIABLES; k++) variables[i + k * n] = fmaf(factor, fluxes[i + k * n], old[i + k * n]);
}
