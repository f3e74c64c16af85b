#include <cstdio>
#include <cuda_runtime.h>
static __device__ int counter = 1;
static __constant__ float table[4] = {1,2,3,4};
__device__ int shared_by_all = 5;
__constant__ int also_const = 7;
static __device__ int helper(int x) { return x + counter; }
static __global__ void k(int *o) { o[0] = helper(1); o[1] = (int)table[2]; counter += 10; o[2] = shared_by_all + also_const; }
extern int run_b(int *o);
namespace { __device__ int anon = 3; __constant__ int anonc[2] = {8,9}; __global__ void anonk(int*o){o[0]=anon+anonc[1];} }
int main() {
  int *o, h[3], c = 100; float t[4] = {10,20,30,40};
  cudaMalloc(&o, 12);
  cudaMemcpyToSymbol(counter, &c, 4); cudaMemcpyToSymbol(table, t, 16);
  k<<<1,1>>>(o); cudaMemcpy(h, o, 12, cudaMemcpyDeviceToHost);
  printf("a: %d %d %d\n", h[0], h[1], h[2]);
  run_b(o);
  cudaMemcpyFromSymbol(&c, counter, 4); printf("a counter %d\n", c);
  anonk<<<1,1>>>(o); cudaMemcpy(h, o, 4, cudaMemcpyDeviceToHost); printf("a anon %d\n", h[0]);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
