/* A part of CUDA's headers that cuda_runtime.h has. */
#include <cuda_runtime.h>
