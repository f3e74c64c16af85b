// gco: graph colouring by rounds of maximal independent sets (Luby; Jones and Plassmann). In each round the uncoloured
// vertices whose priority exceeds that of all uncoloured neighbours are selected, and each of them then takes the smallest
// colour that no neighbour has. A thread owns a vertex and walks its adjacency list (uncoalesced); what it knows of a
// neighbour is in that vertex's property record, `words` words long: colour (0 = none), priority, selected.
#include "cuda_device.h"

#define COLOUR 0
#define PRIORITY 1
#define SELECTED 2

extern "C" __global__ void gco_select(const u32 *row, const u32 *col, u32 *records, u32 words, u32 n, u32 *remaining)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 *mine = records + v * words;
    if (mine[COLOUR] != 0) return;
    u32 priority = mine[PRIORITY], selected = 1, end = row[v + 1];
#pragma unroll 1
    for (u32 e = row[v]; e < end; e++) {
        const u32 *other = records + col[e] * words;
        if (other[COLOUR] == 0 && other[PRIORITY] > priority) {
            selected = 0;
            break;
        }
    }
    mine[SELECTED] = selected;
    if (!selected) *remaining = 1;
}

extern "C" __global__ void gco_assign(const u32 *row, const u32 *col, u32 *records, u32 words, u32 n)
{
    u32 v = thread_index();
    if (v >= n) return;
    u32 *mine = records + v * words;
    if (mine[SELECTED] == 0 || mine[COLOUR] != 0) return;
    u32 first = row[v], end = row[v + 1], base = 1;
    for (;; base += 32) { // 32 colours at a time; selected vertices are no neighbours, so no neighbour changes meanwhile
        u32 taken = 0;
#pragma unroll 1
        for (u32 e = first; e < end; e++) {
            u32 bit = records[col[e] * words + COLOUR] - base;
            if (bit < 32) taken |= 1u << bit;
        }
        if (taken == ~0u) continue;
        u32 colour = base;
        for (; taken & 1; taken >>= 1) colour++;
        mine[COLOUR] = colour;
        return;
    }
}
