// sm: string match as MapReduce without reduce. A map task is a line of text: the thread scans its line for a keyword byte by byte
// (uncoalesced) and counts, then emits, where it is found.
#include "mapreduce.cuh"

// How often the keyword occurs from first up to end. Overlapping occurrences count.
static inline __device__ u32 matches(const u8 *text, u32 first, u32 end, const u8 *keyword, u32 length, u32 *positions)
{
    u32 n = 0;
#pragma unroll 1
    for (u32 at = first; at + length <= end; at++) {
        u32 k = 0;
#pragma unroll 1
        while (k < length && text[at + k] == keyword[k]) k++;
        if (k < length) continue;
        if (positions) positions[n] = at;
        n++;
    }
    return n;
}

extern "C" __global__ void sm_count(const u8 *text, const u32 *lines, const u8 *keyword, u32 length, u32 *counts, u32 n)
{
    u32 task = thread_index();
    if (task < n) counts[task] = matches(text, lines[task], lines[task + 1], keyword, length, 0);
}

extern "C" __global__ void sm_emit(const u8 *text, const u32 *lines, const u8 *keyword, u32 length, const u32 *counts, const u32 *offsets,
                                   u32 *positions, u32 n)
{
    u32 task = thread_index();
    if (task < n && counts[task]) matches(text, lines[task], lines[task + 1], keyword, length, positions + offsets[task]);
}
