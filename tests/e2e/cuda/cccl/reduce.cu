#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <cstdio>
struct sq { __host__ __device__ int operator()(int x) const { return x*x; } };
int main(){ thrust::device_vector<int> d(1000,3); thrust::transform(d.begin(),d.end(),d.begin(),sq()); printf("%d\n", thrust::reduce(d.begin(),d.end())); }
