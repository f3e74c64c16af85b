// swalign: Smith-Waterman scores of short reads, each against its own window of a reference. A thread owns a read and
// keeps the last row of its table in global memory: four cells at a time are read, computed from the ones before, and
// written back. A launch adds `rows` rows to every table.
#include "cuda_device.h"

#define MATCH 2
#define MISMATCH (-3)
#define GAP 4
#define QUADS_MAX 19u // of four bases, or of their cells: reads have up to 76

struct __attribute__((aligned(8))) cells { unsigned short h[4]; };

static inline __device__ int larger(int a, int b) { return a > b ? a : b; }

// A byte of a read is four bases of 2 bits.
extern "C" __global__ void swalign_rows(const u8 *reads, const u8 *quads, const u8 *reference, const u32 *windows,
                                        cells *tables, int *best, u32 first, u32 rows, u32 n)
{
    u32 read = thread_index();
    if (read >= n) return;
    const u8 *bases = reads + read * QUADS_MAX;
    cells *table = tables + read * QUADS_MAX;
    u32 at = windows[read] + first, n_quads = quads[read];
    int highest = best[read];
#pragma unroll 1
    for (u32 end = at + rows; at != end; at++) {
        u32 base = reference[at] * 0x55u; // in all four places
        int diagonal = 0, left = 0;
#pragma unroll 1
        for (u32 q = 0; q != n_quads; q++) {
            u32 difference = bases[q] ^ base;
            cells row = table[q];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                int up = row.h[k], score = difference >> 2 * k & 3u ? MISMATCH : MATCH;
                left = larger(larger(diagonal + score, 0), larger(up, left) - GAP);
                diagonal = up;
                row.h[k] = (unsigned short)left;
                highest = larger(highest, left);
            }
            table[q] = row;
        }
    }
    best[read] = highest;
}
