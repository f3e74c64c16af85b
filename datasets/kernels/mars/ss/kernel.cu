// ss: similarity score, the cosine similarity of every pair of documents' feature vectors. A map task is one pair; the
// lanes of a warp walk the vectors of 32 different second documents (uncoalesced) and mostly one first document.
#include "mapreduce.cuh"

extern "C" __global__ void ss_norms(const float *vectors, float *norms, u32 n_features, u32 pitch, u32 n_documents)
{
    u32 document = thread_index();
    if (document >= n_documents) return;
    const float *v = vectors + document * pitch;
    norms[document] = sqrtf(dot(v, v, n_features, 0.0f));
}

extern "C" __global__ void ss_map(const float *vectors, const float *norms, u32 n_features, u32 pitch, const u32 *pairs, float *scores, u32 n_pairs)
{
    u32 pair = thread_index();
    if (pair >= n_pairs) return;
    u32 first = pairs[2 * pair], second = pairs[2 * pair + 1];
    const float *a = vectors + first * pitch, *b = vectors + second * pitch;
    scores[pair] = dot(a, b, n_features, 0.0f) / (norms[first] * norms[second]);
}

// Which pairs are similar enough to be emitted.
extern "C" __global__ void ss_count(const float *scores, float threshold, u32 *counts, u32 n_pairs)
{
    u32 pair = thread_index();
    if (pair < n_pairs) counts[pair] = scores[pair] >= threshold ? 1 : 0;
}

extern "C" __global__ void ss_emit(const u32 *counts, const u32 *offsets, u32 *emitted, u32 n_pairs)
{
    u32 pair = thread_index();
    if (pair < n_pairs && counts[pair]) emitted[offsets[pair]] = pair;
}
