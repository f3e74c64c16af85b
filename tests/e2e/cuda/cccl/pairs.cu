#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <cstdio>
int main()
{
    const int n = 200000;
    thrust::host_vector<int> h(n);
    unsigned s = 7;
    for (int i = 0; i < n; i++) h[i] = (s = s * 1664525u + 1013904223u) >> 4;
    thrust::device_vector<int> k = h;
    thrust::device_vector<float> v(n, 1);
    thrust::sort_by_key(k.begin(), k.end(), v.begin());
    std::printf("%d %d\n", (int)k[0], (int)k[n - 1]);
}
