/* Part of cub. */
#include "cub.cuh"
