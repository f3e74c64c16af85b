// gco: graph colouring by rounds of maximal independent sets (Luby; Jones and Plassmann). In each round the uncoloured
// vertices whose priority exceeds that of all uncoloured neighbours are selected, and each of them then takes the smallest
// colour that no neighbour has. A thread owns a vertex and walks its adjacency list (uncoalesced); what it knows of a
// neighbour is in that vertex's property record, `words` words long (an
// entry of col is where a neighbour's record starts): priority (0 once coloured), colour, selected.
#include "cuda_device.h"

#define PRIORITY 0
#define COLOUR 1
#define SELECTED 2

extern "C" __global__ void gco_select(const u32 *row, const u32 *col, u32 *records, u32 words, u32 n, u32 *remaining)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 *mine = records + v * words;
    u32 priority = mine[PRIORITY], highest = 0;
    if (priority == 0) return;
#pragma unroll 1
    for (const u32 *edge = col + row[v], *end = col + row[v + 1]; edge != end; edge++) {
        u32 other = records[*edge + PRIORITY];
        highest = other > highest ? other : highest;
    }
    mine[SELECTED] = priority > highest;
    if (priority < highest) *remaining = 1;
}

extern "C" __global__ void gco_assign(const u32 *row, const u32 *col, u32 *records, u32 words, u32 n)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 *mine = records + v * words;
    if (mine[SELECTED] == 0 || mine[PRIORITY] == 0) return;
    const u32 *first = col + row[v], *end = col + row[v + 1];
    for (u32 base = 1;; base += 32) { // 32 colours at a time; selected vertices are no neighbours, so no neighbour changes
        u32 taken = 0;
#pragma unroll 1
        for (const u32 *edge = first; edge != end; edge++) {
            u32 bit = records[*edge + COLOUR] - base;
            if (bit < 32) taken |= 1u << bit;
        }
        if (taken == ~0u) continue;
        u32 colour = base;
        for (; taken & 1; taken >>= 1) colour++;
        mine[COLOUR] = colour;
        mine[PRIORITY] = 0;
        return;
    }
}
