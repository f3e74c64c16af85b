// embedding: sums of rows of a table, as the lookups of a recommender's sparse features. A warp owns a sample and reads
// its rows one after another whole, two columns a lane; the list of rows is the same for all lanes and is read four
// entries at a time.
#include "cuda_device.h"

#define LANES 32
#define QUADS 4 // of rows a sample

struct row {
    float2 column[LANES];
};

static inline __device__ void add(float2 &sum, const float2 &a)
{
    sum.x += a.x;
    sum.y += a.y;
}

extern "C" __global__ void embedding_sum(const row *table, const uint4 *rows, row *sums, u32 samples)
{
    u32 sample = thread_index() / LANES, lane = threadIdx.x % LANES;
    if (sample >= samples) return;
    const row *own = (const row *)&table->column[lane]; // its column 0 is this lane's
    float2 sum;
    sum.x = sum.y = 0.0f;
    const uint4 *list = rows + sample * QUADS;
#pragma unroll
    for (u32 i = 0; i < QUADS; i++) {
        uint4 q = list[i]; // four rows are asked for before the first is needed
        float2 a = own[q.x].column[0], b = own[q.y].column[0];
        float2 c = own[q.z].column[0], d = own[q.w].column[0];
        add(sum, a);
        add(sum, b);
        add(sum, c);
        add(sum, d);
    }
    sums[sample].column[lane] = sum;
}
