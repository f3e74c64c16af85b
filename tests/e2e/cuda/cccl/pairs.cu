#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <cstdio>
int main(){ int n=50000; thrust::device_vector<int> k(n); thrust::device_vector<float> v(n); for(int i=0;i<20;i++){k[i]=100-i;} thrust::sort_by_key(k.begin(),k.end(),v.begin()); printf("%d\n",(int)k[n-1]); }
