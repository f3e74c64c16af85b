// hashjoin: an equi-join by an open-addressing hash table. hashjoin_build inserts the tuples of the small relation, a
// thread a tuple; hashjoin_probe looks up the foreign keys of the large one, a thread a key at a time, and writes what
// the tuple that it joins with costs. A slot is a tuple, 16 bytes; a key of 0 marks an empty slot; collisions go to the
// next slot. The last home has spare slots behind it, so that no search wraps around.
#include "cuda_device.h"

#define EMPTY 0u
#define NO_MATCH 0xffffffffu

struct __attribute__((aligned(16))) tuple { u32 key, price, quantity, discount; };

// Fibonacci hashing: the upper bits of a product.
static inline __device__ u32 home(u32 key, u32 shift) { return key * 2654435769u >> shift; }

extern "C" __global__ void hashjoin_build(const tuple *tuples, tuple *table, u32 shift, u32 n)
{
    u32 i = thread_index();
    if (i >= n) return;
    tuple t = tuples[i], *slot = table + home(t.key, shift);
#pragma unroll 1
    while (atomicCAS(&slot->key, EMPTY, t.key) != EMPTY) slot++;
    slot->price = t.price;
    slot->quantity = t.quantity;
    slot->discount = t.discount;
}

extern "C" __global__ void hashjoin_probe(const u32 *probes, const tuple *table, u32 *costs, u32 shift, u32 n)
{
#pragma unroll 1
    for (u32 i = thread_index(); i < n; i += gridDim.x * blockDim.x) {
        u32 key = probes[i], found;
        const tuple *slot = table + home(key, shift);
#pragma unroll 1
        while ((found = slot->key) != key && found != EMPTY) slot++;
        costs[i] = found == key ? slot->price * slot->quantity - slot->discount : NO_MATCH;
    }
}
