#include <cstdio>
#include <cuda_runtime.h>
static __device__ int counter = 2;
static __constant__ float table[4] = {5,6,7,8};
extern __device__ int shared_by_all;
extern __constant__ int also_const;
static __device__ int helper(int x) { return x - counter; }
static __global__ void k(int *o) { o[0] = helper(1); o[1] = (int)table[2]; counter += 20; o[2] = shared_by_all + also_const;}
namespace { __device__ int anon = 4; __constant__ int anonc[2] = {1,2}; __global__ void anonk(int*o){o[0]=anon+anonc[1];} }
int run_b(int *o) {
  int h[3], c = 0; float t[4] = {50,60,70,80};
  cudaMemcpyToSymbol(table, t, 16);
  k<<<1,1>>>(o); cudaMemcpy(h, o, 12, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&c, counter, 4);
  printf("b: %d %d %d counter %d\n", h[0], h[1], h[2], c);
  anonk<<<1,1>>>(o); cudaMemcpy(h, o, 4, cudaMemcpyDeviceToHost); printf("b anon %d\n", h[0]);
  return 0;
}
