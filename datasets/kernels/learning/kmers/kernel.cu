// kmers: which 11-mers of reads are rare, by a table of all of them: where a base was read wrongly, up to eleven rare
// ones follow each other (P. Pevzner, H. Tang and M. Waterman, PNAS 2001). A thread owns a read, 2 bits a base; its key
// shifts by a base at a time.
#include "cuda_device.h"

#define K 11
#define MASK ((1u << 2 * K) - 1)
#define RARE 3

// words: of a read, 16 bases each. The result is the number of rare 11-mers and, in the upper half, the most that
// follow each other.
extern "C" __global__ void kmers_rare(const u32 *reads, const u8 *counts, u32 *rare, u32 words, u32 n)
{
    u32 read = thread_index();
    if (read >= n) return;
    const u32 *own = reads + read * words;
    u32 key = 0, number = 0, run = 0, longest = 0, bases = 16 * words, word = 0;
#pragma unroll 1
    for (u32 base = 0; base < bases; base++, word >>= 2) {
        if (base % 16 == 0) word = own[base / 16];
        key = (key << 2 | (word & 3)) & MASK;
        if (base + 1 < K) continue;
        bool is_rare = counts[key] < RARE;
        run = is_rare ? run + 1 : 0;
        number += is_rare;
        longest = longest > run ? longest : run;
    }
    rare[read] = number | longest << 16;
}
