/* The driver API of graphs. */
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

static CUresult need(bool holds, const char *function)
{
    return holds ? CUDA_SUCCESS : shim_fail(CUDA_ERROR_INVALID_VALUE, "%s: NULL, or not a node of this kind", function);
}

static CUresult add(const char *function, CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                    bool has_params, const struct graph_work *work)
{
    const CUresult result = need(node && graph && has_params, function);
    return result == CUDA_SUCCESS ? graph_add(node, graph, after, n, work) : result;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && (!graph || flags))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphCreate: NULL, or flags %u", flags);
    if (result == CUDA_SUCCESS && !(*graph = calloc(1, sizeof **graph)))
        result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
    if (result == CUDA_SUCCESS) (*graph)->context = context;
    return shim_unlock(s, result);
}

/* A graph within another's node goes with that. */
CUresult cuGraphDestroy(CUgraph graph)
{
    if (!graph || graph->is_part) return need(false, "cuGraphDestroy");
    graph_free(graph);
    return CUDA_SUCCESS;
}
CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    const CUresult result = need(clone && graph, "cuGraphClone");
    return result == CUDA_SUCCESS ? graph_copy(clone, graph) : result;
}

/* ---- nodes ---- */
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                              const CUDA_KERNEL_NODE_PARAMS *p)
{
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    CUresult result = need(p, "cuGraphAddKernelNode");
    if (result == CUDA_SUCCESS) result = launch_pack(&work.kernel, p);
    if (result != CUDA_SUCCESS) return result;
    result = add("cuGraphAddKernelNode", node, graph, after, n, true, &work);
    work_free(&work);
    return result;
}
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                              const CUDA_MEMCPY3D *p, CUcontext context)
{
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEMCPY};
    (void)context; /* there is one device */
    if (p) work.copy = *p;
    return add("cuGraphAddMemcpyNode", node, graph, after, n, p, &work);
}
static bool is_fill(const CUDA_MEMSET_NODE_PARAMS *p)
{
    return p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4) &&
           (p->height <= 1 || p->pitch >= p->width * p->elementSize);
}
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                              const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context)
{
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
    (void)context;
    if (p) work.fill = *p;
    return add("cuGraphAddMemsetNode", node, graph, after, n, is_fill(p), &work);
}
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                            const CUDA_HOST_NODE_PARAMS *p)
{
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_HOST};
    if (p) work.host = *p;
    return add("cuGraphAddHostNode", node, graph, after, n, p && p->fn, &work);
}
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n, CUgraph child)
{
    return add("cuGraphAddChildGraphNode", node, graph, after, n, child && child != graph,
               &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_GRAPH, .child = child});
}
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n)
{
    return add("cuGraphAddEmptyNode", node, graph, after, n, true,
               &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_EMPTY});
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n, CUevent event)
{
    return add("cuGraphAddEventRecordNode", node, graph, after, n, event,
               &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .event = event});
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n, CUevent event)
{
    return add("cuGraphAddEventWaitNode", node, graph, after, n, event,
               &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .event = event});
}

static bool is_of(const struct CUgraph_st *graph, const struct CUgraphNode_st *node)
{
    return node && node->graph == graph;
}
/* An edge that is added twice is an error, as is one that is removed and not there [CUDA driver API]. */
static bool has_edge(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to)
{
    for (size_t i = 0; i < to->n_after; i++)
        if (to->after[i] == from) return true;
    return false;
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
    CUresult result = need(graph && (!n || (from && to)), "cuGraphAddDependencies");
    for (size_t i = 0; i < n && result == CUDA_SUCCESS; i++)
        result = is_of(graph, to[i]) && !has_edge(from[i], to[i]) ? graph_depend(to[i], &from[i], 1)
                                                                  : need(false, "cuGraphAddDependencies");
    return result;
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
    CUresult result = need(graph && (!n || (from && to)), "cuGraphRemoveDependencies");
    for (size_t i = 0; i < n && result == CUDA_SUCCESS; i++) {
        result = need(is_of(graph, to[i]) && has_edge(from[i], to[i]), "cuGraphRemoveDependencies");
        if (result == CUDA_SUCCESS) graph_forget(to[i], from[i]);
    }
    return result;
}
CUresult cuGraphDestroyNode(CUgraphNode node)
{
    if (!node) return need(false, "cuGraphDestroyNode");
    graph_remove(node);
    return CUDA_SUCCESS;
}

