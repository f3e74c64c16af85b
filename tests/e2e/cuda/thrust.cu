/* Thrust and CUB, which choose their kernels by what cudaFuncGetAttributes says of the PTX's architecture. */
#include <cstdio>
#include <cub/device/device_reduce.cuh>
#include <thrust/device_vector.h>

int main()
{
    const int n = 1000;
    thrust::device_vector<int> numbers(n, 4), most(1, 0);
    numbers[700] = 999;
    size_t bytes = 0;
    void *scratch = nullptr;
    const int *in = thrust::raw_pointer_cast(numbers.data());
    int *out = thrust::raw_pointer_cast(most.data());
    cub::DeviceReduce::Max(scratch, bytes, in, out, n);
    cudaMalloc(&scratch, bytes);
    cub::DeviceReduce::Max(scratch, bytes, in, out, n);
    std::printf("%d\n", (int)most[0]);
    return 0;
}
