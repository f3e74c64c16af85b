// nn: the distance of every record to a place. A thread owns a record, a pair of floats; neighbouring lanes read neighbours.
#include "cuda_device.h"

struct place { float latitude, longitude; };

extern "C" __global__ void nn_distance(const place *records, float *distances, u32 n, float latitude, float longitude)
{
    u32 i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (i >= n) return;
    float dy = latitude - records[i].latitude, dx = longitude - records[i].longitude;
    distances[i] = sqrtf(fmaf(dx, dx, dy * dy));
}
