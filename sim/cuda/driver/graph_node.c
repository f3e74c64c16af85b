/* Graphs: nodes of any kind by one call (cudaGraphAddNode), among them those that run a graph under a condition. */
#include "driver/graph.h"

#include <stdlib.h>

static CUresult add_choice(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                           CUDA_CONDITIONAL_NODE_PARAMS *p)
{
    const unsigned int most = p->type == CU_GRAPH_COND_TYPE_IF ? 2 : p->type == CU_GRAPH_COND_TYPE_WHILE ? 1 : 1u << 16;
    if (!p->handle || !p->size || p->size > most || (unsigned)p->type > CU_GRAPH_COND_TYPE_SWITCH)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "conditional node: no handle, kind %d, or %u graphs", (int)p->type,
                         p->size);
    struct CUgraph_st empty = {.context = graph->context};
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .choice = {p->type, p->handle, NULL, p->size}};
    work.choice.bodies = calloc(p->size, sizeof *work.choice.bodies);
    if (!work.choice.bodies) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph's node");
    for (unsigned int i = 0; i < p->size; i++) work.choice.bodies[i] = &empty; /* the node has copies */
    const CUresult result = graph_add(node, graph, after, n, &work);
    free(work.choice.bodies);
    if (result == CUDA_SUCCESS) p->phGraph_out = (*node)->work.choice.bodies;
    return result;
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const CUgraphEdgeData *edges,
                           size_t n, CUgraphNodeParams *p)
{
    (void)edges; /* they say how soon a node may begin: here after the end of the other */
    if (!node || !graph || !p) return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphAddNode: NULL");
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return add_choice(node, graph, after, n, &p->conditional);
    case CU_GRAPH_NODE_TYPE_GRAPH: return cuGraphAddChildGraphNode(node, graph, after, n, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY: return cuGraphAddEmptyNode(node, graph, after, n);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return cuGraphAddEventRecordNode(node, graph, after, n, p->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return cuGraphAddMemAllocNode(node, graph, after, n, (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)&p->alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return cuGraphAddMemFreeNode(node, graph, after, n, p->free.dptr);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return cuGraphAddEventWaitNode(node, graph, after, n, p->eventWait.event);
    default:
        return shim_fail(CUDA_ERROR_NOT_SUPPORTED, "cuGraphAddNode: nodes of kind %d (their own functions make them)",
                         (int)p->type);
    }
}
