// dagmix: the search for a nonce as Ethash has it (the Ethereum project's specification): 64 times, a page of 128 bytes
// whose number is a hash of what was mixed so far is read out of a large table and mixed in. Eight lanes own a nonce,
// each with four of the 32 words of its mix; the lane that has the word that names the next page tells the others.
#include "cuda_device.h"
#include "mix.h"

#define THREADS 128

extern "C" __global__ void dag_search(const uint4 *dag, u32 pages, u32 first_nonce, u32 *mixes)
{
    __shared__ u32 next[THREADS / DAG_LANES];
    u32 thread = thread_index(), lane = threadIdx.x % DAG_LANES, *page = &next[threadIdx.x / DAG_LANES];
    u32 nonce = first_nonce + thread / DAG_LANES, seed = dag_seed(nonce, 0);
    u32 mix[4];
#pragma unroll
    for (u32 k = 0; k < 4; k++) mix[k] = dag_seed(nonce, 4 * lane + k);
#pragma unroll 1
    for (u32 read = 0; read < DAG_READS; read += 4) {
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            if (lane == read / 4 % DAG_LANES) *page = dag_fnv(seed ^ (read + k), mix[k]) % pages;
            __syncthreads();
            uint4 words = dag[*page * DAG_LANES + lane];
            __syncthreads();
            mix[0] = dag_fnv(mix[0], words.x);
            mix[1] = dag_fnv(mix[1], words.y);
            mix[2] = dag_fnv(mix[2], words.z);
            mix[3] = dag_fnv(mix[3], words.w);
        }
    }
    mixes[thread] = dag_fnv(dag_fnv(dag_fnv(mix[0], mix[1]), mix[2]), mix[3]);
}
