/* Graphs: nodes that run a graph under a condition, which kernels set (cudaGraphSetConditional). */
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

static CUresult value_of(CUdeviceptr condition, CUstream stream, unsigned int *value)
{
    return cuMemcpyDtoHAsync(value, condition, sizeof *value, stream);
}

/* ---- loops that never end ---- */
/* Whether the graph has work that can change a condition, which is a word of memory; of the host's, if so wanted. */
static bool has_work(const struct CUgraph_st *graph, bool of_host)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const struct graph_work *w = &graph->nodes[i]->work;
        bool is_work = w->type == CU_GRAPH_NODE_TYPE_HOST;
        if (graph->nodes[i]->is_disabled) continue;
        if (!of_host)
            is_work |= w->type == CU_GRAPH_NODE_TYPE_KERNEL || w->type == CU_GRAPH_NODE_TYPE_MEMCPY ||
                       w->type == CU_GRAPH_NODE_TYPE_MEMSET;
        if (w->type == CU_GRAPH_NODE_TYPE_GRAPH) is_work = has_work(w->child, of_host);
        for (size_t k = 0; w->type == CU_GRAPH_NODE_TYPE_CONDITIONAL && k < w->choice.n_bodies; k++)
            is_work |= has_work(w->choice.bodies[k], of_host);
        if (is_work) return true;
    }
    return false;
}

/* A body does the same again when it finds all of the device's memory as it was. That is looked at seldom, as it takes
 * a pass over memory: after so many rounds, and twice as many, and so on. Functions of the host may do anything. */
#define ROUNDS_UNSEEN ((uint64_t)1 << 16)
struct rounds {
    uint64_t n;
    struct hash before;
};
static bool repeats(struct rounds *r)
{
    const bool is_first = r->n >= ROUNDS_UNSEEN && (r->n & (r->n - 1)) == 0,
               is_second = r->n > ROUNDS_UNSEEN && ((r->n - 1) & (r->n - 2)) == 0;
    r->n++;
    if (!is_first && !is_second) return false;
    struct shim *s = shim_lock();
    const struct hash now = memory_hash(&s->memory);
    shim_unlock(s, CUDA_SUCCESS);
    if (is_second && memcmp(&now, &r->before, sizeof now) == 0) return true;
    r->before = now;
    return false;
}

static CUresult never_ends(unsigned int value, const char *why)
{
    CUcontext context;
    struct shim *s = shim_lock();
    if (shim_ready(s, &context) == CUDA_SUCCESS) context->sticky = CUDA_ERROR_LAUNCH_TIMEOUT;
    return shim_unlock(s,
                       shim_fail(CUDA_ERROR_LAUNCH_TIMEOUT,
                                 "a graph's WHILE node never ends: its condition is %u, and %s (a kernel of the body "
                                 "sets it by cudaGraphSetConditional)",
                                 value, why));
}

static CUresult run_while(const struct graph_choice *choice, CUstream stream,
                          CUresult (*run)(const struct CUgraph_st *, CUstream))
{
    unsigned int value;
    struct rounds rounds = {0};
    const struct CUgraph_st *body = choice->bodies[0];
    const bool calls_host = has_work(body, true);
    CUresult result = value_of(choice->condition, stream, &value);
    if (result == CUDA_SUCCESS && value && !has_work(body, false))
        return never_ends(value, "its body has no node that could change it");
    while (result == CUDA_SUCCESS && value) {
        if (!calls_host && repeats(&rounds)) return never_ends(value, "a round of its body changes no memory");
        result = run(body, stream);
        if (result == CUDA_SUCCESS) result = value_of(choice->condition, stream, &value);
    }
    return result;
}

CUresult choice_run(const struct graph_choice *choice, CUstream stream,
                    CUresult (*run)(const struct CUgraph_st *, CUstream))
{
    unsigned int value;
    if (choice->type == CU_GRAPH_COND_TYPE_WHILE) return run_while(choice, stream, run);
    const CUresult result = value_of(choice->condition, stream, &value);
    const size_t chosen = choice->type == CU_GRAPH_COND_TYPE_IF ? !value : value; /* an IF's second body: else */
    return result == CUDA_SUCCESS && chosen < choice->n_bodies ? run(choice->bodies[chosen], stream) : result;
}

/* ---- conditions ---- */
/* Of the graph and of the graphs within its nodes. */
CUresult conditions_reset(const struct CUgraph_st *graph, CUstream stream)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < graph->n_conditions && result == CUDA_SUCCESS; i++)
        result = cuMemcpyHtoDAsync(graph->conditions[i].address, &graph->conditions[i].initial, sizeof(unsigned int),
                                   stream);
    for (size_t i = 0; i < graph->n_nodes && result == CUDA_SUCCESS; i++) {
        const struct graph_work *work = &graph->nodes[i]->work;
        if (work->type == CU_GRAPH_NODE_TYPE_GRAPH) result = conditions_reset(work->child, stream);
        if (work->type != CU_GRAPH_NODE_TYPE_CONDITIONAL) continue;
        for (size_t k = 0; k < work->choice.n_bodies && result == CUDA_SUCCESS; k++)
            result = conditions_reset(work->choice.bodies[k], stream);
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
    CUcontext current;
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, &current);
    if (result == CUDA_SUCCESS) /* of no program's: a capture that is going on does not forbid it */
        result = memory_give_out(s, current, &at, sizeof initial, ALLOCATION_DEVICE, "cuGraphConditionalHandleCreate");
    if (shim_unlock(s, result) != CUDA_SUCCESS) return result;
    if (flags) graph->conditions[graph->n_conditions++] = (struct graph_condition){at, initial};
    *handle = at;
    return CUDA_SUCCESS;
}
