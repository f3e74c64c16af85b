// mri-q: the matrix Q of a non-Cartesian MRI reconstruction, as Parboil's. mriq_magnitude squares the samples' phases;
// mriq_sum adds the contribution of one chunk of samples (in constant memory: all threads read the same one at a time) to
// every voxel, a thread a voxel. Compute-bound: a sine and a cosine for each pair.
#include "cuda_device.h"
#include "exact_math.h"

#define CHUNK 1024

struct mriq_sample { float kx, ky, kz, magnitude; };
extern "C" {
__constant__ mriq_sample mriq_chunk[CHUNK];
}

extern "C" __global__ void mriq_magnitude(const float *re, const float *im, float *magnitude, u32 n)
{
    u32 k = thread_index();
    if (k < n) magnitude[k] = fmaf(re[k], re[k], im[k] * im[k]);
}

extern "C" __global__ void mriq_sum(const float *x, const float *y, const float *z, float *q_re, float *q_im, u32 n_samples, u32 n)
{
    u32 voxel = thread_index();
    if (voxel >= n) return;
    float vx = x[voxel], vy = y[voxel], vz = z[voxel], re = q_re[voxel], im = q_im[voxel], sine, cosine;
#pragma unroll 1
    for (u32 k = 0; k < n_samples; k++) {
        exact_sincos_turns(fmaf(mriq_chunk[k].kx, vx, fmaf(mriq_chunk[k].ky, vy, mriq_chunk[k].kz * vz)), &sine, &cosine);
        re = fmaf(mriq_chunk[k].magnitude, cosine, re);
        im = fmaf(mriq_chunk[k].magnitude, sine, im);
    }
    q_re[voxel] = re;
    q_im[voxel] = im;
}
