/* Graphs: the driver API of memory nodes, and of memory in the order of a stream, which is nodes in a captured one. */
#include "driver/graph.h"

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                                CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    if (!node || !graph || !p) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphAddMemAllocNode: NULL");
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    CUresult result = graph_memory_new(&work.memory, p->bytesize);
    if (result != CUDA_SUCCESS) return result;
    result = graph_add(node, graph, after, n, &work);
    p->dptr = result == CUDA_SUCCESS ? work.memory->address : 0;
    graph_memory_leave(work.memory);
    return result;
}
CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                               CUdeviceptr address)
{
    if (!node || !graph) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphAddMemFreeNode: NULL");
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE};
    const CUresult result = graph_memory_of(&work.memory, address);
    return result == CUDA_SUCCESS ? graph_add(node, graph, after, n, &work) : result;
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    if (!node || !p || node->work.type != CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphMemAllocNodeGetParams: NULL, or another kind of node");
    *p = (CUDA_MEM_ALLOC_NODE_PARAMS){
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
        .bytesize = node->work.memory->bytes,
        .dptr = node->work.memory->address};
    return CUDA_SUCCESS;
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address)
{
    if (!node || !address || node->work.type != CU_GRAPH_NODE_TYPE_MEM_FREE)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphMemFreeNodeGetParams: NULL, or another kind of node");
    *address = node->work.memory->address;
    return CUDA_SUCCESS;
}

/* ---- memory in the order of a stream: in a captured one, nodes ---- */
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result == CUDA_SUCCESS && (!address || bytes == 0))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuMemAllocAsync: NULL or 0 bytes");
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    if (!stream_is_captured(stream))
        return shim_unlock(s, memory_give_out(s, context, address, bytes, ALLOCATION_DEVICE, "cuMemAllocAsync"));
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    result = graph_memory_new(&work.memory, bytes);
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    result = capture_work(stream, &work);
    if (result == CUDA_SUCCESS) *address = work.memory->address;
    graph_memory_leave(work.memory);
    return shim_unlock(s, result);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    if (result != CUDA_SUCCESS || !address) return shim_unlock(s, result);
    if (!stream_is_captured(stream)) return shim_unlock(s, memory_take_back(s, address, false, "cuMemFreeAsync"));
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE};
    result = graph_memory_of(&work.memory, address);
    return shim_unlock(s, result == CUDA_SUCCESS ? capture_work(stream, &work) : result);
}
