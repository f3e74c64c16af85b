/* Graphs: making and copying them. */
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- work ---- */
static void point_at_params(struct graph_kernel *k)
{
    const struct ptx_kernel_info *info = k->function->info;
    for (uint32_t i = 0; i < info->n_params; i++) k->params[i] = k->bank + info->params[i].offset;
}

/* ---- nodes under a condition (graph_choice.c runs them) ---- */
static void choice_free(struct graph_choice *choice)
{
    for (size_t i = 0; i < choice->n_bodies; i++) graph_free(choice->bodies[i]);
    free(choice->bodies);
    *choice = (struct graph_choice){0};
}

static CUresult choice_copy(struct graph_choice *out, const struct graph_choice *choice)
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

/* ---- nodes ---- */
static bool has_memory(const struct graph_work *work)
{
    return work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || work->type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

CUresult work_copy(struct graph_work *out, const struct graph_work *work)
{
    *out = *work;
    if (work->type == CU_GRAPH_NODE_TYPE_GRAPH) {
        const CUresult result = graph_copy(&out->child, work->child);
        if (result == CUDA_SUCCESS) out->child->is_part = true;
        return result;
    }
    if (work->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) return choice_copy(&out->choice, &work->choice);
    if (has_memory(work)) graph_memory_keep(work->memory);
    if (work->library) library_call_keep(work->library);
    if (work->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_SUCCESS;
    const struct ptx_kernel_info *info = work->kernel.function->info;
    out->kernel.bank = malloc(info->param_bytes + 1);
    out->kernel.params = calloc(info->n_params + 1, sizeof *out->kernel.params);
    if (!out->kernel.bank || !out->kernel.params) {
        work_free(out);
        return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph's node");
    }
    memcpy(out->kernel.bank, work->kernel.bank, info->param_bytes);
    point_at_params(&out->kernel);
    return CUDA_SUCCESS;
}

void work_free(struct graph_work *work)
{
    if (work->type == CU_GRAPH_NODE_TYPE_GRAPH) graph_free(work->child);
    if (work->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) choice_free(&work->choice);
    if (has_memory(work)) graph_memory_leave(work->memory);
    if (work->library) library_call_leave(work->library);
    if (work->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        free(work->kernel.bank);
        free(work->kernel.params);
    }
    memset(work, 0, sizeof *work);
}

/* ---- graphs ---- */
CUresult graph_depend(CUgraphNode node, const CUgraphNode *after, size_t n)
{
    CUgraphNode *grown = realloc(node->after, (node->n_after + n + 1) * sizeof *grown);
    if (!grown) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph's edges");
    node->after = grown;
    for (size_t i = 0; i < n; i++) {
        bool is_new = true;
        if (!after[i] || after[i]->graph != node->graph || after[i] == node)
            return shim_fail(CUDA_ERROR_INVALID_VALUE, "a graph's node depends on one of another graph, or on itself");
        for (size_t k = 0; k < node->n_after; k++) is_new &= node->after[k] != after[i];
        if (is_new) node->after[node->n_after++] = after[i];
    }
    return CUDA_SUCCESS;
}

static void node_free(CUgraphNode node)
{
    work_free(&node->work);
    free(node->after);
    free(node);
}

void graph_forget(CUgraphNode node, const struct CUgraphNode_st *before)
{
    size_t n = 0;
    for (size_t i = 0; i < node->n_after; i++)
        if (node->after[i] != before) node->after[n++] = node->after[i];
    node->n_after = n;
}

void graph_remove(CUgraphNode node)
{
    CUgraph graph = node->graph;
    size_t n = 0;
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (graph->nodes[i] != node) graph_forget(graph->nodes[n++] = graph->nodes[i], node);
    graph->n_nodes = n;
    node_free(node);
}

CUresult graph_add(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t n_after,
                   const struct graph_work *work)
{
    CUgraphNode node = calloc(1, sizeof *node);
    CUgraphNode *grown = realloc(graph->nodes, (graph->n_nodes + 1) * sizeof *grown);
    if (grown) graph->nodes = grown;
    if (!node || !grown) {
        free(node);
        return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph's node");
    }
    node->graph = graph;
    node->number = graph->made;
    CUresult result = n_after && !after ? shim_fail(CUDA_ERROR_INVALID_VALUE, "a graph's node: no list of dependencies")
                                        : work_copy(&node->work, work);
    if (result == CUDA_SUCCESS) result = graph_depend(node, after, n_after);
    if (result != CUDA_SUCCESS) {
        node_free(node);
        return result;
    }
    graph->made++;
    *out = graph->nodes[graph->n_nodes++] = node;
    return CUDA_SUCCESS;
}

void graph_free(CUgraph graph)
{
    if (!graph) return;
    for (size_t i = 0; i < graph->n_nodes; i++) node_free(graph->nodes[i]);
    free(graph->nodes);
    free(graph->conditions);
    free(graph);
}

CUgraphNode graph_node_of(const struct CUgraph_st *copy, const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < copy->n_nodes; i++)
        if (copy->nodes[i]->number == node->number) return copy->nodes[i];
    return NULL;
}

/* Nodes in an order in which each comes after those it depends on; of several that could come next, the first made. */
static CUresult sort(CUgraphNode *out, const struct CUgraph_st *graph)
{
    size_t n = 0, first = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) graph->nodes[i]->is_placed = false;
    while (n < graph->n_nodes) {
        const size_t before = n;
        while (graph->nodes[first]->is_placed) first++;
        for (size_t i = first; i < graph->n_nodes && n == before; i++) {
            CUgraphNode node = graph->nodes[i];
            bool is_ready = !node->is_placed;
            for (size_t d = 0; d < node->n_after && is_ready; d++) is_ready = node->after[d]->is_placed;
            if (!is_ready) continue;
            out[n++] = node;
            node->is_placed = true;
        }
        if (n == before) return shim_fail(CUDA_ERROR_INVALID_VALUE, "the graph's dependencies have a cycle");
    }
    return CUDA_SUCCESS;
}

static CUresult conditions_copy(struct CUgraph_st *out, const struct CUgraph_st *graph)
{
    out->conditions = calloc(graph->n_conditions + 1, sizeof *out->conditions);
    if (!out->conditions) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph's conditions");
    for (size_t i = 0; i < graph->n_conditions; i++) out->conditions[i] = graph->conditions[i];
    out->n_conditions = graph->n_conditions;
    return CUDA_SUCCESS;
}

CUresult graph_copy(CUgraph *out, const struct CUgraph_st *graph)
{
    CUgraph copy = calloc(1, sizeof *copy);
    CUgraphNode *order = calloc(graph->n_nodes + 1, sizeof *order), *after = calloc(graph->n_nodes + 1, sizeof *after);
    CUresult result =
        copy && order && after ? sort(order, graph) : shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
    if (copy) copy->context = graph->context;
    if (result == CUDA_SUCCESS) result = conditions_copy(copy, graph);
    for (size_t i = 0; i < graph->n_nodes && result == CUDA_SUCCESS; i++) {
        CUgraphNode node;
        for (size_t d = 0; d < order[i]->n_after; d++) after[d] = graph_node_of(copy, order[i]->after[d]);
        result = graph_add(&node, copy, after, order[i]->n_after, &order[i]->work);
        if (result != CUDA_SUCCESS) break;
        node->number = order[i]->number;
        node->is_disabled = order[i]->is_disabled;
    }
    free(order);
    free(after);
    if (result == CUDA_SUCCESS) {
        copy->made = graph->made;
        *out = copy;
    } else {
        graph_free(copy);
    }
    return result;
}
