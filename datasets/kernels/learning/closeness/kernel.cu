// closeness: how many vertices lie within three hops when links fail, by breadth-first searches with marks and a queue of
// their own (local closeness; the failures as in C. Colbourn, The Combinatorics of Network Reliability, 1987). A thread owns
// a source and a scenario; mark v of all threads lies together, and so does place i of their queues.
#include "cuda_device.h"

typedef unsigned short u16;

extern "C" __global__ void count_within(const u32 *row, const u16 *col, u8 *marks, u16 *queues, u32 *counts, u32 vertices,
                                        u32 hops, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    const u32 scenario = thread / vertices * 2654435761u;
    u32 head = 0, tail = 1, end = 1; // places of the queue; `end`: where the next hop's vertices begin
    marks[thread % vertices * n + thread] = 1;
    queues[thread] = (u16)(thread % vertices);
#pragma unroll 1
    for (u32 hop = 0; hop < hops && head != tail; hop++) {
#pragma unroll 1
        for (; head != end; head++) {
            u32 v = queues[head * n + thread], last = row[v + 1];
#pragma unroll 1
            for (u32 e = row[v]; e != last; e++) {
                u32 to = col[e];
                if (marks[to * n + thread] || ((scenario + (v + to) * 40503u + v * to) * 2654435761u) >> 29 == 0) continue;
                marks[to * n + thread] = 1;
                queues[tail * n + thread] = (u16)to;
                tail++;
            }
        }
        end = tail;
    }
    counts[thread] = tail;
}
