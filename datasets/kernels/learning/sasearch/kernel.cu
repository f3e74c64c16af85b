// sasearch: where patterns stand in a text, by its suffix array (U. Manber and G. Myers, SODA 1990). A thread owns a
// pattern and bisects: how many suffixes are smaller than it. A pattern is 2 bits a base, the first in the lowest bits;
// the text is a byte a base and ends in a symbol above all of them.
#include "cuda_device.h"

extern "C" __global__ void sa_search(const u8 *text, const u32 *suffix, u32 n_suffixes,
                                     const unsigned long long *patterns, const u8 *lengths, u32 *smaller, u32 n)
{
    u32 i = thread_index();
    if (i >= n) return;
    unsigned long long pattern = patterns[i];
    u32 length = lengths[i], low = 0, high = n_suffixes;
#pragma unroll 1
    while (low < high) {
        u32 middle = (low + high) / 2, left = length, symbol, base;
        const u8 *at = text + suffix[middle];
        unsigned long long rest = pattern;
#pragma unroll 1
        do {
            symbol = *at++;
            base = (u32)rest & 3;
            rest >>= 2;
        } while (symbol == base && --left != 0);
        if (symbol < base) low = middle + 1;
        else high = middle;
    }
    smaller[i] = low;
}
