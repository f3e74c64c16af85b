/* Graphs: running them. Each node is a call of the driver API. */
#include "driver/graph.h"

static CUresult fill(const CUDA_MEMSET_NODE_PARAMS *f, CUstream stream)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t y = 0; y < f->height && result == CUDA_SUCCESS; y++) {
        const CUdeviceptr row = f->dst + y * f->pitch;
        result = f->elementSize == 4   ? cuMemsetD32Async(row, f->value, f->width, stream)
                 : f->elementSize == 2 ? cuMemsetD16Async(row, (unsigned short)f->value, f->width, stream)
                                       : cuMemsetD8Async(row, (unsigned char)f->value, f->width, stream);
    }
    return result;
}

static CUresult graph_run(const struct CUgraph_st *graph, CUstream stream);

static CUresult run_node(const struct graph_work *w, CUstream stream)
{
    switch (w->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return launch_work(&w->kernel, stream);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return cuMemcpy3DAsync(&w->copy, stream);
    case CU_GRAPH_NODE_TYPE_MEMSET: return fill(&w->fill, stream);
    case CU_GRAPH_NODE_TYPE_HOST:
        if (w->library) return library_call_run(w->library);
        return cuLaunchHostFunc(stream, w->host.fn, w->host.userData);
    case CU_GRAPH_NODE_TYPE_GRAPH: return graph_run(w->child, stream);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return choice_run(&w->choice, stream, graph_run);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return cuEventRecord(w->event, stream);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return graph_memory_run(w);
    default: return CUDA_SUCCESS; /* nothing; what an event waits for was done before */
    }
}

static CUresult graph_run(const struct CUgraph_st *graph, CUstream stream)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < graph->n_nodes && result == CUDA_SUCCESS; i++)
        if (!graph->nodes[i]->is_disabled) result = run_node(&graph->nodes[i]->work, stream);
    return result;
}

CUresult graph_launch(const struct CUgraph_st *graph, CUstream stream)
{
    const CUresult result = conditions_reset(graph, stream);
    return result == CUDA_SUCCESS ? graph_run(graph, stream) : result;
}
