// mummer: the longest matches of queries with a reference, over a suffix tree. A thread owns a query and walks the tree along its
// letters; to go on from the next letter it follows a suffix link and skips down again. Tree and texts are plain loads where
// mummergpu has textures.
#include "cuda_device.h"

#define LETTERS 5 // four bases and the end of the reference
// The edge to a node carries reference letters [start, end). Node 0 is the root and nobody's child: child 0 does not exist.
struct node { u32 parent, link, start, end, child[LETTERS]; };

// For every position of a query at which a match can be long enough: how long the longest is, and the node that its last edge
// leads to. `at` is the deepest node on the path of the `matched` letters, `depth` letters below the root.
extern "C" __global__ void mummer_match(const node *nodes, const u8 *reference, const u8 *queries, u32 n_queries, u32 length, u32 least,
                                        u32 *places, u32 *lengths)
{
    u32 query = thread_index(), at = 0, depth = 0, matched = 0;
    if (query >= n_queries) return;
    queries += query * length;
#pragma unroll 1
    for (u32 i = 0; i + least <= length; i++) {
        u32 below = at;
#pragma unroll 1
        while (i + depth < length) {
            u32 child = nodes[at].child[queries[i + depth]];
            if (child == 0) break;
            u32 start = nodes[child].start, edge = nodes[child].end - start, known = matched - depth;
            below = child;
            if (known < edge) { // letters that the suffix link did not vouch for
#pragma unroll 1
                while (known < edge && i + depth + known < length && reference[start + known] == queries[i + depth + known]) known++;
                matched = depth + known;
            }
            if (known < edge) break;
            at = child;
            depth += edge;
        }
        places[query * length + i] = depth == matched ? at : below;
        lengths[query * length + i] = matched;
        if (depth > 0) { // one letter less in front
            at = nodes[at].link;
            depth--;
        }
        if (matched > 0) matched--;
    }
}
