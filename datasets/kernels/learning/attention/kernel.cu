// attention: scores of local attention, the products of a query with the keys in a window around its own place. A
// thread owns a query of one head; a block keeps its queries in shared memory, turned so that a warp reads 32 quads
// side by side. Keys are read where they are: the lanes of a warp begin at neighbouring rows and move on by one row
// together.
#include "cuda_device.h"

#define BLOCK 128
#define QUADS 8 // of a row: 32 floats, 128 bytes

struct __attribute__((aligned(16))) quad { float x, y, z, w; };
struct __attribute__((aligned(8))) window { u32 first, rows; };

static __shared__ quad tile[QUADS][BLOCK];

// Scores of a head are a table of window_max rows of n queries, so that the lanes of a warp write side by side. n is a
// multiple of BLOCK.
extern "C" __global__ void attention_scores(const quad *queries, const quad *keys, const window *windows, float *scores,
                                            u32 n, u32 window_max, float scale)
{
    u32 head = blockIdx.y * n, query = head + thread_index(), thread = threadIdx.x;
    const quad *mine = queries + (query - thread) * QUADS;
#pragma unroll 1
    for (u32 i = thread; i < BLOCK * QUADS; i += BLOCK) tile[i % QUADS][i / QUADS] = mine[i];
    __syncthreads();

    window in = windows[query];
    const quad *key = keys + (head + in.first) * QUADS;
    float *score = scores + head * window_max + query - head;
#pragma unroll 1
    for (u32 left = in.rows; left != 0; left--) {
        float sum = 0.0f;
#pragma unroll
        for (u32 i = 0; i < QUADS; i++) {
            quad k = key[i], q = tile[i][thread];
            sum = fmaf(q.x, k.x, sum);
            sum = fmaf(q.y, k.y, sum);
            sum = fmaf(q.z, k.z, sum);
            sum = fmaf(q.w, k.w, sum);
        }
        *score = sum * scale;
        score += n;
        key += QUADS;
    }
}
