/* Thrust includes this header of CUDA's and uses nothing of it. The occupancy functions of the runtime API, which
 * programs call, are in cuda_runtime_api.h; cudaOccMaxActiveBlocksPerMultiprocessor and its like are not here. */
#include <cuda_runtime.h>