/* ---- questions: a list into `out` of room *n, or its length where there is none ---- */
struct list {
    CUgraphNode *out, *also;
    size_t room, n;
};
static void list_add(struct list *l, CUgraphNode node, CUgraphNode also)
{
    if (l->out && l->n < l->room) l->out[l->n] = node;
    if (l->also && l->n < l->room) l->also[l->n] = also;
    l->n++;
}
static CUresult list_end(const struct list *l, size_t *n)
{
    for (size_t i = l->n; l->out && i < l->room; i++) l->out[i] = NULL;
    *n = l->n;
    return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *n)
{
    if (!graph || !n) return need(false, "cuGraphGetNodes");
    struct list l = {nodes, NULL, *n, 0};
    for (size_t i = 0; i < graph->n_nodes; i++) list_add(&l, graph->nodes[i], NULL);
    return list_end(&l, n);
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *n)
{
    if (!graph || !n) return need(false, "cuGraphGetRootNodes");
    struct list l = {nodes, NULL, *n, 0};
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (!graph->nodes[i]->n_after) list_add(&l, graph->nodes[i], NULL);
    return list_end(&l, n);
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *n)
{
    if (!graph || !n || !from != !to) return need(false, "cuGraphGetEdges");
    struct list l = {from, to, *n, 0};
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t d = 0; d < graph->nodes[i]->n_after; d++) list_add(&l, graph->nodes[i]->after[d], graph->nodes[i]);
    return list_end(&l, n);
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *n)
{
    if (!node || !n) return need(false, "cuGraphNodeGetDependencies");
    struct list l = {nodes, NULL, *n, 0};
    for (size_t d = 0; d < node->n_after; d++) list_add(&l, node->after[d], NULL);
    return list_end(&l, n);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *n)
{
    if (!node || !n) return need(false, "cuGraphNodeGetDependentNodes");
    struct list l = {nodes, NULL, *n, 0};
    for (size_t i = 0; i < node->graph->n_nodes; i++)
        for (size_t d = 0; d < node->graph->nodes[i]->n_after; d++)
            if (node->graph->nodes[i]->after[d] == node) list_add(&l, node->graph->nodes[i], NULL);
    return list_end(&l, n);
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    if (!node || !type) return need(false, "cuGraphNodeGetType");
    *type = node->work.type;
    return CUDA_SUCCESS;
}
CUresult cuGraphNodeFindInClone(CUgraphNode *found, CUgraphNode node, CUgraph clone)
{
    if (!found || !node || !clone || !(*found = graph_node_of(clone, node)))
        return need(false, "cuGraphNodeFindInClone");
    return CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child)
{
    if (!node || !child || node->work.type != CU_GRAPH_NODE_TYPE_GRAPH)
        return need(false, "cuGraphChildGraphNodeGetGraph");
    *child = node->work.child;
    return CUDA_SUCCESS;
}

/* ---- parameters of nodes ---- */
static bool is_kind(CUgraphNode node, CUgraphNodeType type) { return node && node->work.type == type; }
static CUresult exchange(CUgraphNode node, const struct graph_work *work)
{
    struct graph_work copy;
    const CUresult result = work_copy(&copy, work);
    if (result != CUDA_SUCCESS) return result;
    work_free(&node->work);
    node->work = copy;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p)
{
    if (!p || !is_kind(node, CU_GRAPH_NODE_TYPE_KERNEL)) return need(false, "cuGraphKernelNodeGetParams");
    const struct graph_kernel *k = &node->work.kernel;
    *p = (CUDA_KERNEL_NODE_PARAMS){k->function,
                                   k->grid.grid[0],
                                   k->grid.grid[1],
                                   k->grid.grid[2],
                                   k->grid.block[0],
                                   k->grid.block[1],
                                   k->grid.block[2],
                                   k->grid.dynamic_shared_bytes,
                                   k->params,
                                   NULL,
                                   NULL,
                                   NULL};
    return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
    if (!p || !is_kind(node, CU_GRAPH_NODE_TYPE_KERNEL)) return need(false, "cuGraphKernelNodeSetParams");
    struct graph_work work = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    const CUresult result = launch_pack(&work.kernel, p);
    if (result != CUDA_SUCCESS) return result;
    work.kernel.host = node->work.kernel.host;
    work.kernel.is_cooperative = node->work.kernel.is_cooperative;
    work_free(&node->work);
    node->work = work;
    return CUDA_SUCCESS;
}
#define PARAMS(Name, TYPE, kind, member, is_right) \
    CUresult cuGraph##Name##NodeGetParams(CUgraphNode node, TYPE *p) \
    { \
        if (!p || !is_kind(node, kind)) return need(false, "cuGraph" #Name "NodeGetParams"); \
        *p = node->work.member; \
        return CUDA_SUCCESS; \
    } \
    CUresult cuGraph##Name##NodeSetParams(CUgraphNode node, const TYPE *p) \
    { \
        if (!p || !(is_right) || !is_kind(node, kind)) return need(false, "cuGraph" #Name "NodeSetParams"); \
        node->work.member = *p; \
        return CUDA_SUCCESS; \
    }
PARAMS(Memcpy, CUDA_MEMCPY3D, CU_GRAPH_NODE_TYPE_MEMCPY, copy, true)
PARAMS(Memset, CUDA_MEMSET_NODE_PARAMS, CU_GRAPH_NODE_TYPE_MEMSET, fill, is_fill(p))
PARAMS(Host, CUDA_HOST_NODE_PARAMS, CU_GRAPH_NODE_TYPE_HOST, host, p->fn)
#undef PARAMS

/* ---- executable graphs: the same of the copy's node ---- */
CUresult cuGraphInstantiate(CUgraphExec *executable, CUgraph graph, unsigned long long flags)
{
    CUresult result = need(executable && graph, "cuGraphInstantiate");
    if (result != CUDA_SUCCESS) return result;
    CUgraphExec e = calloc(1, sizeof *e);
    if (!e) return shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
    e->frees_at_launch = flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH; /* the others are about time */
    result = graph_copy(&e->graph, graph);
    if (result == CUDA_SUCCESS) *executable = e;
    else free(e);
    return result;
}
CUresult cuGraphExecDestroy(CUgraphExec executable)
{
    if (!executable) return need(false, "cuGraphExecDestroy");
    graph_free(executable->graph);
    free(executable);
    return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
    if (!executable) return need(false, "cuGraphLaunch");
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS) result = stream_use(context, stream);
    const bool is_captured = result == CUDA_SUCCESS && stream_is_captured(stream);
    if (is_captured)
        result =
            capture_work(stream, &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_GRAPH, .child = executable->graph});
    else if (result == CUDA_SUCCESS) result = graph_memory_ready(executable->graph, executable->frees_at_launch);
    shim_unlock(s, result);
    return result == CUDA_SUCCESS && !is_captured ? graph_launch(executable->graph, stream) : result;
}
CUresult cuGraphUpload(CUgraphExec executable, CUstream stream)
{
    return executable ? cuStreamQuery(stream) : need(false, "cuGraphUpload");
}

