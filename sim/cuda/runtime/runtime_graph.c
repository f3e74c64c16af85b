/* Graphs of the runtime API: those of the driver. */
#include "driver/graph.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

/* ---- capture ---- */
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    FORWARD(cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)(void *)status));
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    FORWARD(cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    FORWARD(cuStreamEndCapture(stream, graph));
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *n)
{
    FORWARD(cuStreamGetCaptureInfo(stream, (CUstreamCaptureStatus *)(void *)status, id, graph, after, n));
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *edges, size_t n, enum cudaStreamCaptureMode mode)
{
    (void)edges;
    FORWARD(cuStreamBeginCaptureToGraph(stream, graph, after, NULL, n, (CUstreamCaptureMode)mode));
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    FORWARD(cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)(void *)mode));
}

/* ---- symbols whose arguments changed: the version of the program's library says what they are. CUDA 13 put a list
 * of edge data, which is nothing here, before the count ---- */
#define SYMBOL(name) __asm__(#name) __attribute__((visibility("default")))
static bool has_edge_data(void) { return program_cuda_version() >= 13; }
static uintptr_t count_of(uintptr_t a, uintptr_t b) { return has_edge_data() ? b : a; }

cudaError_t capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                         cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *n)
    SYMBOL(cudaStreamGetCaptureInfo);
cudaError_t capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                         cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges, size_t *n)
{
    /* up to CUDA 11: three arguments */
    if (!has_edge_data()) return cudaStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL);
    if (edges) *edges = NULL;
    return cudaStreamGetCaptureInfo(stream, status, id, graph, after, n);
}
cudaError_t update_capture(cudaStream_t stream, cudaGraphNode_t *nodes, uintptr_t a, uintptr_t b, unsigned int flags)
    SYMBOL(cudaStreamUpdateCaptureDependencies);
cudaError_t update_capture(cudaStream_t stream, cudaGraphNode_t *nodes, uintptr_t a, uintptr_t b, unsigned int flags)
{
    FORWARD(cuStreamUpdateCaptureDependencies(stream, nodes, count_of(a, b), has_edge_data() ? flags : (unsigned)b));
}
cudaError_t add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, uintptr_t a,
                             uintptr_t b) SYMBOL(cudaGraphAddDependencies);
cudaError_t add_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, uintptr_t a,
                             uintptr_t b)
{
    FORWARD(cuGraphAddDependencies(graph, from, to, count_of(a, b)));
}
cudaError_t remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, uintptr_t a,
                                uintptr_t b) SYMBOL(cudaGraphRemoveDependencies);
cudaError_t remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, uintptr_t a,
                                uintptr_t b)
{
    FORWARD(cuGraphRemoveDependencies(graph, from, to, count_of(a, b)));
}
cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, uintptr_t a, uintptr_t b)
    SYMBOL(cudaGraphGetEdges);
cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, uintptr_t a, uintptr_t b)
{
    FORWARD(cuGraphGetEdges(graph, from, to, (size_t *)count_of(a, b)));
}
cudaError_t get_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, uintptr_t a, uintptr_t b)
    SYMBOL(cudaGraphNodeGetDependencies);
cudaError_t get_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, uintptr_t a, uintptr_t b)
{
    FORWARD(cuGraphNodeGetDependencies(node, nodes, (size_t *)count_of(a, b)));
}
cudaError_t get_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, uintptr_t a, uintptr_t b)
    SYMBOL(cudaGraphNodeGetDependentNodes);
cudaError_t get_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, uintptr_t a, uintptr_t b)
{
    FORWARD(cuGraphNodeGetDependentNodes(node, nodes, (size_t *)count_of(a, b)));
}
/* Up to CUDA 11 the node at fault and the result were two arguments. */
cudaError_t update(cudaGraphExec_t executable, cudaGraph_t graph, void *a, enum cudaGraphExecUpdateResult *b)
    SYMBOL(cudaGraphExecUpdate);
cudaError_t update(cudaGraphExec_t executable, cudaGraph_t graph, void *a, enum cudaGraphExecUpdateResult *b)
{
    CUgraphExecUpdateResultInfo info = {0};
    cudaError_t error = runtime_ready();
    if (error == cudaSuccess) error = (cudaError_t)cuGraphExecUpdate(executable, graph, &info);
    const int major = program_cuda_version();
    if (major == 0 || major >= 12) {
        if (a) memcpy(a, &info, sizeof info);
    } else {
        if (a) *(cudaGraphNode_t *)a = info.errorNode;
        if (b) *b = (enum cudaGraphExecUpdateResult)info.result;
    }
    return runtime_note(error);
}

