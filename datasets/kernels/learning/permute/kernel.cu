// permute: records in the order of a permutation, out[i] = in[permutation[i]]. A thread moves one record of 32 bytes as
// two halves of 16.
#include "cuda_device.h"

struct __attribute__((aligned(16))) half { u32 words[4]; };
struct record { half low, high; };

extern "C" __global__ void permute_gather(const record *in, const u32 *permutation, record *out, u32 n)
{
    u32 i = thread_index();
    if (i >= n) return;
    const record *from = in + permutation[i];
    half low = from->low, high = from->high;
    out[i].low = low;
    out[i].high = high;
}
