#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/unique.h>
#include <thrust/transform.h>
#include <thrust/iterator/counting_iterator.h>
#include <cstdio>
struct tenth { __host__ __device__ int operator()(int i) const { return i / 10; } };
int main(){ int n=50000; thrust::device_vector<int> k(n), v(n,1), ko(n), vo(n); thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), k.begin(), tenth()); auto e = thrust::reduce_by_key(k.begin(),k.end(),v.begin(),ko.begin(),vo.begin()); printf("%d\n",(int)(e.first-ko.begin())); printf("%d\n",(int)(thrust::unique(k.begin(),k.end())-k.begin())); }
