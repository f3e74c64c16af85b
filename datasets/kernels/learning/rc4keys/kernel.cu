// rc4keys: the search for a key of RC4, 40 bits long, as the ciphers of old documents have it. A thread owns a key: it
// shuffles the numbers 0 to 255 by it and keeps the first four bytes that follow. Byte i of a thread is in word i / 4,
// and word k of all threads lies together, as local memory would have it.
#include "cuda_device.h"

#define BYTES 256

static __device__ u8 *entry(u8 *own, u32 i, u32 pitch) { return own + (i >> 2) * pitch + (i & 3); }

extern "C" __global__ void rc4_streams(u8 *states, u32 *streams, u32 first_key, u32 n)
{
    u32 thread = thread_index(), pitch = 4 * n;
    if (thread >= n) return;
    u8 *own = states + 4 * thread;
    unsigned long long key = 0x6500000000ull | (first_key + thread);
#pragma unroll 1
    for (u32 i = 0; i < BYTES; i += 4) *(u32 *)entry(own, i, pitch) = 0x03020100u + i * 0x01010101u;
    u32 j = 0;
#pragma unroll 1
    for (u32 i = 0; i < BYTES; i++) {
        u8 *a = entry(own, i, pitch), a_is = *a;
        j = (j + a_is + (u32)key) & 255;
        key = key >> 8 | (key & 255) << 32;
        u8 *b = entry(own, j, pitch);
        *a = *b;
        *b = a_is;
    }
    u32 stream = 0;
    j = 0;
#pragma unroll 1
    for (u32 i = 1; i <= 4; i++) {
        u8 *a = entry(own, i, pitch), a_is = *a;
        j = (j + a_is) & 255;
        u8 *b = entry(own, j, pitch), b_is = *b;
        *a = b_is;
        *b = a_is;
        stream = stream << 8 | *entry(own, (u32)(a_is + b_is) & 255, pitch);
    }
    streams[thread] = stream;
}
