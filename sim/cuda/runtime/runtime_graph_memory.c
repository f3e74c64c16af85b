/* Memory nodes of graphs, and what they take: their memory is taken when the node is made, so that its address is
 * known, and stays until the program frees it. Nothing is kept in reserve beside it. */
#include "driver/graph.h"
#include "driver/shim.h"
#include "runtime/runtime.h"

#include <stdlib.h>

struct taken {
    struct taken *next;
    CUdeviceptr address;
    uint64_t bytes;
};
/* Under the runtime's lock. */
static struct taken *all;
static uint64_t high;

static cudaError_t add_memory(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                              const struct graph_work *work)
{
    return node && graph ? (cudaError_t)graph_add(node, graph, after, n, work) : cudaErrorInvalidValue;
}

/* What allocation nodes took and nobody has freed since; under the lock. */
static uint64_t in_use(void)
{
    uint64_t bytes = 0;
    struct shim *shim = shim_lock();
    for (struct taken **at = &all; *at;) {
        struct taken *t = *at;
        const struct allocation *a = memory_find(&shim->memory, t->address);
        if (a && a->lo == t->address && a->hi - a->lo == t->bytes) {
            bytes += t->bytes;
            at = &t->next;
            continue;
        }
        *at = t->next;
        free(t);
    }
    shim_unlock(shim, CUDA_SUCCESS);
    return bytes;
}
static cudaError_t remember(void *pointer, uint64_t bytes)
{
    struct taken *t = malloc(sizeof *t);
    if (!t) return cudaErrorMemoryAllocation;
    struct runtime *r = runtime_lock();
    *t = (struct taken){all, (uintptr_t)pointer, bytes};
    all = t;
    const uint64_t now = in_use();
    if (now > high) high = now;
    runtime_unlock(r);
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                     struct cudaMemAllocNodeParams *p)
{
    if (!p || !p->bytesize) return runtime_note(cudaErrorInvalidValue);
    cudaError_t error = cudaMalloc(&p->dptr, p->bytesize);
    if (error != cudaSuccess) return runtime_note(error);
    const struct graph_work work = {CU_GRAPH_NODE_TYPE_MEM_ALLOC, .memory = {(uintptr_t)p->dptr, p->bytesize}};
    error = add_memory(node, graph, after, n, &work);
    if (error == cudaSuccess) error = remember(p->dptr, p->bytesize);
    else cudaFree(p->dptr);
    return runtime_note(error);
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                    void *pointer)
{
    FORWARD(add_memory(node, graph, after, n,
                       &(struct graph_work){CU_GRAPH_NODE_TYPE_MEM_FREE, .memory = {(uintptr_t)pointer, 0}}));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType which, void *value)
{
    if (device) return runtime_note(cudaErrorInvalidDevice);
    const bool is_known = which >= cudaGraphMemAttrUsedMemCurrent && which <= cudaGraphMemAttrReservedMemHigh;
    const cudaError_t error = value && is_known ? runtime_ready() : cudaErrorInvalidValue;
    if (error != cudaSuccess) return runtime_note(error);
    const bool is_high = which == cudaGraphMemAttrUsedMemHigh || which == cudaGraphMemAttrReservedMemHigh;
    struct runtime *r = runtime_lock();
    *(uint64_t *)value = is_high ? high : in_use();
    runtime_unlock(r);
    return cudaSuccess;
}
/* The high marks alone can be set, and to 0: they begin anew. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType which, void *value)
{
    if (device) return runtime_note(cudaErrorInvalidDevice);
    const bool is_high = which == cudaGraphMemAttrUsedMemHigh || which == cudaGraphMemAttrReservedMemHigh;
    if (!value || !is_high || *(uint64_t *)value) return runtime_note(cudaErrorInvalidValue);
    const cudaError_t error = runtime_ready();
    if (error != cudaSuccess) return runtime_note(error);
    struct runtime *r = runtime_lock();
    high = in_use();
    runtime_unlock(r);
    return cudaSuccess;
}
cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return runtime_note(device ? cudaErrorInvalidDevice : runtime_ready());
}
