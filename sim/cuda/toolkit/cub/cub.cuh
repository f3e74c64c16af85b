/* cub: what programs use of CUDA's header library of that name, for poise cc. */
#ifndef POISE_CUB_CUB_CUH
#define POISE_CUB_CUB_CUH
#include "util.h"
#include "warp_moves.h"
#include "block.h"
#include "device.h"
#include "util_allocator.cuh"
#endif
