/* Host code: the CUDA headers serve plain C++ too. */
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#ifdef __CUDACC__
#error "a .cpp file is not CUDA"
#endif
extern "C" int device_count(void);
int offset(int x);
void twice(float4 *x, int n, cudaStream_t stream);
__host__ __device__ static inline int successor(int x) { return x + 1; }

int main()
{
    std::vector<float4> host(64, make_float4(1, 2, 3, 4));
    float4 *device;
    dim3 grid(2, 3);
    if (cudaMalloc(&device, 64 * sizeof *device) != cudaSuccess) return 1;
    cudaMemcpy(device, host.data(), 64 * sizeof *device, cudaMemcpyHostToDevice);
    twice(device, 64, 0);
    cudaMemcpy(host.data(), device, 64 * sizeof *device, cudaMemcpyDeviceToHost);
    const int answer = successor(offset(device_count()));
    std::printf("%g %g %d %u\n", host[63].w, host[0].x, answer, grid.z);
    return !(host[63].w == 8 && host[0].x == 2 && answer == 9 && grid.z == 1);
}
