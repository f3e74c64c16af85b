#include <cub/cub.cuh>
#include <cstdio>
#include <vector>
__global__ void sums(const int *in, int *out) { typedef cub::BlockReduce<int, 128> R; __shared__ typename R::TempStorage t; int s = R(t).Sum(in[blockIdx.x*128+threadIdx.x]); if (!threadIdx.x) out[blockIdx.x] = s; }
int main(){ const int n=20000; std::vector<int> h(n); for(int i=0;i<n;i++) h[i]=i%7; int *d,*e,*o; cudaMalloc(&d,n*4); cudaMalloc(&e,n*4); cudaMalloc(&o,4); cudaMemcpy(d,h.data(),n*4,cudaMemcpyHostToDevice);
 void *t=nullptr; size_t b=0; cub::DeviceScan::InclusiveSum(t,b,d,e,n); cudaMalloc(&t,b); cub::DeviceScan::InclusiveSum(t,b,d,e,n); sums<<<n/128,128>>>(d,e); int r; cudaMemcpy(&r,e,4,cudaMemcpyDeviceToHost); printf("%d\n",r);
 void *t2=nullptr; b=0; cub::DeviceReduce::Sum(t2,b,d,o,n); cudaMalloc(&t2,b); cub::DeviceReduce::Sum(t2,b,d,o,n); cudaMemcpy(&r,o,4,cudaMemcpyDeviceToHost); printf("%d\n",r); }
