#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/scan.h>
#include <thrust/reduce.h>
#include <cstdio>
int main(){ int n=200000; thrust::host_vector<int> h(n); unsigned s=1; for(int i=0;i<n;i++){ s=s*1664525u+1013904223u; h[i]=s>>8;} thrust::device_vector<int> d=h,e(n);
thrust::sort(d.begin(),d.end()); thrust::inclusive_scan(d.begin(),d.end(),e.begin()); unsigned r=thrust::reduce(e.begin(),e.end(),0u); printf("%u %d\n",r,(int)d[0]); }
