/* Functions that CUDA 13's cuda.h names by a later version, with more parameters: programs compiled with it call these.
 * What the edges of a graph carry there (how soon a node may begin) is nothing here, where a node begins after the
 * other's end. */
#include "driver/shim.h"

#include <string.h>

#define API __attribute__((visibility("default")))
#define EDGES(edges, count) \
    if (result == CUDA_SUCCESS && (edges)) memset(edges, 0, (count) * sizeof *(edges))

/* The parameters of cuCtxCreate_v4 that our cuda.h, which is CUDA 12's, does not have: a kind of context each. */
API CUresult cuCtxCreate_v4(CUcontext *context, const void *parameters, unsigned flags, CUdevice device);
API CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
API CUresult cuCtxSynchronize_v2(CUcontext context);
API CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end);
API CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                       const CUgraphEdgeData *edges, size_t n);
API CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                          const CUgraphEdgeData *edges, size_t n);
API CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *n);
API CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *n);
API CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *n);
API CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                       const CUgraphNode **after, const CUgraphEdgeData **edges, size_t *n);
API CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *edges,
                                                  size_t n, unsigned flags);
/* Up to CUDA 11: the node at fault and the result were two arguments. */
#undef cuGraphExecUpdate
API CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode *fault,
                               CUgraphExecUpdateResult *outcome);
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode *fault, CUgraphExecUpdateResult *outcome)
{
    CUgraphExecUpdateResultInfo info = {0};
    const CUresult result = cuGraphExecUpdate_v2(executable, graph, &info);
    if (fault) *fault = info.errorNode;
    if (outcome) *outcome = info.result;
    return result;
}

CUresult cuCtxCreate_v4(CUcontext *context, const void *parameters, unsigned flags, CUdevice device)
{
    /* two pointers and a number: SM affinity, a share of the device for CUDA's MPS, a client of it */
    const struct {
        const void *affinity;
        int n;
        const void *client;
    } *const p = parameters;
    if (p && ((p->affinity && p->n) || p->client))
        return shim_fail(CUDA_ERROR_NOT_SUPPORTED, "cuCtxCreate: contexts with affinity or for graphics");
    return cuCtxCreate(context, flags, device);
}

/* Under another context than the thread's own. */
static CUresult enter(CUcontext context) { return context ? cuCtxPushCurrent(context) : CUDA_SUCCESS; }
static CUresult leave(CUcontext context, CUresult result)
{
    CUcontext popped;
    const CUresult left = context ? cuCtxPopCurrent(&popped) : CUDA_SUCCESS;
    return result == CUDA_SUCCESS ? left : result;
}
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
    const CUresult result = enter(context);
    return result == CUDA_SUCCESS ? leave(context, cuCtxGetDevice(device)) : result;
}
CUresult cuCtxSynchronize_v2(CUcontext context)
{
    const CUresult result = enter(context);
    return result == CUDA_SUCCESS ? leave(context, cuCtxSynchronize()) : result;
}
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime(milliseconds, start, end);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t n)
{
    return (void)edges, cuGraphAddDependencies(graph, from, to, n);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t n)
{
    return (void)edges, cuGraphRemoveDependencies(graph, from, to, n);
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *n)
{
    const CUresult result = cuGraphGetEdges(graph, from, to, n);
    EDGES(edges, *n);
    return result;
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *n)
{
    const CUresult result = cuGraphNodeGetDependencies(node, nodes, n);
    EDGES(edges, *n);
    return result;
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *n)
{
    const CUresult result = cuGraphNodeGetDependentNodes(node, nodes, n);
    EDGES(edges, *n);
    return result;
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **after, const CUgraphEdgeData **edges, size_t *n)
{
    unsigned long long number;
    const CUresult result = cuStreamGetCaptureInfo_v2(stream, status, id ? &number : NULL, graph, after, n);
    if (result == CUDA_SUCCESS && id) *id = number;
    if (result == CUDA_SUCCESS && edges) *edges = NULL; /* none carries anything */
    return result;
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes, const CUgraphEdgeData *edges,
                                              size_t n, unsigned flags)
{
    return (void)edges, cuStreamUpdateCaptureDependencies(stream, nodes, n, flags);
}
