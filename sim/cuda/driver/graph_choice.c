/* Graphs: nodes that run a graph under a condition, which kernels set (cudaGraphSetConditional). */
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

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
