/* Part of cub. */
#include <cub/cub.cuh>
