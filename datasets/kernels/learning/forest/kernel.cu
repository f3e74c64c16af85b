// forest: what a random forest says about samples. A thread owns a sample and walks down the trees of one group
// (blockIdx.y); forest_mean then adds the groups. Trees are complete and stored level by level: the children of node i
// are 2 i + 1 and 2 i + 2. Attributes are whole numbers below 256, stored one after the other for all samples; a block
// keeps its samples' own.
#include "cuda_device.h"

#define THREADS 256
#define ATTRIBUTES 32
#define LEAF 0xffffffffu

// A split is attribute * 256 + threshold: samples go right where the attribute is at least the threshold.
struct node {
    u32 split;
    float value;
};

extern "C" __global__ void forest_walk(const struct node *nodes, const u32 *roots, const u8 *attributes, float *sums,
                                       u32 n_samples, u32 group_trees)
{
    __shared__ u8 own[ATTRIBUTES * THREADS];
    u32 sample = thread_index();
    if (sample >= n_samples) return;
    attributes += sample;
#pragma unroll 4
    for (u32 at = threadIdx.x; at < ATTRIBUTES * THREADS; at += THREADS, attributes += n_samples) own[at] = *attributes;
    const u32 *root = roots + blockIdx.y * group_trees;
    float sum = 0.0f;
#pragma unroll 1
    for (const u32 *end = root + group_trees; root != end; root++) {
        const struct node *tree = nodes + *root;
        u32 i = 0;
#pragma unroll 1
        for (u32 split = tree[0].split; split != LEAF; split = tree[i].split) {
            u32 right = own[split / 256 * THREADS + threadIdx.x] >= split % 256;
            i = 2 * i + 1 + right;
        }
        sum += tree[i].value;
    }
    sums[blockIdx.y * n_samples + sample] = sum;
}

extern "C" __global__ void forest_mean(const float *sums, float *means, u32 n_samples, u32 groups, float n_trees)
{
    u32 sample = thread_index();
    if (sample >= n_samples) return;
    float sum = 0.0f;
#pragma unroll 1
    for (u32 at = sample; at < groups * n_samples; at += n_samples) sum += sums[at];
    means[sample] = sum / n_trees;
}
