// listrank: how far every node of a linked list is from the list's last node, by pointer jumping. A thread owns a node:
// it follows at most `jumps` pointers of the last round's list and writes where it arrived and how far that is, the
// pointer of the next round. Nodes lie in memory in random order, so each jump of a warp goes to 32 places.
#include "cuda_device.h"

// A pointer: the number of the node that it leads to, and how many nodes further that one is. The last node leads to
// itself.
struct __attribute__((aligned(8))) pointer { u32 next, distance; };

extern "C" __global__ void listrank_jump(const pointer *from, pointer *to, u32 jumps, u32 n)
{
    u32 node = thread_index();
    if (node >= n) return;
    pointer at = from[node];
    u32 before = node;
#pragma unroll 1
    for (u32 left = jumps - 1; left != 0 && at.next != before; left--) {
        pointer then = from[at.next];
        before = at.next;
        at.next = then.next;
        at.distance += then.distance;
    }
    to[node] = at;
}
