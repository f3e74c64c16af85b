/* C, which C++ compilers refuse: the cast of void * and the name are proof. */
#include <cuda_runtime.h>
#include <stdlib.h>
int device_count(void)
{
    int *class = malloc(sizeof *class), n;
    struct cudaDeviceProp properties;
    const dim3 block = {32, 1, 1};
    if (!class || cudaGetDeviceCount(class) != cudaSuccess || cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
        return -1;
    n = properties.warpSize == (int)block.x ? *class : -1;
    free(class);
    return n;
}
