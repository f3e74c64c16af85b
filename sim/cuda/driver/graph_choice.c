/* Graphs: nodes that run a graph under a condition, which kernels set (cudaGraphSetConditional). */
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

void choice_free(struct graph_choice *choice)
{
    for (size_t i = 0; i < choice->n_bodies; i++) graph_free(choice->bodies[i]);
    free(choice->bodies);
    *choice = (struct graph_choice){0};
}

CUresult choice_copy(struct graph_choice *out, const struct graph_choice *choice)
{
    CUresult result = CUDA_SUCCESS;
    *out = *choice;
    out->n_bodies = 0;
    out->bodies = calloc(choice->n_bodies + 1, sizeof *out->bodies);
    if (!out->bodies) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph's node");
    for (size_t i = 0; i < choice->n_bodies && result == CUDA_SUCCESS; i++) {
        result = graph_copy(&out->bodies[i], choice->bodies[i]);
        if (result == CUDA_SUCCESS) out->bodies[out->n_bodies++]->is_part = true;
    }
    if (result != CUDA_SUCCESS) choice_free(out);
    return result;
}

static CUresult value_of(CUdeviceptr condition, unsigned int *value)
{
    return cuMemcpyDtoH(value, condition, sizeof *value);
}

CUresult choice_run(const struct graph_choice *choice, CUstream stream,
                    CUresult (*run)(const struct CUgraph_st *, CUstream))
{
    unsigned int value;
    CUresult result = value_of(choice->condition, &value);
    if (choice->type == CU_GRAPH_COND_TYPE_WHILE) {
        while (result == CUDA_SUCCESS && value) {
            result = run(choice->bodies[0], stream);
            if (result == CUDA_SUCCESS) result = value_of(choice->condition, &value);
        }
        return result;
    }
    const size_t chosen = choice->type == CU_GRAPH_COND_TYPE_IF ? !value : value; /* an IF's second body: else */
    return result == CUDA_SUCCESS && chosen < choice->n_bodies ? run(choice->bodies[chosen], stream) : result;
}

/* ---- conditions ---- */
CUresult conditions_copy(struct CUgraph_st *out, const struct CUgraph_st *graph)
{
    out->conditions = calloc(graph->n_conditions + 1, sizeof *out->conditions);
    if (!out->conditions) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph's conditions");
    for (size_t i = 0; i < graph->n_conditions; i++) out->conditions[i] = graph->conditions[i];
    out->n_conditions = graph->n_conditions;
    return CUDA_SUCCESS;
}

/* Of the graph and of the graphs within its nodes. */
CUresult conditions_reset(const struct CUgraph_st *graph)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < graph->n_conditions && result == CUDA_SUCCESS; i++)
        result = cuMemcpyHtoD(graph->conditions[i].address, &graph->conditions[i].initial, sizeof(unsigned int));
    for (size_t i = 0; i < graph->n_nodes && result == CUDA_SUCCESS; i++) {
        const struct graph_work *work = &graph->nodes[i]->work;
        if (work->type == CU_GRAPH_NODE_TYPE_GRAPH) result = conditions_reset(work->child);
        if (work->type != CU_GRAPH_NODE_TYPE_CONDITIONAL) continue;
        for (size_t k = 0; k < work->choice.n_bodies && result == CUDA_SUCCESS; k++)
            result = conditions_reset(work->choice.bodies[k]);
    }
    return result;
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context,
                                        unsigned int initial, unsigned int flags)
{
    (void)context; /* there is one device */
    if (!handle || !graph || flags > CU_GRAPH_COND_ASSIGN_DEFAULT)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphConditionalHandleCreate: NULL, or flags %u", flags);
    struct graph_condition *grown = realloc(graph->conditions, (graph->n_conditions + 1) * sizeof *grown);
    if (!grown) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph's conditions");
    graph->conditions = grown;
    CUdeviceptr at;
    CUresult result = cuMemAlloc(&at, sizeof initial);
    if (result == CUDA_SUCCESS) result = cuMemsetD32(at, 0, 1);
    if (result != CUDA_SUCCESS) return result;
    if (flags) graph->conditions[graph->n_conditions++] = (struct graph_condition){at, initial};
    *handle = at;
    return CUDA_SUCCESS;
}

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
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return cuGraphAddEventWaitNode(node, graph, after, n, p->eventWait.event);
    default:
        return shim_fail(CUDA_ERROR_NOT_SUPPORTED, "cuGraphAddNode: nodes of kind %d (their own functions make them)",
                         (int)p->type);
    }
}
