// ii: inverted index, URL -> documents that link to it. The MapReduce pipeline count, scan, emit, hash, group, sort.
// A map task scans its own chunk of the text four characters at a time (uncoalesced: a chunk is most of a line) for the
// mark that starts a link. A reduce task sorts one URL's postings.
#include "mapreduce.cuh"

#define MARK 0x3c3c3c3cu // '<'

// Bit 7 of each byte that is a mark. Exact for text below 128: no borrow runs between the bytes.
static inline __device__ u32 marks(u32 four) { return (0x80808080u - (four ^ MARK)) & 0x80808080u; }

extern "C" __global__ void ii_count(const u32 *text, u32 chunk_words, u32 *counts, u32 n_chunks)
{
    u32 task = thread_index();
    if (task >= n_chunks) return;
    u32 sums = 0; // four byte-wide counters
#pragma unroll 1
    for (const u32 *p = text + task * chunk_words, *end = p + chunk_words; p != end; p += 4) { // a multiple of 4
        sums += marks(p[0]) >> 7;
        sums += marks(p[1]) >> 7;
        sums += marks(p[2]) >> 7;
        sums += marks(p[3]) >> 7;
    }
    counts[task] = (sums & 255) + (sums >> 8 & 255) + (sums >> 16 & 255) + (sums >> 24);
}

// Where each link starts and which document it is in.
extern "C" __global__ void ii_emit(const u32 *text, u32 chunk_words, const u32 *counts, const u32 *offsets, const u32 *document_of,
                                   u32 *positions, u32 *documents, u32 n_chunks)
{
    u32 task = thread_index();
    if (task >= n_chunks || counts[task] == 0) return;
    u32 at = offsets[task], document = document_of[task], first = task * chunk_words;
#pragma unroll 1
    for (u32 i = first; i < first + chunk_words; i += 2) { // a multiple of 2
        u32 low = marks(text[i]), high = marks(text[i + 1]);
        if ((low | high) == 0) continue; // links are rare
        unsigned long long found = (unsigned long long)high << 32 | low;
#pragma unroll 1
        for (u32 byte = 4 * i; found != 0; byte++, found >>= 8) {
            if (found & 128) {
                positions[at] = byte;
                documents[at++] = document;
            }
        }
    }
}

// The key of each link: a hash of the URL's characters up to '>'.
extern "C" __global__ void ii_hash(const u8 *text, const u32 *positions, u32 *keys, u32 n)
{
    u32 link = thread_index();
    if (link >= n) return;
    u32 hash = 2166136261u;
#pragma unroll 1
    for (const u8 *p = text + positions[link] + 1; *p != '>'; p++) {
        hash = (hash ^ *p) * 16777619u;
        hash ^= hash >> 15;
    }
    keys[link] = hash ? hash : 1;
}

// Replaces record numbers by documents, ascending: one URL a thread, by insertion, for lists are short.
extern "C" __global__ void ii_sort(const u32 *start, u32 *postings, const u32 *documents, u32 n_slots)
{
    u32 slot = thread_index();
    if (slot >= n_slots) return;
    u32 first = start[slot], end = start[slot + 1];
#pragma unroll 1
    for (u32 i = first; i < end; i++) {
        u32 document = documents[postings[i]], k = i;
#pragma unroll 1
        for (; k > first && postings[k - 1] > document; k--) postings[k] = postings[k - 1];
        postings[k] = document;
    }
}
