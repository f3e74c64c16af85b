/* Functions that CUDA 12's headers name by a later version, with the data of edges, which is nothing here: a node
 * begins after the end of those before it. CUDA 13 has them under the plain names (runtime_graph.c). */
#include "runtime/runtime.h"

#include <string.h>

static cudaError_t no_data(cudaError_t error, cudaGraphEdgeData *edges, const size_t *n)
{
    if (error == cudaSuccess && edges && n) memset(edges, 0, *n * sizeof *edges);
    return runtime_note(error);
}
static cudaError_t ready_for(const void *count)
{
    const cudaError_t error = runtime_ready();
    return error == cudaSuccess && !count ? cudaErrorInvalidValue : error;
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after,
                                        const cudaGraphEdgeData **edges, size_t *n)
{
    if (edges) *edges = NULL;
    return cudaStreamGetCaptureInfo(stream, status, id, graph, after, n);
}
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                   const cudaGraphEdgeData *edges, size_t n, unsigned int flags)
{
    (void)edges;
    FORWARD(cuStreamUpdateCaptureDependencies(stream, nodes, n, flags));
}
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t n)
{
    (void)edges;
    FORWARD(cuGraphAddDependencies(graph, from, to, n));
}
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t n)
{
    (void)edges;
    FORWARD(cuGraphRemoveDependencies(graph, from, to, n));
}
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edges, size_t *n)
{
    cudaError_t error = ready_for(n);
    const size_t room = error == cudaSuccess ? *n : 0;
    if (error == cudaSuccess) error = (cudaError_t)cuGraphGetEdges(graph, from, to, n);
    return no_data(error, edges, &room);
}
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                            size_t *n)
{
    cudaError_t error = ready_for(n);
    const size_t room = error == cudaSuccess ? *n : 0;
    if (error == cudaSuccess) error = (cudaError_t)cuGraphNodeGetDependencies(node, nodes, n);
    return no_data(error, edges, &room);
}
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                              size_t *n)
{
    cudaError_t error = ready_for(n);
    const size_t room = error == cudaSuccess ? *n : 0;
    if (error == cudaSuccess) error = (cudaError_t)cuGraphNodeGetDependentNodes(node, nodes, n);
    return no_data(error, edges, &room);
}
/* Hints about where memory should be: a place instead of a device's number. */
cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct cudaMemLocation place, unsigned int flags,
                                    cudaStream_t stream)
{
    return (void)flags, cudaMemPrefetchAsync(pointer, bytes, place.id, stream);
}
cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation place)
{
    return cudaMemAdvise(pointer, bytes, advice, place.id);
}
