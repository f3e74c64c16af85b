// mm: MapReduce matrix multiplication, C = A B. A map task is one output element: its input record names a row of A and a
// column of B; B is stored by columns, as Mars prepares it. Lanes of a warp walk 32 columns of B (uncoalesced) and mostly
// one row of A; warps that work on the same columns share them.
#include "mapreduce.cuh"

// How many key/value pairs each task will emit.
extern "C" __global__ void mm_map_count(u32 *counts, u32 n_tasks)
{
    u32 task = thread_index();
    if (task < n_tasks) counts[task] = 1;
}

extern "C" __global__ void mm_map(const float *a, const float *b, u32 k_extent, u32 k_pitch, const u32 *tasks, const u32 *offsets, u32 *keys,
                                  float *values, u32 n_tasks)
{
    u32 task = thread_index();
    if (task >= n_tasks) return;
    u32 row = tasks[2 * task], column = tasks[2 * task + 1];
    const float *a_row = a + row * k_pitch, *b_column = b + column * k_pitch;
    float sum = dot(a_row, b_column, k_extent, 0.0f);
    u32 at = offsets[task];
    keys[2 * at] = row;
    keys[2 * at + 1] = column;
    values[at] = sum;
}
