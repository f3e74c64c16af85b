// lzcopy: decodes text that was coded block by block by J. Ziv and A. Lempel's method of 1977. A thread owns a block. A
// block is sequences of a byte whose upper half is the number of literals that follow and whose lower half, if it is
// not 0, is the length less 2 of a copy from the block's own text, whose distance back is the byte after the literals.
#include "cuda_device.h"

extern "C" __global__ void lz_decode(const u8 *coded, const u32 *start, u8 *text, u32 n_blocks, u32 block_bytes)
{
    u32 block = thread_index();
    if (block >= n_blocks) return;
    const u8 *in = coded + start[block];
    u8 *out = text + block * block_bytes, *end = out + block_bytes;
    while (out != end) {
        u32 token = *in++;
#pragma unroll 1
        for (u32 left = token / 16; left != 0; left--) *out++ = *in++;
        u32 length = token % 16;
        if (length == 0) continue;
        const u8 *from = out - *in++;
#pragma unroll 1
        for (length += 2; length != 0; length--) *out++ = *from++;
    }
}