/* ---- graphs and their nodes ---- */
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) { FORWARD(cuGraphCreate(graph, flags)); }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { FORWARD(cuGraphDestroy(graph)); }
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) { FORWARD(cuGraphClone(clone, graph)); }
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) { FORWARD(cuGraphDestroyNode(node)); }
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    FORWARD(cuGraphGetNodes(graph, nodes, n));
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    FORWARD(cuGraphGetRootNodes(graph, nodes, n));
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    FORWARD(cuGraphNodeGetType(node, (CUgraphNodeType *)(void *)type));
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node, cudaGraph_t clone)
{
    FORWARD(cuGraphNodeFindInClone(found, node, clone));
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *child)
{
    FORWARD(cuGraphChildGraphNodeGetGraph(node, child));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                       cudaGraph_t child)
{
    FORWARD(cuGraphAddChildGraphNode(node, graph, after, n, child));
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n)
{
    FORWARD(cuGraphAddEmptyNode(node, graph, after, n));
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                        size_t n, cudaEvent_t event)
{
    FORWARD(cuGraphAddEventRecordNode(node, graph, after, n, event));
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                      cudaEvent_t event)
{
    FORWARD(cuGraphAddEventWaitNode(node, graph, after, n, event));
}

/* Kernels: the host's function stands for the device's. */
static cudaError_t kernel_params(CUDA_KERNEL_NODE_PARAMS *out, const struct cudaKernelNodeParams *p)
{
    if (!p) return cudaErrorInvalidValue;
    *out = (CUDA_KERNEL_NODE_PARAMS){NULL,          p->gridDim.x,  p->gridDim.y,      p->gridDim.z,    p->blockDim.x,
                                     p->blockDim.y, p->blockDim.z, p->sharedMemBytes, p->kernelParams, p->extra,
                                     NULL,          NULL};
    return runtime_function(&out->func, p->func);
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                   const struct cudaKernelNodeParams *p)
{
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t error = kernel_params(&params, p);
    if (error == cudaSuccess) error = (cudaError_t)cuGraphAddKernelNode(node, graph, after, n, &params);
    if (error == cudaSuccess) (*node)->work.kernel.host = p->func;
    return runtime_note(error);
}
static cudaError_t set_kernel(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t error = kernel_params(&params, p);
    if (error == cudaSuccess) error = (cudaError_t)cuGraphKernelNodeSetParams(node, &params);
    if (error == cudaSuccess) node->work.kernel.host = p->func;
    return runtime_note(error);
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p)
{
    return set_kernel(node, p);
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
    CUDA_KERNEL_NODE_PARAMS k;
    cudaError_t error = p ? (cudaError_t)cuGraphKernelNodeGetParams(node, &k) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *p = (struct cudaKernelNodeParams){(void *)(uintptr_t)node->work.kernel.host,
                                           {k.gridDimX, k.gridDimY, k.gridDimZ},
                                           {k.blockDimX, k.blockDimY, k.blockDimZ},
                                           k.sharedMemBytes,
                                           k.kernelParams,
                                           NULL};
    return runtime_note(error);
}

/* Copies */
static CUDA_MEMCPY3D line(void *to, const void *from, size_t bytes)
{
    return (CUDA_MEMCPY3D){.dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .dstDevice = (uintptr_t)to,
                           .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .srcDevice = (uintptr_t)from,
                           .WidthInBytes = bytes,
                           .Height = 1,
                           .Depth = 1};
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                   const struct cudaMemcpy3DParms *p)
{
    if (!p) return runtime_note(cudaErrorInvalidValue);
    const CUDA_MEMCPY3D box = runtime_box(p);
    FORWARD(cuGraphAddMemcpyNode(node, graph, after, n, &box, NULL));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                     void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind; /* the address says it */
    const CUDA_MEMCPY3D box = line(to, from, bytes);
    FORWARD(cuGraphAddMemcpyNode(node, graph, after, n, &box, NULL));
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                           size_t n, const void *symbol, const void *from, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind)
{
    void *to;
    const cudaError_t error = runtime_symbol_range(&to, symbol, bytes, offset);
    return error == cudaSuccess ? cudaGraphAddMemcpyNode1D(node, graph, after, n, to, from, bytes, kind)
                                : runtime_note(error);
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                             size_t n, void *to, const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    void *from;
    const cudaError_t error = runtime_symbol_range(&from, symbol, bytes, offset);
    return error == cudaSuccess ? cudaGraphAddMemcpyNode1D(node, graph, after, n, to, from, bytes, kind)
                                : runtime_note(error);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)
{
    if (!p) return runtime_note(cudaErrorInvalidValue);
    const CUDA_MEMCPY3D box = runtime_box(p);
    FORWARD(cuGraphMemcpyNodeSetParams(node, &box));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes,
                                           enum cudaMemcpyKind kind)
{
    (void)kind;
    const CUDA_MEMCPY3D box = line(to, from, bytes);
    FORWARD(cuGraphMemcpyNodeSetParams(node, &box));
}

/* Fills and functions of the host: the driver's parameters under another name. */
_Static_assert(sizeof(struct cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS) &&
                   sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS),
               "layout");
