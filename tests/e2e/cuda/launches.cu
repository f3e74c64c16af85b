/* Kernels that launch kernels: a sort that does so for its two parts, and grids that get structures and shared memory.
 * clang has no syntax for it: poise cc writes such launches as calls. */
#include <cstdio>
#include "launches.h"

__device__ void sort_few(unsigned *a, int first, int last)
{
    for (int i = first; i <= last; i++)
        for (int j = i + 1; j <= last; j++)
            if (a[j] < a[i]) {
                const unsigned t = a[i];
                a[i] = a[j], a[j] = t;
            }
}
__global__ void sort(unsigned *a, int first, int last, int depth)
{
    if (depth >= 10 || last - first < 12) {
        sort_few(a, first, last);
        return;
    }
    const unsigned middle = a[(first + last) / 2];
    int i = first, j = last;
    while (i <= j) {
        while (a[i] < middle) i++;
        while (a[j] > middle) j--;
        if (i <= j) {
            const unsigned t = a[i];
            a[i++] = a[j], a[j--] = t;
        }
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (first < j) sort<<<1, 1, 0, stream>>>(a, first, j, depth + 1);
    if (i < last) sort<<<1, 1, 0, stream>>>(a, i, last, depth + 1);
    cudaStreamDestroy(stream);
}
struct Values {
    double a;
    char b;
    int c[5];
};
__global__ void fill(Values v, float *out, short more)
{
    extern __shared__ float room[];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = (float)(v.a + v.b + v.c[4] + more + room[blockDim.x - 1 - threadIdx.x]);
}
__global__ void fill_all(float *out)
{
    if (threadIdx.x > 1) return;
    const Values v = {1.5, 2, {0, 0, 0, 0, (int)threadIdx.x * 100}};
    fill<<<2, 16, 16 * sizeof(float)>>>(v, out + 32 * threadIdx.x, 3);
}

/* Copies take their turn among the launches: the first part is filled and then doubled by a kernel, its copy is of what
 * that kernel wrote, and what is cleared after it stays clear. */
__global__ void twice(int *a) { a[threadIdx.x] *= 2; }
__global__ void copy_between(int *a)
{
    cudaStream_t stream;
    cudaEvent_t event;
    int sms = 0, device = -1;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMemsetAsync(a, 1, 16 * sizeof *a, stream);
    twice<<<1, 16, 0, stream>>>(a);
    cudaMemcpyAsync(a + 16, a, 16 * sizeof *a, cudaMemcpyDeviceToDevice, stream);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(stream, event, 0);
    cudaMemsetAsync(a, 0, 8 * sizeof *a, stream);
    cudaMemcpy2DAsync(a + 32, 16, a + 16, 8, 8, 4, cudaMemcpyDeviceToDevice, stream);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) == cudaSuccess)
        a[63] = sms;
}
static int check_copies()
{
    const int each = 0x02020202;
    int *a, sms;
    cudaMallocManaged(&a, 64 * sizeof *a);
    for (int i = 0; i < 64; i++) a[i] = 7;
    copy_between<<<1, 1>>>(a);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    for (int i = 0; i < 48; i++)
        if (a[i] != (i < 8 ? 0 : i < 32 ? each : i % 4 < 2 ? each : 7)) return printf("copies: %d\n", i), 1;
    return a[63] != sms;
}

/* Private to this file. */
static __global__ void add_one(int *a) { a[threadIdx.x]++; }

int main()
{
    const int n = 400;
    unsigned *a;
    float *out;
    int *squares;
    cudaMallocManaged(&squares, 50 * sizeof *squares);
    cudaMallocManaged(&a, n * sizeof *a);
    cudaMallocManaged(&out, 64 * sizeof *out);
    for (int i = 0; i < n; i++) a[i] = i * 7919u % 1009;
    sort<<<1, 1>>>(a, 0, n - 1, 0);
    fill_all<<<1, 32>>>(out);
    squares_of_both<<<1, 32>>>(squares);
    add_one<<<1, 50>>>(squares); // <<< not a launch
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 1; i < n; i++)
        if (a[i - 1] > a[i]) return printf("%d\n", i), 1;
    for (int i = 0; i < 64; i++)
        if (out[i] != 6.5f + i / 32 * 100 + (15 - i % 16)) return printf("%g\n", out[i]), 1;
    for (int i = 0; i < 50; i++)
        if (squares[i] != i * i + 1) return printf("%d\n", squares[i]), 1;
    if (check_copies()) return 1;
    printf("ok\n");
    return 0;
}
