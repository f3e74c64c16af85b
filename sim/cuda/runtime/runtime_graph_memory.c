/* Memory nodes of graphs of the runtime API: those of the driver (driver/graph_memory.c). */
#include "runtime/runtime.h"

_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) &&
                   offsetof(struct cudaMemAllocNodeParams, dptr) == offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, dptr),
               "layout");
#define PARAMS(p) ((CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)(p))

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                     struct cudaMemAllocNodeParams *p)
{
    FORWARD(cuGraphAddMemAllocNode(node, graph, after, n, PARAMS(p)));
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                    void *pointer)
{
    FORWARD(cuGraphAddMemFreeNode(node, graph, after, n, (uintptr_t)pointer));
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p)
{
    FORWARD(cuGraphMemAllocNodeGetParams(node, PARAMS(p)));
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
    FORWARD(cuGraphMemFreeNodeGetParams(node, pointer));
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType which, void *value)
{
    FORWARD(cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)which, value));
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType which, void *value)
{
    FORWARD(cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)which, value));
}
cudaError_t cudaDeviceGraphMemTrim(int device) { FORWARD(cuDeviceGraphMemTrim(device)); }
