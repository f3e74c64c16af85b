/* malloc and free of device code: lists that live from launch to launch, and the heap's limit. */
#include "program.h"
struct heap_node { int value; heap_node *next; };
#ifndef PROGRAM_DRIVER
extern "C" __global__ void heap_build(heap_node **heads, int length)
{
    heap_node *head = NULL;
    for (int k = 0; k < length + (int)threadIdx.x % 3; k++) {
        heap_node *n = (heap_node *)malloc(sizeof *n);
        if (!n) return;
        n->value = k * (int)threadIdx.x, n->next = head;
        head = n;
    }
    heads[threadIdx.x] = head;
}
extern "C" __global__ void heap_sum(heap_node **heads, int *out)
{
    int sum = 0;
    for (heap_node *n = heads[threadIdx.x], *next; n; n = next) {
        sum += n->value, next = n->next;
        free(n);
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void heap_large(int *out, unsigned long long bytes)
{
    void *p = malloc(bytes);
    if (p) *(volatile int *)p = 1;
    out[0] = p ? *(volatile int *)p : 0;
    free(p);
}
#endif

PROGRAM(heap)
{
    const int n = 40, length = 5;
    const size_t limit = 1 << 20;
    Array<heap_node *> heads(n);
    Array<int> out(n), large(1);
#ifdef PROGRAM_DRIVER
    size_t now = 0;
    CHECK(!cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, limit) && !cuCtxGetLimit(&now, CU_LIMIT_MALLOC_HEAP_SIZE) && now == limit);
#else
    size_t now = 0;
    CHECK(!cudaDeviceSetLimit(cudaLimitMallocHeapSize, limit) && !cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize) && now == limit);
#endif
    CHECK(!LAUNCH(heap_build, dim3(1), dim3(n), 0, heads.device, length));
    CHECK(!LAUNCH(heap_sum, dim3(1), dim3(n), 0, heads.device, out.device));
    out.down();
    for (int t = 0; t < n; t++) {
        const int k = length + t % 3;
        CHECK(out[t] == k * (k - 1) / 2 * t);
    }
    CHECK(!LAUNCH(heap_large, dim3(1), dim3(1), 0, large.device, (unsigned long long)limit - 4096));
    large.down();
    CHECK(large[0] == 1);
    CHECK(!LAUNCH(heap_large, dim3(1), dim3(1), 0, large.device, (unsigned long long)limit + 1));
    large.down();
    CHECK(large[0] == 0);
    return 0;
}
