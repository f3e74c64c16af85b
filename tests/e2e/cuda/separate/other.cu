__device__ int counter = 0;
__constant__ float table[4];
static __device__ int own = 100;
static __device__ int helper(int x) { return x * own; }
template <class T> __device__ __noinline__ T both(T x) { return x * 2; }
__device__ float twice(float x) { return 2 * x; }
__global__ void other(int *out)
{
    out[threadIdx.x] = helper((int)threadIdx.x) + both(1);
    atomicAdd(&counter, 1);
}
