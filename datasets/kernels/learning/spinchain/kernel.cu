// spinchain: the Hamiltonian of a Heisenberg ring of spins 1/2, half of them up, applied to a vector, as Lanczos'
// method does again and again. A thread owns a state: each pair of opposite neighbouring spins, exchanged, makes another
// state, whose rank is the sum of two table entries, one for its lower eight sites and one for the others (H. Lin,
// Physical Review B 1990).
#include "cuda_device.h"

#define LOW_SITES 8

extern "C" __global__ void heisenberg(const u32 *states, const u8 *low, const u32 *high, const double *x, double *y,
                                      u32 sites, u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    const u32 own = states[thread];
    u32 pair = 1u | 1u << (sites - 1);
    double sum = 0.0, diagonal = 0.25 * sites;
#pragma unroll 1
    for (u32 site = 0; site < sites; site++) {
        u32 bits = own & pair;
        if (bits != 0 && bits != pair) {
            u32 other = own ^ pair;
            sum += x[low[other & ((1u << LOW_SITES) - 1)] + high[other >> LOW_SITES]];
            diagonal -= 0.5;
        }
        pair = 3u << site;
    }
    y[thread] = fma(0.5, sum, diagonal * x[thread]);
}
