// roipool: the maximum of each bin of regions of interest in maps of features (R. Girshick, "Fast R-CNN", ICCV 2015).
// A region is cut into 7 x 7 bins that overlap where it is no multiple of 7; a thread owns a bin of one map.
#include "cuda_device.h"

#define BINS 7

struct region {
    int x0, y0, width, height;
};

static __device__ int clipped(int at, int end) { return at < 0 ? 0 : at > end ? end : at; }

extern "C" __global__ void roi_pool(const float *maps, const region *regions, float *maxima, u32 *places, u32 channels,
                                    int height, int width, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    int bin_x = (int)(thread % BINS), bin_y = (int)(thread / BINS % BINS);
    u32 rest = thread / (BINS * BINS);
    const region *r = regions + rest / channels;
    const float *map = maps + rest % channels * (u32)(height * width);
    int x_first = clipped(r->x0 + bin_x * r->width / BINS, width);
    int x_end = clipped(r->x0 + ((bin_x + 1) * r->width + BINS - 1) / BINS, width);
    int y = clipped(r->y0 + bin_y * r->height / BINS, height);
    int y_end = clipped(r->y0 + ((bin_y + 1) * r->height + BINS - 1) / BINS, height);
    float most = -3.0e38f;
    int place = -1;
#pragma unroll 1
    for (; y < y_end; y++)
#pragma unroll 1
        for (int at = y * width + x_first, end = y * width + x_end; at < end; at++)
            if (map[at] > most) {
                most = map[at];
                place = at;
            }
    maxima[thread] = place < 0 ? 0.0f : most;
    places[thread] = (u32)place;
}
