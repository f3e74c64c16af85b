/* Kernels that kernels launch, and copies that they make. The room for a launch's parameters is an allocation that the
 * kernel fills; the launch is noted, and carried out when the grid that made it has ended, in the order in which
 * launches were made: a grid may begin any time after its launch and cannot be waited for by the one that launched it.
 * [CUDA Programming Guide, CUDA Dynamic Parallelism] */
#include "driver/shim.h"

#include <stdlib.h>
#include <string.h>

uint64_t device_launch_room(void *self, const struct ptx_device_launch *launch)
{
    struct service_call *call = self;
    if (launch->kernel >= call->module->n_functions) return 0;
    struct CUfunc_st *f = &call->module->functions[launch->kernel];
    struct device_launch *l = calloc(1, sizeof *l);
    if (!l) return 0;
    l->function = f;
    memcpy(l->grid.grid, launch->grid, sizeof l->grid.grid);
    memcpy(l->grid.block, launch->block, sizeof l->grid.block);
    l->grid.dynamic_shared_bytes = launch->shared_bytes;
    l->room = memory_take(&call->shim->memory, f->info->param_bytes ? f->info->param_bytes : 1, call->context, NULL);
    if (!l->room) return free(l), 0;
    l->next = call->rooms;
    call->rooms = l;
    return l->room;
}

static void drop(struct service_call *call, struct device_launch *l)
{
    memory_drop(&call->shim->memory, memory_find(&call->shim->memory, l->room));
    l->room = 0;
}

static void append(struct service_call *call, struct device_launch *l)
{
    struct device_launch **link = &call->launches;
    while (*link) link = &(*link)->next;
    *link = l;
}

uint32_t device_launch(void *self, uint64_t room)
{
    struct service_call *call = self;
    struct device_launch **link = &call->rooms;
    while (*link && (*link)->room != room) link = &(*link)->next;
    struct device_launch *l = *link;
    if (!l) return CUDA_ERROR_INVALID_VALUE;
    *link = l->next;
    const size_t bytes = l->function->info->param_bytes;
    l->bank = calloc(1, bytes + 1);
    if (l->bank) memcpy(l->bank, memory_host(&call->shim->memory, room), bytes);
    drop(call, l);
    l->next = NULL;
    if (!l->bank) return free(l), (uint32_t)CUDA_ERROR_OUT_OF_MEMORY;
    append(call, l);
    return 0;
}

uint32_t device_copy(void *self, const struct ptx_device_copy *copy)
{
    struct device_launch *l = calloc(1, sizeof *l);
    if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
    l->copy = *copy;
    append(self, l);
    return 0;
}

CUresult device_copy_run(struct shim *s, const struct ptx_device_copy *c)
{
    const char *name = c->sets ? "cudaMemsetAsync by a kernel" : "cudaMemcpyAsync by a kernel";
    CUresult result = CUDA_SUCCESS;
    for (uint64_t row = 0; row < c->rows && c->width > 0 && result == CUDA_SUCCESS; row++) {
        unsigned char *to, *from = NULL;
        result = device_range(s, name, c->to + row * c->to_pitch, c->width, &to);
        if (result == CUDA_SUCCESS && !c->sets)
            result = device_range(s, name, c->from + row * c->from_pitch, c->width, &from);
        if (result != CUDA_SUCCESS) break;
        if (c->sets) memset(to, c->value, c->width);
        else memmove(to, from, c->width);
    }
    if (result == CUDA_SUCCESS) shim_spend_copy(s, c->width * c->rows);
    return result;
}

struct device_launch *device_launch_next(struct service_call *call)
{
    struct device_launch *l = call->launches;
    if (l) call->launches = l->next;
    return l;
}

void device_launch_free(struct device_launch *l)
{
    free(l->bank);
    free(l);
}

void device_launches_drop(struct service_call *call)
{
    for (struct device_launch *l; (l = call->rooms);) {
        call->rooms = l->next;
        drop(call, l);
        device_launch_free(l);
    }
    for (struct device_launch *l; (l = device_launch_next(call));) device_launch_free(l);
}
