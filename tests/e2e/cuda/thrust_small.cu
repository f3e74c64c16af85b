/* A little of Thrust and CUB from the host, and Thrust within a kernel, whatever the policy; thrust_and_cub.cu has the
 * rest, which takes a compiler minutes. */
#include <cstdio>
#include <cub/block/block_reduce.cuh>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};
__global__ void one_thread(int *x, int *y, int n)
{
    const int odd = (int)thrust::count_if(thrust::device, x, x + n, is_odd());
    thrust::sort(thrust::device, x, x + n);
    thrust::exclusive_scan(thrust::device, x, x + n, y);
    x[0] = odd;
}
__global__ void sum(const int *in, int *out)
{
    typedef cub::BlockReduce<int, 128> reduction;
    __shared__ typename reduction::TempStorage storage;
    const int all = reduction(storage).Sum(in[threadIdx.x]);
    if (threadIdx.x == 0) *out = all;
}

int main()
{
    const int n = 128;
    thrust::device_vector<int> x(n), y(n), all(1);
    for (int i = 0; i < n; i++) x[i] = n - 1 - i;
    int *px = thrust::raw_pointer_cast(x.data()), *py = thrust::raw_pointer_cast(y.data());
    const int squares = thrust::transform_reduce(x.begin(), x.end(), square(), 0, thrust::plus<int>());
    one_thread<<<1, 1>>>(px, py, n);
    sum<<<1, n>>>(py, thrust::raw_pointer_cast(all.data()));
    int sums = 0;
    for (int i = 0; i < n; i++) sums += i * (i - 1) / 2;
    const bool good = squares == 127 * 128 * 255 / 6 && x[0] == n / 2 && x[1] == 1 && y[n - 1] == 126 * 127 / 2 &&
                      all[0] == sums;
    std::printf(good ? "thrust_small ok\n" : "thrust_small: wrong\n");
    return !good;
}
