// crftrace: the best label sequences of a linear-chain conditional random field, walked back through what Viterbi's
// forward pass chose (batches lie as that pass writes them: position, sequence, label). A thread owns a sequence.
#include "cuda_device.h"

extern "C" __global__ void crf_traceback(const u8 *back, const u8 *last, u8 *path, u32 positions, u32 labels, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    u32 label = last[thread];
    path += (positions - 1) * n + thread;
    back += ((unsigned long long)(positions - 1) * n + thread) * labels;
#pragma unroll 1
    for (u32 t = positions; --t != 0; back -= (unsigned long long)n * labels) {
        *path = (u8)label;
        path -= n;
        label = back[label];
    }
    *path = (u8)label;
}
