/* Graphs: memory nodes. An address is reserved when the node that allocates is made, since the program learns it then.
 * A launch takes the memory, a node that frees or the program gives it back. Nodes of copies of a graph name the same
 * memory; when the last of them is gone, it goes too, unless a launch took it: then it is the program's to free. */
#include "driver/graph.h"

#include <stdlib.h>

/* What all graphs have, under the shim's lock. */
static struct {
    uint64_t reserved, reserved_high, used, used_high;
} all;

static void add(uint64_t *now, uint64_t *high, uint64_t bytes)
{
    *now += bytes;
    if (*now > *high) *high = *now;
}

static struct allocation *allocation_of(struct shim *s, const struct graph_memory *memory)
{
    struct allocation *a = memory_find(&s->memory, memory->address);
    return a && a->graph == memory ? a : NULL; /* NULL: its context is gone */
}

CUresult graph_memory_new(struct graph_memory **out, size_t bytes)
{
    struct shim *s = shim_lock();
    CUcontext context;
    CUresult result = shim_ready(s, &context);
    if (result == CUDA_SUCCESS && !bytes) result = shim_fail(CUDA_ERROR_INVALID_VALUE, "a graph's memory: 0 bytes");
    struct graph_memory *m = result == CUDA_SUCCESS ? calloc(1, sizeof *m) : NULL;
    const uint64_t at = m ? memory_take(&s->memory, bytes, context, NULL) : 0;
    if (result == CUDA_SUCCESS && !at) {
        free(m);
        result = shim_fail(CUDA_ERROR_OUT_OF_MEMORY, "a graph's memory: no room for %zu bytes", bytes);
    }
    if (result != CUDA_SUCCESS) return shim_unlock(s, result);
    *m = (struct graph_memory){.holders = 1, .address = at, .bytes = bytes};
    struct allocation *a = memory_find(&s->memory, at);
    a->graph = m;
    a->is_reserved = true;
    add(&all.reserved, &all.reserved_high, bytes);
    *out = m;
    return shim_unlock(s, CUDA_SUCCESS);
}

CUresult graph_memory_of(struct graph_memory **out, CUdeviceptr address)
{
    struct shim *s = shim_lock();
    const struct allocation *a = memory_find(&s->memory, address);
    if (!a || !a->graph || a->lo != address)
        return shim_unlock(s, shim_fail(CUDA_ERROR_INVALID_VALUE,
                                        "a graph can free what a graph allocated: 0x%llx is no such address", address));
    *out = a->graph;
    return shim_unlock(s, CUDA_SUCCESS);
}

void graph_memory_keep(struct graph_memory *memory)
{
    struct shim *s = shim_lock();
    memory->holders++;
    shim_unlock(s, CUDA_SUCCESS);
}

void graph_memory_leave(struct graph_memory *memory)
{
    struct shim *s = shim_lock();
    if (--memory->holders == 0) {
        struct allocation *a = allocation_of(s, memory);
        all.reserved -= memory->bytes;
        if (memory->is_taken) all.used -= memory->bytes;
        if (a && memory->is_taken) a->graph = NULL;
        else if (a) memory_drop(&s->memory, a);
        free(memory);
    }
    shim_unlock(s, CUDA_SUCCESS);
}

static CUresult take(struct shim *s, struct graph_memory *memory)
{
    struct allocation *a = allocation_of(s, memory);
    if (!a)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "a graph's memory at 0x%llx went with its context", memory->address);
    if (memory->is_taken)
        return shim_fail(CUDA_ERROR_INVALID_VALUE,
                         "the graph's memory at 0x%llx, of an earlier launch, was not freed (instantiate with the flag "
                         "AutoFreeOnLaunch, or free it)",
                         memory->address);
    memory->is_taken = true;
    a->is_reserved = false;
    add(&all.used, &all.used_high, memory->bytes);
    return CUDA_SUCCESS;
}

CUresult graph_memory_give(struct shim *s, struct graph_memory *memory)
{
    struct allocation *a = allocation_of(s, memory);
    if (!a || !memory->is_taken)
        return shim_fail(CUDA_ERROR_INVALID_VALUE, "the graph's memory at 0x%llx is freed, but no launch has taken it",
                         memory->address);
    memory_clear(&s->memory, a);
    memory->is_taken = false;
    a->is_reserved = true;
    all.used -= memory->bytes;
    return CUDA_SUCCESS;
}

CUresult graph_memory_run(const struct graph_work *work)
{
    struct shim *s = shim_lock();
    return shim_unlock(s, work->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ? take(s, work->memory)
                                                                     : graph_memory_give(s, work->memory));
}

CUresult graph_memory_ready(const struct CUgraph_st *graph, bool gives_back)
{
    CUresult result = CUDA_SUCCESS;
    struct shim *s = shim_lock();
    for (size_t i = 0; i < graph->n_nodes && result == CUDA_SUCCESS; i++) {
        const struct graph_work *w = &graph->nodes[i]->work;
        if (w->type == CU_GRAPH_NODE_TYPE_GRAPH) result = graph_memory_ready(w->child, gives_back);
        if (w->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC || !w->memory->is_taken) continue;
        result = gives_back ? graph_memory_give(s, w->memory) : take(s, w->memory); /* which says what is wrong */
    }
    return shim_unlock(s, result);
}

/* ---- what the driver API tells of it ---- */
static CUresult counter(CUdevice device, CUgraphMem_attribute which, void *value, bool sets)
{
    struct shim *s = shim_lock();
    CUresult result = shim_ready(s, NULL);
    if (result == CUDA_SUCCESS && device) result = shim_fail(CUDA_ERROR_INVALID_DEVICE, "a graph's memory: device 0");
    uint64_t *const now = which == CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT       ? &all.used
                          : which == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH        ? &all.used_high
                          : which == CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT ? &all.reserved
                          : which == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH    ? &all.reserved_high
                                                                            : NULL;
    /* the high marks alone can be set, and to 0: they begin anew */
    const bool is_high = now == &all.used_high || now == &all.reserved_high;
    if (result == CUDA_SUCCESS && (!value || !now || (sets && (!is_high || *(uint64_t *)value))))
        result = shim_fail(CUDA_ERROR_INVALID_VALUE, "a graph's memory: NULL, or attribute %d", (int)which);
    if (result == CUDA_SUCCESS && sets) *now = now == &all.used_high ? all.used : all.reserved;
    else if (result == CUDA_SUCCESS) *(uint64_t *)value = *now;
    return shim_unlock(s, result);
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *value)
{
    return counter(device, which, value, false);
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *value)
{
    return counter(device, which, value, true);
}
CUresult cuDeviceGraphMemTrim(CUdevice device) /* nothing is kept in reserve */
{
    uint64_t used;
    return counter(device, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used, false);
}