#define FILL(p) ((const CUDA_MEMSET_NODE_PARAMS *)(const void *)(p))
#define HOST(p) ((const CUDA_HOST_NODE_PARAMS *)(const void *)(p))
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                   const struct cudaMemsetParams *p)
{
    FORWARD(cuGraphAddMemsetNode(node, graph, after, n, FILL(p), NULL));
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)
{
    FORWARD(cuGraphMemsetNodeGetParams(node, (CUDA_MEMSET_NODE_PARAMS *)(void *)p));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p)
{
    FORWARD(cuGraphMemsetNodeSetParams(node, FILL(p)));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                                 const struct cudaHostNodeParams *p)
{
    FORWARD(cuGraphAddHostNode(node, graph, after, n, HOST(p)));
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
    FORWARD(cuGraphHostNodeGetParams(node, (CUDA_HOST_NODE_PARAMS *)(void *)p));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p)
{
    FORWARD(cuGraphHostNodeSetParams(node, HOST(p)));
}

/* ---- nodes of any kind; conditions ---- */
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int initial, unsigned int flags)
{
    _Static_assert(sizeof *handle == sizeof(CUgraphConditionalHandle), "layout");
    FORWARD(cuGraphConditionalHandleCreate((CUgraphConditionalHandle *)(void *)handle, graph, NULL, initial, flags));
}
/* What lies in a node's parameters before the context is the driver's under another name. */
_Static_assert(sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams) &&
                   offsetof(struct cudaGraphNodeParams, conditional.phGraph_out) ==
                       offsetof(CUgraphNodeParams, conditional.phGraph_out),
               "layout");
cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, uintptr_t a, uintptr_t b,
                     struct cudaGraphNodeParams *c) SYMBOL(cudaGraphAddNode);
cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, uintptr_t a, uintptr_t b,
                     struct cudaGraphNodeParams *c)
{
    struct cudaGraphNodeParams *p = has_edge_data() ? c : (struct cudaGraphNodeParams *)b;
    const size_t n = count_of(a, b);
    if (!p) return runtime_note(cudaErrorInvalidValue);
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphAddKernelNode(node, graph, after, n, (struct cudaKernelNodeParams *)(void *)&p->kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphAddMemcpyNode(node, graph, after, n, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(node, graph, after, n, (struct cudaMemsetParams *)(void *)&p->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(node, graph, after, n, (struct cudaHostNodeParams *)(void *)&p->host);
    default: FORWARD(cuGraphAddNode(node, graph, after, NULL, n, (CUgraphNodeParams *)(void *)p));
    }
}

/* ---- executable graphs ---- */
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
    FORWARD(cuGraphInstantiate(executable, graph, flags));
}
/* Up to CUDA 11 the third argument was where to put a node at fault: it stays as it is. */
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
    return (void)flags, cudaGraphInstantiateWithFlags(executable, graph, 0);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *p)
{
    if (!p) return runtime_note(cudaErrorInvalidValue);
    const cudaError_t error = cudaGraphInstantiateWithFlags(executable, graph, p->flags);
    p->errNode_out = NULL;
    p->result_out = error == cudaSuccess ? 0 : 2; /* cudaGraphInstantiateInvalidStructure */
    return error;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    FORWARD(cuGraphLaunch(executable, stream));
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    FORWARD(cuGraphUpload(executable, stream));
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { FORWARD(cuGraphExecDestroy(executable)); }
static cudaGraphNode_t of(cudaGraphExec_t executable, cudaGraphNode_t node)
{
    return executable && node ? graph_node_of(executable->graph, node) : NULL;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p)
{
    return set_kernel(of(executable, node), p);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *p)
{
    return cudaGraphMemcpyNodeSetParams(of(executable, node), p);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParams1D(of(executable, node), to, from, bytes, kind);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *p)
{
    return cudaGraphMemsetNodeSetParams(of(executable, node), p);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *p)
{
    return cudaGraphHostNodeSetParams(of(executable, node), p);
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraph_t child)
{
    FORWARD(cuGraphExecChildGraphNodeSetParams(executable, node, child));
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int is_enabled)
{
    FORWARD(cuGraphNodeSetEnabled(executable, node, is_enabled));
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int *is_enabled)
{
    FORWARD(cuGraphNodeGetEnabled(executable, node, is_enabled));
}

/* The graph as Graphviz text. */
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    static const char *const kinds[] = {"kernel",       "memcpy", "memset", "host",  "graph", "empty", "wait event",
                                        "record event", "",       "",       "alloc", "free",  "",      "condition"};
    (void)flags;
    FILE *out = graph && path ? fopen(path, "we") : NULL;
    if (!out) return runtime_note(cudaErrorOperatingSystem);
    fputs("digraph {\n", out);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const CUgraphNode node = graph->nodes[i];
        const bool is_kernel = node->work.type == CU_GRAPH_NODE_TYPE_KERNEL;
        fprintf(out, "  n%llu [label=\"%s %s\"]\n", (unsigned long long)node->number, kinds[node->work.type],
                is_kernel ? node->work.kernel.function->info->name : "");
        for (size_t d = 0; d < node->n_after; d++)
            fprintf(out, "  n%llu -> n%llu\n", (unsigned long long)node->after[d]->number,
                    (unsigned long long)node->number);
    }
    fputs("}\n", out);
    const bool has_failed = ferror(out) | (fclose(out) != 0);
    return runtime_note(!has_failed ? cudaSuccess : cudaErrorOperatingSystem);
}
