/* Of launches.cu: a kernel in a namespace and with template arguments, launched from a function of the device. */
#pragma once
namespace squares
{
template <int count, class T> __global__ void fill(T *out, T first)
{
    if (threadIdx.x < count) out[threadIdx.x] = (first + threadIdx.x) * (first + threadIdx.x);
}
} // namespace squares
template <int count> __device__ void squares_later(int *out, int first)
{
    if (threadIdx.x == 0)
        squares::fill<count, int> /* not <<<2, 2>>> */<<<dim3(1), (count + 31) / 32 * 32>>>(out, first);
}
__global__ void squares_of_both(int *out)
{
    squares_later<40>(out, 0);
    squares_later<10>(out + 40, 40);
}
