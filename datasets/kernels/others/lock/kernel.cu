// lock: a hash table of linked lists, each with a spin lock. A thread inserts one key: it takes the lock of the key's bucket by
// atomicCAS, links its entry in front, and releases it. The warp goes round together until all its lanes are done, so that a lane
// that holds a lock is never kept waiting by one that wants it, whatever the compiler does.
#include "cuda_device.h"

extern "C" __global__ void lock_insert(const u32 *keys, u32 *locks, u32 *heads, u32 *nexts, u32 *lengths, u32 mask, u32 n)
{
    u32 i = thread_index(), bucket = i < n ? keys[i] & mask : 0;
    bool waits = i < n;
    do {
        if (waits && atomicCAS(&locks[bucket], 0, 1) == 0) {
            nexts[i] = *(volatile u32 *)&heads[bucket];
            *(volatile u32 *)&heads[bucket] = i;
            *(volatile u32 *)&lengths[bucket] = *(volatile u32 *)&lengths[bucket] + 1;
            __threadfence();
            atomicExch(&locks[bucket], 0);
            waits = false;
        }
    } while (__any_sync(~0u, waits));
}
