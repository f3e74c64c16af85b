/* Managed and mapped memory: one pointer on both sides. */
#include "check.h"
struct node { int value; node *next; };
__global__ void walk(node *n, int *sum)
{
    for (; n; n = n->next) *sum += n->value, n->value = -n->value;
}
int main()
{
    node *nodes;
    int *sum, *mapped, *on_device;
    CUDA(cudaMallocManaged(&nodes, 10 * sizeof *nodes));
    CUDA(cudaMallocManaged(&sum, sizeof *sum));
    CUDA(cudaHostAlloc((void **)&mapped, sizeof *mapped, cudaHostAllocMapped));
    CUDA(cudaHostGetDevicePointer((void **)&on_device, mapped, 0));
    *sum = *mapped = 0;
    for (int i = 0; i < 10; i++) nodes[i].value = i, nodes[i].next = i < 9 ? &nodes[i + 1] : 0;
    walk<<<1, 1>>>(nodes, sum);
    CUDA(cudaDeviceSynchronize());
    CHECK(*sum == 45 && nodes[9].value == -9);
    walk<<<1, 1>>>(nodes + 5, on_device);
    CUDA(cudaDeviceSynchronize());
    CHECK(*mapped == -35);
    CUDA(cudaFree(nodes));
    CUDA(cudaFreeHost(mapped));
    std::printf("managed ok\n");
    return 0;
}
