// wc: word count as MapReduce. A map task is a chunk of text: the thread walks it byte by byte (uncoalesced), counts the words that
// start in it, and in a second pass emits each word's key (a hash of its letters); grouping by key; a reduce task is one word.
#include "mapreduce.cuh"

static inline __device__ bool is_letter(u8 c) { return c != ' '; }

extern "C" __global__ void wc_count(const u8 *text, u32 chunk, u32 *counts, u32 n)
{
    u32 task = thread_index();
    if (task >= n) return;
    u32 words = 0;
    bool before = task > 0 && is_letter(text[task * chunk - 1]);
#pragma unroll 1
    for (const u8 *p = text + task * chunk, *end = p + chunk; p != end; p++) {
        bool letter = is_letter(*p);
        words += letter && !before;
        before = letter;
    }
    counts[task] = words;
}

// A word may run on past its chunk; the text ends with a blank.
extern "C" __global__ void wc_emit(const u8 *text, u32 chunk, const u32 *counts, const u32 *offsets, u32 *keys, u32 n)
{
    u32 task = thread_index();
    if (task >= n || counts[task] == 0) return;
    u32 at = offsets[task], last = at + counts[task];
    const u8 *p = text + task * chunk;
    if (task > 0)
        while (is_letter(p[-1]) && is_letter(*p)) p++;
#pragma unroll 1
    for (; at < last; at++) {
        while (!is_letter(*p)) p++;
        u32 hash = 2166136261u;
#pragma unroll 1
        for (; is_letter(*p); p++) hash = (hash ^ *p) * 16777619u;
        hash ^= hash >> 15;
        keys[at] = hash ? hash : 1;
    }
}

extern "C" __global__ void wc_reduce(const u32 *start, const u32 *order, u32 *totals, u32 n_slots)
{
    u32 slot = thread_index();
    if (slot >= n_slots) return;
    u32 sum = 0;
#pragma unroll 1
    for (u32 i = start[slot], end = start[slot + 1]; i < end; i++) sum += order[i] != ~0u; // each value is 1
    totals[slot] = sum;
}
