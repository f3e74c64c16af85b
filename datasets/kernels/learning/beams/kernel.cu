// beams: how well a laser scan fits a map, for every particle of a Monte-Carlo localisation, by the map's field of
// likelihoods (S. Thrun, W. Burgard and D. Fox, Probabilistic Robotics, 2005). A thread owns a particle: the ends of all
// beams, which all threads share, are turned and moved by its pose and looked up in the field.
#include "cuda_device.h"

#define BEAMS_MAX 1024

extern "C" {
__constant__ float2 beam_ends[BEAMS_MAX]; // in cells, in the robot's own frame
}

extern "C" __global__ void weigh_particles(const float *field, const float4 *poses, float *weights, u32 beams,
                                           float width, float height, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    float4 pose = poses[thread]; // x, y, cosine, sine
    const u32 pitch = (u32)width;
    float weight = 1.0f;
#pragma unroll 1
    for (u32 i = 0; i < beams; i++) {
        float2 end = beam_ends[i];
        float x = fmaf(pose.z, end.x, fmaf(-pose.w, end.y, pose.x));
        float y = fmaf(pose.w, end.x, fmaf(pose.z, end.y, pose.y));
        if (!(x >= 0.0f && x < width && y >= 0.0f && y < height)) continue;
        float likelihood = field[(u32)y * pitch + (u32)x];
        weight = fmaf(likelihood * likelihood, likelihood, weight);
    }
    weights[thread] = weight;
}
