// lbm: one step of a lattice Boltzmann flow (D3Q19), as Parboil's: a block is a row of cells, a thread a cell. A thread reads its
// cell's 19 distributions and its flag, all coalesced, and writes each to the neighbour it streams to: 19 stores, some of them
// off by a cell, so that they straddle lines.
#include "cuda_device.h"
#include "lbm.h"

extern "C" __global__ void lbm_step(const float *from, float *to, int row, int layer, int cells, float omega, float push)
{
    int cell = (int)(threadIdx.x + blockIdx.x * row + blockIdx.y * layer);
    lbm_cell(from, to, cell, row, layer, cells, omega, push);
}