/* The same nodes with the same dependencies, in the order of running, with other parameters. */
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    if (!executable || !graph || !info) return need(false, "cuGraphExecUpdate");
    *info = (CUgraphExecUpdateResultInfo){CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL, NULL};
    CUgraph fresh;
    const CUresult result = graph_copy(&fresh, graph);
    if (result != CUDA_SUCCESS) return info->result = CU_GRAPH_EXEC_UPDATE_ERROR, result;
    const struct CUgraph_st *old = executable->graph;
    if (fresh->n_nodes != old->n_nodes) info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < fresh->n_nodes && info->result == CU_GRAPH_EXEC_UPDATE_SUCCESS; i++) {
        CUgraphNode a = old->nodes[i], b = fresh->nodes[i];
        if (a->n_after != b->n_after) info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        else if (a->work.type != b->work.type) info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        b->number = a->number; /* the program knows them by the first graph's */
        b->is_disabled = a->is_disabled;
    }
    if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
        graph_free(fresh);
        return shim_fail(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                         "cuGraphExecUpdate: the graph has other nodes or dependencies");
    }
    graph_free(executable->graph);
    executable->graph = fresh;
    return CUDA_SUCCESS;
}

static CUgraphNode of(CUgraphExec executable, CUgraphNode node)
{
    return executable && node ? graph_node_of(executable->graph, node) : NULL;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
    return cuGraphKernelNodeSetParams(of(executable, node), p);
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D *p,
                                        CUcontext context)
{
    return (void)context, cuGraphMemcpyNodeSetParams(of(executable, node), p);
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p,
                                        CUcontext context)
{
    return (void)context, cuGraphMemsetNodeSetParams(of(executable, node), p);
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p)
{
    return cuGraphHostNodeSetParams(of(executable, node), p);
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraph child)
{
    CUgraphNode own = of(executable, node);
    if (!child || !is_kind(own, CU_GRAPH_NODE_TYPE_GRAPH)) return need(false, "cuGraphExecChildGraphNodeSetParams");
    return exchange(own, &(struct graph_work){.type = CU_GRAPH_NODE_TYPE_GRAPH, .child = child});
}
CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned int is_enabled)
{
    CUgraphNode own = of(executable, node);
    if (!own) return need(false, "cuGraphNodeSetEnabled");
    own->is_disabled = !is_enabled;
    return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned int *is_enabled)
{
    CUgraphNode own = of(executable, node);
    if (!own || !is_enabled) return need(false, "cuGraphNodeGetEnabled");
    *is_enabled = !own->is_disabled;
    return CUDA_SUCCESS;
}
