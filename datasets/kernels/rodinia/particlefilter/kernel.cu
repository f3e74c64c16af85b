// particlefilter: tracks a disc through a noisy film with a cloud of particles, four kernels a frame as in Rodinia's float version.
// A thread owns a particle; grid.y = tracker. A pixel of the film is (x * side + y) * frames + frame, one byte.
#include "exact_math.h"

#define BLOCK 128

// A linear congruential generator for every particle.
static inline __device__ float uniform(u32 *seed)
{
    *seed = (1103515245u * *seed + 12345u) & 0x7fffffffu;
    return ((float)(*seed >> 7) + 0.5f) * (1.0f / 16777216.0f);
}

static inline __device__ double normal(u32 *seed)
{
    float u = uniform(seed), v = uniform(seed);
    return (double)(exact_cos(6.28318531f * v) * sqrtf(-2.0f * exact_log(u)));
}

// Moves each particle and weighs it by the pixels below its disc; the block's sum of weights.
extern "C" __global__ void particle_likelihood(double *x, double *y, const double *from_x, const double *from_y, u32 *places,
                                               const int *disc, const u8 *film, double *weights, double *partial, u32 *seeds,
                                               u32 particles, u32 n_disc, u32 side, u32 frames, u32 frame)
{
    __shared__ double buffer[BLOCK];
    u32 particle = particles * blockIdx.y + thread_index();
    x[particle] = from_x[particle] + 1.0 + 5.0 * normal(&seeds[particle]);
    y[particle] = from_y[particle] - 2.0 + 2.0 * normal(&seeds[particle]);
    __syncthreads();
    int centre_x = (int)(x[particle] + 0.5), centre_y = (int)(y[particle] + 0.5);
    u32 n_pixels = side * side * frames;
#pragma unroll 1
    for (u32 i = 0; i < n_disc; i++) {
        int at = ((centre_x + disc[2 * i + 1]) * (int)side + centre_y + disc[2 * i]) * (int)frames + (int)frame;
        u32 place = (u32)(at < 0 ? -at : at);
        places[particle * n_disc + i] = place < n_pixels ? place : 0;
    }
    double sum = 0.0;
#pragma unroll 1
    for (u32 i = 0; i < n_disc; i++) {
        int pixel = film[places[particle * n_disc + i]];
        sum += (double)((pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228)) / 50.0;
    }
    double weight = 1.0 / particles * exact_exp_double(sum / n_disc);
    weights[particle] = weight;
    buffer[threadIdx.x] = weight;
    __syncthreads();
#pragma unroll 1
    for (u32 step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) buffer[threadIdx.x] += buffer[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = buffer[0];
}

// The sum of all weights of a tracker; a block a tracker, one thread works.
extern "C" __global__ void particle_sum(double *partial, u32 n_partial)
{
    if (threadIdx.x != 0) return;
    double sum = 0.0;
#pragma unroll 1
    for (u32 i = 0; i < n_partial; i++) sum += partial[blockIdx.x * n_partial + i];
    partial[blockIdx.x * n_partial] = sum;
}

// Normal weights, their running sum (one thread), and the comb of resampling points. A block a tracker.
extern "C" __global__ void particle_normalise(double *weights, const double *partial, double *running, double *comb, u32 *seeds,
                                              u32 particles, u32 n_partial)
{
    __shared__ double total, first;
    u32 mine = particles * blockIdx.x + threadIdx.x, begin = particles * blockIdx.x;
    if (threadIdx.x == 0) total = partial[blockIdx.x * n_partial];
    __syncthreads();
    weights[mine] = weights[mine] / total;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0.0;
#pragma unroll 1
        for (u32 i = 0; i < particles; i++) {
            sum += weights[begin + i];
            running[begin + i] = sum;
        }
        first = (double)uniform(&seeds[begin]) / particles;
    }
    __syncthreads();
    comb[mine] = first + (double)threadIdx.x / particles;
}

// Every thread walks the running sum to its point of the comb: the particle to go on with.
extern "C" __global__ void particle_find(const double *x, const double *y, const double *running, const double *comb, double *to_x,
                                         double *to_y, u32 particles)
{
    u32 begin = particles * blockIdx.y, mine = begin + thread_index(), index = particles - 1;
#pragma unroll 1
    for (u32 i = 0; i < particles; i++)
        if (running[begin + i] >= comb[mine]) {
            index = i;
            break;
        }
    to_x[mine] = x[begin + index];
    to_y[mine] = y[begin + index];
}
